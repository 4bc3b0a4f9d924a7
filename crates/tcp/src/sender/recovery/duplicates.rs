//! Duplicate ACKs in Reno and NewReno: count, fast retransmit, inflate (RFC 5681 section 3.2).

use acklab_packet::Time;

use super::super::congestion::CaState;
use super::super::{Core, SenderWire};

/// One more ACK repeats `snd_una`.
pub(super) fn duplicate_ack<W: SenderWire>(core: &mut Core, now: Time, wire: &mut W) {
    core.cc.dupacks += 1;
    let (count, threshold) = (core.cc.dupacks, core.rules.dup_thresh);
    let (when_blocked, limited) = core.rules.recovery.inflation();
    let mss = u64::from(core.seq.mss);
    if count < threshold {
        core.send_limited(now, wire);
    } else if count == threshold {
        if core.may_fast_retransmit() {
            core.begin_recovery(now, wire);
            core.transmit(core.seq.una, core.seq.len_at(core.seq.una), now, wire);
            core.cc.inflation = u64::from(threshold) * mss;
        } else if when_blocked {
            core.cc.inflation = u64::from(threshold) * mss;
        }
    } else if core.cc.state == CaState::Recovery || when_blocked {
        // Each duplicate stands for a segment that has left the network; no more can have than were there.
        let spoofed = limited && core.cc.inflation + mss > core.cc.recover.saturating_sub(core.seq.una);
        core.cc.inflation += if spoofed { 0 } else { mss };
    }
}

/// A timeout ends fast recovery and bars another for the same window.
pub(super) fn forget_duplicates(core: &mut Core) {
    core.cc.inflation = 0;
    core.cc.dupacks = 0;
    core.cc.recover = core.seq.max;
}
