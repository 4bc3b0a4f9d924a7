//! Episodes of loss recovery: how many there were, and how long they took.
//!
//! An episode begins with a fast retransmit or a timeout while no other episode lasts. It ends when all that was outstanding
//! at its last reduction is acknowledged, or when the reduction is undone. This definition is the same for every recovery.
//! What Reno leaves unrepaired at the first ACK of new data belongs to the episode. So does what Tahoe sends again in slow
//! start.

use acklab_packet::Time;

use super::{Core, Sender};

/// A sender's episodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repair {
    episodes: u32,
    /// Seconds of those that are over.
    over: f64,
    /// When the one that is on began.
    since: Time,
}

impl Core {
    /// A recovery begins, or the timer has run out; [`recover`](super::congestion::Congestion::recover) is still what it was.
    pub(super) fn repair_begins(&mut self, now: Time) {
        self.repair_may_end(now);
        if !self.repairing {
            self.repairing = true;
            self.extras.repair.episodes += 1;
            self.extras.repair.since = now;
        }
    }

    /// An ACK has been handled, during an episode or not.
    pub(super) fn repair_may_end(&mut self, now: Time) {
        if self.repairing && self.seq.una >= self.cc.recover {
            self.repairing = false;
            self.extras.repair.over += (now - self.extras.repair.since).secs();
        }
    }
}

impl Sender {
    /// Episodes of loss recovery so far, and the seconds they took; of one that is still on, those up to `now`.
    pub fn repairs(&self, now: Time) -> (u32, f64) {
        let (core, repair) = (self.core(), &self.core().extras.repair);
        let on = if core.repairing { (now - repair.since).secs() } else { 0.0 };
        (repair.episodes, repair.over + on)
    }
}
