//! Which of several times is the earliest, when one of them changes at a time.

use std::hint::select_unpredictable;

/// Who takes part: a number from 0 on.
pub type Slot = u32;

/// A tournament of matches between four, in which whoever is due earliest wins.
///
/// A change of one slot replays its matches alone, without a branch that could be foretold wrongly.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Numbered from 1, the last match: the four that lead to match `m` have the numbers `4 m - 2` and following, and so on
    /// to the slots, which are numbered behind all matches.
    matches: Vec<Match>,
    /// Who won the last.
    first: Entrant,
    /// Slots given out, and as many as there are places for.
    slots: Slot,
    places: Slot,
}

/// Four that meet: for each the bits of the time at which something is due, and in which slot.
#[derive(Clone, Copy, Debug)]
struct Match {
    times: [u64; 4],
    slots: [Slot; 4],
}

/// Whoever won a match.
#[derive(Clone, Copy, Debug)]
pub struct Entrant {
    /// The bits of the time at which something is due; [`NO_TIME`] or more if nothing is.
    pub time: u64,
    /// In which slot.
    pub slot: Slot,
}

/// Bits of times from here on are no time's, but tell an empty slot: each its own, so that only events are ever due at the
/// same time.
pub const NO_TIME: u64 = u64::MAX - u32::MAX as u64;

impl Entrant {
    /// Nothing is due in `slot`.
    pub fn empty(slot: Slot) -> Entrant {
        Entrant { time: u64::MAX - u64::from(slot), slot }
    }
}

impl Default for Tournament {
    fn default() -> Self {
        let mut tournament = Tournament { matches: Vec::new(), first: Entrant::empty(0), slots: 0, places: 0 };
        tournament.hold(4);
        tournament
    }
}

impl Tournament {
    /// Whoever is due earliest.
    #[inline(always)]
    pub fn first(&self) -> Entrant {
        self.first
    }

    /// A further slot, and whether all matches must be played again: every slot is empty now.
    pub fn slot(&mut self) -> (Slot, bool) {
        let (slot, full) = (self.slots, self.slots == self.places);
        self.slots += 1;
        if full {
            self.hold(4 * self.places);
        }
        (slot, full)
    }

    /// Makes room for so many slots, a power of four, all empty.
    fn hold(&mut self, places: Slot) {
        self.places = places;
        // One match decides among four slots, five among sixteen.
        self.matches = vec![Match { times: [NO_TIME; 4], slots: [0; 4] }; (places as usize - 1) / 3];
        for slot in 0..places {
            self.replay(Entrant::empty(slot), |_, _| true);
        }
    }

    /// Plays the matches of an entrant, then of whoever beat it. `comes_first`: of two slots in which something is due at the
    /// same time, whether the first comes before the second.
    #[inline(always)]
    pub fn replay(&mut self, mut winner: Entrant, mut comes_first: impl FnMut(Slot, Slot) -> bool) {
        let mut number = self.matches.len() + 1 + winner.slot as usize;
        while number > 1 {
            let place = (number + 2) % 4;
            number = (number + 2) / 4;
            let met = &mut self.matches[number - 1];
            let entrant = |place: usize| Entrant { time: met.times[place % 4], slot: met.slots[place % 4] };
            let others = [entrant(place + 1), entrant(place + 2), entrant(place + 3)];
            met.times[place] = winner.time;
            met.slots[place] = winner.slot;
            let other = earlier(others[1], others[2], &mut comes_first);
            let other = earlier(others[0], other, &mut comes_first);
            winner = earlier(winner, other, &mut comes_first);
        }
        self.first = winner;
    }
}

/// Which of two is due earlier.
#[inline(always)]
fn earlier(one: Entrant, two: Entrant, comes_first: &mut impl FnMut(Slot, Slot) -> bool) -> Entrant {
    if one.time == two.time {
        return if comes_first(one.slot, two.slot) { one } else { two };
    }
    let first = one.time < two.time;
    Entrant {
        time: select_unpredictable(first, one.time, two.time),
        slot: select_unpredictable(first, one.slot, two.slot),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_wins_however_they_change() {
        let mut tournament = Tournament::default();
        let mut times: Vec<u64> = Vec::new();
        let mut state = 7_u64;
        for round in 0..2000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            if times.len() < 70 && round % 9 == 0 {
                let (slot, again) = tournament.slot();
                assert_eq!(slot as usize, times.len());
                times.push(u64::MAX - u64::from(slot));
                for (slot, &time) in (0..).zip(&times).filter(|_| again) {
                    tournament.replay(Entrant { time, slot }, |a, b| a < b);
                }
            }
            let slot = (state >> 33) as usize % times.len();
            // Few values, so that many are equal: then the lower slot is first.
            times[slot] = if state >> 60 == 0 { u64::MAX - slot as u64 } else { state >> 40 & 15 };
            tournament.replay(Entrant { time: times[slot], slot: slot as Slot }, |a, b| a < b);
            let (first, time) = times.iter().enumerate().min_by_key(|(_, time)| **time).unwrap();
            let won = tournament.first();
            if *time < NO_TIME {
                assert_eq!((won.slot as usize, won.time), (first, *time));
            } else {
                assert!(won.time >= NO_TIME, "nothing is due");
            }
        }
    }
}
