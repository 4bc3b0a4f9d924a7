//! The lazy timer.

use crate::event::Due;
use crate::pending::EventQueue;
use crate::tournament::Slot;

/// A timer that is moved far more often than it runs out: moving it later touches no other.
///
/// The events hold at most one entry for it, due no later than the timer; when that comes up early, the timer's own time and
/// ordinal take its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LazyTimer {
    due: Due,
    /// The bits of its entry's time; those of [`Due::NEVER`] if there is none.
    queued: u64,
    /// Where among the events, once it was set.
    slot: Option<Slot>,
}

impl Default for LazyTimer {
    fn default() -> Self {
        LazyTimer { due: Due::NEVER, queued: Due::NEVER.bits(), slot: None }
    }
}

impl LazyTimer {
    /// Sets the timer.
    #[inline]
    pub fn arm(&mut self, due: Due, events: &mut EventQueue) {
        self.due = due;
        if due.bits() < self.queued {
            self.queue(due, events);
        }
    }

    /// Its entry is due at `due` from now on.
    fn queue(&mut self, due: Due, events: &mut EventQueue) {
        self.queued = due.bits();
        let slot = *self.slot.get_or_insert_with(|| events.slot());
        events.set(slot, due);
    }

    /// Stops the timer.
    #[inline]
    pub fn disarm(&mut self) {
        self.due = Due::NEVER;
    }

    /// Its entry has come up, on top of the events; whether the timer has really run out.
    pub fn expires(&mut self, entry: Due, events: &mut EventQueue) -> bool {
        let expired = self.due == entry;
        if expired {
            self.due = Due::NEVER;
        }
        self.queue(self.due, events);
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, Ordinal};
    use acklab_packet::Time;

    fn due(secs: f64, ordinal: u64) -> Due {
        let ordinal = (0..ordinal).fold(Ordinal::default(), |before, _| before.next());
        Due::new(Time::from_secs(secs), Time::ZERO, ordinal, Event::SenderTimer(0))
    }

    fn top(events: &EventQueue) -> Option<Due> {
        Some(events.top()).filter(|&due| due != Due::NEVER)
    }

    #[test]
    fn a_lazy_timer_runs_out_once_at_its_last_setting() {
        let (mut events, mut timer) = (EventQueue::default(), LazyTimer::default());
        timer.arm(due(1.0, 1), &mut events);
        timer.arm(due(3.0, 2), &mut events);
        timer.arm(due(2.0, 3), &mut events);
        let mut fired = Vec::new();
        while let Some(entry) = top(&events) {
            if timer.expires(entry, &mut events) {
                fired.push(entry);
            }
        }
        assert_eq!(fired, [due(2.0, 3)]);
        timer.arm(due(5.0, 4), &mut events);
        timer.disarm();
        let entry = top(&events).unwrap();
        assert!(!timer.expires(entry, &mut events) && top(&events).is_none());
        timer.arm(due(6.0, 5), &mut events);
        timer.arm(due(5.5, 6), &mut events);
        assert_eq!(top(&events), Some(due(5.5, 6)), "an earlier setting takes the place of the one before");
        let mut fired = Vec::new();
        while let Some(entry) = top(&events) {
            if timer.expires(entry, &mut events) {
                fired.push(entry);
            }
        }
        assert_eq!(fired, [due(5.5, 6)]);
    }
}
