//! Pacing: segments spread over the round trip instead of sent in bursts (ledger smartacking.m.pacing).

use acklab_packet::Time;

use crate::rules::{Pacing, SenderRules};
use crate::sender::SenderWire;

/// Segments that leave before a control's pace holds, as in kernels: an initial window goes at once.
const UNPACED: u64 = 10;

/// The pacer of a sender.
#[derive(Clone, Debug)]
pub(in crate::sender) enum Pacer {
    /// Segments leave spread over the round trip, or at the pace of a control.
    Spread {
        /// Time at which the next segment may go.
        next: Time,
        /// Segments that may go with the last one that it let go.
        burst_left: u32,
        /// True if the wire wakes it.
        on: bool,
    },
    /// A burst leaves at once, then a pause follows (`Pacing::Bursts`).
    Bursts {
        /// Nothing leaves until the wire has woken it.
        paused: bool,
        /// Its own estimate of the round trip in seconds (`t_exact_srtt_` in ns-2); 0 if there is none.
        rtt: f64,
    },
}

impl Default for Pacer {
    fn default() -> Pacer {
        Pacer::Spread { next: Time::ZERO, burst_left: 0, on: false }
    }
}

/// Weight of a new round trip in the estimate for bursts (`g_` in ns-2's tcl/lib/ns-default.tcl).
const GAIN: f64 = 0.125;

impl Pacer {
    pub fn new(rules: &SenderRules) -> Pacer {
        match rules.pacing {
            Pacing::Bursts { .. } => Pacer::Bursts { paused: false, rtt: 0.0 },
            Pacing::Off {} | Pacing::Spread { .. } => Pacer::default(),
        }
    }

    /// True if a segment may go now; if not, the wire wakes the sender when it may. `rtt` is the round trip over
    /// which a window of `window` segments is spread, `quantum` what a control sends at once.
    #[inline(never)]
    pub fn lets_go<W: SenderWire>(
        &mut self,
        rules: &SenderRules,
        (window, rtt, quantum): (f64, Option<f64>, u32),
        now: Time,
        wire: &mut W,
    ) -> bool {
        let Pacer::Spread { next, burst_left, on } = self else { return true };
        if now < *next {
            if *burst_left > 0 {
                *burst_left -= 1;
                return true;
            }
            if !*on {
                *on = true;
                wire.arm_pacer(*next);
            }
            return false;
        }
        match (rules.pacing, rtt) {
            (Pacing::Off {}, _) => *burst_left = quantum.saturating_sub(1),
            (Pacing::Spread { share, burst, .. }, Some(rtt)) => {
                let spacing = share * rtt / window.max(1.0);
                // A burst takes the time that its segments would have had one by one (RFC 9002 section 7.7). What was left of
                // the one before lapses: no more than a burst ever leaves at once.
                *burst_left = burst - 1;
                *next = now + Time::from_secs(f64::from(burst) * spacing);
            }
            (Pacing::Spread { .. }, None) | (Pacing::Bursts { .. }, _) => {}
        }
        true
    }

    /// The wire has woken it: whether that lets anything leave.
    pub fn woke(&mut self, rules: &SenderRules) -> bool {
        match self {
            Pacer::Spread { on, .. } => *on = false,
            Pacer::Bursts { paused, .. } => *paused = false,
        }
        rules.pacing != Pacing::Bursts { wakes: false }
    }

    /// True between two bursts.
    pub fn pauses(&self) -> bool {
        matches!(self, Pacer::Bursts { paused: true, .. })
    }

    /// An ACK of new data answers a segment that left `elapsed` ago.
    pub fn note_round_trip(&mut self, elapsed: Time) {
        if let Pacer::Bursts { rtt, .. } = self {
            let elapsed = elapsed.secs();
            *rtt = if *rtt == 0.0 { elapsed } else { GAIN * elapsed + (1.0 - GAIN) * *rtt };
        }
    }

    /// A burst has left a sender of a window of so many segments (`TcpAsymAgent::send_helper`).
    pub fn pause<W: SenderWire>(&mut self, burst: u32, window: u64, now: Time, wire: &mut W) {
        if let Pacer::Bursts { paused, rtt } = self {
            *paused = true;
            wire.arm_pacer(now + Time::from_secs(*rtt * f64::from(burst) / window.max(1) as f64));
        }
    }

    /// Seconds until the next segment may go.
    pub fn wait(&self, now: Time) -> f64 {
        match self {
            Pacer::Spread { next, .. } => (*next - now).secs().max(0.0),
            Pacer::Bursts { .. } => 0.0,
        }
    }

    /// The `count`-th data segment, of `segments` full ones, has left at a control's pace of `rate` segments a second. Half of
    /// the wait for the next makes up for what this one was late, so that late timers cost no throughput
    /// (`tcp_update_skb_after_send`).
    pub fn departed(&mut self, count: u64, segments: f64, rate: f64, now: Time) {
        let Pacer::Spread { next, .. } = self else { return };
        if count < UNPACED {
            return;
        }
        let late = (now - *next).secs().max(0.0);
        let wait = segments / rate;
        *next = (*next).max(now) + Time::from_secs(wait - late.min(wait / 2.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_packet::{Probe, Segment};

    /// When the pacer is to wake.
    #[derive(Default)]
    struct Alarm(Option<Time>);

    impl SenderWire for Alarm {
        fn send(&mut self, _: Segment, _: u32) {}
        fn answer(&mut self, _: Probe, _: u32) {}
        fn arm(&mut self, _: Time) {}
        fn disarm(&mut self) {}
        fn arm_pacer(&mut self, at: Time) {
            self.0 = Some(at);
        }
    }

    #[test]
    fn a_burst_is_followed_by_the_time_that_the_window_takes_to_send_it() {
        let (mut pacer, mut wire) = (Pacer::Bursts { paused: false, rtt: 0.0 }, Alarm::default());
        pacer.note_round_trip(Time::from_secs(0.2));
        pacer.note_round_trip(Time::from_secs(0.1));
        let Pacer::Bursts { rtt, .. } = pacer else { unreachable!() };
        assert_eq!(rtt, 0.125 * 0.1 + 0.875 * 0.2);
        pacer.pause(3, 10, Time::from_secs(1.0), &mut wire);
        assert!(pacer.pauses());
        assert_eq!(wire.0, Some(Time::from_secs(1.0) + Time::from_secs(rtt * 3.0 / 10.0)));
    }
}
