//! Any policy with an observer beside it, which estimates the sender's window and decides nothing.

use acklab_packet::{Seq, Time};

use super::{AckPolicy, Arrival, Emission, Policy};
use crate::receiver::estimator::{Observer, RoundTrip};
use crate::rules::{LossNotice, RttSource, WindowStart};

/// Keep-alives of the observer bear numbers from here on, so that answers to the policy's own are not taken for its.
const NUMBERS: u32 = 1 << 31;

/// The two of them.
#[derive(Clone, Debug)]
pub struct Observed {
    policy: Policy,
    observer: Observer,
    round_trip: RoundTrip,
    rcv_nxt: Seq,
    /// Emission that the policy wants, while a keep-alive of the observer goes first.
    waiting: Option<Emission>,
}

impl Observed {
    /// Observes what `policy` acknowledges; `initial` segments are the sender's presumed initial window, to which an ACK may add `limit`.
    pub fn new(policy: Policy, source: RttSource, (initial, limit): (u32, u32)) -> Observed {
        Observed {
            policy,
            observer: Observer::new(initial, limit, LossNotice::RoundTrip, WindowStart::Count),
            round_trip: RoundTrip::new(source, Time::from_secs(1.0)),
            rcv_nxt: 0,
            waiting: None,
        }
    }
}

impl AckPolicy for Observed {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.rcv_nxt = arrival.rcv_nxt;
        let emission = self.policy.on_segment(arrival);
        if arrival.syn {
            return emission;
        }
        let now = arrival.now;
        self.round_trip.on_segment(arrival.echo, arrival.srtt, now);
        self.observer.advance(now);
        if let Some(secs) = self.round_trip.smoothed() {
            self.observer.set_round_trip(secs, now);
        }
        self.observer.on_segment(arrival.seq, arrival.len, arrival.rcv_nxt, now);
        match self.round_trip.probe_due(now) {
            Some(number) => {
                self.waiting = Some(emission);
                Emission::Probe(NUMBERS + number)
            }
            None => emission,
        }
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        self.policy.on_timer(now)
    }

    fn on_ack_sent(&mut self, now: Time) {
        self.observer.advance(now);
        self.observer.on_ack(self.rcv_nxt);
        self.round_trip.on_ack(self.rcv_nxt as u32, now);
        self.policy.on_ack_sent(now);
    }

    fn window(&self) -> Option<(u64, u8)> {
        self.policy.window()
    }

    fn on_probe_sent(&mut self, now: Time) -> Emission {
        self.waiting.take().unwrap_or_else(|| self.policy.on_probe_sent(now))
    }

    fn on_reply(&mut self, number: u32, now: Time) {
        if number < NUMBERS {
            return self.policy.on_reply(number, now);
        }
        self.round_trip.on_reply(number - NUMBERS, now);
        self.observer.advance(now);
        if let Some(secs) = self.round_trip.smoothed() {
            self.observer.set_round_trip(secs, now);
        }
    }

    fn window_estimate(&self, now: Time) -> Option<f64> {
        Some(self.observer.cwnd_at(now))
    }

    fn holds_blocks(&self) -> bool {
        self.policy.holds_blocks()
    }
}
