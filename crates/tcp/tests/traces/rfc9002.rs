//! QUIC's loss detection and congestion control (RFC 9002), worked on paper. Sections are that document's; 1000-byte
//! segments, `max_ack_delay` 25 ms.

use acklab_packet::Time;
use acklab_tcp::rules::{
    CreditKind, Growth, Halving, PacedTrip, Pacing, RecoveryKind, RtoFloor, SenderRules, Stack, Variants, named,
};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn quic(initial_window: f64) -> SenderRules {
    SenderRules {
        recovery: named("rfc9002"),
        credit: CreditKind::Ubc { growth: Growth::Whole },
        halving: Halving::Precise,
        tick: Time::from_secs(1e-6),
        min_rto: Time::from_secs(0.001),
        rto_floor: RtoFloor::Variance,
        initial_window,
        ..rfc()
    }
}

/// Before a round trip is known the probe timeout is 1.025 s; after one of 100 ms it is 100 + 4 x 50 + 25 ms, and the
/// deviation falls by a quarter with each further. 3 has arrived: 0 lies three below and is lost (6.1.1). The window is halved
/// once (7.3.2), and nothing leaves until half of it is free. What left before the period began does not grow it.
#[test]
fn a_packet_three_numbers_below_is_lost() {
    let sender = follow(
        quic(10.0),
        Supply::Segments(40),
        "
        at  | event          | sends | pipe  | cwnd  | ssthresh | timer
        0   | start          | 0-9   | 10000 | 10000 |          | 1.025
        0.1 | ack 0 sack 1   | 10 11 | 11000 | 11000 |          | 0.1125
        0.1 | ack 0 sack 1-2 | 12 13 | 12000 | 12000 |          | 0.1125
        0.1 | ack 0 sack 1-3 |       | 10000 | 6000  | 6000     | 0.3375
        0.1 | ack 0 sack 1-7 |       | 6000  | 6000
        0.1 | ack 0 sack 1-8 | 0*    | 6000  | 6000
        0.2 | ack 14         | 14-19 | 6000  | 6000  | 6000
        0.3 | ack 20         | 20-26 | 7000  | 7000
    ",
    );
    let counters = sender.counters();
    assert_eq!((counters.fast_retransmits, counters.timeouts, counters.window_cuts), (1, 0, 1));
    // Each ACK times the newest packet it brings; of 0's two, nobody knows which has come.
    assert_eq!(counters.rtt_samples, 6);
}

/// Two above are not three; 9/8 of the round trip after it left, 0 is lost all the same (6.1.2).
#[test]
fn a_packet_that_is_late_is_lost() {
    follow(
        quic(4.0),
        Supply::Segments(40),
        "
        at     | event          | sends | pipe | cwnd | ssthresh | timer
        0      | start          | 0-3   | 4000 | 4000 |          | 1.025
        0.1    | ack 0 sack 1   | 4 5   | 5000 | 5000 |          | 0.1125
        0.11   | ack 0 sack 1-2 | 6 7   | 6000 | 6000 |          | 0.12375
        0.1125 | ack 0 sack 1-2 |       | 6000 | 6000 |          | 0.12375
        0.12375 | timeout       |       | 5000 | 3000 | 3000
        0.2    | ack 0 sack 1-5 | 0*    | 3000 | 3000
    ",
    );
}

/// 9/8 of a round trip of 0.5 ms are less than the granularity of 1 ms, after which 0 is lost (6.1.2).
#[test]
fn on_a_short_path_the_clock_is_the_time_threshold() {
    follow(
        quic(4.0),
        Supply::Segments(40),
        "
        at     | event        | sends | timer
        0      | start        | 0-3   | 1.025
        0.0005 | ack 0 sack 1 | 4 5   | 0.001
    ",
    );
}

/// Ten of at most 1472 bytes (7.2); bursts are no longer.
#[test]
fn the_stack_begins_with_ten_datagrams() {
    let rules = SenderRules { syn: false, ..Stack::Quic.sender() };
    assert!(rules.packet + rules.header <= 1472);
    follow(rules, Supply::Segments(40), "at | event | sends\n 0 | start | 0-9");
}

/// A probe timeout sends two packets, new ones if there are any, reduces nothing, and doubles (6.2.1, 6.2.4).
#[test]
fn a_probe_timeout_asks_and_reduces_nothing() {
    let sender = follow(
        quic(4.0),
        Supply::Segments(7),
        "
        at    | event        | sends | pipe | cwnd | timer
        0     | start        | 0-3   | 4000 | 4000 | 1.025
        1.025 | timeout      | 4 5   | 6000 | 4000 | 3.075
        3.075 | timeout      | 6 0*  | 7000 | 4000 | 7.175
        7.175 | timeout      | 1* 2* | 7000 | 4000 | 15.375
    ",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().window_cuts), (3, 0));
    // An answer ends the doubling: 100 + 4 x 50 + 25 ms after the last packet.
    follow(
        quic(4.0),
        Supply::Segments(40),
        "
        at    | event   | sends | pipe  | cwnd  | timer
        0     | start   | 0-3   | 4000  | 4000  | 1.025
        1.025 | timeout | 4 5   | 6000  | 4000  | 3.075
        1.125 | ack 6   | 6-15  | 10000 | 10000 | 1.45
    ",
    );
    // In the handshake no ACK is held, and one packet asks.
    follow(
        SenderRules { syn: true, ..quic(4.0) },
        Supply::Segments(40),
        "
        at | event   | sends | timer
        0  | start   | syn   | 1
        1  | timeout | syn*  | 3
    ",
    );
}

/// From 4 on, which left at 0.1, to 15, which left at 1.075, nothing arrived: longer than three probe timeouts, 3 x (100 +
/// 4 x 37.5 + 25) ms. The window falls to two packets (7.6.2).
#[test]
fn persistent_congestion() {
    follow(
        quic(4.0),
        Supply::Segments(40),
        "
        at    | event         | sends | pipe  | cwnd | timer
        0     | start         | 0-3   | 4000  | 4000
        0.1   | ack 4         | 4-11  | 8000  | 8000 | 0.425
        0.425 | timeout       | 12 13 | 10000 | 8000 | 1.075
        1.075 | timeout       | 14 15 | 12000 | 8000 | 2.375
        2.375 | timeout       | 16 17 | 14000 | 8000 |
        2.475 | ack 4 sack 17 | 4*    | 2000  | 2000 | 2.4875
    ",
    );
    // A probe that arrives before: the row is too short.
    follow(
        quic(4.0),
        Supply::Segments(40),
        "
        at    | event         | sends | pipe  | cwnd | timer
        0     | start         | 0-3   | 4000  | 4000
        0.1   | ack 4         | 4-11  | 8000  | 8000 | 0.425
        0.425 | timeout       | 12 13 | 10000 | 8000 | 1.075
        0.525 | ack 4 sack 13 | 4* 5* 6* | 4000 | 4000
    ",
    );
    let row = |last: &str| {
        let table = format!(
            "
        at    | event         | sends | pipe  | cwnd
        0     | start         | 0-3   | 4000  | 4000
        0.1   | ack 4         | 4-11  | 8000  | 8000
        0.425 | timeout       | 12 13 | 10000 | 8000
        1.075 | timeout       | 14 15 | 12000 | 8000
        2.375 | timeout       | 16 17 | 14000 | 8000
        {last}
    "
        );
        follow(quic(4.0), Supply::Segments(40), &table);
    };
    // After a round trip of 250 ms three probe timeouts are 3 x (118.75 + 4 x 75 + 25) ms; two would be less than the row.
    row("2.625 | ack 4 sack 17 | 4* 5* 6* | 4000 | 4000");
    // 13 arrived: two rows, of which neither lasts.
    row("2.475 | ack 4 sack 13 17 | 4* 5* 6* | 4000 | 4000");
    // What left before a round trip was known does not count (7.6.2).
    follow(
        quic(10.0),
        Supply::Segments(40),
        "
        at    | event        | sends | cwnd
        0     | start        | 0-9   | 10000
        1.025 | timeout      | 10 11 | 10000
        3.075 | timeout      | 12 13 | 10000
        3.175 | ack 0 sack 13 | 0* 1* 2* 3* | 5000
    ",
    );
}

/// With packet numbers, an ACK echoes when the highest packet left plus how long it was held, so that the held time is taken
/// off (5.3); and an ACK older than a packet's last copy is one of an earlier copy.
#[test]
fn what_the_receiver_held_is_no_round_trip() {
    let rules = SenderRules { recovery: named::<RecoveryKind>("rfc9002").with("packet_numbers", true), ..quic(2.0) };
    let sender = follow(
        rules,
        Supply::Segments(40),
        "
        at    | event         | sends | cwnd | timer
        0     | start         | 0 1   | 2000
        0.1   | ack 1 ts 0    | 2 3   | 3000 | 0.425
        0.12  | ack 2 ts 0.02 | 4 5   | 4000 | 0.395
    ",
    );
    // 100 ms twice: 0.12 + 0.1 + 4 x 0.0375 + 0.025.
    assert_eq!(sender.counters().rtt_samples, 2);
    assert!((sender.counters().rtt_last - 0.1).abs() < 1e-12);
    let sender = follow(
        SenderRules { recovery: named::<RecoveryKind>("rfc9002").with("packet_numbers", true), ..quic(2.0) },
        Supply::Segments(2),
        "
        at    | event         | sends | cwnd
        0     | start         | 0 1   | 2000
        1.025 | timeout       | 0* 1* | 2000
        1.1   | ack 2 ts 0.05 |       | 2000
    ",
    );
    assert_eq!(sender.counters().rtt_samples, 0, "of which nobody knows how long it was held");
}

/// Paced in bursts of two over 0.8 of a round trip: with a window of eight, 2 x 0.8 x 100 / 8 ms pass before the next may leave (7.7).
#[test]
fn pacing_in_bursts() {
    let rules =
        SenderRules { pacing: Pacing::Spread { share: 0.8, burst: 2, round_trip: PacedTrip::Smoothed }, ..quic(4.0) };
    follow(
        rules,
        Supply::Segments(40),
        "
        at   | event | sends | cwnd
        0    | start | 0-3   | 4000
        0.1  | ack 4 | 4 5   | 8000
        0.12 | pacer | 6 7   | 8000
        0.14 | pacer | 8 9   | 8000
    ",
    );
}

/// What a burst had room for when the window was full is not added to the next one.
#[test]
fn what_is_left_of_a_burst_lapses() {
    let rules =
        SenderRules { pacing: Pacing::Spread { share: 0.8, burst: 3, round_trip: PacedTrip::Smoothed }, ..quic(4.0) };
    follow(
        rules,
        Supply::Segments(40),
        "
        at   | event | sends | cwnd
        0    | start | 0-3   | 4000
        0.1  | ack 4 | 4-6   | 8000
        0.13 | pacer | 7-9   | 8000
        0.16 | pacer | 10 11 | 8000
        0.2  | ack 5 ts 0.1 | 12 13 | 9000
        0.201 | ack 6 ts 0.1 | 14 | 10000
    ",
    );
}

/// A mark halves the window, and its ACK and what left before do not grow it (7.1, 7.3.2); nor does the handshake's.
#[test]
fn a_mark_begins_a_recovery_period() {
    follow(
        SenderRules { ecn: true, ..quic(7.0) },
        Supply::Segments(40),
        "
        at  | event     | sends | pipe | cwnd | ssthresh
        0   | start     | 0-6   | 7000 | 7000 |
        0.1 | ack 1     | 7 8   | 8000 | 8000 |
        0.1 | ack 2 ece |       | 7000 | 4000 | 4000
        0.11 | ack 9    | 9-12  | 4000 | 4000 | 4000
        0.21 | ack 13   | 13-17 | 5000 | 5000 | 4000
    ",
    );
    follow(
        SenderRules { syn: true, ..quic(4.0) },
        Supply::Segments(40),
        "
        at  | event | sends | cwnd
        0   | start | syn   |
        0.1 | ack 0 | 0-3   | 4000
    ",
    );
}

/// Section 7.6.3, Table 1. The ACK of packet 9 comes after 0.2 s, that of packet 1 after 1.2 s, and smoothed_rtt + 4 rttvar +
/// max_ack_delay must be 2. So the path has 0.2 s, and packet 1's ACK is late: 0.325 + 4 0.325 + 0.375 after one round trip before it.
/// The table's time 0 is 0.2 s here, and its packet 1 is segment 1. The window of six segments is full when packet 7 leaves, so that
/// the probes have new data. A probe timeout sends two packets (6.2.4 allows them), where the table has one.
#[test]
fn table_1_persistent_congestion() {
    let recovery = named::<RecoveryKind>("rfc9002").with("max_ack_delay", Time::from_secs(0.375));
    let rules = SenderRules { recovery, ..quic(4.0) };
    follow(
        rules,
        Supply::Segments(0),
        "
        at   | event         | sends | cwnd | timer
        0    | start         |       | 4000
        0    | write 1       | 0
        0.2  | ack 1         |
        0.2  | write 1       | 1     |
        1.2  | write 1       | 2
        1.4  | ack 2         |       | 6000 | 3.2
        2.2  | write 1       | 3     |      | 4.2
        3.2  | write 1       | 4
        4.2  | write 1       | 5
        5.2  | write 1       | 6
        6.2  | write 5       | 7     | 6000 | 8.2
        8.2  | timeout       | 8 9   | 6000 | 12.2
        12.2 | timeout       | 10 11 | 6000
        12.4 | ack 2 sack 11 | 2*    | 2000
    ",
    );
}
