//! The link: its fast case decides as its queue does, and it counts what it serves and removes.

use acklab_packet::{Ack, Body, Packet, Rate, Time};

use acklab_path::link::{Link, Load, Moment, Totals};
use acklab_path::queue::{CakeQueueParams, Queue, Removal};
use acklab_path::random::Random;
use acklab_path::spec::{LinkSpec, LossPlace, LossSpec, QueueSpec};
use proptest::prelude::*;

/// A call at a time; a service that ends then has ended.
struct At(Time);

impl Moment for At {
    fn time(&self) -> Time {
        self.0
    }
    fn decided(&self) -> Time {
        self.0
    }
    fn follows(&mut self, _: Time) -> bool {
        true
    }
}

fn spec(queue: QueueSpec) -> LinkSpec {
    let (rate, delay) = (Rate::from_bps(1e6), Time::from_secs(0.013));
    LinkSpec { from: 0, to: 1, rate, delay, varying: None, queue, loss: None, crossings: 1, stages: Vec::new() }
}

fn link(spec: &LinkSpec) -> Link<Packet> {
    Link::new(spec, |_| Random::stream(1))
}

/// Data of that size, or an ACK.
fn packet(size: u32, ack: bool) -> Packet {
    let body = if ack { Body::Ack(Ack::default()) } else { Body::Datagram(0) };
    Packet { flow: 0, size, connection: 0, place: 0, body }
}

/// A link driven through its queue: arrivals at the far end, and the sizes refused.
#[derive(Default)]
struct Driven {
    arrivals: Vec<Time>,
    removed: Vec<(Packet, Removal)>,
}

impl Driven {
    /// Serves all that could begin up to `now`.
    fn serve(&mut self, link: &mut Link<Packet>, now: Time) {
        while link.until() <= now && !link.queue().is_empty() {
            let at = link.until();
            let next = link.next_packet(at, &mut self.removed);
            self.begin(link, next, at);
        }
    }

    fn begin(&mut self, link: &mut Link<Packet>, next: Option<Packet>, now: Time) {
        if let Some(packet) = next {
            let served = link.serve(&packet, now);
            self.arrivals.extend((!served.lost).then_some(served.arrives));
        }
    }

    fn offer(&mut self, link: &mut Link<Packet>, packet: Packet, now: Time) {
        self.serve(link, now);
        let next = link.offer(packet, link.until() <= now, now, &mut self.removed);
        self.begin(link, next, now);
    }
}

fn limit() -> impl Strategy<Value = QueueSpec> {
    let bytes = |n: u64| Some(acklab_path::Buffer::bytes(300 * n));
    (0..4, 2_u64..9).prop_map(move |(kind, n)| match kind {
        0 => QueueSpec::drop_tail(Some(n), None, None, None),
        1 => QueueSpec::drop_tail(None, Some(n), None, None),
        2 => QueueSpec::drop_tail(None, None, bytes(n), None),
        _ => QueueSpec::drop_tail(None, None, None, bytes(n)),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whether a service is booked when the packet arrives or begins out of the queue: the same times, to the last bit.
    #[test]
    fn the_fast_case_decides_as_the_queue_does(
        queue in limit(),
        arrivals in prop::collection::vec((0.0..0.02_f64, prop_oneof![1 => Just(0_u32), 4 => 40_u32..1500], any::<bool>()), 1..200),
    ) {
        let spec = spec(queue);
        let (mut booked, mut queued, mut driven) = (link(&spec), link(&spec), Driven::default());
        queued.never_book();
        let (mut now, mut times, mut refused) = (Time::ZERO, Vec::new(), Vec::new());
        for (pause, size, ack) in arrivals {
            now = now + Time::from_secs(pause);
            let packet = packet(size, ack);
            let begin = if size >= booked.books_below() {
                booked.wait(Load::of(&packet), &mut At(now));
                None
            } else {
                booked.begin(Load::of(&packet), &mut At(now))
            };
            match begin {
                Some(begin) => times.push(begin.start + booked.book(Load::of(&packet), begin.start)),
                None => refused.push(size),
            }
            driven.offer(&mut queued, packet, now);
        }
        let end = now + Time::from_secs(10.0);
        driven.serve(&mut queued, end);
        booked.catch_up(&mut At(end));
        prop_assert_eq!(times, driven.arrivals);
        prop_assert_eq!(refused, driven.removed.iter().map(|(packet, _)| packet.size).collect::<Vec<_>>());
        prop_assert_eq!(booked.sizes.totals(), queued.sizes.totals());
        prop_assert_eq!(booked.bookings().totals(), Totals::default());
        let counts = |link: &Link<Packet>| (link.counts.drops, link.counts.queue_max, link.counts.mean_queue(0, end).to_bits());
        prop_assert_eq!(counts(&booked), counts(&queued));
    }
}

/// 1000 bytes take 8 ms at 1 Mb/s, 40 bytes 0.32 ms, and the wire 13 ms.
#[test]
fn it_counts_acks_apart_and_serves_one_after_another() {
    let (mut link, mut driven) = (link(&spec(QueueSpec::DEFAULT)), Driven::default());
    for (size, ack) in [(1000, false), (40, true), (40, false), (40, true), (500, false), (52, true)] {
        driven.offer(&mut link, packet(size, ack), Time::ZERO);
    }
    assert_eq!(link.sizes.totals(), Totals { packets: 1, bytes: 1000, ack_packets: 0, ack_bytes: 0 });
    driven.serve(&mut link, Time::from_secs(1.0));
    assert_eq!(link.sizes.totals(), Totals { packets: 6, bytes: 1672, ack_packets: 3, ack_bytes: 132 });
    let ms: Vec<f64> = driven.arrivals.iter().map(|at| (at.secs() * 1e5).round() / 100.0).collect();
    assert_eq!(ms, [21.0, 21.32, 21.64, 21.96, 25.96, 26.38]);
    let busy = link.utilisation(1672, link.until(), Time::from_secs(0.1));
    assert!((busy - 0.13376).abs() < 1e-12, "{busy}");
}

#[test]
fn what_the_loss_model_removes_has_its_reason_or_is_lost_on_the_wire() {
    for (place, served) in [(LossPlace::BeforeQueue, 2), (LossPlace::AfterQueue, 3)] {
        let loss = Some(LossSpec { list: Some(vec![1]), r#where: place, ..LossSpec::default() });
        let (mut link, mut driven) = (link(&LinkSpec { loss, ..spec(QueueSpec::DEFAULT) }), Driven::default());
        (0..3).for_each(|_| driven.offer(&mut link, packet(1000, false), Time::ZERO));
        driven.serve(&mut link, Time::from_secs(1.0));
        assert_eq!((driven.arrivals.len(), link.sizes.totals().packets, link.counts.lost), (2, served, 1));
        assert!(driven.removed.iter().all(|(_, reason)| *reason == Removal::Lost));
    }
}

/// Without a shaper CAKE's clock, which counts nanoseconds, delays nothing: an empty packet's service ends when it begins.
#[test]
fn cake_without_a_shaper_holds_nothing_back() {
    let queue = QueueSpec::Cake(CakeQueueParams { bandwidth: None, ..CakeQueueParams::default() });
    let (mut link, mut driven) = (link(&spec(queue)), Driven::default());
    let now = Time::from_secs(0.012_345_678_9);
    driven.offer(&mut link, packet(0, true), now);
    assert_eq!((driven.arrivals.len(), link.until()), (1, now));
}
