//! Tail loss probes (RFC 8985 section 7): a segment sent after two round trips without an ACK.

use acklab_packet::{Ack, Seq};

use super::super::super::Core;
use crate::rules::TailProbe;

/// Longest delay of the ACK of a lone segment (`TLP.max_ack_delay`), as stacks assume it.
const MAX_ACK_DELAY: f64 = 0.2;
/// The probe timeout before a round trip is known.
const FIRST_PTO: f64 = 1.0;

/// The probe on its way, and what may follow it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tlp {
    /// `TLP.end_seq`: SND.NXT when it left.
    end: Option<Seq>,
    /// `TLP.is_retrans`.
    resent: bool,
    /// Round-trip samples by then.
    samples: Option<u64>,
}

impl Tlp {
    /// A recovery begins.
    pub fn reset(&mut self) {
        self.end = None;
        self.resent = false;
    }

    /// True if it sent segments again up to `end`, and no ACK has decided.
    pub fn resent_to(&self, end: Seq) -> bool {
        self.resent && self.end == Some(end)
    }

    /// True if another probe may leave (section 7.3): none is on its way, and the round trip was measured since the last, unless the
    /// rules do not ask for that.
    pub fn may_send(&self, core: &Core) -> bool {
        let measured = self.samples != Some(core.counters.rtt_samples);
        self.end.is_none() && (measured || core.rules.recovery.probe() == TailProbe::Linux)
    }

    /// One leaves, with new data or not.
    pub fn sent(&mut self, core: &Core, resent: bool) {
        *self = Tlp { end: Some(core.seq.max), resent, samples: Some(core.counters.rtt_samples) };
    }

    /// `TLP_process_ack` (section 7.4.2), before the ACK counts: whether the probe has repaired a loss, which congestion
    /// control must learn of.
    pub fn on_ack(&mut self, core: &Core, ack: &Ack, dsack: Option<(Seq, Seq)>) -> bool {
        let Some(end) = self.end.filter(|&end| ack.ack >= end) else { return false };
        let duplicate = ack.ack == core.seq.una && ack.sack.is_empty();
        let repaired = self.resent && dsack.is_none_or(|block| block.1 != end) && ack.ack > end;
        if !self.resent || dsack.is_some_and(|block| block.1 == end) || ack.ack > end || duplicate {
            self.end = None;
        }
        repaired
    }
}

/// `TLP_calc_PTO` (section 7.2), without its limit, which is the retransmission timer.
pub(super) fn timeout(core: &Core) -> f64 {
    let lone = core.seq.flight_size() <= u64::from(core.seq.mss);
    match core.smoothed_rtt() {
        Some(rtt) => 2.0 * rtt + if lone { MAX_ACK_DELAY } else { core.rules.recovery.timer_margin() },
        None => FIRST_PTO,
    }
}
