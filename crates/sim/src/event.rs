//! The event queue: one entry a lane, busy transmitter or timer, ordered by (time, ordinal).
//!
//! An ordinal is reserved when an event is *decided*, not when it enters the queue, so a lane that keeps only its next
//! arrival here still orders all of them as if each had been queued at once (docs/architecture.md, "Event order").

use std::cmp::Ordering;

use acklab_packet::Time;

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
    /// The run ends.
    Stop,
}

/// Bits of a [`Due`] that name the event: three for its kind, the others for its lane, link or flow.
const EVENT_BITS: u32 = 28;
/// Most lanes, links and flows that a [`Due`] can name.
pub const MOST_SOURCES: u32 = 1 << (EVENT_BITS - 3);

/// An event and when it is due: the time, and among equal times the order of decision.
///
/// In 16 bytes: the time's bits (non-negative doubles order like them), 36 bits of ordinal, 28 of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    time: u64,
    low: u64,
}

impl Due {
    /// Never.
    pub const NEVER: Due = Due { time: u64::MAX, low: u64::MAX };
    /// Before everything.
    pub const START: Due = Due { time: 0, low: 0 };

    /// `event` at `at`, in the order of `ordinal`.
    #[inline]
    pub fn new(at: Time, ordinal: Ordinal, event: Event) -> Due {
        let (kind, id) = match event {
            Event::Deliver(id) => (0, id),
            Event::Free(id) => (1, id),
            Event::SenderTimer(id) => (2, id),
            Event::ReceiverTimer(id) => (3, id),
            Event::Pacer(id) => (4, id),
            Event::Start(id) => (5, id),
            Event::Write(id) => (6, id),
            // Kind 7 is shared: the run ends once, media have odd numbers, stages even ones.
            Event::Stop => (7, 0),
            Event::Medium(id) => (7, 2 * id + 1),
            Event::Stages(id) => (7, 2 * id + 2),
        };
        debug_assert!(id < MOST_SOURCES);
        Due { time: at.bits(), low: ordinal.0 | u64::from(id << 3 | kind) }
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
            _ if id % 2 == 1 => Event::Medium(id / 2),
            _ => Event::Stages(id / 2 - 1),
        }
    }

    /// The lane, link or flow that the event concerns.
    #[inline]
    pub fn source(self) -> u32 {
        (self.low as u32 & ((1 << EVENT_BITS) - 1)) >> 3
    }

    /// Whether it comes before `other`. Times are rarely equal.
    #[inline]
    pub fn before(self, other: Due) -> bool {
        if self.time == other.time { self.low < other.low } else { self.time < other.time }
    }
}

impl Ord for Due {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time, self.low).cmp(&(other.time, other.low))
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
/// 2^36 decisions are a quarter of an hour of a core's work. Then the count begins again, and only of events that are due
/// at the same instant, one decided before and one after, does the later come first: on every machine alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ordinal(u64);

impl Ordinal {
    /// The one after it.
    #[inline]
    pub fn next(self) -> Ordinal {
        Ordinal(self.0.wrapping_add(1 << EVENT_BITS))
    }
}

/// Places in the array of [`EventQueue`], and the most that are taken when it is tidied up.
const PLACES: usize = 64;
const MOST_SOON: usize = 32;

/// The pending events: those of the network in a short sorted array, the others in a binary heap.
///
/// Few events of the network are pending at a time (a delivery a [lane](crate::lane), an end of service a busy
/// transmitter), and what is decided now mostly comes after them: insertion starts at the late end and moves little.
/// Timers rest in the heap and are hardly ever touched ([`crate::timer`]).
#[derive(Clone, Debug)]
pub struct EventQueue {
    /// Sorted, from place `first` up to `end`. Both move towards its end, until everything moves back at once.
    soon: [Due; PLACES],
    first: usize,
    end: usize,
    /// Min-heap, and a copy of its top.
    heap: Vec<Due>,
    top: Due,
}

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue { soon: [Due::START; PLACES], first: 0, end: 0, heap: Vec::new(), top: Due::NEVER }
    }
}

impl EventQueue {
    /// The earliest event outside the heap, if it comes before those in it.
    #[inline(always)]
    fn soonest(&self) -> Option<Due> {
        // The remainder keeps the place within the array; `first` is always less.
        (self.first < self.end).then(|| self.soon[self.first % PLACES]).filter(|due| due.before(self.top))
    }

    /// When the earliest event is due.
    pub fn peek(&self) -> Option<Due> {
        self.soonest().or_else(|| self.heap.first().copied())
    }

    /// Nothing is pending any more.
    pub fn clear(&mut self) {
        *self = EventQueue::default();
    }

    /// Removes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<Due> {
        let Some(due) = self.soonest() else { return self.pop_heap() };
        self.first += 1;
        Some(due)
    }

    /// Adds an event of the network, due no earlier than what was popped last.
    #[inline(always)]
    pub fn push_soon(&mut self, due: Due) {
        if self.end >= PLACES {
            return self.push_tidied(due);
        }
        let (held, room) = self.soon.split_at_mut(self.end);
        let mut place = &mut room[0];
        // At the latest an event that has been popped stops it: none is added that comes before one of those.
        for earlier in held.iter_mut().rev() {
            if earlier.before(due) {
                break;
            }
            *place = *earlier;
            place = earlier;
        }
        *place = due;
        self.end += 1;
    }

    /// The array is used up to its end: moves what is in it back to its beginning, and the latest to the heap if that is
    /// much.
    #[cold]
    fn push_tidied(&mut self, due: Due) {
        while self.end - self.first > MOST_SOON {
            self.end -= 1;
            self.push(self.soon[self.end]);
        }
        self.soon.copy_within(self.first..self.end, 0);
        (self.first, self.end) = (0, self.end - self.first);
        self.push_soon(due);
    }

    /// Adds an event that may be far away.
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

    fn pop_heap(&mut self) -> Option<Due> {
        let last = self.heap.pop()?;
        let heap = &mut self.heap[..];
        let Some(&earliest) = heap.first() else {
            self.top = Due::NEVER;
            return Some(last);
        };
        let (mut at, mut child) = (0, 1);
        while child < heap.len() {
            if child + 1 < heap.len() && heap[child + 1].before(heap[child]) {
                child += 1;
            }
            if last.before(heap[child]) {
                break;
            }
            heap[at] = heap[child];
            at = child;
            child = 2 * at + 1;
        }
        heap[at] = last;
        self.top = heap[0];
        Some(earliest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(secs: f64, ordinal: u64, event: Event) -> Due {
        Due::new(Time::from_secs(secs), (0..ordinal).fold(Ordinal::default(), |before, _| before.next()), event)
    }

    #[test]
    fn events_come_in_order_of_time_then_decision() {
        let mut events = EventQueue::default();
        for (i, secs) in [3.0, 1.0, 2.0, 1.0, 0.5, 2.0].into_iter().enumerate() {
            let push = if i % 2 == 0 { EventQueue::push } else { EventQueue::push_soon };
            push(&mut events, due(secs, i as u64 + 1, Event::Start(9 - i as u32)));
        }
        let mut order = Vec::new();
        while let Some(Event::Start(i)) = events.pop().map(Due::event) {
            order.push(9 - i);
            if i == 8 {
                events.push_soon(due(2.5, 9, Event::Start(0)));
            }
        }
        assert_eq!(order, [4, 1, 3, 2, 5, 9, 0]);
    }

    #[test]
    fn more_events_than_the_array_holds() {
        let mut events = EventQueue::default();
        let (mut pushed, mut popped) = (0, Vec::new());
        for round in 0..400_u64 {
            // Up to 100 are pending; times jump to and fro.
            if round < 100 || round % 3 > 0 {
                pushed += 1;
                let now = popped.last().map_or(0.0, |due: &Due| due.time().secs());
                events.push_soon(due(now + (round * 7 % 13) as f64, pushed, Event::Stop));
            }
            if round >= 100 {
                assert_eq!(events.peek(), events.clone().pop());
                popped.extend(events.pop());
            }
        }
        popped.extend(std::iter::from_fn(|| events.pop()));
        assert!(popped.is_sorted() && popped.len() as u64 == pushed && events.peek().is_none());
    }

    #[test]
    fn a_due_remembers_its_event() {
        let last = MOST_SOURCES - 1;
        let shared = [Event::Stop, Event::Medium(0), Event::Medium(7), Event::Stages(0), Event::Stages(7)];
        for event in
            shared.into_iter().chain([Event::Deliver(last), Event::Free(1), Event::Pacer(0), Event::Write(last)])
        {
            assert_eq!(due(1.5, 3, event).event(), event);
        }
    }
}
