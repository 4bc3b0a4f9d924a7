//! CUBIC (RFC 9438): after a reduction the window returns to its last maximum along a cubic in time, and goes beyond.

use super::{AckEvent, CongestionControl, Needs, Reduced, Signal, Window};

/// CUBIC's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicRules {
    /// C, in segments per second cubed.
    pub c: f64,
    /// Share of the window that a loss leaves.
    pub beta: f64,
    /// Section 4.7.
    pub fast_convergence: bool,
    /// Section 4.3.
    pub reno_friendly: bool,
    /// True if alpha becomes 1 at the window before the last reduction (section 4.3; not in Linux).
    pub alpha_rises: bool,
    /// Alpha up to that window; 0 for 3 (1 - beta) / (1 + beta).
    pub alpha: f64,
    /// Least growth in a round trip without a W_max, as a share of the window (Linux; 0 in the standard).
    pub seek: f64,
}

/// CUBIC's state. Windows in segments, times in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubic {
    rules: CubicRules,
    /// W_max; 0 where congestion avoidance starts without one (after slow start, or a timeout).
    w_max: f64,
    /// The window before the last reduction.
    cwnd_prior: f64,
    /// The present stage of congestion avoidance.
    epoch: Option<Epoch>,
    /// Segments acknowledged since the window last grew.
    acked: f64,
    /// Time of the last ACK, and whether less than half the window was in use then.
    last_ack: f64,
    idle: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Epoch {
    start: f64,
    /// K: when the curve is back at `top`.
    k: f64,
    top: f64,
    /// W_est: where Reno would be.
    w_est: f64,
}

impl Epoch {
    /// W_cubic, `t` after the stage began (section 4.2, figure 1).
    fn window(&self, c: f64, t: f64) -> f64 {
        let from_top = t - self.k;
        c * from_top * from_top * from_top + self.top
    }
}

impl Cubic {
    /// Before any loss.
    pub fn new(rules: CubicRules) -> Cubic {
        Cubic { rules, w_max: 0.0, cwnd_prior: 0.0, epoch: None, acked: 0.0, last_ack: 0.0, idle: false }
    }

    /// Its constants.
    pub fn rules(&self) -> CubicRules {
        self.rules
    }

    fn begin(&self, now: f64, cwnd: f64) -> Epoch {
        // Figure 2; where the stage starts above W_max, or without one, K is 0 and W_max the window (sections 4.8, 4.10).
        let (k, top) =
            if self.w_max > cwnd { (cbrt((self.w_max - cwnd) / self.rules.c), self.w_max) } else { (0.0, cwnd) };
        Epoch { start: now, k, top, w_est: cwnd }
    }
}

impl CongestionControl for Cubic {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let (now, before) = (window.now.secs(), self.last_ack);
        self.last_ack = now;
        if ack.in_recovery() {
            // W_est is for congestion avoidance, which has not begun.
            return;
        }
        self.acked += ack.acked / window.mss;
        // The application, or the receiver, not this window, is the limit (section 5.8): time spent so must not count.
        // The rounding of windows and the pace of sending leave a part unused at any time, though never half of it.
        let in_use = ack.acked + (ack.snd_max - ack.ack) as f64;
        self.idle = in_use < window.cwnd / 2.0 || window.cwnd > window.advertised;
        if self.idle
            && let Some(epoch) = &mut self.epoch
        {
            epoch.start += now - before;
        }
    }

    fn grow(&mut self, credit: f64, window: &mut Window) {
        let acked = std::mem::take(&mut self.acked);
        if window.in_slow_start() {
            return window.grow_by_standard(credit);
        }
        if self.idle {
            return;
        }
        let (now, cwnd) = (window.now.secs(), window.cwnd / window.mss);
        let CubicRules { c, beta, reno_friendly, alpha_rises, alpha, seek, .. } = self.rules;
        if self.epoch.is_none() {
            self.epoch = Some(self.begin(now, cwnd));
        }
        let Some(epoch) = &mut self.epoch else { return };
        let t = now - epoch.start;
        let risen = alpha_rises && epoch.w_est >= self.cwnd_prior;
        let standard = 3.0 * (1.0 - beta) / (1.0 + beta);
        let alpha = if risen {
            1.0
        } else if alpha > 0.0 {
            alpha
        } else {
            standard
        };
        epoch.w_est += alpha * acked / cwnd;
        let segments = if reno_friendly && epoch.window(c, t) < epoch.w_est {
            cwnd.max(epoch.w_est)
        } else {
            let target = epoch.window(c, t + window.srtt).clamp(cwnd, 1.5 * cwnd);
            cwnd + credit / window.mss * (target - cwnd) / cwnd
        };
        let sought = if self.w_max == 0.0 { seek * credit / window.mss } else { 0.0 };
        window.cwnd = segments.max(cwnd + sought) * window.mss;
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        let used = in_use / window.mss;
        self.epoch = None;
        self.acked = 0.0;
        match signal {
            Signal::Loss | Signal::Mark => {
                let shrinking = self.rules.fast_convergence && used < self.w_max;
                self.w_max = if shrinking { used * (1.0 + self.rules.beta) / 2.0 } else { used };
                self.cwnd_prior = used;
            }
            // The stage that follows slow start after a timeout has K = 0 (section 4.8).
            Signal::Timeout => (self.w_max, self.cwnd_prior) = (0.0, used),
            Signal::Idle => {}
        }
        Reduced::to(tidy(self.rules.beta * in_use))
    }
}

/// A whole number, if the product of 0.7 and a window differs from one only in its last digits. An example is 63 of 90,
/// which the stack would otherwise round down to 62.
fn tidy(units: f64) -> f64 {
    let whole = units.round();
    if (units - whole).abs() < 1e-9 * whole { whole } else { units }
}

/// The cube root of a number above 0, from the four operations alone, so that its last digit is the same everywhere.
pub(super) fn cbrt(x: f64) -> f64 {
    // A third of the exponent, then Newton's steps, each of which doubles the digits.
    let mut root = f64::from_bits(x.to_bits() / 3 + 0x2a9f_7893_0000_0000);
    for _ in 0..5 {
        root = (2.0 * root + x / (root * root)) / 3.0;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::super::super::CaState;
    use super::super::tests::{event, window};
    use super::*;
    use acklab_packet::Time;

    fn cubic() -> Cubic {
        Cubic::new(CubicRules {
            c: 0.4,
            beta: 0.7,
            fast_convergence: true,
            reno_friendly: true,
            alpha_rises: true,
            alpha: 0.0,
            seek: 0.0,
        })
    }

    #[test]
    fn cube_roots() {
        for x in [1e-9, 0.008, 0.3, 1.0, 2.0, 27.0, 75.0, 1e6, 1.5e9, 7e12] {
            let root = cbrt(x);
            assert!((root * root * root / x - 1.0).abs() < 1e-15 * 4.0, "{x}: {root}");
            assert!((root - x.cbrt()).abs() <= 2.0 * f64::EPSILON * root);
        }
        assert_eq!([cbrt(8.0), cbrt(27.0), cbrt(1e6)], [2.0, 3.0, 100.0]);
    }

    #[test]
    fn k_is_the_time_back_to_the_last_maximum() {
        // Section 4.2: K = cbrt((W_max - cwnd_epoch) / C); of 100 segments 70 remain: cbrt(30 / 0.4) = 4.217 s.
        let mut cubic = cubic();
        let left = cubic.on_congestion(Signal::Loss, 100.0, &window(100.0, 1000.0));
        assert_eq!(left, Reduced::to(70.0));
        assert_eq!(cubic.on_congestion(Signal::Loss, 90.0, &window(90.0, 1e3)), Reduced::to(63.0), "not 62.999...");
        cubic.on_congestion(Signal::Loss, 100.0, &window(100.0, 1e3));
        let epoch = cubic.begin(0.0, 70.0);
        assert!((epoch.k - 4.217_163_326_508_746).abs() < 1e-12);
        assert!((epoch.window(0.4, 0.0) - 70.0).abs() < 1e-9 && epoch.window(0.4, epoch.k) == 100.0);
        assert!((epoch.window(0.4, epoch.k + 5.0) - 150.0).abs() < 1e-9, "0.4 * 5^3 beyond");
    }

    /// The window of a flow that is acknowledged segment by segment over round trips of `rtt`, `seconds` after a loss
    /// that found `before` segments.
    fn after_a_loss(mut cubic: Cubic, before: f64, rtt: f64, seconds: f64) -> f64 {
        cubic.on_congestion(Signal::Loss, before, &window(before, 1e9));
        let mut state = Window { srtt: rtt, ..window(0.7 * before, 2.0) };
        let mut now = 0.0;
        while now < seconds {
            let per_round = state.cwnd.floor();
            for _ in 0..per_round as u64 {
                now += rtt / per_round;
                state.now = Time::from_secs(now);
                let snd_max = 1 + per_round as u64;
                cubic.on_ack(&event(1, snd_max, None), &mut state);
                cubic.grow(1.0, &mut state);
            }
        }
        state.cwnd
    }

    #[test]
    fn the_window_follows_the_curve() {
        // With 100 ms the window lags its target by less than a segment where the curve is flat.
        for (t, expected) in
            [(2.0, 100.0 - 0.4 * 2.217_f64.powi(3)), (4.2, 100.0), (8.0, 100.0 + 0.4 * 3.783_f64.powi(3))]
        {
            let cwnd = after_a_loss(cubic(), 100.0, 0.1, t);
            assert!((cwnd - expected).abs() < 1.5, "at {t} s: {cwnd}, by the formula {expected}");
        }
    }

    #[test]
    fn with_short_round_trips_it_is_as_fast_as_reno() {
        // Section 4.3: alpha = 3 (1 - 0.7) / (1 + 0.7) = 0.5294 segments a round trip until W_est is cwnd_prior.
        let cwnd = after_a_loss(cubic(), 20.0, 0.01, 0.1);
        assert!((cwnd - (14.0 + 10.0 * 0.9 / 1.7)).abs() < 0.2, "{cwnd}");
        let alone = Cubic::new(CubicRules { reno_friendly: false, ..cubic().rules });
        let slower = after_a_loss(alone, 20.0, 0.01, 0.1);
        assert!(slower < cwnd - 2.0, "{slower} without it");
    }

    #[test]
    fn alpha_one_is_as_fast_as_reno_from_the_loss_on() {
        // Ten round trips: ten segments, and so beyond the maximum of 20 after six.
        let fast = Cubic::new(CubicRules { alpha: 1.0, ..cubic().rules });
        let cwnd = after_a_loss(fast, 20.0, 0.01, 0.095);
        assert!((cwnd - 24.0).abs() < 0.7, "{cwnd}");
    }

    #[test]
    fn linux_keeps_its_share_of_a_segment_past_the_last_maximum() {
        let steady = Cubic::new(CubicRules { alpha_rises: false, ..cubic().rules });
        let cwnd = after_a_loss(steady, 20.0, 0.01, 0.3);
        assert!((cwnd - (14.0 + 30.0 * 0.9 / 1.7)).abs() < 0.3, "{cwnd}");
        assert!(after_a_loss(cubic(), 20.0, 0.01, 0.3) > cwnd + 7.0, "a whole one after 11 of the 30 round trips");
    }

    #[test]
    fn linux_seeks_a_maximum_by_a_twentieth_each_round_trip() {
        let mut cubic = Cubic::new(CubicRules { seek: 0.05, ..cubic().rules });
        // Congestion avoidance begins without a loss (HyStart, or an ssthresh): the curve alone would rise by half a segment.
        let mut state = window(100.0, 100.0);
        for n in 0..100 {
            state.now = Time::from_secs(1.0 + 0.001 * f64::from(n));
            cubic.on_ack(&event(1, 101, None), &mut state);
            cubic.grow(1.0, &mut state);
        }
        assert!((state.cwnd - 105.0).abs() < 0.1, "{}", state.cwnd);
        // Not once a loss has shown one.
        cubic.on_congestion(Signal::Loss, 105.0, &state);
        assert!(cubic.w_max > 0.0);
    }

    #[test]
    fn a_second_loss_on_the_way_up_lowers_the_maximum_and_a_timeout_forgets_it() {
        let mut cubic = cubic();
        cubic.on_congestion(Signal::Loss, 100.0, &window(100.0, 1e9));
        cubic.on_congestion(Signal::Loss, 80.0, &window(80.0, 1e9));
        assert_eq!(cubic.w_max, 80.0 * 0.85, "section 4.7");
        cubic.on_congestion(Signal::Loss, 90.0, &window(90.0, 1e9));
        assert_eq!(cubic.w_max, 90.0);
        cubic.on_congestion(Signal::Timeout, 50.0, &window(50.0, 1e9));
        let epoch = cubic.begin(3.0, 35.0);
        assert_eq!((epoch.k, epoch.top), (0.0, 35.0), "section 4.8");
    }

    #[test]
    fn what_the_receiver_limits_does_not_grow() {
        let mut cubic = cubic();
        let mut state = Window { advertised: 9.0, ..window(10.0, 2.0) };
        cubic.on_ack(&event(1, 10, None), &mut state);
        cubic.grow(1.0, &mut state);
        assert_eq!(state.cwnd, 10.0);
    }

    /// An ACK of one segment at `at` seconds while `flight` were out.
    fn ack(cubic: &mut Cubic, state: &mut Window, at: f64, flight: u64, recovering: bool) {
        state.now = Time::from_secs(at);
        let ca = if recovering { CaState::Recovery } else { CaState::Open };
        cubic.on_ack(&AckEvent { state: ca, ..event(1, flight, None) }, state);
        if !recovering {
            cubic.grow(1.0, state);
        }
    }

    #[test]
    fn time_in_which_the_application_sends_little_does_not_count() {
        // Section 5.8. 100 segments were lost at, 70 remain. A keystroke a second for a minute, then full windows again.
        let mut cubic = cubic();
        cubic.on_congestion(Signal::Loss, 100.0, &window(100.0, 1e9));
        let mut state = window(70.0, 2.0);
        ack(&mut cubic, &mut state, 1.0, 70, false);
        let at_first = state.cwnd;
        (2..=60).for_each(|second| ack(&mut cubic, &mut state, f64::from(second), 1, false));
        assert_eq!(state.cwnd, at_first, "nor does the window grow");
        ack(&mut cubic, &mut state, 60.5, 70, false);
        // t is half a second: W_cubic(0.5 + 0.1) = 100 - 0.4 (4.2172 - 0.6)^3 = 81.068, from there a 70th.
        let expected = at_first + (81.068_f64 - at_first) / at_first;
        assert!((state.cwnd - expected).abs() < 1e-4, "{} by the formula {expected}", state.cwnd);
    }

    #[test]
    fn what_a_recovery_acknowledges_is_not_growth() {
        // Section 4.3: W_est is the window when congestion avoidance begins, whatever was acknowledged before.
        let mut cubic = cubic();
        cubic.on_congestion(Signal::Loss, 20.0, &window(20.0, 1e9));
        let mut state = window(14.0, 2.0);
        (0..20).for_each(|_| ack(&mut cubic, &mut state, 0.5, 20, true));
        ack(&mut cubic, &mut state, 1.0, 14, false);
        assert!((cubic.epoch.unwrap().w_est - (14.0 + 9.0 / 17.0 / 14.0)).abs() < 1e-12);
    }

    #[test]
    fn beyond_the_last_maximum_w_est_grows_as_reno() {
        // Section 4.3: alpha is 9/17 up to cwnd_prior and 1 from there.
        let mut cubic = cubic();
        cubic.on_congestion(Signal::Loss, 10.0, &window(10.0, 1e9));
        let mut state = window(7.0, 2.0);
        let mut steps = Vec::new();
        for _ in 0..60 {
            let before = (state.cwnd, cubic.epoch.as_ref().map_or(7.0, |epoch| epoch.w_est));
            ack(&mut cubic, &mut state, 1.0, 7, false);
            let epoch = cubic.epoch.as_ref().unwrap();
            steps.push((before.1, (epoch.w_est - before.1) * before.0));
        }
        for (w_est, alpha) in steps {
            assert!((alpha - if w_est < 10.0 { 9.0 / 17.0 } else { 1.0 }).abs() < 1e-9, "{w_est}: {alpha}");
        }
        assert!(state.cwnd > 10.0 && state.cwnd == cubic.epoch.unwrap().w_est);
    }

    #[test]
    fn the_target_is_no_more_than_half_a_window_away() {
        // Section 4.4: ten seconds past K the curve is at 500; an ACK adds (1.5 cwnd - cwnd) / cwnd.
        let mut cubic = cubic();
        cubic.on_congestion(Signal::Loss, 100.0, &window(100.0, 1e9));
        let mut state = window(70.0, 2.0);
        ack(&mut cubic, &mut state, 1.0, 70, false);
        let before = state.cwnd;
        ack(&mut cubic, &mut state, 15.2, 70, false);
        assert!((state.cwnd - before - 0.5).abs() < 1e-12);
    }
}
