//! RACK-TLP (RFC 8985), worked on paper. Sections are that document's; 1000-byte segments, no timestamps.

use acklab_tcp::rules::{SenderRules, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};

fn rack(initial_window: f64) -> SenderRules {
    SenderRules { recovery: named("rack"), initial_window, ..rfc() }
}

/// Ten segments out; 0 and 3 are lost. Three SACKed segments end the patience (6.2 step 4), and both holes were sent before
/// the newest that arrived: both are lost at once, where RFC 6675 would wait for more above 3. FlightSize 12000 less
/// 2000 of Limited Transmit: cwnd 5000. Pipe: 12000 less three SACKed and one lost that waits.
#[test]
fn two_holes() {
    follow(
        rack(10.0),
        Supply::Segments(40),
        "
        at   | event                 | sends | pipe | cwnd  | ssthresh | timer
        0    | start                 | 0-9   | none | 10000 |          | 1
        0.1  | ack 0 sack 1          | 10    | none | 10000 |          | 0.125
        0.1  | ack 0 sack 1-2        | 11    | none | 10000 |          | 0.125
        0.1  | ack 0 sack 4 1-2      | 0*    | 8000 | 5000  | 5000     | 1.1
        0.1  | ack 0 sack 4-5 1-2    |       | 7000
        0.1  | ack 0 sack 4-6 1-2    |       | 6000
        0.1  | ack 0 sack 4-7 1-2    |       | 5000
        0.1  | ack 0 sack 4-8 1-2    | 3*    | 5000
        0.1  | ack 0 sack 4-9 1-2    | 12    | 5000
        0.2  | ack 3 sack 4-9        | 13    | 5000  | 5000 |        | 1.2
        0.21 | ack 12                | 14 15 16 | none  | 5000
    ",
    );
}

/// Two SACKed are not three; the reordering timer (6.2 step 5) ends the wait after a round trip, 110 ms, and a quarter of
/// the least one, 25 ms, from when the hole was sent. The retransmission is lost, too. 6 was sent after it; when 6 is
/// SACKed and in recovery no reordering is allowed for, it is lost again, and no timeout is needed.
#[test]
fn a_lost_retransmission_is_noticed() {
    let sender = follow(
        rack(4.0),
        Supply::Segments(40),
        "
        at    | event              | sends | pipe | cwnd | ssthresh | timer
        0     | start              | 0-3   | none | 4000 |          | 1
        0.1   | ack 0 sack 1       | 4     | none | 4000 |          | 0.125
        0.11  | ack 0 sack 1-2     | 5     | none | 4000 |          | 0.135
        0.135 | timeout            | 0*    | 4000 | 2000 | 2000     | 1.135
        0.2   | ack 0 sack 1-3     |       | 3000
        0.2   | ack 0 sack 1-4     |       | 2000
        0.21  | ack 0 sack 1-5     | 6     | 2000 | 2000 |          | 1.135
        0.31  | ack 0 sack 1-6     | 0* 7  | 2000 | 2000 |          | 1.31
        0.41  | ack 7              | 8     | none | 2000
    ",
    );
    let counters = sender.counters();
    assert_eq!((counters.fast_retransmits, counters.timeouts, counters.window_cuts), (1, 0, 1));
}

/// 0 arrives after 1, and was sent once: there is reordering on this path (6.2 step 3). From then on three SACKed are no
/// longer enough, the quarter of a round trip is always waited for; 2 has until 0.11 + 0.025.
#[test]
fn reordering_makes_it_patient() {
    let sender = follow(
        rack(8.0),
        Supply::Segments(40),
        "
        at    | event              | sends  | cwnd | timer
        0     | start              | 0-7    | 8000 | 1
        0.1   | ack 0 sack 1       | 8      | 8000 | 0.125
        0.105 | ack 2              | 9 10   | 9000 | 0.315
        0.11  | ack 2 sack 3       | 11     | 9000 | 0.135
        0.11  | ack 2 sack 3-4     | 12     | 9000 | 0.135
        0.11  | ack 2 sack 3-5     | 13     | 9000 | 0.135
        0.12  | ack 6              | 14 15  | 10000
    ",
    );
    assert_eq!(sender.counters().retransmits, 0);
    follow(
        rack(8.0),
        Supply::Segments(40),
        "
        at    | event              | sends  | cwnd | timer
        0     | start              | 0-7    | 8000 | 1
        0.1   | ack 0 sack 1       | 8      | 8000 | 0.125
        0.105 | ack 2              | 9 10   | 9000 | 0.315
        0.11  | ack 2 sack 3       | 11     | 9000 | 0.135
        0.11  | ack 2 sack 3-4     | 12     | 9000 | 0.135
        0.11  | ack 2 sack 3-5     | 13     | 9000 | 0.135
        0.135 | timeout            | 2*     | 4500 | 1.135
    ",
    );
}

/// The whole last flight is lost. Two smoothed round trips later the highest segment goes again (7.3), and the timer is a
/// full RTO. Its SACK shows that 4 to 7 were sent long before (6.2): recovery with half of five segments, no timeout.
#[test]
fn a_probe_saves_a_lost_tail() {
    let sender = follow(
        rack(4.0),
        Supply::Segments(9),
        "
        at   | event         | sends | pipe | cwnd | ssthresh | timer
        0    | start         | 0-3   | none | 4000 |          | 1
        0.1  | ack 4         | 4-8   | none | 5000 |          | 0.3
        0.3  | timeout       | 8*    | none | 5000 |          | 1.3
        0.4  | ack 4 sack 8  | 4* 5* | 2000 | 2500 | 2500     | 1.4
        0.5  | ack 5 sack 8  | 6*    | 2000 | 2500
        0.5  | ack 6 sack 8  | 7*    | 2000 | 2500
        0.6  | ack 9         |       | none | 2500 |          | off
    ",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().fast_retransmits), (0, 1));
}

/// With data left the probe is new data, beyond cwnd (7.3). Only one is on its way at a time: when it is lost as well, the
/// retransmission timer is next, which marks what is due (6.3), here everything, and begins with one segment.
#[test]
fn a_probe_of_new_data_and_no_second_one() {
    let sender = follow(
        rack(4.0),
        Supply::Segments(40),
        "
        at   | event         | sends | cwnd | ssthresh | timer
        0    | start         | 0-3   | 4000 |          | 1
        0.1  | ack 4         | 4-8   | 5000 |          | 0.3
        0.3  | timeout       | 9     | 5000 |          | 1.3
        1.3  | timeout       | 4*    | 1000 | 3000     | 3.3
        1.4  | ack 5         | 5* 6* | 2000 | 3000
        1.5  | ack 6         | 7* 8* | 3000 | 3000
        1.5  | ack 7         | 9*    | 3333 | 3000
        1.6  | ack 10        | 10-12 | 3633 | 3000
    ",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().fast_retransmits), (1, 0));
}

/// A lone segment: its receiver may hold the ACK (7.2), so the probe waits 200 ms more. It repairs the loss of the one
/// segment; that a loss it was shows when something beyond is acknowledged and no duplicate was: half of five (7.4.2).
#[test]
fn a_loss_repaired_by_a_probe_counts() {
    let head = "
        at   | event   | sends | cwnd | ssthresh | timer
        0    | start   | 0-3   | 4000 |          | 1
        0.1  | ack 4   | 4-8   | 5000 |          | 0.3
        0.2  | ack 8   |       | 6000 |          | 0.6
        0.6  | timeout | 8*    | 6000 |          | 1.6
        0.7  | ack 9   |       | 7000 |          | off
    ";
    let tail = "
        0.8  | write 5 | 9-13  | 7000
        0.9  | ack 10  |       | CWND |          | 1.1
    ";
    let repaired = tail.replace("CWND", "2900");
    follow(rack(4.0), Supply::Segments(9), &(head.to_owned() + &repaired));
    // A second ACK of the same: the first copy had arrived, and the probe was a duplicate.
    let needless = "        0.75 | ack 9 | | 7000\n".to_owned() + &tail.replace("CWND", "8000");
    follow(rack(4.0), Supply::Segments(9), &(head.to_owned() + &needless));
    // Or a DSACK says so.
    let told = "        0.75 | ack 9 sack 8 | | 7000\n".to_owned() + &tail.replace("CWND", "8000");
    follow(rack(4.0), Supply::Segments(9), &(head.to_owned() + &told));
}

/// Section 3.4, Figure 1, event by event. P1 to P3 are lost, and the probe is P3 (3b). Its SACK shows P1 and P2 lost (5b), and that of
/// P2 that P1's second copy was lost too (7a). A round trip is 100 ms.
#[test]
fn figure_1() {
    let sender = follow(
        rack(4.0),
        Supply::Segments(4),
        "
        at  | event          | sends | timer | why
        0   | start          | 0-3   |       | 1
        0.1 | ack 1          |       | 0.3   | 2; the timer of 3a: two round trips after it
        0.3 | timeout        | 3*    |       | 3b
        0.4 | ack 1 sack 3   | 1* 2* |       | 5c
        0.5 | ack 1 sack 2-3 | 1*    |       | 7b
        0.6 | ack 4          |       | off   | 8
    ",
    );
    assert_eq!(sender.counters().timeouts, 0);
}

/// Section 3.5: one segment has an RTO of a second, and two more leave right before it expires. The text has the RTO expire. By its
/// sections 7.2 and 7.3 the new data set a probe for that very time, and the probe sets the RTO again. What the example is about holds:
/// the ACK of the first copy sends nothing, and neither does the time of the RTO.
#[test]
fn the_example_of_an_rto_has_a_probe_in_its_place() {
    let sender = follow(
        rack(4.0),
        Supply::Segments(0),
        "
        at   | event   | sends | timer
        0    | start   |       | off
        0    | write 1 | 0     | 1
        0.98 | write 2 | 1 2   | 1
        1    | timeout | 2*    | 2
        1.01 | ack 1   |       |
    ",
    );
    assert_eq!((sender.counters().timeouts, sender.counters().retransmits), (0, 1));
}
