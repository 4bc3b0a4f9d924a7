//! Extended smartacking: the share of the round trip that is taken off a delay (ledger smartacking.m.extended).
//!
//! Where other traffic makes segments clump, a whole round trip is too much: the estimated end of the window lies
//! before the real one. `alpha` falls with each loss. It recovers by steps of 0.05 up to its value before the loss (`beta`,
//! which is to `alpha` as ssthresh is to cwnd). After that it falls slowly. It takes a step only while most ACKs cover more
//! than one segment (`gamma`).

/// Share of alpha that a loss leaves.
const AFTER_LOSS: f64 = 0.9;
/// A step up, below beta.
const UP: f64 = 0.05;
/// A step down, at beta or above.
const DOWN: f64 = 0.01;
/// Gamma's bound, in estimated windows.
const WINDOWS: i64 = 4;

/// The three parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha {
    /// The share of the round trip, 0 to 1.
    pub alpha: f64,
    /// Alpha before the last loss: the paper says only that it acts as the threshold does for the window.
    pub beta: f64,
    /// ACKs of exactly one segment less ACKs of several, since the last step.
    pub gamma: i64,
    /// A third duplicate ACK has been sent.
    awake: bool,
}

impl Default for Alpha {
    fn default() -> Self {
        Alpha { alpha: 1.0, beta: 1.0, gamma: 0, awake: false }
    }
}

impl Alpha {
    /// A third duplicate ACK leaves: from now on losses count.
    pub fn on_third_duplicate(&mut self) {
        self.awake = true;
    }

    /// The estimated window was reduced for a loss.
    pub fn on_loss(&mut self) {
        if self.awake {
            self.beta = self.alpha;
            self.alpha *= AFTER_LOSS;
        }
    }

    /// An ACK of `segments` new segments leaves while the window is estimated at `cwnd`.
    pub fn on_ack(&mut self, segments: u64, cwnd: u32) {
        self.gamma += if segments == 1 { 1 } else { -1 };
        if -self.gamma > WINDOWS * i64::from(cwnd) {
            self.gamma = 0;
            self.alpha = (if self.beta > self.alpha { self.alpha + UP } else { self.alpha - DOWN }).clamp(0.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn alpha_falls_with_losses_after_the_first_third_duplicate() {
        let mut a = Alpha::default();
        a.on_loss();
        assert_eq!(a.alpha, 1.0, "a timeout before any third duplicate ACK");
        a.on_third_duplicate();
        a.on_loss();
        assert_eq!((a.alpha, a.beta), (0.9, 1.0));
        a.on_loss();
        assert_eq!((a.alpha, a.beta), (0.9 * 0.9, 0.9));
    }

    #[test]
    fn it_climbs_to_beta_and_then_creeps_down() {
        let mut a = Alpha::default();
        a.on_third_duplicate();
        a.on_loss();
        let mut steps = Vec::new();
        for _ in 0..4 {
            // 4 * 10 ACKs of several segments are not more than the bound, the 41st is.
            (0..40).for_each(|_| a.on_ack(2, 10));
            let before = a.alpha;
            a.on_ack(7, 10);
            steps.push(a.alpha - before);
            assert_eq!(a.gamma, 0);
        }
        assert!(near(steps[0], 0.05) && near(steps[1], 0.05), "{steps:?}");
        assert!(near(steps[2], -0.01) && near(steps[3], 0.01), "{steps:?}: below beta again, and never above 1");
    }

    #[test]
    fn acks_of_single_segments_put_a_step_off() {
        let mut a = Alpha::default();
        (0..30).for_each(|_| a.on_ack(1, 1));
        (0..34).for_each(|_| a.on_ack(2, 1));
        assert_eq!((a.gamma, a.alpha), (-4, 1.0));
        a.on_ack(2, 1);
        assert_eq!((a.gamma, a.alpha), (0, 0.99));
    }
}
