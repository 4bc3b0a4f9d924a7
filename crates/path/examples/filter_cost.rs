//! Nanoseconds an ACK costs in a queue that filters: `filter_cost [ACKs]`, a line a filter and number of connections.
//!
//! A fifth of the ACKs leave, the others are filtered or dropped: what a slow return path does all the time.

use std::time::Instant;

use acklab_packet::{Ack, Body, Packet, Rate, Time};
use acklab_path::queue::{AnyQueue, Queue, Service};
use acklab_path::spec::QueueSpec;

/// What is added to a drop-tail queue of 20,000 packets.
const PARTS: [(&str, &str); 6] = [
    ("none", ""),
    ("static 1", r#", "filter": {"kind": "static", "threshold": 1}"#),
    ("static 1, conservative", r#", "filter": {"kind": "static", "threshold": 1, "conservative": true}"#),
    ("delayed", r#", "filter": {"kind": "delayed"}"#),
    (
        "per connection, round robin",
        r#", "filter": {"kind": "delayed", "per": "connection"}, "drop": "fastest-oldest", "scheduler": "round-robin""#,
    ),
    ("cake", r#", "filter": {"kind": "cake"}"#),
];

/// Nanoseconds an ACK, with so many connections.
fn cost(spec: &QueueSpec, connections: u32, acks: u64) -> f64 {
    let rate = Rate::from_bps(64e6);
    let mut queue: AnyQueue<Packet> = AnyQueue::new(spec, rate, || unreachable!("no queue here draws"));
    let mut removed = Vec::with_capacity(16);
    let mut run = |acks: std::ops::Range<u64>| {
        for i in acks {
            let now = Time::from_secs(1e-6 * i as f64);
            let body = Body::Ack(Ack { ack: i, ..Ack::default() });
            // Connections take turns in an order without a pattern.
            let flow = (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32 % connections;
            let packet = Packet { flow, size: 40, connection: 0, place: 0, body };
            queue.enqueue(packet, Service::Busy(40), now, &mut removed);
            removed.clear();
            if i % 5 == 0 {
                queue.dequeue(now, &mut removed);
            }
        }
    };
    run(0..acks / 10);
    let start = Instant::now();
    run(acks / 10..acks + acks / 10);
    start.elapsed().as_secs_f64() * 1e9 / acks as f64
}

fn main() {
    let acks = std::env::args().nth(1).and_then(|acks| acks.parse().ok()).unwrap_or(2_000_000);
    for (name, parts) in PARTS {
        let text = format!(r#"{{"kind": "drop-tail", "packets": 20000{parts}}}"#);
        let spec: QueueSpec = serde_json::from_str(&text).expect("the queues above are valid");
        for connections in [1, 100, 10_000] {
            println!("{name}\t{connections}\t{:.1}", cost(&spec, connections, acks));
        }
    }
}
