//! Recoveries that go by what is outstanding: bursts, pacing, and marks after a recovery, worked on paper.

use std::sync::Arc;

use acklab_packet::{Ack, SackBlocks, Segment, Seq, Time};
use acklab_tcp::rules::{SenderRules, named};
use acklab_tcp::sender::{CaState, Sender, Supply};

use crate::sender_table::rfc;
use crate::tape::Tape;

/// An ACK in segments of 1000 bytes, with one block.
fn ack(ack: Seq, sack: Option<(Seq, Seq)>) -> Ack {
    let mut blocks = SackBlocks::default();
    if let Some((start, end)) = sack {
        blocks.push(1000 * ack, 1000 * start, 1000 * end);
    }
    Ack { ack: 1000 * ack, sack: blocks, ..Ack::default() }
}

fn started(rules: SenderRules, segments: u64) -> (Sender, Tape<Segment>) {
    let (mut sender, mut tape) = (Sender::new(Arc::new(rules), Supply::Segments(segments)), Tape::default());
    sender.start(Time::ZERO, &mut tape);
    (sender, tape)
}

/// Ten segments out. An ACK that reports two of them takes two out of the network: RFC 6675 section 5 step 3 would send two
/// new ones, `max_burst = 1` lets one go.
#[test]
fn limited_transmit_sends_no_more_than_a_burst() {
    for (max_burst, new) in [(0, 2), (1, 1)] {
        let rules = SenderRules { initial_window: 10.0, max_burst, recovery: named("rfc6675"), ..rfc() };
        let (mut sender, mut tape) = started(SenderRules { max_burst: 0, ..rules.clone() }, 40);
        if max_burst > 0 {
            (sender, tape) = started(rules, 40);
            // One an event: nine more.
            (0..9).for_each(|_| sender.on_pacer(Time::ZERO, &mut tape));
        }
        assert_eq!(tape.sent.len(), 10);
        sender.on_ack(&ack(0, Some((2, 4))), Time::from_secs(0.1), &mut tape);
        assert_eq!(tape.sent.len(), 10 + new, "max_burst {max_burst}");
    }
}

/// Six segments are all there is. The first is lost, and sent again when three are reported. Nothing is left to send: the
/// pacer is not asked, so that it neither wakes the sender nor spends a turn.
#[test]
fn nothing_to_send_takes_no_turn_of_the_pacer() {
    let rules = SenderRules { initial_window: 10.0, pacing: named("spread"), recovery: named("rfc6675"), ..rfc() };
    let (mut sender, mut tape) = started(rules, 6);
    assert_eq!(tape.sent.len(), 6, "no round trip is known: at once");
    sender.on_ack(&ack(1, None), Time::from_secs(0.1), &mut tape);
    for (n, end) in [3, 4, 5].into_iter().enumerate() {
        sender.on_ack(&ack(1, Some((2, end))), Time::from_secs(0.11 + 0.01 * n as f64), &mut tape);
    }
    assert_eq!((tape.sent.len(), tape.sent[6].seq), (7, 1000));
    tape.pacer = None;
    sender.on_ack(&ack(1, Some((2, 6))), Time::from_secs(0.14), &mut tape);
    assert_eq!((tape.sent.len(), tape.pacer), (7, None));
}

/// FF96, as RFC 3168 section 6.1.2 wants of every sender: a mark after a recovery is answered.
#[test]
fn a_mark_after_a_recovery_reduces_the_window() {
    let rules = SenderRules { initial_window: 8.0, ecn: true, recovery: named("sack"), ..rfc() };
    let (mut sender, mut tape) = started(rules, 100);
    for (n, end) in [2, 3, 4].into_iter().enumerate() {
        sender.on_ack(&ack(0, Some((1, end))), Time::from_secs(0.1 + 0.01 * n as f64), &mut tape);
    }
    assert_eq!(sender.core().cc.state, CaState::Recovery);
    let all = tape.sent.iter().map(Segment::end).max().unwrap() / 1000;
    sender.on_ack(&ack(all, None), Time::from_secs(0.2), &mut tape);
    assert_eq!(sender.core().cc.state, CaState::Open);
    sender.on_ack(&Ack { ece: true, ..ack(all + 1, None) }, Time::from_secs(0.3), &mut tape);
    assert_eq!((sender.counters().window_cuts, sender.core().cc.state), (2, CaState::Cwr));
}
