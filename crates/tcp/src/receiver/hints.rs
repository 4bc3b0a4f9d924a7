//! What a driver tells a receiver of segments beyond what they carry.

use super::Receiver;
use crate::rules::{AckPolicyKind, PhaseSource};

impl Receiver {
    /// True if the segments that follow bear PSH (RFC 9293 section 3.9.1.2). Drivers of real segments say it before each; the
    /// simulator's bear none.
    pub fn set_push(&mut self, push: bool) {
        self.push = push;
    }

    /// Each segment that follows is one and `further` others, which the host has merged (GRO); the first of them had `piece`
    /// units. (0, 0): none is.
    pub fn set_merged(&mut self, further: u32, piece: u32) {
        self.merged = (further, piece);
    }

    /// Whether the policy gets what the host merges as one arrival. QUIC's packets stay apart: the GRO of UDP hands them over
    /// together, and each is processed by itself.
    pub fn takes_merged(&self) -> bool {
        !matches!(self.rules.ack, AckPolicyKind::Quic { .. })
    }

    /// True if the ACK policy takes the sender's phase from its own sender, whose driver tells it.
    #[inline]
    pub fn is_told_phase(&self) -> bool {
        matches!(self.phase_source, Some(PhaseSource::Oracle | PhaseSource::Growth))
    }

    /// True if the ACK policy takes the sender's phase from `source`; a driver tells it if that is its own knowledge
    /// ([`PhaseSource::Oracle`], [`PhaseSource::Growth`], [`PhaseSource::Shared`]).
    #[inline]
    pub fn wants_phase(&self, source: PhaseSource) -> bool {
        self.phase_source == Some(source)
    }
}
