//! An ACK filter in every discipline that takes one: whose packets are conserved, what is erased, and when nothing is.

mod packets;

use std::collections::BTreeMap;

use acklab_packet::{Rate, Time};
use acklab_path::queue::{AnyQueue, Queue, Removal, Service};
use acklab_path::random::Random;
use acklab_path::spec::QueueSpec;
use packets::{Tcp, ack, data};
use proptest::prelude::*;
use serde_json::{Value, json};

/// An ACK of 40 bytes takes 1.6 ms.
const RATE: Rate = Rate::from_bps(2e5);
const ACK_MS: f64 = 1.6;

/// Every discipline but CAKE, which has a filter of its own, and a program's, with its defaults.
fn disciplines() -> Vec<Value> {
    vec![
        json!({ "kind": "drop-tail" }),
        json!({ "kind": "red" }),
        json!({ "kind": "red", "scheduler": "round-robin" }),
        json!({ "kind": "codel" }),
        json!({ "kind": "fq-codel" }),
        json!({ "kind": "pie" }),
        json!({ "kind": "docsis-pie", "buffer": "20kB" }),
        json!({ "kind": "dual-pi2" }),
        json!({ "kind": "fq-pie" }),
        json!({ "kind": "cobalt" }),
        json!({ "kind": "fq-cobalt" }),
        json!({ "kind": "policer", "mean": "1Gbps", "burst": "100kB" }),
    ]
}

fn filters() -> Vec<Value> {
    vec![
        json!({ "kind": "static", "threshold": 1 }),
        json!({ "kind": "static", "threshold": 1, "place": "slot" }),
        json!({ "kind": "static", "threshold": 2, "conservative": true }),
        json!({ "kind": "static", "threshold": 2, "room_first": true }),
        json!({ "kind": "delayed", "share": 0.05 }),
        json!({ "kind": "delayed", "per": "connection", "share": 0.05 }),
        json!({ "kind": "cake" }),
        json!({ "kind": "cake", "aggressive": true }),
    ]
}

fn queue(discipline: &Value, filter: Option<&Value>) -> AnyQueue<Tcp> {
    let mut spec = discipline.clone();
    if let Some(filter) = filter {
        spec["filter"] = filter.clone();
    }
    let spec: QueueSpec = serde_json::from_value(spec).expect("a queue");
    AnyQueue::new(&spec, RATE, || Random::stream(5))
}

fn ms(ms: f64) -> Time {
    Time::from_secs(ms / 1e3)
}

/// How many of each fate: served, and removed by reason.
fn fates(served: usize, removed: &[(Tcp, Removal)]) -> (usize, usize, usize) {
    let filtered = removed.iter().filter(|(_, why)| *why == Removal::Filtered).count();
    (served, filtered, removed.len() - filtered)
}

/// ACKs of one connection come twice as fast as they leave. Half of them are erased, none is dropped, and few wait. Without a filter as
/// many wait as come too fast, or are dropped..
#[test]
fn a_queue_of_acks_alone_is_halved() {
    for discipline in disciplines() {
        let run = |filter: Option<&Value>| {
            let (mut queue, mut removed, mut served) = (queue(&discipline, filter), Vec::new(), 0);
            for number in 0..4000_u64 {
                let now = ms(number as f64 * ACK_MS / 2.0);
                queue.enqueue(Tcp { id: number, ..ack(1, number) }, Service::Busy(40), now, &mut removed);
                if number % 2 == 1 {
                    served += usize::from(queue.dequeue(now, &mut removed).is_some());
                }
            }
            let fates = fates(served, &removed);
            assert_eq!(fates.0 + fates.1 + fates.2 + queue.len(), 4000, "{discipline}");
            (fates, queue.len())
        };
        let ((served, filtered, dropped), waiting) = run(None);
        assert_eq!(filtered, 0);
        assert!(served <= 2000 && dropped + waiting >= 1990, "{discipline}: {dropped} dropped, {waiting} wait");
        for filter in filters() {
            let ((served, filtered, dropped), waiting) = run(Some(&filter));
            let late = if filter["kind"] == "delayed" { 40 } else { 8 };
            assert!(served == 2000 && dropped == 0, "{discipline} {filter}: {served} served, {dropped} dropped");
            assert!(filtered >= 2000 - late && waiting <= late, "{discipline} {filter}: {filtered}, {waiting} wait");
        }
    }
}

/// What arrives: a connection, whether its receiver's number advances, and whether it is data.
type Step = (u64, bool, bool, bool);

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever a discipline drops besides, each packet leaves once, and a filter takes only ACKs behind which a newer one was taken in.
    #[test]
    fn packets_are_conserved(steps in prop::collection::vec((0_u64..3, any::<bool>(), prop::bool::weighted(0.3), any::<bool>()), 1..300)) {
        for discipline in disciplines() {
            for filter in filters() {
                conserves(&discipline, &filter, &steps)
                    .map_err(|error| TestCaseError::fail(format!("{discipline} {filter}: {error}")))?;
            }
        }
    }
}

fn conserves(discipline: &Value, filter: &Value, steps: &[Step]) -> Result<(), TestCaseError> {
    let (mut queue, mut removed, mut left) = (queue(discipline, Some(filter)), Vec::new(), Vec::new());
    let (mut numbers, mut bytes) = ([1_u64; 3], 0_u64);
    for (id, &(connection, advances, is_data, serves)) in steps.iter().enumerate() {
        let (now, number) = (ms(3.0 * id as f64), &mut numbers[connection as usize]);
        *number += u64::from(advances);
        let packet = if is_data { data(connection, 0) } else { ack(connection, *number) };
        bytes += u64::from(packet.size);
        let before = removed.len();
        queue.enqueue(Tcp { id: id as u64, ..packet }, Service::Busy(40), now, &mut removed);
        let arrival_refused = removed[before..].iter().any(|(packet, _)| packet.id == id as u64);
        let erased = removed[before..].iter().filter(|(_, why)| *why == Removal::Filtered);
        for (packet, _) in erased {
            prop_assert!(packet.ack.is_some() && packet.connection == connection && packet.ack <= Some(*number));
            prop_assert!(!arrival_refused, "an arrival that was refused erased an ACK");
        }
        if serves {
            left.extend(queue.dequeue(now, &mut removed));
        }
    }
    left.extend(std::iter::from_fn(|| queue.dequeue(ms(4000.0), &mut removed)));
    prop_assert_eq!((queue.len(), queue.bytes()), (0, 0));
    let mut count = BTreeMap::new();
    left.iter()
        .chain(removed.iter().map(|(packet, _)| packet))
        .for_each(|packet| *count.entry(packet.id).or_insert(0) += 1);
    prop_assert_eq!(count, (0..steps.len() as u64).map(|id| (id, 1)).collect::<BTreeMap<_, _>>());
    let out: u64 =
        left.iter().chain(removed.iter().map(|(packet, _)| packet)).map(|packet| u64::from(packet.size)).sum();
    prop_assert_eq!(out, bytes);
    Ok(())
}

/// RED with an average of the present length: from 1,200 bytes on everything is dropped. An ACK that is dropped leaves the one before it.
#[test]
fn an_ack_that_is_dropped_early_erases_nothing() {
    let red = json!({
        "kind": "red", "count_bytes": true, "mean_packet": "40B", "packets": 1000, "min": 1.0, "max": 30.0, "weight": 1.0, "max_p": 1e-9,
    });
    let (mut queue, mut removed) = (queue(&red, Some(&json!({ "kind": "static", "threshold": 1 }))), Vec::new());
    for packet in [ack(1, 10), data(2, 1), ack(1, 11), data(2, 2), ack(1, 12)] {
        queue.enqueue(packet, Service::Busy(40), Time::ZERO, &mut removed);
    }
    // The second finds 1,000 bytes besides the first, the third 2,000 besides the second.
    let gone: Vec<_> = removed.iter().map(|(packet, why)| (packet.ack, *why)).collect();
    assert_eq!(gone, [(Some(10), Removal::Filtered), (Some(12), Removal::Early)]);
}

/// The low latency queue leaves first. An ACK there erases none that waits in the other one, and none there erases it.
#[test]
fn each_queue_of_two_is_filtered_by_itself() {
    let dual = json!({ "kind": "dual-pi2" });
    let (mut queue, mut removed) = (queue(&dual, Some(&json!({ "kind": "static", "threshold": 1 }))), Vec::new());
    let low = |number| Tcp { congestion: 4, ..ack(1, number) };
    for packet in [ack(1, 10), low(11), ack(1, 12), low(13)] {
        queue.enqueue(packet, Service::Busy(40), Time::ZERO, &mut removed);
    }
    let gone: Vec<_> = removed.iter().map(|(packet, _)| packet.ack).collect();
    assert_eq!(gone, [Some(10), Some(11)]);
    let left: Vec<_> =
        std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut removed)).map(|packet| packet.ack).collect();
    assert_eq!(left, [Some(13), Some(12)]);
}
