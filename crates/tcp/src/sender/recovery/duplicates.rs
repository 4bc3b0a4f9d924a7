//! Duplicate ACKs in Reno and NewReno: count, fast retransmit, inflate (RFC 5681 section 3.2).

use acklab_packet::{Ack, Time};

use super::super::congestion::CaState;
use super::super::{Core, SenderWire};

/// True if this ACK, before it counts, is the duplicate that begins a fast recovery.
pub(super) fn begins_recovery(core: &Core, ack: &Ack) -> bool {
    ack.ack == core.seq.una && core.cc.dupacks + 1 == core.rules.dup_thresh && core.may_fast_retransmit()
}

/// One more ACK repeats `snd_una`.
pub(super) fn duplicate_ack<W: SenderWire>(core: &mut Core, now: Time, wire: &mut W) {
    let (count, threshold) = (core.cc.count_duplicate(), core.rules.dup_thresh);
    let (when_blocked, limited) = core.rules.recovery.inflation();
    let mss = u64::from(core.seq.mss);
    if count < threshold {
        core.send_limited(now, wire);
    } else if count == threshold {
        if core.may_fast_retransmit() {
            core.begin_recovery(now, wire);
            core.transmit(core.seq.una, core.seq.len_at(core.seq.una), now, wire);
            core.inflate_by_threshold();
        } else if when_blocked {
            core.inflate_by_threshold();
        }
    } else if core.cc.state == CaState::Recovery || when_blocked {
        // Each duplicate stands for a segment that has left the network; no more can have than were there.
        let spoofed = limited && core.cc.inflation + mss > core.cc.recover.saturating_sub(core.seq.una);
        core.inflate(if spoofed { 0 } else { mss });
    }
}

/// A timeout ends fast recovery and bars another for the same window.
pub(super) fn forget_duplicates(core: &mut Core) {
    core.deflate();
    core.cc.forget_duplicates();
    core.bar_recovery();
}
