//! Linux's smoothing of round-trip samples (`tcp_rtt_estimator` in net/ipv4/tcp_input.c, in seconds instead of shifted
//! microseconds). The mean is RFC 6298's. The deviation differs in three ways. The largest one since the last round trip
//! began counts. From one round trip to the next, it falls by no more than a quarter of the difference. A sample far below
//! the mean adds an eighth of what one above it would, because a short round trip is no reason for a longer timeout.

use acklab_packet::Seq;

/// The filter's state; deviations are four mean deviations, as they enter the RTO.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Deviation {
    srtt: f64,
    /// `mdev`: smoothed with gain 1/4.
    mdev: f64,
    /// `mdev_max`: its largest value in this round trip, and the floor at least.
    most: f64,
    /// `rttvar`: what the RTO counts with.
    rttvar: f64,
    /// `rtt_seq`: the round trip is over when more than this is acknowledged.
    until: Seq,
}

impl Deviation {
    /// After the first sample, when `snd_max` had been sent.
    pub fn first(elapsed: f64, floor: f64, snd_max: Seq) -> Deviation {
        let mdev = 2.0 * elapsed;
        let rttvar = mdev.max(floor);
        Deviation { srtt: elapsed, mdev, most: rttvar, rttvar, until: snd_max }
    }

    /// Another sample, with `snd_una` and `snd_max` after its ACK.
    pub fn sample(&mut self, elapsed: f64, floor: f64, (snd_una, snd_max): (Seq, Seq)) {
        let error = elapsed - self.srtt;
        self.srtt += error / 8.0;
        let step = error.abs() - self.mdev / 4.0;
        self.mdev += if error < 0.0 && step > 0.0 { step / 8.0 } else { step };
        self.most = self.most.max(self.mdev);
        self.rttvar = self.rttvar.max(self.most);
        if snd_una > self.until {
            self.rttvar -= (self.rttvar - self.most) / 4.0;
            self.until = snd_max;
            self.most = floor;
        }
    }

    /// The timeout before backoff, in seconds.
    pub fn rto(&self) -> f64 {
        self.srtt + self.rttvar
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-12, "{got}, by hand {expected}");
    }

    /// By hand: 100 ms, then 180, back to 100 for good, with a floor of 40 ms and a segment a round trip.
    #[test]
    fn the_largest_deviation_of_a_round_trip_counts_and_sinks_slowly() {
        let mut state = Deviation::first(0.1, 0.04, 10);
        near(state.rto(), 0.3);
        // error 80 ms: srtt 110, mdev 200 + 80 - 50 = 230 ms.
        state.sample(0.18, 0.04, (5, 12));
        near(state.rto(), 0.110 + 0.230);
        // error -10: srtt 108.75, mdev 230 + 10 - 57.5 = 182.5: the most of this round trip is still 230, and stays.
        state.sample(0.1, 0.04, (6, 14));
        near(state.rto(), 0.108_75 + 0.230);
        // 11 is past 10: the round trip ends. error -8.75: srtt 107.65625, mdev 182.5 + 8.75 - 45.625 = 145.625. The most was
        // 230, the next round trip begins with the floor.
        state.sample(0.1, 0.04, (11, 16));
        near(state.rto(), 0.107_656_25 + 0.230);
        assert_eq!((state.most, state.until), (0.04, 16));
        // error -7.65625: srtt 106.69921875, mdev 145.625 + 7.65625 - 36.40625 = 116.875 ms, the most of this round trip.
        // At its end a quarter of the difference goes: 230 - 113.125 / 4 = 201.71875.
        state.sample(0.1, 0.04, (17, 20));
        near(state.rto(), 0.106_699_218_75 + 0.201_718_75);
    }

    /// mdev 200; a round trip 600 ms below the mean: 600 - 50 = 550, of which an eighth counts: 268.75, not 750.
    #[test]
    fn a_suddenly_short_round_trip_adds_an_eighth() {
        let mut state = Deviation { srtt: 0.7, mdev: 0.2, most: 0.2, rttvar: 0.2, until: 100 };
        state.sample(0.1, 0.2, (5, 12));
        near(state.mdev, 0.268_75);
        near(state.rto(), 0.625 + 0.268_75);
    }
}
