//! Prague (draft-briscoe-iccrg-prague-congestion-control-03): DCTCP for the Internet. Marks reduce the window by their recent
//! share, which is measured over at least 25 ms. Below that round trip growth is slower, so that flows with short round trips
//! leave others their part. It paces. It answers a loss as Reno does, as a fallback for queues that drop.
//!
//! The draft's optional search for queues that mark as in RFC 3168 is not here, nor the delay before RTT independence begins.

use super::{AckEvent, CongestionControl, Needs, Reduced, Signal, Traits, Window};
use crate::sender::CLOCK;

/// Segments that leave at once: a quarter of a millisecond's worth at the pace, in whole segments.
const BURST_SECS: f64 = 0.000_25;
/// Pace beside the window's part of a round trip, in slow start and after it.
const SLOW_START_GAIN: f64 = 2.0;

/// Prague's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PragueRules {
    /// g: weight of the newest share of marks.
    pub gain: f64,
    /// `RTT_VIRT_MIN`, in seconds: the round trip as which shorter ones count.
    pub least_rtt: f64,
}

/// Prague's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Prague {
    rules: PragueRules,
    /// The share of marked units of late; none before the first mark, which counts as if all were marked.
    alpha: Option<f64>,
    /// Of the present virtual round trip: when it began, units delivered, and those of them that were marked.
    since: f64,
    delivered: f64,
    marked: f64,
    /// When a mark last reduced the window: once in a virtual round trip.
    reduced: Option<f64>,
    /// Segments a second; 0 before a round trip is known.
    rate: f64,
}

impl Prague {
    /// Before any ACK.
    pub fn new(rules: PragueRules) -> Prague {
        Prague { rules, alpha: None, since: 0.0, delivered: 0.0, marked: 0.0, reduced: None, rate: 0.0 }
    }

    /// True if a virtual round trip has passed since `then`.
    fn passed(&self, then: f64, window: &Window) -> bool {
        window.now.secs() - then + CLOCK >= window.srtt.max(self.rules.least_rtt)
    }

    /// Segments by which a window of unmarked ACKs grows the window: the square of the round trip over the virtual one.
    fn growth(&self, srtt: f64) -> f64 {
        let share = if srtt > 0.0 { (srtt / self.rules.least_rtt).min(1.0) } else { 1.0 };
        share * share
    }
}

impl CongestionControl for Prague {
    fn needs(&self) -> Needs {
        Needs::Deliveries
    }

    fn traits(&self) -> Traits {
        Traits { counts_marks: true, expects_many_marks: true, reduces_alone: true, ..Traits::default() }
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let srtt = window.srtt;
        self.delivered += ack.newly_delivered;
        self.marked += ack.ce_count;
        if ack.ce_count > 0.0 {
            self.alpha.get_or_insert(1.0);
        }
        if self.passed(self.since, window) && self.delivered > 0.0 {
            let share = (self.marked / self.delivered).min(1.0);
            self.alpha = self.alpha.map(|alpha| alpha + self.rules.gain * (share - alpha));
            (self.since, self.delivered, self.marked) = (window.now.secs(), 0.0, 0.0);
        }
        if srtt > 0.0 {
            let gain = if window.in_slow_start() { SLOW_START_GAIN } else { 1.0 };
            self.rate = gain * window.cwnd.max(ack.in_flight) / window.mss / srtt;
        }
    }

    /// Credit is due for unmarked units alone: an ACK that echoes a mark covers none where each mark is echoed.
    fn grow(&mut self, credit: f64, window: &mut Window) {
        if window.in_slow_start() {
            return window.grow_by_standard(credit);
        }
        window.cwnd += credit * window.mss / window.cwnd * self.growth(window.srtt);
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        match signal {
            Signal::Mark if self.reduced.is_some_and(|then| !self.passed(then, window)) => {
                Reduced { cwnd: window.cwnd, ssthresh: window.ssthresh }
            }
            Signal::Mark => {
                self.reduced = Some(window.now.secs());
                Reduced::to(window.cwnd * (1.0 - self.alpha.unwrap_or(1.0) / 2.0))
            }
            Signal::Loss | Signal::Timeout | Signal::Idle => Reduced::to(in_use / 2.0),
        }
    }

    fn marked_share(&self) -> Option<f64> {
        self.alpha
    }

    fn pacing_rate(&self) -> Option<f64> {
        (self.rate > 0.0).then_some(self.rate)
    }

    fn send_quantum(&self) -> u32 {
        ((self.rate * BURST_SECS) as u32).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{event, window};
    use super::*;
    use acklab_packet::Time;

    fn prague() -> Prague {
        Prague::new(PragueRules { gain: 1.0 / 16.0, least_rtt: 0.025 })
    }

    /// An ACK at `now` of 10 segments, so many of them marked, with a round trip of 10 ms and a window of 40.
    fn on_ack(prague: &mut Prague, now: f64, marked: f64) -> Option<f64> {
        let ack = AckEvent { newly_delivered: 10.0, ce_count: marked, ..event(1, 50, Some(0.01)) };
        let mut state = Window { now: Time::from_secs(now), srtt: 0.01, ..window(40.0, 20.0) };
        prague.on_ack(&ack, &mut state);
        prague.alpha
    }

    /// By hand. A virtual round trip is 25 ms. Nothing is marked in the first; the second begins at 25 ms. The first mark, at 35 ms,
    /// makes alpha 1. At 50 ms 30 segments have come, 3 marked: 1 + (0.1 - 1) / 16 = 0.94375. The third has none of 30: less a
    /// sixteenth.
    #[test]
    fn alpha_begins_with_the_first_mark_and_moves_once_in_25_milliseconds() {
        let mut prague = prague();
        for (now, marked, alpha) in [
            (0.015, 0.0, None),
            (0.025, 0.0, None),
            (0.035, 3.0, Some(1.0)),
            (0.045, 0.0, Some(1.0)),
            (0.050, 0.0, Some(0.943_75)),
            (0.060, 0.0, Some(0.943_75)),
            (0.070, 0.0, Some(0.943_75)),
            (0.075, 0.0, Some(0.943_75 * 15.0 / 16.0)),
        ] {
            assert_eq!(on_ack(&mut prague, now, marked), alpha, "at {now}");
        }
    }

    /// 40 segments, alpha 0.25: 40 (1 - 0.125) = 35 remain, once in the round trip of 100 ms. A loss halves what was in use.
    #[test]
    fn a_mark_takes_half_of_alpha_once_a_round_trip_and_a_loss_half() {
        let state = window(40.0, 20.0);
        let mut prague = Prague { alpha: Some(0.25), ..prague() };
        assert_eq!(prague.on_congestion(Signal::Mark, 36.0, &state), Reduced::to(35.0));
        assert_eq!(prague.on_congestion(Signal::Loss, 36.0, &state), Reduced::to(18.0));
        let soon = Window { now: Time::from_secs(0.099), ..state };
        assert_eq!(prague.on_congestion(Signal::Mark, 36.0, &soon), Reduced { cwnd: 40.0, ssthresh: 20.0 });
        let later = Window { now: Time::from_secs(0.1), ..state };
        assert_eq!(prague.on_congestion(Signal::Mark, 36.0, &later), Reduced::to(35.0));
        (prague.alpha, prague.reduced) = (None, None);
        assert_eq!(prague.on_congestion(Signal::Mark, 40.0, &state), Reduced::to(20.0), "no ACK has told a share");
    }

    /// 10 ms of 25 ms: 0.16 of a segment a round trip, so 0.004 for each of 40. With 25 ms and more a whole one.
    #[test]
    fn short_round_trips_grow_by_the_square_of_their_share() {
        for (srtt, grown) in [(0.01, 0.004), (0.025, 0.025), (0.1, 0.025)] {
            let mut state = Window { srtt, ..window(40.0, 20.0) };
            prague().grow(1.0, &mut state);
            assert!((state.cwnd - 40.0 - grown).abs() < 1e-12, "{srtt}: {}", state.cwnd);
        }
    }

    /// 40 segments in 10 ms are 4000 a second, of which a quarter of a millisecond holds one; twice that in slow start.
    #[test]
    fn a_window_is_spread_over_the_round_trip() {
        let mut prague = prague();
        assert_eq!(prague.pacing_rate(), None);
        on_ack(&mut prague, 0.01, 0.0);
        assert_eq!((prague.pacing_rate(), prague.send_quantum()), (Some(4000.0), 1));
        let mut state = Window { srtt: 0.01, ..window(40.0, 80.0) };
        prague.on_ack(&event(1, 50, Some(0.01)), &mut state);
        assert_eq!((prague.pacing_rate(), prague.send_quantum()), (Some(8000.0), 2));
    }
}
