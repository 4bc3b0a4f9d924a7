//! DSACK (RFC 2883): an ACK whose first block reports a duplicate. Sections are that document's.

use std::sync::Arc;

use acklab_packet::{Segment, Seq, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, Stack};

use crate::tape::Tape;

/// What is acknowledged, and the blocks, for each of some segments of 500 bytes.
fn told(dsack: bool, segments: &[Seq]) -> Vec<(Seq, Vec<(Seq, Seq)>)> {
    let rules = ReceiverRules { dsack, ack: AckPolicyKind::Every {}, ..Stack::Rfc.receiver() };
    let (mut receiver, mut tape) = (Receiver::new(Arc::new(rules)), Tape::default());
    for &seq in segments {
        receiver.on_segment(&Segment { seq, len: 500, ..Segment::default() }, Time::ZERO, &mut tape);
    }
    tape.sent.iter().map(|ack| (ack.ack, ack.sack.iter(ack.ack).collect())).collect()
}

/// Section 4.1.1: everything had arrived; the duplicate is reported by itself, once.
#[test]
fn a_duplicate_below_the_cumulative_ack() {
    let acks = told(true, &[0, 500, 1000, 500, 1500]);
    assert_eq!(acks[3], (1500, vec![(500, 1000)]));
    assert_eq!(acks[4], (2000, vec![]));
    assert_eq!(told(false, &[0, 500, 1000, 500])[3], (1500, vec![]));
}

/// Sections 4.1.2 and 4.2: a gap is open; the duplicate comes first, then the run that holds it, if one does, and what was
/// reported before.
#[test]
fn a_duplicate_while_a_gap_is_open() {
    let acks = told(true, &[0, 1000, 1500, 3000, 1500, 0]);
    assert_eq!(acks[3], (500, vec![(3000, 3500), (1000, 2000)]));
    assert_eq!(acks[4], (500, vec![(1500, 2000), (1000, 2000), (3000, 3500)]));
    assert_eq!(acks[5].1[0], (0, 500));
    assert!(acks[5].1[1..].contains(&(1000, 2000)) && acks[5].1[1..].contains(&(3000, 3500)));
}
