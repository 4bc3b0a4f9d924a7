//! DSACK (RFC 2883): an ACK whose first block reports a duplicate. Sections are that document's.

use std::sync::Arc;

use acklab_packet::{Segment, Seq, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, Stack};

use crate::tape::Tape;

/// An acknowledgment: the cumulative number, and the blocks.
type Sent = (Seq, Vec<(Seq, Seq)>);

/// What is acknowledged for each of some segments `(start, end)`, where everything below the first has arrived.
fn acks(dsack: bool, segments: &[(Seq, Seq)]) -> Vec<Sent> {
    let rules = ReceiverRules { dsack, ack: AckPolicyKind::Every {}, ..Stack::Rfc.receiver() };
    let (mut receiver, mut tape) = (Receiver::new(Arc::new(rules)), Tape::default());
    for &(seq, end) in [(0, segments[0].0)].iter().filter(|run| run.1 > 0).chain(segments) {
        receiver.on_segment(&Segment { seq, len: (end - seq) as u32, ..Segment::default() }, Time::ZERO, &mut tape);
    }
    let sent = tape.sent.iter().map(|ack| (ack.ack, ack.sack.iter(ack.ack).collect()));
    sent.skip(usize::from(segments[0].0 > 0)).collect()
}

/// A segment, and the cumulative number and the blocks that answer it.
type Row<'a> = ((Seq, Seq), Seq, &'a [(Seq, Seq)]);

/// Each segment is answered by the acknowledgment beside it.
fn prints(table: &[Row<'_>]) {
    let segments: Vec<_> = table.iter().map(|row| row.0).collect();
    let printed: Vec<Sent> = table.iter().map(|&(_, ack, blocks)| (ack, blocks.to_vec())).collect();
    assert_eq!(acks(true, &segments), printed);
}

/// Section 4.1.1, example 1: everything had arrived.
#[test]
fn example_1_a_duplicate_segment() {
    prints(&[((3000, 3500), 3500, &[]), ((3500, 4000), 4000, &[]), ((3000, 3500), 4000, &[(3000, 3500)])]);
    assert_eq!(acks(false, &[(3000, 3500), (3500, 4000), (3000, 3500)])[2], (4000, vec![]), "without the option");
    // Once only: the next acknowledgment does not report it again.
    prints(&[((0, 500), 500, &[]), ((0, 500), 500, &[(0, 500)]), ((500, 1000), 1000, &[])]);
}

/// Section 4.1.2, example 2: 4000 to 4499 are lost.
#[test]
fn example_2_a_duplicate_while_a_gap_is_open() {
    prints(&[
        ((3000, 3500), 3500, &[]),
        ((3500, 4000), 4000, &[]),
        ((4500, 5000), 4000, &[(4500, 5000)]),
        ((3000, 3500), 4000, &[(3000, 3500), (4500, 5000)]),
    ]);
}

/// Section 4.1.3, example 3: the second block is the run that holds the duplicate.
#[test]
fn example_3_a_duplicate_beyond_a_gap() {
    prints(&[
        ((3500, 4000), 4000, &[]),
        ((4500, 5000), 4000, &[(4500, 5000)]),
        ((5000, 5500), 4000, &[(4500, 5500)]),
        ((5000, 5500), 4000, &[(5000, 5500), (4500, 5500)]),
    ]);
}

/// Section 4.2.1, example 4: half of a segment of 1000 bytes has arrived before.
#[test]
fn example_4_half_a_duplicate() {
    prints(&[
        ((500, 1000), 1000, &[]),
        ((2000, 2500), 1000, &[(2000, 2500)]),
        ((1000, 1500), 1500, &[(2000, 2500)]),
        ((1000, 2000), 2500, &[(1000, 1500)]),
    ]);
}

/// Section 4.2.2, example 5: two duplicate parts below the new cumulative number; the first is reported.
#[test]
fn example_5_two_duplicate_parts_that_are_covered() {
    prints(&[
        ((500, 1000), 1000, &[]),
        ((3000, 3500), 1000, &[(3000, 3500)]),
        ((1000, 1500), 1500, &[(3000, 3500)]),
        ((2000, 2500), 1500, &[(2000, 2500), (3000, 3500)]),
        ((1000, 2500), 2500, &[(1000, 1500), (3000, 3500)]),
    ]);
}

/// Section 4.2.3, example 6: the same above the cumulative number. The text prints 2000-2499 for the segment before the last, which it
/// has as lost two lines above, and whose block would touch 1500-2000: it is 2500-2999, the one that was late.
#[test]
fn example_6_two_duplicate_parts_beyond_a_gap() {
    prints(&[
        ((500, 1000), 1000, &[]),
        ((3500, 4000), 1000, &[(3500, 4000)]),
        ((1500, 2000), 1000, &[(1500, 2000), (3500, 4000)]),
        ((2500, 3000), 1000, &[(2500, 3000), (1500, 2000), (3500, 4000)]),
        ((1500, 3000), 1000, &[(1500, 2000), (1500, 3000), (3500, 4000)]),
    ]);
}

/// Section 5: a copy by the network (5.1), a reordered segment sent again (5.2), lost ACKs (5.3), a timeout that was too early (5.4).
#[test]
fn the_examples_of_section_5() {
    prints(&[((500, 1000), 1000, &[]), ((1000, 1500), 1500, &[]), ((1000, 1500), 1500, &[(1000, 1500)])]);
    prints(&[
        ((500, 1000), 1000, &[]),
        ((1500, 2000), 1000, &[(1500, 2000)]),
        ((2000, 2500), 1000, &[(1500, 2500)]),
        ((2500, 3000), 1000, &[(1500, 3000)]),
        ((1000, 1500), 3000, &[]),
        ((1000, 1500), 3000, &[(1000, 1500)]),
    ]);
    let four = [(500, 1000), (1000, 1500), (1500, 2000), (2000, 2500)];
    let mut rows: Vec<Row<'_>> = four.iter().map(|&run| (run, run.1, &[][..])).collect();
    rows.push((four[0], 2500, &four[..1]));
    rows.push((four[1], 2500, &four[1..2]));
    prints(&rows);
}
