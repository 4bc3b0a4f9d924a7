//! ACK division, small segments, Nagle, and the defences: conversations worked out by hand (ledger divack).

use std::sync::Arc;

use acklab_packet::{Ack, Segment, Seq, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::*;
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};
use crate::tape::Tape;

fn reno(window: f64, ssthresh: f64) -> SenderRules {
    let credit = CreditKind::AckCounting {};
    SenderRules { recovery: named("reno"), credit, initial_window: window, initial_ssthresh: ssthresh, ..rfc() }
}

fn bytes(nagle: Nagle, sws_avoidance: bool) -> Sequence {
    Sequence::Bytes { nagle, sws_avoidance, pieces: PieceEffect::Slide }
}

/// Figure 4 (ledger divack.fig4.four): two divided ACKs of one segment release two full and two half segments.
#[test]
fn without_nagle_halves_follow_halves() {
    let rules = SenderRules { sequence: bytes(Nagle::Off, false), ..reno(1.0, 0.0) };
    follow(
        rules,
        Supply::Unlimited,
        "
        at  | event     | sends               | cwnd | flight
        0   | start     | 0                   | 1000 | 1000
        0.1 | ack 0+500 | 1 [2000,2500)       | 2000 | 2000
        0.1 | ack 1     | [2500,3500) [3500,4000) | 3000 | 3000
        # the next round divides the half segments as well: 250 bytes, then 250 more
        0.2 | ack 1+500 | 4 [5000,5500) | 4000 | 4000
        0.2 | ack 2     | [5500,6500) [6500,7000) | 5000 | 5000
        0.2 | ack 2+250 | 7 [8000,8250) | 6000 | 6000
        0.2 | ack 2+500 | [8250,9250) [9250,9500) | 7000 | 7000
    ",
    );
}

/// With Nagle's rule, or with silly window avoidance, the same exchange sends three full segments.
#[test]
fn with_nagle_three_full_segments() {
    for (nagle, sws_avoidance) in [(Nagle::On, false), (Nagle::Off, true)] {
        follow(
            SenderRules { sequence: bytes(nagle, sws_avoidance), ..reno(1.0, 0.0) },
            Supply::Unlimited,
            "
            at  | event     | sends | cwnd | flight
            0   | start     | 0     | 1000 | 1000
            0.1 | ack 0+500 | 1     | 2000 | 1500
            0.1 | ack 1     | 2 3   | 3000 | 3000
        ",
        );
    }
}

/// RFC 896: the end of the data, smaller than a segment, waits until everything is acknowledged; Minshall's variant
/// lets it go, since no small segment is out.
#[test]
fn the_last_small_segment_waits() {
    let on = SenderRules { sequence: bytes(Nagle::On, true), ..reno(4.0, 0.0) };
    follow(
        on,
        Supply::Bytes(2300),
        "
        at  | event   | sends       | flight
        0   | start   | 0 1         | 2000
        0.1 | ack 1   |             | 1000
        0.2 | ack 2   | 2           | 300
    ",
    );
    let minshall = SenderRules { sequence: bytes(Nagle::Minshall, true), ..reno(4.0, 0.0) };
    follow(
        minshall,
        Supply::Bytes(2300),
        "
        at  | event   | sends           | flight
        0   | start   | 0-2             | 2300
    ",
    );
}

/// Minshall's variant holds a small segment while another is out, and only then.
#[test]
fn minshall_holds_the_second_small_segment() {
    follow(
        SenderRules { sequence: bytes(Nagle::Minshall, false), ..reno(1.0, 0.0) },
        Supply::Unlimited,
        "
        at  | event       | sends           | cwnd | flight
        0   | start       | 0               | 1000 | 1000
        0.1 | ack 0+500   | 1 [2000,2500)   | 2000 | 2000
        0.1 | ack 1       | [2500,3500)     | 3000 | 2500
    ",
    );
}

/// What was sent before is not sent again together with what was not: after a timeout in the middle of a segment the
/// retransmission ends where the sent data ends (ledger divack.m.small_segments).
#[test]
fn a_retransmission_ends_with_what_was_sent() {
    follow(
        reno(2.0, 0.0),
        Supply::Unlimited,
        "
        at  | event     | sends         | cwnd | flight | timer
        0   | start     | 0 1           | 2000 | 2000   | 1
        0.1 | ack 0+500 | 2             | 3000 | 2500   | 1.1
        1.1 | timeout   | [500,1500)*   | 1000 | 2500
        1.2 | ack 2+500 | [2500,3000)* 3 | 2000 | 1500
    ",
    );
}

/// Slow start by ACKs counts every piece; by full segments the four together; by bytes (RFC 3465) each its share.
#[test]
fn what_four_pieces_of_an_ack_are_worth() {
    for (credit, windows) in [
        (CreditKind::AckCounting {}, [3000, 4000, 5000, 6000]),
        (CreditKind::FullSegments {}, [2000, 2000, 2000, 3000]),
        (CreditKind::Abc { limit: 2.0 }, [2250, 2500, 2750, 3000]),
        (CreditKind::Rfc5681 {}, [2250, 2500, 2750, 3000]),
    ] {
        let rules = SenderRules { credit, ..reno(2.0, 0.0) };
        let rows: Vec<_> = ["0+250", "0+500", "0+750", "1"].iter().zip(windows).collect();
        let mut table = "at | event | cwnd\n0 | start | 2000\n".to_owned();
        for (ack, cwnd) in rows {
            table += &format!("0.1 | ack {ack} | {cwnd}\n");
        }
        // The column `sends` is always checked where it is there; here windows alone are.
        follow(rules, Supply::Unlimited, &table);
    }
}

/// Section IV: a sender that counts packets has no number for a part of one (ledger divack.m.generator). Three ACKs of parts of
/// segment 0 only grow the window, from one segment to four. The whole ACK grows it to five, and segments 1 to 5 leave at once.
#[test]
fn a_sender_that_counts_packets_takes_pieces_as_growth_alone() {
    let sequence = Sequence::Bytes { nagle: Nagle::Off, sws_avoidance: true, pieces: PieceEffect::Grow };
    let sender = follow(
        SenderRules { sequence, ..reno(1.0, 0.0) },
        Supply::Unlimited,
        "
        at  | event     | sends | cwnd | flight
        0   | start     | 0     | 1000 | 1000
        0.1 | ack 0+250 |       | 2000 | 1000
        0.1 | ack 0+500 |       | 3000 | 1000
        0.1 | ack 0+750 |       | 4000 | 1000
        0.1 | ack 1     | 1-5   | 5000 | 5000
        # a part of segment 2 says that segment 1 came, and is no duplicate
        0.2 | ack 2+250 | 6 7   | 6000 | 6000
        0.2 | ack 3     | 8 9   | 7000 | 7000
    ",
    );
    assert_eq!(sender.core().cc.dupacks, 0);
}

/// In congestion avoidance each of four pieces grows a window of ten segments as an ACK does: by 1000 * 1000/cwnd whole bytes.
#[test]
fn pieces_count_in_congestion_avoidance() {
    let sequence = Sequence::Bytes { nagle: Nagle::Off, sws_avoidance: true, pieces: PieceEffect::Grow };
    follow(
        SenderRules { sequence, ..reno(10.0, 2.0) },
        Supply::Unlimited,
        "
        at  | event     | sends | cwnd
        0   | start     | 0-9   | 10000
        0.1 | ack 0+250 |       | 10100
        0.1 | ack 0+500 |       | 10199
        0.1 | ack 0+750 |       | 10297
        0.1 | ack 1     | 10    | 10394
    ",
    );
}

/// Spoofed duplicates inflate the window without end; with the limit by no more than was outstanding.
#[test]
fn spoofed_duplicates_and_their_limit() {
    let spoofed = "0.1 | ack 0 |\n".repeat(10);
    for (inflation_limit, flight) in [(false, 13_000), (true, 6000)] {
        let recovery = named::<RecoveryKind>("reno").with("inflation_limit", inflation_limit);
        let rules = SenderRules { recovery, limited_transmit: false, ..reno(4.0, 0.0) };
        let table = format!("at | event | flight\n0 | start | 4000\n{spoofed}0.2 | ack 0 | {flight}\n");
        // Half of the four segments, and eleven duplicates; or no more than the four.
        let sender = follow(rules, Supply::Unlimited, &table);
        assert_eq!(sender.core().cc.inflation, if inflation_limit { 4000 } else { 11_000 });
    }
}

/// Segment 1 is left out; an ACK that covers it is a lie and costs the window.
#[test]
fn an_optimistic_ack_of_what_was_left_out_is_caught() {
    let rules = SenderRules { skip: 1, ..reno(8.0, 0.0) };
    let sender = follow(
        rules,
        Supply::Unlimited,
        "
        at  | event  | sends    | cwnd
        0   | start  | 0 2-7    | 8000
        0.1 | ack 2  |          | 2000
    ",
    );
    assert_eq!(sender.counters().false_acks, 1);
}

/// The duplicates that ask for the segment left out are no sign of loss, but what they report counts: after the timeout
/// segment 5 is not sent again, though only such a duplicate has told of it.
#[test]
fn what_a_duplicate_that_asks_reports_is_kept() {
    for recovery in [named::<RecoveryKind>("rfc6675"), named("sack")] {
        let rules = SenderRules { skip: 1, recovery, ..reno(8.0, 0.0) };
        let sender = follow(
            rules,
            Supply::Segments(8),
            "
            at  | event                | sends  | cwnd
            0   | start                | 0 2-7  | 8000
            0.1 | ack 1 sack 2-3       |        | 9000
            0.2 | ack 1 sack 5 2-3     | 1*     | 9000
            0.3 | ack 1 sack 5-6 2-3   |        | 9000
            0.4 | ack 1 sack 5-7 2-3   |        | 9000
            1.1 | timeout              | 1*     | 1000
            1.2 | ack 4                | TAIL   | 2000
        "
            // FF96 forgets what was reported when the timer runs out.
            .replace("TAIL", if recovery.name() == "rfc6675" { "4*" } else { "4* 5*" })
            .as_str(),
        );
        assert_eq!(sender.counters().fast_retransmits, 0);
    }
}

/// And a mark that such a duplicate echoes is answered: half of the seven segments outstanding.
#[test]
fn a_mark_on_a_duplicate_that_asks_counts() {
    let rules = SenderRules { skip: 1, ecn: true, recovery: named("rfc6675"), ..reno(8.0, 0.0) };
    follow(
        rules,
        Supply::Segments(8),
        "
        at  | event                | sends  | cwnd
        0   | start                | 0 2-7  | 8000
        0.1 | ack 1                |        | 9000
        0.2 | ack 1 sack 2 ece     | 1*     | 3500
    ",
    );
}

/// With pacing: a segment is left out when its turn to be sent has come, and the next goes in its place.
#[test]
fn a_paced_sender_leaves_segments_out() {
    let rules = SenderRules { skip: 5, pacing: named("spread"), recovery: named("rfc6675"), ..reno(2.0, 0.0) };
    let sender = follow(
        rules,
        Supply::Segments(6),
        "
        at                 | event          | sends  | cwnd | flight | pacer
        0                  | start          | 0 1    | 2000 | 2000   | off
        0.1                | ack 2          | 2      | 3000 | 1000   | 0.133333333
        0.1333333333333333 | pacer          | 4      | 3000 | 3000
        0.2                | ack 3          | 5      | 4000 | 3000
        0.2333333333333333 | ack 3 sack 4   | 3*     | 4000 | 3000
        0.3                | ack 3 sack 4-5 |        | 4000 | 3000
        0.35               | ack 6          |        | 5000 | 0
    ",
    );
    assert_eq!((sender.counters().fast_retransmits, sender.counters().timeouts), (0, 0));
}

fn divide(pieces: u32, spacing: f64) -> AckPolicyKind {
    AckPolicyKind::Divide {
        pieces,
        segments: 1,
        timer: Time::from_secs(0.1),
        when: DivideWhen::Always,
        phase: PhaseSource::Oracle,
        window: u32::MAX,
        silence: Time::from_secs(0.5),
        start: Time::ZERO,
        burst: 0,
        parts: PieceParts::Equal,
        order: PieceOrder::Rising,
        spacing: Time::from_secs(spacing),
    }
}

/// The ACK numbers that each of some segments of 1000 bytes causes, at its instant.
fn acks(policy: AckPolicyKind, segments: &[(f64, Seq)]) -> (Vec<Vec<Seq>>, Receiver, Tape<Ack>) {
    let rules = ReceiverRules { ack: policy, ..Stack::Rfc.receiver() };
    let mut receiver = Receiver::new(Arc::new(rules));
    let mut tape = Tape::default();
    let mut told = Vec::new();
    for &(at, seq) in segments {
        let segment = Segment { seq, len: 1000, ..Segment::default() };
        receiver.on_segment(&segment, Time::from_secs(at), &mut tape);
        told.push(tape.sent.drain(..).map(|ack| ack.ack).collect());
    }
    (told, receiver, tape)
}

/// Ledger divack.m.generator: pieces in order, single duplicates beyond a gap, a whole ACK when the gap is filled.
#[test]
fn out_of_order_data_is_acknowledged_whole() {
    let (told, ..) = acks(divide(4, 0.0), &[(0.0, 0), (0.1, 1000), (0.2, 3000), (0.3, 4000), (0.4, 2000), (0.5, 5000)]);
    let quarters = |from: Seq| (1..=4).map(|piece| from + 250 * piece).collect::<Vec<_>>();
    // Unit 0 is acknowledged at once, as a SYN would be.
    assert_eq!(told, [vec![1000], quarters(1000), vec![2000], vec![2000], vec![5000], quarters(5000)]);
}

/// Spaced pieces leave one by one; an ACK that may not wait sends what is left before itself.
#[test]
fn spaced_pieces_leave_before_what_follows_them() {
    let (told, mut receiver, mut tape) = acks(divide(4, 0.01), &[(0.0, 0), (0.0, 1000)]);
    assert_eq!(told, [[1000], [1250]]);
    assert_eq!(tape.timer, Some(Time::from_secs(0.01)));
    receiver.on_timer(Time::from_secs(0.01), &mut tape);
    assert_eq!((tape.sent.pop().map(|ack| ack.ack), tape.timer), (Some(1500), Some(Time::from_secs(0.02))));
    let gap = Segment { seq: 3000, len: 1000, ..Segment::default() };
    receiver.on_segment(&gap, Time::from_secs(0.015), &mut tape);
    let numbers: Vec<_> = tape.sent.iter().map(|ack| ack.ack).collect();
    assert_eq!((numbers, tape.timer), (vec![1750, 2000, 2000], None));
}
