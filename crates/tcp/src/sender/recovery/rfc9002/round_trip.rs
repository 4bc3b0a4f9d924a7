//! Round trips freed of what the receiver held (RFC 9002 section 5.3).

use acklab_packet::Time;

use super::super::super::CLOCK;

/// The latest round trip and the least, in seconds; the smoothed one and its deviation are the timer's.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoundTrip {
    latest: f64,
    min: f64,
}

impl Default for RoundTrip {
    fn default() -> RoundTrip {
        RoundTrip { latest: 0.0, min: f64::INFINITY }
    }
}

impl RoundTrip {
    /// `latest_rtt`; 0 before the first.
    pub fn latest(&self) -> f64 {
        self.latest
    }

    /// A packet came back after `latest`, of which the receiver says that it held it for `held` (section 5.3): the sample that
    /// is smoothed. The least round trip counts as measured, and none is taken below it.
    pub fn sample(&mut self, latest: Time, held: Time, max_ack_delay: Time) -> Time {
        self.latest = latest.secs();
        self.min = self.min.min(self.latest);
        let held = held.max(Time::ZERO).min(max_ack_delay);
        if self.latest + CLOCK >= self.min + held.secs() { latest - held } else { latest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_held_is_taken_off_down_to_the_least_round_trip() {
        let (mut trips, at) = (RoundTrip::default(), Time::from_secs);
        let near = |got: Time, expected: f64| (got.secs() - expected).abs() < 1e-12;
        assert!(near(trips.sample(at(0.1), at(0.02), at(0.025)), 0.1), "the first is the least");
        assert!(near(trips.sample(at(0.13), at(0.02), at(0.025)), 0.11));
        assert!(near(trips.sample(at(0.18), at(0.07), at(0.025)), 0.155), "max_ack_delay at most");
        assert!(near(trips.sample(at(0.11), at(0.02), at(0.025)), 0.11), "it would fall below the least");
        assert!(trips.latest() == 0.11 && near(trips.sample(at(0.2), at(-1.0), at(0.025)), 0.2));
    }
}
