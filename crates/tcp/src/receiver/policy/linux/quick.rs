//! Quick mode: what begins it, and for how many ACKs it lasts.

use super::{Arrival, Linux};

/// Quick ACKs after a congestion mark.
const QUICK_AFTER_MARK: u32 = 2;

impl Linux {
    /// Quick mode for half the window's full segments, at most `most`. The window is what the last ACK said.
    pub(super) fn be_quick(&mut self, most: u32) {
        let unread = self.acked.saturating_sub(self.read);
        let window = self.room.as_ref().map_or(0, |room| room.advertised(unread));
        let half = match window / (2 * u64::from(self.full)) {
            0 => 2,
            half => u32::try_from(half).unwrap_or(u32::MAX),
        };
        self.quick = self.quick.max(half.min(most).min(self.rules.quick));
    }

    /// The same after an event, which also sets the time for which segments are held back to its least.
    pub(super) fn be_quick_again(&mut self, most: u32) {
        self.be_quick(most);
        self.hold = Some(self.least());
    }

    /// Congestion marks (RFC 3168): quick at the first of a row, and where a segment of a sender that understands them bears
    /// none, which is probably sent again.
    pub(super) fn heed_marks(&mut self, arrival: &Arrival) {
        if arrival.cwr {
            self.echoes = false;
        }
        if arrival.ce && !self.echoes {
            self.echoes = true;
            self.be_quick_again(QUICK_AFTER_MARK);
        } else if self.markable && !arrival.ect && !arrival.ce {
            self.be_quick_again(QUICK_AFTER_MARK);
        }
        self.markable |= arrival.ect || arrival.ce;
    }
}
