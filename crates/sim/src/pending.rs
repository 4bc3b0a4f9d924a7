//! What is pending besides packets on wires: timers, and what nothing puts off.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::event::Due;
use crate::tournament::{Entrant, Slot, Tournament};

/// The events that are in no [lane](crate::lane). [Timers](crate::timer) are most of them and come and go, each in a slot of
/// its own; the others are rare.
#[derive(Clone, Debug)]
pub struct EventQueue {
    /// For each slot the event due in it; [`Due::NEVER`]: none.
    slots: Vec<Due>,
    /// Which of them is due first.
    tournament: Tournament,
    /// The earliest of all.
    top: Due,
    /// Events that nothing puts off or calls off. The earliest of them stands in the slot [`FIXED`].
    fixed: BinaryHeap<Reverse<Due>>,
}

/// The first slot.
const FIXED: Slot = 0;

impl Default for EventQueue {
    fn default() -> EventQueue {
        let (slots, tournament, fixed) = (Vec::new(), Tournament::default(), BinaryHeap::new());
        let mut events = EventQueue { slots, tournament, top: Due::NEVER, fixed };
        events.slot();
        events
    }
}

impl EventQueue {
    /// The earliest; [`Due::NEVER`] if there is none.
    #[inline(always)]
    pub fn top(&self) -> Due {
        self.top
    }

    /// Nothing is pending any more, and the slots are gone.
    pub fn clear(&mut self) {
        *self = EventQueue::default();
    }

    /// Adds an event that nothing will put off or call off.
    pub fn push(&mut self, due: Due) {
        self.fixed.push(Reverse(due));
        self.set_fixed();
    }

    /// Takes the earliest of all, which is one that nothing put off.
    pub fn pop(&mut self) {
        self.fixed.pop();
        self.set_fixed();
    }

    fn set_fixed(&mut self) {
        self.set(FIXED, self.fixed.peek().map_or(Due::NEVER, |&Reverse(due)| due));
    }

    /// A further slot; nothing is due in it.
    pub fn slot(&mut self) -> Slot {
        let (slot, again) = self.tournament.slot();
        self.slots.push(Due::NEVER);
        if again {
            self.replay_all();
        }
        slot
    }

    /// `due` is what is due in a slot now; [`Due::NEVER`]: nothing. In a slot that is gone nothing ever is.
    #[inline]
    pub fn set(&mut self, slot: Slot, due: Due) {
        if let Some(of) = self.slots.get_mut(slot as usize) {
            *of = due;
            self.replay(slot);
        }
    }

    #[inline]
    fn replay(&mut self, slot: Slot) {
        let (slots, due) = (&self.slots, self.slots[slot as usize]);
        let entrant = if due == Due::NEVER { Entrant::empty(slot) } else { Entrant { time: due.bits(), slot } };
        self.tournament.replay(entrant, |one, two| comes_first(slots, one, two));
        // Places beyond all slots are empty.
        self.top = slots.get(self.tournament.first().slot as usize).copied().unwrap_or_default();
    }

    fn replay_all(&mut self) {
        (0..self.slots.len() as Slot).for_each(|slot| self.replay(slot));
    }
}

/// Of two slots whose events are due at the same time, whether the first comes before the second.
#[cold]
fn comes_first(slots: &[Due], one: Slot, two: Slot) -> bool {
    slots[one as usize].before(slots[two as usize])
}

#[cfg(test)]
mod tests {
    use acklab_packet::Time;

    use super::*;
    use crate::event::{Event, Ordinal};

    #[test]
    fn events_come_in_order_of_time_then_decision() {
        let mut events = EventQueue::default();
        let (mut ordinal, mut now, mut came, mut added) = (Ordinal::default(), Due::START, 0, 0);
        let mut slots: Vec<Slot> = Vec::new();
        // What each slot holds, as the test keeps it.
        let mut held: Vec<Due> = Vec::new();
        for round in 0..4000_u32 {
            ordinal = ordinal.next();
            // Times jump to and fro, and many are equal.
            let at = now.time().secs() + f64::from(round * 7 % 13);
            let due = Due::new(Time::from_secs(at), now.time(), ordinal, Event::Start(round));
            match round % 5 {
                0 => (events.push(due), added += 1).1,
                _ if slots.len() < 150 => {
                    slots.push(events.slot());
                    held.push(Due::NEVER);
                }
                turn => {
                    let which = (round * 31 % 150) as usize;
                    let due = if turn == 1 { Due::NEVER } else { due };
                    added += usize::from(due != Due::NEVER);
                    added -= usize::from(held[which] != Due::NEVER);
                    held[which] = due;
                    events.set(slots[which], due);
                }
            }
            while events.top() != Due::NEVER && (round > 3900 || came + 60 < added) {
                let top = events.top();
                assert!(now <= top, "round {round}");
                now = top;
                came += 1;
                match held.iter().position(|&due| due == top) {
                    Some(which) => {
                        held[which] = Due::NEVER;
                        events.set(slots[which], Due::NEVER);
                    }
                    None => events.pop(),
                }
            }
        }
        assert!(came == added && came > 1000 && events.top() == Due::NEVER, "{came} of {added}");
        events.push(now);
        events.set(slots[7], now);
        events.clear();
        assert!(events.top() == Due::NEVER);
        events.set(slots[7], now);
        assert!(events.top() == Due::NEVER);
    }
}
