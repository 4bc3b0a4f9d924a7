//! Links that are full though no queue stands, because CoDel or PIE keeps it short: by the rate in that time.

use super::Limit;
use super::spans::Spans;
use crate::thresholds::{BUSY_SHARE, FULL_SHARE, LEAST_QUEUED, QUEUE_ACKS_S};

/// Names the cause of the time without a queue again, by its rate as a share of the link's. `link` is the latter in payload bytes a second, where trains
/// show it. Else it is the rate while a queue stood, or the `fastest` round's. These may be too low or too high, the former where ACKs wait:
/// then the path is not named, but nor is the window. `late` are the seconds by which half of the ACKs are late, and 5 % of them. If half
/// are, trains may show the ACKs' queue.
///
/// Returns the nanoseconds in which the link was full so.
pub fn weigh(spans: &mut Spans, link: Option<f64>, fastest: f64, late: [Option<f64>; 2]) -> i64 {
    let queued = spans.of(Limit::Path) as f64 >= LEAST_QUEUED * spans.total() as f64;
    let most = link.unwrap_or(if queued { spans.rate(Limit::Path) } else { fastest });
    let [acks, some] = late.map(|late| late.is_some_and(|late| late >= QUEUE_ACKS_S));
    let sure = if link.is_some() { !acks } else { queued && !some };
    let mut full = 0;
    for cause in [Limit::Cwnd, Limit::Recovery] {
        let share = spans.rate(cause) / most.max(1.0);
        if sure && share >= FULL_SHARE {
            full += spans.of(cause);
            spans.rename(cause, Limit::Path);
        } else if cause == Limit::Cwnd && share >= BUSY_SHARE {
            spans.rename(cause, Limit::Network);
        }
    }
    if acks {
        spans.rename(Limit::Cwnd, Limit::AckPath);
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second of the congestion window with so many bytes, after a tenth of slow start and a tenth with a queue of 10 bytes each.
    fn named(acked: u64, link: Option<f64>, fastest: f64, late: [f64; 2]) -> Limit {
        let mut spans = Spans::default();
        spans.add(Limit::Network, 0, 100_000_000);
        spans.decide(0, Limit::SlowStart, 10);
        spans.add(Limit::Network, 100_000_000, 200_000_000);
        spans.decide(100_000_000, Limit::Path, 10);
        spans.add(Limit::Network, 200_000_000, 1_200_000_000);
        spans.decide(200_000_000, Limit::Cwnd, acked);
        let full = weigh(&mut spans, link, fastest, late.map(Some));
        let found = spans.rows().last().map(|row| row.2).unwrap();
        assert_eq!(full > 0, found == Limit::Path);
        found
    }

    #[test]
    fn a_rate_near_the_links_is_the_paths() {
        assert_eq!(named(95, Some(100.0), 0.0, [0.0; 2]), Limit::Path);
        assert_eq!(named(80, Some(100.0), 0.0, [0.0; 2]), Limit::Network);
        assert_eq!(named(50, Some(100.0), 0.0, [0.0; 2]), Limit::Cwnd);
        assert_eq!(named(95, None, 1000.0, [0.0; 2]), Limit::Path, "by the rate while a queue stood");
        assert_eq!(named(95, None, 1000.0, [0.0, 0.030]), Limit::Network, "which ACKs that wait made too low, perhaps");
        assert_eq!(named(50, None, 60.0, [0.0; 2]), Limit::Cwnd);
    }

    #[test]
    fn acks_that_are_late_most_of_the_time_are_the_limit() {
        assert_eq!(named(50, Some(100.0), 0.0, [0.030; 2]), Limit::AckPath);
        assert_eq!(named(95, Some(100.0), 0.0, [0.030; 2]), Limit::Network, "whose link is full?");
    }
}
