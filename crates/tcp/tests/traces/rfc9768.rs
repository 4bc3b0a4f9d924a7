//! RFC 9768, accurate ECN, worked on paper. Sections and appendices are that document's.

use std::sync::Arc;

use acklab_packet::{Ace, Ack, ByteCounts, Ecn, Segment, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::{AccEcnOption, AceRule, ChangeAcks, Feedback, ReceiverRules, SenderRules, Stack, named};
use acklab_tcp::sender::accurate::{Delivered, Told, marks};
use acklab_tcp::sender::{Sender, Supply};

use crate::sender_table::rfc;
use crate::tape::Tape;

const MSS: u64 = 1000;

/// Marks of an ACK of so many full segments.
fn told(rule: AceRule, packets: u64, least: u64, ceb: Option<u64>, average: f64) -> u64 {
    let delivered = Delivered { packets, units: packets * MSS };
    let option = ceb.map_or(Told::Nothing, Told::Marked);
    marks(rule, delivered, least, option, (MSS, (average * 64.0) as u32))
}

/// Appendix A.2.1: `packets - (packets - least) mod 8`. Ten segments and a counter 2 higher: 10 - 8 mod 8 = 10. Nine: 9 - 7 = 2.
/// Eleven and 0: 11 - 3 = 8. Forty and 3: 40 - 37 mod 8 = 35. Seven or fewer cannot wrap.
#[test]
fn without_an_option_the_safest_likely_case() {
    for (packets, least, safe) in
        [(10, 2, 10), (9, 2, 2), (8, 0, 8), (11, 0, 8), (40, 3, 35), (7, 0, 0), (7, 7, 7), (2, 5, 5), (16, 1, 9)]
    {
        assert_eq!(told(AceRule::Rfc9768, packets, least, None, 0.0), safe, "{packets} {least}");
        assert_eq!(told(AceRule::Linux, packets, least, None, 40.0), safe, "{packets} {least}");
        assert_eq!(told(AceRule::Least, packets, least, None, 0.0), least, "{packets} {least}");
    }
}

/// Appendix A.2.2. Ten segments and a counter 2 higher may be 10 marks. 2000 bytes are two whole segments, below 10 halves: 2. 5000 are
/// 10 halves: 10. 3000 are more than two whole segments: 10.
#[test]
fn an_option_decides_by_the_size_of_the_marked_segments() {
    for (ceb, marks) in [(0, 2), (2000, 2), (2001, 10), (4999, 10), (5000, 10), (10_000, 10)] {
        assert_eq!(told(AceRule::Rfc9768, 10, 2, Some(ceb), 0.0), marks, "{ceb}");
    }
    // Two halves of the segments' bytes: below the limit of safe / 2 only if no more than `least` whole ones.
    assert_eq!(told(AceRule::Rfc9768, 12, 4, Some(4000), 0.0), 4);
}

/// Linux 7.3, `__tcp_accecn_process`. 40 segments, the counter 3 higher, 11000 of 40000 bytes marked: an estimate of 11, of which whole
/// wraps count: 3 + 8 = 11. With 3000: 3. All bytes: the safest case, 35. No bytes: 3.
#[test]
fn linux_estimates_from_the_option_where_acks_cover_much() {
    for (ceb, marks) in [(11_000, 11), (3000, 3), (40_000, 35), (39_000, 35), (0, 3)] {
        assert_eq!(told(AceRule::Linux, 40, 3, Some(ceb), 0.0), marks, "{ceb}");
    }
    // Ten segments: the halves of appendix A.2.2.
    assert_eq!((told(AceRule::Linux, 10, 2, Some(0), 0.0), told(AceRule::Linux, 10, 2, Some(5000), 0.0)), (2, 10));
}

/// 7885ce0147: above four packets an ACK, on average, the least counts, but only without an option.
#[test]
fn linux_takes_the_least_where_acks_are_thinned() {
    let thinned = |average| told(AceRule::LinuxThinned, 10, 2, None, average);
    assert_eq!((thinned(4.0), thinned(4.02)), (10, 2));
    assert_eq!(told(AceRule::LinuxThinned, 10, 2, Some(5000), 40.0), 10);
}

fn receiver(accecn_option: AccEcnOption, change_acks: ChangeAcks, marked_acks: u32) -> Receiver {
    let rules = ReceiverRules {
        feedback: Feedback::Accurate,
        accecn_option,
        change_acks,
        marked_acks,
        ..Stack::Rfc.receiver()
    };
    Receiver::new(Arc::new(rules))
}

/// An ACK's number, its ACE and its byte counters.
type AckCounts = (u64, Option<u8>, Option<(u32, u32)>);

/// The number and counters of each ACK of these segments of 1000 bytes, from byte 1; the first of them follows the SYN.
fn acks(receiver: &mut Receiver, syn: Ecn, marks: &str) -> Vec<AckCounts> {
    let mut tape = Tape::default();
    let syn = Segment { len: 1, syn: true, ace: Ace::REQUEST, ecn: syn, ..Segment::default() };
    receiver.on_segment(&syn, Time::ZERO, &mut tape);
    for (n, mark) in marks.chars().enumerate() {
        let ecn = match mark {
            'c' => Ecn::Ce,
            '1' => Ecn::Ect1,
            '0' => Ecn::Ect,
            _ => Ecn::NotEct,
        };
        let segment = Segment { seq: 1 + MSS * n as u64, len: MSS as u32, ecn, ..Segment::default() };
        receiver.on_segment(&segment, Time::from_secs(0.001 * (n + 1) as f64), &mut tape);
    }
    let counts = |ack: &Ack| ack.sack.counts().map(|counts| (counts.ect, counts.ce));
    tape.sent.iter().map(|ack: &Ack| (ack.ack, ack.ace.number(), counts(ack))).collect()
}

/// Section 3.1.1, Table 2: the answer tells how the SYN came.
#[test]
fn the_answer_to_the_syn_tells_its_field() {
    for (ecn, number) in [(Ecn::NotEct, 2), (Ecn::Ect1, 3), (Ecn::Ect, 4), (Ecn::Ce, 6)] {
        let mut receiver = receiver(AccEcnOption::Off, ChangeAcks::Off, 0);
        assert_eq!(acks(&mut receiver, ecn, ""), [(1, Some(number), None)]);
    }
}

/// Table 2, servers that know less: RFC 3168 answers with ECE alone, or with nothing if the flags were cleared; a broken one repeats them.
#[test]
fn receivers_answer_by_what_they_know() {
    for (feedback, flags, answer) in [
        (Feedback::Classic, Ace::REQUEST, Some(1)),
        (Feedback::Classic, Ace::of(0), Some(0)),
        (Feedback::Classic, Ace::default(), None),
        (Feedback::Refused, Ace::REQUEST, Some(0)),
        (Feedback::Reflected, Ace::REQUEST, Some(7)),
        (Feedback::Accurate, Ace::of(0), Some(0)),
        (Feedback::Accurate, Ace::default(), None),
    ] {
        let rules = ReceiverRules { feedback, ..Stack::Rfc.receiver() };
        let (mut receiver, mut tape) = (Receiver::new(Arc::new(rules)), Tape::default());
        let syn = Segment { len: 1, syn: true, ace: flags, ..Segment::default() };
        receiver.on_segment(&syn, Time::ZERO, &mut tape);
        assert_eq!(tape.sent[0].ace.number(), answer, "{feedback:?} {flags:?}");
    }
    // Section 3.1.5: that a SYN can be marked, or is, says nothing of what its sender knows.
    for (ecn, flags, answer) in [
        (Ecn::Ect, Ace::default(), None),
        (Ecn::Ce, Ace::default(), None),
        (Ecn::Ect, Ace::of(0), Some(0)),
        (Ecn::Ce, Ace::of(0), Some(0)),
    ] {
        let rules = ReceiverRules { feedback: Feedback::Accurate, ..Stack::Rfc.receiver() };
        let (mut receiver, mut tape) = (Receiver::new(Arc::new(rules)), Tape::default());
        let syn = Segment { len: 1, syn: true, ace: flags, ecn, ..Segment::default() };
        receiver.on_segment(&syn, Time::ZERO, &mut tape);
        assert_eq!(tape.sent[0].ace.number(), answer, "{ecn:?} {flags:?}");
    }
}

/// Section 3.2.2.5.1. Delayed ACKs of two segments; counters begin with 5 and, of bytes, 1 and 0. The third segment is marked, after one
/// that is not: at once. Two more marks: at once with the second. Nothing marks the end of a run of marks, except to Linux.
#[test]
fn marks_are_acknowledged_at_once() {
    let mut rules = receiver(AccEcnOption::Always, ChangeAcks::Marks, 2);
    let seen = acks(&mut rules, Ecn::NotEct, "00ccc00");
    let counts = |ect, ce| Some((ect, ce));
    let expected = [
        (1, Some(2), None),
        (2001, Some(5), counts(2001, 0)),
        (3001, Some(6), counts(2001, 1000)),
        (5001, Some(0), counts(2001, 3000)),
        (7001, Some(0), counts(4001, 3000)),
    ];
    assert_eq!(seen, expected);
    assert_eq!(rules.marks(), 3);
    let mut linux = receiver(AccEcnOption::Off, ChangeAcks::Both, 0);
    let numbers: Vec<_> = acks(&mut linux, Ecn::NotEct, "00ccc0").iter().map(|ack| (ack.0, ack.1)).collect();
    assert_eq!(numbers, [(1, Some(2)), (2001, Some(5)), (3001, Some(6)), (5001, Some(0)), (6001, Some(0))]);
}

/// Section 3.2.3.3: two ACKs after a mark or change carry the option, then none. ECT(1) has its own order.
#[test]
fn options_follow_changes() {
    let mut few = receiver(AccEcnOption::Changes, ChangeAcks::Off, 0);
    let options: Vec<_> = acks(&mut few, Ecn::NotEct, "0000c00000").iter().map(|ack| ack.2.is_some()).collect();
    // ACKs of 1, 2001, 4001; 6001 has the mark and the change back, 8001 the second, 10001 none.
    assert_eq!(options, [false, false, false, true, true, false]);
    let (mut ect1, mut tape) = (receiver(AccEcnOption::Always, ChangeAcks::Off, 0), Tape::default());
    acks(&mut ect1, Ecn::NotEct, "");
    for n in 0..2 {
        let segment = Segment { seq: 1 + MSS * n, len: MSS as u32, ecn: Ecn::Ect1, ..Segment::default() };
        ect1.on_segment(&segment, Time::from_secs(0.1), &mut tape);
    }
    assert_eq!(tape.sent[0].sack.counts(), Some(ByteCounts { ect1: true, ect: 2001, ce: 0 }));
}

/// Section 3.2.3.3: where data is missing in three places the option takes the room of one block, and leaves two.
#[test]
fn an_option_takes_the_place_of_a_third_block() {
    for (option, blocks) in [(AccEcnOption::Off, 3), (AccEcnOption::Always, 2)] {
        let (mut receiver, mut tape) = (receiver(option, ChangeAcks::Off, 0), Tape::default());
        acks(&mut receiver, Ecn::NotEct, "");
        for n in [1, 3, 5] {
            let segment = Segment { seq: 1 + MSS * n, len: MSS as u32, ecn: Ecn::Ect, ..Segment::default() };
            receiver.on_segment(&segment, Time::from_secs(0.1), &mut tape);
        }
        let last = tape.sent.last().expect("an ACK");
        assert_eq!((last.sack.len(), last.sack.counts().is_some()), (blocks, blocks == 2), "{option:?}");
    }
}

fn asking(ace: AceRule) -> SenderRules {
    SenderRules { syn: true, ecn: true, accurate_ecn: true, ace, initial_window: 40.0, handshake_ack: false, ..rfc() }
}

/// A sender that has asked, after the answer with these flags; and the segments that it sent then.
fn agreed(answer: Option<u64>) -> (Sender, Vec<Segment>) {
    agreed_by(AceRule::Rfc9768, answer)
}

fn agreed_by(rule: AceRule, answer: Option<u64>) -> (Sender, Vec<Segment>) {
    let mut tape = Tape::default();
    let mut sender = Sender::new(Arc::new(asking(rule)), Supply::Segments(200));
    sender.start(Time::ZERO, &mut tape);
    assert_eq!(tape.sent[0].ace, Ace::REQUEST);
    tape.sent.clear();
    let ace = answer.map_or(Ace::default(), Ace::of);
    sender.on_ack(&Ack { ack: 1, syn: true, ace, ..Ack::default() }, Time::from_secs(0.1), &mut tape);
    (sender, tape.sent)
}

/// Linux 7.3, `tcp_accecn_process_option`: the first option has both counters changed, so it is unknown which goes on
/// (`ambiguous_ecn_bytes_incr`). The next ACK has no option and is not taken as marked: of its ten segments the least counts, 2.
#[test]
fn linux_goes_on_with_no_counter_if_two_begin_to_change() {
    let (mut sender, _) = agreed_by(AceRule::LinuxThinned, Some(2));
    let mut first = Ack { ack: 10_001, ace: Ace::of(7), ..Ack::default() };
    first.sack.set_counts(ByteCounts { ect1: false, ect: 8001, ce: 2000 });
    sender.on_ack(&first, Time::from_secs(0.2), &mut Tape::default());
    assert_eq!(sender.marks(), 2);
    counted(&mut sender, &[(20_001, 1, 4)]);
}

/// Section 3.1.1, Table 2: what the answer makes of the sender. Its segments may be marked unless it is "Not ECN"; they carry a counter,
/// which begins with 5, only with accurate ECN.
#[test]
fn the_answer_decides_the_mode() {
    let table: [(Option<u64>, Ecn, Option<u8>); 9] = [
        (Some(0), Ecn::NotEct, None),
        (None, Ecn::NotEct, None),
        (Some(7), Ecn::NotEct, None),
        (Some(1), Ecn::Ect, None),
        (Some(2), Ecn::Ect, Some(5)),
        (Some(3), Ecn::Ect, Some(5)),
        (Some(4), Ecn::Ect, Some(5)),
        (Some(5), Ecn::Ect, Some(5)),
        (Some(6), Ecn::Ect, Some(5)),
    ];
    for (answer, ecn, ace) in table {
        let (_, sent) = agreed(answer);
        assert!(!sent.is_empty());
        assert!(sent.iter().all(|segment| (segment.ecn, segment.ace.number()) == (ecn, ace)), "{answer:?}");
    }
}

/// Section 3.1.4.1: the first two SYNs ask, the third does not. The first answer decides nevertheless, whatever SYN it answers: a server
/// that has agreed counts (sections 3.1.4.1 and 3.1.5).
#[test]
fn a_third_syn_does_not_ask() {
    for (answer, ecn, ace) in [(Some(2), Ecn::Ect, Some(5)), (Some(1), Ecn::Ect, None), (None, Ecn::NotEct, None)] {
        let mut tape = Tape::default();
        let mut sender = Sender::new(Arc::new(asking(AceRule::Rfc9768)), Supply::Segments(2));
        sender.start(Time::ZERO, &mut tape);
        for at in [3.0, 9.0] {
            sender.on_timeout(Time::from_secs(at), &mut tape);
        }
        assert_eq!(tape.sent.iter().map(|syn| syn.ace.number()).collect::<Vec<_>>(), [Some(7), Some(7), None]);
        let ace_of = |answer: Option<u64>| answer.map_or(Ace::default(), Ace::of);
        let answers = Ack { ack: 1, syn: true, ace: ace_of(answer), ..Ack::default() };
        sender.on_ack(&answers, Time::from_secs(9.1), &mut tape);
        let data = &tape.sent[3..];
        assert!(!data.is_empty() && data.iter().all(|sent| (sent.ecn, sent.ace.number()) == (ecn, ace)), "{answer:?}");
    }
}

/// Section 3.1.5: a second answer to the SYN, with other flags, changes nothing.
#[test]
fn the_first_answer_decides() {
    for (first, second, ecn) in [(2, 0, Ecn::Ect), (2, 1, Ecn::Ect), (0, 2, Ecn::NotEct)] {
        let (mut sender, _) = agreed(Some(first));
        let mut tape = Tape::default();
        let again = Ack { ack: 1, syn: true, ace: Ace::of(second), ..Ack::default() };
        sender.on_ack(&again, Time::from_secs(0.15), &mut tape);
        sender.on_ack(&Ack { ack: 2001, ace: Ace::of(5), ..Ack::default() }, Time::from_secs(0.2), &mut tape);
        assert!(!tape.sent.is_empty() && tape.sent.iter().all(|segment| segment.ecn == ecn), "{first} {second}");
    }
}

/// Section 3.1.5: a receiver that has agreed stays so when a SYN without flags comes, and its answer tells how that came. One that has
/// not agreed stays so, too.
#[test]
fn the_first_syn_decides() {
    let (asks, none) = (Ace::REQUEST, Ace::default());
    for (flags, answers, counter) in [
        ([asks, none], [Some(2), Some(4)], Some(6)),
        ([none, asks], [None, None], None),
        ([asks, asks], [Some(2), Some(4)], Some(6)),
    ] {
        let (mut receiver, mut tape) = (receiver(AccEcnOption::Off, ChangeAcks::Marks, 0), Tape::default());
        for (ace, ecn) in flags.into_iter().zip([Ecn::NotEct, Ecn::Ect]) {
            let syn = Segment { len: 1, syn: true, ace, ecn, ..Segment::default() };
            receiver.on_segment(&syn, Time::ZERO, &mut tape);
        }
        assert_eq!([0, 1].map(|n: usize| tape.sent[n].ace.number()), answers, "{flags:?}");
        for n in 0..2 {
            let segment = Segment { seq: 1 + MSS * n, len: MSS as u32, ecn: Ecn::Ce, ..Segment::default() };
            receiver.on_segment(&segment, Time::from_secs(0.1), &mut tape);
        }
        assert_eq!(tape.sent[2].ace.number(), counter, "{flags:?}");
    }
}

/// Sections 3.2 and 3.2.2.2: the answer tells of a mark of the SYN; the counters do not.
#[test]
fn a_marked_syn_is_not_counted() {
    let mut receiver = receiver(AccEcnOption::Always, ChangeAcks::Off, 0);
    assert_eq!(acks(&mut receiver, Ecn::Ce, "00"), [(1, Some(6), None), (2001, Some(5), Some((2001, 0)))]);
    assert_eq!(receiver.marks(), 0);
    let marked = Segment { seq: 2001, len: MSS as u32, ecn: Ecn::Ce, ..Segment::default() };
    for marks in [1, 2] {
        receiver.on_segment(&marked, Time::ZERO, &mut Tape::default());
        assert_eq!(receiver.marks(), marks, "a retransmission counts, too");
    }
}

/// Section 3.1.5: a mark is answered by no CWR; the flags of what leaves are the counter.
#[test]
fn a_mark_is_answered_by_no_cwr() {
    let (mut sender, sent) = agreed(Some(2));
    let mut tape = Tape::default();
    for ack in sent.iter().map(Segment::end) {
        sender.on_ack(&Ack { ack, ace: Ace::of(6), ..Ack::default() }, Time::from_secs(0.2), &mut tape);
    }
    assert_eq!(sender.marks(), 1);
    let flags: Vec<_> = tape.sent.iter().map(|segment| segment.ace.number()).collect();
    assert!(!flags.is_empty(), "something leaves");
    assert!(flags.iter().all(|ace| *ace == Some(5)), "{flags:?}");
}

/// RFC 9293 section 3.10.7.4: an ACK of what was not sent is not acceptable, and so its counter means nothing.
#[test]
fn an_ack_of_nothing_sent_does_not_count() {
    let (mut sender, sent) = agreed(Some(2));
    let end = sent.last().expect("segments").end();
    counted(&mut sender, &[(end + MSS, 7, 0), (2001, 5, 0), (4001, 7, 2)]);
}

/// ACKs with a counter, as the sender counts them: each `(ack, ACE, marks so far)`.
fn counted(sender: &mut Sender, acks: &[(u64, u64, u64)]) {
    for &(ack, ace, marks) in acks {
        let ack = Ack { ack, ace: Ace::of(ace), ..Ack::default() };
        sender.on_ack(&ack, Time::from_secs(0.2), &mut Tape::default());
        assert_eq!(sender.marks(), marks, "{ack:?}");
    }
}

/// Section 3.2.2.2, and A.2.1. The counter goes 5, 7 (2 marks), 1 (2 more; it wraps), then stands still over two segments. An older ACK
/// does not count. Ten segments and a counter 2 higher: 10.
#[test]
fn the_counter_wraps() {
    let (mut sender, _) = agreed(Some(2));
    let news = [(2001, 5, 0), (4001, 7, 2), (6001, 1, 4), (8001, 1, 4), (7001, 6, 4), (18_001, 3, 14)];
    counted(&mut sender, &news);
}

/// Section 3.2.2.4: a first counter of 0 is a path that clears the flags. From then on nothing may be marked, and nothing is counted.
#[test]
fn cleared_flags_end_it() {
    let (mut sender, _) = agreed(Some(2));
    let mut tape = Tape::default();
    sender.on_ack(&Ack { ack: 2001, ace: Ace::of(0), ..Ack::default() }, Time::from_secs(0.2), &mut tape);
    assert!(!tape.sent.is_empty() && tape.sent.iter().all(|segment| segment.ecn == Ecn::NotEct));
    assert_eq!(sender.marks(), 0);
    // Later it is a number like others.
    let (mut sender, _) = agreed(Some(2));
    counted(&mut sender, &[(2001, 5, 0), (5001, 0, 3)]);
}

/// Section 3.2.3.2.5: bytes are marked and no packet is. The path changes the feedback: nothing may be marked any more.
#[test]
fn contradictions_end_it() {
    let (mut sender, _) = agreed(Some(2));
    let mut tape = Tape::default();
    for (ack, ce) in [(2001, 0), (4001, 1000)] {
        let mut told = Ack { ack, ace: Ace::of(5), ..Ack::default() };
        told.sack.set_counts(ByteCounts { ect1: false, ect: ack as u32 - ce, ce });
        tape.sent.clear();
        sender.on_ack(&told, Time::from_secs(0.2), &mut tape);
        let ecn = if ce == 0 { Ecn::Ect } else { Ecn::NotEct };
        assert!(!tape.sent.is_empty() && tape.sent.iter().all(|segment| segment.ecn == ecn));
    }
}

/// Appendix A.1: the local counter stands at 33,554,433, of which the option has the last 24 bits, 1. A field of 1461 adds 1460. In the
/// test a window of 1460 bytes is reached after two wraps of 2^24 bytes, each told in four steps.
#[test]
fn byte_counters_wrap_at_24_bits() {
    let control = named("dctcp");
    let window = acklab_tcp::rules::Window::Segments(40_000);
    let rules = SenderRules { control, window, packet: 1024, initial_window: 40_000.0, ..asking(AceRule::Rfc9768) };
    let mut sender = Sender::new(Arc::new(rules), Supply::Segments(40_000));
    let mut tape = Tape::default();
    sender.start(Time::ZERO, &mut tape);
    sender.on_ack(&Ack { ack: 1, syn: true, ace: Ace::of(2), ..Ack::default() }, Time::from_secs(0.1), &mut tape);
    let step = (1 << 22) as u64;
    let mut ace = 5;
    for n in 1..=9 {
        // Every byte is marked; the counter of packets gains as many as there are segments of 1024 bytes.
        ace += step / 1024;
        let mut told = Ack { ack: 1 + n * step, ace: Ace::of(ace), ..Ack::default() };
        told.sack.set_counts(ByteCounts { ect1: false, ect: 1, ce: ((n * step) % (1 << 24)) as u32 });
        sender.on_ack(&told, Time::from_secs(0.1 + 0.1 * n as f64), &mut tape);
        assert_eq!(sender.marks(), n * step / 1024, "{n}");
    }
}
