//! A queue's ACK filter: asked when a packet arrives, and obeyed once the queue has taken the packet in.
//!
//! An arrival that the queue refuses erases nothing: what is erased would be told by no ACK (ledger ackfilter.m.drop_policies).

use acklab_packet::Rate;

use crate::Carried;
use crate::ack_filter::{AckFilter, AnyFilter, Decision, FilterSpec};
use crate::waiting::{Measures, Place, Waiting};

/// A queue's filter, if it has one, and what it wants done for the present arrival.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Filtering {
    filter: Option<AnyFilter>,
    decision: Decision,
}

impl Filtering {
    /// The filter that `spec` describes, before a link of `rate`.
    pub fn new(spec: Option<&FilterSpec>, rate: Rate) -> Filtering {
        Filtering { filter: spec.map(|spec| AnyFilter::new(spec, rate)), decision: Decision::default() }
    }

    /// What the flow table has to measure.
    pub fn measures<P: Carried>(&self) -> Measures {
        self.filter.as_ref().map_or(Measures::default(), AckFilter::<P>::measures)
    }

    /// Whether the filter is erasing ACKs at present.
    pub fn filters<P: Carried>(&self) -> bool {
        self.filter.as_ref().is_some_and(AckFilter::<P>::filtering)
    }

    /// Whether an arrival that finds the queue full is refused before the filter is asked.
    pub fn needs_room_first<P: Carried>(&self) -> bool {
        self.filter.as_ref().is_some_and(AckFilter::<P>::needs_room_first)
    }

    /// Asks the filter about an arrival of the connection at slot `flow`: where it goes. Only ACKs of the same class are erased: those
    /// of another line may be served later than it, or earlier.
    pub fn ask<P: Carried>(&mut self, packet: &P, (flow, class): (u32, u32), waiting: &Waiting<P>) -> Place {
        let Some(filter) = self.filter.as_mut().filter(|_| packet.plain_ack().is_some()) else { return Place::Tail };
        filter.on_ack(packet, flow, waiting, &mut self.decision);
        self.decision.erase.retain(|&handle| waiting.class(handle) == class);
        match self.decision.erase.first() {
            Some(&oldest) if AckFilter::<P>::takes_place(filter) => Place::Before(oldest),
            _ => Place::Tail,
        }
    }

    /// ACKs that are to go.
    pub fn erases(&self) -> usize {
        self.decision.erase.len()
    }

    /// The same, and their bytes.
    pub fn frees<P: Carried>(&self, waiting: &Waiting<P>) -> (usize, u64) {
        let bytes = |&handle| u64::from(waiting.packet(handle).wire_bytes());
        (self.erases(), self.decision.erase.iter().map(bytes).sum())
    }

    /// Erases what is to go.
    pub fn erase<P: Carried>(&mut self, waiting: &mut Waiting<P>, mut gone: impl FnMut(P)) {
        self.decision.erase.drain(..).for_each(|handle| gone(waiting.remove(handle)));
    }

    /// No filter looks again at what is spared.
    pub fn spare<P: Carried>(&mut self, waiting: &mut Waiting<P>) {
        self.decision.spare.drain(..).for_each(|handle| waiting.spare(handle));
    }

    /// The arrival is refused: nothing goes.
    pub fn withdraw(&mut self) {
        self.decision.erase.clear();
        self.decision.spare.clear();
    }
}
