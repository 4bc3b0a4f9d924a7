//! Round trips that an ACK gives, as Linux takes them (`tcp_clean_rtx_queue` and `tcp_ack_update_rtt` in
//! net/ipv4/tcp_input.c). Only segments that were sent once count. The timer's round trip is that of the first segment
//! covered, or else of the first one reported. The congestion control's is that of the last segment reported, or else of the
//! last one covered. If something covered was sent twice, what is covered gives neither. If nothing is reported then, the
//! echoed timestamp gives both.

use acklab_packet::{Ack, Seq, Time};

use super::super::intake::take_in;
use super::Rack;
use crate::rules::{Reordering, RttSamples};
use crate::sender::Core;
use crate::sender::flight::Sent;

/// Send times of what an ACK covers and of what it reports: the first, and the last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Samples {
    covered: Option<(Time, Time)>,
    reported: Option<(Time, Time)>,
    /// Lowest unit covered, and reported, of what was sent once.
    pub lowest: [Option<Seq>; 2],
    /// Departure of the one that left last.
    pub newest: Option<Time>,
    /// Units covered, and reported.
    pub units: [u64; 2],
    /// The round trips for the timer and for the control in seconds, as Linux counts them.
    pub timer: Option<f64>,
    pub control: Option<f64>,
}

impl Samples {
    /// A segment that the ACK covers or reports for the first time, lowest first.
    pub fn note(&mut self, sent: &Sent, covered: bool) {
        self.newest = self.newest.max(Some(sent.at));
        self.units[usize::from(!covered)] += sent.end - sent.start;
        if !sent.resent {
            let lowest = &mut self.lowest[usize::from(!covered)];
            *lowest = lowest.or(Some(sent.start));
            let times = if covered { &mut self.covered } else { &mut self.reported };
            *times = Some((times.map_or(sent.at, |times| times.0), sent.at));
        }
    }

    /// The round trips for the timer and for the control, in seconds. `resent`: something covered was sent twice; `echo`: the round
    /// trip of an ACK of new data by its timestamp.
    pub fn round_trips(&self, resent: bool, echo: Option<f64>, now: Time) -> (Option<f64>, Option<f64>) {
        let since = |at: Time| (now - at).secs();
        let covered = self.covered.filter(|_| !resent);
        let Some(first) = covered.or(self.reported) else { return (echo, echo) };
        let last = self.reported.or(covered).unwrap_or(first);
        (Some(since(first.0)), Some(since(last.1)))
    }
}

impl Rack {
    /// Takes in what the ACK covers and reports, lowest first (section 6.2 steps 1 to 3).
    pub(super) fn take_in(&mut self, core: &mut Core, ack: &Ack, now: Time) -> Samples {
        let (detection, reordering) = (&mut self.detection, &mut self.reordering);
        let (mut last, mut samples) = (None, Samples::default());
        let measures = core.rules.recovery.reordering() == Reordering::Linux;
        let recovery = core.rules.recovery;
        let exact = recovery.rtt_samples() == RttSamples::Segments;
        let echo = core.rules.timestamps.then(|| recovery.stamp(ack.ts_ecr));
        let resent = take_in(&mut self.board, core, ack, now, |sent, covered| {
            let late = covered && echo.is_some_and(|echo| echo < recovery.stamp(sent.at));
            reordering.seen |= detection.delivered(&sent, late, exact, now) && !measures;
            last = if covered { Some(detection.rtt) } else { last };
            samples.note(&sent, covered);
        });
        if exact {
            return samples;
        }
        // Linux reads the reports first: the round trip is that of the last segment covered (`tcp_rack_advance` in
        // net/ipv4/tcp_recovery.c, called by `tcp_sacktag_one`, then `tcp_clean_rtx_queue`).
        detection.rtt = last.unwrap_or(detection.rtt);
        let advances = ack.ack > core.seq.una;
        let echoed = echo.filter(|_| advances).map(|echo| (recovery.stamp(now) - echo).secs().max(0.001));
        (samples.timer, samples.control) = samples.round_trips(resent, echoed, now);
        detection.sample(samples.control);
        // A report gives a round trip, too (`tcp_ack_update_rtt` in net/ipv4/tcp_input.c).
        if let Some(elapsed) = samples.timer.filter(|_| !advances) {
            core.sample(Time::from_secs(elapsed), core.seq.flight_size(), now);
        }
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(at: f64, resent: bool) -> Sent {
        Sent { start: 0, end: 1, at: Time::from_secs(at), resent, ..Sent::default() }
    }

    #[test]
    fn the_timer_takes_the_first_covered_and_the_control_the_last_reported() {
        let mut samples = Samples::default();
        (1..=2).for_each(|at| samples.note(&sent(f64::from(at), false), true));
        assert_eq!(samples.round_trips(false, Some(9.0), Time::from_secs(5.0)), (Some(4.0), Some(3.0)));
        (3..=4).for_each(|at| samples.note(&sent(f64::from(at), false), false));
        assert_eq!(samples.round_trips(false, Some(9.0), Time::from_secs(5.0)), (Some(4.0), Some(1.0)));
        assert_eq!(samples.round_trips(true, Some(9.0), Time::from_secs(5.0)), (Some(2.0), Some(1.0)));
        let mut again = Samples::default();
        again.note(&sent(1.0, true), true);
        assert_eq!(again.round_trips(true, Some(9.0), Time::from_secs(5.0)), (Some(9.0), Some(9.0)));
    }
}
