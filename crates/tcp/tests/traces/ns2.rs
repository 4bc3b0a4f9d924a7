//! ns-2's ways, worked on paper from docs/oracle/NS2-SEMANTICS.md (its sections are cited): whole segments, integer
//! halves, ticks. What ns-2 itself does is settled by tests/oracle; these say why.

use acklab_packet::Time;
use acklab_tcp::rules::*;
use acklab_tcp::sender::Supply;

use crate::sender_table::follow;

/// The sender of 1998 with ten segments in its first window.
fn ns1998(recovery: RecoveryKind) -> SenderRules {
    SenderRules { recovery, initial_window: 10.0, ..Stack::Ns2In1998.sender() }
}

/// Section 5. Segment 2 is lost of a window that slow start has opened to 12.
///
/// Third duplicate: ssthresh and cwnd int (12 / 2) = 6, `dupwnd` 3, each further duplicate one more: 13 with the seventh,
/// and 2 + 13 admits 14. Any ACK of new data: `dupwnd` 0, one step of growth, 6 + 1/6.
#[test]
fn reno_inflation() {
    follow(
        ns1998(named("reno")),
        Supply::Segments(100),
        "
        at  | event  | sends | window | cwnd    | ssthresh | inflation
        0   | start  | 0-9   | 10     | 10      | 20
        0.1 | ack 1  | 10 11 | 11     | 11
        0.1 | ack 2  | 12 13 | 12     | 12
        0.1 | ack 2  |       | 12     |         |          | 0
        0.1 | ack 2  |       | 12     |         |          | 0
        0.1 | ack 2  | 2*    | 9      | 6       | 6        | 3
        0.1 | ack 2  |       | 10
        0.1 | ack 2  |       | 11
        0.1 | ack 2  |       | 12
        0.1 | ack 2  | 14    | 13     |         |          | 7
        0.2 | ack 2  | 15    | 14
        0.2 | ack 2  | 16    | 15
        0.2 | ack 2  | 17    | 16
        0.2 | ack 2  | 18    | 17     | 6       |          | 11
        0.3 | ack 14 | 19    | 6      | 6.1666667 | 6      | 0
    ",
    );
}

/// Section 4: the half is a whole number: a window of 11 leaves 5. With precise arithmetic (2.35) cwnd keeps the fraction
/// and only ssthresh is whole.
#[test]
fn halves_of_odd_windows() {
    let table = |cwnd: &str| {
        format!(
            "
            at  | event  | sends | window | cwnd | ssthresh
            0   | start  | 0-9   | 10     | 10   | 20
            0.1 | ack 1  | 10 11 | 11     | 11
            0.1 | ack 1  |       | 11     | 11
            0.1 | ack 1  |       | 11     | 11
            0.1 | ack 1  | 1*    | 8      | {cwnd} | 5
        "
        )
    };
    let integer = ns1998(named("reno"));
    let precise = SenderRules { halving: Halving::Precise, ..integer.clone() };
    follow(integer, Supply::Segments(100), &table("5"));
    follow(precise, Supply::Segments(100), &table("5.5"));
}

/// Section 4: ssthresh is at least 2, cwnd is not: a window of 3 halves to 1.
#[test]
fn small_windows_halve_below_two() {
    let rules = SenderRules { window: Window::Segments(3), ..ns1998(named("reno")) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event  | sends | window | cwnd | ssthresh
        0   | start  | 0-2   | 3      | 10   | 3
        0.1 | ack 1  | 3     | 3      | 10.1
        0.1 | ack 1  |       |        | 10.1
        0.1 | ack 1  |       |        | 10.1
        0.1 | ack 1  | 1*    | 3      | 1    | 2
    ",
    );
}

/// Section 5: Reno's second fast retransmit in one window of data, 2 and 5 lost, `recover` 13.
///
/// The ACK of 2's retransmission is 5, and ends recovery. Three duplicates of it, from 14, 15, 16: ns-2.35 does nothing
/// (`never`); the rule of 1997 (`unless-timeout`) and `always` halve again.
#[test]
fn the_second_fast_retransmit() {
    let table = |third: &str, cwnd: &str, window: u32| {
        format!(
            "
            at  | event  | sends | window | cwnd | ssthresh
            0   | start  | 0-9   | 10     | 10   | 20
            0.1 | ack 1  | 10 11 | 11     | 11
            0.1 | ack 2  | 12 13 | 12     | 12
            0.1 | ack 2  |       |
            0.1 | ack 2  |       |
            0.1 | ack 2  | 2*    | 9      | 6    | 6
            0.1 | ack 2  |       | 10
            0.1 | ack 2  |       | 11
            0.1 | ack 2  |       | 12
            0.2 | ack 2  | 14    | 13
            0.2 | ack 2  | 15    | 14
            0.2 | ack 2  | 16    | 15
            0.2 | ack 2  | 17    | 16
            0.3 | ack 5  |       | 6      | 6.1666667
            0.4 | ack 5  |       |        | 6.1666667
            0.4 | ack 5  |       |        | 6.1666667
            0.4 | ack 5  | {third} | {window} | {cwnd}
        "
        )
    };
    let rules = |second_fast_retransmit| SenderRules { second_fast_retransmit, ..ns1998(named("reno")) };
    follow(rules(SecondFastRetransmit::Never), Supply::Segments(100), &table("", "6.1666667", 6));
    for choice in [SecondFastRetransmit::UnlessTimeout, SecondFastRetransmit::Always] {
        follow(rules(choice), Supply::Segments(100), &table("5*", "3", 6));
    }
}

/// A mark halves the window of 11. The timeout of the same window leaves ssthresh as the mark has set it; in the other form it halves again.
#[test]
fn a_timeout_after_a_mark_keeps_ssthresh() {
    let table = |ssthresh: u32| {
        format!(
            "
            at  | event     | sends | cwnd | ssthresh
            0   | start     | 0-9   | 10   | 20
            0.1 | ack 1     | 10 11 | 11
            0.1 | ack 2 ece |       | 5    | 5
            0.4 | timeout   | 2*    | 1    | {ssthresh}
        "
        )
    };
    let rules = |mark_form| SenderRules { mark_form, ecn: true, ..ns1998(named("reno")) };
    follow(rules(MarkForm::Ns2), Supply::Segments(100), &table(5));
    follow(rules(MarkForm::Rfc3168), Supply::Segments(100), &table(2));
}

/// The same after a timeout, which also sets `recover`: only `always` retransmits.
#[test]
fn the_second_fast_retransmit_after_a_timeout() {
    let table = |third: &str, cwnd: u32| {
        format!(
            "
            at  | event   | sends | cwnd | ssthresh | timer
            0   | start   | 0-9   | 10   | 20       | 6
            0.1 | ack 2   | 10-12 | 11   | 20       | 6.1
            6.1 | timeout | 2*    | 1    | 5
            6.2 | ack 5   | 5* 6* | 2
            6.3 | ack 5   |       | 2
            6.3 | ack 5   |       | 2
            6.3 | ack 5   | {third} | {cwnd}
        "
        )
    };
    let rules = |second_fast_retransmit| SenderRules { second_fast_retransmit, ..ns1998(named("reno")) };
    follow(rules(SecondFastRetransmit::Never), Supply::Segments(100), &table("", 2));
    follow(rules(SecondFastRetransmit::UnlessTimeout), Supply::Segments(100), &table("", 2));
    // int (2 / 2) = 1 and three duplicates: 5 again, and as before up to 5 + 1 + 3.
    follow(rules(SecondFastRetransmit::Always), Supply::Segments(100), &table("5* 7* 8*", 1));
}

/// Section 7: 2 and 4 are lost. `pipe` is what is out less three, 12 - 3; the first retransmission does not count; every
/// ACK takes one off, a partial ACK two; what is sent adds one. Sent while `pipe` < int (cwnd) = 6: the next hole with
/// something SACKed above, else new data. The ACK of `recover` ends it without growth.
#[test]
fn ff96_pipe() {
    follow(
        ns1998(named("sack")),
        Supply::Segments(100),
        "
        at   | event              | sends | pipe | cwnd | ssthresh | timer
        0    | start              | 0-9   | none | 10   |          | 6
        0.1  | ack 1              | 10 11 | none | 11   |          | 6.1
        0.1  | ack 2              | 12 13 | none | 12   | 20       | 0.4
        0.1  | ack 2 sack 3       |       | none | 12
        0.1  | ack 2 sack 5 3     |       | none | 12
        0.2  | ack 2 sack 5-6 3   | 2*    | 9    | 6    | 6        | 0.5
        0.2  | ack 2 sack 5-7 3   |       | 8
        0.2  | ack 2 sack 5-8 3   |       | 7
        0.2  | ack 2 sack 5-9 3   |       | 6
        0.2  | ack 2 sack 5-10 3  | 4*    | 6
        0.2  | ack 2 sack 5-11 3  | 14    | 6
        0.2  | ack 2 sack 5-12 3  | 15    | 6
        0.2  | ack 2 sack 5-13 3  | 16    | 6    |      |          | 0.5
        0.3  | ack 4 sack 5-13    | 17 18 | 6    | 6    | 6        | 0.6
        0.31 | ack 14             | 19    | none | 6    | 6
    ",
    );
}

/// Section 7: the other partial-ACK rule sends two segments from the cumulative ACK on, whatever `pipe`, and counts one.
#[test]
fn ff96_two_segments() {
    let rules = ns1998(named::<RecoveryKind>("sack").with("partial", SackPartial::TwoSegments));
    follow(
        rules,
        Supply::Segments(100),
        "
        at   | event              | sends | pipe | cwnd
        0    | start              | 0-9   | none | 10
        0.1  | ack 1              | 10 11 | none | 11
        0.1  | ack 2              | 12 13 | none | 12
        0.1  | ack 2 sack 3       |       | none
        0.1  | ack 2 sack 5 3     |       | none
        0.2  | ack 2 sack 8 5 3   | 2*    | 9    | 6
        # 4, 6 and 7 are lost as well: 9 to 13 leave pipe 4, and two holes go out
        0.2  | ack 2 sack 8-9 5 3 |       | 8
        0.2  | ack 2 sack 8-10 5 3|       | 7
        0.2  | ack 2 sack 8-11 5 3|       | 6
        0.2  | ack 2 sack 8-12 5 3| 4*    | 6
        0.2  | ack 2 sack 8-13 5 3| 6*    | 6
        # partial: 4 again and, 5 being SACKed, 6 again; one off and one on; then no room
        0.3  | ack 4 sack 8-13 5  | 4* 6* | 6
    ",
    );
}

/// Section 4: the clock ticks every 0.1 s, srtt counts eighths of ticks, var quarters. The ACK restarts the timer *before*
/// its sample counts.
///
/// 0.25 s from 0 on cross two ticks: srtt = 16, var = 4, RTO = ((4 << 3) + 16) >> 3 = 6. Segment 2 leaves at 0.25, and
/// 0.38 s later four more have passed: d = 4 - (16 >> 3) = 2, srtt = 18, var = 4 + 2 - (4 >> 2) = 5, RTO = (40 + 18) >> 3.
#[test]
fn ticks() {
    let rules = SenderRules { initial_window: 2.0, window: Window::Segments(2), ..ns1998(named("reno")) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at   | event   | sends | rto | timer | samples
        0    | start   | 0 1   | 6   | 6     | 0
        0.25 | ack 1   | 2     | 0.6 | 6.25  | 1
        0.3  | ack 2   | 3     | 0.6 | 0.9   | 1
        0.63 | ack 3   | 4     | 0.7 | 1.23  | 2
        1.23 | timeout | 3*    | 1.4 | 2.63  | 2
    ",
    );
}

/// Section 4: with 2.35's order the sample counts for the timer its own ACK restarts; and the floor comes before backoff.
#[test]
fn ticks_of_2_35() {
    let rules = SenderRules {
        tick: Time::from_secs(0.1),
        window: Window::Segments(2),
        syn: false,
        min_rto: Time::from_secs(1.0),
        ..Stack::Ns2At235.sender()
    };
    follow(
        rules,
        Supply::Segments(100),
        "
        at   | event   | sends | rto | timer
        0    | start   | 0 1   | 3   | 3
        0.25 | ack 1   | 2     | 1   | 1.25
        1.25 | timeout | 1*    | 2   | 3.25
        3.25 | timeout | 1*    | 4   | 7.25
    ",
    );
}

/// Section 4: with everything acknowledged the timer stays on; when it runs out, cwnd is 1, ssthresh as before, no backoff.
#[test]
fn the_idle_timer() {
    let sender = follow(
        ns1998(named("reno")),
        Supply::Segments(4),
        "
        at  | event   | sends | cwnd | ssthresh | timer
        0   | start   | 0-3   | 10   | 20       | 6
        0.1 | ack 4   |       | 11   | 20       | 6.1
        6.1 | timeout |       | 1    | 20       | 6.4
        6.4 | timeout |       | 1    | 20       | 6.7
        6.5 | write 9 | 4     | 1
    ",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().window_cuts), (0, 2));
}

/// Tahoe: the third duplicate starts slow start at the hole; what arrived after it is sent again.
#[test]
fn tahoe() {
    follow(
        ns1998(named("tahoe")),
        Supply::Segments(100),
        "
        at  | event  | sends | cwnd | ssthresh
        0   | start  | 0-9   | 10   | 20
        0.1 | ack 1  | 10 11 | 11
        0.1 | ack 2  | 12 13 | 12
        0.1 | ack 2  |       | 12
        0.1 | ack 2  |       | 12
        0.1 | ack 2  | 2*    | 1    | 6
        0.1 | ack 2  |       | 1
        0.2 | ack 3  | 3* 4* | 2    | 6
        0.3 | ack 14 | 14-16 | 3    | 6
    ",
    );
}

/// Section 5: limited transmit (2.35's `singledup_`): segments up to cwnd + dupacks, though the next may be old.
#[test]
fn limited_transmit_may_be_old() {
    let rules = SenderRules { limited_transmit: true, ..ns1998(named("reno")) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event   | sends | cwnd | timer
        0   | start   | 0-9   | 10   | 6
        0.1 | ack 2   | 10-12 | 11   | 6.1
        6.1 | timeout | 2*    | 1
        6.2 | ack 2   | 3*    | 1
        6.2 | ack 2   | 4*    | 1
        6.2 | ack 2   |       | 1
    ",
    );
}
