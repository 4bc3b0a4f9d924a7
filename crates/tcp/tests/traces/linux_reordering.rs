//! Reordering as Linux measures it, worked on paper (`tcp_check_sack_reordering`, `tcp_try_undo_partial` and `tcp_may_raise_cwnd` in
//! net/ipv4/tcp_input.c, `tcp_rack_detect_loss` in tcp_recovery.c, `tcp_schedule_loss_probe` in tcp_output.c).

use acklab_packet::Time;
use acklab_tcp::rules::{CreditKind, RecoveryKind, Reordering, SenderRules, TailProbe, Undo, Variants, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn rules(reordering: Reordering) -> SenderRules {
    let recovery = named::<RecoveryKind>("rack").with("undo", Undo::Both).with("reordering", reordering);
    let linux = reordering == Reordering::Linux;
    let recovery = if linux { recovery.with("undo_evidence", "segments").with("search", "linux") } else { recovery };
    SenderRules { recovery, initial_window: 10.0, timestamps: true, timestamp_bytes: 0, ..rfc() }
}

/// 0 and 4 are late, and both are sent again. The first hole that its late segment fills takes nothing back while 4 is on its way again,
/// and nothing else is sent again; the second one does.
#[test]
fn a_late_segment_undoes_once_nothing_is_on_its_way_again() {
    let sender = follow(
        rules(Reordering::Linux),
        Supply::Segments(100),
        "
        at   | event                    | sends | cwnd  | ssthresh
        0    | start                    | 0-9   | 10000 |
        0.1  | ack 0 sack 1 ts 0        | 10    | 10000 |
        0.1  | ack 0 sack 1-2 ts 0      | 11    | 10000 |
        0.1  | ack 0 sack 1-3 ts 0      | 0*    | 5000  | 5000
        0.1  | ack 0 sack 5-7 1-3 ts 0  |       | 5000  |
        0.1  | ack 0 sack 5-8 1-3 ts 0  | 4*    | 5000  |
        0.11 | ack 4 sack 5-8 ts 0      | 12    | 5000  | 5000
        0.12 | ack 9 ts 0               | 13-19 | 11000 | 6291456
    ",
    );
    assert_eq!(sender.counters().undone, 1);
}

/// 4 was found lost and not sent again when the reduction is taken back. Linux's list by time has lost it: a report of 10 finds
/// 6 and what follows lost, but not 4.
#[test]
fn what_was_found_lost_is_not_found_again_after_the_undo() {
    for (reordering, sends) in [(Reordering::Linux, "6*"), (Reordering::Rfc8985, "4*")] {
        let table = format!(
            "
            at   | event                   | sends   | cwnd
            0    | start                   | 0-9     | 10000
            0.1  | ack 0 sack 1 ts 0       | 10      | 10000
            0.1  | ack 0 sack 1-2 ts 0     | 11      | 10000
            0.1  | ack 0 sack 1-3 ts 0     | 0*      | 5000
            0.1  | ack 0 sack 5 1-3 ts 0   |         | 5000
            0.11 | ack 4 sack 5 ts 0       | 12-15   |
            0.2  | ack 4 sack 5 10 ts 0    | {sends} |
        "
        );
        follow(rules(reordering), Supply::Segments(100), &table);
    }
}

/// 5 overtakes five segments, which the ACK of all grows the window by. From then on a report grows it, too.
#[test]
fn far_reordering_lets_reports_grow_the_window() {
    for (reordering, sends, cwnd) in [(Reordering::Linux, "21 22", 16000), (Reordering::Rfc8985, "21", 15000)] {
        let table = format!(
            "
            at    | event               | sends   | cwnd
            0     | start               | 0-9     | 10000
            0.1   | ack 0 sack 5 ts 0   | 10      | 10000
            0.105 | ack 6 ts 0          | 11-20   | 15000
            0.11  | ack 6 sack 8 ts 0   | {sends} | {cwnd}
        "
        );
        let rules = SenderRules { credit: CreditKind::SegmentCounter {}, ..rules(reordering) };
        follow(rules, Supply::Segments(100), &table);
    }
}

/// The timeout is 0.6 s. At 0.5, 2 left 0.5 s ago: the probe that new data sets comes in 0.1 s, not after two round trips of 0.15. A hundred
/// ticks from 500 end at 608, in groups of eight.
#[test]
fn a_probe_comes_no_later_than_the_timeout_of_the_oldest() {
    let recovery = named::<RecoveryKind>("rack").with("tick", Time::from_secs(0.001)).with("probe", TailProbe::Linux);
    let rules = SenderRules { recovery, initial_window: 4.0, max_rto: Time::from_secs(0.6), ..rfc() };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event | sends | timer
        0   | start | 0-3   |
        0.1 | ack 1 | 4 5   |
        0.5 | ack 2 | 6 7   | 0.608
    ",
    );
}
