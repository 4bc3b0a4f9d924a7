//! Policers: a token bucket lets a burst through and drops what exceeds its rate. The maximum of ten rounds is then the rate
//! of the burst. If two intervals between losses agree on a rate, and about a fifth is lost in each, that rate counts for a
//! while ("long-term bandwidth").

use crate::sender::flight::rate::RateSample;

/// Rounds of an interval: at least, and at most.
const ROUNDS: std::ops::RangeInclusive<u32> = 4..=16;
/// Losses for each delivered segment that make an interval lossy: 50 of 256.
const LOSSY: f64 = 50.0 / 256.0;
/// Rates that differ by an eighth, or by 500 bytes a second, agree.
const AGREE: f64 = 1.0 / 8.0;
const AGREE_BYTES: f64 = 500.0;
/// Rounds for which the rate found counts.
const KEEP: u32 = 48;

/// Knowledge of a policer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Policer {
    sampling: bool,
    in_use: bool,
    /// The last interval's rate in segments a second; 0 if there was none.
    rate: f64,
    rounds: u32,
    /// Start of the interval: segments delivered and lost by then, and the time.
    delivered: u64,
    lost: u64,
    since: f64,
}

/// Conclusion from a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nothing new.
    Nothing,
    /// There is a policer.
    Policed,
    /// Its rate has counted for long enough.
    Expired,
}

impl Policer {
    /// Its rate in segments a second, while it counts.
    pub fn rate(&self) -> Option<f64> {
        self.in_use.then_some(self.rate)
    }

    /// Forgets everything.
    pub fn reset(&mut self, sample: &RateSample) {
        *self = Policer::default();
        self.begin(sample);
    }

    fn begin(&mut self, sample: &RateSample) {
        self.since = milliseconds(sample);
        (self.delivered, self.lost, self.rounds) = (sample.delivered, sample.lost_ever, 0);
    }

    /// A sample; `cycling` in the mode in which time counts towards the end of a rate's use. `payload`: bytes in a segment.
    pub fn on_sample(&mut self, sample: &RateSample, round_start: bool, cycling: bool, payload: f64) -> Finding {
        if self.in_use {
            self.rounds += u32::from(cycling && round_start);
            if self.rounds >= KEEP {
                self.reset(sample);
                return Finding::Expired;
            }
            return Finding::Nothing;
        }
        // The bucket is empty when something is lost: from then on the rate is the policer's.
        if !self.sampling {
            if sample.lost == 0 {
                return Finding::Nothing;
            }
            self.begin(sample);
            self.sampling = true;
        }
        if sample.app_limited {
            self.reset(sample);
            return Finding::Nothing;
        }
        self.rounds += u32::from(round_start);
        if self.rounds > *ROUNDS.end() {
            self.reset(sample);
            return Finding::Nothing;
        }
        // An interval ends with a loss, too, so that it has no part of the next burst.
        if self.rounds < *ROUNDS.start() || sample.lost == 0 {
            return Finding::Nothing;
        }
        let delivered = (sample.delivered - self.delivered) as f64;
        let lost = (sample.lost_ever - self.lost) as f64;
        let elapsed = milliseconds(sample) - self.since;
        if delivered == 0.0 || lost < LOSSY * delivered || elapsed < 1.0 {
            return Finding::Nothing;
        }
        let rate = delivered / elapsed * 1e3;
        let apart = (rate - self.rate).abs();
        if self.rate > 0.0 && (apart <= AGREE * self.rate || apart * payload <= AGREE_BYTES) {
            (self.rate, self.in_use, self.rounds) = ((self.rate + rate) / 2.0, true, 0);
            return Finding::Policed;
        }
        self.begin(sample);
        self.rate = rate;
        Finding::Nothing
    }
}

/// Time of the last delivery, in whole milliseconds.
fn milliseconds(sample: &RateSample) -> f64 {
    (sample.delivered_at.secs() * 1e3).floor()
}
