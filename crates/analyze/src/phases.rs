//! Phases of a receiver: quick ones, in which it acknowledges segment by segment at once, and what lies outside them.
//!
//! Each plain ACK belongs to one phase. An exception within a quick phase is evidence of nothing outside it, and a few ACKs
//! between two quick phases are no phase.

use crate::thresholds::{MANY, QUICK_MISSES, QUICK_RUN};

/// Counts of ACKs by the segments they cover: index 0 is for one, the last for [`MANY`] and more.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    at_once: Vec<u64>,
    held: Vec<u64>,
}

impl Tally {
    /// An ACK of `segments`.
    pub fn add(&mut self, segments: u64, held: bool) {
        let place = (segments.max(1) as usize).min(MANY) - 1;
        let counts = if held { &mut self.held } else { &mut self.at_once };
        if counts.len() <= place {
            counts.resize(place + 1, 0);
        }
        counts[place] += 1;
    }

    /// Takes the counts of `other`, which keeps none.
    fn take_in(&mut self, other: &mut Tally) {
        for (mine, theirs) in [(&mut self.at_once, &mut other.at_once), (&mut self.held, &mut other.held)] {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), 0);
            }
            mine.iter_mut().zip(theirs.drain(..)).for_each(|(mine, theirs)| *mine += theirs);
        }
    }

    fn clear(&mut self) {
        self.at_once.clear();
        self.held.clear();
    }

    /// ACKs of so many segments that did not wait.
    pub fn at_once(&self, segments: u64) -> u64 {
        self.at_once.get(segments as usize - 1).copied().unwrap_or(0)
    }

    /// Those that waited.
    pub fn held(&self, segments: u64) -> u64 {
        self.held.get(segments as usize - 1).copied().unwrap_or(0)
    }

    /// Both.
    pub fn of(&self, segments: u64) -> u64 {
        self.at_once(segments) + self.held(segments)
    }

    /// The number of segments that most ACKs cover, the largest of several; 0 without any.
    pub fn commonest(&self) -> u64 {
        let most = self.at_once.len().max(self.held.len()) as u64;
        (1..=most).map(|n| (self.of(n), n)).max().map_or(0, |(_, n)| n)
    }

    /// All ACKs that waited.
    pub fn all_held(&self) -> u64 {
        self.held.iter().sum()
    }

    /// All ACKs.
    pub fn count(&self) -> u64 {
        self.at_once.iter().sum::<u64>() + self.all_held()
    }
}

/// The phases of one receiver.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    /// Segments acknowledged one by one and at once at the start.
    pub lead: u64,
    led: bool,
    /// Such segments in later quick phases, how many phases, and of them how many after a disorder.
    pub later: u64,
    pub again: u64,
    pub after_disorder: u64,
    /// What may be a quick phase: its ACKs, those of one segment among them, the others, and those of the others that came last.
    run: Tally,
    quick: u64,
    others: u64,
    tail: Vec<(u64, bool)>,
    disorder: bool,
    run_after_disorder: bool,
    /// ACKs since the last quick phase, and of all stretches that are long enough.
    stretch: Tally,
    outside: Tally,
}

impl Phases {
    /// An ACK of `segments` passes.
    pub fn on_ack(&mut self, segments: u64, held: bool) {
        if segments <= 1 && !held {
            if self.quick == 0 {
                self.run_after_disorder = std::mem::take(&mut self.disorder);
            }
            self.quick += 1;
            self.lead += u64::from(!self.led);
            self.tail.drain(..).for_each(|(segments, held)| self.run.add(segments, held));
            self.run.add(segments, held);
            return;
        }
        self.tail.push((segments, held));
        self.others += 1;
        if self.tail.len() == QUICK_MISSES || 4 * self.others > self.quick + 4 {
            self.end_run();
            self.led = true;
        }
    }

    /// Something was resent, late or beyond a gap: a receiver may be quick for a while after it.
    pub fn on_disorder(&mut self) {
        self.disorder = true;
    }

    /// The quick phase that is going on, if one is, ends.
    fn end_run(&mut self) {
        let quick = std::mem::take(&mut self.quick);
        self.others = 0;
        if quick < QUICK_RUN {
            self.stretch.take_in(&mut self.run);
        } else {
            self.run.clear();
            self.end_stretch();
            if self.led {
                self.again += 1;
                self.after_disorder += u64::from(self.run_after_disorder);
                self.later += quick;
            }
        }
        self.tail.drain(..).for_each(|(segments, held)| self.stretch.add(segments, held));
    }

    fn end_stretch(&mut self) {
        if self.stretch.count() >= QUICK_RUN {
            self.outside.take_in(&mut self.stretch);
        }
        self.stretch.clear();
    }

    /// No more ACKs come; what lies outside quick phases, stretches of fewer than [`QUICK_RUN`] ACKs left out.
    pub fn finish(&mut self) -> &Tally {
        self.end_run();
        self.end_stretch();
        &self.outside
    }

    /// What [`Phases::finish`] gave.
    pub fn outside(&self) -> &Tally {
        &self.outside
    }

    /// Segments of the first quick phase, if it is one.
    pub fn first(&self) -> u64 {
        if self.lead >= QUICK_RUN { self.lead } else { 0 }
    }

    /// Segments of all quick phases.
    pub fn all_quick(&self) -> u64 {
        self.first() + self.later
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phases(acks: impl IntoIterator<Item = u64>) -> (u64, u64, u64, u64) {
        let mut phases = Phases::default();
        acks.into_iter().for_each(|segments| phases.on_ack(segments, false));
        let outside = phases.finish().clone();
        (phases.first(), phases.later, outside.at_once(1), outside.at_once(2))
    }

    #[test]
    fn an_ack_belongs_to_one_phase() {
        assert_eq!(phases([1].repeat(20)), (20, 0, 0, 0));
        assert_eq!(phases([[1].repeat(20), [2].repeat(20)].concat()), (20, 0, 0, 20));
        assert_eq!(phases([[2].repeat(20), [1].repeat(9), [2].repeat(7)].concat()), (0, 9, 0, 27));
        assert_eq!(phases([1, 1, 1, 2, 2, 2, 1, 2, 1, 2]), (0, 0, 5, 5), "no run is long enough");
    }

    #[test]
    fn exceptions_are_no_phase() {
        let exceptions = |every: u64| (1..=400).map(move |k| if k % every == 0 { 2 } else { 1 });
        assert_eq!(phases(exceptions(16)), (375, 0, 0, 0), "an ACK of two now and then");
        let pairs = (1..=400).map(|k| if k % 16 < 2 { 2 } else { 1 });
        let (_, later, ones, twos) = phases(pairs);
        assert!(later > 300 && (ones, twos) == (0, 0), "two of them together, {later} {ones} {twos}");
    }
}
