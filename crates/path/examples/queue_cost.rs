//! Nanoseconds a packet costs in a queue: `queue_cost [packets [queue [connections]]]`, a line a queue and number of connections.
//!
//! About a hundred packets wait, and each arrival is followed by a departure.

use std::time::Instant;

use acklab_packet::{Body, Packet, Rate, Segment, Time};
use acklab_path::queue::{AnyQueue, Queue, Service};
use acklab_path::random::Random;
use acklab_path::spec::QueueSpec;

/// Nanoseconds a packet, with so many connections.
fn cost(spec: &QueueSpec, connections: u32, packets: u64) -> f64 {
    let mut queue: AnyQueue<Packet> = AnyQueue::new(spec, Rate::from_bps(12e9), || Random::stream(0));
    let mut removed = Vec::with_capacity(16);
    let mut run = |packets: std::ops::Range<u64>| {
        for i in packets {
            let now = Time::from_secs(1e-6 * i as f64);
            let flow = (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32 % connections;
            let body = Body::Data(Segment { seq: i, len: 1, ..Segment::default() });
            queue.enqueue(
                Packet { flow, size: 1500, connection: 0, place: 0, body },
                Service::Busy(1500),
                now,
                &mut removed,
            );
            if i >= 100 {
                queue.dequeue(now, &mut removed);
            }
            removed.clear();
        }
    };
    run(0..packets / 10);
    let start = Instant::now();
    run(packets / 10..packets + packets / 10);
    start.elapsed().as_secs_f64() * 1e9 / packets as f64
}

fn main() {
    let mut words = std::env::args().skip(1);
    let packets = words.next().and_then(|packets| packets.parse().ok()).unwrap_or(2_000_000);
    let (only, connections) = (words.next(), words.next().and_then(|number| number.parse().ok()));
    let kinds = ["drop-tail", "red", "codel", "fq-codel", "pie", "dual-pi2", "fq-pie", "cobalt", "fq-cobalt", "cake"];
    for kind in kinds.into_iter().filter(|kind| only.as_ref().is_none_or(|only| only == kind)) {
        let spec = serde_json::from_value(serde_json::json!({ "kind": kind })).expect("a queue");
        for connections in connections.map_or(vec![1, 1000], |number| vec![number]) {
            println!("{kind:10} {connections:5} {:7.1} ns", cost(&spec, connections, packets));
        }
    }
}
