//! Duplicate ACKs in Reno and NewReno: count, fast retransmit, inflate (RFC 5681 section 3.2).

use acklab_packet::Ack;

use super::super::Core;
use super::super::congestion::CaState;
use super::{Answer, Begin, Data, Inflation, Next, Sends};

/// True if this ACK, before it counts, is the duplicate that begins a fast recovery.
pub(super) fn begins_recovery(core: &Core, ack: &Ack) -> bool {
    ack.ack == core.seq.una && core.cc.dupacks + 1 == core.rules.dup_thresh && core.may_fast_retransmit()
}

/// Answers an ACK that repeats `snd_una`. To others the answer is empty.
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
            answer.begins = Some(Begin::default());
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
pub(super) fn leave_in_order(core: &Core, answer: Answer, burst: u32) -> Answer {
    let count = core.cc.dupacks + u32::from(answer.duplicate);
    let sends = match count {
        0 => Sends::Window(core.rules.max_burst),
        _ if count >= core.rules.dup_thresh => Sends::Window(burst),
        _ => Sends::Nothing,
    };
    Answer { sends, ..answer }
}
