//! Linux's forms of RACK-TLP where they differ from RFC 8985 (net/ipv4/tcp_input.c): round trips, the degree of reordering, and
//! what shows that a reduction was spurious.

use acklab_packet::{Ack, Seq, Time};

use super::{MaySend, Rack, measures};
use crate::rules::{Controls, UndoEvidence};
use crate::sender::congestion::CaState;
use crate::sender::congestion::control::Needs;
use crate::sender::congestion::undo::Evidence;
use crate::sender::flight::Sent;
use crate::sender::{Core, View};

/// Send times of what an ACK covers and of what it reports: the first, and the last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Samples {
    covered: Option<(Time, Time)>,
    reported: Option<(Time, Time)>,
    /// Lowest unit covered, and reported, of what was sent once.
    lowest: [Option<Seq>; 2],
    /// Departure of the segment that left last.
    pub newest: Option<Time>,
    /// Units covered, and reported.
    pub units: [u64; 2],
    /// The round trips for the timer and for the control in seconds, as Linux counts them.
    pub timer: Option<f64>,
    pub control: Option<f64>,
}

impl Samples {
    /// Notes a segment that the ACK covers or reports for the first time, lowest first.
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

    /// Returns the lowest units covered and reported, of what was sent once, that lie below `seq`.
    pub fn lowest_below(&self, seq: Seq) -> impl Iterator<Item = Seq> {
        self.lowest.into_iter().flatten().filter(move |low| *low < seq)
    }

    /// Takes the round trips of the ACK (`tcp_clean_rtx_queue`, `tcp_ack_update_rtt`). `resent`: something covered was sent twice;
    /// `echoed`: the round trip by the echoed timestamp.
    pub fn time(&mut self, resent: bool, echoed: Option<f64>, now: Time) {
        (self.timer, self.control) = self.round_trips(resent, echoed, now);
    }

    /// Returns the round trips for the timer and for the control, in seconds. Only segments that were sent once count. The timer's
    /// is that of the first segment covered, or else of the first one reported; the control's that of the last segment reported,
    /// or else of the last one covered. If something covered was sent twice (`resent`), what is covered gives neither. If nothing
    /// is reported then, `echo`, the round trip by the echoed timestamp, gives both.
    fn round_trips(&self, resent: bool, echo: Option<f64>, now: Time) -> (Option<f64>, Option<f64>) {
        let since = |at: Time| (now - at).secs();
        let covered = self.covered.filter(|_| !resent);
        let Some(first) = covered.or(self.reported) else { return (echo, echo) };
        let last = self.reported.or(covered).unwrap_or(first);
        (Some(since(first.0)), Some(since(last.1)))
    }
}

/// Contribution of a DSACK to an ACK.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Duplicate {
    /// Units that count as delivered.
    pub units: u64,
    /// The lowest reported segment that has arrived before its own retransmission.
    pub low: Option<Seq>,
}

impl Rack {
    /// Notes a DSACK that counts (`tcp_dsack_seen`), where a rule reads that.
    pub(super) fn note_duplicate(&mut self, core: &Core, block: Option<(Seq, Seq)>) -> Duplicate {
        let notes = measures(core) || core.rules.recovery.undo_evidence() == UndoEvidence::Segments;
        let Some((start, end)) = block.filter(|_| notes) else { return Duplicate::default() };
        let mss = u64::from(core.seq.mss);
        let segments = (end - start).div_ceil(mss);
        if segments > 1 || !self.tlp.resent_to(end) {
            self.reordering.expect_wider();
        }
        let forgotten = end <= core.seq.una;
        let low = if forgotten { None } else { core.flight().resent_within(start, end).1 };
        Duplicate { units: segments * mss, low }
    }

    /// Takes what the ACK shows of the last reduction. If it was spurious, what was believed lost is not.
    pub(super) fn take_evidence(&mut self, core: &mut View, ack: &Ack, evidence: Evidence) -> Evidence {
        let state = core.cc.state_at(core.seq.una);
        if evidence == Evidence::Needless {
            if ack.ack < core.cc.recover || state == CaState::Open {
                self.reordering.on_undo();
            }
            self.reduced_needlessly(core, state == CaState::Loss);
        }
        evidence
    }

    /// Notes that the last reduction was spurious; `all`: what was believed lost is not.
    fn reduced_needlessly(&mut self, core: &mut View, all: bool) {
        self.frto.forget();
        self.detection.advanced = true;
        if all {
            core.flight_mut().unmark_lost(true);
        }
    }

    /// Handles a late segment that has filled a hole of a recovery. The reduction was spurious if no retransmission is in flight.
    /// Until then nothing else is sent again (`tcp_try_undo_partial`). Returns true if it was spurious.
    pub(super) fn filled_late(&mut self, core: &mut View) -> bool {
        let waits = core.flight().on_their_way_again() > 0;
        if waits {
            self.may_send = MaySend::New;
        } else {
            self.reduced_needlessly(core, true);
        }
        !waits
    }

    /// Measures reordering by `low`, the lowest segment sent once that something overtook, and by the departure of the newest
    /// segment delivered. `una`: the cumulative ACK.
    pub(super) fn measure(&mut self, core: &Core, una: Seq, low: Option<Seq>, newest: Option<Time>, now: Time) {
        let highest = core.flight().highest.max(una);
        if let Some(low) = low.filter(|low| *low < highest) {
            self.reordering.overtaken(highest - low, core.seq.mss, core.rules.dup_thresh);
        }
        if let Some(newest) = newest {
            self.reordering.on_delivery(newest, now);
        }
    }

    /// Returns whether all is in order, if that has changed, for a control in Linux's form (`tcp_set_ca_state`). `reduces`: the ACK
    /// reduces the window.
    pub(super) fn note_order(&mut self, core: &Core, reduces: bool) -> Option<bool> {
        if core.rules.controls != Controls::Linux || core.needs != Needs::RoundTrips {
            return None;
        }
        let calm = !reduces && core.cc.state_at(core.seq.una) == CaState::Open;
        let open = calm && core.flight().sacked == 0 && core.flight().resent == 0;
        (std::mem::replace(&mut self.disordered, !open) == open).then_some(open)
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
