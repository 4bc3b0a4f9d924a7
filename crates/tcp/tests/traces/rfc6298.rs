//! RFC 6298, worked on paper: round-trip samples, the timeout, its backoff, and when the timer runs.

use acklab_packet::Time;
use acklab_tcp::rules::{SenderRules, Window, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

/// NewReno with `initial_window` segments; RTO floor 1 s, first RTO 1 s.
fn newreno(initial_window: f64) -> SenderRules {
    SenderRules { recovery: named("newreno"), initial_window, ..rfc() }
}

/// One segment at a time and no floor, so that every segment is timed and every RTO shows.
///
/// (2.2) R = 0.2: SRTT 0.2, RTTVAR 0.1, RTO 0.2 + 4 * 0.1.
/// (2.3) R' = 0.3: RTTVAR 0.75 * 0.1 + 0.25 * |0.2 - 0.3| = 0.1, then SRTT 0.875 * 0.2 + 0.125 * 0.3 = 0.2125.
/// R' = 0.1: RTTVAR 0.075 + 0.25 * 0.1125 = 0.103125, SRTT 0.1859375 + 0.0125 = 0.1984375, RTO 0.6109375.
#[test]
fn samples_one_two_and_three() {
    let rules = SenderRules { window: Window::Segments(1), min_rto: Time::ZERO, ..newreno(1.0) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event | sends | rto       | timer     | samples
        0   | start | 0     | 1         | 1         | 0
        0.2 | ack 1 | 1     | 0.6       | 0.8       | 1
        0.5 | ack 2 | 2     | 0.6125    | 1.1125    | 2
        0.6 | ack 3 | 3     | 0.6109375 | 1.2109375 | 3
    ",
    );
}

/// (2.4): below one second, one second. (2.1): one second before the first sample.
///
/// The second sample is of segment 1, sent at 0.2: R' = 1.8, RTTVAR = 0.075 + 0.25 * 1.6 = 0.475, SRTT = 0.175 + 0.225.
#[test]
fn the_floor_is_one_second() {
    follow(
        newreno(1.0),
        Supply::Segments(100),
        "
        at  | event | sends | rto | timer
        0   | start | 0     | 1   | 1
        0.2 | ack 1 | 1 2   | 1   | 1.2
        2   | ack 3 | 3-5   | 2.3 | 4.3
    ",
    );
}

/// (5.5) doubles, (2.5) allows a ceiling of at least 60 s, (5.6) restarts the timer with the doubled value.
#[test]
fn backoff_doubles_up_to_a_minute() {
    follow(
        newreno(1.0),
        Supply::Segments(100),
        "
        at  | event   | sends | timer
        0   | start   | 0     | 1
        1   | timeout | 0*    | 3
        3   | timeout | 0*    | 7
        7   | timeout | 0*    | 15
        15  | timeout | 0*    | 31
        31  | timeout | 0*    | 63
        63  | timeout | 0*    | 123
        123 | timeout | 0*    | 183
        183 | timeout | 0*    | 243
    ",
    );
}

/// Section 3, Karn: a segment sent twice gives no sample, and section 5's note keeps the backed-off RTO until one that
/// was sent once does. R = 0.1 then: RTO 0.1 + 4 * 0.05, at the floor.
#[test]
fn karn_and_the_end_of_backoff() {
    follow(
        newreno(2.0),
        Supply::Segments(100),
        "
        at  | event   | sends | rto | timer | samples
        0   | start   | 0 1   | 1   | 1     | 0
        1   | timeout | 0*    | 2   | 3     | 0
        3   | timeout | 0*    | 4   | 7     | 0
        3.1 | ack 1   | 1* 2  | 4   | 7.1   | 0
        3.2 | ack 2   | 3     | 4   | 7.2   | 0
        3.2 | ack 3   | 4     | 1   | 4.2   | 1
    ",
    );
}

/// A fast retransmission is a retransmission too: the segment being timed is given up.
#[test]
fn karn_in_fast_retransmit() {
    follow(
        newreno(4.0),
        Supply::Segments(100),
        "
        at  | event | sends | samples
        0   | start | 0-3   | 0
        0.1 | ack 0 | 4     | 0
        0.1 | ack 0 | 5     | 0
        0.1 | ack 0 | 0*    | 0
        0.2 | ack 6 | 6 7   | 0
        0.4 | ack 7 | 8     | 1
    ",
    );
}

/// (5.1) starts the timer when it is off; (5.2) stops it when all is acknowledged; (5.3) restarts it on an ACK of new
/// data; duplicate ACKs and further segments leave it alone.
#[test]
fn when_the_timer_runs() {
    follow(
        newreno(3.0),
        Supply::Segments(6),
        "
        at   | event   | sends | timer
        0    | start   | 0-2   | 1
        0.3  | ack 1   | 3 4   | 1.3
        0.4  | ack 1   | 5     | 1.3
        0.5  | ack 3   |       | 1.5
        0.6  | ack 6   |       | off
        0.7  | write 1 | 6     | 1.7
        0.8  | ack 7   |       | off
    ",
    );
}

/// (5.7): a SYN that timed out leaves data with an RTO of 3 s, until a sample.
#[test]
fn three_seconds_after_a_lost_syn() {
    let rules = SenderRules { syn: true, ..newreno(10.0) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event   | sends | rto | timer
        0   | start   | syn   | 1   | 1
        1   | timeout | syn*  | 2   | 3
        3   | timeout | syn*  | 4   | 7
        3.2 | ack 0   | 0     | 3   | 6.2
        3.4 | ack 1   | 1 2   | 1   | 4.4
    ",
    );
}

/// With timestamps the ACK of a SYN sent twice is no longer ambiguous (RFC 7323 section 4.1): it gives a sample, and
/// (5.7) has nothing to repair. Our reading; the text of (5.7) does not mention timestamps.
#[test]
fn with_timestamps_the_syns_ack_is_a_sample() {
    let rules = SenderRules { syn: true, timestamps: true, packet: 1012, ..newreno(10.0) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event      | sends | rto | timer | samples
        0   | start      | syn   | 1   | 1     | 0
        1   | timeout    | syn*  | 2   | 3     | 0
        1.2 | ack 0 ts 1 | 0     | 1   | 2.2   | 1
    ",
    );
}
