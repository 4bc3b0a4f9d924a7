//! Windows that are not used (RFC 2861, as Linux has it), worked on paper from the rules in `sender/validation.rs`.

use acklab_tcp::rules::{CreditKind, SenderRules, Validation};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn validated() -> SenderRules {
    SenderRules { validation: Validation::Linux, initial_window: 10.0, ..rfc() }
}

/// Slow start doubles the window: with six of ten segments out it may become twelve, and no more.
#[test]
fn slow_start_grows_to_twice_what_was_out() {
    let table = "
        at   | event  | sends | cwnd
        0    | start  | 0-5   | 10000
        0.1  | ack 1  |       | 11000
        0.1  | ack 2  |       | 12000
        0.1  | ack 3  |       | THIRD
        0.1  | ack 6  |       | LAST
    ";
    follow(validated(), Supply::Segments(6), &table.replace("THIRD", "12000").replace("LAST", "12000"));
    let never = SenderRules { validation: Validation::Off, ..validated() };
    follow(never, Supply::Segments(6), &table.replace("THIRD", "13000").replace("LAST", "14000"));
}

/// Congestion avoidance grows a window that stopped the sender, and no other: nine of ten are out, then all ten.
#[test]
fn congestion_avoidance_grows_a_full_window_only() {
    let rules = SenderRules { initial_ssthresh: 5.0, ..validated() };
    follow(
        rules,
        Supply::Segments(9),
        "
        at   | event    | sends | cwnd
        0    | start    | 0-8   | 10000
        0.1  | ack 9    |       | 10000
        0.2  | write 10 | 9-18  | 10000
        0.3  | ack 10   |       | 10100
    ",
    );
}

/// Twenty segments allowed, two used: after an RTO of that, half way down to the initial window of ten; ssthresh remembers
/// three quarters, which here is less than it was. As long again, and the same.
#[test]
fn a_window_that_is_not_used_decays() {
    let rules = SenderRules { credit: CreditKind::FullSegments {}, ..validated() };
    follow(
        rules,
        Supply::Segments(10),
        "
        at   | event    | sends | cwnd  | ssthresh
        0    | start    | 0-9   | 10000 |
        0.1  | ack 10   |       | 20000 |
        0.2  | write 2  | 10 11 | 20000 |
        0.3  | ack 12   |       | 20000 |
        0.6  | write 1  | 12    | 20000 |
        0.7  | ack 13   |       | 20000 |
        1.05 | write 2  | 13 14 | 15000 | 6291456
        1.15 | ack 15   |       | 15000 |
        1.9  | write 1  | 15    | 15000 |
        2.06 | write 1  | 16    | 12500 |
    ",
    );
}
