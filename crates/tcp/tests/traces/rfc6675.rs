//! RFC 6675, SACK-based loss recovery, worked on paper. Sections and rules are that document's.

use acklab_tcp::rules::SenderRules;
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn sack(initial_window: f64) -> SenderRules {
    SenderRules { initial_window, ..rfc() }
}

/// Ten segments out; 0 and 3 are lost.
///
/// Section 5 step 3, twice: (3.2) pipe is what is out and not SACKed, 9000; (3.3) cwnd - pipe admits one new segment.
/// Third duplicate, step 4: RecoveryPoint is the end of 11; FlightSize is 12000 less 2000 of step 3: ssthresh = cwnd =
/// 5000; 0 goes out at once. Pipe: 0 is lost (4 segments SACKed above) but sent again, 1000; 3 has one SACKed above, not
/// lost, 1000; 5 to 11, 7000. Each ACK takes 1000 off; with 4, 5, 6 SACKed IsLost (3) turns true and takes another.
/// Step (C): 3 (NextSeg rule 1), then new data (rule 2). ACK 12 reaches RecoveryPoint: cwnd stays 5000.
#[test]
fn two_holes() {
    follow(
        sack(10.0),
        Supply::Segments(40),
        "
        at   | event                 | sends | pipe | cwnd  | ssthresh
        0    | start                 | 0-9   | none | 10000 |
        0.1  | ack 0 sack 1          | 10    | none | 10000 |
        0.1  | ack 0 sack 1-2        | 11    | none | 10000 |
        0.1  | ack 0 sack 4 1-2      | 0*    | 9000 | 5000  | 5000
        0.1  | ack 0 sack 4-5 1-2    |       | 8000
        0.1  | ack 0 sack 4-6 1-2    |       | 6000
        0.1  | ack 0 sack 4-7 1-2    |       | 5000
        0.1  | ack 0 sack 4-8 1-2    | 3*    | 5000
        0.1  | ack 0 sack 4-9 1-2    | 12    | 5000
        0.2  | ack 0 sack 4-10 1-2   | 13    | 5000
        0.2  | ack 0 sack 4-11 1-2   | 14    | 5000
        0.21 | ack 3 sack 4-11       | 15    | 5000
        0.22 | ack 12                | 16    | none | 5000  | 5000
        0.3  | ack 13                | 17    | none | 5200  | 5000
    ",
    );
}

/// Step 2 and IsLost: more than (DupThresh - 1) * SMSS SACKed above. One ACK that reports three segments (the ACKs
/// between were lost) is enough; one that reports two is not, whatever follows without news.
#[test]
fn is_lost_counts_bytes() {
    follow(
        sack(6.0),
        Supply::Segments(40),
        "
        at  | event            | sends | cwnd | pipe
        0   | start            | 0-5   | 6000 | none
        0.1 | ack 0 sack 1-3   | 0*    | 3000 | 3000
    ",
    );
    // 2000 bytes are not more than 2000: two new segments instead, for pipe is 4000.
    follow(
        sack(6.0),
        Supply::Segments(40),
        "
        at  | event            | sends | cwnd | pipe
        0   | start            | 0-5   | 6000 | none
        0.1 | ack 0 sack 1-2   | 6 7   | 6000 | none
        0.1 | ack 0 sack 1-2   |       | 6000 | none
        0.1 | ack 0 sack 1-2   |       | 6000 | none
    ",
    );
    // A byte more is.
    follow(
        sack(6.0),
        Supply::Segments(40),
        "
        at  | event                    | sends | cwnd
        0   | start                    | 0-5   | 6000
        0.1 | ack 0 sack [1000,3001)   | 0*    | 3000
    ",
    );
}

/// IsLost: DupThresh discontiguous runs, however small.
#[test]
fn is_lost_counts_runs() {
    follow(
        sack(6.0),
        Supply::Segments(40),
        "
        at  | event                                               | sends                | cwnd
        0   | start                                               | 0-5                  | 6000
        0.1 | ack 0 sack [1000,1100) [2000,2100)                  |                      | 6000
        0.1 | ack 0 sack [3000,3100) [1000,1100) [2000,2100)      | 0*                   | 3000
    ",
    );
}

/// Only an ACK with news is a duplicate (section 2, DupAcks): repeats without SACK information count for nothing.
#[test]
fn repeats_without_news_do_not_count() {
    let sender = follow(
        sack(6.0),
        Supply::Segments(40),
        "
        at  | event          | sends | cwnd
        0   | start          | 0-5   | 6000
        0.1 | ack 0          |       | 6000
        0.1 | ack 0          |       | 6000
        0.1 | ack 0          |       | 6000
        0.1 | ack 0 sack 1   | 6     | 6000
        0.1 | ack 0 sack 1   |       | 6000
        0.1 | ack 0 sack 1   |       | 6000
    ",
    );
    assert_eq!(sender.counters().fast_retransmits, 0);
}

/// NextSeg rules 3 and 4, without new data. 0 and 8 of ten are lost.
///
/// FlightSize 10000, cwnd 5000. With 1 to 6 SACKed pipe is 0's retransmission and 7, 8, 9: 4000. No hole, no new data,
/// nothing below the highest SACKed: rule 4, the one rescue retransmission, which must include the highest unSACKed
/// unit: 9 (still on its way). When 9 is SACKed, 8 is a hole but not lost: rule 3.
#[test]
fn a_hole_not_yet_lost_and_the_rescue() {
    follow(
        sack(10.0),
        Supply::Segments(10),
        "
        at   | event              | sends | pipe | cwnd
        0    | start              | 0-9   | none | 10000
        0.1  | ack 0 sack 1       |       | none
        0.1  | ack 0 sack 1-2     |       | none
        0.1  | ack 0 sack 1-3     | 0*    | 7000 | 5000
        0.1  | ack 0 sack 1-4     |       | 6000
        0.1  | ack 0 sack 1-5     |       | 5000
        0.1  | ack 0 sack 1-6     | 9*    | 4000
        0.1  | ack 0 sack 1-7     |       | 3000
        0.1  | ack 0 sack 9 1-7   | 8*    | 3000
        0.2  | ack 8 sack 9       |       | 2000
        0.21 | ack 10             |       | none | 5000
    ",
    );
}

/// The tail is lost, 8 and 9, with 0. The rescue brings back 9, its SACK makes 8 a hole: no timeout.
#[test]
fn the_rescue_saves_a_lost_tail() {
    let sender = follow(
        sack(10.0),
        Supply::Segments(10),
        "
        at   | event              | sends | pipe | cwnd
        0    | start              | 0-9   | none | 10000
        0.1  | ack 0 sack 1       |
        0.1  | ack 0 sack 1-2     |
        0.1  | ack 0 sack 1-3     | 0*    | 7000 | 5000
        0.1  | ack 0 sack 1-4     |       | 6000
        0.1  | ack 0 sack 1-5     |       | 5000
        0.1  | ack 0 sack 1-6     | 9*    | 4000
        0.1  | ack 0 sack 1-7     |       | 3000
        0.2  | ack 8              |       | 2000
        0.21 | ack 8 sack 9       | 8*    | 2000
        0.31 | ack 10             |       | none | 5000
    ",
    );
    assert_eq!(sender.counters().timeouts, 0);
}

/// Our reading of rule 4: a hole that this recovery has just sent is not sent again at once, though it *is* "the highest
/// outstanding unSACKed sequence number". The text allows it; it would repeat every last hole for nothing.
#[test]
fn no_rescue_for_a_hole_just_sent() {
    follow(
        sack(4.0),
        Supply::Segments(4),
        "
        at  | event              | sends | pipe | cwnd
        0   | start              | 0-3   | none | 4000
        0.1 | ack 0 sack 1       |
        0.1 | ack 0 sack 1-2     |
        0.1 | ack 0 sack 1-3     | 0*    | 1000 | 2000
        0.2 | ack 4              |       | none | 2000
    ",
    );
}

/// Nor is new data that the recovery itself has sent: with 1 to 7 SACKed cwnd has room, but 10 left a moment ago.
#[test]
fn no_rescue_for_new_data_just_sent() {
    let rules = SenderRules { limited_transmit: false, ..sack(10.0) };
    follow(
        rules,
        Supply::Segments(11),
        "
        at  | event              | sends | pipe | cwnd
        0   | start              | 0-9   | none | 10000
        0.1 | ack 0 sack 1       |
        0.1 | ack 0 sack 1-2     |
        0.1 | ack 0 sack 1-3     | 0*    | 7000 | 5000
        0.1 | ack 0 sack 1-4     |       | 6000
        0.1 | ack 0 sack 1-5     |       | 5000
        0.1 | ack 0 sack 1-6     | 10    | 5000
        0.1 | ack 0 sack 1-7     |       | 4000
        0.2 | ack 10             |       | none | 5000
    ",
    );
}

/// One rescue an entry into recovery, and a FIN is a segment of its own.
#[test]
fn the_rescue_of_a_fin() {
    let rules = SenderRules { fin: true, ..sack(10.0) };
    follow(
        rules,
        Supply::Segments(8),
        "
        at  | event              | sends   | pipe
        0   | start              | 0-7 fin | none
        0.1 | ack 0 sack 1       |
        0.1 | ack 0 sack 1-2     |
        0.1 | ack 0 sack 1-3     | 0*      | 5001
        0.1 | ack 0 sack 1-4     |         | 4001
        0.1 | ack 0 sack 1-5     |         | 3001
        0.1 | ack 0 sack 1-6     | fin*    | 2001
        0.2 | ack 7              |         | 1001
    ",
    );
}

/// Section 5.1: a timeout ends recovery; sending goes back to the cumulative ACK, but what is SACKed is not sent again.
/// Until RecoveryPoint is passed no new recovery begins.
#[test]
fn a_timeout_goes_back_without_what_is_sacked() {
    let sender = follow(
        sack(10.0),
        Supply::Segments(40),
        "
        at  | event              | sends | cwnd | ssthresh | timer
        0   | start              | 0-9   | 10000 |         | 1
        0.1 | ack 0 sack 1-2     | 10 11 | 10000 |         | 1
        1   | timeout            | 0*    | 1000 | 5000     | 3
        1.1 | ack 3              | 3* 4* | 2000 | 5000     | 3.1
        1.2 | ack 4 sack 6-7     | 5* 8* | 3000 | 5000     | 3.2
        # news, three times, but RecoveryPoint, 12, lies ahead
        1.3 | ack 4 sack 8 6-7   |       | 3000
        1.3 | ack 4 sack 8-9 6-7 |       | 3000
        1.3 | ack 4 sack 8-10 6-7|       | 3000 | 5000     | 3.2
        1.4 | ack 5 sack 6-10    | 11* 12 13 | 4000
        1.5 | ack 11             | 14 15 | 5000
        1.6 | ack 12             | 16    | 5200 | 5000
    ",
    );
    assert_eq!(sender.counters().fast_retransmits, 0);
}

/// Section 5.1: a new recovery waits until HighACK has reached RecoveryPoint, no longer. 6, the first new segment of the
/// first recovery, is lost, so that the full ACK stops exactly at RecoveryPoint: three SACKed above it begin another
/// recovery. (RFC 6582 section 3.2 step 2 would wait for more than `recover`, and time out.)
#[test]
fn a_hole_at_the_recovery_point() {
    let sender = follow(
        sack(4.0),
        Supply::Segments(40),
        "
        at   | event              | sends | pipe | cwnd | ssthresh
        0    | start              | 0-3   | none | 4000 |
        0.1  | ack 0 sack 1       | 4     | none | 4000 |
        0.1  | ack 0 sack 1-2     | 5     | none | 4000 |
        0.1  | ack 0 sack 1-3     | 0*    | 3000 | 2000 | 2000
        0.2  | ack 0 sack 1-4     |       | 2000 | 2000 |
        0.2  | ack 0 sack 1-5     | 6     | 2000 | 2000 |
        0.3  | ack 6              | 7     | none | 2000 |
        0.4  | ack 6 sack 7       | 8     | none | 2000 |
        0.5  | ack 6 sack 7-8     | 9     | none | 2000 |
        0.6  | ack 6 sack 7-9     | 6* 10 | 2000 | 2000 | 2000
        0.7  | ack 10             | 11    | none | 2000 |
    ",
    );
    assert_eq!((sender.counters().fast_retransmits, sender.counters().timeouts), (2, 0));
}

/// Section 3, SACK blocks lie between the cumulative ACK and the highest number sent; others are not believed.
#[test]
fn blocks_out_of_range_are_ignored() {
    follow(
        sack(6.0),
        Supply::Segments(40),
        "
        at  | event              | sends | cwnd
        0   | start              | 0-5   | 6000
        0.1 | ack 0 sack 7-9     |       | 6000
        0.1 | ack 0 sack 30-39   |       | 6000
        0.1 | ack 0 sack 4-20    |       | 6000
        0.2 | ack 2              | 6-8   | 7000
    ",
    );
}
