//! The largest of late: Kathleen Nichols' windowed maximum, which keeps three samples, each the best since the one before.

/// A maximum over a window that is counted in round trips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct WindowedMax {
    /// Time and value of the best sample, of the best after it, and of the best after that.
    best: [(u64, f64); 3],
}

impl WindowedMax {
    /// The maximum; 0 before the first sample.
    pub fn get(&self) -> f64 {
        self.best[0].1
    }

    /// A sample at `time`, none of which is before the last; those more than `window` old no longer count.
    pub fn update(&mut self, window: u64, time: u64, value: f64) {
        let sample = (time, value);
        let [first, second, third] = &mut self.best;
        // What is older and smaller is of no use any more.
        if value >= first.1 || time - third.0 > window {
            self.best = [sample; 3];
            return;
        }
        if value >= second.1 {
            (*second, *third) = (sample, sample);
        } else if value >= third.1 {
            *third = sample;
        }
        let age = time - first.0;
        if age > window {
            self.best = [*second, *third, sample];
            if time - self.best[0].0 > window {
                self.best = [self.best[1], sample, sample];
            }
        } else if second.0 == first.0 && age > window / 4 {
            // A quarter of the window without a better one: the best of the rest begins here.
            (*second, *third) = (sample, sample);
        } else if third.0 == second.0 && age > window / 2 {
            *third = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(samples: &[(u64, f64)]) -> WindowedMax {
        let mut filter = WindowedMax::default();
        samples.iter().for_each(|&(time, value)| filter.update(10, time, value));
        filter
    }

    #[test]
    fn the_largest_of_ten_rounds() {
        assert_eq!(fed(&[]).get(), 0.0);
        assert_eq!(fed(&[(1, 5.0), (2, 3.0), (3, 4.0)]).get(), 5.0);
        let mut filter = fed(&[(1, 5.0), (4, 3.0), (8, 2.0)]);
        filter.update(10, 11, 1.0);
        assert_eq!(filter.get(), 5.0, "ten rounds old still counts");
        filter.update(10, 12, 1.0);
        assert_eq!(filter.get(), 3.0, "eleven does not; the best that came after it");
        filter.update(10, 15, 1.0);
        assert_eq!(filter.get(), 2.0);
        filter.update(10, 16, 2.5);
        assert_eq!(filter.get(), 2.5, "a larger one counts at once");
    }

    #[test]
    fn after_a_silence_nothing_old_is_left() {
        let mut filter = fed(&[(1, 5.0), (4, 3.0), (8, 2.0)]);
        filter.update(10, 19, 1.0);
        assert_eq!(filter.get(), 1.0);
    }

    #[test]
    fn it_is_the_maximum_of_what_falls_and_rises() {
        // One sample a round: a ramp down, then up. Never less than the last, never more than the window's maximum.
        let values: Vec<f64> = (0..60).map(|n| (f64::from(n) - 30.0).abs()).collect();
        let mut filter = WindowedMax::default();
        for (time, &value) in values.iter().enumerate() {
            filter.update(10, time as u64, value);
            let most = values[time.saturating_sub(10)..=time].iter().copied().fold(0.0, f64::max);
            assert!((value..=most).contains(&filter.get()), "at {time}: {} of {most}", filter.get());
        }
    }
}
