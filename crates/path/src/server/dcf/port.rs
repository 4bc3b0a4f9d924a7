//! A port of a medium: one way between two stations, and its counts.

use super::station::{Fate, Frame};
use crate::Carried;
use crate::queue::{Counts, Totals};

/// What a port counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AirStats {
    /// Exchanges begun (an aggregate is one).
    pub attempts: u64,
    /// Those that collided.
    pub collisions: u64,
    /// Those that were begun because an earlier one of the same frame had failed.
    pub retries: u64,
    /// Frames given up.
    pub given_up: u64,
    /// Time on the air of its frames and of the answers to them, in seconds.
    pub airtime: f64,
}

/// A way from one station to another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Port {
    /// The station it leaves.
    pub station: u32,
    pub air: AirStats,
    /// Packets that were in service.
    pub served: Totals,
    pub counts: Counts,
}

impl From<u32> for Port {
    /// A port that leaves that station.
    fn from(station: u32) -> Port {
        Port { station, air: AirStats::default(), served: Totals::default(), counts: Counts::default() }
    }
}

impl Port {
    /// A frame of it leaves the medium.
    pub fn count<P: Carried>(&mut self, frame: &Frame<P>, fate: Fate) {
        if let Fate::Removed(reason) = fate {
            self.counts.removed(reason, frame.waited);
        } else {
            self.served += Totals::of(1, frame.wire_bytes(), frame.is_ack());
            self.counts.sent_wait += frame.waited.secs();
        }
    }
}
