//! Smartacking (ledger smartacking.m.core).
//!
//! The receiver computes when the last segment of the sender's window will arrive: what is left of the window, times the
//! average time between arrivals. If that is sooner than a round trip, the bottleneck has room, and an ACK leaves at once.
//! Otherwise it may wait for the difference, so that it reaches the sender just before the window is used up.
//!
//! Window, round trip and arrival times come from [`crate::receiver::estimator`], or from the sender.

mod alpha;

pub use alpha::{Alpha, AlphaRules};

use acklab_packet::{Seq, Time};

use super::{AckPolicy, Arrival, Emission};
use crate::receiver::estimator::{Left, Observer, RoundTrip};
use crate::rules::{EstimateFall, LossNotice, ReplyWait, RttSource, WindowSource, WindowStart};

/// The parameters of [`AckPolicyKind::Smart`](crate::rules::AckPolicyKind::Smart), which says what each means.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct SmartRules {
    pub timer: Time,
    pub rtt: RttSource,
    pub interval: Time,
    pub window: WindowSource,
    pub initial: u32,
    pub extended: bool,
    pub loss: LossNotice,
    pub first: WindowStart,
    pub first_probe: Time,
    pub replies: ReplyWait,
    pub limit: u32,
    pub decrease: EstimateFall,
    pub alpha: AlphaRules,
}

/// The policy's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Smart(Box<State>);

#[derive(Clone, Debug, PartialEq)]
struct State {
    timer: Time,
    window: WindowSource,
    observer: Observer,
    round_trip: RoundTrip,
    alpha: Alpha,
    extended: bool,
    decrease: EstimateFall,
    /// The estimated window when it was last looked at.
    cwnd: u32,
    /// Arrival of the oldest segment that is not acknowledged.
    pending: Option<Time>,
    rcv_nxt: Seq,
    decision: Emission,
}

impl Smart {
    /// The policy with these parameters.
    pub fn new(rules: SmartRules) -> Smart {
        let SmartRules { timer, window, initial, extended, decrease, .. } = rules;
        Smart(Box::new(State {
            timer,
            window,
            observer: Observer::new(initial, rules.limit, rules.loss, rules.first),
            round_trip: RoundTrip::new(rules.rtt, rules.interval).with(rules.first_probe, rules.replies),
            alpha: Alpha::new(rules.alpha),
            extended,
            decrease,
            cwnd: initial,
            pending: None,
            rcv_nxt: 0,
            decision: Emission::Now,
        }))
    }
}

impl State {
    /// Ends round trips that are over.
    fn advance(&mut self, now: Time) {
        for _ in 0..self.observer.advance(now) {
            if self.decrease == EstimateFall::Loss {
                self.alpha.on_decrease();
            }
        }
        self.compare();
    }

    /// Compares the estimated window with the last one.
    fn compare(&mut self) {
        let last = std::mem::replace(&mut self.cwnd, self.observer.cwnd());
        if self.decrease == EstimateFall::Any && self.cwnd < last {
            self.alpha.on_decrease();
        }
    }

    fn measured(&mut self, now: Time) {
        if let Some(secs) = self.round_trip.smoothed() {
            self.observer.set_round_trip(secs, now);
        }
    }

    /// Equation 1 and its consequence; what is unknown or out of order is acknowledged at once.
    fn decide(&mut self, arrival: &Arrival) -> Emission {
        let plain = arrival.in_order && !arrival.gap && !arrival.duplicate;
        let (Some(isat), Some(rtt), true) = (self.observer.isat(), self.round_trip.smoothed(), plain) else {
            return Emission::Now;
        };
        let expected = f64::from(self.observer.cwnd()) - self.observer.held() as f64;
        let alpha = if self.extended { self.alpha.alpha } else { 1.0 };
        let delay = expected * isat - alpha * rtt;
        // A delay of zero is the limit of both branches: no delay.
        if delay <= 0.0 {
            return Emission::Now;
        }
        // Each arrival computes the delay again, but the longest delay counts from the first segment that waits.
        let latest = *self.pending.get_or_insert(arrival.now) + self.timer;
        let at = latest.min(arrival.now + Time::from_secs(delay));
        if at <= arrival.now { Emission::Now } else { Emission::At(at) }
    }
}

impl AckPolicy for Smart {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        let state = &mut *self.0;
        let now = arrival.now;
        state.rcv_nxt = arrival.rcv_nxt;
        if arrival.syn {
            return Emission::Now;
        }
        if state.window == WindowSource::Sender {
            state.observer.set_window(arrival.window as u32);
        }
        state.round_trip.on_segment(arrival.echo, arrival.srtt, now);
        state.round_trip.on_passage(arrival.sent, now);
        state.advance(now);
        state.measured(now);
        state.observer.on_segment(arrival.seq, arrival.len, arrival.rcv_nxt, now);
        state.decision = state.decide(arrival);
        state.round_trip.probe_due(now).map_or(state.decision, Emission::Probe)
    }

    fn on_ack_sent(&mut self, now: Time) {
        let state = &mut *self.0;
        state.pending = None;
        state.advance(now);
        match state.observer.on_ack(state.rcv_nxt) {
            Left::New(segments) => {
                state.round_trip.on_ack(state.rcv_nxt as u32, now);
                state.alpha.on_ack(segments, state.observer.cwnd());
            }
            Left::ThirdDuplicate => {
                state.alpha.on_third_duplicate();
                state.alpha.on_duplicate(state.observer.cwnd());
            }
            Left::Duplicate => state.alpha.on_duplicate(state.observer.cwnd()),
        }
        state.compare();
    }

    fn on_probe_sent(&mut self, _: Time) -> Emission {
        self.0.decision
    }

    fn on_reply(&mut self, number: u32, now: Time) {
        let state = &mut *self.0;
        state.round_trip.on_reply(number, now);
        state.advance(now);
        state.measured(now);
    }

    fn window_estimate(&self, now: Time) -> Option<f64> {
        Some(self.0.observer.cwnd_at(now))
    }
}

#[cfg(test)]
mod tests;
