//! Veno (ledger veno.m.state_estimate, veno.m.ai, veno.m.md, veno.m.sack_veno): additive increase and multiplicative
//! decrease, each with a gentler form. An estimate of how many of the flow's segments wait in the network chooses the form.

use acklab_packet::Seq;

use super::{AckEvent, CongestionControl, Estimate, Needs, Reduced, Signal, Window};
use crate::rules::{VenoBase, VenoEstimate, VenoFirstLoss};

/// Veno's parameters, in segments and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VenoRules {
    /// Backlog up to which a loss counts as random.
    pub alpha: f64,
    /// Backlog above which only every other ACK grows the window: 3 in the paper's listing, 1 in its prose (ledger
    /// veno.check.ai_threshold).
    pub beta: f64,
    /// Pace at which the backlog is judged.
    pub estimate: VenoEstimate,
    /// Effect of a loss before the first judgement.
    pub first_loss: VenoFirstLoss,
    /// Since when the least round trip is taken.
    pub base_rtt: VenoBase,
    /// Granularity of the clock that times segments; 0 is exact.
    pub clock: f64,
}

/// Veno's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Veno {
    rules: VenoRules,
    /// Least round trip since the last loss, infinite right after it, or ever.
    base_rtt: f64,
    /// N of the last judgement, in segments.
    backlog: f64,
    /// True if N exceeded alpha then (`equilibrium_arrival`); `None` before the first judgement.
    equilibrium: Option<bool>,
    /// The tagged segment: the ACK that goes beyond it is judged next.
    tag: Option<Seq>,
    /// True if the last ACK in the slow branch grew the window.
    grew: bool,
    /// True if this ACK may grow it.
    may_grow: bool,
}

impl Veno {
    /// Before any round trip.
    pub fn new(rules: VenoRules) -> Veno {
        let base_rtt = f64::INFINITY;
        Veno { rules, base_rtt, backlog: 0.0, equilibrium: None, tag: None, grew: false, may_grow: true }
    }

    /// Its `beta`.
    pub fn beta(&self) -> f64 {
        self.rules.beta
    }

    /// A round trip as the clock shows it.
    fn read(&self, rtt: f64, now: f64) -> f64 {
        let tick = self.rules.clock;
        if tick == 0.0 {
            return rtt;
        }
        // Both instants are read off the clock. One tick at least: a round trip is not nothing.
        (((now / tick).floor() - ((now - rtt) / tick).floor()).max(1.0)) * tick
    }

    /// Takes a round trip; judges the backlog if it is time to, which it never is in slow start or recovery.
    fn sample(&mut self, rtt: f64, ack: &AckEvent, window: &Window) {
        self.base_rtt = self.base_rtt.min(rtt);
        if window.in_slow_start() || ack.in_recovery() {
            return;
        }
        let due = match self.rules.estimate {
            VenoEstimate::PerAck => true,
            VenoEstimate::PerRtt => self.tag.is_some_and(|tag| ack.ack > tag),
        };
        if due {
            self.backlog = window.cwnd / window.mss * (rtt - self.base_rtt) / rtt;
            self.equilibrium = Some(self.backlog > self.rules.alpha);
        }
        if due || self.tag.is_none() {
            // The next segment to leave.
            self.tag = Some(ack.snd_max);
        }
    }

    /// Above beta every second ACK grows the window. Otherwise each ACK does, and the count starts again.
    fn take_turn(&mut self) {
        self.may_grow = if self.backlog > self.rules.beta { !self.grew } else { true };
        self.grew = self.backlog > self.rules.beta && self.may_grow;
    }
}

impl CongestionControl for Veno {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        if let Some(rtt) = ack.rtt {
            let rtt = self.read(rtt, window.now.secs());
            self.sample(rtt, ack, window);
        }
        if ack.acked > 0.0 && !ack.in_recovery() && !window.in_slow_start() {
            self.take_turn();
        }
    }

    fn grow(&mut self, credit: f64, window: &mut Window) {
        if window.in_slow_start() || self.may_grow {
            window.grow_by_standard(credit);
        }
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, _: &Window) -> Reduced {
        if matches!(signal, Signal::Loss | Signal::Timeout) {
            if self.rules.base_rtt == VenoBase::SinceLoss {
                // Reset: the next sample starts it again (ledger veno.m.state_estimate).
                self.base_rtt = f64::INFINITY;
            }
            self.tag = None;
        }
        let congested = match (self.equilibrium, self.rules.first_loss) {
            (Some(equilibrium), _) => equilibrium,
            (None, VenoFirstLoss::Half) => true,
            (None, VenoFirstLoss::ByFlag) => false,
        };
        // A timeout and a mark are congestion, whatever the flag says (veno.m.md).
        Reduced::to(if signal == Signal::Loss && !congested { in_use * 4.0 / 5.0 } else { in_use / 2.0 })
    }

    fn estimate(&self) -> Option<Estimate> {
        Some(Estimate { backlog: self.backlog, base_rtt: self.base_rtt })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{event, window};
    use super::*;
    use acklab_packet::Time;

    fn veno() -> Veno {
        let (estimate, first_loss, base_rtt) = (VenoEstimate::PerAck, VenoFirstLoss::Half, VenoBase::SinceLoss);
        Veno::new(VenoRules { alpha: 1.0, beta: 3.0, estimate, first_loss, base_rtt, clock: 0.0 })
    }

    /// An ACK of one segment that took `rtt`, in congestion avoidance with `cwnd`; how much the window grew.
    fn ack(veno: &mut Veno, ack: Seq, cwnd: f64, rtt: f64) -> f64 {
        let mut window = window(cwnd, 2.0);
        veno.on_ack(&event(ack, ack + cwnd as u64, Some(rtt)), &mut window);
        veno.grow(1.0, &mut window);
        window.cwnd - cwnd
    }

    #[test]
    fn three_branches_of_increase_by_the_backlog() {
        // N = cwnd (RTT - BaseRTT) / RTT with cwnd 10 and BaseRTT 1/8 s: 5/32 s is 2 segments, 1/4 s is 5.
        let mut veno = veno();
        assert_eq!((ack(&mut veno, 1, 10.0, 0.125), veno.equilibrium), (10.1 - 10.0, Some(false)));
        ack(&mut veno, 2, 10.0, 0.15625);
        assert_eq!((veno.backlog, veno.equilibrium), (2.0, Some(true)), "alpha < N <= beta: flagged, not slowed");
        assert!(ack(&mut veno, 3, 10.0, 0.15625) > 0.0 && ack(&mut veno, 4, 10.0, 0.15625) > 0.0);
        let slow: Vec<bool> = (5..10).map(|seq| ack(&mut veno, seq, 10.0, 0.25) > 0.0).collect();
        assert_eq!((veno.backlog, slow), (5.0, vec![true, false, true, false, true]));
        assert!(ack(&mut veno, 10, 10.0, 0.125) > 0.0, "at once when the backlog is gone");
        assert!(ack(&mut veno, 11, 10.0, 0.25) > 0.0, "and the count starts anew");
    }

    #[test]
    fn a_loss_takes_a_fifth_or_half_by_the_flag_and_a_timeout_half() {
        let mut veno = veno();
        let loss = |veno: &mut Veno, signal| veno.on_congestion(signal, 20.0, &window(20.0, 2.0)).cwnd;
        assert_eq!(loss(&mut veno, Signal::Loss), 10.0, "never judged: as Reno");
        ack(&mut veno, 1, 20.0, 0.1);
        assert_eq!(loss(&mut veno, Signal::Loss), 16.0);
        assert_eq!(veno.base_rtt, f64::INFINITY, "BaseRTT is reset");
        assert_eq!(loss(&mut veno, Signal::Timeout), 10.0);
        assert_eq!(loss(&mut veno, Signal::Mark), 10.0);
        ack(&mut veno, 2, 20.0, 0.3);
        assert_eq!(veno.base_rtt, 0.3, "and the next sample is the new one");
        ack(&mut veno, 3, 20.0, 0.2);
        ack(&mut veno, 4, 20.0, 0.25);
        assert!((veno.backlog - 4.0).abs() < 1e-12);
        assert_eq!(loss(&mut veno, Signal::Loss), 10.0, "N = 4 at the loss");
    }

    #[test]
    fn by_flag_an_early_loss_takes_a_fifth() {
        let mut veno = veno();
        veno.rules.first_loss = VenoFirstLoss::ByFlag;
        assert_eq!(veno.on_congestion(Signal::Loss, 20.0, &window(20.0, 2.0)).ssthresh, 16.0);
    }

    #[test]
    fn once_a_round_trip_when_the_tagged_segment_is_acknowledged() {
        let mut veno = veno();
        veno.rules.estimate = VenoEstimate::PerRtt;
        ack(&mut veno, 1, 10.0, 0.125); // tags segment 11, the next to leave
        assert_eq!(veno.equilibrium, None);
        for seq in 2..=11 {
            ack(&mut veno, seq, 10.0, 0.25);
        }
        assert_eq!(veno.equilibrium, None, "an ACK of all before it");
        ack(&mut veno, 12, 10.0, 0.15625);
        assert_eq!((veno.backlog, veno.tag), (2.0, Some(22)));
    }

    #[test]
    fn slow_start_is_the_standards_and_its_round_trips_count_for_the_base_only() {
        let mut veno = veno();
        let mut start = window(4.0, 64.0);
        veno.on_ack(&event(9, 14, Some(0.3)), &mut start);
        veno.grow(1.0, &mut start);
        assert_eq!((start.cwnd, veno.base_rtt, veno.equilibrium), (5.0, 0.3, None));
    }

    #[test]
    fn a_clock_of_milliseconds_is_read_at_both_ends() {
        let mut veno = veno();
        veno.rules.clock = 0.001;
        assert!((veno.read(0.0995, 1.0004) - 0.1).abs() < 1e-12, "from 0.9009 to 1.0004: 900 to 1000");
        assert!((veno.read(0.0995, 1.0007) - 0.099).abs() < 1e-12, "from 0.9012 to 1.0007: 901 to 1000");
        assert_eq!(veno.read(0.0001, 1.0005), 0.001);
        let mut late = Window { now: Time::from_secs(2.0005), ..window(10.0, 2.0) };
        veno.on_ack(&event(1, 2, Some(0.1)), &mut late);
        assert!((veno.base_rtt - 0.1).abs() < 1e-12);
    }
}
