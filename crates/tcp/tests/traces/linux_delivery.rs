//! What Linux takes for delivered, worked on paper (`tcp_cong_control` in net/ipv4/tcp_input.c).

use acklab_tcp::rules::{CreditKind, SenderRules, Sequence, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

/// An ACK that covers segment 1 and reports 3 delivers two segments: the window of 11 grows to 13. Of twelve sent, two are covered
/// and one is reported: nine are in flight, and four leave. By RFC 5681's credit the window is 12, and three leave.
#[test]
fn what_an_ack_reports_opens_the_window_like_what_it_covers() {
    for (credit, sends, cwnd) in [(CreditKind::SegmentCounter {}, "12-15", 13), (CreditKind::Rfc5681 {}, "12-14", 12)] {
        let rules = SenderRules {
            sequence: Sequence::Segments {},
            recovery: named("rack"),
            initial_window: 10.0,
            credit,
            ..rfc()
        };
        let table = format!(
            "
            at  | event        | sends   | cwnd
            0   | start        | 0-9     | 10
            0.1 | ack 1        | 10 11   | 11
            0.1 | ack 2 sack 3 | {sends} | {cwnd}
        "
        );
        follow(rules, Supply::Segments(100), &table);
    }
}
