//! DualPI2's rules by hand: the controller's table, the coupling, the step, the scheduler, overload.

use acklab_packet::{Body, Ecn, Packet, Segment};

use super::*;

fn packet(flow: u32, ecn: Ecn) -> Packet {
    let segment = Segment { len: 1, ecn, ..Segment::default() };
    Packet { size: 1500, flow, body: Body::Data(segment), connection: 0, place: 0 }
}

fn ecn(packet: &Packet) -> Ecn {
    match packet.body {
        Body::Data(segment) => segment.ecn,
        _ => Ecn::NotEct,
    }
}

fn ms(ms: f64) -> Time {
    Time::from_secs(ms / 1e3)
}

fn queue(mut params: DualPi2Params) -> DualPi2<Packet> {
    assert_eq!(params.check(None), Ok(()));
    DualPi2::new(&params, Rate::from_bps(40e6), || Random::stream(7))
}

fn arrive(queue: &mut DualPi2<Packet>, count: usize, ecn: Ecn, at: f64) -> usize {
    let mut removed = Vec::new();
    for _ in 0..count {
        queue.enqueue(packet(0, ecn), Service::Busy(1500), ms(at), &mut removed);
    }
    removed.len()
}

/// A classic packet waits since 0. At 16 ms: 0.16 * 0.001 + 3.2 * 0.016; at 32 ms: 0.16 * 0.017 + 3.2 * 0.016 more; at 48 ms the like.
/// The low latency queue's head counts if it waited longer.
#[test]
fn the_probability_follows_the_longer_wait() {
    for ecn in [Ecn::NotEct, Ecn::Ect1] {
        let mut queue = queue(DualPi2Params::default());
        arrive(&mut queue, 1, ecn, 0.0);
        arrive(&mut queue, 1, Ecn::NotEct, 10.0);
        let mut expected = 0.0;
        for updates in 1..=4 {
            let at = 16.0 * f64::from(updates);
            queue.catch_up(ms(at));
            expected += 0.16 * (at / 1e3 - 0.015) + 3.2 * 0.016;
            assert!((queue.probability - expected).abs() < 1e-12, "{ecn:?} {updates}: {}", queue.probability);
        }
        while queue.dequeue(ms(65.0), &mut Vec::new()).is_some() {}
        queue.catch_up(ms(81.0));
        expected += 0.16 * (0.0 - 0.015) + 3.2 * (0.0 - 0.064);
        assert!((queue.probability - expected.max(0.0)).abs() < 1e-12);
        queue.catch_up(ms(1e7));
        assert_eq!((queue.probability, queue.delay_before), (0.0, 0.0));
    }
}

/// The probability is 0.1. Then a fifth of the low latency packets is marked, and none is dropped. A hundredth of the
/// others is dropped, or marked where that can be.
#[test]
fn marks_are_coupled_to_drops_by_a_square() {
    let mut seen =
        [(Ecn::Ect1, 0.2, 0.0), (Ecn::Ect, 0.01, 0.0), (Ecn::NotEct, 0.0, 0.01)].map(|(ecn_of, marked, dropped)| {
            let mut queue = queue(DualPi2Params { step: ms(1e5), ..DualPi2Params::default() });
            arrive(&mut queue, 20, ecn_of, 0.0);
            let (mut marks, mut removed) = (0, Vec::new());
            const SERVED: usize = 50_000;
            for _ in 0..SERVED {
                (queue.probability, queue.delay_before) = (0.1, 0.0);
                let room = 20 - queue.len();
                arrive(&mut queue, room, ecn_of, 1.0);
                let packet = queue.dequeue(ms(1.0), &mut removed).expect("a packet");
                marks += usize::from(ecn(&packet) == Ecn::Ce);
            }
            // Three standard deviations of a binomial.
            let near = |found: usize, expected: f64| {
                let slack = 3.0 * (expected * (1.0 - expected) / SERVED as f64).sqrt();
                assert!(
                    (found as f64 / SERVED as f64 - expected).abs() <= slack,
                    "{ecn_of:?}: {found} of {SERVED}, {expected}"
                );
            };
            near(marks, marked);
            near(removed.len(), dropped);
            (marks, removed.len())
        });
    seen.sort_unstable();
    assert_eq!(seen[0].0, 0, "what cannot be marked is dropped");
}

/// Above 1 / coupling even packets that can be marked are dropped, by the square; the low latency ones that stay are all marked.
#[test]
fn overload_drops_what_could_be_marked() {
    for ecn_of in [Ecn::Ect1, Ecn::Ect] {
        let mut queue = queue(DualPi2Params::default());
        let (mut removed, mut marks) = (Vec::new(), 0);
        for _ in 0..20_000 {
            (queue.probability, queue.delay_before) = (0.6, 0.0);
            let room = 20 - queue.len();
            arrive(&mut queue, room, ecn_of, 1.0);
            marks += usize::from(queue.dequeue(ms(1.0), &mut removed).is_some_and(|packet| ecn(&packet) == Ecn::Ce));
        }
        let share = removed.len() as f64 / (20_000 + removed.len()) as f64;
        assert!((share - 0.36).abs() < 0.01, "{ecn_of:?}: {share}");
        assert_eq!(marks, if ecn_of == Ecn::Ect1 { 20_000 } else { 0 });
    }
}

/// A low latency packet that waited over 1 ms is marked, whatever the probability; 1 ms is not over it. The rest is not.
#[test]
fn the_step_marks_low_latency_packets_only() {
    for (ecn_of, waited, expected) in [
        (Ecn::Ect1, 1.0, Ecn::Ect1),
        (Ecn::Ect1, 1.001, Ecn::Ce),
        (Ecn::Ect, 5.0, Ecn::Ect),
        (Ecn::NotEct, 5.0, Ecn::NotEct),
    ] {
        let mut queue = queue(DualPi2Params::default());
        arrive(&mut queue, 1, ecn_of, 0.0);
        let packet = queue.dequeue(ms(waited), &mut Vec::new()).expect("a packet");
        assert_eq!(ecn(&packet), expected, "{ecn_of:?} after {waited} ms");
    }
}

/// While both wait, one of ten packets is a classic one. The credit begins at -80 * 1514; a low latency packet adds 10 * 1500, so that nine
/// make it positive, and a classic packet takes 90 * 1500 off. The hundredth low latency packet follows eleven classic ones.
#[test]
fn the_other_queue_has_a_tenth() {
    let mut queue = queue(DualPi2Params { step: ms(1e5), ..DualPi2Params::default() });
    arrive(&mut queue, 100, Ecn::Ect1, 0.0);
    arrive(&mut queue, 100, Ecn::NotEct, 0.0);
    let served: Vec<bool> = std::iter::from_fn(|| queue.dequeue(ms(1.0), &mut Vec::new()))
        .map(|packet| ecn(&packet) == Ecn::NotEct)
        .collect();
    assert_eq!(served.iter().position(|classic| *classic), Some(9));
    assert_eq!(served[..100].iter().filter(|classic| **classic).count(), 10);
    assert_eq!(served.iter().rposition(|classic| !classic), Some(110));
    assert_eq!(served.len(), 200);
}

/// A flow with a listed code point shares the low latency queue and is never marked; a CE mark from before counts as low latency.
#[test]
fn code_points_and_earlier_marks_are_low_latency() {
    let class = |dscp| FlowClass { source: 0, destination: 1, dscp, one_way: false };
    let params =
        DualPi2Params { code_points: vec![45], classes: [class(0), class(45)].into(), ..DualPi2Params::default() };
    let mut queue = queue(params);
    for (flow, ecn_of) in [(0, Ecn::NotEct), (1, Ecn::NotEct), (0, Ecn::Ce)] {
        queue.enqueue(packet(flow, ecn_of), Service::Busy(1500), ms(0.0), &mut Vec::new());
    }
    assert_eq!(queue.store.in_line(), [3000, 1500]);
    let order: Vec<(u32, Ecn)> = std::iter::from_fn(|| queue.dequeue(ms(9.0), &mut Vec::new()))
        .map(|packet| (packet.flow, ecn(&packet)))
        .collect();
    assert_eq!(order, [(1, Ecn::NotEct), (0, Ecn::Ce), (0, Ecn::NotEct)]);
}

/// Both queues share the room; what is out of range is named.
#[test]
fn the_room_is_shared_and_ranges_are_checked() {
    let mut full = queue(DualPi2Params { waiting: 5, ..DualPi2Params::default() });
    assert_eq!(arrive(&mut full, 3, Ecn::Ect1, 0.0) + arrive(&mut full, 3, Ecn::NotEct, 0.0), 1);
    assert_eq!((full.len(), full.bytes()), (5, 7500));
    let ok = DualPi2Params::default();
    for (mut params, key) in [
        (DualPi2Params { waiting: 0, ..ok.clone() }, "waiting"),
        (DualPi2Params { target: Time::ZERO, ..ok.clone() }, "target"),
        (DualPi2Params { update: ms(0.5), ..ok.clone() }, "update"),
        (DualPi2Params { alpha: f64::NAN, ..ok.clone() }, "alpha"),
        (DualPi2Params { coupling: 0.5, ..ok.clone() }, "coupling"),
        (DualPi2Params { classic_share: 101.0, ..ok.clone() }, "classic_share"),
        (DualPi2Params { code_points: vec![64], ..ok.clone() }, "code_points"),
        (DualPi2Params { max_packet: Bytes::new(0), ..ok }, "max_packet"),
    ] {
        assert_eq!(params.check(None).err().map(|wrong| wrong.key), Some(key.to_owned()));
    }
}
