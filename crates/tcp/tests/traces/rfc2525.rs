//! Faults of RFC 2525, each beside the numbers of its trace. Sections are that document's.
//!
//! A test follows the trace twice: with the fault, as printed, and without, as the text says it should be.

use std::sync::Arc;

use acklab_packet::{Segment, Seq, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, RecoveryExit, SenderFault, SenderRules, Stack, Window, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};
use crate::tape::Tape;

fn faulty(fault: SenderFault) -> SenderRules {
    SenderRules { fault, limited_transmit: false, recovery: named("newreno"), ..rfc() }
}

/// Sections 2.1 and 2.3: six segments leave where one may; and 61, where the window was never set.
#[test]
fn no_initial_slow_start() {
    for (initial_window, sends) in [(1.0, "0"), (6.0, "0-5"), (61.0, "0-60")] {
        let rules = SenderRules { initial_window, ..faulty(SenderFault::None) };
        follow(rules, Supply::Segments(100), &format!("at | event | sends\n 0 | start | {sends}"));
    }
}

/// Section 2.2: the retransmission of a timeout is acknowledged with the four segments behind it. The window should be two segments
/// then. The trace has 19 leave; here 23 do, all of the window of 33,580 bytes in segments of 1460.
#[test]
fn no_slow_start_after_a_timeout() {
    let table = |sends: &str, cwnd: &str| {
        format!(
            "
            at  | event   | sends  | cwnd
            0   | start   | 0-4    | 7300
            1   | timeout | 0*     | 1460
            1.1 | ack 5   | {sends} | {cwnd}
        "
        )
    };
    let rules = |fault| SenderRules {
        packet: 1460,
        window: Window::Bytes(acklab_packet::Bytes::new(33_580)),
        initial_window: 5.0,
        ..faulty(fault)
    };
    follow(rules(SenderFault::None), Supply::Segments(100), &table("5 6", "2920"));
    follow(rules(SenderFault::NoSlowStartAfterTimeout), Supply::Segments(100), &table("5-27", "33580"));
}

/// Section 2.6: a window of 31 segments of 4312 bytes, an ACK for every second one. With the constant a third segment leaves at the
/// seventh ACK, and at the sixth after it: 7 and 13, as in the trace. Without it the window grows near the end of the second round trip,
/// at the 32nd ACK.
#[test]
fn an_extra_additive_constant() {
    let acks = |fault, segments: usize| {
        let rules = SenderRules { packet: 4312, initial_window: 31.0, initial_ssthresh: 31.0, ..faulty(fault) };
        let mut sender = acklab_tcp::sender::Sender::new(Arc::new(rules), Supply::Segments(1000));
        let mut tape = Tape::default();
        sender.start(Time::ZERO, &mut tape);
        let mut at = Vec::new();
        for count in 1..=40_u64 {
            tape.sent.clear();
            let ack = acklab_packet::Ack { ack: 2 * count * 4312, ..acklab_packet::Ack::default() };
            sender.on_ack(&ack, Time::from_secs(0.1 + 1e-3 * count as f64), &mut tape);
            if tape.sent.len() > 2 {
                at.push(count);
            }
        }
        at.truncate(segments);
        at
    };
    assert_eq!(acks(SenderFault::None, 1), [32]);
    assert_eq!(acks(SenderFault::ExtraAdditiveConstant, 3), [7, 13, 20]);
}

/// Section 2.8, in its own numbers: seven segments are out when three duplicates halve the window to three; five in all make it eight,
/// so that one new segment leaves. The ACK of the seven should leave a window of three, and two new segments; the trace has seven.
#[test]
fn no_deflation() {
    let table = |sends: &str, cwnd: &str| {
        format!(
            "
            at  | event | sends  | cwnd | window
            0   | start | 0-6    | 7168 | 7168
            0.1 | ack 0 |        | 7168 | 7168
            0.1 | ack 0 |        | 7168 | 7168
            0.1 | ack 0 | 0*     | 3584 | 6656
            0.1 | ack 0 |        | 3584 | 7680
            0.1 | ack 0 | 7      | 3584 | 8704
            0.2 | ack 7 | {sends} | {cwnd} |
        "
        )
    };
    let rules = |fault| SenderRules {
        packet: 1024,
        initial_window: 7.0,
        recovery: named("reno"),
        recovery_exit: RecoveryExit::Rfc6582,
        ..faulty(fault)
    };
    follow(rules(SenderFault::None), Supply::Segments(100), &table("8 9", "3584"));
    follow(rules(SenderFault::NoDeflation), Supply::Segments(100), &table("8-14", "8704"));
}

/// Section 2.7: a round trip of 0.9 s and an RTO of 0.2 s. The first segment goes again after 0.2 s, and after 0.4 s more; in the trace
/// after 0.19 and 0.38 s. With 3 s, as RFC 1122 has it, it does not.
#[test]
fn an_initial_rto_that_is_too_low() {
    let rules = |rto| SenderRules {
        initial_rto: Time::from_secs(rto),
        min_rto: Time::from_secs(rto),
        initial_window: 1.0,
        ..faulty(SenderFault::None)
    };
    follow(
        rules(0.2),
        Supply::Segments(9),
        "
        at  | event   | sends | timer
        0   | start   | 0     | 0.2
        0.2 | timeout | 0*    | 0.6
        0.6 | timeout | 0*    | 1.4
        0.9 | ack 1   | 1 2   |
    ",
    );
    follow(
        rules(3.0),
        Supply::Segments(9),
        "
        at  | event   | sends | timer
        0   | start   | 0     | 3
        0.9 | ack 1   | 1 2   |
    ",
    );
}

/// Section 2.10: a retransmission each second, as the twelve of the trace; and the intervals of the correct trace, 2, 4 ... 64 s.
#[test]
fn no_backoff() {
    let table = |times: &[u32]| {
        let mut table = "at | event | sends\n 0 | start | 0\n".to_owned();
        for at in times {
            table += &format!("{at} | timeout | 0*\n");
        }
        table
    };
    let rules = |fault| SenderRules { initial_window: 1.0, max_rto: Time::from_secs(64.0), ..faulty(fault) };
    follow(rules(SenderFault::NoBackoff), Supply::Segments(1), &table(&(1..=12).collect::<Vec<_>>()));
    follow(rules(SenderFault::None), Supply::Segments(1), &table(&[1, 3, 7, 15, 31, 63, 127, 191, 255]));
}

/// The cumulative numbers that answer segments of 536 bytes.
fn acks(rules: ReceiverRules, segments: &[Seq]) -> Vec<Seq> {
    let (mut receiver, mut tape) = (Receiver::new(Arc::new(rules)), Tape::default());
    for (count, &seq) in segments.iter().enumerate() {
        let segment = Segment { seq: 536 * seq, len: 536, ..Segment::default() };
        receiver.on_segment(&segment, Time::from_secs(1e-3 * count as f64), &mut tape);
    }
    tape.sent.iter().map(|ack| ack.ack / 536).collect()
}

/// Section 2.5: of thirteen segments beyond a lost one none is kept, and none is acknowledged. The retransmission is acknowledged alone.
#[test]
fn data_above_a_gap_is_not_retained() {
    let rules = |retain| ReceiverRules { retain, ack: AckPolicyKind::Every {}, ..Stack::Rfc.receiver() };
    let segments: Vec<Seq> = (0..3).chain(4..17).chain([3, 4, 5]).collect();
    assert_eq!(acks(rules(false), &segments), [1, 2, 3, 4, 5, 6]);
    assert_eq!(acks(rules(true), &segments), [&[1, 2, 3][..], &[3; 13], &[17; 3]].concat());
}

/// Section 2.13: an ACK for every third segment, of nine.
#[test]
fn stretch_acks() {
    let rules = |segments| ReceiverRules {
        ack: AckPolicyKind::Delayed { timer: Time::from_secs(0.2), segments, heartbeat: false, phase: Time::ZERO },
        immediate_on_syn: false,
        ..Stack::Rfc.receiver()
    };
    let nine: Vec<Seq> = (0..9).collect();
    assert_eq!(acks(rules(3), &nine), [3, 6, 9]);
    assert_eq!(acks(rules(2), &nine), [2, 4, 6, 8]);
}
