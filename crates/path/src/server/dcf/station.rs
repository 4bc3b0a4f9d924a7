//! A station: its interface queue, its frames in service, its backoff.

use std::collections::VecDeque;

use acklab_packet::Time;

use super::params::DcfParams;
use crate::queue::{AnyQueue, Line, Removal, Service, Stamped};
use crate::random::Random;
use crate::{Carried, carried_within};

/// A packet, and the port (one way between two stations) by which it leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame<P> {
    /// The packet.
    pub packet: P,
    /// The port.
    pub port: u32,
    /// How long it waited until it entered service or was removed.
    pub waited: Time,
}

impl<P> From<(Stamped<Frame<P>>, Time)> for InService<P> {
    /// A frame enters service at that time.
    fn from((stamped, now): (Stamped<Frame<P>>, Time)) -> InService<P> {
        let waited = stamped.waited(now);
        InService { frame: Frame { waited, ..stamped.packet }, failures: 0, received: false }
    }
}

carried_within!(Frame);

/// A frame in service.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InService<P> {
    pub frame: Frame<P>,
    /// Failed attempts to get its data through.
    pub failures: u32,
    /// Whether the receiver has it, waiting for an earlier one of the same aggregate.
    pub received: bool,
}

/// Why a frame leaves the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrived.
    Delivered,
    /// Its attempts were used up.
    GivenUp,
    /// Its station's queue removed it.
    Removed(Removal),
}

/// One station.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Station<P> {
    /// What waits; in front of the queue a frame that found no place in the aggregate.
    pub line: Line<Frame<P>>,
    /// What is being sent: one frame, or those of an aggregate, all to one receiver.
    pub service: VecDeque<InService<P>>,
    /// When the last frame left service.
    pub idle_since: Time,
    /// Slots left at the beginning of the present idle time; `None` when no backoff is in progress.
    pub backoff: Option<u32>,
    /// From the beginning of the present idle time until slots count: DIFS, EIFS, or more.
    pub wait: Time,
    /// When a frame came that needs no backoff.
    pub at_once: Option<Time>,
    /// Contention window.
    pub cw: u32,
    /// RTSs without answer for the present frame.
    pub rts_failures: u32,
    /// Draws backoffs.
    pub random: Random,
    /// Draws broken frames.
    pub air: Random,
}

impl<P: Carried> Station<P> {
    pub fn new(queue: AnyQueue<Stamped<Frame<P>>>, params: &DcfParams, random: Random, air: Random) -> Station<P> {
        Station {
            line: Line::new(queue),
            service: VecDeque::new(),
            idle_since: Time::ZERO,
            backoff: None,
            wait: params.difs,
            at_once: None,
            cw: params.cw_min,
            rts_failures: 0,
            random,
            air,
        }
    }

    /// What a packet that arrives finds in service.
    pub fn in_service(&self) -> Service {
        match self.service.front() {
            Some(first) => Service::Busy(first.frame.wire_bytes()),
            None => Service::Idle(self.idle_since),
        }
    }

    /// The next frame; those that the queue drops before it go to `out`.
    fn next_frame(&mut self, now: Time, out: &mut Vec<(Frame<P>, Fate)>) -> Option<Stamped<Frame<P>>> {
        let gone = |frame, reason, waited| out.push((Frame { waited, ..frame }, Fate::Removed(reason)));
        self.line.dequeue(now, gone).map(|(frame, _)| frame)
    }

    /// Takes the next frame into service, if none is.
    pub fn load(&mut self, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        if self.service.is_empty()
            && let Some(frame) = self.next_frame(now, out)
        {
            self.service.push_back((frame, now).into());
        }
    }

    /// Fills the aggregate with what waits for the same receiver, as far as it is next in the queue's own order.
    pub fn fill(&mut self, params: &DcfParams, now: Time, out: &mut Vec<(Frame<P>, Fate)>) {
        if params.aggregate == 0 {
            return;
        }
        let Some(first) = self.service.front() else { return };
        let port = first.frame.port;
        let mut bytes = self.missing_bytes(params);
        while self.service.len() < params.aggregate_frames {
            let Some(frame) = self.next_frame(now, out) else { return };
            let more = bytes.saturating_add(params.subframe(frame.wire_bytes()));
            if frame.packet.port != port || more > params.aggregate || params.data(more) > params.aggregate_time {
                let bytes = frame.wire_bytes();
                self.line.keep(frame, bytes);
                return;
            }
            bytes = more;
            self.service.push_back((frame, now).into());
        }
    }

    /// Bytes of the aggregate of what its receiver does not have yet.
    pub fn missing_bytes(&self, params: &DcfParams) -> u32 {
        let missing = self.service.iter().filter(|one| !one.received);
        missing.map(|one| params.subframe(one.frame.wire_bytes())).sum()
    }

    /// Bytes on the air of what is in service, MAC headers included.
    pub fn air_bytes(&self, params: &DcfParams) -> u32 {
        match self.service.front() {
            Some(first) if params.aggregate == 0 => params.frame(first.frame.wire_bytes()),
            _ => self.missing_bytes(params),
        }
    }

    /// When it transmits, if it wants to and the medium, idle since then, stays so.
    pub fn start(&self, since: Time, slot: Time) -> Option<Time> {
        if self.service.is_empty() {
            return None;
        }
        self.at_once.or_else(|| self.backoff.map(|slots| since + self.counted(slots, slot)))
    }

    fn counted(&self, slots: u32, slot: Time) -> Time {
        self.wait + Time::from_secs(f64::from(slots) * slot.secs())
    }

    /// Draws a backoff.
    pub fn back_off(&mut self) {
        let draw = self.random.uniform() * (f64::from(self.cw) + 1.0);
        self.backoff = Some((draw as u32).min(self.cw));
    }

    /// Whether it may transmit without a backoff after so much idle time: none is in progress or it is over.
    pub fn free(&self, idle: Time, slot: Time) -> bool {
        idle >= self.counted(self.backoff.unwrap_or(0), slot)
    }

    /// Another station transmits after so much idle time: takes off the slots that have passed.
    pub fn freeze(&mut self, idle: Time, params: &DcfParams) {
        let Some(left) = self.backoff else { return };
        let counting = (idle.secs() - self.wait.secs()) / params.slot.secs();
        // Slots are counted by their ends, of which the last may miss its instant by a rounding.
        let mut passed = (counting + 1e-6).floor().max(0.0) as u32;
        if params.busy_slot_counts && counting >= -1e-6 {
            passed += 1;
        }
        self.backoff = match left.checked_sub(passed) {
            // With a frame it transmits itself at zero, unless it was kept from it: then it does so first thing.
            Some(0) | None if self.service.is_empty() => None,
            left => Some(left.unwrap_or(0)),
        };
    }
}
