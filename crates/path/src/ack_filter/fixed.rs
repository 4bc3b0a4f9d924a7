//! Static filtering (ledger ackfilter.m.static; `threshold` 1 is ackfilter.m.classic).

use acklab_packet::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::safety::is_superfluous;
use super::{AckFilter, Decision, Destroys, FilterParams};
use crate::Carried;
use crate::values::{Checked, Wrong, at_least};
use crate::waiting::Waiting;

/// Where an arriving ACK is put whose elders were erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Slot {
    /// At the queue's end, like any arrival.
    #[default]
    Tail,
    /// Where the oldest of those erased was.
    Slot,
}

/// Which waiting ACKs of its connection are older than an arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Older {
    /// All: they came before it.
    #[default]
    Position,
    /// Those with a smaller number, as in ns-2: duplicates of it stay.
    Number,
}

/// Erases a connection's oldest waiting ACKs until no more than `threshold` wait.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaticParams {
    /// ACKs of one connection that may wait; 1 leaves only the newest. The one being transmitted does not wait.
    #[schemars(range(min = 1))]
    pub threshold: u64,
    /// Where an ACK is put whose elders were erased; `slot` needs `threshold` 1.
    #[serde(default)]
    pub place: Slot,
    /// Which waiting ACKs are older than the arrival.
    #[serde(default)]
    pub older: Older,
    /// Whether an arrival that finds the queue full is refused before anything is erased, as in ns-2.
    #[serde(default)]
    pub room_first: bool,
    /// Whether ACKs with news of their own are left alone: duplicates, SACK blocks, timestamps, ECN echoes.
    #[serde(default)]
    pub conservative: bool,
}

impl FilterParams for StaticParams {
    fn check(&self) -> Checked {
        at_least(1, "threshold", self.threshold)?;
        if self.place == Slot::Slot && self.threshold > 1 {
            let what = "`slot` needs `threshold = 1`: with more the arrival would overtake older ACKs";
            return Err(Wrong::at("place", what));
        }
        check_place(self.place, self.older, self.conservative)
    }
}

/// A slot can be taken over only if no ACK with a smaller number stays behind it.
pub(super) fn check_place(place: Slot, older: Older, conservative: bool) -> Checked {
    let leaves_some = match (older, conservative) {
        _ if place == Slot::Tail => return Ok(()),
        (Older::Number, _) => "`older = \"number\"`",
        (_, true) => "`conservative`",
        _ => return Ok(()),
    };
    let what = format!("`slot` cannot go with {leaves_some}: the arrival would overtake ACKs that stay");
    Err(Wrong::at("place", what))
}

/// Static filtering.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    threshold: usize,
    eraser: Eraser,
}

/// How a filter erases, once it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Eraser {
    pub place: Slot,
    pub older: Older,
    pub room_first: bool,
    pub conservative: bool,
}

impl Eraser {
    /// Leaves fewer than `threshold` of the connection's ACKs that are older than `packet`.
    ///
    /// An ACK is looked at once: it is erased, or spared for good. (By number, the first that is not older ends the
    /// search; numbers grow along the queue unless the network reorders.)
    pub fn erase<P: Carried>(
        self,
        threshold: usize,
        packet: &P,
        flow: u32,
        waiting: &Waiting<P>,
        decision: &mut Decision,
    ) {
        let mut left = waiting.acks_of(flow);
        let mut oldest = waiting.first_ack_of(flow);
        while let Some(handle) = oldest.filter(|_| left >= threshold) {
            if self.older == Older::Number && waiting.packet(handle).plain_ack() >= packet.plain_ack() {
                break;
            }
            let spare = self.conservative && !is_superfluous(handle, packet, waiting);
            if spare {
                decision.spare.push(handle)
            } else {
                decision.erase.push(handle)
            }
            left -= 1;
            oldest = waiting.next_ack(handle);
        }
    }

    pub fn may_destroy(self) -> Destroys {
        match (self.conservative, self.older) {
            (true, _) => Destroys::default(),
            (false, Older::Position) => Destroys::NEWS,
            // A duplicate goes once a higher number has come: the gap is closed.
            (false, Older::Number) => Destroys { duplicates: false, ..Destroys::NEWS },
        }
    }
}

impl Static {
    /// The filter with these parameters.
    pub fn new(params: &StaticParams, _: Rate) -> Static {
        let &StaticParams { place, older, room_first, conservative, .. } = params;
        let threshold = usize::try_from(params.threshold).unwrap_or(usize::MAX);
        Static { threshold, eraser: Eraser { place, older, room_first, conservative } }
    }
}

impl<P: Carried> AckFilter<P> for Static {
    fn on_ack(&mut self, packet: &P, flow: u32, waiting: &Waiting<P>, decision: &mut Decision) {
        self.eraser.erase(self.threshold, packet, flow, waiting, decision);
    }

    fn may_destroy(&self) -> Destroys {
        self.eraser.may_destroy()
    }

    fn takes_place(&self) -> bool {
        self.eraser.place == Slot::Slot
    }

    fn needs_room_first(&self) -> bool {
        self.eraser.room_first
    }
}
