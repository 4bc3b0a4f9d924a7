//! RFC 7323, timestamps, worked on paper: which one is echoed, and what a sample is worth.

use acklab_packet::Time;
use acklab_tcp::rules::{AckPolicyKind, SenderRules, Stack, Window, named};
use acklab_tcp::sender::Supply;

use crate::receiver_table::{self, PLAIN};
use crate::sender_table::{follow, rfc};

/// Section 4.3, first example: three segments in order, one delayed ACK, which echoes the first of them.
#[test]
fn example_1_a_delayed_ack() {
    let ack = AckPolicyKind::Delayed { timer: Time::from_secs(0.2), segments: 3, heartbeat: false, phase: Time::ZERO };
    let rules = acklab_tcp::rules::ReceiverRules { ack, immediate_on_syn: false, ..Stack::Rfc.receiver() };
    receiver_table::follow(
        rules,
        PLAIN,
        "
        at | event  | acks | echo
        0  | 0 ts 1 |      |
        0  | 1 ts 2 |      |
        0  | 2 ts 3 | 3    | 1
    ",
    );
}

/// Section 4.3, second example: A, C, B, E and D arrive in this order, each with an ACK.
#[test]
fn example_2_out_of_order() {
    let ack = AckPolicyKind::Every {};
    let rules = acklab_tcp::rules::ReceiverRules { ack, ..Stack::Rfc.receiver() };
    receiver_table::follow(
        rules,
        PLAIN,
        "
        at | event  | acks     | echo
        0  | 0 ts 1 | 1        | 1
        0  | 2 ts 3 | 1 sack 2 | 1
        0  | 1 ts 2 | 3        | 2
        0  | 4 ts 5 | 3 sack 4 | 2
        0  | 3 ts 4 | 5        | 4
    ",
    );
}

/// Section 4.3, rule (2): TS.Recent takes a timestamp only from a segment at or below Last.ACK.sent, so that a delayed
/// ACK echoes the earliest segment it covers.
#[test]
fn delayed_acks_echo_the_first_segment() {
    let ack = AckPolicyKind::Delayed { timer: Time::from_secs(0.2), segments: 2, heartbeat: false, phase: Time::ZERO };
    let rules = acklab_tcp::rules::ReceiverRules { ack, immediate_on_syn: false, ..Stack::Rfc.receiver() };
    receiver_table::follow(
        rules,
        PLAIN,
        "
        at  | event    | acks | echo
        1   | 0 ts 0.5 |      |
        1.1 | 1 ts 0.6 | 2    | 0.5
        2   | 2 ts 1.5 |      |
        2.2 | timer    | 3    | 1.5
    ",
    );
}

/// Section 4.3, (A) to (C): beyond a gap the echo stays with the last segment in order; the segment that fills the gap
/// brings its own, and so does a repeat of an old one that is newer by its timestamp.
#[test]
fn gaps_and_repeats() {
    let ack = AckPolicyKind::Every {};
    let rules = acklab_tcp::rules::ReceiverRules { ack, ..Stack::Rfc.receiver() };
    receiver_table::follow(
        rules,
        PLAIN,
        "
        at  | event    | acks       | echo
        0   | 0 ts 1   | 1          | 1
        0   | 2 ts 3   | 1 sack 2   | 1
        0   | 3 ts 4   | 1 sack 2-3 | 1
        0   | 1 ts 5   | 4          | 5
        0   | 4 ts 4.5 | 5          | 5
        0   | 1 ts 6   | 5          | 6
    ",
    );
}

/// Section 5.3, as Linux does it: what left more than a millisecond before the last segment in order brings nothing new, and what
/// ends below the last ACK is no part of the connection, so that its timestamp is not taken.
#[test]
fn what_left_before_the_last_in_order_is_discarded() {
    for (paws, rest) in
        [(true, ["3            | 5 |", "4 | 5 |", "4 | 5 |"]), (false, ["4            | 5 |", "4 | 5 |", "4 | 7 |"])]
    {
        let ack = AckPolicyKind::Every {};
        let rules = acklab_tcp::rules::ReceiverRules { ack, paws, ..Stack::Rfc.receiver() };
        let [older, near, repeat] = rest;
        let table = format!(
            "
            at | event      | acks     | echo
            0  | 0 ts 1     | 1        | 1
            0  | 2 ts 3     | 1 sack 2 | 1
            0  | 1 ts 5     | 3        | 5
            0  | 3 ts 4.9   | {older}
            0  | 3 ts 4.999 | {near}
            0  | 0 ts 7     | {repeat}
        "
        );
        receiver_table::follow(rules, PLAIN, &table);
    }
}

/// Appendix G: with several samples a round trip each weighs less. Four segments out when the ACK comes: ExpectedSamples =
/// ceil (4000 / 2000) = 2, alpha' = 1/16, beta' = 1/8.
///
/// First sample 0.2: SRTT 0.2, RTTVAR 0.1, RTO 0.6. Second, 0.3: RTTVAR = 0.875 * 0.1 + 0.125 * 0.1 = 0.1, SRTT = 0.9375 *
/// 0.2 + 0.0625 * 0.3 = 0.20625, RTO 0.60625. One segment out (third): alpha 1/8: R' = 0.2: RTTVAR 0.075 + 0.25 *
/// 0.00625 = 0.0765625, SRTT 0.18046875 + 0.025 = 0.20546875.
#[test]
fn samples_share_a_round_trip() {
    let rules = SenderRules {
        timestamps: true,
        packet: 1012,
        window: Window::Segments(4),
        min_rto: Time::ZERO,
        initial_window: 4.0,
        recovery: named("newreno"),
        ..rfc()
    };
    follow(
        rules,
        Supply::Segments(5),
        "
        at  | event        | sends | rto       | samples | flight
        0   | start        | 0-3   | 1         | 0       | 4000
        0.2 | ack 1 ts 0   | 4     | 0.6       | 1       | 4000
        0.3 | ack 4 ts 0   |       | 0.60625   | 2       | 1000
        0.4 | ack 5 ts 0.2 |       | 0.51171875 | 3      | 0
    ",
    );
}

/// Section 4.1: every ACK of new data gives a sample, retransmissions included, for the echo tells which one was answered.
#[test]
fn retransmissions_are_sampled() {
    let rules = SenderRules { timestamps: true, packet: 1012, initial_window: 2.0, ..rfc() };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event      | sends | rto | samples | timer
        0   | start      | 0 1   | 1   | 0       | 1
        1   | timeout    | 0*    | 2   | 0       | 3
        1.1 | ack 1 ts 1 | 1* 2  | 1   | 1       | 2.1
    ",
    );
}
