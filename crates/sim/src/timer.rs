//! The lazy timer.

use crate::event::{Due, Entry};
use crate::pending::EventQueue;

/// A timer that is moved far more often than it runs out: moving it later touches no heap.
///
/// The heap holds at most one live entry for it, due no later than the timer; when that entry comes up early, it is
/// put back under the timer's own time and ordinal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LazyTimer {
    due: Due,
    queued: Entry,
}

impl Default for LazyTimer {
    fn default() -> Self {
        LazyTimer { due: Due::NEVER, queued: Due::NEVER.entry() }
    }
}

impl LazyTimer {
    /// Sets the timer.
    #[inline]
    pub fn arm(&mut self, due: Due, events: &mut EventQueue) {
        self.due = due;
        if due.entry().precedes(self.queued) {
            self.queued = due.entry();
            events.push(self.due);
        }
    }

    /// Stops the timer.
    #[inline]
    pub fn disarm(&mut self) {
        self.due = Due::NEVER;
    }

    /// Its entry has come up, on top of the events, and leaves them; whether the timer has really run out.
    pub fn expires(&mut self, entry: Due, events: &mut EventQueue) -> bool {
        if entry.entry() == self.queued {
            if self.due != entry && self.due != Due::NEVER {
                self.queued = self.due.entry();
                events.replace_top(self.due);
                return false;
            }
            self.queued = Due::NEVER.entry();
        }
        events.pop();
        let expired = self.due == entry;
        if expired {
            self.due = Due::NEVER;
        }
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

    #[test]
    fn a_lazy_timer_runs_out_once_at_its_last_setting() {
        let (mut events, mut timer) = (EventQueue::default(), LazyTimer::default());
        timer.arm(due(1.0, 1), &mut events);
        timer.arm(due(3.0, 2), &mut events);
        timer.arm(due(2.0, 3), &mut events);
        let mut fired = Vec::new();
        while let Some(entry) = events.peek() {
            if timer.expires(entry, &mut events) {
                fired.push(entry);
            }
        }
        assert_eq!(fired, [due(2.0, 3)]);
        timer.arm(due(5.0, 4), &mut events);
        timer.disarm();
        let entry = events.peek().unwrap();
        assert!(!timer.expires(entry, &mut events) && events.peek().is_none());
        timer.arm(due(6.0, 5), &mut events);
        timer.arm(due(5.5, 6), &mut events);
        let mut fired = Vec::new();
        while let Some(entry) = events.peek() {
            if timer.expires(entry, &mut events) {
                fired.push(entry);
            }
        }
        assert_eq!(fired, [due(5.5, 6)], "an earlier setting overtakes the one in the heap");
    }
}
