//! Westwood+ (Grieco and Mascolo 2004). It filters the rate of returning ACKs once a round trip. After a loss this rate sets
//! the window to what the path was seen to carry without queueing.

use super::{AckEvent, CongestionControl, Needs, Reduced, Signal, Window};

/// Intervals of measurement are no shorter, in seconds.
const SHORTEST: f64 = 0.05;

/// Westwood+'s state. Times in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Westwood {
    /// Weight of the past in the filtered rate.
    gain: f64,
    /// Filtered rate in sequence units per second, once measured.
    rate: Option<f64>,
    least_rtt: f64,
    last_rtt: f64,
    /// Start of the present interval.
    since: Option<f64>,
    /// Units delivered in it.
    delivered: f64,
    /// Of these, by duplicate ACKs, which the next cumulative ACK covers again.
    by_duplicates: f64,
}

impl Westwood {
    /// Before any ACK.
    pub fn new(gain: f64) -> Westwood {
        Westwood {
            gain,
            rate: None,
            least_rtt: f64::INFINITY,
            last_rtt: 0.0,
            since: None,
            delivered: 0.0,
            by_duplicates: 0.0,
        }
    }

    /// Units that the path carries without queueing.
    fn capacity(&self) -> Option<f64> {
        self.rate.map(|rate| rate * self.least_rtt).filter(|units| units.is_finite())
    }
}

impl CongestionControl for Westwood {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        if let Some(rtt) = ack.rtt {
            self.least_rtt = self.least_rtt.min(rtt);
            self.last_rtt = rtt;
        }
        if ack.acked > 0.0 {
            let counted = self.by_duplicates.min(ack.acked);
            self.delivered += ack.acked - counted;
            self.by_duplicates -= counted;
        } else {
            self.delivered += window.mss;
            self.by_duplicates += window.mss;
        }
        let now = window.now.secs();
        let Some(since) = self.since else {
            // What the first ACK acknowledges was delivered before the interval that it begins.
            (self.since, self.delivered, self.by_duplicates) = (Some(now), 0.0, 0.0);
            return;
        };
        if now - since >= self.last_rtt.max(SHORTEST) {
            let sample = self.delivered / (now - since);
            self.rate = Some(self.rate.map_or(sample, |rate| self.gain * rate + (1.0 - self.gain) * sample));
            (self.since, self.delivered) = (Some(now), 0.0);
        }
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        match (signal, self.capacity()) {
            // Duplicates of what a timeout sends again are not counted with those before it.
            (Signal::Timeout, Some(units)) => {
                self.by_duplicates = 0.0;
                Reduced::to(units)
            }
            (_, Some(units)) => Reduced { cwnd: units.min(window.cwnd), ssthresh: units },
            (_, None) => Reduced::to(in_use / 2.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{event, window};
    use super::*;
    use acklab_packet::Time;

    fn on_ack(westwood: &mut Westwood, at: f64, acked: f64, rtt: Option<f64>) {
        let mut state = Window { now: Time::from_secs(at), ..window(20.0, 10.0) };
        westwood.on_ack(&AckEvent { acked, ..event(1, 1, rtt) }, &mut state);
    }

    #[test]
    fn a_loss_leaves_the_rate_times_the_least_round_trip() {
        let mut westwood = Westwood::new(0.9);
        assert_eq!(
            westwood.on_congestion(Signal::Loss, 20.0, &window(20.0, 10.0)),
            Reduced::to(10.0),
            "nothing known yet"
        );
        // 100 segments a second, ACKs 10 ms apart, round trips between 0.1 and 0.2 s.
        for k in 0..=400 {
            on_ack(&mut westwood, 0.01 * f64::from(k), 1.0, Some(if k == 37 { 0.1 } else { 0.2 }));
        }
        let left = westwood.on_congestion(Signal::Loss, 20.0, &window(20.0, 10.0));
        assert!((left.ssthresh - 10.0).abs() < 0.5 && left.cwnd == left.ssthresh, "{left:?}");
        let small = westwood.on_congestion(Signal::Loss, 6.0, &window(6.0, 10.0));
        assert_eq!(small.cwnd, 6.0, "never raised: slow start takes it to the threshold");
        assert!(small.ssthresh > 9.0);
    }

    #[test]
    fn duplicates_count_once() {
        let mut westwood = Westwood::new(0.9);
        on_ack(&mut westwood, 0.0, 1.0, Some(0.1));
        (1..=4).for_each(|k| on_ack(&mut westwood, 0.01 * f64::from(k), 0.0, None));
        on_ack(&mut westwood, 0.09, 5.0, None); // the hole and the four that the duplicates told of
        assert_eq!(westwood.delivered, 5.0);
    }

    #[test]
    fn the_filter_keeps_nine_tenths_of_the_past() {
        let mut westwood = Westwood::new(0.9);
        on_ack(&mut westwood, 0.0, 10.0, Some(0.1));
        on_ack(&mut westwood, 0.1, 10.0, Some(0.1)); // 10 in 0.1 s: what came with the first ACK was sent before
        assert!((westwood.rate.unwrap() - 100.0).abs() < 1e-9);
        on_ack(&mut westwood, 0.2, 20.0, Some(0.1)); // 20 in 0.1 s
        assert!((westwood.rate.unwrap() - (0.9 * 100.0 + 0.1 * 200.0)).abs() < 1e-9);
    }
}
