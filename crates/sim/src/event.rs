//! The event queue: a binary heap with one entry a link or timer, ordered by (time, ordinal).
//!
//! An ordinal is reserved when an event is *decided*, not when it enters the heap, so a link that keeps only its next
//! arrival here still orders all of them as if each had been queued at once (docs/architecture.md, "Event order").

use acklab_packet::Time;

/// When something happens: the time, and among equal times the order of decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// Bits of the time; non-negative doubles order like their bits.
    time: u64,
    ordinal: u64,
}

impl Due {
    /// Never.
    pub const NEVER: Due = Due { time: u64::MAX, ordinal: u64::MAX };
    /// Before everything.
    pub const START: Due = Due { time: 0, ordinal: 0 };

    /// At `at`, in the order of `ordinal`.
    #[inline]
    pub fn new(at: Time, ordinal: u64) -> Due {
        Due { time: at.bits(), ordinal }
    }

    /// The time.
    #[inline]
    pub fn time(self) -> Time {
        Time::from_secs(f64::from_bits(self.time))
    }
}

/// What happens, and to which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The packet in front reaches a link's far end.
    Deliver(u32),
    /// A link's transmitter becomes free while packets wait.
    Free(u32),
    /// A flow's retransmission timer may have run out.
    SenderTimer(u32),
    /// A flow's ACK timer may have run out.
    ReceiverTimer(u32),
    /// A flow starts, or starts again.
    Start(u32),
    /// The run ends.
    Stop,
}

/// A binary min-heap of events.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    heap: Vec<(Due, Event)>,
}

impl EventQueue {
    /// The earliest event, left in place.
    #[inline]
    pub fn peek(&self) -> Option<(Due, Event)> {
        self.heap.first().copied()
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, due: Due, event: Event) {
        self.heap.push((due, event));
        let mut hole = self.heap.len() - 1;
        while hole > 0 {
            let parent = (hole - 1) / 2;
            if self.heap[parent].0 <= due {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = (due, event);
    }

    /// Removes the earliest event.
    #[inline]
    pub fn pop(&mut self) {
        if let Some(last) = self.heap.pop()
            && !self.heap.is_empty()
        {
            self.sift_down(last);
        }
    }

    /// Removes the earliest event and adds another, in one pass.
    #[inline]
    pub fn replace(&mut self, due: Due, event: Event) {
        self.sift_down((due, event));
    }

    /// Puts `entry` at the root and lets it sink.
    #[inline]
    fn sift_down(&mut self, entry: (Due, Event)) {
        let heap = &mut self.heap[..];
        let mut hole = 0;
        loop {
            let mut child = 2 * hole + 1;
            if child >= heap.len() {
                break;
            }
            if child + 1 < heap.len() && heap[child + 1].0 < heap[child].0 {
                child += 1;
            }
            if entry.0 <= heap[child].0 {
                break;
            }
            heap[hole] = heap[child];
            hole = child;
        }
        heap[hole] = entry;
    }

}

/// A timer that is moved far more often than it runs out: moving it later touches no heap.
///
/// The heap holds at most one live entry for it, due no later than the timer; when that entry comes up early, it is
/// put back under the timer's own time and ordinal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LazyTimer {
    due: Due,
    queued: Due,
}

impl Default for LazyTimer {
    fn default() -> Self {
        LazyTimer { due: Due::NEVER, queued: Due::NEVER }
    }
}

impl LazyTimer {
    /// Sets the timer.
    #[inline]
    pub fn arm(&mut self, due: Due, event: Event, events: &mut EventQueue) {
        self.due = due;
        if due < self.queued {
            self.queued = due;
            events.push(due, event);
        }
    }

    /// Stops the timer.
    #[inline]
    pub fn disarm(&mut self) {
        self.due = Due::NEVER;
    }

    /// Its entry came up as the heap's earliest and is consumed; whether the timer has really run out.
    pub fn expires(&mut self, entry: Due, event: Event, events: &mut EventQueue) -> bool {
        if entry != self.queued {
            events.pop();
            return false;
        }
        self.queued = Due::NEVER;
        if self.due == entry {
            self.due = Due::NEVER;
            events.pop();
            return true;
        }
        if self.due == Due::NEVER {
            events.pop();
        } else {
            self.queued = self.due;
            events.replace(self.due, event);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(secs: f64, ordinal: u64) -> Due {
        Due::new(Time::from_secs(secs), ordinal)
    }

    #[test]
    fn events_come_in_order_of_time_then_decision() {
        let mut events = EventQueue::default();
        for (i, secs) in [3.0, 1.0, 2.0, 1.0, 0.5, 2.0].into_iter().enumerate() {
            events.push(due(secs, i as u64), Event::Start(i as u32));
        }
        let mut order = Vec::new();
        while let Some((_, Event::Start(i))) = events.peek() {
            order.push(i);
            if i == 1 { events.replace(due(2.5, 9), Event::Start(9)) } else { events.pop() }
        }
        assert_eq!(order, [4, 1, 3, 2, 5, 9, 0]);
    }

    #[test]
    fn a_lazy_timer_runs_out_once_at_its_last_setting() {
        let (mut events, mut timer) = (EventQueue::default(), LazyTimer::default());
        let event = Event::SenderTimer(0);
        timer.arm(due(1.0, 1), event, &mut events);
        timer.arm(due(3.0, 2), event, &mut events);
        timer.arm(due(2.0, 3), event, &mut events);
        let mut fired = Vec::new();
        while let Some((entry, _)) = events.peek() {
            if timer.expires(entry, event, &mut events) {
                fired.push(entry);
            }
        }
        assert_eq!(fired, [due(2.0, 3)]);
        timer.arm(due(5.0, 4), event, &mut events);
        timer.disarm();
        let (entry, _) = events.peek().unwrap();
        assert!(!timer.expires(entry, event, &mut events) && events.peek().is_none());
        timer.arm(due(6.0, 5), event, &mut events);
        timer.arm(due(5.5, 6), event, &mut events);
        let mut fired = Vec::new();
        while let Some((entry, _)) = events.peek() {
            if timer.expires(entry, event, &mut events) {
                fired.push(entry);
            }
        }
        assert_eq!(fired, [due(5.5, 6)], "an earlier setting overtakes the one in the heap");
    }
}
