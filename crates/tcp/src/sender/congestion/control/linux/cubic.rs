//! CUBIC and its HyStart as Linux computes them, in whole segments, ticks and microseconds (net/ipv4/tcp_cubic.c; the kernel's
//! names stand in comments).

use super::super::cubic::{CubicRules, cbrt};
use super::super::{AckEvent, CongestionControl, Departure, Needs, Reduced, Signal, Traits, Window};
use super::{Counted, Ticks, micros, slow_start, whole};

/// HyStart's constants. The least window at which it looks is `hystart_low_window`. A round's least sample is judged after
/// `HYSTART_MIN_SAMPLES` samples. The others are in microseconds: the largest distance of ACKs in a train
/// (`hystart_ack_delta_us`), the bounds of the round trip's growth (`HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`), and the room
/// for bursts (`hystart_ack_delay`).
const LOW_WINDOW: u64 = 16;
const MIN_SAMPLES: u32 = 8;
const ACK_DELTA: i64 = 2000;
const DELAY_MIN: i64 = 4000;
const DELAY_MAX: i64 = 16000;
const BURST: i64 = 1000;
/// Growth per segments acknowledged at least, while the path is unknown, and where the curve is flat.
const SEEK: u64 = 20;
const FLAT: u64 = 100;
/// The cubic's time has ten fractional bits (`BICTCP_HZ`).
const TIME_BITS: u32 = 10;

/// What moves with the epoch, and is void after a timeout (`bictcp_reset`). Windows in segments, times in ticks, `least_rtt` in
/// microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
struct Curve {
    cnt: u64,
    last_max: u64,
    last_cwnd: u64,
    last_time: i64,
    origin: u64,
    k: u64,
    least_rtt: Option<i64>,
    epoch: Option<i64>,
    acked: u64,
    reno: u64,
    /// HyStart has ended slow start.
    found: bool,
}

/// A round of HyStart, in microseconds (`bictcp_hystart_reset`).
#[derive(Clone, Debug, Default, PartialEq)]
struct Round {
    start: i64,
    end: u64,
    last_ack: i64,
    least: Option<i64>,
    samples: u32,
}

/// The state.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubic {
    rules: CubicRules,
    hystart: bool,
    ticks: Ticks,
    curve: Curve,
    round: Option<Round>,
    counted: Counted,
    /// SND.MAX with the last ACK, for the round that a timeout begins.
    snd_max: u64,
    /// Tick of the last ACK, after which an idle time may begin.
    last: i64,
}

impl Cubic {
    /// Before any loss.
    pub fn new(rules: CubicRules, hystart: bool, ticks: Ticks) -> Cubic {
        let (curve, round) = (Curve::default(), None);
        Cubic { rules, hystart, ticks, curve, round, counted: Counted::default(), snd_max: 0, last: 0 }
    }

    /// `bictcp_update`: how many segments grow the window by one.
    fn update(&mut self, cwnd: u64, acked: u64, now: i64) {
        let (ticks, hz) = (self.ticks, self.ticks.hz());
        let scale = (self.rules.c * 102.4).round() as u64 * 10;
        let beta = (self.rules.beta * 1024.0).round() as u64;
        let curve = &mut self.curve;
        curve.acked += acked;
        if curve.last_cwnd == cwnd && now - curve.last_time <= hz / 32 {
            return;
        }
        if curve.epoch.is_none() || now != curve.last_time {
            (curve.last_cwnd, curve.last_time) = (cwnd, now);
            let epoch = *curve.epoch.get_or_insert_with(|| {
                (curve.acked, curve.reno) = (acked, cwnd);
                // The kernel takes the root from a table, to a fifth of a percent (`cubic_root`).
                (curve.k, curve.origin) = if curve.last_max <= cwnd {
                    (0, cwnd)
                } else {
                    (
                        cbrt(((1_u64 << (10 + 3 * TIME_BITS)) / scale * (curve.last_max - cwnd)) as f64) as u64,
                        curve.last_max,
                    )
                };
                now
            });
            // The window is that of a round trip ahead.
            let ahead = ticks.within(curve.least_rtt.unwrap_or(0));
            let t = (((now - epoch + ahead) << TIME_BITS) / hz).max(0) as u64;
            let off = t.abs_diff(curve.k);
            let delta = (scale * off * off * off) >> (10 + 3 * TIME_BITS);
            let target = if t < curve.k { curve.origin.saturating_sub(delta) } else { curve.origin + delta };
            curve.cnt = if target > cwnd { cwnd / (target - cwnd) } else { FLAT * cwnd };
            if curve.last_max == 0 && self.rules.seek > 0.0 {
                curve.cnt = curve.cnt.min(SEEK);
            }
        }
        if self.rules.reno_friendly {
            let step = ((cwnd * (8 * (1024 + beta) / 3 / (1024 - beta))) >> 3).max(1);
            while curve.acked > step {
                curve.acked -= step;
                curve.reno += 1;
            }
            if curve.reno > cwnd {
                curve.cnt = curve.cnt.min(cwnd / (curve.reno - cwnd));
            }
        }
        curve.cnt = curve.cnt.max(2);
    }

    /// `hystart_update`: whether the ACK that brought `rtt` shows a queue.
    fn finds(&mut self, rtt: i64, ack: &AckEvent, window: &Window) -> bool {
        let now = micros(window.now.secs());
        let least_rtt = self.curve.least_rtt.unwrap_or(rtt);
        let begun = Round { start: now, end: ack.snd_max, last_ack: now, ..Round::default() };
        let round = match &mut self.round {
            Some(round) if ack.ack <= round.end => round,
            // The first round ends with the handshake (`cubictcp_init`).
            None if ack.acked == 0.0 => return false,
            over => over.insert(begun),
        };
        if whole(window.cwnd, window) < LOW_WINDOW {
            return false;
        }
        let mut found = false;
        if now - round.last_ack <= ACK_DELTA {
            round.last_ack = now;
            // Half, for a sender that does not pace.
            found = now - round.start > (least_rtt + BURST) >> 1;
        }
        round.least = Some(round.least.map_or(rtt, |least| least.min(rtt)));
        if round.samples < MIN_SAMPLES {
            round.samples += 1;
            return found;
        }
        found || round.least.is_some_and(|least| least > least_rtt + (least_rtt >> 3).clamp(DELAY_MIN, DELAY_MAX))
    }
}

impl CongestionControl for Cubic {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn traits(&self) -> Traits {
        Traits { ends_slow_start: self.hystart, ..Traits::default() }
    }

    /// `cubictcp_acked`.
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let now = self.ticks.at(window.now);
        (self.snd_max, self.last) = (ack.snd_max, now);
        let Some(rtt) = ack.rtt.map(|rtt| ((rtt * 1e6).round() as i64).max(1)) else { return };
        if self.curve.epoch.is_some_and(|epoch| now - epoch < self.ticks.hz()) {
            return;
        }
        self.curve.least_rtt = Some(self.curve.least_rtt.map_or(rtt, |least| least.min(rtt)));
        if self.hystart && !self.curve.found && window.in_slow_start() && self.finds(rtt, ack, window) {
            self.curve.found = true;
            window.ssthresh = window.cwnd;
        }
    }

    /// `cubictcp_cong_avoid`.
    fn grow(&mut self, credit: f64, window: &mut Window) {
        let acked = slow_start(whole(credit, window), window);
        if acked > 0 {
            self.update(whole(window.cwnd, window), acked, self.ticks.at(window.now));
            window.cwnd += self.counted.add(acked, self.curve.cnt) as f64 * window.mss;
        }
    }

    /// `CA_EVENT_TX_START`: what was idle does not count.
    fn on_sent(&mut self, departure: &Departure, window: &mut Window) {
        let now = self.ticks.at(window.now);
        if let Some(epoch) = self.curve.epoch.as_mut().filter(|_| departure.idle) {
            *epoch = (*epoch + (now - self.last)).min(now);
        }
        self.last = now;
    }

    /// `cubictcp_recalc_ssthresh`, `cubictcp_state`.
    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        let beta = (self.rules.beta * 1024.0).round() as u64;
        let cwnd = whole(in_use, window);
        if signal != Signal::Idle {
            self.curve.epoch = None;
            self.counted = Counted::default();
            let shrinking = cwnd < self.curve.last_max && self.rules.fast_convergence;
            self.curve.last_max = if shrinking { cwnd * (1024 + beta) / 2048 } else { cwnd };
        }
        if signal == Signal::Timeout {
            let now = micros(window.now.secs());
            self.curve = Curve::default();
            self.round = Some(Round { start: now, end: self.snd_max, last_ack: now, ..Round::default() });
        }
        Reduced::to((cwnd * beta / 1024).max(2) as f64 * window.mss)
    }
}
