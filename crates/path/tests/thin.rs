//! ACK thinning, worked by hand, and what it keeps, whatever arrives.

mod far_end;
mod packets;

use std::collections::BTreeMap;

use acklab_path::Carried;
use far_end::{End, Seen, number, segment};
use packets::{Tcp, ack};
use proptest::prelude::*;
use serde_json::json;

fn thin(every: u32, hold: &str) -> End {
    End::new(json!([{ "kind": "thin", "every": every, "hold": hold }]))
}

fn says(change: impl FnOnce(&mut Tcp), number: u64) -> Seen {
    let mut packet = ack(1, number);
    change(&mut packet);
    Seen(packet, None)
}

/// What leaves when these arrive, each at its millisecond.
fn passed(mut end: End, arrivals: impl IntoIterator<Item = (u32, Seen)>) -> String {
    for (at, packet) in arrivals {
        end.arrive(f64::from(at) / 1000.0, packet);
    }
    end.until(10.0);
    assert_eq!(end.chain.held(), 0);
    end.told()
}

#[test]
fn every_third_passes_and_the_last_of_a_burst_after_the_hold() {
    let acks = [(0, 10), (1, 12), (2, 14), (3, 16), (4, 18), (5, 20), (6, 22), (7, 24), (40, 26)];
    let told = passed(thin(3, "10ms"), acks.map(|(at, n)| (at, number(1, n))));
    // The first passes; a newer one takes the place of the one held back; 24 waits from 7 to 17, 26 from 40 to 50.
    assert_eq!(told, "0:10 2:12- 3:14- 3:16 5:18- 6:20- 6:22 17:24 50:26");
}

#[test]
fn the_hold_counts_from_the_first_that_was_held_back() {
    let acks = [(0, 10), (1, 12), (6, 14), (10, 16), (12, 18)];
    let told = passed(thin(100, "10ms"), acks.map(|(at, n)| (at, number(1, n))));
    // 12 came at 1: what it tells is out at 11, with 16.
    assert_eq!(told, "0:10 6:12- 10:14- 11:16 22:18");
}

#[test]
fn connections_are_counted_apart() {
    let acks = [(0, 1, 10), (0, 2, 70), (1, 1, 12), (2, 2, 72), (3, 1, 14), (4, 2, 74)];
    let told = passed(thin(2, "50ms"), acks.map(|(at, connection, n)| (at, number(connection, n))));
    assert_eq!(told, "0:10 0:70 3:12- 3:14 4:72- 4:74");
}

#[test]
fn a_duplicate_passes_behind_what_it_repeats() {
    let acks = [(0, 10), (1, 12), (2, 12), (3, 12), (4, 11), (5, 14)];
    let told = passed(thin(9, "50ms"), acks.map(|(at, n)| (at, number(1, n))));
    assert_eq!(told, "0:10 2:12 2:12 3:12 4:11 55:14");
}

#[test]
fn new_blocks_pass_and_known_ones_do_not() {
    let with = |number, blocks: &[(u64, u64)]| says(|packet| packet.sack = blocks.to_vec(), number);
    let told = passed(
        thin(9, "50ms"),
        [
            (0, with(10, &[])),
            // A block that is new, one that has grown, one that is known, and one that reports a duplicate (RFC 2883).
            (1, with(12, &[(20, 22)])),
            (2, with(13, &[(20, 23)])),
            (3, with(14, &[(20, 23)])),
            (4, with(15, &[(11, 12), (20, 23)])),
            (5, with(30, &[])),
        ],
    );
    assert_eq!(told, "0:10 1:12 2:13 4:14- 4:15 55:30");
}

#[test]
fn a_block_that_the_next_ack_leaves_out_is_not_removed() {
    let with = |number, blocks: &[(u64, u64)]| says(|packet| packet.sack = blocks.to_vec(), number);
    let told = passed(
        thin(9, "50ms"),
        [(0, with(10, &[(20, 22)])), (1, with(12, &[(20, 22)])), (2, with(14, &[])), (3, with(22, &[]))],
    );
    // 14 leaves out what 12 told, so that 12 goes before it.
    assert_eq!(told, "0:10 2:12 3:14- 52:22");
}

#[test]
fn changes_of_congestion_pass_on_both_sides() {
    for bit in [1, 2, 4] {
        let marked = |number| says(|packet| packet.congestion = bit, number);
        let told = passed(
            thin(9, "50ms"),
            [
                (0, number(1, 10)),
                (1, number(1, 12)),
                (2, marked(14)),
                (3, marked(16)),
                (4, marked(18)),
                (5, number(1, 20)),
            ],
        );
        assert_eq!(told, "0:10 2:12 2:14 4:16- 5:18 5:20", "bit {bit}");
    }
}

#[test]
fn unknown_options_and_segments_pass_in_order() {
    let option = says(|packet| packet.unknown_options = true, 14);
    let told = passed(
        thin(9, "50ms"),
        [
            (0, number(1, 10)),
            (1, number(1, 12)),
            (2, option),
            (3, number(1, 16)),
            (4, segment(1, 0..1)),
            (5, segment(2, 0..1)),
        ],
    );
    assert_eq!(told, "0:10 2:12- 2:14 4:16 4:data 5:data");
}

#[test]
fn an_older_timestamp_removes_nothing() {
    let stamped = |number, stamp| says(|packet| packet.stamps = (stamp, stamp), number);
    let told =
        passed(thin(9, "50ms"), [(0, stamped(10, 5)), (1, stamped(12, 7)), (2, stamped(14, 6)), (3, stamped(16, 8))]);
    assert_eq!(told, "0:10 2:12 3:14- 52:16");
}

/// A packet's connection, how far the number advances, what it says besides, and the milliseconds since the one before.
fn arrival() -> impl Strategy<Value = (u64, u64, u8, u32)> {
    (0..3_u64, prop_oneof![1 => Just(0_u64), 4 => 1..5_u64], 0..16_u8, prop_oneof![3 => 0..3_u32, 1 => 0..60_u32])
}

proptest! {
    /// Each packet leaves once, in its connection's order, or is removed. What tells more than a higher number leaves at once.
    /// A number is out, itself or under a higher one, when `hold` has passed.
    #[test]
    fn nothing_protected_is_removed_and_no_number_waits_longer_than_the_hold(
        every in 2..7_u32,
        steps in proptest::collection::vec(arrival(), 1..150),
    ) {
        let hold = 0.02;
        let mut end = thin(every, "20ms");
        let (mut now, mut newest, mut last) = (0.0, [10_u64; 3], BTreeMap::new());
        let mut sent = Vec::new();
        for (id, (connection, advance, kind, wait)) in (0..).zip(&steps) {
            now += f64::from(*wait) / 1000.0;
            let known = &mut newest[*connection as usize];
            *known += advance;
            let mut packet = Seen(Tcp { id, ..ack(*connection, *known) }, None);
            match kind {
                0 => packet.0.congestion = 1,
                1 => packet.0.unknown_options = true,
                2 => packet.0.sack = vec![(*known + 3, *known + 4)],
                3 => packet.0.sack = vec![(*known - 5, *known - 4)],
                4 => packet = Seen(Tcp { id, ..segment(*connection, id..id + 1).0 }, Some(id..id + 1)),
                _ => {}
            }
            let plain = packet.0.ack.is_some();
            let before = if plain { last.insert(*connection, (*known, packet.0.congestion)) } else { None };
            let free =
                (*kind == 0 || *kind > 4) && before.is_some_and(|(told, marks)| *known > told && marks == packet.0.congestion);
            sent.push((now, packet.clone(), free));
            end.arrive(now, packet);
        }
        end.until(now + 1e6);
        prop_assert_eq!((end.chain.held(), end.chain.next()), (0, None));
        let of = |id: u64| end.left.iter().filter(move |(_, passing)| passing.packet.0.id == id);
        let thinned = end.left.iter().filter(|(_, passing)| passing.removed).count() as u64;
        prop_assert_eq!(end.chain.done().thinned, thinned);
        for (came, packet, free) in &sent {
            let [(left, passing)] = of(packet.0.id).collect::<Vec<_>>()[..] else {
                return Err(TestCaseError::fail("not once"));
            };
            prop_assert_eq!(&passing.packet, packet);
            prop_assert!(*free || (!passing.removed && left == came), "{packet:?}");
            let tells = |passing: &Seen| {
                passing.connection() == packet.connection() && passing.plain_ack() >= packet.plain_ack()
            };
            let out = end.left.iter().find(|(_, passing)| !passing.removed && tells(&passing.packet));
            prop_assert!(out.is_some_and(|(out, _)| *out <= came + hold + 1e-9), "{packet:?}");
        }
        for connection in 0..3 {
            let mine = end.left.iter().filter(|(_, passing)| passing.packet.connection() == connection);
            let ids: Vec<u64> = mine.clone().map(|(_, passing)| passing.packet.0.id).collect();
            prop_assert!(ids.is_sorted(), "{ids:?}");
            // No more than `every` less one in a row are removed.
            let row = mine.fold((0, 0), |(most, row), (_, passing)| {
                let row = if passing.removed { row + 1 } else { 0 };
                (row.max(most), row)
            });
            prop_assert!(row.0 < every);
        }
    }
}
