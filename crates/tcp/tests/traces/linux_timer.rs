//! Linux's retransmission timer, worked on paper (the arithmetic: `sender/rtt/linux.rs`).

use acklab_packet::Time;
use acklab_tcp::rules::{RtoFloor, SenderRules, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

/// A round trip of 40 ms: deviation 80 ms, so 200 count: 240 ms. It stays 40, mdev 80 - 20 = 60, then 45. Then 400 ms:
/// error 360, srtt 85, mdev 45 + 360 - 11.25 = 393.75. Back at 40: error -45, srtt 79.375, mdev 393.75 + 45 - 98.4375 = 340.3125; of
/// 393.75 a quarter of the difference goes: 380.390625. A timeout doubles all of it.
#[test]
fn the_timeout_is_the_round_trip_and_at_least_200_ms() {
    let rules = SenderRules {
        rtt_filter: named("linux"),
        rto_floor: RtoFloor::Variance,
        min_rto: Time::from_secs(0.2),
        max_rto: Time::from_secs(120.0),
        initial_window: 4.0,
        ..rfc()
    };
    follow(
        rules,
        Supply::Segments(40),
        "
        at    | event   | sends | rto        | timer
        0     | start   | 0-3   | 1           | 1
        0.04  | ack 1   | 4 5   | 0.24        | 0.28
        0.04  | ack 4   | 6-9   | 0.24        | 0.28
        0.08  | ack 5   | 10 11 | 0.24        | 0.32
        0.12  | ack 11  | 12-18 | 0.24        | 0.36
        0.52  | ack 13  | 19-21 | 0.47875     | 0.99875
        0.56  | ack 20  | 22-29 | 0.459765625 | 1.019765625
        1.019765625 | timeout | 20* | 0.91953125 | 1.939296875
    ",
    );
}
