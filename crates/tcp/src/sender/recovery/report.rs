//! Deliveries and losses that an ACK shows, as a recovery judges it before the ACK moves any window.

use acklab_packet::Ack;

use super::super::Core;
use super::super::congestion::CaState;
use super::super::scoreboard::Scoreboard;

/// An ACK's news. In sequence units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) struct Report {
    /// Covered or reported for the first time.
    pub delivered: u64,
    /// Of that, reported above the cumulative number.
    pub sacked: u64,
    /// Found lost by it.
    pub lost: u64,
    /// Found lost by a timer since the ACK before it, the retransmission timer apart.
    pub lost_between: u64,
    /// Ever found lost, each unit as often as it was.
    pub lost_ever: u64,
    /// Believed to be in the network before it.
    pub prior_in_flight: u64,
    /// Believed to be in the network after it.
    pub in_flight: u64,
    /// Congestion state to which it leads.
    pub state: CaState,
    /// The round trip for the control in seconds, where the recovery measures it (`rtt_samples`).
    pub rtt: Option<f64>,
}

impl Report {
    /// From the cumulative number alone; `begins`: the ACK begins a fast recovery with the first outstanding segment.
    pub(super) fn by_number(core: &Core, ack: &Ack, begins: bool) -> Report {
        let una = ack.ack.max(core.seq.una);
        // ns-2's may begin with nothing outstanding.
        let lost = if begins { u64::from(core.seq.len_at(una)).min(core.seq.max - una) } else { 0 };
        Report {
            delivered: una - core.seq.una,
            sacked: 0,
            lost,
            lost_between: 0,
            lost_ever: 0,
            prior_in_flight: core.seq.flight_size(),
            in_flight: core.seq.max - una - lost,
            state: if begins { CaState::Recovery } else { core.cc.state_at(una) },
            rtt: None,
        }
    }
}

/// A scoreboard as an ACK finds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct News {
    /// Units in flight.
    in_flight: u64,
    /// Units reported that the ACK covers, and above it.
    covered: u64,
    above: u64,
}

impl News {
    /// With so much in flight.
    pub fn before(board: &Scoreboard, in_flight: u64, core: &Core, ack: &Ack) -> News {
        let una = ack.ack.max(core.seq.una);
        News { in_flight, covered: board.within(core.seq.una, una), above: board.within(una, core.seq.max) }
    }

    /// What the ACK adds to it: its report except for losses, what is in flight now, and the state.
    pub fn news(&self, board: &Scoreboard, core: &Core, ack: &Ack) -> Report {
        let una = ack.ack.max(core.seq.una);
        let sacked = board.within(una, core.seq.max) - self.above;
        Report {
            delivered: una - core.seq.una - self.covered + sacked,
            sacked,
            prior_in_flight: self.in_flight,
            state: core.cc.state_at(una),
            ..Report::default()
        }
    }
}
