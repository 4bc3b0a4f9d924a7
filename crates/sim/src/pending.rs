//! The pending timers, and all else that no lane has.

use crate::event::Due;

/// Events that may be far away, and are mostly called off: a binary heap ([`crate::timer`]).
#[derive(Clone, Debug)]
pub struct EventQueue {
    heap: Vec<Due>,
    /// A copy of its top.
    top: Due,
}

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue { heap: Vec::new(), top: Due::NEVER }
    }
}

impl EventQueue {
    /// The earliest; [`Due::NEVER`] if there is none.
    #[inline(always)]
    pub fn top(&self) -> Due {
        self.top
    }

    /// The earliest, if there is one.
    pub fn peek(&self) -> Option<Due> {
        self.heap.first().copied()
    }

    /// Nothing is pending any more.
    pub fn clear(&mut self) {
        *self = EventQueue::default();
    }

    /// Adds an event.
    pub fn push(&mut self, due: Due) {
        self.heap.push(due);
        let heap = &mut self.heap[..];
        let mut at = heap.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if heap[parent].before(due) {
                break;
            }
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = due;
        self.top = heap[0];
    }

    /// Takes the earliest.
    pub fn pop(&mut self) -> Option<Due> {
        let earliest = *self.heap.first()?;
        if let Some(last) = self.heap.pop()
            && !self.heap.is_empty()
        {
            self.replace_top(last);
        } else {
            self.top = Due::NEVER;
        }
        Some(earliest)
    }

    /// Takes the earliest, of which there is one, and adds `due`.
    pub fn replace_top(&mut self, due: Due) {
        let heap = &mut self.heap[..];
        let (mut at, mut child) = (0, 1);
        while child < heap.len() {
            if child + 1 < heap.len() && heap[child + 1].before(heap[child]) {
                child += 1;
            }
            if due.before(heap[child]) {
                break;
            }
            heap[at] = heap[child];
            at = child;
            child = 2 * at + 1;
        }
        heap[at] = due;
        self.top = heap[0];
    }
}

#[cfg(test)]
mod tests {
    use acklab_packet::Time;

    use super::*;
    use crate::event::{Event, Ordinal};

    #[test]
    fn events_come_in_order_of_time_then_decision() {
        let mut events = EventQueue::default();
        let (mut ordinal, mut popped, mut pushed) = (Ordinal::default(), Vec::new(), 0);
        for round in 0..400_u32 {
            // Up to 100 are pending; times jump to and fro, and many are equal.
            if round < 100 || round % 3 > 0 {
                pushed += 1;
                ordinal = ordinal.next();
                let now = popped.last().map_or(0.0, |due: &Due| due.time().secs());
                let at = Time::from_secs(now + f64::from(round * 7 % 13));
                events.push(Due::new(at, Time::from_secs(now), ordinal, Event::Start(round)));
            }
            if round >= 100 {
                assert_eq!(Some(events.top()), events.clone().pop());
                popped.extend(events.pop());
            }
        }
        popped.extend(std::iter::from_fn(|| events.pop()));
        assert!(popped.is_sorted() && popped.len() == pushed && events.top() == Due::NEVER);
    }
}
