//! Duplicate ACKs in Reno and NewReno: count, fast retransmit, inflate (RFC 5681 section 3.2).

use acklab_packet::Ack;

use super::super::Core;
use super::super::congestion::CaState;
use super::{Answer, Data, Event, Inflation, Next, Sends};

/// True if this ACK, before it counts, is the duplicate that begins a fast recovery.
pub(super) fn begins_recovery(core: &Core, ack: &Ack) -> bool {
    ack.ack == core.seq.una && core.cc.dupacks + 1 == core.rules.dup_thresh && core.may_fast_retransmit()
}

/// Answers an ACK that repeats `snd_una`. To others the answer is empty.
#[inline(always)]
pub(super) fn duplicate_ack(core: &Core, ack: &Ack, data: Data) -> Answer {
    let mut answer = Answer::default();
    if data != Data::None || ack.ack != core.seq.una {
        return answer;
    }
    answer.duplicate = true;
    let (count, threshold) = (core.cc.dupacks + 1, core.rules.dup_thresh);
    let (when_blocked, limited) = core.rules.recovery.inflation();
    if count < threshold {
        answer.limited = true;
    } else if count == threshold {
        let begins = core.may_fast_retransmit();
        if begins {
            answer.event = Event::Begins { slow_start: false };
            answer.first[0] = Some(Next::first(core));
        }
        answer.inflation = (begins || when_blocked).then_some(Inflation::Threshold);
    } else if core.cc.state == CaState::Recovery || when_blocked {
        // Each duplicate stands for a segment that has left the network; no more can have than were there.
        let mss = u64::from(core.seq.mss);
        let spoofed = limited && core.cc.inflation + mss > core.cc.recover.saturating_sub(core.seq.una);
        answer.inflation = Some(Inflation::By(if spoofed { 0 } else { mss }));
    }
    answer
}

/// The answer, and departures in order: none while duplicates are too few, else at most `burst`.
#[inline(always)]
pub(super) fn leave_in_order(core: &Core, answer: Answer, burst: u32) -> Answer {
    let count = core.cc.dupacks + u32::from(answer.duplicate);
    let sends = match count {
        0 => Sends::Window(core.rules.max_burst),
        _ if count >= core.rules.dup_thresh => Sends::Window(burst),
        _ => Sends::Nothing,
    };
    Answer { sends, ..answer }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rules::Stack;
    use crate::sender::congestion::control::Control;
    use crate::sender::{SenderCounters, Supply};

    #[test]
    fn the_third_duplicate_is_answered_with_a_recovery_and_a_segment() {
        let mut rules = Stack::Rfc.sender();
        rules.syn = false;
        let control = Control::of(&rules, rules.packet, 0);
        let mut core = Core::new(Arc::new(rules), Supply::Segments(20), control, None, 0);
        core.seq.extend(5_000);
        let (ack, answers) = (Ack::default(), |core: &Core| duplicate_ack(core, &Ack::default(), Data::None));
        let early = Answer { duplicate: true, limited: true, ..Answer::default() };
        assert_eq!(answers(&core), early);
        core.cc.count_duplicate();
        core.cc.count_duplicate();
        let third = Answer {
            duplicate: true,
            event: Event::Begins { slow_start: false },
            first: [Some(Next::first(&core)), None],
            inflation: Some(Inflation::Threshold),
            ..Answer::default()
        };
        assert!(begins_recovery(&core, &ack));
        assert_eq!(answers(&core), third);
        assert_eq!(duplicate_ack(&core, &ack, Data::New), Answer::default());
        assert_eq!(core.counters, SenderCounters { rtt_min: f64::INFINITY, ..SenderCounters::default() });
    }
}
