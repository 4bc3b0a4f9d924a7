//! Proportional rate reduction, worked on paper from the formulae of RFC 6937 section 3 and RFC 9937 section 6.
//!
//! Whole segments are counted, so that shares round up to segments: `sent = ceil(prr_delivered ssthresh / RecoverFS) - prr_out`.

use acklab_tcp::rules::{RecoveryKind, RecoveryWindow, SenderRules, Sequence, Variants, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn prr(recovery: RecoveryKind, window: RecoveryWindow, initial_window: f64) -> SenderRules {
    let recovery = recovery.with("window", window);
    SenderRules { sequence: Sequence::Segments {}, recovery, initial_window, ..rfc() }
}

/// One loss in twenty segments, RFC 6937's first example. Two early reports release 20 and 21; the third finds 0 lost:
/// FlightSize 22 less those two, ssthresh 10. RecoverFS is 22, less two reported before: 20, so that a segment leaves for two
/// reports: 1 for the first (0 itself), 1 - 1, 2 - 1, 2 - 2, 3 - 2 ... By ack 18 what is in flight is 10: no more than ssthresh,
/// it stays there. The cumulative ACK ends it with ssthresh.
const ONE_LOSS: &str = "
    at  | event            | sends | pipe | cwnd | ssthresh
    0   | start            | 0-19  | none | 20   |
    0.1 | ack 0 sack 1     | 20    | none | 20   |
    0.1 | ack 0 sack 1-2   | 21    | none | 20   |
    0.102 | ack 0 sack 1-3   | 0*    | 19   | 19   | 10
    0.11 | ack 0 sack 1-4   |       | 18   | 18
    0.11 | ack 0 sack 1-5   | 22    | 18   | 18
    0.11 | ack 0 sack 1-6   |       | 17   | 17
    0.11 | ack 0 sack 1-7   | 23    | 17   | 17
    0.11 | ack 0 sack 1-8   |       | 16   | 16
    0.11 | ack 0 sack 1-9   | 24    | 16   | 16
    0.11 | ack 0 sack 1-11  | 25    | 15   | 15
    0.11 | ack 0 sack 1-15  | 26 27 | 13   | 13
    0.11 | ack 0 sack 1-16  |       | 12   | 12
    0.11 | ack 0 sack 1-17  | 28    | 12   | 12
    0.11 | ack 0 sack 1-18  |       | 11   | 11
    0.11 | ack 0 sack 1-19  |       | 10   | 10
    0.2 | ack 0 sack 1-20  | 29    | 10   | 10
    0.2 | ack 22           | 30 31 | none | 10   | 10
    0.2 | ack 23           | 32    | none | 10.1 | 10
";

#[test]
fn a_reduction_is_spread_over_a_round_trip() {
    for recovery in [named("rfc6675"), named("rack"), named("fack")] {
        let sender = follow(prr(recovery, RecoveryWindow::Prr, 20.0), Supply::Segments(100), ONE_LOSS);
        assert_eq!((sender.counters().fast_retransmits, sender.counters().timeouts), (1, 0), "{recovery:?}");
    }
}

/// Of bytes, too, Linux counts whole segments, and the window's share where RFC 9937 takes that of the flight: here the same
/// (`tcp_cwnd_reduction` in net/ipv4/tcp_input.c).
#[test]
fn linux_counts_segments_also_of_bytes() {
    let linux = prr(named("rack"), RecoveryWindow::PrrLinux, 20.0);
    follow(linux.clone(), Supply::Segments(100), ONE_LOSS);
    let sends: Vec<_> =
        ONE_LOSS.lines().map(|line| line.splitn(4, '|').take(3).collect::<Vec<_>>().join("|")).collect();
    follow(SenderRules { sequence: named("bytes"), ..linux }, Supply::Segments(100), &sends.join("\n"));
}

/// Fifteen losses in twenty, RFC 6937's second example: with the third report only 18 to 21 are in flight, and 10 may be. At once
/// six would leave. What leaves for each report is what the bound says.
fn heavy(window: RecoveryWindow, reports: [&str; 5], progress: [&str; 3]) {
    for recovery in [named("rfc6675"), named("rack")] {
        let mut table = "
            at  | event             | sends | ssthresh
            0   | start             | 0-19  |
            0.1 | ack 0 sack 15     | 20    |
            0.101 | ack 0 sack 15-16  | 21    |
        "
        .to_owned();
        for ((last, at), sends) in (17..).zip([0.102, 0.103, 0.104, 0.2, 0.201]).zip(reports) {
            table += &format!("    {at} | ack 0 sack 15-{last} | {sends} | 10\n");
        }
        for (ack, sends) in (1..).zip(progress) {
            table += &format!("    0.202 | ack {ack} sack 15-21 | {sends} | 10\n");
        }
        follow(prr(recovery, window, 20.0), Supply::Segments(100), &table);
    }
}

/// PRR-CRB: prr_delivered - prr_out, one for one: 20 and 21, sent before, count as well.
#[test]
fn the_conservative_bound_sends_what_was_delivered() {
    heavy(RecoveryWindow::PrrCrb, ["0*", "1*", "2*", "3*", "4*"], ["5*", "6*", "7*"]);
}

/// PRR-SSRB: a segment more each time, until ten are in flight: 4 are, then 6, 7, 8, 9, 10; from there one for one.
#[test]
fn the_slow_start_bound_sends_one_more() {
    heavy(RecoveryWindow::PrrSsrb, ["0* 1*", "2* 3*", "4* 5*", "6* 7*", "8* 9*"], ["10*", "11*", "12*"]);
}

/// RFC 9937: one more only for an ACK that advances.
#[test]
fn its_successor_sends_one_more_while_the_cumulative_ack_advances() {
    heavy(RecoveryWindow::Prr, ["0*", "1*", "2*", "3*", "4*"], ["5* 6*", "7* 8*", "9* 10*"]);
}

/// In bytes: RecoverFS 10,000 and ssthresh 5000: half a segment for each, in bytes, so every second report sends.
#[test]
fn bytes_are_shared_as_bytes() {
    let rules =
        SenderRules { recovery: rfc().recovery.with("window", RecoveryWindow::Prr), initial_window: 10.0, ..rfc() };
    follow(
        rules,
        Supply::Segments(40),
        "
        at  | event            | sends | pipe | cwnd  | ssthresh
        0   | start            | 0-9   | none | 10000 |
        0.1 | ack 0 sack 1     | 10    | none | 10000 |
        0.1 | ack 0 sack 1-2   | 11    | none | 10000 |
        0.1 | ack 0 sack 1-3   | 0*    | 9000 | 9000  | 5000
        0.1 | ack 0 sack 1-4   |       | 8000 | 8000
        0.1 | ack 0 sack 1-5   |       | 7000 | 7500
        0.1 | ack 0 sack 1-6   | 12    | 7000 | 7000
        0.1 | ack 0 sack 1-7   |       | 6000 | 6500
    ",
    );
}

/// One ACK that reports three at once: RecoverFS 10, ceil(3 5 / 10) = 2 leave. A timeout ends the reduction: slow start from one.
#[test]
fn a_timeout_ends_it() {
    follow(
        prr(named("rfc6675"), RecoveryWindow::Prr, 10.0),
        Supply::Segments(40),
        "
        at  | event            | sends | cwnd | timer
        0   | start            | 0-9   | 10   | 1
        0.1 | ack 0 sack 1-3   | 0* 10 | 8    | 1.1
        1.1 | timeout          | 0*    | 1    | 3.1
        1.2 | ack 1 sack 1-3   | 4* 5* | 2
    ",
    );
}
