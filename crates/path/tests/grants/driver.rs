//! A link before a request-grant uplink, driven as the simulator and the live mode drive it.

use acklab_packet::Time;
use acklab_path::link::Link;
use acklab_path::queue::Removal;
use acklab_path::random::Random;
use acklab_path::spec::{LinkSpec, QueueSpec, RateSpec};
use acklab_path::{Bare, Carried};

/// A departure: the packet's number, and when its service began, when it ended and when it arrived, in milliseconds, to
/// the nanosecond.
pub type Departure = (u64, f64, f64, f64);

/// What happened.
#[derive(Debug, Default, PartialEq)]
pub struct Driven {
    pub departures: Vec<Departure>,
    /// Sizes of packets removed, and why.
    pub removed: Vec<(u32, Removal)>,
    /// Packets that wait at the end, one sent in parts included.
    pub waiting: usize,
    pub utilisation: f64,
}

fn ms(time: Time) -> f64 {
    (time.secs() * 1e9).round() / 1e6
}

/// The link of a scenario's `rate` and `queue`.
pub fn spec(rate: &str, queue: &str) -> LinkSpec {
    let rate: RateSpec = serde_json::from_str(rate).expect("a rate");
    let queue: QueueSpec = serde_json::from_str(queue).expect("a queue");
    let (rate, varying) = rate.parts();
    let delay = Time::from_secs(0.010);
    LinkSpec { from: 0, to: 1, rate, varying, delay, queue, loss: None, crossings: 1, stages: Vec::new() }
}

pub const TAIL: &str = r#"{ "kind": "drop-tail", "packets": 1000 }"#;

/// Packets (milliseconds, bytes) come to the link; what happens until `end` seconds. The propagation takes 10 ms.
pub fn drive(spec: &LinkSpec, packets: &[(f64, u32)], end: f64) -> Driven {
    let mut link: Link<Bare> = Link::new(spec, |_| Random::stream(7));
    link.never_book();
    let (mut driven, mut gone, end) = (Driven::default(), Vec::new(), Time::from_secs(end));
    // Packets are told apart by their order: first in, first out.
    let (mut arrivals, mut next_out) = (packets.iter().peekable(), 0_u64);
    loop {
        let due = arrivals.peek().map(|(at, _)| Time::from_secs(at / 1000.0));
        let free = (link.waiting() > 0).then_some(link.until());
        let now = [due, free].into_iter().flatten().min();
        let Some(now) = now.filter(|now| *now <= end) else { break };
        let next = if free == Some(now) {
            link.next_packet(now, &mut gone)
        } else {
            let (_, bytes) = arrivals.next().expect("one is due");
            link.offer(Bare::of(*bytes), link.until() <= now, now, &mut gone)
        };
        driven.removed.extend(gone.drain(..).map(|(packet, reason)| (packet.wire_bytes(), reason)));
        if let Some(packet) = next {
            let served = link.serve(&packet, now);
            assert!(served.ends >= now && served.arrives >= now, "{served:?} at {now}");
            driven.departures.push((next_out, ms(now), ms(served.ends), ms(served.arrives)));
            next_out += 1;
        } else {
            assert!(link.waiting() == 0 || link.until() > now, "the driver would ask at {now} for ever");
        }
    }
    (driven.waiting, driven.utilisation) = (link.waiting(), link.utilisation(0, link.until(), end));
    driven
}

/// When the packets' services ended, in milliseconds.
pub fn ends(spec: &LinkSpec, packets: &[(f64, u32)]) -> Vec<f64> {
    let driven = drive(spec, packets, 10.0);
    assert_eq!((driven.waiting, driven.removed.len()), (0, 0));
    driven.departures.iter().map(|departure| departure.2).collect()
}

/// When they arrived, in milliseconds.
pub fn arrivals(spec: &LinkSpec, packets: &[(f64, u32)]) -> Vec<f64> {
    drive(spec, packets, 10.0).departures.iter().map(|departure| departure.3).collect()
}

/// A rate in bits a second from packets of `bytes` that come faster than they can leave.
pub fn saturated(spec: &LinkSpec, bytes: u32, seconds: f64) -> f64 {
    let spacing = 500.0 * spec.rate.transmission(bytes).secs();
    let packets: Vec<(f64, u32)> =
        (0..(1000.0 * seconds / spacing) as u32).map(|i| (f64::from(i) * spacing, bytes)).collect();
    let driven = drive(spec, &packets, seconds);
    driven.departures.len() as f64 * f64::from(bytes) * 8.0 / seconds
}
