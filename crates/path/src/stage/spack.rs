//! Split-ACK recovery at a base station (SPACK).
//!
//! Our rule, where only the idea is published: the station stands at the far end of a wireless link's ACK direction and
//! overhears the data that enters the other direction. Its replica of the sender's timer restarts whenever an ACK
//! acknowledges something new (RFC 6298 section 5.3). A segment that begins below what the station has overheard before
//! is a retransmission. If the replica has run for `timer` by then, the sender's timer must have fired. The sender is
//! then in slow start with a window of one segment. The ACK that covers this segment goes on as `pieces` ACKs: that
//! many segments more, an RTT or several earlier.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::split::divide;
use super::{Passing, Reissue, Stage, StageParams};
use crate::random::Random;
use crate::values::{Checked, micros, number, some_time, within};

/// A base station splits the ACK of what a timeout has retransmitted (ledger divack.m.spack).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpackParams {
    /// ACKs that go on for the one after a timeout.
    #[serde(default = "number::<u32, 8>")]
    #[schemars(range(min = 2, max = 64))]
    pub pieces: u32,
    /// The station's replica of the sender's timer: how long without progress means a timeout. The sender's least RTO.
    #[serde(default = "micros::<1_000_000>")]
    pub timer: Time,
}

#[derive(Clone, Debug)]
struct Heard {
    /// One past the last unit heard.
    end: u64,
    newest: u64,
    /// The last progress, or the first segment.
    progress: Time,
    /// The end of the segment that the sender sent again after a timeout.
    again: Option<u64>,
}

impl StageParams for SpackParams {
    fn check(&mut self) -> Checked {
        within(2, 64, "pieces", self.pieces)?;
        some_time("timer", self.timer)
    }

    fn copies(&self) -> f64 {
        self.pieces.into()
    }

    fn listens(&self) -> bool {
        true
    }

    fn only_simulated(&self) -> Option<&'static str> {
        Some("listens to the other direction, whose packets are another stream here")
    }
}

/// The stage of [`SpackParams`].
#[derive(Clone, Debug)]
pub struct Spack<P> {
    pieces: u32,
    timer: Time,
    connections: BTreeMap<u64, Heard>,
    packets: PhantomData<P>,
}

impl<P> Spack<P> {
    /// A station that has heard nothing.
    pub fn new(params: &SpackParams, _: impl FnOnce() -> Random) -> Spack<P> {
        Spack { pieces: params.pieces, timer: params.timer, connections: BTreeMap::new(), packets: PhantomData }
    }
}

impl<P: Reissue> Stage<P> for Spack<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        if let Some(number) = passing.packet.plain_ack()
            && let Some(heard) = self.connections.get_mut(&passing.packet.connection())
            && number > heard.newest
        {
            let told = std::mem::replace(&mut heard.newest, number);
            heard.progress = now;
            if heard.again.is_some_and(|end| number >= end) {
                heard.again = None;
                divide(&passing.packet, told, number, self.pieces, out);
            }
        }
        out.push(passing);
    }

    fn overhear(&mut self, packet: &P, now: Time) {
        let Some(units) = packet.units() else { return };
        let new = Heard { end: units.start, newest: units.start, progress: now, again: None };
        let heard = self.connections.entry(packet.connection()).or_insert(new);
        if units.start < heard.end && heard.progress + self.timer <= now {
            heard.again = Some(units.end);
        }
        heard.end = heard.end.max(units.end);
    }
}
