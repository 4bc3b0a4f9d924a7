//! ACK thinning: of the ACKs of a connection every n-th passes, as in gateways and accelerators that spare the return path
//! (RFC 3449 section 5.2.1).
//!
//! Our rule, where the RFC has only the idea: an ACK is held back if the ACK before it told everything that it tells,
//! except a higher number. A newer ACK of the connection removes it, if [`is_redundant`] allows; otherwise the held ACK
//! leaves first. The n-th in a row passes, and so does any packet that may not be held back; then the count begins
//! again. The last of a burst leaves when `hold` has passed since the first that was held back.

use std::collections::{BTreeMap, BTreeSet};

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Passing, Reissue, Stage, StageParams};
use crate::ack_filter::{is_redundant, sack_is_covered};
use crate::random::Random;
use crate::values::{Checked, is_default, some_time, within};

/// Of a connection's ACKs every n-th passes (RFC 3449 section 5.2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThinParams {
    /// Of so many ACKs in a row that tell nothing but a higher number, the last passes.
    #[schemars(range(min = 2, max = 1000))]
    pub every: u32,
    /// Time after which an ACK that is held back goes on, counted from the first that was held back since one passed.
    pub hold: Time,
    /// Whether it reads numbers and SACK blocks alone. Congestion flags and options that it does not know then keep no ACK.
    #[serde(default, skip_serializing_if = "is_default")]
    pub blind: bool,
}

#[derive(Clone, Debug)]
struct Connection<P> {
    /// The ACK that came last.
    last: P,
    /// The highest number that came.
    newest: u64,
    held: Option<Passing<P>>,
    /// ACKs held back since one passed.
    count: u32,
    /// When the one held back goes; never while there is none.
    due: Time,
}

impl StageParams for ThinParams {
    fn check(&mut self) -> Checked {
        within(2, 1000, "every", self.every)?;
        some_time("hold", self.hold)
    }
}

/// The stage of [`ThinParams`].
#[derive(Clone, Debug)]
pub struct Thin<P> {
    params: ThinParams,
    connections: BTreeMap<u64, Connection<P>>,
    /// Who is due when.
    agenda: BTreeSet<(Time, u64)>,
}

impl<P> Thin<P> {
    /// A stage that has seen nothing.
    pub fn new(params: &ThinParams, _: impl FnOnce() -> Random) -> Thin<P> {
        Thin { params: params.clone(), connections: BTreeMap::new(), agenda: BTreeSet::new() }
    }
}

/// Whether `packet` tells a higher number than `newest`, and else nothing that `last`, the ACK before it, did not tell.
fn tells_number_only<P: Reissue>(packet: &P, last: &P, newest: u64, blind: bool) -> bool {
    packet.plain_ack().is_some_and(|number| number > newest)
        && (blind || packet.congestion() == last.congestion() && !packet.unknown_options())
        && sack_is_covered(packet, last)
}

impl<P: Reissue> Connection<P> {
    /// Lets go, or removes, what is held back, since `arrival` comes.
    fn settle(&mut self, arrival: &P, blind: bool, out: &mut Vec<Passing<P>>) {
        let Some(held) = self.held.take() else { return };
        let old = &held.packet;
        let removed = if blind {
            old.plain_ack() < arrival.plain_ack() && sack_is_covered(old, arrival)
        } else {
            arrival.plain_ack().is_some() && is_redundant(old, arrival, arrival, arrival)
        };
        if !removed {
            self.begin_anew();
        }
        out.push(Passing { removed, ..held });
    }

    /// Nothing is held back any more.
    fn begin_anew(&mut self) {
        (self.count, self.due) = (0, Time::NEVER);
    }
}

impl<P: Reissue> Stage<P> for Thin<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        let packet = &passing.packet;
        let (id, number) = (packet.connection(), packet.plain_ack());
        let Some(connection) = self.connections.get_mut(&id) else {
            if let Some(newest) = number {
                let (last, held, count, due) = (packet.clone(), None, 0, Time::NEVER);
                self.connections.insert(id, Connection { last, newest, held, count, due });
            }
            return out.push(passing);
        };
        let was_due = connection.due;
        connection.settle(packet, self.params.blind, out);
        let only = tells_number_only(packet, &connection.last, connection.newest, self.params.blind);
        if let Some(number) = number {
            connection.newest = connection.newest.max(number);
            connection.last = packet.clone();
        }
        if only && connection.count + 1 < self.params.every {
            if connection.count == 0 {
                connection.due = now + self.params.hold;
            }
            connection.count += 1;
            connection.held = Some(passing);
        } else {
            connection.begin_anew();
            out.push(passing);
        }
        let due = connection.due;
        if due != was_due {
            self.agenda.remove(&(was_due, id));
            if due != Time::NEVER {
                self.agenda.insert((due, id));
            }
        }
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        while let Some(&(due, id)) = self.agenda.first()
            && due <= now
        {
            self.agenda.remove(&(due, id));
            if let Some(connection) = self.connections.get_mut(&id) {
                out.extend(connection.held.take());
                connection.begin_anew();
            }
        }
    }

    fn held(&self) -> usize {
        self.agenda.len()
    }

    fn next(&self) -> Option<Time> {
        self.agenda.first().map(|&(due, _)| due)
    }
}
