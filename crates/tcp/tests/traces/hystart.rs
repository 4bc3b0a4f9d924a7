//! HyStart (Ha and Rhee 2011) with Linux's constants: slow starts worked out by hand.
//!
//! Segments of 1000 bytes, an ACK for each; the round trip is 100 ms, so that an eighth of it, 12.5 ms, is the threshold.

use acklab_tcp::rules::{ControlKind, CubicSlowStart, SenderRules, Variants, named};
use acklab_tcp::sender::{Sender, Supply};

use crate::sender_table::{follow, rfc};

fn hystart(initial_window: f64) -> SenderRules {
    let control = named::<ControlKind>("cubic").with("slow_start", CubicSlowStart::HyStart);
    SenderRules { control, initial_window, ..rfc() }
}

/// ACKs of the segments `first ..= last`, the first at `at`, the others `gap` apart, each of which adds `growth`, from a
/// window of `before` on.
fn acks((at, gap): (f64, f64), first: u64, last: u64, before: f64, growth: f64) -> String {
    let row = |n: u64| {
        let later = (n - first) as f64;
        format!("{} | ack {n} | {}\n", at + gap * later, before + growth * (later + 1.0))
    };
    (first..=last).map(row).collect()
}

fn run(rules: SenderRules, rounds: &[String]) -> Sender {
    let start = 1000.0 * rules.initial_window;
    follow(rules, Supply::Unlimited, &format!("at | event | cwnd\n0 | start | {start}\n{}", rounds.concat()))
}

/// The second round takes 113 ms, 13 more than the first. Eight samples are taken, the ninth judges: slow start ends at the
/// window before it, and its ACK already adds a 40th of a segment, as CUBIC does in Reno's region before any loss.
#[test]
fn a_round_trip_that_grew_by_an_eighth_ends_slow_start() {
    let first = acks((0.1, 0.0), 1, 16, 16_000.0, 1000.0);
    let sender = run(
        hystart(16.0),
        &[
            first.clone(),
            acks((0.213, 0.0), 17, 24, 32_000.0, 1000.0),
            acks((0.213, 0.0), 25, 25, 40_000.0, 1000.0 / 40.0),
        ],
    );
    assert_eq!((sender.core().cc.ssthresh, sender.counters().window_cuts), (40_000.0, 0));
    // 12 ms are no sign.
    run(hystart(16.0), &[first, acks((0.212, 0.0), 17, 48, 32_000.0, 1000.0)]);
}

/// ACKs 1.5 ms apart are a train. The 35th comes 51 ms after the first of the round, more than half of 100 ms and 1 ms for
/// bursts.
#[test]
fn a_train_of_half_a_round_trip_ends_slow_start() {
    let train = acks((0.1, 0.0015), 1, 34, 64_000.0, 1000.0);
    let sender = run(hystart(64.0), &[train, acks((0.151, 0.0), 35, 35, 98_000.0, 1000.0 / 98.0)]);
    assert_eq!(sender.core().cc.ssthresh, 98_000.0);
}

/// ACKs 2.1 ms apart are none.
#[test]
fn acks_that_come_singly_are_no_train() {
    run(hystart(64.0), &[acks((0.1, 0.0021), 1, 64, 64_000.0, 1000.0)]);
}

/// Nothing is looked at below 16 segments: the second round's first four ACKs are no samples, so that its twelve, 200 ms
/// late, are too few.
#[test]
fn a_small_window_is_left_alone() {
    run(hystart(6.0), &[acks((0.1, 0.0), 1, 6, 6000.0, 1000.0), acks((0.4, 0.0), 7, 18, 12_000.0, 1000.0)]);
}

/// It ended a slow start at 72 segments, of which a timeout leaves half for ssthresh. The next slow start is watched, too: its
/// round from 16 segments on takes 13 ms more than those before.
#[test]
fn the_slow_start_after_a_timeout_is_watched_too() {
    let rounds = [
        acks((0.1, 0.0), 1, 32, 32_000.0, 1000.0),
        acks((0.213, 0.0), 33, 40, 64_000.0, 1000.0),
        acks((0.213, 0.0), 41, 41, 72_000.0, 1000.0 / 72.0),
        "1.213 | timeout | 1000\n2.1 | ack 113 | 2000\n".to_owned(),
        acks((2.2, 0.0), 114, 115, 2000.0, 1000.0),
        acks((2.3, 0.0), 116, 119, 4000.0, 1000.0),
        acks((2.4, 0.0), 120, 127, 8000.0, 1000.0),
        acks((2.513, 0.0), 128, 135, 16_000.0, 1000.0),
        acks((2.513, 0.0), 136, 136, 24_000.0, 9.0 / 17.0 * 1000.0 / 24.0),
    ];
    let sender = run(hystart(32.0), &rounds);
    assert_eq!(sender.core().cc.ssthresh, 24_000.0);
}
