//! The event queue: one entry a lane, busy transmitter or timer, ordered by (time, ordinal).
//!
//! An ordinal is reserved when an event is *decided*, not when it enters the queue, so a lane that keeps only its next
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
    /// The run ends.
    Stop,
}

/// Bits of an entry that name the event: three for its kind, the others for its lane, link or flow.
const EVENT_BITS: u32 = 28;
/// Most lanes, links and flows that an entry can name.
pub const MOST_SOURCES: u32 = 1 << (EVENT_BITS - 3);

/// One event in 16 bytes: its time, and 36 bits of ordinal before 28 of event.
///
/// 2^36 decisions are hours of a core's work; more would wrap silently, so [`Entry::new`] checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    time: u64,
    low: u64,
}

impl Entry {
    /// Comes after everything.
    const NEVER: Entry = Entry { time: u64::MAX, low: u64::MAX };
    /// Comes before everything.
    const START: Entry = Entry { time: 0, low: 0 };

    #[inline]
    fn new(due: Due, event: Event) -> Entry {
        let (kind, id) = match event {
            Event::Deliver(id) => (0, id),
            Event::Free(id) => (1, id),
            Event::SenderTimer(id) => (2, id),
            Event::ReceiverTimer(id) => (3, id),
            Event::Pacer(id) => (4, id),
            Event::Start(id) => (5, id),
            Event::Write(id) => (6, id),
            Event::Stop => (7, 0),
        };
        debug_assert!(id < MOST_SOURCES && due.ordinal < 1 << (64 - EVENT_BITS));
        Entry { time: due.time, low: (due.ordinal << EVENT_BITS) | u64::from(id << 3 | kind) }
    }

    /// Whether it comes before `other`. Equal times are rare: testing them first leaves one comparison.
    #[inline]
    fn before(self, other: Entry) -> bool {
        if self.time == other.time { self.low < other.low } else { self.time < other.time }
    }

    #[inline]
    fn due(self) -> Due {
        Due { time: self.time, ordinal: self.low >> EVENT_BITS }
    }

    #[inline]
    fn event(self) -> Event {
        let low = self.low as u32 & ((1 << EVENT_BITS) - 1);
        let id = low >> 3;
        match low & 7 {
            0 => Event::Deliver(id),
            1 => Event::Free(id),
            2 => Event::SenderTimer(id),
            3 => Event::ReceiverTimer(id),
            4 => Event::Pacer(id),
            5 => Event::Start(id),
            6 => Event::Write(id),
            _ => Event::Stop,
        }
    }
}

/// Places in the ring of [`EventQueue`]; a power of two.
const RING: usize = 32;
/// Most events in it: one place is the sentinel's.
const SOON: usize = RING - 1;

/// The pending events: those of the network in a short sorted ring, the others in a binary heap.
///
/// Few events of the network are pending at a time (a delivery a [lane](crate::lane), an end of service a busy
/// transmitter), and what is decided now mostly comes after them: insertion starts at the late end and moves little.
/// Timers rest in the heap and are hardly ever touched ([`crate::timer`]).
#[derive(Clone, Debug)]
pub struct EventQueue {
    /// Sorted, from place `first` up to `end`, both modulo its length. The place before `first` holds an event that has
    /// been popped; none is ever added that comes before it, so there every insertion stops.
    ring: [Entry; RING],
    first: usize,
    end: usize,
    /// Min-heap, and a copy of its top.
    heap: Vec<Entry>,
    top: Entry,
}

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue { ring: [Entry::START; RING], first: 0, end: 0, heap: Vec::new(), top: Entry::NEVER }
    }
}

impl EventQueue {
    /// Whether the ring holds the earliest event; false also when there is none.
    #[inline]
    fn ring_is_first(&self) -> bool {
        self.first != self.end && self.ring[self.first % RING].before(self.top)
    }

    /// When the earliest event is due.
    #[inline]
    pub fn peek(&self) -> Option<Due> {
        if self.ring_is_first() {
            return Some(self.ring[self.first % RING].due());
        }
        (!self.heap.is_empty()).then(|| self.top.due())
    }

    /// Removes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<(Due, Event)> {
        let entry = if self.ring_is_first() {
            self.first += 1;
            self.ring[(self.first - 1) % RING]
        } else {
            self.pop_heap()?
        };
        Some((entry.due(), entry.event()))
    }

    /// Adds an event of the network, due no earlier than what was popped last.
    #[inline]
    pub fn push_soon(&mut self, due: Due, event: Event) {
        let entry = Entry::new(due, event);
        if self.end - self.first == SOON {
            let latest = self.ring[(self.end - 1) % RING];
            if latest.before(entry) {
                return self.push_heap(entry);
            }
            self.end -= 1;
            self.push_heap(latest);
        }
        let mut at = self.end;
        self.end += 1;
        loop {
            let earlier = self.ring[at.wrapping_sub(1) % RING];
            if earlier.before(entry) {
                break;
            }
            self.ring[at % RING] = earlier;
            at -= 1;
        }
        self.ring[at % RING] = entry;
    }

    /// Adds an event that may be far away.
    #[inline]
    pub fn push(&mut self, due: Due, event: Event) {
        self.push_heap(Entry::new(due, event));
    }

    fn push_heap(&mut self, entry: Entry) {
        self.heap.push(entry);
        let heap = &mut self.heap[..];
        let mut at = heap.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if heap[parent].before(entry) {
                break;
            }
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = entry;
        self.top = heap[0];
    }

    fn pop_heap(&mut self) -> Option<Entry> {
        let last = self.heap.pop()?;
        let heap = &mut self.heap[..];
        let Some(&earliest) = heap.first() else {
            self.top = Entry::NEVER;
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

    fn due(secs: f64, ordinal: u64) -> Due {
        Due::new(Time::from_secs(secs), ordinal)
    }

    #[test]
    fn events_come_in_order_of_time_then_decision() {
        let mut events = EventQueue::default();
        for (i, secs) in [3.0, 1.0, 2.0, 1.0, 0.5, 2.0].into_iter().enumerate() {
            let push = if i % 2 == 0 { EventQueue::push } else { EventQueue::push_soon };
            push(&mut events, due(secs, i as u64 + 1), Event::Start(i as u32));
        }
        let mut order = Vec::new();
        while let Some((_, Event::Start(i))) = events.pop() {
            order.push(i);
            if i == 1 {
                events.push_soon(due(2.5, 9), Event::Start(9));
            }
        }
        assert_eq!(order, [4, 1, 3, 2, 5, 9, 0]);
    }

    #[test]
    fn more_events_than_the_ring_holds() {
        let mut events = EventQueue::default();
        let (mut pushed, mut popped) = (0, Vec::new());
        for round in 0..400_u64 {
            // Up to 100 are pending; times jump to and fro.
            if round < 100 || round % 3 > 0 {
                pushed += 1;
                let now = popped.last().map_or(0.0, |due: &Due| due.time().secs());
                events.push_soon(due(now + (round * 7 % 13) as f64, pushed), Event::Start(0));
            }
            if round >= 100 {
                assert_eq!(events.peek(), events.clone().pop().map(|(due, _)| due));
                popped.extend(events.pop().map(|(due, _)| due));
            }
        }
        while let Some((due, _)) = events.pop() {
            popped.push(due);
        }
        assert!(popped.is_sorted() && popped.len() as u64 == pushed && events.peek().is_none());
    }
}
