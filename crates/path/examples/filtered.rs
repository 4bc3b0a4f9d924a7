//! A slow return path: how long ACKs wait in its queue, with an ACK filter and without. `filtered [ACKs a second]`.

use acklab_packet::{Ack, Body, Packet, Rate, Time};
use acklab_path::direction::Direction;
use acklab_path::random::Random;
use acklab_path::spec::{LinkSpec, QueueSpec};

/// ACKs that pass in a second, and the mean number that wait. The link carries 100 kb/s, 312.5 ACKs of 40 bytes a second.
fn pass(queue: &str, acks_a_second: u64) -> (u64, f64) {
    let queue: QueueSpec = serde_json::from_str(queue).expect("both queues are valid");
    let (rate, delay) = (Rate::from_bps(1e5), Time::from_secs(0.01));
    let spec =
        LinkSpec { from: 0, to: 1, rate, delay, varying: None, queue, loss: None, crossings: 1, stages: Vec::new() };
    let mut link: Direction<Packet> = Direction::new(&spec, |component| Random::named(1, component));
    let (mut gone, mut passed) = (Vec::new(), 0);
    for ack in 0..acks_a_second {
        let now = Time::from_secs(ack as f64 / acks_a_second as f64);
        let body = Body::Ack(Ack { ack, ..Ack::default() });
        link.offer(Packet { flow: 0, size: 40, connection: 0, place: 0, body }, now, &mut gone);
        while link.arrival(now).is_some() {
            passed += 1;
        }
    }
    (passed, link.mean_queue(Time::from_secs(1.0)))
}

const PLAIN: &str = r#"{"kind": "drop-tail", "packets": 50}"#;
const FILTERED: &str = r#"{"kind": "drop-tail", "packets": 50, "filter": {"kind": "static", "threshold": 1}}"#;

fn main() {
    let acks = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    for (name, queue) in [("plain", PLAIN), ("filtered", FILTERED)] {
        let (passed, waiting) = pass(queue, acks);
        println!("{name:9} {passed} of {acks} ACKs arrive within a second, {waiting:.1} wait");
    }
}

#[test]
fn a_filter_keeps_the_queue_short() {
    let [(plain, long), (filtered, short)] = [pass(PLAIN, 1000), pass(FILTERED, 1000)];
    // 10 ms of delay, so 990 ms of services of 3.2 ms: 309.
    assert!((300..=310).contains(&plain) && (300..=310).contains(&filtered), "{plain} {filtered}");
    assert!(long > 40.0 && short <= 1.0, "{long} {short}");
}
