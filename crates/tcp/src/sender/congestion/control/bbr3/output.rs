//! Pace, quantum and window (section 5.6).

use super::{Bbr3, FIRST_RTT, MARGIN, MIN_PIPE_CWND, Mode, STARTUP_PACING_GAIN, Sample};

/// A quantum lasts a millisecond, within two segments and 64 KB (section 5.6.3).
const QUANTUM_SECS: f64 = 0.001;
const QUANTUM_BYTES: f64 = 65_536.0;
const LEAST_QUANTUM: f64 = 2.0;
/// Quanta of a TCP sender and its receiver (section 5.5.8.1).
const QUANTA: f64 = 3.0;
/// Segments beside the product while the cycle probes up (`QuantizationBudget`, section 5.6.4.2).
const UP_SEGMENTS: f64 = 2.0;

impl Bbr3 {
    /// `InitPacingRate`, at first and once a round trip is known.
    pub(super) fn init_pacing_rate(&mut self, srtt: f64) {
        self.seen_rtt = srtt > 0.0;
        let rtt = if self.seen_rtt { srtt } else { FIRST_RTT };
        self.pacing_rate = STARTUP_PACING_GAIN * self.initial_cwnd / rtt;
    }

    /// `SetPacingRateWithGain`.
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.model.bandwidth * MARGIN;
        if rate > 0.0 && (self.full.reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// `SetSendQuantum`, in whole segments.
    pub(super) fn quantum(&self) -> f64 {
        (self.pacing_rate * QUANTUM_SECS).min(QUANTUM_BYTES / self.payload).max(LEAST_QUANTUM).floor()
    }

    /// `QuantizationBudget`.
    fn quantized(&self, inflight: f64) -> f64 {
        let more = if self.mode == Mode::ProbeUp { UP_SEGMENTS } else { 0.0 };
        inflight.max(QUANTA * self.quantum()).max(MIN_PIPE_CWND) + more
    }

    /// `Inflight`.
    pub(super) fn inflight(&self, bandwidth: f64, gain: f64) -> f64 {
        self.quantized(self.product(bandwidth, gain))
    }

    /// `SetCwnd` (section 5.6.4.6). Without a delivery no window moves but by its bounds.
    pub(super) fn set_cwnd(&mut self, sample: &Sample) {
        let most = self.quantized(self.product(self.model.bandwidth, self.cwnd_gain()) + self.model.extra_acked());
        if self.full.reached {
            self.cwnd = (self.cwnd + sample.newly_acked).min(most);
        } else if self.cwnd < most || sample.total < self.initial_cwnd {
            self.cwnd += sample.newly_acked;
        }
        self.cwnd = self.cwnd.max(MIN_PIPE_CWND);
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.cwnd = self.cwnd.min(self.bound());
    }

    /// The bound of `BoundCwndForModel` (section 5.6.4.7).
    fn bound(&self) -> f64 {
        let longterm = match self.mode {
            Mode::ProbeCruise | Mode::ProbeRtt => self.model.with_headroom(),
            _ if self.cycles() => self.model.inflight_longterm,
            _ => f64::INFINITY,
        };
        longterm.min(self.model.inflight_shortterm).max(MIN_PIPE_CWND)
    }
}
