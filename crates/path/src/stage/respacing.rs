//! ACK reconstruction as ns-2.35 runs it (tcp/ack-recons.cc, and `spacing` and `ackbw` in tcl/lib/ns-queue.tcl).
//!
//! An ACK that raises the number by more than `threshold` is replaced by ACKs `step` apart, which leave `spacing` apart, the first
//! at once. Until they have left, each further ACK is replaced, too, from the last number that has left on; what a newer one has
//! overtaken is dropped. An ACK that was made gives its sender no round trip. The time between ACKs is that since the last one that
//! passed: ns-2 does not note the time of one that it has replaced.

use std::collections::BTreeMap;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::split::says_number_only;
use super::{Passing, Reissue, Stage, StageParams};
use crate::random::Random;
use crate::values::{Checked, micros, must, number, some_time, within, yes};

/// ACK reconstruction as in ns-2.35: ACKs that are made leave as far apart as ACKs arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RespacingParams {
    /// Sequence units by which an ACK may raise the number and pass (`deltaAckThresh_`).
    #[serde(default = "number::<u64, 2>")]
    #[schemars(range(min = 1))]
    pub threshold: u64,
    /// Sequence units from one ACK to the next (`delack_`).
    #[serde(default = "number::<u64, 2>")]
    #[schemars(range(min = 1))]
    pub step: u64,
    /// The first estimate of the time between ACKs (`ackInterArr_`).
    #[serde(default = "micros::<10_000>")]
    pub spacing: Time,
    /// Whether ACKs leave as far apart as they arrive, by the smoothed time between them (`adaptive_`). Otherwise they fill the time since
    /// the ACK before.
    #[serde(default = "yes")]
    pub adaptive: bool,
    /// Weight of a new time in that estimate (`alpha_`).
    #[serde(default = "quarter")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
}

fn quarter() -> f64 {
    0.25
}

/// Most ACKs made of one. An ACK that leaps further passes.
pub const MOST: u64 = 1024;

#[derive(Clone, Debug, Default)]
struct Connection {
    /// The last number that left, less one as ns-2 counts, and the last that came, with its time.
    left: i64,
    came: i64,
    came_at: f64,
    /// Duplicates in a row, or the first ACK: what comes passes.
    repeats: u32,
    /// Made and not yet due.
    pending: u64,
    /// Smoothed seconds between arrivals.
    between: f64,
}

impl StageParams for RespacingParams {
    fn check(&mut self) -> Checked {
        within(1, u32::MAX.into(), "threshold", self.threshold)?;
        within(1, u32::MAX.into(), "step", self.step)?;
        some_time("spacing", self.spacing)?;
        must((0.0..=1.0).contains(&self.gain), "gain", "must be from 0 to 1", self.gain)
    }

    fn copies(&self) -> f64 {
        MOST as f64
    }
}

/// The stage of [`RespacingParams`].
#[derive(Clone, Debug)]
pub struct AckRespacing<P> {
    params: RespacingParams,
    connections: BTreeMap<u64, Connection>,
    /// Made ACKs by their time, and in the order in which they were made, with when that was.
    agenda: BTreeMap<(Time, u64), (Time, u64, P)>,
    made: u64,
}

/// `%f` of C, through which ns-2 passes the time to its script.
fn in_microseconds(secs: f64) -> f64 {
    format!("{secs:.6}").parse().unwrap_or(secs)
}

impl<P: Reissue> AckRespacing<P> {
    /// One that has seen nothing.
    pub fn new(params: &RespacingParams, _: impl FnOnce() -> Random) -> AckRespacing<P> {
        AckRespacing { params: params.clone(), connections: BTreeMap::new(), agenda: BTreeMap::new(), made: 0 }
    }

    /// Replaces an ACK by those that lead to its number.
    fn replace(&mut self, packet: P, number: i64, now: Time) {
        let id = packet.connection();
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let step = self.params.step as i64;
        let since = now.secs() - connection.came_at;
        let parts = (number - connection.left) / step + 1;
        let spacing = if self.params.adaptive { connection.between } else { since / parts as f64 };
        let mut at = |place: i64, number: i64| {
            let due = now.secs() + (now.secs() + place as f64 * spacing - now.secs());
            self.made += 1;
            connection.pending += 1;
            let ack = packet.reissued(number as u64 + 1).untimed();
            self.agenda.insert((Time::from_secs(due), self.made), (now, id, ack));
        };
        let (mut next, mut place) = (connection.left + step, 0);
        while next <= number {
            at(place, next);
            (next, place) = (next + step, place + 1);
        }
        if (next - number) % step != 0 {
            at(place, number);
        }
    }

    /// Lets go what is due and was made before `before`.
    fn release(&mut self, before: Time, now: Time, out: &mut Vec<Passing<P>>) {
        while let Some(entry) = self.agenda.first_entry()
            && entry.key().0 <= now
            && entry.get().0 < before
        {
            let (_, id, packet) = entry.remove();
            let Some(connection) = self.connections.get_mut(&id) else { continue };
            connection.pending -= 1;
            let number = packet.plain_ack().map_or(0, |ack| ack as i64 - 1);
            if connection.left < number {
                connection.left = number;
                out.push(Passing::made(packet));
            }
        }
    }
}

impl<P: Reissue> Stage<P> for AckRespacing<P> {
    fn arrive(&mut self, mut passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        let Some(ack) = passing.packet.plain_ack() else { return out.push(passing) };
        let number = ack as i64 - 1;
        let params = &self.params;
        // The first passes, as ns-2 takes the ACK of packet 0 for a repeated one.
        let new = || Connection { between: params.spacing.secs(), repeats: 1, ..Connection::default() };
        let id = passing.packet.connection();
        let connection = self.connections.entry(id).or_insert_with(new);
        if params.adaptive {
            let sample = in_microseconds(now.secs()) - connection.came_at;
            connection.between = params.gain * sample + (1.0 - params.gain) * connection.between;
        }
        let near = connection.pending == 0 && number - connection.left <= params.threshold as i64;
        let far = number - connection.left > (MOST * params.step) as i64;
        let repeated = number == connection.came;
        // News that its number does not tell must not be lost.
        let passes = near || far || connection.repeats > 0 || !says_number_only(&passing.packet);
        if repeated {
            connection.repeats += 1;
        } else if passes && number > connection.left {
            (connection.repeats, connection.left) = (0, number);
        }
        if passes {
            out.push(passing);
        } else {
            let packet = passing.packet.clone();
            passing.removed = true;
            out.push(passing);
            self.replace(packet, number, now);
        }
        // ns-2 reads the number of an ACK that it has replaced from memory that it has freed, and cleared: 0.
        let number = if passes { number } else { 0 };
        if let Some(connection) = self.connections.get_mut(&id)
            && number >= connection.came
        {
            (connection.came, connection.came_at) = (number, now.secs());
        }
        self.release(Time::NEVER, now, out);
    }

    /// As events of one time in ns-2: the one that was decided first comes first.
    fn precede(&mut self, sent: Time, now: Time, out: &mut Vec<Passing<P>>) {
        self.release(sent, now, out);
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        self.release(Time::NEVER, now, out);
    }

    fn next(&self) -> Option<Time> {
        self.agenda.keys().next().map(|&(due, _)| due)
    }
}
