//! HyStart++ (RFC 9406): slow starts worked out by hand. Sections are that document's.
//!
//! Segments of 1000 bytes, an ACK for each; the round trip is 100 ms, so that an eighth of it, 12.5 ms, is the threshold.

use acklab_tcp::rules::{ControlKind, SenderRules, SlowStart, Variants, named};
use acklab_tcp::sender::{Sender, Supply};

use crate::sender_table::{follow, rfc};

fn control(name: &str) -> ControlKind {
    named::<ControlKind>(name).with("slow_start", SlowStart::HyStartPlusPlus)
}

fn hystart() -> SenderRules {
    SenderRules { control: control("reno"), initial_window: 8.0, ..rfc() }
}

/// ACKs of the segments `first ..= last` at `at`, each of which adds `growth`, from a window of `before` on.
fn acks(at: f64, first: u64, last: u64, before: f64, growth: f64) -> String {
    (first..=last).map(|n| format!("{at} | ack {n} | {}\n", before + growth * (n - first + 1) as f64)).collect()
}

fn run(rules: SenderRules, rounds: &[String]) -> Sender {
    follow(rules, Supply::Unlimited, &format!("at | event | cwnd\n0 | start | 8000\n{}", rounds.concat()))
}

/// The first two rounds: segments 0 to 7, then 8 to 21 (windowEnd was set before the last ACK of the first round sent
/// its two). The second takes 112.5 ms, 12.5 more than the first, and its eighth ACK tells; it still grows by a segment
/// (4.2), the other six by a quarter.
fn into_css() -> Vec<String> {
    vec![acks(0.1, 1, 8, 8000.0, 1000.0), acks(0.2125, 9, 16, 16_000.0, 1000.0), acks(0.2125, 17, 22, 24_000.0, 250.0)]
}

/// Five rounds of Conservative Slow Start, the partial one with which it began included: rounds end with segments 22, 46,
/// 76, 113, 160, as many as the window then let out. Then ssthresh is the window, and growth is a segment a round.
#[test]
fn five_rounds_of_conservative_slow_start() {
    let mut rounds = into_css();
    rounds.push(acks(0.325, 23, 46, 25_500.0, 250.0));
    rounds.push(acks(0.4375, 47, 76, 31_500.0, 250.0));
    rounds.push(acks(0.55, 77, 113, 39_000.0, 250.0));
    rounds.push(acks(0.6625, 114, 160, 48_250.0, 250.0));
    // A segment's worth over 60 of them, in whole bytes.
    rounds.push(acks(0.775, 161, 161, 60_000.0, 16.0));
    let sender = run(hystart(), &rounds);
    assert_eq!((sender.core().cc.ssthresh, sender.counters().window_cuts), (60_000.0, 0));
    // CUBIC goes on from there along its curve, which is flat at its beginning (RFC 9438 section 4.10).
    rounds.pop();
    let sender = run(SenderRules { control: control("cubic"), ..hystart() }, &rounds);
    assert_eq!((sender.core().cc.ssthresh, sender.core().cc.cwnd), (60_000.0, 60_000.0));
}

/// The round trip has fallen again in the next round: jitter, no queue. Its eighth ACK says so, and slow start resumes; the
/// next 12.5 ms, from there, begin another conservative one.
#[test]
fn slow_start_resumes_when_the_round_trip_falls() {
    let mut rounds = into_css();
    rounds.push(acks(0.3125, 23, 30, 25_500.0, 250.0));
    rounds.push(acks(0.3125, 31, 46, 27_500.0, 1000.0));
    rounds.push(acks(0.425, 47, 54, 43_500.0, 1000.0));
    rounds.push(acks(0.425, 55, 60, 51_500.0, 250.0));
    run(hystart(), &rounds);
}

/// Fewer than eight samples decide nothing: with a window of seven the second round's ACKs, however late, all count whole
/// until the eighth.
#[test]
fn a_round_of_few_samples_decides_nothing() {
    let rules = SenderRules { initial_window: 3.0, ..hystart() };
    let table =
        acks(0.1, 1, 3, 3000.0, 1000.0) + &acks(0.3, 4, 7, 6000.0, 1000.0) + &acks(0.8, 8, 14, 10_000.0, 1000.0);
    // Rounds end with 3, 7 and 15: the third has seven of its eight.
    follow(rules, Supply::Unlimited, &format!("at | event | cwnd\n0 | start | 3000\n{table}"));
}

/// Growth of less than an eighth is no sign.
#[test]
fn growth_below_the_threshold_is_none() {
    run(hystart(), &[acks(0.1, 1, 8, 8000.0, 1000.0), acks(0.2124, 9, 22, 16_000.0, 1000.0)]);
}

/// A loss ends it for good (4.3: only the initial slow start): after a timeout ssthresh is known, here 32 segments, and
/// slow start goes there by the standard, though the round trip doubles on the way.
#[test]
fn only_the_initial_slow_start() {
    let rounds = [
        acks(2.2, 65, 66, 2000.0, 1000.0),
        acks(2.3, 67, 70, 4000.0, 1000.0),
        acks(2.4, 71, 78, 8000.0, 1000.0),
        acks(2.6, 79, 94, 16_000.0, 1000.0),
    ];
    let head = "at | event | cwnd\n0 | start | 64000\n1 | timeout | 1000\n2.1 | ack 64 | 2000\n";
    follow(SenderRules { initial_window: 64.0, ..hystart() }, Supply::Unlimited, &(head.to_owned() + &rounds.concat()));
}
