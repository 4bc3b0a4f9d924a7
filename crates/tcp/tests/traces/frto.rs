//! Timeouts that nothing was lost behind, told by new data (F-RTO with SACK, RFC 5682 section 3.1). Worked on paper.

use acklab_tcp::rules::{CreditKind, Frto, Growth, RecoveryKind, SenderRules, Variants, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn frto(frto: Frto, initial_window: f64) -> SenderRules {
    let recovery = named::<RecoveryKind>("rfc6675").with("frto", frto);
    SenderRules { recovery, initial_window, timestamps: false, ..rfc() }
}

/// A pause of more than a second. Without the rule the timeout's go-back sends everything again. With it the ACK of what was sent
/// again lets two new segments go (step 2b), and the next, of a segment from before, takes the timeout back (step 3b): window and
/// threshold as before, and the ACK grows the one like any other.
#[test]
fn a_timeout_that_was_only_a_pause() {
    for rule in [Frto::Rfc5682, Frto::Linux] {
        let sender = follow(
            frto(rule, 4.0),
            Supply::Segments(100),
            "
            at   | event   | sends | cwnd | ssthresh
            0    | start   | 0-3   | 4000 |
            1    | timeout | 0*    | 1000 | 2000
            1.1  | ack 1   | 4 5   | 2000 | 2000
            1.1  | ack 2   | 6     | 5000 | 6291456
            1.1  | ack 3   | 7 8   | 6000 | 6291456
        ",
        );
        assert_eq!((sender.counters().undone, sender.counters().retransmits), (1, 1));
    }
    follow(
        frto(Frto::Off, 4.0),
        Supply::Segments(100),
        "
        at   | event   | sends | cwnd | ssthresh
        0    | start   | 0-3   | 4000 |
        1    | timeout | 0*    | 1000 | 2000
        1.1  | ack 1   | 1* 2* | 2000 | 2000
    ",
    );
}

/// A delayed ACK covers 0 and 1, and only 0 has been sent twice. RFC 5682 asks all the same; Linux believes it.
#[test]
fn linux_believes_the_first_ack_if_it_covers_more_than_what_was_sent_again() {
    for (rule, rest) in [
        (Frto::Linux, "1.1 | ack 2 | 4-6 | 5000 | 6291456"),
        (Frto::Rfc5682, "1.1 | ack 2 | 4 5 | 2000 | 2000\n 1.1 | ack 3 | 6 7 | 5000 | 6291456"),
    ] {
        let table = format!(
            "
            at   | event   | sends | cwnd | ssthresh
            0    | start   | 0-3   | 4000 |
            1    | timeout | 0*    | 1000 | 2000
            {rest}
        "
        );
        follow(frto(rule, 4.0), Supply::Segments(100), &table);
    }
}

/// The flight was lost. What asked is reported, and nothing of the flight (step 3a): 1 and all behind it are sent again.
#[test]
fn a_timeout_that_had_its_reason() {
    for rule in [Frto::Rfc5682, Frto::Linux] {
        let sender = follow(
            frto(rule, 4.0),
            Supply::Segments(100),
            "
            at   | event        | sends | cwnd | ssthresh
            0    | start        | 0-3   | 4000 |
            1    | timeout      | 0*    | 1000 | 2000
            1.1  | ack 1        | 4 5   | 2000 | 2000
            1.2  | ack 1 sack 4 | 1* 2* | 2000 | 2000
        ",
        );
        assert_eq!(sender.counters().undone, 0);
    }
}

/// Duplicates before the ACK of what was sent again are waited through (step 2); what they report has arrived, which is enough
/// for Linux.
#[test]
fn a_report_of_the_flight_before_the_first_ack() {
    for (rule, rest) in [
        (
            Frto::Rfc5682,
            "1.05 | ack 0 sack 2 | | 1000 | 2000\n 1.1 | ack 1 sack 2 | 4 5 | 2000 | 2000\n 1.1 | ack 3 | 6 7 | 5000 | 6291456",
        ),
        (Frto::Linux, "1.05 | ack 0 sack 2 | 4 | 4000 | 6291456"),
    ] {
        let table = format!(
            "
            at   | event   | sends | cwnd | ssthresh
            0    | start   | 0-3   | 4000 |
            1    | timeout | 0*    | 1000 | 2000
            {rest}
        "
        );
        follow(frto(rule, 4.0), Supply::Segments(100), &table);
    }
}

/// An ACK of the whole flight may be that of the segment sent again, where only the first was lost (step 2a).
#[test]
fn an_ack_of_everything_proves_nothing() {
    let sender = follow(
        frto(Frto::Rfc5682, 4.0),
        Supply::Segments(100),
        "
        at   | event   | sends | cwnd | ssthresh
        0    | start   | 0-3   | 4000 |
        1    | timeout | 0*    | 1000 | 2000
        1.1  | ack 4   | 4 5   | 2000 | 2000
        1.2  | ack 5   | 6     | 2500 | 2000
    ",
    );
    assert_eq!(sender.counters().undone, 0);
}

/// Without new data there is nothing to ask with.
#[test]
fn at_the_end_of_the_data_the_flight_is_sent_again() {
    for rule in [Frto::Rfc5682, Frto::Linux] {
        follow(
            frto(rule, 4.0),
            Supply::Segments(4),
            "
            at   | event   | sends | cwnd | ssthresh
            0    | start   | 0-3   | 4000 |
            1    | timeout | 0*    | 1000 | 2000
            1.1  | ack 1   | 1* 2* | 2000 | 2000
        ",
        );
    }
}

/// Reported before the timeout, 1 and 2 are no news when the ACK covers them; 3 is. Two reported segments let two more leave, which
/// FlightSize does not count (RFC 5681 section 3.2 step 1).
#[test]
fn what_was_reported_before_the_timeout_is_no_sign() {
    let sender = follow(
        frto(Frto::Linux, 5.0),
        Supply::Segments(100),
        "
        at   | event          | sends | cwnd | ssthresh
        0    | start          | 0-4   | 5000 |
        0.1  | ack 0 sack 1-2 | 5 6   | 5000 |
        1    | timeout        | 0*    | 1000 | 2500
        1.1  | ack 3          | 7 8   | 2000 | 2500
        1.2  | ack 4          | 9     | 6000 | 6291456
    ",
    );
    assert_eq!(sender.counters().undone, 1);
}

/// The repair of another loss is under way: its own retransmissions would be taken for the flight (step 1).
#[test]
fn within_a_recovery_nothing_is_suspected() {
    let sender = follow(
        frto(Frto::Linux, 10.0),
        Supply::Segments(100),
        "
        at   | event            | sends | cwnd  | ssthresh
        0    | start            | 0-9   | 10000 |
        0.1  | ack 0 sack 1-3   | 0*    | 5000  | 5000
        1.1  | timeout          | 0*    | 1000  | 5000
        1.2  | ack 5            | 5* 6* | 2000  | 5000
    ",
    );
    assert_eq!(sender.counters().undone, 0);
}

/// The flight is lost. The tail is probed at 1 (RFC 8985 section 7), and the timer sends 0 again at 2. That 3 is reported then says
/// that the probe has arrived, and nothing of the flight.
#[test]
fn a_probe_of_the_tail_is_none_of_the_flight() {
    let sender = follow(
        SenderRules { recovery: named::<RecoveryKind>("rack").with("frto", Frto::Linux), ..frto(Frto::Linux, 4.0) },
        Supply::Segments(4),
        "
        at   | event        | sends | cwnd | ssthresh
        0    | start        | 0-3   | 4000 |
        1    | timeout      | 3*    | 4000 |
        2    | timeout      | 0*    | 1000 | 2000
        2.05 | ack 0 sack 3 |       | 1000 | 2000
    ",
    );
    assert_eq!(sender.counters().undone, 0);
}

/// RACK's log tells the flight, reported or not, like RFC 6675's scoreboard. The probe that asks has new data, and is no
/// retransmission.
#[test]
fn with_rack() {
    for rule in [Frto::Rfc5682, Frto::Linux] {
        let sender = follow(
            SenderRules { recovery: named::<RecoveryKind>("rack").with("frto", rule), ..frto(rule, 4.0) },
            Supply::Segments(100),
            "
            at   | event   | sends | cwnd | ssthresh
            0    | start   | 0-3   | 4000 |
            1    | timeout | 4     | 4000 |
            2    | timeout | 0*    | 1000 | 2500
            2.1  | ack 1   | 5 6   | 2000 | 2500
            2.1  | ack 2   |       | 5000 | 6291456
            2.1  | ack 3   | 7 8   | 6000 | 6291456
        ",
        );
        assert_eq!((sender.counters().undone, sender.counters().retransmits), (1, 1));
    }
}

/// The first ACK covers five of eight and, by bytes, grows the window to six. Refuted, it is three at most (step 3a).
#[test]
fn a_refuted_suspicion_leaves_three_segments() {
    let credit = CreditKind::Ubc { growth: Growth::Whole };
    follow(
        SenderRules { credit, ..frto(Frto::Rfc5682, 8.0) },
        Supply::Segments(100),
        "
        at   | event        | sends | cwnd | ssthresh
        0    | start        | 0-7   | 8000 |
        1    | timeout      | 0*    | 1000 | 4000
        1.1  | ack 5        | 8 9   | 6000 | 4000
        1.2  | ack 5 sack 8 | 5* 6* 7* | 3000 | 4000
    ",
    );
}

/// The same segment's second timeout is within no other repair: it is examined like the first (step 1).
#[test]
fn a_second_timeout_of_the_same_segment_is_suspected_as_well() {
    let sender = follow(
        frto(Frto::Rfc5682, 4.0),
        Supply::Segments(100),
        "
        at   | event   | sends | cwnd | ssthresh
        0    | start   | 0-3   | 4000 |
        1    | timeout | 0*    | 1000 | 2000
        3    | timeout | 0*    | 1000 | 2000
        3.1  | ack 1   | 4 5   | 2000 | 2000
        3.1  | ack 2   | 6     | 5000 | 6291456
    ",
    );
    assert_eq!(sender.counters().undone, 1);
}
