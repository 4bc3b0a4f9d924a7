//! The inter-segment arrival time, averaged (ledger smartacking.m.isat).
//!
//! It estimates the bottleneck's time for a segment. Gaps between windows say nothing about that time, so the first
//! arrival of a window gives no sample. Samples of three times the average or more are ignored, up to two in a row. A
//! third one counts, because the capacity may have fallen.

use acklab_packet::Time;

/// Weight of a sample.
const GAIN: f64 = 0.25;
/// A sample this many times the average is an outlier.
const OUTLIER: f64 = 3.0;
/// Most outliers ignored in a row.
const IGNORED: u32 = 2;

/// The average and what it is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Isat {
    average: Option<f64>,
    last_arrival: Option<Time>,
    skipped: u32,
}

impl Isat {
    /// Seconds a segment, once known.
    pub fn secs(&self) -> Option<f64> {
        self.average
    }

    /// A segment arrives that gives no sample: out of order, repeated, or the first of its window. The next sample still
    /// counts from it.
    pub fn pass(&mut self, now: Time) {
        self.last_arrival = Some(now);
    }

    /// An in-order segment arrives within its window.
    pub fn on_arrival(&mut self, now: Time) {
        let Some(last) = self.last_arrival.replace(now) else { return };
        let sample = (now - last).secs();
        match self.average {
            Some(average) if sample >= OUTLIER * average && self.skipped < IGNORED => self.skipped += 1,
            Some(average) => {
                self.average = Some((1.0 - GAIN) * average + GAIN * sample);
                self.skipped = 0;
            }
            None => self.average = Some(sample),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(isat: &mut Isat, at: f64) -> f64 {
        isat.on_arrival(Time::from_secs(at));
        isat.secs().unwrap_or(f64::NAN)
    }

    #[test]
    fn the_first_sample_stands_and_later_ones_weigh_a_quarter() {
        let mut isat = Isat::default();
        assert!(after(&mut isat, 1.0).is_nan(), "one arrival is no gap");
        assert_eq!(after(&mut isat, 1.5), 0.5);
        assert_eq!(after(&mut isat, 2.5), 0.75 * 0.5 + 0.25 * 1.0);
    }

    #[test]
    fn two_outliers_are_ignored_and_a_third_is_believed() {
        let mut isat = Isat::default();
        after(&mut isat, 0.0);
        assert_eq!(after(&mut isat, 1.0), 1.0);
        assert_eq!(after(&mut isat, 4.0), 1.0, "three times as much is an outlier");
        assert_eq!(after(&mut isat, 7.0), 1.0, "so is the next");
        assert_eq!(after(&mut isat, 10.0), 1.5, "the third counts: 3/4 + 3/4");
        assert_eq!(after(&mut isat, 16.0), 1.5, "and ignoring starts anew");
        assert_eq!(after(&mut isat, 17.0), 0.75 * 1.5 + 0.25, "a small one in between");
        assert_eq!(isat.skipped, 0, "forgets the outlier before it");
    }

    #[test]
    fn the_first_of_a_window_gives_no_sample_and_does_not_touch_the_outliers() {
        let mut isat = Isat::default();
        after(&mut isat, 0.0);
        after(&mut isat, 1.0);
        after(&mut isat, 5.0);
        isat.pass(Time::from_secs(20.0));
        assert_eq!((isat.secs(), isat.skipped), (Some(1.0), 1));
        assert_eq!(after(&mut isat, 21.0), 1.0, "measured from the window's first");
    }
}
