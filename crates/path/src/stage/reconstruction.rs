//! ACK reconstruction: an ACK for many segments becomes ACKs for few, spaced in time (RFC 3449 section 5.3.1).
//!
//! An ACK that raises the number by more than `step` is held, and ACKs `step` apart go before it, `spacing` apart in time,
//! the first at once. Without `spacing` they fill the time since the ACK before it, or the mean of such times where that is
//! shorter, so that a pause is not spread over. Later ACKs that raise the number queue behind. Whatever says more than its
//! number (a duplicate, SACK blocks, congestion) lets what is held go at once, and goes right behind it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::split::says_number_only;
use super::{Passing, Reissue, Stage, StageParams};
use crate::random::Random;
use crate::values::{Checked, at_least, number, within};

/// An ACK for many segments becomes ACKs for few, spaced in time (RFC 3449 section 5.3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReconstructionParams {
    /// Sequence units from one ACK to the next: segments or bytes, as the flow counts.
    #[serde(default = "number::<u64, 2>")]
    #[schemars(range(min = 1))]
    pub step: u64,
    /// Time from one ACK to the next; from the ACKs' own arrivals where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Time>,
    /// Most ACKs made of one; the step grows where these are too few.
    #[serde(default = "number::<u32, 64>")]
    #[schemars(range(min = 2, max = 65536))]
    pub most: u32,
}

/// An ACK that waits until its predecessors are made.
#[derive(Clone, Debug)]
struct Held<P> {
    passing: Passing<P>,
    number: u64,
    step: u64,
    spacing: Time,
}

#[derive(Clone, Debug)]
struct Connection<P> {
    /// The newest number that came, and that went.
    newest: u64,
    told: u64,
    /// When the newest came, and the mean time between such.
    since: Time,
    mean: Time,
    held: VecDeque<Held<P>>,
    /// When the next goes; never while nothing is held.
    due: Time,
}

impl StageParams for ReconstructionParams {
    fn check(&mut self) -> Checked {
        at_least(1, "step", self.step)?;
        within(2, 65_536, "most", self.most)
    }

    fn copies(&self) -> f64 {
        self.most.into()
    }
}

/// The stage of [`ReconstructionParams`].
#[derive(Clone, Debug)]
pub struct AckReconstruction<P> {
    params: ReconstructionParams,
    connections: BTreeMap<u64, Connection<P>>,
    /// Who is due when.
    agenda: BTreeSet<(Time, u64)>,
}

impl<P> AckReconstruction<P> {
    /// A reconstructor that has seen nothing.
    pub fn new(params: &ReconstructionParams, _: impl FnOnce() -> Random) -> AckReconstruction<P> {
        AckReconstruction { params: params.clone(), connections: BTreeMap::new(), agenda: BTreeSet::new() }
    }
}

impl<P: Reissue> Stage<P> for AckReconstruction<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        let Some(number) = passing.packet.plain_ack() else { return out.push(passing) };
        let id = passing.packet.connection();
        let new = || Connection {
            newest: number,
            told: number,
            since: now,
            mean: Time::NEVER,
            held: VecDeque::new(),
            due: Time::NEVER,
        };
        let connection = self.connections.entry(id).or_insert_with(new);
        let was_due = connection.due;
        if number > connection.newest && says_number_only(&passing.packet) {
            connection.hold(passing, number, &self.params, now);
            connection.release(now, out);
        } else {
            connection.flush(out);
            connection.newest = connection.newest.max(number);
            connection.told = connection.newest;
            out.push(passing);
        }
        let due = connection.due;
        self.reschedule(id, was_due, due);
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        while let Some(&(was_due, id)) = self.agenda.first()
            && was_due <= now
        {
            let Some(connection) = self.connections.get_mut(&id) else { return };
            connection.release(now, out);
            let due = connection.due;
            self.reschedule(id, was_due, due);
        }
    }

    fn held(&self) -> usize {
        self.connections.values().map(|connection| connection.held.len()).sum()
    }

    fn next(&self) -> Option<Time> {
        self.agenda.first().map(|&(due, _)| due)
    }
}

impl<P> AckReconstruction<P> {
    fn reschedule(&mut self, id: u64, was_due: Time, due: Time) {
        if was_due != due {
            self.agenda.remove(&(was_due, id));
            if due != Time::NEVER {
                self.agenda.insert((due, id));
            }
        }
    }
}

impl<P: Reissue> Connection<P> {
    /// Takes in an ACK that raises the newest number.
    fn hold(&mut self, passing: Passing<P>, number: u64, params: &ReconstructionParams, now: Time) {
        let units = number - self.newest;
        let step = params.step.max(units.div_ceil(u64::from(params.most)));
        let gap = now - self.since;
        let even = Time::from_secs(gap.min(self.mean).secs() / units.div_ceil(step) as f64);
        self.mean = match self.mean {
            Time::NEVER => gap,
            // As round trips are smoothed (RFC 6298): an eighth of each new one.
            mean => Time::from_secs(0.875 * mean.secs() + 0.125 * gap.secs()),
        };
        (self.newest, self.since) = (number, now);
        if self.held.is_empty() {
            self.due = now;
        }
        self.held.push_back(Held { passing, number, step, spacing: params.spacing.unwrap_or(even) });
    }

    /// Lets go what is due.
    fn release(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        while self.due <= now
            && let Some(front) = self.held.front()
        {
            self.due = self.due + front.spacing;
            let next = self.told.saturating_add(front.step);
            if next < front.number {
                out.push(Passing::made(front.passing.packet.reissued(next)));
                self.told = next;
            } else if let Some(front) = self.held.pop_front() {
                self.told = front.number;
                out.push(front.passing);
            }
        }
        if self.held.is_empty() {
            self.due = Time::NEVER;
        }
    }

    /// Lets go what is held, without making more of it.
    fn flush(&mut self, out: &mut Vec<Passing<P>>) {
        out.extend(self.held.drain(..).map(|held| held.passing));
        self.due = Time::NEVER;
    }
}
