//! Extended smartacking: the share of the round trip that is taken off a delay (ledger smartacking.m.extended).
//!
//! Where other traffic makes segments clump, a whole round trip is too much: the estimated end of the window lies
//! before the real one. `alpha` falls with each loss. It recovers by steps of 0.05 up to its value before the loss (`beta`,
//! which is to `alpha` as ssthresh is to cwnd). After that it falls slowly. It takes a step only while most ACKs cover more
//! than one segment (`gamma`).

use crate::rules::{BetaRise, GammaCount};

/// Share of alpha that a decrease leaves.
const KEPT: f64 = 0.9;
/// A step up, below beta.
const UP: f64 = 0.05;
/// A step down, at beta or above.
const DOWN: f64 = 0.01;
/// Gamma's bound, in estimated windows.
const WINDOWS: i64 = 4;

/// What the paper leaves open of them; [`AckPolicyKind::Smart`](crate::rules::AckPolicyKind::Smart) says what each means.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct AlphaRules {
    pub beta: BetaRise,
    pub gamma: GammaCount,
    pub early_steps: bool,
}

/// The three parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha {
    /// The share of the round trip, 0 to 1.
    pub alpha: f64,
    /// What alpha climbs to: the paper says only that it acts as the threshold does for the window.
    pub beta: f64,
    /// ACKs of exactly one segment less ACKs of several, since the last step.
    pub gamma: i64,
    /// A third duplicate ACK has been sent.
    awake: bool,
    rules: AlphaRules,
}

impl Alpha {
    /// As a connection begins.
    pub fn new(rules: AlphaRules) -> Alpha {
        Alpha { alpha: 1.0, beta: 1.0, gamma: 0, awake: false, rules }
    }

    /// A third duplicate ACK leaves: from now on decreases count.
    pub fn on_third_duplicate(&mut self) {
        self.awake = true;
    }

    /// The estimated window has decreased.
    pub fn on_decrease(&mut self) {
        if self.awake {
            let before = self.alpha;
            self.alpha *= KEPT;
            match self.rules.beta {
                BetaRise::Before => self.beta = before,
                BetaRise::Middle => self.beta = (before + self.alpha) / 2.0,
                BetaRise::After => self.beta = self.alpha,
                BetaRise::Never => {}
            }
        }
    }

    /// An ACK leaves that repeats the one before.
    pub fn on_duplicate(&mut self, cwnd: u32) {
        if self.rules.gamma == GammaCount::All {
            self.on_ack(0, cwnd);
        }
    }

    /// An ACK of `segments` new segments leaves while the window is estimated at `cwnd`.
    pub fn on_ack(&mut self, segments: u64, cwnd: u32) {
        self.gamma += if segments == 1 { 1 } else { -1 };
        if -self.gamma > WINDOWS * i64::from(cwnd) {
            self.gamma = 0;
            let down = if self.awake || self.rules.early_steps { DOWN } else { 0.0 };
            self.alpha = (if self.beta > self.alpha { self.alpha + UP } else { self.alpha - down }).clamp(0.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: AlphaRules = AlphaRules { beta: BetaRise::Before, gamma: GammaCount::New, early_steps: true };

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn alpha_falls_with_losses_after_the_first_third_duplicate() {
        let mut a = Alpha::new(PLAIN);
        a.on_decrease();
        assert_eq!(a.alpha, 1.0, "a timeout before any third duplicate ACK");
        a.on_third_duplicate();
        a.on_decrease();
        assert_eq!((a.alpha, a.beta), (0.9, 1.0));
        a.on_decrease();
        assert_eq!((a.alpha, a.beta), (0.9 * 0.9, 0.9));
    }

    /// What a decrease from 1 makes of alpha and beta, and two steps of them, by each way to take section 4.1.
    #[test]
    fn beta_decides_how_far_alpha_climbs() {
        let course = |beta| {
            let mut a = Alpha::new(AlphaRules { beta, ..PLAIN });
            a.on_third_duplicate();
            a.on_decrease();
            a.on_decrease();
            let fallen = (a.alpha, a.beta);
            (0..5).for_each(|_| a.on_ack(2, 1));
            (fallen, a.alpha)
        };
        assert_eq!(course(BetaRise::Before), ((0.81, 0.9), 0.81 + 0.05));
        assert_eq!(course(BetaRise::Middle), ((0.81, 0.855), 0.81 + 0.05));
        assert_eq!(course(BetaRise::After), ((0.81, 0.81), 0.81 - 0.01), "never below beta: it only falls");
        assert_eq!(course(BetaRise::Never), ((0.81, 1.0), 0.81 + 0.05));
    }

    /// Section 4.1: nothing reduces alpha before a third duplicate ACK.
    #[test]
    fn steps_may_wait_for_the_third_duplicate_ack_too() {
        let mut a = Alpha::new(AlphaRules { early_steps: false, ..PLAIN });
        (0..5).for_each(|_| a.on_ack(2, 1));
        assert_eq!((a.alpha, a.gamma), (1.0, 0));
        a.on_third_duplicate();
        (0..5).for_each(|_| a.on_ack(2, 1));
        assert_eq!(a.alpha, 0.99);
    }

    #[test]
    fn gamma_may_count_acks_that_repeat_the_one_before() {
        let gamma = |gamma| {
            let mut a = Alpha::new(AlphaRules { gamma, ..PLAIN });
            a.on_ack(1, 9);
            (0..3).for_each(|_| a.on_duplicate(9));
            a.gamma
        };
        assert_eq!([gamma(GammaCount::New), gamma(GammaCount::All)], [1, -2]);
    }

    #[test]
    fn it_climbs_to_beta_and_then_creeps_down() {
        let mut a = Alpha::new(PLAIN);
        a.on_third_duplicate();
        a.on_decrease();
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
        let mut a = Alpha::new(PLAIN);
        (0..30).for_each(|_| a.on_ack(1, 1));
        (0..34).for_each(|_| a.on_ack(2, 1));
        assert_eq!((a.gamma, a.alpha), (-4, 1.0));
        a.on_ack(2, 1);
        assert_eq!((a.gamma, a.alpha), (0, 0.99));
    }
}
