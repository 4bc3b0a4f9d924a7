//! A terminal's uplink in a cellular network: what LTE and NR have in common (3GPP TS 36.321 and TS 38.321, clauses 5.4.3 to
//! 5.4.5).
//!
//! A terminal with data and no grant sends a scheduling request (SR) in a slot that is reserved for it, and is granted some
//! bytes. Each transport block carries a buffer status report (BSR); then the base station grants what is reported, at most a
//! block a slot. A block that is not decoded is sent again (HARQ), and all that follows waits for it: the base station
//! delivers in order (RLC). A new transmission yields its slot to one that is sent again.
//!
//! Left out: soft combining, other terminals, adaptation of the rate, random access, discontinuous reception, SRs and grants
//! that are lost, and RLC's own retransmissions: the last attempt always succeeds.

use std::collections::VecDeque;

use acklab_packet::{Rate, Time};

use super::{Habit, Nanos, Piggyback, Timing, Unit, secs};
use crate::random::Random;

/// Declares what a scenario says of an uplink: its own keys, then those of grants, transport blocks and HARQ.
macro_rules! with_blocks {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $key:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$doc])* pub $key: $type,)*
            /// What a scheduling request is granted, before the base station knows how much waits; at least 1 B.
            #[serde(default = "crate::values::bytes::<100>")]
            pub first: acklab_packet::Bytes,
            /// Probability that a transport block is not decoded; from 0, below 1.
            #[serde(default = "super::radio::bler")]
            pub bler: f64,
            /// How often a block is sent at most; the last always succeeds; 1 to 28.
            #[serde(default = "crate::values::number::<u32, 4>")]
            #[schemars(range(min = 1, max = 28))]
            pub attempts: u32,
        }

        impl $name {
            /// Checks the keys of blocks.
            fn check_blocks(&self) -> $crate::values::Checked {
                use $crate::values::{must, quoted, within};
                must(self.first.get() > 0, "first", "must be at least 1B", quoted(self.first))?;
                must((0.0..1.0).contains(&self.bler), "bler", "must be from 0, below 1", self.bler)?;
                within(1, 28, "attempts", self.attempts)?;
                $crate::server::check_rate("rate", self.rate)
            }
        }
    };
}
pub(super) use with_blocks;

pub(super) fn bler() -> f64 {
    0.1
}

/// What a slot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Down.
    Down,
    /// Down at first; grants may be sent, and no data up.
    Special,
    /// Up.
    Up,
    /// Both (FDD).
    Both,
}

impl Kind {
    fn grants(self) -> bool {
        self != Kind::Up
    }

    fn carries(self) -> bool {
        matches!(self, Kind::Up | Kind::Both)
    }
}

/// A cell as its uplink sees it; times in slots.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub slot: Nanos,
    /// Kinds of slots, repeated; at least one carries data up and one grants.
    pub pattern: Vec<Kind>,
    /// Between the end of a slot and the base station's answer to what came in it.
    pub decode: u64,
    /// From a grant to its slot.
    pub k2: u64,
    /// Between opportunities for a scheduling request.
    pub sr_period: u64,
    /// What an SR is granted, in bytes.
    pub first: u64,
    /// Whether a transport block is not decoded, and how often it is sent at most.
    pub bler: f64,
    pub attempts: u32,
}

impl Cell {
    /// The bytes of a transport block: `rate` is carried when every slot for it has one.
    pub fn block(&self, rate: Rate) -> u64 {
        let up = self.pattern.iter().filter(|kind| kind.carries()).count() as f64;
        // A billionth of a byte is rounding.
        (rate.bps() * secs(self.slot) * self.pattern.len() as f64 / up / 8.0 + 1e-9) as u64
    }

    pub fn habit(&self, rate: Rate) -> Habit {
        Habit {
            unit: Unit::Bytes,
            most: self.block(rate),
            first: Some(self.first),
            largest: u64::MAX,
            piggyback: Piggyback::Always,
            several: false,
            unasked: 0,
            rate: rate.bps() / 8.0,
        }
    }

    fn kind(&self, slot: u64) -> Kind {
        self.pattern[(slot % self.pattern.len() as u64) as usize]
    }

    /// The first slot from `slot` on for which `good` holds of its kind.
    fn first(&self, slot: u64, good: impl Fn(Kind) -> bool) -> u64 {
        (slot..).take(self.pattern.len()).find(|slot| good(self.kind(*slot))).unwrap_or(slot)
    }

    /// The slot of a block that is granted for what came in `slot`.
    fn after(&self, slot: u64) -> u64 {
        let grant = self.first(slot + 1 + self.decode, Kind::grants);
        self.first(grant + self.k2, Kind::carries)
    }
}

/// A terminal's times.
#[derive(Clone, Debug, PartialEq)]
pub struct Radio {
    cell: Cell,
    /// Slots taken by blocks that are sent again, in order.
    taken: VecDeque<u64>,
    /// When all blocks so far have been delivered.
    delivered: Nanos,
    random: Random,
}

impl Radio {
    pub(super) fn new(cell: Cell, random: Random) -> Radio {
        Radio { cell, taken: VecDeque::new(), delivered: 0, random }
    }

    /// Takes the first free slot from `slot` on for a block that is sent again.
    fn take(&mut self, slot: u64) -> u64 {
        let slot = self.usable(slot);
        let place = self.taken.partition_point(|taken| *taken < slot);
        self.taken.insert(place, slot);
        slot
    }
}

impl Timing for Radio {
    fn begins(&self, slot: u64) -> Nanos {
        slot * self.cell.slot
    }

    fn usable(&self, slot: u64) -> u64 {
        let mut slot = self.cell.first(slot, Kind::carries);
        while self.taken.binary_search(&slot).is_ok() {
            slot = self.cell.first(slot + 1, Kind::carries);
        }
        slot
    }

    fn slot_at(&self, at: Nanos) -> u64 {
        at.div_ceil(self.cell.slot)
    }

    fn asks(&mut self, at: Nanos) -> Nanos {
        let (slot, period) = (self.slot_at(at), self.cell.sr_period);
        // The opportunity of a period may come late, because its slot is not one for data up.
        let chance = |number: u64| self.cell.first(number * period, Kind::carries);
        let before = (slot / period).saturating_sub(self.cell.pattern.len() as u64 / period + 1);
        let chance = (before..).map(chance).find(|chance| *chance >= slot);
        self.begins(chance.unwrap_or(slot))
    }

    fn answers(&self, at: Nanos) -> u64 {
        self.cell.after(at / self.cell.slot)
    }

    fn reports(&mut self, slot: u64) -> u64 {
        while self.taken.front().is_some_and(|taken| *taken < slot) {
            self.taken.pop_front();
        }
        let (mut last, mut attempts) = (slot, 1);
        while attempts < self.cell.attempts && self.cell.bler > 0.0 && self.random.uniform() < self.cell.bler {
            last = self.take(self.cell.after(last));
            attempts += 1;
        }
        self.delivered = self.delivered.max(self.begins(last + 1 + self.cell.decode));
        self.cell.after(last)
    }

    fn lasts(&self, _: u32) -> Time {
        Time::ZERO
    }

    fn arrived(&self) -> Option<Nanos> {
        Some(self.delivered)
    }
}
