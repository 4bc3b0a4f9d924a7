//! What filters keep, over any traffic; and that those that may destroy something do.

mod packets;

use std::collections::{BTreeMap, BTreeSet};

use acklab_packet::{Rate, Time};
use acklab_path::ack_filter::{AckFilter, AnyFilter, Destroys, FilterSpec};
use acklab_path::queue::{AnyQueue, Queue, Removal, Service};
use acklab_path::random::Random;
use acklab_path::spec::QueueSpec;
use packets::{Tcp, ack, data};
use proptest::prelude::*;
use serde_json::json;

const RATE: Rate = Rate::from_bps(1e5);

fn filter(text: &str) -> FilterSpec {
    serde_json::from_str(text).expect("a filter")
}

/// Filters that may destroy nothing a sender acts on.
fn conservative() -> Vec<FilterSpec> {
    [
        r#"{"kind": "static", "threshold": 1, "conservative": true}"#,
        r#"{"kind": "static", "threshold": 4, "conservative": true}"#,
        r#"{"kind": "static", "threshold": 1, "conservative": true, "older": "number"}"#,
        r#"{"kind": "delayed", "share": 0.01, "conservative": true}"#,
        r#"{"kind": "delayed", "per": "connection", "share": 0.01, "conservative": true}"#,
        r#"{"kind": "delayed", "rate": "presence", "share": 0.05, "release": 0.01, "conservative": true}"#,
        r#"{"kind": "cake"}"#,
        r#"{"kind": "cake", "aggressive": true}"#,
    ]
    .map(filter)
    .into()
}

fn destroys(spec: &FilterSpec) -> Destroys {
    AckFilter::<Tcp>::may_destroy(&AnyFilter::new(spec, RATE))
}

/// What happens at the queue next.
#[derive(Clone, Debug)]
enum Step {
    /// A packet of that connection arrives: how far its receiver's number advances, and what else it says.
    Arrive { connection: u64, advance: u64, kind: u8, blocks: Vec<(u64, u64)>, stamp: bool, congestion: u8 },
    /// The link takes a packet.
    Serve,
}

fn step() -> impl Strategy<Value = Step> {
    let advance = prop_oneof![3 => Just(0_u64), 4 => 1_u64..4];
    let blocks = prop_oneof![3 => Just(Vec::new()), 2 => prop::collection::vec((0_u64..6, 1_u64..4), 1..4)];
    let congestion = prop_oneof![9 => Just(0_u8), 1 => 1_u8..4];
    let arrive = (0_u64..3, advance, 0_u8..20, blocks, any::<bool>(), congestion).prop_map(
        |(connection, advance, kind, blocks, stamp, congestion)| Step::Arrive {
            connection,
            advance,
            kind,
            blocks,
            stamp,
            congestion,
        },
    );
    prop_oneof![4 => arrive, 1 => Just(Step::Serve)]
}

/// The packets that arrive, in order; a receiver's numbers, blocks and timestamps move as a receiver's do.
fn traffic(steps: &[Step]) -> Vec<Option<Tcp>> {
    let (mut numbers, mut id, mut clock) = ([10_u64; 3], 0, 0);
    let mut tell = |step: &Step| {
        let Step::Arrive { connection, advance, kind, blocks, stamp, congestion } = step else { return None };
        id += 1;
        let number = &mut numbers[*connection as usize];
        *number += advance;
        clock += u64::from(*stamp);
        let sack = blocks.iter().map(|(from, len)| (*number + 1 + 3 * from, *number + 1 + 3 * from + len)).collect();
        let plain = Tcp { sack, stamps: (clock, clock / 2), congestion: *congestion, id, ..ack(*connection, *number) };
        Some(match kind {
            0 => Tcp { congestion: *congestion, ..data(*connection, id) },
            1 => Tcp { unknown_options: true, ..plain },
            // A duplicate segment arrived: its block lies below the number (RFC 2883).
            2 => Tcp { sack: vec![(*number - 4, *number - 3)], ..plain },
            _ => plain,
        })
    };
    steps.iter().map(&mut tell).collect()
}

/// Disciplines that take a filter, so that they drop nothing themselves.
fn disciplines() -> Vec<serde_json::Value> {
    vec![
        json!({ "kind": "drop-tail", "waiting": 1 << 20 }),
        json!({ "kind": "drop-tail", "waiting": 1 << 20, "scheduler": "round-robin" }),
        json!({ "kind": "red", "packets": 1 << 20, "min": 1e6, "max": 1e6 }),
        json!({ "kind": "red", "packets": 1 << 20, "min": 1e6, "max": 1e6, "scheduler": "round-robin" }),
        json!({ "kind": "codel", "packets": 1 << 20, "target": "100s", "interval": "100s" }),
        json!({ "kind": "fq-codel", "flows": 2, "target": "100s", "interval": "100s" }),
        json!({ "kind": "pie", "packets": 1 << 20, "target": "100s" }),
        json!({ "kind": "docsis-pie", "buffer": "1GB", "target": "100s" }),
        json!({ "kind": "dual-pi2", "target": "100s" }),
        json!({ "kind": "fq-pie", "flows": 2, "target": "100s" }),
        json!({ "kind": "cobalt", "packets": 1 << 20, "target": "100s", "interval": "100s" }),
        json!({ "kind": "fq-cobalt", "flows": 2, "target": "100s", "interval": "100s" }),
        json!({ "kind": "policer", "mean": "1Gbps", "burst": "1GB", "packets": 1 << 20 }),
    ]
}

/// A discipline with a filter before the link.
fn filtered(discipline: &serde_json::Value, filter: &FilterSpec) -> AnyQueue<Tcp> {
    let mut spec = discipline.clone();
    spec["filter"] = json!(filter);
    let spec: QueueSpec = serde_json::from_value(spec).expect("a queue");
    AnyQueue::new(&spec, RATE, || Random::stream(1))
}

/// What leaves a drop-tail queue, and what the filter erased.
fn pass(spec: &FilterSpec, arrivals: &[Option<Tcp>]) -> (Vec<Tcp>, Vec<Tcp>) {
    through(filtered(&disciplines()[0], spec), arrivals)
}

/// What leaves this queue, and what its filter erased.
fn through(mut queue: AnyQueue<Tcp>, arrivals: &[Option<Tcp>]) -> (Vec<Tcp>, Vec<Tcp>) {
    let (mut left, mut removed) = (Vec::new(), Vec::new());
    for (i, arrival) in arrivals.iter().enumerate() {
        let now = Time::from_secs(0.002 * i as f64);
        match arrival {
            Some(packet) => queue.enqueue(packet.clone(), Service::Busy(40), now, &mut removed),
            None => left.extend(queue.dequeue(now, &mut removed)),
        }
    }
    left.extend(std::iter::from_fn(|| queue.dequeue(Time::from_secs(60.0), &mut removed)));
    assert_eq!((queue.len(), queue.bytes()), (0, 0));
    assert!(removed.iter().all(|(_, why)| *why == Removal::Filtered));
    (left, removed.into_iter().map(|(packet, _)| packet).collect())
}

fn of(packets: &[Tcp], connection: u64) -> Vec<&Tcp> {
    packets.iter().filter(|packet| packet.connection == connection).collect()
}

/// Units that the blocks of these packets cover, above the highest number.
fn covered(packets: &[&Tcp], above: u64) -> BTreeSet<u64> {
    let blocks = packets.iter().flat_map(|packet| &packet.sack);
    blocks.flat_map(|&(start, end)| start..end).filter(|&unit| unit >= above).collect()
}

/// What is said about congestion, each change once.
fn changes(packets: &[&Tcp]) -> Vec<u8> {
    let mut said: Vec<u8> = packets.iter().map(|packet| packet.congestion).collect();
    said.dedup();
    said
}

/// How often each number is told, of those told more than once.
fn duplicates(packets: &[&Tcp]) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for packet in packets {
        *counts.entry(packet.ack.unwrap_or(0)).or_insert(0) += 1;
    }
    counts.retain(|_, count| *count > 1);
    counts
}

/// Nothing is lost to a connection between what arrived and what left.
fn keeps_everything(sent: &[&Tcp], left: &[&Tcp], counts_fall: bool) -> Result<(), TestCaseError> {
    let newest = |packets: &[&Tcp]| packets.iter().filter_map(|packet| packet.ack).max();
    prop_assert_eq!(newest(sent), newest(left), "the newest number");
    prop_assert_eq!(sent.last(), left.last(), "the newest packet");
    let untouched = |packets: &[&Tcp]| -> Vec<u64> {
        packets.iter().filter(|packet| packet.ack.is_none() || packet.unknown_options).map(|packet| packet.id).collect()
    };
    prop_assert_eq!(untouched(sent), untouched(left), "data, and options nobody knows");
    let mut order = left.iter().map(|packet| packet.id);
    prop_assert!(sent.iter().filter(|packet| left.contains(packet)).all(|packet| order.next() == Some(packet.id)));
    let above = newest(sent).unwrap_or(0);
    prop_assert_eq!(covered(sent, above), covered(left, above), "SACK news");
    let repeats = |packets: &[&Tcp]| -> Vec<u64> {
        let below = |packet: &&&Tcp| packet.sack.iter().any(|block| Some(block.0) < packet.ack);
        packets.iter().filter(below).map(|packet| packet.id).collect()
    };
    prop_assert_eq!(repeats(sent), repeats(left), "reports of duplicates");
    prop_assert_eq!(changes(sent), changes(left), "changes of the ECN echo");
    let stamps =
        |packets: &[&Tcp]| packets.iter().filter(|packet| packet.ack.is_some()).map(|packet| packet.stamps).max();
    prop_assert_eq!(stamps(sent), stamps(left), "the newest timestamp");
    if counts_fall {
        // A sender that reads SACK counts what is covered; one that does not needs those of the newest number.
        let of_newest = |mut counts: BTreeMap<u64, usize>| counts.remove(&above);
        if sent.iter().filter(|packet| packet.ack == Some(above)).all(|packet| packet.sack.is_empty()) {
            prop_assert_eq!(of_newest(duplicates(sent)), of_newest(duplicates(left)), "bare duplicates");
        }
    } else {
        prop_assert_eq!(duplicates(sent), duplicates(left), "duplicates");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_conservative_filter_loses_nothing(steps in prop::collection::vec(step(), 1..150), kind in 0..disciplines().len()) {
        let arrivals = traffic(&steps);
        let sent: Vec<Tcp> = arrivals.iter().flatten().cloned().collect();
        let discipline = &disciplines()[kind];
        for spec in conservative() {
            prop_assert!(destroys(&spec).nothing());
            let (left, filtered) = through(filtered(discipline, &spec), &arrivals);
            prop_assert_eq!(left.len() + filtered.len(), sent.len());
            for connection in 0..3 {
                let (sent, left) = (of(&sent, connection), of(&left, connection));
                keeps_everything(&sent, &left, destroys(&spec).duplicate_counts)
                    .map_err(|error| TestCaseError::fail(format!("{discipline} {spec:?}: {error}")))?;
            }
        }
    }

    #[test]
    fn no_filter_touches_anything_but_plain_acks_or_loses_the_newest(steps in prop::collection::vec(step(), 1..150)) {
        let arrivals = traffic(&steps);
        let sent: Vec<Tcp> = arrivals.iter().flatten().cloned().collect();
        let ruthless = [
            r#"{"kind": "static", "threshold": 1}"#,
            r#"{"kind": "static", "threshold": 3}"#,
            r#"{"kind": "static", "threshold": 1, "older": "number"}"#,
            r#"{"kind": "delayed", "share": 0.01}"#,
        ];
        for spec in ruthless.map(filter) {
            let (left, filtered) = pass(&spec, &arrivals);
            prop_assert!(filtered.iter().all(|packet| packet.ack.is_some()));
            for connection in 0..3 {
                let newest = |packets: &[Tcp]| of(packets, connection).last().map(|packet| packet.id);
                prop_assert_eq!(newest(&sent), newest(&left), "{:?}", spec);
            }
        }
    }
}

/// Conservative filters do filter: of plain growing ACKs one, or two, or a threshold of them is left.
#[test]
fn conservative_filters_erase_what_says_nothing() {
    let arrivals: Vec<_> = (0..40).map(|number| Some(ack(1, number))).collect();
    let left: Vec<usize> = conservative().iter().map(|spec| pass(spec, &arrivals).0.len()).collect();
    assert_eq!(left[..3], [1, 4, 1]);
    assert_eq!(left[6..], [2, 1]);
}

/// The papers' rules cost what their type says they may.
#[test]
fn the_papers_filters_do_destroy_what_they_say() {
    let erased = |text: &str, packets: &[Tcp]| {
        let arrivals: Vec<_> = packets.iter().cloned().map(Some).collect();
        pass(&filter(text), &arrivals).1.len()
    };
    let (classic, number) =
        (r#"{"kind": "static", "threshold": 1}"#, r#"{"kind": "static", "threshold": 1, "older": "number"}"#);
    for text in [classic, r#"{"kind": "delayed"}"#] {
        assert_eq!(destroys(&filter(text)), Destroys::NEWS);
    }
    assert_eq!(destroys(&filter(number)), Destroys { duplicates: false, ..Destroys::NEWS });
    let same = [ack(1, 5), ack(1, 5), ack(1, 5), ack(1, 5)];
    assert_eq!((erased(classic, &same), erased(number, &same)), (3, 0), "duplicates");
    let later = |changed: Tcp| [changed, ack(1, 6)];
    for news in [
        Tcp { sack: vec![(7, 9)], ..ack(1, 5) },
        Tcp { congestion: 1, ..ack(1, 5) },
        Tcp { unknown_options: true, ..ack(1, 5) },
        Tcp { stamps: (9, 9), ..ack(1, 5) },
    ] {
        assert_eq!((erased(classic, &later(news.clone())), erased(number, &later(news))), (1, 1));
    }
}
