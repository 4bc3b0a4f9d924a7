//! Splitting ACKs, as satellite proxies do (RBSCP).
//!
//! Our rule, where only the idea is published: an ACK that acknowledges something new goes on as `pieces` ACKs, all at
//! once. Their numbers rise in like steps to its own; there are fewer pieces if it acknowledges fewer units. ACKs that
//! say more than their number (SACK blocks, congestion) pass as they are: a sender in recovery would take each piece
//! for a partial ACK.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Passing, Reissue, Stage, StageParams};
use crate::random::Random;
use crate::values::{Checked, number, within};

/// Each ACK that acknowledges something new is split (ledger divack.m.rbscp).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RbscpParams {
    /// ACKs that go on for each that comes.
    #[serde(default = "number::<u32, 4>")]
    #[schemars(range(min = 2, max = 64))]
    pub pieces: u32,
}

impl StageParams for RbscpParams {
    fn check(&mut self) -> Checked {
        within(2, 64, "pieces", self.pieces)
    }

    fn copies(&self) -> f64 {
        self.pieces.into()
    }
}

/// The stage of [`RbscpParams`].
#[derive(Clone, Debug)]
pub struct Rbscp<P> {
    pieces: u32,
    /// The newest number of each connection.
    newest: BTreeMap<u64, u64>,
    packets: PhantomData<P>,
}

impl<P> Rbscp<P> {
    /// A proxy that has seen nothing.
    pub fn new(params: &RbscpParams, _: impl FnOnce() -> Random) -> Rbscp<P> {
        Rbscp { pieces: params.pieces, newest: BTreeMap::new(), packets: PhantomData }
    }
}

impl<P: Reissue> Stage<P> for Rbscp<P> {
    fn arrive(&mut self, passing: Passing<P>, _: Time, out: &mut Vec<Passing<P>>) {
        if let Some(number) = passing.packet.plain_ack() {
            let newest = self.newest.entry(passing.packet.connection()).or_insert(number);
            let told = *newest;
            *newest = told.max(number);
            if says_number_only(&passing.packet) {
                divide(&passing.packet, told, number, self.pieces, out);
            }
        }
        out.push(passing);
    }
}

/// Whether a plain ACK says nothing but its number.
pub(super) fn says_number_only<P: Reissue>(packet: &P) -> bool {
    packet.sack_blocks().next().is_none() && packet.congestion() == 0 && !packet.unknown_options()
}

/// The pieces before the last of an ACK that raises the number from `told` to `number`.
pub(super) fn divide<P: Reissue>(packet: &P, told: u64, number: u64, pieces: u32, out: &mut Vec<Passing<P>>) {
    let units = number.saturating_sub(told);
    let pieces = units.min(u64::from(pieces));
    // units * k / pieces, which cannot overflow written so.
    let step = |k: u64| units / pieces * k + units % pieces * k / pieces;
    out.extend((1..pieces).map(|k| Passing::made(packet.reissued(told + step(k)))));
}
