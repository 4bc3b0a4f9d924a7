//! Reductions that were needless, taken back: Eifel's timestamps (RFC 3522), DSACKs (RFC 3708). Worked on paper.

use acklab_tcp::rules::{RecoveryKind, SenderRules, Undo, Variants, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn undo(recovery: RecoveryKind, undo: Undo, initial_window: f64) -> SenderRules {
    let recovery = recovery.with("undo", undo);
    SenderRules { recovery, initial_window, timestamps: true, timestamp_bytes: 0, ..rfc() }
}

const SACK: [&str; 3] = ["rfc6675", "rack", "fack"];

/// Three segments overtake 0, which is sent again at 0.1 and halves the window: FlightSize 12 less 2. What fills the hole left at 0:
/// window and threshold are again as before, and the ACK grows the one like any other. If what fills it left at 0.1, it was lost.
#[test]
fn a_hole_filled_by_what_left_before_its_retransmission_was_no_loss() {
    for recovery in SACK.map(named) {
        for (by, ts, rest) in [
            (Undo::Timestamps, "0", "12-14 | 11000 | 6291456"),
            (Undo::Both, "0", "12-14 | 11000 | 6291456"),
            (Undo::Dsack, "0", "      | 5000 | 5000"),
            (Undo::Off, "0", "      | 5000 | 5000"),
            (Undo::Timestamps, "0.1", "      | 5000 | 5000"),
        ] {
            let table = format!(
                "
                at   | event            | sends | cwnd  | ssthresh
                0    | start            | 0-9   | 10000 |
                0.1  | ack 0 sack 1     | 10    | 10000 |
                0.1  | ack 0 sack 1-2   | 11    | 10000 |
                0.1  | ack 0 sack 1-3   | 0*    | 5000  | 5000
                0.11 | ack 4 ts {ts}    | {rest}
            "
            );
            let sender = follow(undo(recovery, by, 10.0), Supply::Segments(100), &table);
            assert_eq!(sender.counters().undone, u32::from(rest.contains("11000")), "{recovery:?} {by:?}");
        }
    }
}

/// A pause of more than a second. Without the rule the timeout's go-back sends everything again; with it the first ACK, of
/// a segment from before, restores four segments, grows them by one, and new data follows.
#[test]
fn a_timeout_that_was_only_a_pause() {
    for recovery in [named("rfc6675"), named("fack")] {
        for (by, ts, rest) in [
            (Undo::Timestamps, "0", "4 5   | 5000 | 6291456"),
            (Undo::Timestamps, "1", "1* 2* | 2000 | 2000"),
            (Undo::Off, "0", "1* 2* | 2000 | 2000"),
        ] {
            let table = format!(
                "
                at   | event        | sends | cwnd | ssthresh
                0    | start        | 0-3   | 4000 |
                1    | timeout      | 0*    | 1000 | 2000
                1.1  | ack 1 ts {ts} | {rest}
            "
            );
            follow(undo(recovery, by, 4.0), Supply::Segments(100), &table);
        }
    }
}

/// The recovery is over when the receiver reports the retransmission as a duplicate: everything sent again was there.
#[test]
fn what_was_sent_again_for_nothing_is_reported() {
    for recovery in SACK.map(named) {
        for (by, rest) in [(Undo::Dsack, "17-21 | 10000 | 6291456"), (Undo::Timestamps, "      | 5000 | 5000")] {
            let table = format!(
                "
                at   | event            | sends | cwnd  | ssthresh
                0    | start            | 0-9   | 10000 |
                0.1  | ack 0 sack 1     | 10    | 10000 |
                0.1  | ack 0 sack 1-2   | 11    | 10000 |
                0.1  | ack 0 sack 1-3   | 0*    | 5000  | 5000
                0.2  | ack 12 ts 0.1    | 12-16 | 5000  | 5000
                0.21 | ack 12 sack 0 ts 0.1 | {rest}
            "
            );
            follow(undo(recovery, by, 10.0), Supply::Segments(100), &table);
        }
    }
}

/// The path copied 0 itself, before anything was sent again. The report of 1 then is the second of one retransmission: it may be
/// of another copy of the path's, and proves nothing.
#[test]
fn reports_of_more_duplicates_than_were_sent_prove_nothing() {
    for (copied, rest) in [("", "19-24 | 11000 | 6291456"), ("sack 0", "      | 5500 | 5500")] {
        let table = format!(
            "
            at   | event                 | sends | cwnd  | ssthresh
            0    | start                 | 0-9   | 10000 |
            0.05 | ack 1 ts 0            | 10 11 | 11000 |
            0.06 | ack 1 {copied} ts 0   |       | 11000 |
            0.1  | ack 1 sack 2 ts 0     | 12    | 11000 |
            0.1  | ack 1 sack 2-3 ts 0   | 13    | 11000 |
            0.1  | ack 1 sack 2-4 ts 0   | 1*    | 5500  | 5500
            0.2  | ack 14 ts 0.1         | 14-18 | 5500  | 5500
            0.21 | ack 14 sack 1 ts 0.1  | {rest}
        "
        );
        follow(undo(named("rfc6675"), Undo::Dsack, 10.0), Supply::Segments(100), &table);
    }
}

/// Of two retransmissions one was needless: the other was not, and the window stays halved.
#[test]
fn one_loss_among_late_segments_is_a_loss() {
    let sender = follow(
        undo(named("rfc6675"), Undo::Dsack, 10.0),
        Supply::Segments(100),
        "
        at   | event                | sends | cwnd  | ssthresh
        0    | start                | 0-9   | 10000 |
        0.1  | ack 0 sack 2-8       | 0* 1* 10 11 | 5000  | 5000
        0.2  | ack 10 ts 0.1        | 12-14 | 5000  | 5000
        0.2  | ack 10 sack 0 ts 0.1 |       | 5000  | 5000
    ",
    );
    assert_eq!(sender.counters().undone, 0);
}

/// The recovery of 0 finds 10 lost as well, beyond its end, and sends it again at 0.2. The next recovery sends it once more at
/// 0.22, needlessly. What fills the hole left at 0.2, before that: but 10 was lost, and its window stays reduced.
#[test]
fn a_retransmission_of_the_recovery_before_is_no_sign() {
    let sender = follow(
        undo(named("rfc6675"), Undo::Timestamps, 10.0),
        Supply::Segments(100),
        "
        at   | event                    | sends     | cwnd | ssthresh
        0    | start                    | 0-9       | 10000
        0.1  | ack 0 sack 1-3           | 0*        | 5000 | 5000
        0.1  | ack 0 sack 1-9           | 10-13     | 5000 | 5000
        0.2  | ack 0 sack 11-13 1-9     | 10* 14-16 | 5000 | 5000
        0.21 | ack 10 sack 11-13 ts 0.1 |           | 5000 | 5000
        0.22 | ack 10 sack 11-14 ts 0.1 | 10*       | 3500 | 3500
        0.23 | ack 15 ts 0.2            | 17        | 3500 | 3500
    ",
    );
    assert_eq!(sender.counters().undone, 0);
}

/// The report of a duplicate comes while others are still being repaired: only the end of the recovery takes the window back.
#[test]
fn a_duplicate_within_the_recovery_waits_for_its_end() {
    let sender = follow(
        undo(named("rfc6675"), Undo::Dsack, 10.0),
        Supply::Segments(100),
        "
        at   | event                | sends | cwnd  | ssthresh
        0    | start                | 0-9   | 10000 |
        0.1  | ack 0 sack 1         | 10    | 10000 |
        0.1  | ack 0 sack 1-2       | 11    | 10000 |
        0.1  | ack 0 sack 1-3       | 0*    | 5000  | 5000
        0.11 | ack 4                |       | 5000  | 5000
        0.12 | ack 4 sack 0         |       | 5000  | 5000
        0.2  | ack 12               | 12-22 | 11000 | 6291456
    ",
    );
    assert_eq!(sender.counters().undone, 1);
}

/// In congestion avoidance the threshold comes back as three quarters of the window that was no too large.
#[test]
fn a_threshold_far_below_the_window_is_raised() {
    follow(
        SenderRules { initial_ssthresh: 2.0, ..undo(named("rfc6675"), Undo::Timestamps, 10.0) },
        Supply::Segments(100),
        "
        at   | event            | sends | cwnd  | ssthresh
        0    | start            | 0-9   | 10000 | 2000
        0.1  | ack 0 sack 1     | 10    | 10000 |
        0.1  | ack 0 sack 1-2   | 11    | 10000 |
        0.1  | ack 0 sack 1-3   | 0*    | 5000  | 5000
        0.11 | ack 4 ts 0       | 12 13 | 10100 | 7500
    ",
    );
}
