//! BBR, version 3 (draft-ietf-ccwg-bbr-06, whose sections comments name; the working text of 3 August 2026 has the same rules). It
//! models the path by the largest delivery rate of two probing cycles and the least round trip of ten seconds. Losses bound what
//! may be in flight: those of a probe for the long term, others until the next probe.
//!
//! `model` has the rates, round trips and bounds, `losses` what losses do to them, `startup`, `cycle` and `probe_rtt` the states,
//! `output` window and pace. Volumes are in segments, rates in segments a second, times in seconds.

mod cycle;
mod losses;
mod model;
mod output;
mod probe_rtt;
mod startup;
#[cfg(test)]
mod tests;

use super::{
    AckEvent, CongestionControl, Departure, Estimate, LostSegment, Mode, ModelView, Needs, Reduced, Signal, Traits,
    Window,
};
use crate::sender::congestion::CaState;
use crate::sender::flight::rate::RateSample;
use crate::sender::rng::Rng;
use cycle::Cycle;
use losses::{Signals, Undo};
use model::Model;
use probe_rtt::ProbeRtt;
use startup::FullPipe;

/// `BBR.StartupPacingGain` (section 2.5).
const STARTUP_PACING_GAIN: f64 = 2.77;
/// `BBR.DrainPacingGain` (section 2.5).
const DRAIN_PACING_GAIN: f64 = 0.5;
/// Pacing gains of a cycle: down (section 5.3.3.1) and up (section 5.3.3.4.1); the others are 1.
const DOWN_PACING_GAIN: f64 = 0.9;
const UP_PACING_GAIN: f64 = 1.25;
/// `BBR.DefaultCwndGain` (section 2.6), and that of probing up (section 5.3.3.4.1).
const DEFAULT_CWND_GAIN: f64 = 2.0;
const UP_CWND_GAIN: f64 = 2.25;
/// `BBR.ProbeRTTCwndGain` (section 2.16.2).
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// `BBR.PacingMarginPercent` (section 2.5): what remains of a rate.
const MARGIN: f64 = 0.99;
/// `BBR.LossThresh`, `BBR.Beta`, `BBR.Headroom` and `BBR.MinPipeCwnd` (section 2.8).
const LOSS_THRESHOLD: f64 = 0.02;
const BETA: f64 = 0.7;
const HEADROOM: f64 = 0.15;
const MIN_PIPE_CWND: f64 = 4.0;
/// The round trip taken for granted before the first sample (`InitPacingRate`, section 5.6.2).
const FIRST_RTT: f64 = 0.001;

/// What an ACK shows: `RS` and the connection's state `C` (sections 2.2, 2.3 and 4.1.2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sample {
    now: f64,
    /// `C.delivered`, `C.inflight` and `C.is_cwnd_limited`.
    total: f64,
    in_flight: f64,
    cwnd_limited: bool,
    /// `RS.newly_acked` and `RS.delivered`.
    newly_acked: f64,
    delivered: f64,
    /// `RS.prior_delivered`; none if nothing is delivered.
    prior_delivered: Option<f64>,
    /// `RS.delivery_rate`; 0 if it shows none.
    rate: f64,
    app_limited: bool,
    rtt: Option<f64>,
    /// `RS.tx_in_flight` and `RS.lost`.
    tx_in_flight: f64,
    lost: f64,
}

impl Sample {
    fn of(ack: &AckEvent, rate: &RateSample, mss: f64) -> Sample {
        let newest = rate.newest;
        let units = |of: Option<u64>| of.unwrap_or(0) as f64 / mss;
        Sample {
            now: rate.now.secs(),
            total: rate.delivered as f64,
            in_flight: ack.in_flight / mss,
            cwnd_limited: ack.cwnd_limited,
            newly_acked: rate.acked as f64,
            delivered: newest.map_or(0.0, |newest| newest.delivered as f64),
            prior_delivered: newest.map(|newest| newest.prior_delivered as f64),
            rate: rate.rate.map_or(0.0, |rate| rate.delivered as f64 / rate.interval),
            app_limited: rate.app_limited,
            rtt: rate.rtt,
            tx_in_flight: units(newest.map(|newest| newest.tx_in_flight)),
            lost: units(newest.map(|newest| newest.lost)),
        }
    }

    /// `IsInflightTooHigh` (section 5.5.10.2). The recoveries that it runs with report losses selectively.
    fn too_high(&self) -> bool {
        self.lost > self.tx_in_flight * LOSS_THRESHOLD
    }
}

/// State of BBR.
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr3 {
    mode: Mode,
    model: Model,
    signals: Signals,
    undo: Undo,
    full: FullPipe,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    rng: Rng,
    /// Payload bytes of a full segment.
    payload: f64,
    begun: bool,
    seen_rtt: bool,
    /// `C.cwnd`, `C.InitialCwnd` and `BBR.prior_cwnd`.
    cwnd: f64,
    initial_cwnd: f64,
    prior_cwnd: f64,
    pacing_rate: f64,
    /// `BBR.idle_restart`.
    idle_restart: bool,
    /// True if the window is held down, so that rates measured now do not show the path's.
    held_down: bool,
    /// Congestion state of the connection.
    state: CaState,
    /// `C.delivered` and `C.inflight`, as last told.
    total: f64,
    in_flight: f64,
}

impl Bbr3 {
    /// Before the connection, for segments of `payload` bytes; `seed` begins the random times between two probes.
    pub fn new(payload: u32, seed: u64) -> Bbr3 {
        Bbr3 {
            mode: Mode::Startup,
            model: Model::default(),
            signals: Signals::default(),
            undo: Undo::default(),
            full: FullPipe::default(),
            cycle: Cycle::default(),
            probe_rtt: ProbeRtt::default(),
            rng: Rng::new(seed),
            payload: f64::from(payload.max(1)),
            begun: false,
            seen_rtt: false,
            cwnd: 0.0,
            initial_cwnd: 0.0,
            prior_cwnd: 0.0,
            pacing_rate: 0.0,
            idle_restart: false,
            held_down: false,
            state: CaState::Open,
            total: 0.0,
            in_flight: 0.0,
        }
    }

    /// `OnInit` (section 5.2.1), when the first data leaves.
    fn begin(&mut self, now: f64, srtt: f64, min_rtt: f64) {
        if self.begun {
            return;
        }
        (self.begun, self.initial_cwnd) = (true, self.cwnd);
        let known = if min_rtt.is_finite() { min_rtt } else { f64::INFINITY };
        (self.model.min_rtt, self.model.min_rtt_stamp) = (known, now);
        (self.probe_rtt.min_delay, self.probe_rtt.min_stamp) = (known, now);
        self.model.extra_since = now;
        self.init_pacing_rate(srtt);
    }

    /// `BBR.pacing_gain` (the table of section 5.6.1).
    fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => STARTUP_PACING_GAIN,
            Mode::Drain => DRAIN_PACING_GAIN,
            Mode::ProbeDown => DOWN_PACING_GAIN,
            Mode::ProbeUp => UP_PACING_GAIN,
            Mode::ProbeBw | Mode::ProbeCruise | Mode::ProbeRefill | Mode::ProbeRtt => 1.0,
        }
    }

    /// `BBR.cwnd_gain` (the same table).
    fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::ProbeUp => UP_CWND_GAIN,
            Mode::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => DEFAULT_CWND_GAIN,
        }
    }

    /// `IsInAProbeBWState`.
    fn cycles(&self) -> bool {
        matches!(self.mode, Mode::ProbeDown | Mode::ProbeCruise | Mode::ProbeRefill | Mode::ProbeUp)
    }

    /// `IsProbingBW`.
    fn probes(&self) -> bool {
        matches!(self.mode, Mode::Startup | Mode::ProbeRefill | Mode::ProbeUp)
    }

    /// `UpdateOnACK` (section 5.2.3): the model, the state, then window and pace.
    fn on_sample(&mut self, sample: &Sample) {
        (self.total, self.in_flight) = (sample.total, sample.in_flight);
        self.signals.update_latest(sample);
        self.update_congestion_signals(sample);
        self.model.update_aggregation(sample, self.cwnd, self.full.reached);
        self.full.check(sample, self.model.round_start);
        self.check_startup_done(sample);
        self.check_drain_done(sample);
        self.update_cycle(sample);
        self.update_min_rtt(sample);
        self.check_probe_rtt(sample);
        self.signals.advance_latest(sample);
        self.model.bound_bandwidth();
        self.set_pacing_rate(self.pacing_gain());
        self.set_cwnd(sample);
    }

    /// The connection is in another congestion state: a recovery begins, or is over (section 5.6.4.4).
    fn enter(&mut self, state: CaState) {
        let before = std::mem::replace(&mut self.state, state);
        if state == CaState::Recovery && before < CaState::Recovery {
            self.note_loss();
        } else if before >= CaState::Recovery && state < CaState::Recovery {
            self.restore_cwnd();
            self.undo.episode = false;
        }
    }

    /// `SaveCwnd`.
    fn save_cwnd(&mut self) {
        let whole = self.state < CaState::Recovery && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if whole { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// `RestoreCwnd`.
    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// Lets `act` move the window.
    fn with(&mut self, window: &mut Window, act: impl FnOnce(&mut Bbr3)) {
        let before = window.cwnd / window.mss;
        self.cwnd = before;
        act(self);
        if self.cwnd != before {
            window.cwnd = self.cwnd * window.mss;
        }
    }
}

impl CongestionControl for Bbr3 {
    fn needs(&self) -> Needs {
        Needs::Losses
    }

    fn traits(&self) -> Traits {
        Traits { draws: true, ..Traits::default() }
    }

    fn owns_window(&self) -> bool {
        true
    }

    fn on_sent(&mut self, departure: &Departure, window: &mut Window) {
        let (now, srtt) = (window.now.secs(), window.srtt);
        self.with(window, |this| {
            this.begin(now, srtt, departure.min_rtt);
            if departure.idle && departure.app_limited {
                this.restart_from_idle(now);
            }
        });
    }

    fn on_lost(&mut self, lost: &LostSegment, window: &mut Window) {
        let (now, mss) = (window.now.secs(), window.mss);
        self.with(window, |this| this.handle_lost(lost, mss, now));
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let Some(rate) = ack.rate.filter(|_| self.begun) else { return };
        let (sample, srtt) = (Sample::of(ack, &rate, window.mss), window.srtt);
        self.with(window, |this| {
            if !this.seen_rtt {
                this.init_pacing_rate(if srtt > 0.0 { srtt } else { rate.rtt.unwrap_or(0.0) });
            }
            this.enter(ack.next_state);
            this.on_sample(&sample);
        });
    }

    /// Losses reduce nothing by themselves. Their state is saved; so is that of a tail that its probe has repaired.
    fn on_congestion(&mut self, signal: Signal, _in_use: f64, window: &Window) -> Reduced {
        self.cwnd = window.cwnd / window.mss;
        match signal {
            Signal::Loss => self.note_loss(),
            Signal::Timeout => {
                // `OnEnterRTO`; the sender sets the window.
                self.save_state();
                self.state = CaState::Loss;
            }
            Signal::Mark | Signal::Idle => {}
        }
        Reduced { cwnd: window.cwnd, ssthresh: window.ssthresh }
    }

    fn undo(&mut self, before: Reduced, window: &mut Window) {
        window.ssthresh = window.ssthresh.max(before.ssthresh);
        self.with(window, Bbr3::handle_spurious);
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.begun.then_some(self.pacing_rate)
    }

    fn send_quantum(&self) -> u32 {
        self.quantum() as u32
    }

    fn limits_itself(&self) -> bool {
        self.held_down
    }

    fn seed(&self) -> u64 {
        self.rng.state()
    }

    fn estimate(&self) -> Option<Estimate> {
        let base_rtt = self.model.min_rtt;
        let backlog = (self.in_flight - self.model.bandwidth * base_rtt).max(0.0);
        base_rtt.is_finite().then_some(Estimate { backlog, base_rtt })
    }

    fn model(&self) -> Option<ModelView> {
        self.begun.then_some(ModelView {
            mode: self.mode,
            bandwidth: self.model.bandwidth,
            max_bandwidth: self.model.max_bandwidth,
            pacing: self.pacing_rate,
            inflight_longterm: self.model.inflight_longterm,
            inflight_shortterm: self.model.inflight_shortterm,
        })
    }
}
