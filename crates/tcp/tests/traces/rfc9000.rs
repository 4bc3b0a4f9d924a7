//! QUIC's counts of congestion marks (RFC 9000 sections 13.4 and 19.3.2, RFC 9002 section 7.1), worked on paper. Sections are RFC
//! 9000's; 1000-byte packets.

use std::sync::Arc;

use acklab_packet::{Ack, Ecn, PacketCounts, Segment, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::{
    CreditKind, Feedback, Growth, Halving, ReceiverRules, RecoveryKind, SenderRules, Stack, Variants, named,
};
use acklab_tcp::sender::{Sender, Supply};

use crate::sender_table::{follow, rfc};
use crate::tape::Tape;

fn quic(initial_window: f64) -> SenderRules {
    SenderRules {
        recovery: named::<RecoveryKind>("rfc9002").with("packet_numbers", true),
        credit: CreditKind::Ubc { growth: Growth::Whole },
        halving: Halving::Precise,
        initial_window,
        ecn: true,
        ..rfc()
    }
}

/// Each packet raises the count of the field with which it came, even if its data is old; one without a field raises none, nor does a
/// packet that comes twice (13.4.1).
#[test]
fn a_receiver_counts_what_came() {
    let rules = ReceiverRules { feedback: Feedback::Counts, ..Stack::Quic.receiver() };
    let (mut receiver, mut tape) = (Receiver::new(Arc::new(rules)), Tape::default());
    let came = [
        (0, 0, Ecn::Ect),
        (1, 1, Ecn::Ce),
        (2, 2, Ecn::Ect1),
        (3, 3, Ecn::NotEct),
        (5, 5, Ecn::Ce),
        (5, 5, Ecn::Ce),
        (5, 6, Ecn::Ect),
        (4, 4, Ecn::NotEct),
        (2, 2, Ecn::Ect1),
    ];
    for (n, (packet, echo, ecn)) in came.into_iter().enumerate() {
        let segment = Segment { seq: packet * 1000, len: 1000, ecn, echo, ..Segment::default() };
        receiver.on_segment(&segment, Time::from_secs(0.001 * n as f64), &mut tape);
    }
    let told: Vec<_> = tape.sent.iter().map(|ack| ack.sack.packet_counts().unwrap()).collect();
    let counts = |ect0, ect1, ce| PacketCounts { ect0, ect1, ce };
    assert_eq!(told.last(), Some(&counts(2, 1, 2)));
    // The second packet, marked, is acknowledged at once, as is every second one.
    assert_eq!(told[..2], [counts(1, 0, 1), counts(1, 1, 1)]);
    assert_eq!(receiver.marks(), 3, "copies included");
}

/// A count of CE that grows begins a recovery period, as a loss does (RFC 9002 section 7.3.2 and appendix B.7): 8000 become 4000. A
/// second mark of what left before the period reduces nothing; that of packet 10, which left in it, does: 4000 become 2000.
#[test]
fn a_count_that_grows_begins_a_recovery_period() {
    let sender = follow(
        quic(7.0),
        Supply::Segments(40),
        "
        at   | event                      | sends | pipe | cwnd | ssthresh
        0    | start                      | 0-6   | 7000 | 7000 |
        0.1  | ack 1 counts 1/0/0 ts 0    | 7 8   | 8000 | 8000 |
        0.1  | ack 2 counts 1/0/1 ts 0    |       | 7000 | 4000 | 4000
        0.1  | ack 4 counts 2/0/2 ts 0    |       | 5000 | 4000 | 4000
        0.11 | ack 9 counts 7/0/2 ts 0.1  | 9-12  | 4000 | 4000 | 4000
        0.21 | ack 11 counts 8/0/3 ts 0.11 |      | 2000 | 2000 | 2000
    ",
    );
    assert_eq!((sender.marks(), sender.counters().window_cuts), (3, 2));
}

/// A loss and a mark of one flight reduce the window once (RFC 9002 section 7.3.2): 3 has arrived, so 0 is lost, and its ACK tells of a
/// mark.
#[test]
fn a_loss_and_a_mark_reduce_once() {
    let sender = follow(
        quic(6.0),
        Supply::Segments(40),
        "
        at  | event                               | sends | pipe | cwnd | ssthresh
        0   | start                               | 0-5   | 6000 | 6000 |
        0.1 | ack 0 sack 1-3 counts 2/0/1 ts 0    | 0*    | 3000 | 3000 | 3000
        0.1 | ack 0 sack 1-5 counts 3/0/2 ts 0    | 6 7   | 3000 | 3000 | 3000
    ",
    );
    assert_eq!((sender.marks(), sender.counters().window_cuts), (2, 1));
}

/// An ACK's number, its ranges above that, and its counts. Numbers are those of the packets.
type Counted<'a> = (u64, &'a [(u64, u64)], Option<[u32; 3]>);

/// The field of the last packet that leaves after these ACKs, of ten packets that have left as ECT(0).
fn field_after(acks: &[Counted]) -> Ecn {
    let (mut sender, mut tape) = (Sender::new(Arc::new(quic(10.0)), Supply::Segments(40)), Tape::<Segment>::default());
    sender.start(Time::ZERO, &mut tape);
    assert!(tape.sent.len() == 10 && tape.sent.iter().all(|packet| packet.ecn == Ecn::Ect));
    for &(number, ranges, counts) in acks {
        let mut ack = Ack { ack: number * 1000, ..Ack::default() };
        ranges.iter().for_each(|&(start, end)| ack.sack.push(ack.ack, start * 1000, end * 1000));
        if let Some([ect0, ect1, ce]) = counts {
            ack.sack.set_packet_counts(PacketCounts { ect0, ect1, ce });
        }
        sender.on_ack(&ack, Time::from_secs(0.1), &mut tape);
    }
    assert!(tape.sent.len() > 10);
    tape.sent.last().unwrap().ecn
}

/// Section 13.4.2.1: reasons to send no more packets that may be marked.
#[test]
fn counts_that_cannot_be_end_it() {
    // No counts. Cleared on the way: fewer than are acknowledged.
    assert_eq!(field_after(&[(2, &[], None)]), Ecn::NotEct);
    assert_eq!(field_after(&[(2, &[], Some([1, 0, 0]))]), Ecn::NotEct);
    assert_eq!(field_after(&[(2, &[], Some([2, 0, 0])), (4, &[], Some([3, 0, 0]))]), Ecn::NotEct);
    // Changed into ECT(1), which no packet had. More than the ten that left.
    assert_eq!(field_after(&[(2, &[], Some([0, 2, 0]))]), Ecn::NotEct);
    assert_eq!(field_after(&[(2, &[], Some([8, 0, 3]))]), Ecn::NotEct);
}

/// The same section: what does not end it.
#[test]
fn counts_that_can_be_do_not_end_it() {
    assert_eq!(field_after(&[(2, &[], Some([2, 0, 0])), (4, &[], Some([3, 0, 1]))]), Ecn::Ect);
    // ACKs were lost, and a packet came twice.
    assert_eq!(field_after(&[(5, &[], Some([5, 0, 1]))]), Ecn::Ect);
    // An ACK that another has overtaken: it acknowledges nothing new, and its counts are old.
    assert_eq!(
        field_after(&[(4, &[], Some([4, 0, 0])), (2, &[], Some([2, 0, 0])), (6, &[], Some([6, 0, 0]))]),
        Ecn::Ect
    );
    // 0, 2, 4 and 6 have come, and two ranges have room. Then 5 joins two of them, and a range tells of 2: two more packets, one more count.
    let (three, joined) = ([(6, 7), (4, 5)], [(4, 7), (2, 3)]);
    assert_eq!(field_after(&[(1, &three, Some([4, 0, 0])), (1, &joined, Some([5, 0, 0]))]), Ecn::Ect);
    // After all has been told of, one that is missing is one that was cleared.
    let all = (7, &[][..], Some([7, 0, 0]));
    assert_eq!(field_after(&[(1, &three, Some([4, 0, 0])), all, (9, &[], Some([8, 0, 0]))]), Ecn::NotEct);
}
