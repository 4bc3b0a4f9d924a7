//! Events, ordered by (time, time of decision, ordinal).
//!
//! Events that are due at the same time come in the order in which they were *decided*, not in which they entered the
//! queue. So a lane that keeps only its next arrival here still orders all of them as if each had been queued at once.
//! Hops that are decided ahead ([`crate::link`]) bring the time at which they would have been decided event by event
//! (docs/architecture.md, "Event order").

use std::cmp::Ordering;

use acklab_packet::Time;

use crate::tournament::NO_TIME;

/// What happens, and to which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The packet in front of a lane reaches its link's far end.
    Deliver(u32),
    /// A link's transmitter becomes free while packets wait.
    Free(u32),
    /// A flow's retransmission timer may have run out.
    SenderTimer(u32),
    /// A flow's ACK timer may have run out.
    ReceiverTimer(u32),
    /// A flow's pacer may let it send on.
    Pacer(u32),
    /// A flow starts, or starts again.
    Start(u32),
    /// A flow's application writes.
    Write(u32),
    /// A shared medium decides.
    Medium(u32),
    /// The stages of a link direction let go what they hold.
    Stages(u32),
    /// An expectation is compared with the state.
    Look(u32),
    /// The run ends.
    Stop,
}

/// Bits of a [`Due`] that name the event: three for its kind, the others for its lane, link or flow.
const EVENT_BITS: u32 = 28;
/// Most lanes, links and flows that a [`Due`] can name.
pub const MOST_SOURCES: u32 = 1 << (EVENT_BITS - 3);
/// The bit that is set where the event was decided ahead.
const AHEAD: u64 = 1 << EVENT_BITS;

/// An event and when it is due: the time, and among equal times the order of decision.
///
/// It has 24 bytes. Of these, 16 are the bits of its time and of the time of its decision: non-negative doubles order
/// like their bits. The others are 35 bits of ordinal, one that says whether it was decided ahead, and 28 of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    time: u64,
    decided: u64,
    low: u64,
}

impl Due {
    /// After everything.
    pub const NEVER: Due = Due { time: NO_TIME, decided: u64::MAX, low: u64::MAX };
    /// Before everything.
    pub const START: Due = Due { time: 0, decided: 0, low: 0 };

    /// `event` at `at`, decided at `decided` in the order of `ordinal`.
    #[inline]
    pub fn new(at: Time, decided: Time, ordinal: Ordinal, event: Event) -> Due {
        let (kind, id) = match event {
            Event::Deliver(id) => (0, id),
            Event::Free(id) => (1, id),
            Event::SenderTimer(id) => (2, id),
            Event::ReceiverTimer(id) => (3, id),
            Event::Pacer(id) => (4, id),
            Event::Start(id) => (5, id),
            Event::Write(id) => (6, id),
            // Kind 7 is shared: the run ends once, the others take turns.
            Event::Stop => (7, 0),
            Event::Medium(id) => (7, 3 * id + 1),
            Event::Stages(id) => (7, 3 * id + 2),
            Event::Look(id) => (7, 3 * id + 3),
        };
        debug_assert!(id < MOST_SOURCES);
        Due { time: at.bits(), decided: decided.bits(), low: ordinal.0 | u64::from(id << 3 | kind) }
    }

    /// The same, but found out ahead what only an event at `decided` would have decided. It has no ordinal: if it is due
    /// and was decided with another at the same times, their order is not known ([`Due::ties`]).
    #[inline]
    pub fn ahead(at: Time, decided: Time, event: Event) -> Due {
        let due = Due::new(at, decided, Ordinal::default(), event);
        Due { low: due.low | AHEAD, ..due }
    }

    /// This one, but found out ahead if `ahead`.
    #[inline]
    pub fn found_out(self, ahead: bool) -> Due {
        Due { low: self.low | u64::from(ahead) << EVENT_BITS, ..self }
    }

    /// The same, delivered from another lane.
    #[inline]
    pub fn on(self, lane: u32) -> Due {
        let name = (1 << EVENT_BITS) - 1;
        Due { low: self.low & !name | u64::from(lane << 3), ..self }
    }

    /// When it was decided, or would have been.
    #[inline]
    pub fn decided(self) -> Time {
        Time::from_secs(f64::from_bits(self.decided))
    }

    /// Whether it comes after `other`, which is due at the same time; `tied` is set if that is not known.
    #[cold]
    pub fn follows(self, other: Due, tied: &mut bool) -> bool {
        *tied |= self.ties(other);
        other.before(self)
    }

    /// Whether both are due at one time and were decided at one time, and which of them came first then is not known:
    /// one was decided ahead.
    #[inline]
    pub fn ties(self, other: Due) -> bool {
        self.time == other.time && self.decided == other.decided && (self.low | other.low) & AHEAD != 0
    }

    /// The time's bits, which order like it.
    #[inline]
    pub fn bits(self) -> u64 {
        self.time
    }

    /// The time.
    #[inline]
    pub fn time(self) -> Time {
        Time::from_secs(f64::from_bits(self.time))
    }

    /// What happens.
    #[inline]
    pub fn event(self) -> Event {
        let id = self.source();
        match self.low & 7 {
            0 => Event::Deliver(id),
            1 => Event::Free(id),
            2 => Event::SenderTimer(id),
            3 => Event::ReceiverTimer(id),
            4 => Event::Pacer(id),
            5 => Event::Start(id),
            6 => Event::Write(id),
            _ if id == 0 => Event::Stop,
            _ if id % 3 == 1 => Event::Medium(id / 3),
            _ if id % 3 == 2 => Event::Stages(id / 3),
            _ => Event::Look(id / 3 - 1),
        }
    }

    /// Whether it is [`Event::Deliver`].
    #[inline]
    pub fn is_delivery(self) -> bool {
        self.low & 7 == 0
    }

    /// The lane, link or flow that the event concerns.
    #[inline]
    pub fn source(self) -> u32 {
        (self.low as u32 & ((1 << EVENT_BITS) - 1)) >> 3
    }

    /// Whether it comes before `other`. Times are rarely equal.
    #[inline]
    pub fn before(self, other: Due) -> bool {
        if self.time != other.time { self.time < other.time } else { self.decided_before(other) }
    }

    /// Whether it was decided before `other`.
    #[cold]
    fn decided_before(self, other: Due) -> bool {
        (self.decided, self.low) < (other.decided, other.low)
    }
}

impl Default for Due {
    /// [`Due::NEVER`].
    fn default() -> Due {
        Due::NEVER
    }
}

impl Ord for Due {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time, self.decided, self.low).cmp(&(other.time, other.decided, other.low))
    }
}

impl PartialOrd for Due {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Counts decisions; kept in the bits where [`Due`] has it.
///
/// 2^35 decisions are some minutes of a core's work. Then the count begins again. It matters only to events that are
/// due at the same instant and were decided at the same instant, one before and one after. Of these the later comes
/// first, on every machine alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ordinal(u64);

impl Ordinal {
    /// The one after it.
    #[inline]
    pub fn next(self) -> Ordinal {
        Ordinal(self.0.wrapping_add(AHEAD << 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(secs: f64, ordinal: u64, event: Event) -> Due {
        Due::new(
            Time::from_secs(secs),
            Time::ZERO,
            (0..ordinal).fold(Ordinal::default(), |before, _| before.next()),
            event,
        )
    }

    #[test]
    fn a_due_remembers_its_event() {
        let last = MOST_SOURCES - 1;
        let shared = [
            Event::Stop,
            Event::Medium(0),
            Event::Medium(7),
            Event::Stages(0),
            Event::Stages(7),
            Event::Look(0),
            Event::Look(7),
        ];
        for event in
            shared.into_iter().chain([Event::Deliver(last), Event::Free(1), Event::Pacer(0), Event::Write(last)])
        {
            assert_eq!(due(1.5, 3, event).event(), event);
        }
    }
}
