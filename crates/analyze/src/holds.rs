//! How a receiver holds its ACKs back: segments an ACK, with and without waiting; quick phases; the pace of ACKs.
//!
//! Only clean ACKs count: pure ones of new data that passed once and in order, while no gap was open. Anything else is
//! acknowledged at once by any receiver (RFC 5681 section 4.2) and says nothing of its policy.

use crate::numbers::{Spread, span_s};
use crate::thresholds::{BATCH_S, BATCH_SHARE, HELD_S, HELD_SHARE, PAUSE_S, PAUSE_SHARE, QUICK_MISSES, QUICK_RUN};

/// Segments an ACK from which one class counts them all.
pub const MANY: usize = 64;

/// Counts of ACKs by the segments they cover: index 0 is for one, the last for [`MANY`] and more.
pub type BySegments = Vec<u64>;

/// What is counted.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    /// Least delay seen: what the path to the receiver and back takes.
    base: Option<f64>,
    pub delay: Spread,
    /// How long held ACKs of one segment waited, and of more.
    pub held_single: Spread,
    pub held_more: Spread,
    pub at_once: BySegments,
    pub held: BySegments,
    /// Segments acknowledged one by one at the start, while nothing else had come.
    pub lead: u64,
    leading: bool,
    begun: bool,
    run: u64,
    misses: u64,
    others: u64,
    /// Segments in later quick phases, and how many phases, of them how many after a disorder.
    pub quick_later: u64,
    pub phases: u64,
    pub phases_after_disorder: u64,
    disorder: bool,
    run_after_disorder: bool,
    /// ACKs of three segments and more, and those of them whose segments came in a batch.
    pub stretched: u64,
    pub batches: u64,
    /// Those of them whose segments were one packet, or had a pause before them; and those that left nothing outstanding.
    pub apart: u64,
    pub emptied: u64,
    edge: Option<i64>,
    /// Seconds between ACKs.
    pub gaps: Spread,
    before: Option<f64>,
    last: Option<i64>,
}

impl Holds {
    /// A clean ACK of `segments` passes, `delay` after they were complete; the handshake took `leg` to the receiver;
    /// it leaves nothing outstanding if it covers `all`.
    ///
    /// Its wait is its delay less the minimum delay. While more data is outstanding, queues on the path may add to both:
    /// the wait is then its delay less that of the ACK before, which met the same queues. Near the receiver, nothing is
    /// outstanding after an ACK that was held.
    pub fn on_ack(&mut self, segments: u64, delay: f64, leg: Option<f64>, all: bool, now: i64) {
        let base = self.base.or(leg).unwrap_or(delay).min(delay);
        self.base = Some(base);
        self.delay.add(delay);
        let before = self.before.replace(delay).filter(|_| !all).unwrap_or(base);
        let hold = delay - base.max(before);
        let held = is_held(hold, base);
        let place = (segments.max(1) as usize).min(MANY) - 1;
        let counts = if held { &mut self.held } else { &mut self.at_once };
        if counts.len() <= place {
            counts.resize(place + 1, 0);
        }
        counts[place] += 1;
        if held {
            if segments <= 1 { &mut self.held_single } else { &mut self.held_more }.add(hold);
        }
        if let Some(last) = self.last.replace(now) {
            self.gaps.add(span_s(last, now));
        }
        self.follow(segments <= 1 && !held);
    }

    /// Segments that an ACK of `segments` covers passed between two instants; it leaves nothing outstanding if it covers `all`.
    pub fn on_batch(&mut self, segments: u64, (first, last): (i64, i64), all: bool) {
        let span = span_s(first, last);
        let pause = self.edge.replace(last).map_or(0.0, |edge| span_s(edge, first));
        if segments <= 2 {
            return;
        }
        self.stretched += 1;
        self.batches += u64::from(span <= BATCH_S);
        let alone = first == last;
        self.apart += u64::from(alone || pause > PAUSE_S + PAUSE_SHARE * span / (segments - 1) as f64);
        self.emptied += u64::from(all);
    }

    /// Whether ACKs of many segments answer batches.
    pub fn in_batches(&self) -> bool {
        self.stretched > 0 && self.batches as f64 >= BATCH_SHARE * self.stretched as f64
    }

    /// An ACK of something resent, late or beyond a gap: a receiver may be quick for a while after it.
    pub fn on_disorder(&mut self) {
        self.disorder = true;
        self.before = None;
        self.last = None;
    }

    fn follow(&mut self, quick: bool) {
        if !self.begun {
            (self.begun, self.leading) = (true, true);
        }
        if quick {
            if self.run == 0 {
                self.run_after_disorder = std::mem::take(&mut self.disorder);
            }
            self.run += 1;
            self.misses = 0;
            self.lead += u64::from(self.leading);
            return;
        }
        self.misses += 1;
        self.others += 1;
        if self.misses == QUICK_MISSES || 4 * self.others > self.run + 4 {
            self.finish();
            self.leading = false;
        }
    }

    /// The quick phase that is going on, if one is, ends.
    pub fn finish(&mut self) {
        let run = std::mem::take(&mut self.run);
        (self.misses, self.others) = (0, 0);
        if !self.leading && run >= QUICK_RUN {
            self.phases += 1;
            self.phases_after_disorder += u64::from(self.run_after_disorder);
            self.quick_later += run;
        }
    }

    /// What the least delay exceeds the base by, if it was no waiting.
    pub fn serialisation(&self) -> f64 {
        let more = self.delay.least().zip(self.base).map_or(0.0, |(least, base)| least - base);
        if is_held(more, self.base.unwrap_or(0.0)) { 0.0 } else { more }
    }

    /// Clean ACKs.
    pub fn count(&self) -> u64 {
        self.delay.count()
    }

    /// Those of so many segments, held or not.
    pub fn of(&self, segments: std::ops::RangeInclusive<usize>) -> u64 {
        let sum = |counts: &BySegments| {
            counts.iter().enumerate().filter(|(place, _)| segments.contains(&(place + 1))).map(|(_, n)| n).sum::<u64>()
        };
        sum(&self.at_once) + sum(&self.held)
    }
}

/// Whether an ACK that came `hold` later than need be waited.
fn is_held(hold: f64, base: f64) -> bool {
    hold > HELD_S + HELD_SHARE * base
}
