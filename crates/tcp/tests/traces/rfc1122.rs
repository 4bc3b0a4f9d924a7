//! When a receiver acknowledges: RFC 1122 section 4.2.3.2 and RFC 5681 section 4.2, worked on paper.

use acklab_packet::Time;
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, Stack};

use crate::receiver_table::{Numbers, PLAIN, follow};

/// Every `segments`-th segment, or after 0.2 s.
fn delayed(segments: u32) -> ReceiverRules {
    let (timer, phase) = (Time::from_secs(0.2), Time::ZERO);
    let ack = AckPolicyKind::Delayed { timer, segments, heartbeat: false, phase };
    ReceiverRules { ack, immediate_on_syn: false, ..Stack::Rfc.receiver() }
}

/// "an ACK SHOULD be generated for at least every second full-sized segment, and MUST be generated within 500 ms of the
/// arrival of the first unacknowledged packet": the timer counts from the first, the second does not restart it.
#[test]
fn every_second_segment_or_the_timer() {
    follow(
        delayed(2),
        PLAIN,
        "
        at   | event | acks | timer
        0    | 0     |      | 0.2
        0.1  | 1     | 2    | off
        0.15 | 2     |      | 0.35
        0.35 | timer | 3    | off
        0.4  | 3     |      | 0.6
        0.5  | 4     | 5    | off
        0.5  | 5     |      | 0.7
    ",
    );
    follow(
        delayed(3),
        PLAIN,
        "
        at   | event | acks | timer
        0    | 0     |      | 0.2
        0.1  | 1     |      | 0.2
        0.15 | 2     | 3    | off
        0.2  | 3     |      | 0.4
        0.3  | 4     |      | 0.4
        0.4  | timer | 5    | off
    ",
    );
}

/// RFC 5681 section 4.2: "Out-of-order data segments SHOULD be acknowledged immediately", and so what was held before;
/// "a TCP receiver SHOULD send an immediate ACK when it receives a data segment that fills in all or part of a gap".
#[test]
fn nothing_waits_beside_a_gap() {
    follow(
        delayed(2),
        PLAIN,
        "
        at   | event       | acks          | timer | why
        0    | 0           |               | 0.2   |
        0.1  | 2           | 1 sack 2      | off   | out of order, with 0's ACK
        0.2  | 3           | 1 sack 2-3    | off   |
        0.2  | 5           | 1 sack 5 2-3  | off   |
        0.3  | 1           | 4 sack 5      | off   | fills a gap
        0.4  | [4000,4400) | 4+400 sack 5  | off   | fills a part of one
        0.4  | [4400,5000) | 6             | off   | fills the last
        0.5  | 6           |               | 0.7   | in order again
    ",
    );
}

/// A segment from below is answered at once: its sender lacks our ACK (RFC 9293 section 3.10.7.4).
#[test]
fn old_segments_are_answered_at_once() {
    follow(
        delayed(2),
        PLAIN,
        "
        at   | event | acks | timer
        0    | 0     |      | 0.2
        0.1  | 1     | 2    | off
        0.2  | 0     | 2    | off
        0.2  | 1     | 2    | off
        0.3  | 2     |      | 0.5
        0.4  | 0     | 3    | off
    ",
    );
}

/// The SYN (RFC 9293 section 3.10.7.2) and the FIN are answered at once.
#[test]
fn syn_and_fin_do_not_wait() {
    let rules = ReceiverRules { immediate_on_syn: true, ..delayed(2) };
    let numbers = Numbers { syn: true, fin_after: Some(3), ..PLAIN };
    follow(
        rules,
        numbers,
        "
        at   | event | acks | timer
        0    | syn   | 0    | off
        0.1  | 0     |      | 0.3
        0.1  | 1     | 2    | off
        0.2  | 2     |      | 0.4
        0.3  | fin   | fin  | off
    ",
    );
}

/// A free-running timer (BSD): beats at 0.05 + k * 0.2, whenever the segment came.
#[test]
fn a_heartbeat() {
    let ack = AckPolicyKind::Delayed {
        timer: Time::from_secs(0.2),
        segments: 2,
        heartbeat: true,
        phase: Time::from_secs(0.05),
    };
    follow(
        ReceiverRules { ack, ..delayed(2) },
        PLAIN,
        "
        at   | event | acks | timer
        0.06 | 0     |      | 0.25
        0.25 | timer | 1    | off
        0.44 | 1     |      | 0.45
        0.45 | timer | 2    | off
        0.5  | 2     |      | 0.65
        0.6  | 3     | 4    | off
    ",
    );
}

/// ns-1's receiver: the first segment waits for the whole timer, and a segment that closes a gap in order waits too.
#[test]
fn ns1_delays_what_the_standard_does_not() {
    let rules = ReceiverRules { sack: false, ..Stack::Ns2In1998.receiver() };
    let numbers = Numbers { mss: 1, ..PLAIN };
    follow(
        rules,
        numbers,
        "
        at   | event | acks | timer | why
        0    | 0     |      | 0.2   |
        0.2  | timer | 1    | off   |
        0.3  | 2     | 1    | off   |
        0.3  | 4     | 1    | off   |
        0.4  | 1     | 3    | off   | data follows: not at the end of what is in order
        0.5  | [3,4) | 5    | off   |
        0.6  | 7     | 5    | off   |
        0.7  | 5     |      | 0.9   | in order, though below 7
    ",
    );
}
