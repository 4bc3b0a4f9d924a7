//! The event queue: one entry a link or timer, ordered by (time, ordinal).
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
    /// A flow's pacer may let it send on.
    Pacer(u32),
    /// A flow starts, or starts again.
    Start(u32),
    /// A flow's application writes.
    Write(u32),
    /// The run ends.
    Stop,
}

/// Bits of an entry that name the event: three for its kind, the others for its link or flow.
const EVENT_BITS: u32 = 28;
/// Most links and flows that an entry can name.
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

/// Most events the sorted front holds.
const FRONT: usize = 64;

/// The pending events: the earliest in a short sorted front, the others in a binary heap behind it.
///
/// A busy link's next event is nearly always among the next few of the whole network, so an insertion from the early
/// end of the front moves little; timers rest in the heap and are hardly ever touched ([`LazyTimer`]).
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    /// Latest first, so that the earliest is popped off the end.
    front: Vec<Entry>,
    /// Min-heap of entries that come after everything in `front`.
    behind: Vec<Entry>,
}

impl EventQueue {
    /// The earliest event, left in place.
    #[inline]
    pub fn peek(&mut self) -> Option<(Due, Event)> {
        if self.front.is_empty() {
            self.refill();
        }
        self.front.last().map(|entry| (entry.due(), entry.event()))
    }

    /// Removes the earliest event, which [`EventQueue::peek`] has just shown.
    #[inline]
    pub fn pop(&mut self) {
        self.front.pop();
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, due: Due, event: Event) {
        let entry = Entry::new(due, event);
        match self.front.first() {
            Some(latest) if entry.before(*latest) => self.insert(entry),
            _ => self.push_behind(entry),
        }
    }

    /// Puts `entry`, which comes before the front's latest, into its place there.
    #[inline]
    fn insert(&mut self, entry: Entry) {
        if self.front.len() == FRONT {
            let latest = self.front.remove(0);
            self.push_behind(latest);
        }
        let mut later = self.front.len();
        self.front.push(entry);
        let front = &mut self.front[..];
        while later > 0 && front[later - 1].before(entry) {
            front[later] = front[later - 1];
            later -= 1;
        }
        front[later] = entry;
    }

    /// Moves the earliest events from the heap to the empty front.
    fn refill(&mut self) {
        for _ in 0..FRONT / 2 {
            let Some(entry) = self.pop_behind() else { break };
            self.front.push(entry);
        }
        self.front.reverse();
    }

    fn push_behind(&mut self, entry: Entry) {
        self.behind.push(entry);
        let heap = &mut self.behind[..];
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
    }

    fn pop_behind(&mut self) -> Option<Entry> {
        let last = self.behind.pop()?;
        let heap = &mut self.behind[..];
        let Some(&earliest) = heap.first() else { return Some(last) };
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
        Some(earliest)
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
        events.pop();
        if entry != self.queued {
            return false;
        }
        self.queued = Due::NEVER;
        if self.due == entry {
            self.due = Due::NEVER;
            return true;
        }
        if self.due == Due::NEVER {
            return false;
        }
        self.queued = self.due;
        events.push(self.due, event);
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
            events.pop();
            if i == 1 {
                events.push(due(2.5, 9), Event::Start(9));
            }
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
