//! RFC 3042, Limited Transmit: the first two duplicate ACKs send one new segment each.

use acklab_packet::Bytes;
use acklab_tcp::rules::{SenderRules, Window, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn newreno(window: u64) -> SenderRules {
    let window = Window::Bytes(Bytes::new(window));
    SenderRules { recovery: named("newreno"), initial_window: 4.0, window, ..rfc() }
}

/// Section 2: at most cwnd plus two segments out, and cwnd itself unchanged.
#[test]
fn two_new_segments_beyond_cwnd() {
    follow(
        newreno(100_000),
        Supply::Segments(100),
        "
        at  | event | sends | cwnd | flight
        0   | start | 0-3   | 4000 | 4000
        0.1 | ack 0 | 4     | 4000 | 5000
        0.1 | ack 0 | 5     | 4000 | 6000
        0.1 | ack 0 | 0*    | 2000 | 6000
    ",
    );
}

/// Section 2, first condition: the receiver's advertised window allows the segment.
#[test]
fn not_beyond_the_receivers_window() {
    follow(
        newreno(5_000),
        Supply::Segments(100),
        "
        at  | event | sends | flight
        0   | start | 0-3   | 4000
        0.1 | ack 0 | 4     | 5000
        0.1 | ack 0 |       | 5000
    ",
    );
}

/// Section 2: "new data". Duplicates that a go-back after a timeout provokes send nothing again.
#[test]
fn nothing_old_after_a_timeout() {
    follow(
        newreno(100_000),
        Supply::Segments(100),
        "
        at  | event   | sends | cwnd | flight | timer
        0   | start   | 0-3   | 4000 | 4000   | 1
        1   | timeout | 0*    | 1000 | 4000   | 3
        1.1 | ack 0   |       | 1000 | 4000
        1.1 | ack 0   |       | 1000 | 4000
        1.1 | ack 0   |       | 1000 | 4000   | 3
        1.2 | ack 4   | 4 5   | 2000 | 2000
    ",
    );
}

/// With nothing new to send there is nothing to transmit.
#[test]
fn nothing_at_the_end_of_the_data() {
    follow(
        newreno(100_000),
        Supply::Segments(5),
        "
        at  | event | sends | flight
        0   | start | 0-3   | 4000
        0.1 | ack 0 | 4     | 5000
        0.1 | ack 0 |       | 5000
        0.1 | ack 0 | 0*    | 5000
    ",
    );
}
