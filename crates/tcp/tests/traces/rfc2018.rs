//! RFC 2018, which SACK blocks an ACK carries, worked on paper.

use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, Stack};

use crate::receiver_table::{Numbers, PLAIN, follow};

fn every() -> ReceiverRules {
    ReceiverRules { ack: AckPolicyKind::Every {}, ..Stack::Rfc.receiver() }
}

/// Section 7's setting: eight segments of 500 bytes. (There the left window edge is 5000; here segment 0.)
const EIGHT: Numbers = Numbers { mss: 500, ..PLAIN };

/// Section 7, case 1: "The first 4 segments are received but the last 4 are dropped." No SACK.
#[test]
fn case_1_nothing_beyond_a_gap() {
    follow(
        every(),
        EIGHT,
        "
        at  | event | acks
        0   | 0     | 1
        0   | 1     | 2
        0   | 2     | 3
        0   | 3     | 4
    ",
    );
}

/// Section 7, case 2: the first is dropped, the other seven arrive.
#[test]
fn case_2_one_growing_block() {
    follow(
        every(),
        EIGHT,
        "
        at  | event | acks
        0   | 1     | 0 sack 1
        0   | 2     | 0 sack 1-2
        0   | 3     | 0 sack 1-3
        0   | 4     | 0 sack 1-4
        0   | 5     | 0 sack 1-5
        0   | 6     | 0 sack 1-6
        0   | 7     | 0 sack 1-7
    ",
    );
}

/// Section 7, case 3: the 2nd, 4th, 6th and 8th are dropped; then the 4th arrives, then the 2nd.
#[test]
fn case_3_most_recent_first() {
    follow(
        every(),
        EIGHT,
        "
        at  | event | acks
        0   | 0     | 1
        0   | 2     | 1 sack 2
        0   | 4     | 1 sack 4 2
        0   | 6     | 1 sack 6 4 2
        1   | 3     | 1 sack 2-4 6
        1   | 1     | 5 sack 6
        2   | 5     | 7
    ",
    );
}

/// Section 4: the first block is the run of the segment that caused the ACK; then the most recently reported ones, as
/// many as fit. Here 2, 4, 6, 8, 10 are beyond gaps, and 4's run grows last.
#[test]
fn the_oldest_blocks_make_room() {
    follow(
        every(),
        PLAIN,
        "
        at  | event | acks
        0   | 2     | 0 sack 2
        0   | 4     | 0 sack 4 2
        0   | 6     | 0 sack 6 4 2
        0   | 8     | 0 sack 8 6 4
        0   | 10    | 0 sack 10 8 6
        0   | 5     | 0 sack 4-6 10 8
        0   | 2     | 0 sack 2 4-6 10
    ",
    );
    follow(
        ReceiverRules { max_sack_blocks: 2, ..every() },
        PLAIN,
        "
        at  | event | acks
        0   | 2     | 0 sack 2
        0   | 4     | 0 sack 4 2
        0   | 6     | 0 sack 6 4
    ",
    );
    follow(
        ReceiverRules { sack: false, ..every() },
        PLAIN,
        "
        at  | event | acks
        0   | 2     | 0
        0   | 4     | 0
    ",
    );
}

/// What the cumulative ACK has passed is not reported again, and a late repeat of it reports what is beyond a gap still.
#[test]
fn blocks_below_the_cumulative_ack_are_forgotten() {
    follow(
        every(),
        PLAIN,
        "
        at  | event | acks
        0   | 1     | 0 sack 1
        0   | 3     | 0 sack 3 1
        1   | 0     | 2 sack 3
        1   | 0     | 2 sack 3
        1   | 2     | 4
        1   | 3     | 4
        1   | 5     | 4 sack 5
    ",
    );
}

/// ns-2 keeps a block that the cumulative ACK has passed until its run is reported anew or everything is in order.
#[test]
fn ns2_repeats_a_stale_block() {
    let rules = ReceiverRules { ack: AckPolicyKind::Every {}, ..Stack::Ns2At235.receiver() };
    let numbers = Numbers { mss: 1, ..PLAIN };
    follow(
        rules,
        numbers,
        "
        at  | event | acks
        0   | 0     | 1
        0   | 2     | 1 sack 2
        0   | 4     | 1 sack 4 2
        # 1 fills the gap below 2: the run 0 to 2 absorbs the block 2
        1   | 1     | 3 sack 4
        0   | 6     | 3 sack 6 4
        0   | 8     | 3 sack 8 6 4
        # 5 joins 4 and 6 to one run; the reports of each go
        1   | 5     | 3 sack 4-6 8
    ",
    );
}
