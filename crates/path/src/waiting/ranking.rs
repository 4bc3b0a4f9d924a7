//! Who has most: a binary heap in which the place of each connection is known, so that a score changes in O(log n).

/// Connections by score, the highest first; among equal scores, the lowest key first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    heap: Vec<Ranked>,
    /// For each connection's slot, its place in the heap plus one; 0 when it is not ranked.
    places: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Ranked {
    score: f64,
    key: u64,
    slot: u32,
}

impl Ranked {
    fn before(self, other: Ranked) -> bool {
        if self.score == other.score { self.key < other.key } else { self.score > other.score }
    }
}

impl Ranking {
    /// The slot and score of the first.
    #[inline]
    pub fn first(&self) -> Option<(u32, f64)> {
        self.heap.first().map(|ranked| (ranked.slot, ranked.score))
    }

    /// Whether `slot` is ranked.
    #[inline]
    pub fn has(&self, slot: u32) -> bool {
        self.places.get(slot as usize).is_some_and(|&place| place > 0)
    }

    /// Ranks `slot`, known or new, with `score`; `key` decides among equals.
    pub fn set(&mut self, slot: u32, key: u64, score: f64) {
        if self.places.len() <= slot as usize {
            self.places.resize(slot as usize + 1, 0);
        }
        let entry = Ranked { score, key, slot };
        let at = match self.places[slot as usize] {
            0 => {
                self.heap.push(entry);
                self.heap.len() - 1
            }
            place => {
                self.heap[place as usize - 1] = entry;
                place as usize - 1
            }
        };
        self.settle(at);
    }

    /// Takes `slot` off; nothing happens if it is not ranked.
    pub fn remove(&mut self, slot: u32) {
        if !self.has(slot) {
            return;
        }
        let at = std::mem::take(&mut self.places[slot as usize]) as usize - 1;
        let last = self.heap.pop();
        if let Some(last) = last.filter(|_| at < self.heap.len()) {
            self.heap[at] = last;
            self.settle(at);
        }
    }

    /// Multiplies every score by `factor`, which is positive: the order stays.
    pub fn scale(&mut self, factor: f64) {
        self.heap.iter_mut().for_each(|ranked| ranked.score *= factor);
    }

    /// Moves what is at `at` to its place.
    fn settle(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 && entry.before(self.heap[(at - 1) / 2]) {
            self.put(at, self.heap[(at - 1) / 2]);
            at = (at - 1) / 2;
        }
        loop {
            let mut child = 2 * at + 1;
            if child + 1 < self.heap.len() && self.heap[child + 1].before(self.heap[child]) {
                child += 1;
            }
            if child >= self.heap.len() || !self.heap[child].before(entry) {
                break;
            }
            self.put(at, self.heap[child]);
            at = child;
        }
        self.put(at, entry);
    }

    fn put(&mut self, at: usize, ranked: Ranked) {
        self.heap[at] = ranked;
        self.places[ranked.slot as usize] = at as u32 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_change_and_equal_ones() {
        let mut ranking = Ranking::default();
        for (slot, key, score) in [(0, 10, 1.0), (1, 5, 1.0), (2, 7, 3.0), (3, 1, 0.5)] {
            ranking.set(slot, key, score);
        }
        assert_eq!(ranking.first(), Some((2, 3.0)));
        ranking.set(2, 7, 0.1);
        assert_eq!(ranking.first(), Some((1, 1.0)), "of equals, the lowest key");
        ranking.remove(1);
        ranking.remove(1);
        assert_eq!(ranking.first(), Some((0, 1.0)));
        ranking.set(3, 1, 9.0);
        ranking.scale(0.5);
        assert_eq!(ranking.first(), Some((3, 4.5)));
        [0, 3].into_iter().for_each(|slot| ranking.remove(slot));
        assert_eq!((ranking.first(), ranking.has(0), ranking.has(2)), (Some((2, 0.05)), false, true));
    }

    #[test]
    fn the_first_is_the_best_of_all_whatever_happened() {
        let mut random = crate::random::Random::stream(9);
        let (mut ranking, mut scores) = (Ranking::default(), vec![None; 40]);
        for _ in 0..5000 {
            let slot = (random.uniform() * 40.0) as usize;
            scores[slot] = (random.uniform() < 0.7).then(|| (random.uniform() * 10.0).floor());
            match scores[slot] {
                Some(score) => ranking.set(slot as u32, 1000 - slot as u64, score),
                None => ranking.remove(slot as u32),
            }
            let best = (0..40).rev().filter_map(|slot| scores[slot].map(|score| (slot as u32, score)));
            let best = best.reduce(|best, next| if next.1 > best.1 { next } else { best });
            assert_eq!(ranking.first(), best);
        }
    }
}
