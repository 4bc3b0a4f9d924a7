//! RFC 5681, worked on paper: the windows of slow start, congestion avoidance, loss, timeout and idleness.

use acklab_tcp::rules::{Nagle, PieceEffect, SenderRules, Sequence, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

/// Fast retransmit and recovery as RFC 5681 section 3.2 has it, with `initial_window` segments.
fn reno(initial_window: f64) -> SenderRules {
    SenderRules { recovery: named("reno"), initial_window, ..rfc() }
}

/// Section 3.1, equation (2): cwnd += min (N, SMSS); equation (3): cwnd += SMSS*SMSS/cwnd, in whole bytes.
#[test]
fn slow_start_then_congestion_avoidance_in_bytes() {
    let rules = SenderRules { initial_ssthresh: 4.0, ..reno(2.0) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event | sends | cwnd | flight | why
        0   | start | 0 1   | 2000 | 2000   | IW
        0.1 | ack 1 | 2 3   | 3000 | 3000   | slow start, N = 1000
        0.1 | ack 2 | 4 5   | 4000 | 4000   | now cwnd = ssthresh
        0.2 | ack 3 | 6     | 4250 | 4000   | 1000000 / 4000 = 250
        0.2 | ack 4 | 7     | 4485 | 4000   | 1000000 / 4250 = 235.3
        0.2 | ack 5 | 8     | 4707 | 4000   | 1000000 / 4485 = 222.97
        0.2 | ack 6 | 9     | 4919 | 4000   | 1000000 / 4707 = 212.4
        0.3 | ack 7 | 10 11 | 5122 | 5000   | 1000000 / 4919 = 203.3; 7000 + 5122 admits two
    ",
    );
}

/// An ACK of two segments is worth one in slow start, one of 300 bytes is worth 300: min (N, SMSS).
#[test]
fn slow_start_credits_what_is_acknowledged_and_at_most_a_segment() {
    follow(
        reno(4.0),
        Supply::Segments(100),
        "
        at  | event     | sends | cwnd | flight | why
        0   | start     | 0-3   | 4000 | 4000   |
        0.1 | ack 2     | 4-6   | 5000 | 5000   | N = 2000: 1000
        0.1 | ack 2+300 |       | 5300 | 4700   | N = 300: 300; 2300 + 5300 = 7600 admits no eighth
        0.1 | ack 4     | 7-9   | 6300 | 6000   | N = 1700: 1000
    ",
    );
}

/// Section 3.1: "If the above formula yields 0, the result SHOULD be rounded up to 1 byte."
#[test]
fn congestion_avoidance_adds_at_least_one_byte() {
    let rules = SenderRules { packet: 10, initial_ssthresh: 2.0, ..reno(11.0) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event | sends | cwnd | why
        0   | start | 0-10  | 110  | cwnd 110 > SMSS * SMSS = 100
        0.1 | ack 1 | 11    | 111  | 100 / 110 = 0, so 1
    ",
    );
}

/// Section 3.2. Segment 1 is lost; 2 to 9 arrive, then 10 to 13, then 1 again.
///
/// Third duplicate: FlightSize is 13 segments out, less the 2 that Limited Transmit sent (step 2: "MUST NOT include"):
/// ssthresh = 11000 / 2. Step 3: cwnd = ssthresh + 3*SMSS. Step 4: + SMSS for each further duplicate. Step 6: ssthresh.
#[test]
fn fast_retransmit_and_recovery() {
    follow(
        reno(10.0),
        Supply::Segments(100),
        "
        at   | event  | sends | window | cwnd  | ssthresh | flight
        0    | start  | 0-9   | 10000  | 10000 |          | 10000
        0.1  | ack 1  | 10 11 | 11000  | 11000 |          | 11000
        0.1  | ack 1  | 12    | 11000  |       |          | 12000
        0.1  | ack 1  | 13    | 11000  |       |          | 13000
        0.1  | ack 1  | 1*    | 8500   | 5500  | 5500     | 13000
        0.1  | ack 1  |       | 9500
        0.1  | ack 1  |       | 10500
        0.1  | ack 1  |       | 11500
        0.1  | ack 1  |       | 12500
        0.1  | ack 1  |       | 13500
        # eight so far, of 2 to 9; the next four are of 10 to 13
        0.2  | ack 1  | 14    | 14500  |       |          | 14000
        0.2  | ack 1  | 15    | 15500
        0.2  | ack 1  | 16    | 16500
        0.2  | ack 1  | 17    | 17500  |       |          | 17000
        0.21 | ack 14 | 18    | 5500   | 5500  | 5500     | 5000
        # congestion avoidance from here: 1000000 / 5500 = 181.8
        0.3  | ack 15 | 19    | 5681   | 5681  | 5500     | 5000
    ",
    );
}

/// Equation (4): ssthresh = max (FlightSize / 2, 2*SMSS). Three segments and two of Limited Transmit: 1500, so 2000.
#[test]
fn ssthresh_has_a_floor_of_two_segments() {
    follow(
        reno(3.0),
        Supply::Segments(100),
        "
        at   | event | sends | window | cwnd | ssthresh | flight
        0    | start | 0-2   | 3000   | 3000 |          | 3000
        0.1  | ack 0 | 3     | 3000   |      |          | 4000
        0.1  | ack 0 | 4     |        |      |          | 5000
        0.2  | ack 0 | 0*    | 5000   | 2000 | 2000     | 5000
        0.3  | ack 5 | 5 6   | 2000   | 2000 | 2000     | 2000
    ",
    );
}

/// Section 3.1: after a timeout cwnd is the loss window, one segment; "the value of ssthresh is held constant" when the
/// same segment times out again. Then slow start from the cumulative ACK on, below ssthresh.
#[test]
fn timeouts_reduce_ssthresh_once() {
    follow(
        reno(10.0),
        Supply::Segments(100),
        "
        at  | event   | sends | cwnd  | ssthresh | flight | timer | why
        0   | start   | 0-9   | 10000 |          | 10000  | 1
        1   | timeout | 0*    | 1000  | 5000     | 10000  | 3
        3   | timeout | 0*    | 1000  | 5000     | 10000  | 7
        7   | timeout | 0*    | 1000  | 5000     | 10000  | 15
        7.1 | ack 1   | 1* 2* | 2000  | 5000     | 9000
        7.2 | ack 2   | 3* 4* | 3000  | 5000     | 8000
        7.2 | ack 3   | 5* 6* | 4000
        7.3 | ack 4   | 7* 8* | 5000  | 5000
        7.3 | ack 5   | 9*    | 5200  |          |        |       | 1000000 / 5000 = 200
    ",
    );
}

/// Section 4.1: after more than an RTO without sending, cwnd is at most the restart window, min (IW, cwnd).
#[test]
fn an_idle_connection_restarts_from_the_initial_window() {
    let table = |pause: &str, sends: &str, cwnd: u32| {
        format!(
            "
            at      | event    | sends   | cwnd
            0       | start    | 0-3     | 4000
            0.1     | ack 1    |         | 5000
            0.1     | ack 2    |         | 6000
            0.1     | ack 3    |         | 7000
            0.1     | ack 4    |         | 8000
            {pause} | write 20 | {sends} | {cwnd}
        "
        )
    };
    // The RTO is at its floor, 1 s, and the last segment left at 0.
    follow(reno(4.0), Supply::Segments(4), &table("1.01", "4-7", 4000));
    follow(reno(4.0), Supply::Segments(4), &table("0.99", "4-11", 8000));
}

/// RFC 9293 section 3.10.4: an active open sends a SYN and waits. Data of less than a segment, and a FIN, wait as well, though
/// the SYN takes but one byte of its window of one segment; after a lost SYN, too.
#[test]
fn a_small_transfer_waits_for_the_handshake() {
    let rules = SenderRules { syn: true, fin: true, ..reno(10.0) };
    let table = "
        at  | event   | sends | flight
        0   | start   | syn   | 1
        1   | timeout | syn*  | 1
        1.2 | ack 0   | 0 fin | 301
    ";
    follow(rules.clone(), Supply::Bytes(300), table);
    follow(
        SenderRules {
            sequence: Sequence::Bytes { nagle: Nagle::Off, sws_avoidance: false, pieces: PieceEffect::Slide },
            ..rules
        },
        Supply::Bytes(300),
        table,
    );
}

/// Two segments before the SYN is acknowledged, where a scenario wants that: the SYN is one of them.
#[test]
fn the_syn_counts_as_a_segment_of_its_window() {
    let rules = SenderRules { syn: true, window_before_syn_ack: 2.0, ..reno(10.0) };
    follow(
        rules,
        Supply::Bytes(1300),
        "
        at  | event | sends | flight
        0   | start | syn 0 | 1001
        0.2 | ack 0 | 1     | 1300
    ",
    );
}

/// Section 3.1: "If the SYN or SYN/ACK is lost, the initial window used by a sender after a correctly transmitted SYN
/// MUST be one segment."
#[test]
fn a_lost_syn_reduces_the_initial_window_to_one_segment() {
    let rules = SenderRules { syn: true, ..reno(10.0) };
    follow(
        rules.clone(),
        Supply::Segments(100),
        "
        at  | event | sends | cwnd  | flight
        0   | start | syn   | 1000  | 1
        0.1 | ack 0 | 0-9   | 10000 | 10000
        0.2 | ack 1 | 10 11 | 11000
    ",
    );
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event   | sends | cwnd | flight
        0   | start   | syn   | 1000 | 1
        1   | timeout | syn*  | 1000 | 1
        1.1 | ack 0   | 0     | 1000 | 1000
        1.2 | ack 1   | 1 2   | 2000 | 2000
    ",
    );
}

/// Section 2: an ACK is a duplicate only if "the receiver of the ACK has outstanding data". Late repeats of the last ACK
/// send nothing and reduce nothing.
#[test]
fn repeats_of_the_last_ack_mean_nothing() {
    let sender = follow(
        reno(4.0),
        Supply::Segments(4),
        "
        at  | event | sends | cwnd | ssthresh | timer
        0   | start | 0-3   | 4000 |          | 1
        0.1 | ack 4 |       | 5000 | 6291456  | off
        0.2 | ack 4 |       | 5000
        0.3 | ack 4 |       | 5000
        0.4 | ack 4 |       | 5000 | 6291456  | off
        0.5 | ack 4 |       | 5000 | 6291456  | off
    ",
    );
    assert_eq!(sender.counters().fast_retransmits, 0);
}

/// Section 3.1: a sender never has more out than the receiver's window, however large cwnd.
#[test]
fn the_receivers_window_bounds_what_is_out() {
    let rules = SenderRules { window: acklab_tcp::rules::Window::Bytes(acklab_packet::Bytes::new(3500)), ..reno(10.0) };
    follow(
        rules,
        Supply::Segments(100),
        "
        at  | event | sends | cwnd  | flight
        0   | start | 0-2   | 10000 | 3000
        0.1 | ack 1 | 3     |       | 3000
        0.1 | ack 3 | 4 5   |       | 3000
    ",
    );
}
