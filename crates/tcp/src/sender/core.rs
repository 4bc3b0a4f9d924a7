//! Parts of a sender, and the handling of an ACK of new data, which moves several of them.

use std::ops::Deref;
use std::sync::Arc;

use acklab_packet::{Ace, Ack, Seq, Time};

use super::SenderWire;
use super::congestion::Congestion;
use super::congestion::control::{Control, Needs};
use super::congestion::prr::Prr;
use super::congestion::slow_start::SlowStart;
use super::congestion::undo::Undo;
use super::congestion::validation::Usage;
use super::feedback::Feedback;
use super::flight::Flight;
use super::flight::rate::DeliveryRate;
use super::repair::Repair;
use super::requests::Requests;
use super::rtt::pacing::Pacer;
use super::rtt::timer::Timer;
use super::segmentation::Bursts;
use super::sequence::{SequenceSpace, Supply};
use super::skip::Skip;
use crate::rules::{IdleRestart, Pacing, PieceEffect, SenderRules, TimerRestart};

/// Counts of a sender; first what always moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
#[repr(C)]
pub struct SenderCounters {
    /// SYNs, FINs and retransmits included.
    pub segments_sent: u64,
    pub acks_received: u64,
    pub retransmits: u64,
    pub syns_sent: u32,
    pub timeouts: u32,
    pub fast_retransmits: u32,
    /// Reductions of cwnd, those of an idle restart included.
    pub window_cuts: u32,
    /// ACKs that covered what was never sent, if the rules react to them, and tests that found hidden marks.
    pub false_acks: u32,
    /// Reductions undone.
    pub undone: u32,
    pub rtt_samples: u64,
    /// Sum of the samples, in seconds.
    pub rtt_sum: f64,
    /// Last sample, in seconds.
    pub rtt_last: f64,
    /// Least sample, in seconds; infinite before the first.
    pub rtt_min: f64,
}

/// The parts of a sender that every recovery shares.
///
/// Laid out as declared: what every ACK and every segment touch, then the rest. With many flows a sender's state has left the
/// fastest cache by the time its next ACK comes, and each line of 64 bytes costs.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Core {
    /// The retransmission timer and the round trip.
    pub timer: Timer,
    /// Data sent and acknowledged.
    pub seq: SequenceSpace,
    /// Windows, and what moves them.
    pub cc: Congestion,
    /// The stack's rule table.
    pub rules: Arc<SenderRules>,
    /// No extra, no flight record, nothing that holds back or that segments carry: a full segment of new data is sent without
    /// asking further.
    pub(super) fast_path: bool,
    /// True if pacing, skipping or segmentation may hold back what the window allows.
    pub(super) may_hold_back: bool,
    /// An episode of loss recovery is on.
    pub(super) repairing: bool,
    /// Inputs that the control needs.
    pub(super) needs: Needs,
    pub(super) notices: Notices,
    /// Counts for the flow's row.
    pub counters: SenderCounters,
    pub(super) extras: Box<Extras>,
}

/// Notices that segments carry to their receiver.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notices {
    /// True if the rules ask each segment for one: a phase, a window, congestion, a number.
    pub wanted: bool,
    /// An ACK came marked; the next segment tells the receiver.
    pub ack_mark: bool,
    /// The window was reduced; the next new segment tells (CWR).
    pub cwr: bool,
    /// Segments may not be marked any more, though the rules say so (RFC 9768).
    pub unmarkable: bool,
}

/// Parts that only some rules need; apart, so that a sender of any rules takes as few cache lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Extras {
    pub pacer: Pacer,
    pub skip: Option<Box<Skip>>,
    pub bursts: Option<Box<Bursts>>,
    pub undo: Option<Box<Undo>>,
    /// Segments reported as duplicates (DSACK), where the rule `undo` reads that.
    pub duplicates: u64,
    pub usage: Option<Box<Usage>>,
    pub prr: Prr,
    /// For recoveries that judge each segment, and for controls that need more than credit.
    pub flight: Option<Box<Flight>>,
    pub repair: Repair,
    /// The last mark met a window of one segment ([`MarkForm::Ns2`](crate::rules::MarkForm::Ns2)).
    pub marked_at_least: bool,
    pub feedback: Option<Box<Feedback>>,
    pub requests: Option<Box<Requests>>,
    pub told: Told,
    /// When the first SYN left, once it has timed out, under [`FirstLoss::Linux`].
    pub opened: Option<Time>,
}

/// The window that ACKs tell (RFC 9293 section 3.10.7.4; RFC 7323 section 2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    /// Shift of the numbers in ACKs.
    scale: u8,
    /// Largest window told, in units.
    pub largest: u64,
}

impl Core {
    pub(super) fn new(
        rules: Arc<SenderRules>,
        supply: Supply,
        control: Control,
        slow_start: Option<Box<SlowStart>>,
        seed: u64,
    ) -> Core {
        let seq = SequenceSpace::new(&rules, supply);
        let cc = Congestion::new(&rules, &seq, control, slow_start);
        let needs = cc.needs();
        let extras = Extras {
            pacer: Pacer::new(&rules),
            skip: Skip::new(&rules, seed),
            bursts: Bursts::new(&rules),
            undo: Undo::new(&rules),
            duplicates: 0,
            usage: Usage::new(rules.validation),
            prr: Prr::default(),
            flight: Flight::new(&rules, needs, seq.mss),
            repair: Repair::default(),
            marked_at_least: false,
            feedback: Feedback::new(&rules, seed),
            requests: Requests::new(&rules),
            told: Told::default(),
            opened: None,
        };
        let may_hold_back = rules.pacing != Pacing::Off {}
            || extras.skip.is_some()
            || extras.bursts.is_some()
            || needs >= Needs::Deliveries;
        let wanted = rules.carry_phase
            || rules.carry_window
            || rules.carry_allowance
            || rules.ecn
            || extras.requests.is_some()
            || rules.recovery.packet_numbers();
        let watched = extras.undo.is_some()
            || extras.usage.is_some()
            || extras.flight.is_some()
            || extras.feedback.is_some()
            || needs != Needs::Credit
            || rules.handshake_ack
            || rules.reads_window
            || rules.sequence.pieces() != PieceEffect::Slide
            || rules.marks_end;
        Core {
            timer: Timer::new(&rules),
            cc,
            seq,
            fast_path: !may_hold_back && !wanted && !watched,
            may_hold_back,
            repairing: false,
            needs,
            notices: Notices { wanted, ..Notices::default() },
            counters: SenderCounters { rtt_min: f64::INFINITY, ..SenderCounters::default() },
            extras: Box::new(extras),
            rules,
        }
    }

    /// True if everything there is to send has been acknowledged.
    #[inline]
    pub fn done(&self) -> bool {
        self.seq.done()
    }

    /// True if `cwnd` is below `ssthresh`.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cc.in_slow_start()
    }

    /// The smoothed round trip in seconds, if there is one.
    pub(super) fn smoothed_rtt(&self) -> Option<f64> {
        (self.counters.rtt_samples > 0).then_some(self.timer.smoothed)
    }

    /// The same once this ACK has counted; `timed`: the round trip that stands for its timestamp's.
    pub(super) fn smoothed_rtt_after(&self, ack: &Ack, timed: Option<Time>, now: Time) -> Option<f64> {
        let advances = ack.ack > self.seq.una;
        let clock = || self.timer.timed.filter(|&(end, _)| ack.ack >= end).map(|(_, sent)| now - sent);
        let elapsed = match timed {
            _ if !advances => None,
            // As the timer will see it: an echo so long ago.
            Some(timed) if self.rules.timestamps => Some(now - (now - timed)),
            _ if self.rules.timestamps => Some(now - ack.ts_ecr),
            _ => clock(),
        };
        elapsed.map(|elapsed| self.timer.smoothed_with(elapsed, &self.counters)).or(self.smoothed_rtt())
    }

    /// True if the control alone moves `cwnd`.
    #[inline]
    pub(super) fn control_owns_window(&self) -> bool {
        self.cc.owned
    }

    /// True if the control has an ACK event.
    #[inline]
    pub(super) fn has_ack_events(&self) -> bool {
        self.needs != Needs::Credit
    }

    /// The flight record of a recovery that judges each segment; [`Flight::new`] gives each of them one.
    pub(super) fn flight(&self) -> &Flight {
        self.extras.flight.as_ref().expect("a recovery that judges each segment has a flight record")
    }

    /// The delivery rate, for a control that needs it.
    pub(super) fn rate(&mut self) -> Option<&mut DeliveryRate> {
        self.extras.flight.as_mut()?.rate.as_mut()
    }

    /// Takes in a round trip that ends now; `flight` units were outstanding.
    pub(super) fn sample(&mut self, elapsed: Time, flight: u64, now: Time) {
        if self.may_hold_back
            && let Some(bursts) = &mut self.extras.bursts
        {
            bursts.time(elapsed, now);
        }
        self.timer.sample(elapsed, (flight, now), &self.seq, &mut self.counters, &self.rules);
    }

    /// Abandons what is being timed: it may be retransmitted (Karn; RFC 6298 section 3).
    pub(super) fn stop_timing(&mut self) {
        self.timer.timed = None;
        if let Some(flight) = &mut self.extras.flight {
            flight.stop_timing();
        }
    }

    /// Restarts the timer for an ACK of new data, or stops it when nothing is left to time (RFC 6298 (5.2), (5.3)).
    ///
    /// ns-2 leaves it on even then, and later restarts an idle connection by it.
    #[inline]
    pub(super) fn restart_timer<W: SenderWire>(&mut self, ack: Seq, now: Time, wire: &mut W) {
        // A window that ns-2's halving left below one segment opens again by timeout only.
        let outstanding = ack < self.seq.max || self.cc.cwnd < f64::from(self.seq.mss);
        let keep = match self.rules.idle_restart {
            IdleRestart::Timer | IdleRestart::TimerKeepsWindow => self.seq.nxt >= ack || outstanding,
            IdleRestart::Rfc5681 | IdleRestart::Linux | IdleRestart::Off => outstanding,
        };
        self.timer.restart(keep, now, wire);
    }

    /// Moves SND.UNA to a new cumulative ACK: timer, round-trip sample, duplicate count. Does not grow the window.
    #[inline(always)]
    pub(super) fn advance<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) {
        let before = self.rules.timer_restart == TimerRestart::BeforeRttUpdate;
        if before {
            self.restart_timer(ack.ack, now, wire);
        }
        self.cc.end_duplicates();
        let flight = self.seq.flight_size();
        self.seq.advance(ack.ack);
        if self.rules.ecn {
            self.extras.marked_at_least &= ack.ece;
        }
        if self.rules.timestamps && ack.ace != Ace::UNTIMED {
            self.sample(now - ack.ts_ecr, flight, now);
        }
        if let Some((end, sent)) = self.timer.timed
            && ack.ack >= end
            && ack.ace != Ace::UNTIMED
        {
            self.timer.timed = None;
            // Marks that keep the window at one segment keep the backoff.
            if !(self.rules.ecn && self.extras.marked_at_least) {
                self.timer.rto.reset_backoff(&self.rules);
            }
            if !self.rules.timestamps {
                self.sample(now - sent, flight, now);
            }
        }
        if !before {
            self.restart_timer(ack.ack, now, wire);
        }
    }

    /// Handles an ACK of new data outside recovery: [`Core::advance`], then growth, unless `grow` is off.
    pub(super) fn new_ack<W: SenderWire>(&mut self, ack: &Ack, grow: bool, now: Time, wire: &mut W) {
        let acked = self.accept(ack, grow, now, wire);
        if acked > 0 {
            self.grow(acked, acked, now);
        }
    }

    /// The same without growth: the units that may grow the window.
    #[inline(always)]
    pub(super) fn accept<W: SenderWire>(&mut self, ack: &Ack, grow: bool, now: Time, wire: &mut W) -> u64 {
        let acked = ack.ack - self.seq.una;
        let marked = if ack.ece && self.rules.ecn { self.marked_of(acked) } else { 0 };
        let grow = grow && marked < acked && (self.fast_path || self.in_use());
        self.advance(ack, now, wire);
        if self.rules.syn && ack.ack == 1 {
            let again = self.counters.timeouts > 1 && self.extras.opened.is_some_and(|opened| opened != ack.ts_ecr);
            self.cc.open(self.seq.mss, again);
            self.timer.rto.handshake_done(&self.rules);
            return 0;
        }
        if grow { acked - marked } else { 0 }
    }

    /// Returns the units, of the `acked` that an ACK newly covers, for which no growth is due because of marks: all, where the ACK
    /// echoes one.
    #[cold]
    fn marked_of(&self, acked: u64) -> u64 {
        let counted = self.extras.feedback.as_ref().filter(|feedback| !feedback.answers());
        counted.map_or(acked, |feedback| acked.min(feedback.told.ceil() as u64))
    }

    /// Reads an ACK's count of marks. Returns the ACK, whose ECE then shows new marks.
    #[cold]
    pub(super) fn read_marks(&mut self, ack: &Ack) -> Ack {
        let Some(feedback) = &mut self.extras.feedback else { return *ack };
        let before = feedback.accuses();
        let read = feedback.read(ack, &self.seq, self.rules.timestamps);
        self.counters.false_acks += u32::from(feedback.accuses() && !before);
        self.notices.unmarkable = !feedback.usable();
        read
    }

    /// Takes the window that an ACK tells. An older ACK, or the same one with less, does not count (`tcp_may_update_window` in Linux).
    pub(super) fn read_window(&mut self, ack: &Ack) {
        let Some(told) = ack.sack.window() else { return };
        let window = if ack.syn {
            self.extras.told.scale = ack.sack.scale();
            // A receiver that opens with the most that a SYN can say means whole segments (`tcp_select_initial_window`).
            u64::from(told) / u64::from(self.seq.mss) * u64::from(self.seq.mss)
        } else {
            u64::from(told) << self.extras.told.scale
        };
        if ack.syn || ack.ack > self.seq.una || window > self.seq.wnd || window == 0 {
            self.extras.told.largest = self.extras.told.largest.max(window);
            // Through a closed window one segment goes, where a kernel would send probes: else the update of a window could be lost.
            self.seq.set_window(window.max(self.seq.mss.into()));
        }
    }
}

/// A sender as its recovery sees it: all of it to read, and the flight record to mark.
pub(super) struct View<'a>(&'a mut Core);

impl Deref for View<'_> {
    type Target = Core;

    #[inline(always)]
    fn deref(&self) -> &Core {
        self.0
    }
}

impl Core {
    /// View for the recovery.
    #[inline(always)]
    pub(super) fn view(&mut self) -> View<'_> {
        View(self)
    }
}

impl View<'_> {
    /// The flight record of a recovery that judges each segment.
    pub fn flight_mut(&mut self) -> &mut Flight {
        self.0.extras.flight.as_mut().expect("a recovery that judges each segment has a flight record")
    }

    /// Units `start .. end` are reported for the first time to a recovery that does not judge each segment.
    pub fn note_reported(&mut self, start: Seq, end: Seq, now: Time) {
        if let Some(flight) = &mut self.0.extras.flight {
            flight.report(start, end, now, |_| {});
        }
    }
}
