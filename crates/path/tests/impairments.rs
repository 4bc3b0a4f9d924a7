//! Stages that reorder, delay unevenly, duplicate and pause, worked by hand, and what holds for any traffic.

mod far_end;
mod packets;

use acklab_path::stage::Done;
use far_end::{End, Seen, at, number, segment};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Sends ACKs 0, 1, 2 ... `gap` ms apart, from 0 on, and lets everything leave.
fn sent(stages: Value, count: u64, gap: f64) -> End {
    let mut end = End::new(stages);
    (0..count).for_each(|n| end.arrive(n as f64 * gap / 1000.0, number(1, n)));
    end.until(1e6);
    end
}

fn told(stages: Value, count: u64, gap: f64) -> String {
    sent(stages, count, gap).told()
}

#[test]
fn packets_held_back_leave_late_and_others_pass_them() {
    let listed = json!([{ "kind": "reorder", "list": [1, 2, 5], "by": "25ms" }]);
    // What leaves at an instant at which another comes had come earlier, and goes first.
    assert_eq!(told(listed, 7, 10.0), "0:0 30:3 35:1 40:4 45:2 60:6 75:5");
    let exactly = json!([{ "kind": "reorder", "list": [1], "by": "20ms" }]);
    assert_eq!(told(exactly, 5, 10.0), "0:0 20:2 30:1 30:3 40:4");
}

#[test]
fn a_packet_leaves_behind_the_last_that_had_to_overtake_it() {
    let two = json!([{ "kind": "reorder", "list": [1, 2], "by": "1s", "overtaken": 2 }]);
    // Two held at a time are passed by the same packets, and keep their order.
    assert_eq!(told(two.clone(), 6, 10.0), "0:0 30:3 40:4 40:1 40:2 50:5");
    // The last ones wait in vain, for as long as it takes.
    assert_eq!(told(two, 4, 10.0), "0:0 30:3 1010:1 1020:2");
}

#[test]
fn only_what_the_stage_sees_is_counted() {
    let mut end = End::new(json!([{ "kind": "reorder", "list": [1], "by": "5ms", "only": "acks" }]));
    let packets = [number(1, 0), segment(1, 0..1), segment(1, 1..2), number(1, 1), number(1, 2)];
    for (packet, now) in packets.into_iter().zip([0.0, 0.01, 0.02, 0.03, 0.04]) {
        end.arrive(now, packet);
    }
    end.until(1.0);
    assert_eq!(end.told(), "0:0 10:data 20:data 35:1 40:2");
}

#[test]
fn late_packets_are_counted_as_reordered_and_copies_are_not() {
    let reordered = |stages, count, gap| sent(stages, count, gap).chain.done();
    let done = |reordered, duplicated| Done { reordered, duplicated, thinned: 0 };
    let held = json!([{ "kind": "reorder", "list": [1, 2, 5], "by": "25ms" }]);
    assert_eq!(reordered(held.clone(), 7, 10.0), done(3, 0));
    // Nothing passes in so short a time; the last has nobody behind it.
    assert_eq!(reordered(held, 6, 100.0), done(0, 0));
    // 4 is passed by 5 and 6, and its copy by them, too; 5's copy is no late packet.
    let both = json!([{ "kind": "duplicate", "list": [4, 5] }, { "kind": "reorder", "list": [4, 5], "by": "25ms" }]);
    assert_eq!(reordered(both, 8, 10.0), done(1, 2));
    // Copies of both stages count.
    let twice = json!([{ "kind": "duplicate", "list": [0] }, { "kind": "duplicate", "list": [3] }]);
    assert_eq!(reordered(twice, 8, 10.0), done(0, 2));
}

#[test]
fn a_copy_follows_its_packet() {
    let at_once = json!([{ "kind": "duplicate", "list": [0, 2] }]);
    assert_eq!(told(at_once, 4, 10.0), "0:0 0:0* 10:1 20:2 20:2* 30:3");
    let later = json!([{ "kind": "duplicate", "list": [0, 1], "after": "15ms" }]);
    assert_eq!(told(later, 3, 10.0), "0:0 10:1 15:0* 20:2 25:1*");
}

#[test]
fn a_pause_holds_everything_up_to_its_end() {
    let pauses = json!([{ "kind": "pause", "at": ["15ms", "55ms"], "length": "20ms" }]);
    // What comes at its beginning waits, what comes at its end passes.
    assert_eq!(told(pauses.clone(), 5, 10.0), "0:0 10:1 35:2 35:3 40:4");
    assert_eq!(told(pauses, 16, 5.0).split(' ').nth(11), Some("75:11"));
    let edges = json!([{ "kind": "pause", "at": ["10ms"], "length": "20ms" }]);
    assert_eq!(told(edges, 4, 10.0), "0:0 30:1 30:2 30:3");
}

/// The delays of packets `gap` ms apart, in ms, in the order in which they came.
fn delays(stages: Value, gap: f64) -> Vec<f64> {
    let end = sent(stages, 4000, gap);
    let mut delays = vec![0.0; 4000];
    for (time, passing) in &end.left {
        let number = passing.packet.0.ack.expect("an ACK");
        delays[number as usize] = 1000.0 * time - number as f64 * gap;
    }
    delays
}

#[test]
fn jitter_delays_each_packet_by_a_time_of_its_own() {
    for (distribution, longest) in [("uniform", 10.0), ("exponential", 45.0), ("pareto", 350.0)] {
        let stage = json!([{ "kind": "jitter", "distribution": distribution, "mean": "5ms" }]);
        // So far apart that no packet catches another up.
        let alone = delays(stage, 1000.0);
        let mean = alone.iter().sum::<f64>() / 4000.0;
        assert!((mean - 5.0).abs() < 0.5, "{distribution}: mean {mean}");
        let most = alone.iter().copied().fold(0.0, f64::max);
        assert!((0.7 * longest..=1.5 * longest).contains(&most), "{distribution}: most {most}");
    }
    let others = delays(json!([{ "kind": "jitter", "mean": "5ms", "only": "payload" }]), 1000.0);
    assert!(others.iter().all(|delay| delay.abs() < 1e-6), "ACKs pass a stage for payload");
    let cut = delays(json!([{ "kind": "jitter", "distribution": "pareto", "mean": "5ms", "most": "8ms" }]), 1000.0);
    assert!(cut.iter().all(|delay| *delay < 8.000_001) && cut.iter().filter(|delay| **delay > 7.999).count() > 500);
}

#[test]
fn jitter_keeps_the_order_or_leaves_it_free() {
    let stage = |order: &str| json!([{ "kind": "jitter", "mean": "20ms", "order": order }]);
    assert_eq!(sent(stage("kept"), 1000, 1.0).chain.done().reordered, 0);
    assert!(sent(stage("free"), 1000, 1.0).chain.done().reordered > 500);
    // In order, whoever comes behind a late one is as late: the mean is longer than the draws'.
    let waits = |order| delays(stage(order), 1.0).iter().sum::<f64>() / 4000.0;
    assert!((waits("free") - 20.0).abs() < 1.0 && waits("kept") > 30.0);
}

#[test]
fn each_stage_draws_from_a_stream_of_its_own() {
    let reorder = json!({ "kind": "reorder", "rate": 0.2, "by": "7ms" });
    // Another kind draws nothing from this one's.
    let alone = told(json!([reorder]), 200, 10.0);
    assert_eq!(told(json!([{ "kind": "duplicate", "rate": 0.0 }, reorder]), 200, 10.0), alone);
    // A second of its kind does not choose what the first chose: of 2000, 80 are held twice, not 400.
    let held = delays(json!([reorder, reorder]), 100.0);
    let [some, twice] = [1.0, 13.0].map(|least| held[..2000].iter().filter(|delay| **delay > least).count());
    assert!((620..820).contains(&some) && (50..120).contains(&twice), "{some} held, {twice} twice");
}

proptest! {
    /// Whatever arrives, every packet leaves once, and nothing else but copies; a clone does the same.
    #[test]
    fn nothing_is_lost_and_only_duplication_adds(
        which in 0..8_usize,
        steps in proptest::collection::vec((0..3_u64, 0..8_u8, 0..40_u32), 1..120),
    ) {
        let all = [
            json!([{ "kind": "reorder", "rate": 0.3, "by": "30ms" }]),
            json!([{ "kind": "reorder", "rate": 0.3, "by": "300ms", "overtaken": 3, "only": "data" }]),
            json!([{ "kind": "jitter", "mean": "30ms", "order": "free", "distribution": "pareto" }]),
            json!([{ "kind": "jitter", "mean": "30ms", "distribution": "exponential", "only": "acks" }]),
            json!([{ "kind": "duplicate", "rate": 0.3, "after": "20ms" }, { "kind": "reorder", "rate": 0.3, "by": "30ms" }]),
            json!([{ "kind": "pause", "at": ["100ms", "700ms"], "length": "200ms" }, { "kind": "duplicate", "rate": 0.5 }]),
            json!([{ "kind": "gro", "coalesce": "30ms", "frames": 5, "budget": 3 }]),
            json!([{ "kind": "duplicate", "rate": 0.3 }, { "kind": "gro", "coalesce": "5ms", "flush_timeout": "20ms" }]),
        ];
        let mut end = End::new(all[which].clone());
        let mut branch: Option<(End, usize)> = None;
        let (mut now, mut sent) = (0.0, Vec::new());
        for (id, (connection, kind, wait)) in steps.iter().enumerate() {
            now += f64::from(*wait) / 1000.0;
            let id = id as u64;
            let mut packet = if *kind < 4 { segment(*connection, id..id + 1) } else { number(*connection, id) };
            packet.0.id = id;
            sent.push(packet.clone());
            end.arrive(now, packet.clone());
            if let Some((copy, from)) = &mut branch {
                copy.arrive(now, packet);
                prop_assert_eq!(&end.left[*from..], &copy.left[..]);
            } else if sent.len() == steps.len() / 2 {
                branch = Some((End { chain: end.chain.clone(), left: Vec::new() }, end.left.len()));
            }
        }
        end.until(now + 1e6);
        prop_assert_eq!(end.chain.next(), None);
        prop_assert!(end.left.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        let mut own: Vec<&Seen> = end.left.iter().filter(|(_, p)| !p.made).map(|(_, p)| &p.packet).collect();
        let late = (0..own.len()).filter(|&k| own[..k].iter().any(|earlier| earlier.0.id > own[k].0.id)).count() as u64;
        own.sort_by_key(|packet| packet.0.id);
        prop_assert_eq!(own, sent.iter().collect::<Vec<_>>());
        let copies: Vec<&Seen> = end.left.iter().filter(|(_, p)| p.made).map(|(_, p)| &p.packet).collect();
        prop_assert!(copies.iter().all(|copy| sent.contains(copy)));
        prop_assert_eq!(end.chain.done(), Done { reordered: late, duplicated: copies.len() as u64, thinned: 0 });
        prop_assert!(end.left.iter().all(|(left, _)| at(*left) < at(1e6)));
    }
}
