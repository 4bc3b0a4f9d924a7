//! Request-grant uplinks: packets wait until the head end has granted bytes for them.
//!
//! The cycle is the same on cable, in cellular networks and on fibre. A terminal with data asks. Some time later the
//! scheduler answers with a grant in a slot of its own. The grant carries what waits then, and a report of what
//! remains. This module has that cycle. A [`Timing`] says when a terminal may ask, how soon the scheduler answers and
//! when a slot's packets arrive: one file for each technology.
//!
//! The scheduler has one terminal: nothing here competes for slots. It never grants bytes that it was not asked for, except
//! where a technology says so. Left out everywhere: the way of a request that is lost, and the overhead of headers below IP
//! (`rate` is that of whole packets).

mod docsis;
mod lte;
mod nr;
mod pon;
mod radio;

pub use docsis::{DocsisSpec, Requests};
pub use lte::LteSpec;
pub use nr::NrSpec;
pub use pon::PonSpec;

use docsis::Docsis;
use pon::Pon;
use radio::Radio;

use std::collections::VecDeque;
use std::fmt::Debug;

use acklab_packet::{Rate, Time};
use dyn_clone::DynClone;

use super::{Server, Taken};
use crate::queue::line::Backlog;
use crate::random::Random;

/// A time in whole nanoseconds, in which slots are counted.
type Nanos = u64;

fn secs(at: Nanos) -> f64 {
    at as f64 / 1e9
}

/// The first nanosecond not before `time`; a hundredth of one is rounding.
fn nanos(time: f64) -> Nanos {
    (time * 1e9 - 0.01).ceil().clamp(0.0, 4e18) as Nanos
}

fn duration(time: Time) -> Nanos {
    (time.secs() * 1e9).round() as Nanos
}

/// The largest whole number of bytes that `rate` carries in `span`.
fn capacity(rate: Rate, span: Nanos) -> u64 {
    // A billionth of a byte is rounding.
    (rate.bps() * secs(span) / 8.0 + 1e-9) as u64
}

/// The times of one technology. Slots are numbered from the beginning of the run.
pub trait Timing: Debug + Send + Sync + DynClone {
    /// When slot `slot` begins.
    fn begins(&self, slot: u64) -> Nanos;
    /// The first slot for grants from number `slot` on.
    fn usable(&self, slot: u64) -> u64;
    /// The first slot that does not begin before `at`.
    fn slot_at(&self, at: Nanos) -> u64;
    /// When a request can go for data that came `at`.
    fn asks(&mut self, at: Nanos) -> Nanos;
    /// The first slot that may answer a request sent `at`.
    fn answers(&self, at: Nanos) -> u64;
    /// A grant in `slot` is used: the slot from which on the scheduler can answer the report that it carries.
    fn reports(&mut self, slot: u64) -> u64 {
        self.answers(self.begins(slot))
    }
    /// How long `bytes` take within a grant.
    fn lasts(&self, bytes: u32) -> Time;
    /// When what the last used grant carried has arrived, but for propagation; `None` if each packet arrives as it ends.
    fn arrived(&self) -> Option<Nanos> {
        None
    }
}

/// What a grant counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Bytes,
    Packets,
}

/// When a grant that is used carries a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piggyback {
    Never,
    /// If no other is unanswered.
    Alone,
    Always,
}

/// How requests and grants are made, in the grants' unit.
#[derive(Clone, Debug, PartialEq)]
struct Habit {
    unit: Unit,
    /// The most that one grant covers.
    most: u64,
    /// What the scheduler grants on a request that does not say how much waits; `None` if it says so.
    first: Option<u64>,
    /// The most that one request asks for.
    largest: u64,
    /// When a used grant carries a request for what remains.
    piggyback: Piggyback,
    /// Whether more may be requested by itself while a request is unanswered.
    several: bool,
    /// What every slot grants without being asked.
    unasked: u64,
    /// Bytes a second when every slot is full.
    rate: f64,
}

dyn_clone::clone_trait_object!(Timing);

/// The cycle of requests and grants of one uplink.
///
/// It is advanced before each change of the queue ([`Server::ready`], [`Server::arrived`]), so requests see what waited
/// when they were sent.
#[derive(Clone, Debug)]
pub struct Cycle {
    timing: Box<dyn Timing>,
    habit: Habit,
    /// Requested, known to the scheduler, and not granted yet.
    known: u64,
    /// Requests on their way: the first slot that may answer, and how much.
    asked: VecDeque<(u64, u64)>,
    /// When the next request goes.
    ask: Option<Nanos>,
    /// The first slot whose grants are not decided.
    slot: u64,
    /// What is left of the grant in use, and when its slot ends.
    open: u64,
    closes: Nanos,
    /// Bytes sent.
    sent: u64,
}

impl Cycle {
    fn new(timing: impl Timing + 'static, habit: Habit) -> Cycle {
        Cycle {
            timing: Box::new(timing),
            habit,
            known: 0,
            asked: VecDeque::new(),
            ask: None,
            slot: 0,
            open: 0,
            closes: 0,
            sent: 0,
        }
    }

    /// The cable modem that `spec` describes.
    pub fn docsis(spec: &DocsisSpec, random: impl FnOnce() -> Random) -> Cycle {
        Cycle::new(Docsis::new(spec, random()), spec.habit())
    }

    /// The LTE terminal that `spec` describes.
    pub fn lte(spec: &LteSpec, random: impl FnOnce() -> Random) -> Cycle {
        let cell = spec.cell();
        let habit = cell.habit(spec.rate);
        Cycle::new(Radio::new(cell, random()), habit)
    }

    /// The NR terminal that `spec` describes.
    pub fn nr(spec: &NrSpec, random: impl FnOnce() -> Random) -> Cycle {
        let cell = spec.cell();
        let habit = cell.habit(spec.rate);
        Cycle::new(Radio::new(cell, random()), habit)
    }

    /// The terminal of a passive optical network that `spec` describes.
    pub fn pon(spec: &PonSpec, _: impl FnOnce() -> Random) -> Cycle {
        Cycle::new(Pon::new(spec), spec.habit())
    }

    fn measure(&self, backlog: Backlog) -> u64 {
        match self.habit.unit {
            // A packet of no bytes asks for one: a grant of nothing carries nothing.
            Unit::Bytes => backlog.bytes.max(u64::from(backlog.packets > 0)),
            Unit::Packets => backlog.packets,
        }
    }

    /// How long `bytes` take in a grant.
    fn lasts(&self, bytes: u32) -> Time {
        self.timing.lasts(bytes)
    }

    /// What waits and is neither requested nor granted.
    fn unasked_for(&self, backlog: Backlog) -> u64 {
        let asked: u64 = self.asked.iter().map(|(_, amount)| amount).sum();
        self.measure(backlog).saturating_sub(asked + self.known + self.open)
    }

    /// Whether a request is unanswered.
    fn outstanding(&self) -> bool {
        self.known > 0 || !self.asked.is_empty()
    }

    /// The next request, or grant with its slot, and when.
    fn next(&self, backlog: Backlog) -> Option<(Nanos, Option<u64>)> {
        let unasked = self.habit.unasked > 0 && backlog.packets > 0;
        let from = if self.known > 0 || unasked {
            Some(self.slot)
        } else {
            self.asked.front().map(|(slot, _)| self.slot.max(*slot))
        };
        let grant = from.map(|from| {
            let slot = self.timing.usable(from);
            (self.timing.begins(slot), Some(slot))
        });
        // At one time a grant comes first: its report makes the request unnecessary.
        let request = self.ask.map(|at| (at, None)).filter(|(at, _)| grant.is_none_or(|(begins, _)| *at < begins));
        request.or(grant)
    }

    fn request(&mut self, at: Nanos, backlog: Backlog) {
        self.ask = None;
        let rest = self.unasked_for(backlog).min(self.habit.largest);
        if rest > 0 {
            let slot = self.timing.answers(at);
            self.asked.push_back((slot, self.habit.first.unwrap_or(rest)));
        }
    }

    fn grant(&mut self, slot: u64, backlog: Backlog) {
        while let Some(&(_, amount)) = self.asked.front().filter(|(answer, _)| *answer <= slot) {
            self.asked.pop_front();
            self.known += amount;
        }
        self.open = self.known.max(self.habit.unasked).min(self.habit.most);
        self.known -= self.known.min(self.open);
        self.slot = slot + 1;
        self.closes = self.timing.begins(self.slot);
        if self.open == 0 {
            return;
        }
        let answer = self.timing.reports(slot);
        let carries = match self.habit.piggyback {
            Piggyback::Never => false,
            Piggyback::Alone => !self.outstanding(),
            Piggyback::Always => true,
        };
        let rest = self.unasked_for(backlog).min(self.habit.largest);
        if carries && rest > 0 {
            self.asked.push_back((answer, rest));
            self.ask = None;
        }
    }

    /// Decides when the next request goes, if one is due that was not before.
    fn plan(&mut self, backlog: Backlog, at: Nanos) {
        let may = self.habit.several || !self.outstanding();
        if self.ask.is_none() && may && self.unasked_for(backlog) > 0 {
            self.ask = Some(self.timing.asks(at));
        }
    }
}

impl Server for Cycle {
    /// The last part of a packet, in the grant that is open. It never arrives before a packet sent earlier.
    fn take(&mut self, bytes: u32, now: Time) -> Taken {
        let lasts = self.lasts(bytes);
        let ends = now + lasts;
        let arrived = self.timing.arrived();
        Taken { lasts, arrives: Some(arrived.map_or(ends, |at| ends.max(Time::from_secs(secs(at))))) }
    }

    /// Seconds that what was sent takes at the whole rate.
    fn busy(&self, _: u64) -> f64 {
        self.sent as f64 / self.habit.rate
    }

    fn grants(&self) -> bool {
        true
    }

    /// Everything due up to `now` happens.
    fn ready(&mut self, backlog: Backlog, now: Time) -> Option<Time> {
        loop {
            if self.open > 0 && backlog.packets > 0 && now.secs() < secs(self.closes) {
                return Some(now);
            }
            if std::mem::take(&mut self.open) > 0 {
                // What a shaper held back in the slot is requested again.
                self.plan(backlog, self.closes);
            }
            if self.ask.is_none() && !self.outstanding() {
                // A packet of no bytes is in no request that was made for the others.
                self.plan(backlog, nanos(now.secs()));
            }
            let (at, grant) = self.next(backlog)?;
            if secs(at) > now.secs() {
                return (backlog.packets > 0).then(|| Time::from_secs(secs(at)));
            }
            match grant {
                Some(slot) => self.grant(slot, backlog),
                None => self.request(at, backlog),
            }
            self.plan(backlog, at);
        }
    }

    fn arrived(&mut self, backlog: Backlog, now: Time) {
        let at = nanos(now.secs());
        if !self.outstanding() {
            self.slot = self.slot.max(self.timing.slot_at(at));
        }
        self.plan(backlog, at);
    }

    /// What the open grant has left.
    fn reserve(&mut self, bytes: u32, now: Time) -> u32 {
        let part = match self.habit.unit {
            Unit::Bytes => u64::from(bytes).min(self.open) as u32,
            Unit::Packets => {
                // A long packet takes more than its slot.
                let ends = nanos((now + self.lasts(bytes)).secs());
                self.slot = self.slot.max(self.timing.slot_at(ends));
                bytes
            }
        };
        self.open -= if self.habit.unit == Unit::Packets { 1 } else { u64::from(part) };
        self.sent += u64::from(part);
        part
    }
}
