//! RFC 8511, alternative backoff with ECN (ABE), worked on paper. Sections are that document's.

use acklab_tcp::rules::{SenderRules, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

/// A sender with ten segments outstanding.
fn ten(control: &str, beta_ecn: f64, initial_ssthresh: f64) -> SenderRules {
    SenderRules { control: named(control), ecn: true, beta_ecn, initial_window: 10.0, initial_ssthresh, ..rfc() }
}

/// Section 3.1: in congestion avoidance a mark leaves 0.8 of FlightSize, 10000. Later echoes belong to the same window of data.
#[test]
fn a_mark_leaves_the_larger_share_once_a_window() {
    follow(
        ten("reno", 0.8, 5.0),
        Supply::Segments(60),
        "
        at   | event     | sends | cwnd  | ssthresh
        0    | start     | 0-9   | 10000 | 5000
        0.1  | ack 1     | 10    | 10100
        0.1  | ack 2 ece |       | 8000  | 8000
        0.1  | ack 3 ece |       | 8000
        0.1  | ack 4 ece | 11    | 8000
    ",
    );
}

/// Section 3.1 for CUBIC: 0.85.
#[test]
fn cubic_has_a_share_of_its_own() {
    follow(
        ten("cubic", 0.85, 5.0),
        Supply::Segments(60),
        "
        at   | event     | sends | cwnd  | ssthresh
        0    | start     | 0-9   | 10000 | 5000
        0.1  | ack 1     | 10    |
        0.1  | ack 2 ece |       | 8500  | 8500
    ",
    );
}

/// Without the rule a mark takes half. In slow start, where the first ACK lets two segments go, it does with the rule, too.
#[test]
fn elsewhere_a_mark_counts_as_a_loss() {
    for (beta, ssthresh, sends, left) in
        [(0.8, 100.0, "10-11", 5500), (0.0, 100.0, "10-11", 5500), (0.0, 5.0, "10", 5000)]
    {
        let rows = format!(
            "
        at   | event     | sends   | cwnd   | ssthresh
        0    | start     | 0-9     | 10000  | {ssthresh}000
        0.1  | ack 1     | {sends} |
        0.1  | ack 2 ece |         | {left} | {left}
    "
        );
        follow(ten("reno", beta, ssthresh), Supply::Segments(60), &rows);
    }
}

/// Three duplicate ACKs mean a loss: half, whatever the rule says of marks. Limited Transmit sends two segments before.
#[test]
fn a_loss_still_halves() {
    follow(
        ten("reno", 0.8, 5.0),
        Supply::Segments(60),
        "
        at   | event          | sends | cwnd  | ssthresh
        0    | start          | 0-9   | 10000 | 5000
        0.1  | ack 1          | 10    | 10100
        0.1  | ack 1 sack 2   | 11    |
        0.1  | ack 1 sack 2-3 | 12    |
        0.1  | ack 1 sack 2-4 | 1*    |       | 5000
    ",
    );
}
