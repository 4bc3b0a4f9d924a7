//! Aggregation: ACKs, or the data they answer, that come in bunches. Between two bunches a window of one bandwidth-delay
//! product runs empty. So the window grows by the largest excess of a bunch over what was expected (`extra_acked`).

/// Rounds after which the older of two maxima is forgotten.
const ROUNDS: u32 = 5;
/// An epoch begins again at the latest when so many segments have been acknowledged in it.
const MOST: u64 = 1 << 20;
/// Seconds of the bandwidth that it may add at most.
const LONGEST: f64 = 0.1;

/// Segments acknowledged beyond what the bandwidth explains: the most in five to ten round trips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Aggregation {
    /// Start of the epoch, and the segments acknowledged in it.
    since: f64,
    acked: u64,
    /// Maxima of the present and the last five rounds.
    extra: [u64; 2],
    rounds: u32,
}

impl Aggregation {
    /// An epoch begins at `now`.
    pub fn restart(&mut self, now: f64) {
        (self.since, self.acked) = (now, 0);
    }

    /// An ACK delivers `acked` segments at `now`, of a path that carries `bandwidth` a second; a window can explain no more
    /// than `cwnd`.
    pub fn on_ack(&mut self, now: f64, acked: u64, bandwidth: f64, cwnd: u64, round_start: bool) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.extra = [0, self.extra[0]];
            }
        }
        let mut expected = (bandwidth * (now - self.since)) as u64;
        // As slow as expected, or slower: nothing has gathered.
        if self.acked <= expected || self.acked + acked >= MOST {
            self.restart(now);
            expected = 0;
        }
        self.acked += acked;
        self.extra[0] = self.extra[0].max((self.acked - expected).min(cwnd));
    }

    /// Its addition to a window, in segments.
    pub fn window(&self, bandwidth: f64) -> u64 {
        self.extra[0].max(self.extra[1]).min((bandwidth * LONGEST) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bunch_is_what_came_beyond_the_rate() {
        let mut seen = Aggregation::default();
        // 100 segments a second: ten in a tenth of a second are as expected, except for the first ten, whose epoch is new.
        for n in 1..=10 {
            seen.on_ack(f64::from(n) * 0.1, 10, 100.0, 1000, false);
        }
        assert_eq!(seen.window(100.0), 10);
        // Thirty more at once: 30 of an epoch that begins with them.
        seen.on_ack(2.0, 15, 1000.0, 1000, false);
        seen.on_ack(2.0, 15, 1000.0, 1000, false);
        assert_eq!(seen.window(1000.0), 30);
        assert_eq!(seen.window(100.0), 10, "a tenth of a second's worth at most");
        seen.on_ack(2.0, 100, 1000.0, 20, false);
        assert_eq!(seen.window(1000.0), 30, "no more than the window");
    }

    #[test]
    fn the_maximum_lasts_five_to_ten_rounds() {
        let mut seen = Aggregation::default();
        seen.on_ack(1.0, 40, 1000.0, 1000, true);
        let mut rounds = 0;
        while seen.window(1000.0) == 40 {
            rounds += 1;
            seen.on_ack(1.0 + f64::from(rounds), 1, 1000.0, 1000, true);
        }
        assert_eq!(rounds, 9);
    }
}
