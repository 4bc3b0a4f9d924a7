//! RFC 8257, DCTCP, worked on paper. Sections are that document's.

use std::sync::Arc;

use acklab_packet::{Ace, Ack, Ecn, Segment, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::{ReceiverRules, SenderRules, Stack, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};
use crate::tape::Tape;

/// Section 3.2, with delayed ACKs of two segments. The third is marked: the ACK of the second pair's first half, in the old
/// state, and one at once for the mark (the two that the section allows). The fourth is marked, too, and waits with it;
/// the fifth is not: what waits goes, then an ACK without ECE. CWR changes nothing.
#[test]
fn acks_echo_the_marks_of_what_they_cover() {
    let rules = ReceiverRules { echo_each_mark: true, ..Stack::Rfc.receiver() };
    let (mut receiver, mut acks) = (Receiver::new(Arc::new(rules)), Tape::default());
    let mut told = Vec::new();
    // The first is acknowledged at once, as unit 0.
    for (n, ce) in [(0, false), (1, false), (2, true), (3, true), (4, false), (5, false)] {
        let (ecn, ace) = (if ce { Ecn::Ce } else { Ecn::Ect }, Ace::cwr(n == 3));
        let segment = Segment { seq: n, len: 1, ecn, ace, ..Segment::default() };
        receiver.on_segment(&segment, Time::from_secs(0.001 * n as f64), &mut acks);
        told.push(acks.sent.drain(..).map(|ack: Ack| (ack.ack, ack.ece)).collect::<Vec<_>>());
    }
    let expected: [&[(u64, bool)]; 6] =
        [&[(1, false)], &[], &[(2, false), (3, true)], &[], &[(4, true), (5, false)], &[]];
    assert_eq!(told, expected);
}

/// Sections 3.3 and 3.4. Ten segments in congestion avoidance; g = 1/16. The first ACK ends the first window, unmarked: alpha =
/// 15/16. The echo with the fourth takes 15/32 of FlightSize, 10000, off: 5312.5. Later ones belong to the same window of data.
#[test]
fn a_mark_takes_half_of_alpha_once_a_window() {
    let control = named("dctcp");
    let rules = SenderRules { control, ecn: true, initial_window: 10.0, initial_ssthresh: 5.0, ..rfc() };
    follow(
        rules,
        Supply::Segments(60),
        "
        at   | event     | sends | cwnd  | ssthresh
        0    | start     | 0-9   | 10000 | 5000
        0.1  | ack 1     | 10    | 10100
        0.1  | ack 2     | 11    | 10199
        0.1  | ack 3     | 12    | 10297
        0.1  | ack 4 ece |       | 5312  | 5312
        0.1  | ack 5 ece |       | 5312
        0.1  | ack 6 ece |       | 5312
        0.1  | ack 7 ece |       | 5312
    ",
    );
}
