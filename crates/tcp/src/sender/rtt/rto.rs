//! The retransmission timeout: round-trip samples in, seconds out.
//!
//! RFC 6298, and the tick-counting integer form of it that BSD and ns-2 use (Jacobson 1988, appendix A).

use acklab_packet::Seq;

use super::linux::Deviation;
use crate::rules::{RtoFloor, RttFilter, SenderRules};

/// Estimator and backoff of one sender. Laid out as declared, so that the timeout stands beside what a sender's
/// timer begins with.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub struct Rto {
    filter: Filter,
    /// Seconds, before floor, ceiling and backoff.
    rto: f64,
    /// Power of two.
    backoff: u32,
    /// Seconds the timer is set to: what follows from the two above, worked out when one of them moves.
    timeout: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Filter {
    /// Ticks: `srtt` with 3 fractional bits, `rttvar` with 2; `srtt` 0 means no sample yet. The clock ticks with a phase.
    Ticks { srtt: i32, rttvar: i32, phase: f64 },
    /// Seconds; `None` before the first sample.
    Seconds(Option<(f64, f64)>),
    /// Seconds, as Linux keeps them.
    Linux(Box<Option<Deviation>>),
}

impl Rto {
    /// Before any sample.
    pub fn new(rules: &SenderRules) -> Rto {
        let filter = match rules.rtt_filter {
            RttFilter::Integer { phase } => Filter::Ticks { srtt: 0, rttvar: 0, phase: phase.secs() },
            RttFilter::Rfc6298 {} => Filter::Seconds(None),
            RttFilter::Linux {} => Filter::Linux(Box::new(None)),
        };
        let mut rto = Rto { filter, rto: rules.initial_rto.secs(), timeout: 0.0, backoff: 1 };
        rto.work_out(rules);
        rto
    }

    /// Takes a sample of `elapsed` seconds that ended at `now`; `expected` samples come per round trip (RFC 7323
    /// appendix G; the integer filter ignores it, and Linux's). The sender's `snd_una` and `snd_max` are `edges`.
    pub fn sample(&mut self, elapsed: f64, now: f64, expected: u64, edges: (Seq, Seq), rules: &SenderRules) {
        let tick = rules.tick.secs();
        match &mut self.filter {
            Filter::Ticks { srtt, rttvar, phase } => {
                let ticks = if rules.timestamps {
                    (elapsed / tick + 0.5) as i32
                } else {
                    // Ticks of the host's clock between the two instants; its grid has a phase.
                    let offset = remainder(now - elapsed + *phase, tick);
                    ((elapsed + offset) / tick) as i32
                };
                let ticks = ticks.max(1);
                if *srtt != 0 {
                    let delta = (ticks - (*srtt >> 3)) as i16;
                    *srtt = (*srtt + i32::from(delta)).max(1);
                    let error = (i32::from(delta.wrapping_abs()) - (*rttvar >> 2)) as i16;
                    *rttvar = (*rttvar + i32::from(error)).max(1);
                } else {
                    *srtt = ticks << 3;
                    *rttvar = ticks << 1;
                }
                self.rto = match rules.rto_floor {
                    RtoFloor::Variance => f64::from(*srtt >> 3) * tick + (f64::from(*rttvar) * tick).max(floor(rules)),
                    _ => f64::from(((*rttvar << 3) + *srtt) >> 3) * tick,
                };
            }
            Filter::Seconds(state) => {
                let (srtt, rttvar) = smooth(state, elapsed, expected);
                self.rto = srtt + larger(larger(tick, 4.0 * rttvar), floor(rules));
                self.backoff = 1;
            }
            Filter::Linux(state) => {
                let deviation = match state.as_mut() {
                    None => state.insert(Deviation::first(elapsed, floor(rules), edges.1)),
                    Some(deviation) => {
                        deviation.sample(elapsed, floor(rules), edges);
                        deviation
                    }
                };
                self.rto = rules.recovery.whole_ticks(deviation.rto());
                self.backoff = 1;
            }
        }
        self.work_out(rules);
    }

    /// Seconds the timer is set to now.
    #[inline]
    pub fn timeout(&self) -> f64 {
        self.timeout
    }

    /// Works out [`Rto::timeout`]: floor, backoff, ceiling, and never below two ticks.
    fn work_out(&mut self, rules: &SenderRules) {
        let (floor, backoff) = (rules.min_rto.secs(), f64::from(self.backoff));
        let timeout = match rules.rto_floor {
            RtoFloor::BeforeBackoff => larger(self.rto, floor) * backoff,
            RtoFloor::AfterBackoff => larger(self.rto * backoff, floor),
            RtoFloor::Variance => self.rto * backoff,
        };
        let most = rules.max_rto.secs();
        self.timeout = larger(if timeout < most { timeout } else { most }, 2.0 * rules.tick.secs());
    }

    /// Doubles the timeout (RFC 6298 (5.5)); far backed off, the integer filter forgets its mean (BSD).
    pub fn back_off(&mut self, rules: &SenderRules) {
        let room = rules.rto_floor != RtoFloor::AfterBackoff && self.timeout < rules.max_rto.secs();
        if self.backoff < 64 || room {
            self.backoff = self.backoff.saturating_mul(2);
        }
        if self.backoff > 8
            && let Filter::Ticks { srtt, rttvar, .. } = &mut self.filter
        {
            *rttvar += *srtt >> 3;
            *srtt = 0;
        }
        self.work_out(rules);
    }

    /// A segment sent once was acknowledged: backoff ends (Karn).
    pub fn reset_backoff(&mut self, rules: &SenderRules) {
        if self.backoff != 1 {
            self.backoff = 1;
            self.work_out(rules);
        }
    }

    /// True if the timer has run out since the last valid sample.
    pub fn backed_off(&self) -> bool {
        self.backoff > 1
    }

    /// The handshake ended without a sample: its SYN was retransmitted, so data starts with 3 s (RFC 6298 (5.7)).
    pub fn handshake_done(&mut self, rules: &SenderRules) {
        let untimed = match &self.filter {
            Filter::Ticks { .. } => false,
            Filter::Seconds(state) => state.is_none(),
            Filter::Linux(state) => state.is_none(),
        };
        if untimed {
            self.rto = self.rto.max(3.0);
            self.backoff = 1;
            self.work_out(rules);
        }
    }
}

/// RFC 6298 (2.2) and (2.3): mean and deviation after a sample, of which `expected` come per round trip.
#[inline(always)]
fn smooth(state: &mut Option<(f64, f64)>, elapsed: f64, expected: u64) -> (f64, f64) {
    let smoothed = match *state {
        None => (elapsed, elapsed / 2.0),
        Some((srtt, rttvar)) => {
            let (alpha, beta) = (0.125 / expected as f64, 0.25 / expected as f64);
            let rttvar = (1.0 - beta) * rttvar + beta * (srtt - elapsed).abs();
            ((1.0 - alpha) * srtt + alpha * elapsed, rttvar)
        }
    };
    *state = Some(smoothed);
    smoothed
}

/// The larger of two numbers: with each sample, where `f64::max`, which also looks for what is no number, takes three times as long.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// `dividend % divisor` of numbers that are not negative, to the last bit. The C library's works bit by bit.
#[inline(always)]
fn remainder(dividend: f64, divisor: f64) -> f64 {
    let quotient = dividend / divisor;
    if quotient >= (1_u64 << 52) as f64 {
        return dividend % divisor;
    }
    // Rounded up the quotient may be one too many; what is left is exact either way.
    let left = (quotient as i64 as f64).mul_add(-divisor, dividend);
    if left < 0.0 { left + divisor } else { left }
}

/// Seconds that the deviation's share of the RTO has at least.
fn floor(rules: &SenderRules) -> f64 {
    if rules.rto_floor == RtoFloor::Variance { rules.min_rto.secs() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Stack, named};
    use acklab_packet::Time;

    #[test]
    fn rfc6298_first_and_second_sample_by_hand() {
        let rules = SenderRules { min_rto: Time::ZERO, ..Stack::Rfc.sender() };
        let mut rto = Rto::new(&rules);
        assert_eq!(rto.timeout(), 1.0);
        rto.sample(0.5, 1.0, 1, (0, 0), &rules);
        assert_eq!(rto.timeout(), 0.5 + 4.0 * 0.25);
        rto.sample(0.7, 2.0, 1, (0, 0), &rules);
        let (rttvar, srtt) = (0.75 * 0.25 + 0.25 * 0.2, 0.875 * 0.5 + 0.125 * 0.7);
        assert!((rto.timeout() - (srtt + 4.0 * rttvar)).abs() < 1e-12);
    }

    #[test]
    fn the_clock_granularity_is_the_least_margin() {
        let rules = SenderRules { min_rto: Time::ZERO, tick: Time::from_secs(0.1), ..Stack::Rfc.sender() };
        let mut rto = Rto::new(&rules);
        for i in 0..200 {
            rto.sample(0.5, f64::from(i), 1, (0, 0), &rules);
        }
        assert!((rto.timeout() - 0.6).abs() < 1e-9, "(2.3): SRTT + max(G, 4 RTTVAR)");
    }

    #[test]
    fn the_floor_may_be_the_deviations() {
        // A round trip that never varies: the RTO is 200 ms more, where the standard's floor says 1 s, and backs off whole.
        let rules = SenderRules { min_rto: Time::from_secs(0.2), rto_floor: RtoFloor::Variance, ..Stack::Rfc.sender() };
        for rtt_filter in [named("integer"), named("rfc6298"), named("linux")] {
            let rules = SenderRules { rtt_filter, ..rules.clone() };
            let mut rto = Rto::new(&rules);
            for i in 0..200 {
                rto.sample(0.5, f64::from(i), 1, (1 + i as u64, 2 + i as u64), &rules);
            }
            assert!((rto.timeout() - 0.7).abs() < 1e-9, "{rtt_filter:?}: {}", rto.timeout());
            rto.back_off(&rules);
            assert!((rto.timeout() - 1.4).abs() < 1e-9);
        }
    }

    /// 501.3 ms and a deviation of 200 ms are 176 ticks of 4 ms, and twice that is 352.
    #[test]
    fn linux_counts_a_timeout_in_whole_ticks_before_it_doubles() {
        let rules = Stack::Linux.sender();
        let mut rto = Rto::new(&rules);
        for i in 0..200 {
            rto.sample(0.5013, f64::from(i), 1, (1 + i as u64, 2 + i as u64), &rules);
        }
        assert!((rto.timeout() - 0.704).abs() < 1e-9, "{}", rto.timeout());
        rto.back_off(&rules);
        assert!((rto.timeout() - 1.408).abs() < 1e-9);
    }

    #[test]
    fn a_remainder_is_exact() {
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for round in 0..200_000 {
            let divisor = [0.1, 0.01, 0.5, 1e-6, 1e-18, draw()][round % 6];
            // Whole multiples, too, and what lies just beside them.
            let multiple = (draw() * 1e4).floor() * divisor;
            for dividend in [draw() * 1e3, multiple, multiple.next_up(), multiple.next_down().abs()] {
                let (got, exact) = (remainder(dividend, divisor), dividend % divisor);
                assert_eq!(got.to_bits(), exact.to_bits(), "{dividend} {divisor}");
            }
        }
    }

    #[test]
    fn floor_then_backoff_then_ceiling() {
        let rules = Stack::Rfc.sender();
        let mut rto = Rto::new(&rules);
        rto.sample(0.1, 1.0, 1, (0, 0), &rules);
        let mut seen = vec![rto.timeout()];
        for _ in 0..8 {
            rto.back_off(&rules);
            seen.push(rto.timeout());
        }
        assert_eq!(seen, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
        rto.reset_backoff(&rules);
        assert_eq!(rto.timeout(), 1.0);
    }

    #[test]
    fn ticks_count_boundaries_of_a_clock_with_a_phase() {
        let rules = SenderRules {
            rtt_filter: RttFilter::Integer { phase: Time::from_secs(0.05) },
            ..Stack::Ns2In1998.sender()
        };
        let mut rto = Rto::new(&rules);
        assert_eq!(rto.timeout(), 6.0);
        // Sent at 0.26 (clock 0.31), back at 0.36 (clock 0.41): one boundary; srtt 1 tick, rttvar 0.5: RTO 3 ticks.
        rto.sample(0.1, 0.36, 1, (0, 0), &rules);
        assert!((rto.timeout() - 0.3).abs() < 1e-12);
        // 0.06 s from clock 0.38 to 0.44 also crosses one; srtt stays 8/8, rttvar 2 -> 2 - 0: (2*8+8)>>3 = 3.
        rto.sample(0.06, 0.39, 1, (0, 0), &rules);
        assert!((rto.timeout() - 0.3).abs() < 1e-12);
    }
}
