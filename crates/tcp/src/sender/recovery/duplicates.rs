//! Duplicate ACKs in Reno and NewReno: count, fast retransmit, inflate (RFC 5681 section 3.2).

use acklab_packet::Time;

use super::super::{Core, LastCut, SenderWire};

/// One more ACK repeats `snd_una`.
pub(super) fn duplicate_ack<W: SenderWire>(core: &mut Core, now: Time, wire: &mut W) {
    core.dupacks += 1;
    let (count, threshold) = (core.dupacks, core.rules.dup_thresh);
    let mss = u64::from(core.mss);
    if count < threshold {
        core.send_limited(now, wire);
    } else if count == threshold {
        if core.may_fast_retransmit() {
            core.begin_recovery(now, wire);
            core.transmit(core.snd_una, core.len_at(core.snd_una), now, wire);
            core.inflation = u64::from(threshold) * mss;
        } else if core.rules.inflate_when_blocked {
            core.inflation = u64::from(threshold) * mss;
        }
    } else if core.last_cut == LastCut::FastRetransmit || core.rules.inflate_when_blocked {
        // Each duplicate stands for a segment that has left the network; no more can have than were there.
        let spoofed = core.rules.inflation_limit && core.inflation + mss > core.recover.saturating_sub(core.snd_una);
        core.inflation += if spoofed { 0 } else { mss };
    }
}

/// A timeout ends fast recovery and bars another for the same window.
pub(super) fn forget_duplicates(core: &mut Core) {
    core.inflation = 0;
    core.dupacks = 0;
    core.recover = core.snd_max;
}
