//! Which of several times is the earliest, when one of them changes at a time.

use std::hint::select_unpredictable;

/// Who takes part: a number from 0 on.
pub type Slot = u32;

/// A tournament of matches between four, in which the entrant that is due earliest wins.
///
/// A change of one slot replays its matches alone, without a branch that could be mispredicted.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// For each four slots the bits of the times at which something is due.
    times: Vec<[u64; 4]>,
    /// Matches between the winners of four others: of all that are played first, in order, then of these, and so on.
    matches: Vec<Match>,
    /// The number of the last, counted from the first four slots' on, and who won it.
    last: usize,
    first: Entrant,
    /// Slots given out.
    slots: Slot,
}

/// Four winners that meet.
#[derive(Clone, Copy, Debug)]
struct Match {
    times: [u64; 4],
    slots: [Slot; 4],
}

/// The winner of a match.
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
        let mut tournament =
            Tournament { times: Vec::new(), matches: Vec::new(), last: 0, first: Entrant::empty(0), slots: 0 };
        tournament.hold(1);
        tournament
    }
}

impl Tournament {
    /// The entrant that is due earliest.
    #[inline(always)]
    pub fn first(&self) -> Entrant {
        self.first
    }

    /// A further slot, and whether all matches must be played again: every slot is empty now.
    pub fn slot(&mut self) -> (Slot, bool) {
        let (slot, full) = (self.slots, self.slots as usize == 4 * self.times.len());
        self.slots += 1;
        if full {
            self.hold(4 * self.times.len());
        }
        (slot, full)
    }

    /// Makes room for four times so many slots, all empty; `fours` is a power of four.
    fn hold(&mut self, fours: usize) {
        self.times = vec![[NO_TIME; 4]; fours];
        self.matches = vec![Match { times: [NO_TIME; 4], slots: [0; 4] }; (fours - 1) / 3];
        self.last = fours + self.matches.len() - 1;
        for slot in 0..4 * fours as Slot {
            self.replay(Entrant::empty(slot), |_, _| true);
        }
    }

    /// Plays the matches of an entrant, then of the one that beat it. `comes_first`: of two slots in which something is
    /// due at the same time, whether the first comes before the second.
    #[inline(always)]
    pub fn replay(&mut self, entrant: Entrant, comes_first: impl FnMut(Slot, Slot) -> bool) {
        // With nothing else to do at equal times, no branch depends on which entrant is earlier.
        let mut equal = false;
        self.play(entrant, |one, two| {
            equal |= one.time == two.time;
            one.time < two.time
        });
        if equal {
            self.replay_equal(entrant, comes_first);
        }
    }

    /// The same where times are equal.
    #[cold]
    fn replay_equal(&mut self, entrant: Entrant, mut comes_first: impl FnMut(Slot, Slot) -> bool) {
        self.play(entrant, |one, two| match one.time == two.time {
            true => comes_first(one.slot, two.slot),
            false => one.time < two.time,
        });
    }

    /// Plays the matches of an entrant, then of the one that beat it. `before`: whether the first of two wins.
    #[inline(always)]
    fn play(&mut self, mut winner: Entrant, mut before: impl FnMut(Entrant, Entrant) -> bool) {
        let mut best = |[one, two, three, four]: [Entrant; 4]| {
            let mut earlier = |one: Entrant, two: Entrant| {
                let first = before(one, two);
                Entrant {
                    time: select_unpredictable(first, one.time, two.time),
                    slot: select_unpredictable(first, one.slot, two.slot),
                }
            };
            let other = earlier(three, four);
            let other = earlier(two, other);
            earlier(one, other)
        };
        let (fours, place) = (self.times.len(), winner.slot as usize % 4);
        let mut number = winner.slot as usize / 4;
        let times = &mut self.times[number];
        let other = |by: usize| Entrant { time: times[(place ^ by) % 4], slot: winner.slot ^ by as Slot };
        let others = [other(1), other(2), other(3)];
        times[place] = winner.time;
        winner = best([winner, others[0], others[1], others[2]]);
        // The one that match `number` leads to has the number a fourth as large behind all the first ones.
        while number < self.last {
            let place = number % 4;
            number = fours + number / 4;
            let met = &mut self.matches[number - fours];
            let other = |by: usize| Entrant { time: met.times[(place ^ by) % 4], slot: met.slots[(place ^ by) % 4] };
            let others = [other(1), other(2), other(3)];
            met.times[place] = winner.time;
            met.slots[place] = winner.slot;
            winner = best([winner, others[0], others[1], others[2]]);
        }
        self.first = winner;
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
