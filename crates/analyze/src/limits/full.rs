//! Links that are full though no queue stands, because CoDel or PIE keeps it short: by the rate in that time.

use super::spans::Spans;
use super::{ALL, Limit};
use crate::thresholds::{BUSY_SHARE, FULL_SHARE, MIN_PATH_S, MIN_QUEUED, QUEUE_ACKS_S};

/// Names the cause of the time without a queue again, by its rate as a share of the link's. `link` is the latter in payload bytes a second, where trains
/// show it. Else it is the rate while a queue stood, or the `fastest` round's. These may be too low or too high, the former where ACKs wait:
/// then the path is not named, but nor is the window. `late` are the seconds by which half of the ACKs are late, and 5 % of them. If half
/// are, trains may show the ACKs' queue.
///
/// An application that had nothing to send leaves a seen link room: a queue before the capture point looks the same. Nor are waits distinguished
/// on a `path` whose round trips are shorter than what hosts take.
///
/// Returns the nanoseconds in which the link was full so.
pub fn weigh(spans: &mut Spans, link: Option<f64>, fastest: f64, late: [Option<f64>; 2], path: Option<f64>) -> i64 {
    let queued = spans.of(Limit::Path) as f64 >= MIN_QUEUED * spans.total() as f64;
    let most = link.unwrap_or(if queued { spans.rate(Limit::Path) } else { fastest });
    let [acks, some] = late.map(|late| late.is_some_and(|late| late >= QUEUE_ACKS_S));
    let sure = if link.is_some() { !acks } else { queued && !some };
    let whole = spans.goodput();
    let mut full = 0;
    for cause in [Limit::Cwnd, Limit::Recovery, Limit::Application] {
        let rate = match cause {
            Limit::Application if link.is_none() => continue,
            Limit::Application => whole.max(spans.rate(cause)),
            _ => spans.rate(cause),
        };
        let share = rate / most.max(1.0);
        if sure && share >= FULL_SHARE {
            full += spans.of(cause);
            spans.rename(cause, Limit::Path);
        } else if cause != Limit::Recovery && share >= BUSY_SHARE {
            spans.rename(cause, Limit::Network);
        }
    }
    if acks {
        spans.rename(Limit::Cwnd, Limit::AckPath);
    }
    if path.is_some_and(|path| path < MIN_PATH_S) {
        let told = [Limit::Path, Limit::Recovery, Limit::Closed, Limit::Network];
        ALL.into_iter().filter(|cause| !told.contains(cause)).for_each(|cause| spans.rename(cause, Limit::Network));
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
        let full = weigh(&mut spans, link, fastest, late.map(Some), None);
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
    /// A second with so many bytes whose waits look like an application's.
    fn idle(acked: u64, link: Option<f64>, late: [f64; 2], path: f64) -> Limit {
        let mut spans = Spans::default();
        spans.add(Limit::Application, 0, 1_000_000_000);
        spans.decide(0, Limit::Cwnd, acked);
        weigh(&mut spans, link, 0.0, late.map(Some), Some(path));
        spans.rows().last().map(|row| row.2).unwrap()
    }

    #[test]
    fn no_application_rests_that_fills_the_link() {
        assert_eq!(idle(95, Some(100.0), [0.0; 2], 0.020), Limit::Path);
        assert_eq!(idle(95, Some(100.0), [0.030; 2], 0.020), Limit::Network, "whose link is full?");
        assert_eq!(idle(80, Some(100.0), [0.0; 2], 0.020), Limit::Network);
        assert_eq!(idle(50, Some(100.0), [0.0; 2], 0.020), Limit::Application);
        assert_eq!(idle(95, None, [0.0; 2], 0.020), Limit::Application, "no link is seen");
        assert_eq!(idle(50, Some(100.0), [0.0; 2], 0.00009), Limit::Network, "hosts take longer than this path");
    }
}
