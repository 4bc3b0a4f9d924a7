//! Forward acknowledgment, worked on paper from the rules in `recovery/fack.rs` (Mathis and Mahdavi 1996; Linux before RACK).

use acklab_tcp::rules::{FackWindow, RecoveryKind, SenderRules, Variants, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn fack(initial_window: f64) -> SenderRules {
    SenderRules { recovery: named("fack"), initial_window, ..rfc() }
}

/// 0 is lost, and so is its retransmission.
///
/// In flight is what is neither reported nor lost; each report admits a new segment (10, 11). With 3 reported three
/// segments lie above 0: it is lost. FlightSize is 12000 less 2000 of early reports: 5000 is left. 0 goes out at once, then
/// nothing until 4000 are in flight. 12 was the first new segment after the retransmission: its report says that that is lost, and it
/// goes out again, without a second reduction and without the timer. ACK 14 is past what was out at the reduction.
#[test]
fn a_lost_retransmission_is_noticed_when_what_was_sent_after_it_is_reported() {
    let sender = follow(
        fack(10.0),
        Supply::Segments(40),
        "
        at   | event           | sends  | pipe | cwnd  | ssthresh
        0    | start           | 0-9    | none | 10000 |
        0.1  | ack 0 sack 1    | 10     | none | 10000 |
        0.1  | ack 0 sack 1-2  | 11     | none | 10000 |
        0.1  | ack 0 sack 1-3  | 0*     | 9000 | 5000  | 5000
        0.1  | ack 0 sack 1-7  |        | 5000
        0.1  | ack 0 sack 1-8  | 12     | 5000
        0.1  | ack 0 sack 1-9  | 13     | 5000
        0.2  | ack 0 sack 1-11 | 14 15  | 5000
        0.2  | ack 0 sack 1-12 | 0* 16  | 5000 | 5000  | 5000
        0.2  | ack 0 sack 1-13 | 17     | 5000
        0.3  | ack 14          | 18     | none | 5000  | 5000
        0.3  | ack 15          | 19     | none | 5200  | 5000
    ",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().fast_retransmits), (0, 1));
}

/// The end of the data: nothing new tells of a lost retransmission, but later retransmissions do. `dup_thresh` 1; 0 to 3
/// are lost, and 0 again. 1 and 2, sent after it, arrive: more than one.
#[test]
fn or_when_more_than_dup_thresh_later_retransmissions_arrive() {
    let sender = follow(
        SenderRules { dup_thresh: 1, ..fack(8.0) },
        Supply::Segments(8),
        "
        at   | event             | sends | pipe | cwnd
        0    | start             | 0-7   | none | 8000
        0.1  | ack 0 sack 4      | 0*    | 4000 | 4000
        0.1  | ack 0 sack 4-5    | 1*    | 4000
        0.1  | ack 0 sack 4-6    | 2*    | 4000
        0.1  | ack 0 sack 4-7    | 3*    | 4000
        0.2  | ack 0 sack 1 4-7  |       | 3000
        0.2  | ack 0 sack 1-2 4-7 | 0*   | 2000
        0.2  | ack 0 sack 1-7    |       | 1000
        0.3  | ack 8             |       | none | 4000
    ",
    );
    assert_eq!(sender.counters().timeouts, 0);
}

/// Rate halving: for two reports one segment, until what is in flight is what is left of the window.
#[test]
fn rate_halving_sends_a_segment_for_two_acks() {
    follow(
        SenderRules { recovery: named::<RecoveryKind>("fack").with("window", FackWindow::RateHalving), ..fack(8.0) },
        Supply::Segments(40),
        "
        at   | event           | sends | pipe | cwnd | ssthresh
        0    | start           | 0-7   | none | 8000 |
        0.1  | ack 0 sack 1    | 8     | none | 8000 |
        0.1  | ack 0 sack 1-2  | 9     | none | 8000 |
        0.1  | ack 0 sack 1-3  | 0*    | 7000 | 4000 | 4000
        0.1  | ack 0 sack 1-4  |       | 6000
        0.1  | ack 0 sack 1-5  | 10    | 6000
        0.1  | ack 0 sack 1-6  |       | 5000
        0.1  | ack 0 sack 1-7  | 11    | 5000
        0.2  | ack 0 sack 1-8  |       | 4000
        0.2  | ack 0 sack 1-9  | 12    | 4000
        0.2  | ack 10          | 13    | none | 4000 | 4000
    ",
    );
}

/// The timer presumes all lost that is not reported, 0, 2 and 4, and only that is sent again,
/// though the next ACK repeats no report.
#[test]
fn a_timeout_keeps_the_reports() {
    let sender = follow(
        SenderRules { dup_thresh: 4, ..fack(5.0) },
        Supply::Segments(5),
        "
        at  | event            | sends | cwnd | ssthresh | timer
        0   | start            | 0-4   | 5000 |          | 1
        0.1 | ack 0 sack 1     |       | 5000 |          | 1
        0.1 | ack 0 sack 3 1   |       | 5000 |          | 1
        1   | timeout          | 0*    | 1000 | 2500     | 3
        1.1 | ack 2            | 2* 4* | 2000
        1.2 | ack 5            |       |      |          | off
    ",
    );
    assert_eq!(sender.counters().retransmits, 3);
}

/// As ns-2's TCP/Linux has it: while reports come in, the timer does not run out.
#[test]
fn duplicates_may_restart_the_timer() {
    follow(
        SenderRules { recovery: named::<RecoveryKind>("fack").with("duplicates_restart_timer", true), ..fack(4.0) },
        Supply::Segments(4),
        "
        at  | event           | sends | timer
        0   | start           | 0-3   | 1
        0.5 | ack 0 sack 1    |       | 1.5
        0.9 | ack 0 sack 1-2  |       | 1.9
    ",
    );
}

/// `dup_thresh` 1. 0 and 8 are lost; 0's retransmission is late. 9's report makes both lost; ACK 8 shows that 0 was there
/// after all and ends the recovery, but 8 was sent, and lost, after the reduction: FlightSize 8 to 11, 2000 are left.
#[test]
fn what_was_lost_after_the_reduction_calls_for_another() {
    let sender = follow(
        SenderRules { dup_thresh: 1, ..fack(8.0) },
        Supply::Segments(40),
        "
        at   | event            | sends     | pipe | cwnd | ssthresh
        0    | start            | 0-7       | none | 8000 |
        0.1  | ack 0 sack 1     | 0*        | 7000 | 4000 | 4000
        0.1  | ack 0 sack 1-4   |           | 4000
        0.1  | ack 0 sack 1-5   | 8         | 4000
        0.1  | ack 0 sack 1-7   | 9 10      | 4000
        0.2  | ack 0 sack 9 1-7 | 0* 8* 11  | 4000
        0.2  | ack 8 sack 9     |           | 3000 | 2000 | 2000
        0.3  | ack 11           | 12        | 2000 | 2000
    ",
    );
    assert_eq!(sender.counters().fast_retransmits, 2);
}

/// RFC 5681 section 3.1: where cwnd equals ssthresh a sender may use either. Linux's is in slow start for one more ACK.
#[test]
fn a_window_at_ssthresh_may_be_in_slow_start() {
    let recovered = "
        at   | event           | sends  | cwnd
        0    | start           | 0-9    | 10000
        0.1  | ack 0 sack 1-3  | 0* CC  | 5000
    ";
    for (slow_start_at_ssthresh, first, second) in [(false, "5200", "5392"), (true, "6000", "6166")] {
        let table = format!(
            "{}
        0.2  | ack 10          | 10-14  | 5000
        0.3  | ack 11          |        | {first}
        0.3  | ack 12          |        | {second}",
            recovered.replace(" CC", "").trim_end()
        );
        let rules = SenderRules { slow_start_at_ssthresh, ..fack(10.0) };
        follow(rules, Supply::Segments(15), &table);
    }
}
