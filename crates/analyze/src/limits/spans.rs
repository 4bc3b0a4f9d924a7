//! Spans of time with their causes, in bounded memory: when the list is full, short spans join their neighbours.

use super::{ALL, Limit};
use crate::thresholds::MAX_SPANS;

/// Time up to an instant, with its cause and the packet that ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub until: i64,
    pub frame: u64,
    pub limit: Limit,
}

impl Span {
    fn extend(&mut self, by: &Span) {
        (self.until, self.frame) = (by.until, by.frame);
    }
}

/// The spans of a direction, one after another, and the sums by cause.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    start: Option<i64>,
    /// Numbers in the file of the packet that began the first, and of the one that passes.
    pub first_frame: u64,
    pub frame: u64,
    list: Vec<Span>,
    sums: [i64; ALL.len()],
    /// Bytes that were acknowledged in the time of each cause.
    acked: [f64; ALL.len()],
    /// The same sums of the round that goes on. The cause of waits for the network and for the receiver's window is open until it ends.
    round: [i64; ALL.len()],
}

impl Spans {
    /// `from .. to` has a cause; a span of the network or the receiver's window is open until [`Spans::decide`].
    pub fn add(&mut self, limit: Limit, from: i64, to: i64) {
        let start = *self.start.get_or_insert(from);
        let from = self.list.last().map_or(start, |last| last.until).max(from);
        let length = to.saturating_sub(from);
        if length <= 0 {
            return;
        }
        self.round[limit as usize] += length;
        if !matches!(limit, Limit::Network | Limit::Window) {
            self.sums[limit as usize] = self.sums[limit as usize].saturating_add(length);
        }
        match self.list.last_mut() {
            Some(last) if last.limit == limit => (last.until, last.frame) = (to, self.frame),
            _ => self.list.push(Span { until: to, frame: self.frame, limit }),
        }
        if self.list.len() >= MAX_SPANS {
            self.shorten();
        }
    }

    /// A round ends that began at `from`, in which so many bytes were acknowledged: its waits for the network have this cause. If a
    /// queue stood, so have those for the receiver's window, because a larger window would only make the queue longer.
    pub fn decide(&mut self, from: i64, found: Limit, acked: u64) {
        let window = if found == Limit::Path { found } else { Limit::Window };
        let cause = |limit| match limit {
            Limit::Network => found,
            Limit::Window => window,
            other => other,
        };
        let round = std::mem::take(&mut self.round);
        let whole = round.iter().sum::<i64>().max(1) as f64;
        for limit in ALL {
            let length = round[limit as usize];
            self.acked[cause(limit) as usize] += acked as f64 * length as f64 / whole;
            if matches!(limit, Limit::Network | Limit::Window) {
                self.sums[cause(limit) as usize] = self.sums[cause(limit) as usize].saturating_add(length);
            }
        }
        for span in self.list.iter_mut().rev().take_while(|span| span.until > from) {
            span.limit = cause(span.limit);
        }
        // Neighbours may now be alike.
        if self.list.len() >= 2 && self.list[self.list.len() - 2].limit == self.list[self.list.len() - 1].limit {
            let last = self.list.pop().expect("there were two");
            self.list.last_mut().expect("there were two").extend(&last);
        }
    }

    /// All time with one cause has another.
    pub fn rename(&mut self, from: Limit, to: Limit) {
        self.sums[to as usize] = self.sums[to as usize].saturating_add(std::mem::take(&mut self.sums[from as usize]));
        self.acked[to as usize] += std::mem::take(&mut self.acked[from as usize]);
        let mut kept: Vec<Span> = Vec::with_capacity(self.list.len());
        for span in &self.list {
            let limit = if span.limit == from { to } else { span.limit };
            match kept.last_mut() {
                Some(last) if last.limit == limit => last.extend(span),
                _ => kept.push(Span { limit, ..*span }),
            }
        }
        self.list = kept;
    }

    /// Bytes a second that were acknowledged in the time with this cause.
    pub fn rate(&self, limit: Limit) -> f64 {
        self.acked[limit as usize] / (1e-9 * self.sums[limit as usize].max(1) as f64)
    }

    /// Each two spans become one, with the cause of the longer.
    fn shorten(&mut self) {
        let mut at = self.start.unwrap_or(0);
        let mut kept: Vec<Span> = Vec::with_capacity(MAX_SPANS / 2 + 1);
        for two in self.list.chunks(2) {
            let middle = two[0].until;
            let last = two[two.len() - 1];
            let first_is_longer = middle.saturating_sub(at) >= last.until.saturating_sub(middle);
            let limit = if first_is_longer { two[0].limit } else { last.limit };
            match kept.last_mut() {
                Some(before) if before.limit == limit => before.extend(&last),
                _ => kept.push(Span { limit, ..last }),
            }
            at = last.until;
        }
        self.list = kept;
    }

    /// Nanoseconds with this cause.
    pub fn of(&self, limit: Limit) -> i64 {
        self.sums[limit as usize]
    }

    /// All of them.
    pub fn total(&self) -> i64 {
        self.sums.iter().fold(0, |sum, part| sum.saturating_add(*part))
    }

    /// Bytes a second that were acknowledged in all of the time.
    pub fn goodput(&self) -> f64 {
        self.acked.iter().sum::<f64>() / (1e-9 * self.total().max(1) as f64)
    }

    /// Start, end and cause of each span, and the packets that began and ended it.
    pub fn rows(&self) -> impl Iterator<Item = (i64, i64, Limit, [u64; 2])> {
        let first = self.start.map(|start| (start, self.first_frame));
        let starts = first.into_iter().chain(self.list.iter().map(|span| (span.until, span.frame)));
        starts.zip(&self.list).map(|((from, frame), span)| (from, span.until, span.limit, [frame, span.frame]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_spans_join_and_the_sums_stay() {
        let mut spans = Spans::default();
        for k in 0..4000_i64 {
            spans.add(ALL[[0, 2, 3][k as usize % 3]], 10 * k, 10 * k + 10);
        }
        let rows: Vec<_> = spans.rows().collect();
        assert!(rows.len() < MAX_SPANS && rows.len() > MAX_SPANS / 4, "{}", rows.len());
        assert_eq!((rows[0].0, rows[rows.len() - 1].1, spans.total()), (0, 40_000, 40_000));
        assert!(rows.windows(2).all(|two| two[0].1 == two[1].0), "without a hole");
        assert_eq!(spans.of(Limit::Application), 13_340);
    }

    #[test]
    fn a_round_decides_its_open_spans() {
        let mut spans = Spans { frame: 7, ..Spans::default() };
        spans.add(Limit::Network, 0, 10);
        spans.decide(0, Limit::SlowStart, 100);
        spans.frame = 9;
        spans.add(Limit::Network, 10, 15);
        spans.add(Limit::Window, 15, 30);
        spans.decide(10, Limit::Path, 2000);
        let rows: Vec<_> = spans.rows().collect();
        assert_eq!(rows, [(0, 10, Limit::SlowStart, [0, 7]), (10, 30, Limit::Path, [7, 9])]);
        assert_eq!((spans.of(Limit::Window), spans.of(Limit::Path)), (0, 20));
        let rate = |spans: &Spans, limit| spans.rate(limit).round();
        assert_eq!((rate(&spans, Limit::SlowStart), rate(&spans, Limit::Path)), (1e10, 1e11), "bytes a second");
        spans.rename(Limit::Path, Limit::SlowStart);
        assert_eq!(spans.rows().collect::<Vec<_>>(), [(0, 30, Limit::SlowStart, [0, 9])]);
        assert_eq!((spans.of(Limit::SlowStart), spans.total(), rate(&spans, Limit::SlowStart)), (30, 30, 7e10));
    }
}
