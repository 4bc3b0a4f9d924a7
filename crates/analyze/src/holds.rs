//! How a receiver holds its ACKs back: segments an ACK, with and without waiting; quick phases; the pace of ACKs.
//!
//! Only clean ACKs count: pure ones of new data that passed once and in order, while no gap was open. Anything else is
//! acknowledged at once by any receiver (RFC 5681 section 4.2) and says nothing of its policy.

use crate::numbers::{Spread, span_s};
use crate::phases::{Phases, Tally};
use crate::thresholds::{BATCH_S, BATCH_SHARE, HELD_S, HELD_SHARE, PAUSE_S, PAUSE_SHARE};

/// What is counted.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    /// Least delay seen: what the path to the receiver and back takes.
    base: Option<f64>,
    pub delay: Spread,
    /// How long held ACKs of one segment waited, and of more.
    pub held_single: Spread,
    pub held_more: Spread,
    /// All of them, and by phase.
    pub all: Tally,
    pub phases: Phases,
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
        self.all.add(segments, held);
        self.phases.on_ack(segments, held);
        if held {
            if segments <= 1 { &mut self.held_single } else { &mut self.held_more }.add(hold);
        }
        if let Some(last) = self.last.replace(now) {
            self.gaps.add(span_s(last, now));
        }
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
        self.phases.on_disorder();
        self.before = None;
        self.last = None;
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
        segments.map(|n| self.all.of(n as u64)).sum()
    }
}

/// Whether an ACK that came `hold` later than need be waited.
fn is_held(hold: f64, base: f64) -> bool {
    hold > HELD_S + HELD_SHARE * base
}
