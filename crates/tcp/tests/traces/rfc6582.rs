//! RFC 6582, NewReno, worked on paper: partial ACKs, deflation, `recover`, and the window after recovery.

use acklab_tcp::rules::{PartialAckTimer, RecoveryKind, SenderRules, Variants, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn newreno(initial_window: f64) -> SenderRules {
    SenderRules { recovery: named("newreno"), initial_window, ..rfc() }
}

/// Segments 1 and 4 are lost.
///
/// Step 2: FlightSize 11000 less 2000 of Limited Transmit, ssthresh 4500; window ssthresh + 3*SMSS; `recover` is the end
/// of segment 11. Step 3, partial: ACK 4 covers 3000 bytes: the window shrinks by 3000 and grows by SMSS, 4 is sent
/// again, and the timer restarts. Step 3, full: ACK 14 covers `recover`; FlightSize is then 14 to 16: min (ssthresh, max
/// (FlightSize, SMSS) + SMSS) = min (4500, 4000).
#[test]
fn a_partial_then_a_full_ack() {
    follow(
        newreno(8.0),
        Supply::Segments(100),
        "
        at   | event  | sends | window | cwnd | ssthresh | timer
        0    | start  | 0-7   | 8000   | 8000 |          | 1
        0.1  | ack 1  | 8 9   | 9000   | 9000 |          | 1.1
        0.1  | ack 1  | 10    | 9000
        0.1  | ack 1  | 11    | 9000
        0.11 | ack 1  | 1*    | 7500   | 4500 | 4500     | 1.11
        # 3 to 9 but for 4 have arrived: 2, 3, 5 above, then 6, 7, 8, 9
        0.11 | ack 1  |       | 8500
        0.11 | ack 1  |       | 9500
        0.11 | ack 1  |       | 10500
        0.11 | ack 1  |       | 11500
        # 10 and 11; the window reaches past 12000
        0.2  | ack 1  | 12    | 12500
        0.2  | ack 1  | 13    | 13500
        0.21 | ack 4  | 4* 14 | 11500  | 4500 | 4500     | 1.21
        # 12 and 13
        0.3  | ack 4  | 15    | 12500  |      |          | 1.21
        0.3  | ack 4  | 16    | 13500
        0.31 | ack 14 | 17    | 4000   | 4000 | 4500     | 1.31
    ",
    );
}

/// The same in slow start terms: the ACK that ends recovery does not also grow the window, the next one does.
#[test]
fn growth_resumes_after_the_full_ack() {
    follow(
        newreno(4.0),
        Supply::Segments(100),
        "
        at  | event | sends | cwnd | ssthresh | why
        0   | start | 0-3   | 4000 |
        0.1 | ack 0 | 4     | 4000 |
        0.1 | ack 0 | 5     | 4000 |
        0.1 | ack 0 | 0*    | 2000 | 2000     | FlightSize 6000 less 2000
        0.2 | ack 6 | 6 7   | 2000 | 2000     | min (2000, max (0, 1000) + 1000)
        0.3 | ack 7 | 8     | 2500 | 2000     | congestion avoidance: 1000000 / 2000
    ",
    );
}

/// Section 4: 1, 2 and 3 are lost; the *impatient* variant restarts the timer on the first partial ACK only, *slow but
/// steady* on each.
#[test]
fn impatient_or_slow_but_steady() {
    let table = |second: &str, third: &str| {
        format!(
            "
            at   | event  | sends | window | timer
            0    | start  | 0-7   | 8000   | 1
            0.1  | ack 1  | 8 9   | 9000   | 1.1
            0.1  | ack 1  | 10    | 9000   | 1.1
            0.1  | ack 1  | 11    | 9000   | 1.1
            0.11 | ack 1  | 1*    | 7500   | 1.11
            0.11 | ack 1  |       | 8500
            0.11 | ack 1  |       | 9500
            0.11 | ack 1  |       | 10500
            0.2  | ack 1  |       | 11500
            0.2  | ack 1  | 12    | 12500  | 1.11
            0.21 | ack 2  | 2* 13 | 12500  | 1.21
            0.3  | ack 2  | 14    | 13500  | 1.21
            0.31 | ack 3  | 3* 15 | 13500  | {second}
            0.4  | ack 3  | 16    | 14500  | {second}
            0.4  | ack 3  | 17    | 15500  | {second}
            0.41 | ack 15 | 18    | 4000   | {third}
        "
        )
    };
    let rules = |partial_ack_timer| {
        let recovery = named::<RecoveryKind>("newreno").with("partial_ack_timer", partial_ack_timer);
        SenderRules { recovery, ..newreno(8.0) }
    };
    follow(rules(PartialAckTimer::First), Supply::Segments(100), &table("1.21", "1.41"));
    follow(rules(PartialAckTimer::Each), Supply::Segments(100), &table("1.31", "1.41"));
}

/// Step 3: "If the partial ACK acknowledges at least one SMSS of new data, then add back SMSS bytes": 300 bytes do not.
#[test]
fn a_small_partial_ack_adds_nothing_back() {
    follow(
        newreno(6.0),
        Supply::Segments(8),
        "
        at  | event     | sends         | window
        0   | start     | 0-5           | 6000
        0.1 | ack 0     | 6             | 6000
        0.1 | ack 0     | 7             | 6000
        0.1 | ack 0     | 0*            | 6000
        0.2 | ack 0+300 | [300,1300)*   | 5700
        0.3 | ack 2     | 2*            | 5000
    ",
    );
}

/// Steps 1 and 2: no second fast retransmit before the cumulative ACK covers *more than* `recover`, which a timeout sets
/// to the highest number sent: ACK 4 covers it and no more, ACK 5 does. (Then the window is 2000 + 3*SMSS; two new
/// segments an ACK is our limit in recovery.)
#[test]
fn recover_bars_fast_retransmit_after_a_timeout() {
    let rules = SenderRules { syn: true, limited_transmit: false, ..newreno(4.0) };
    let sender = follow(
        rules,
        Supply::Segments(100),
        "
        at  | event   | sends | cwnd | ssthresh
        0   | start   | syn
        0.1 | ack 0   | 0-3   | 4000 |
        1.1 | timeout | 0*    | 1000 | 2000
        1.2 | ack 0   |       | 1000
        1.2 | ack 0   |       | 1000
        1.2 | ack 0   |       | 1000
        1.2 | ack 0   |       | 1000 | 2000
        1.3 | ack 4   | 4 5   | 2000
        1.4 | ack 4   |       | 2000
        1.4 | ack 4   |       | 2000
        1.4 | ack 4   |       | 2000 | 2000
        1.5 | ack 5   | 6     | 2500
        1.5 | ack 5   |       | 2500
        1.5 | ack 5   |       | 2500
        1.5 | ack 5   | 5* 7 8| 2000 | 2000
    ",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().fast_retransmits), (1, 1));
}

/// The first data of a connection can be lost as well: a duplicate ACK of the SYN alone is past the initial `recover`.
#[test]
fn the_first_segment_can_be_fast_retransmitted() {
    let rules = SenderRules { syn: true, ..newreno(4.0) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event | sends | cwnd
        0   | start | syn
        0.1 | ack 0 | 0-3   | 4000
        0.2 | ack 0 | 4     | 4000
        0.2 | ack 0 | 5     | 4000
        0.2 | ack 0 | 0*    | 2000
    ",
    );
}
