//! RACK-TLP (RFC 8985): a segment is lost when one sent later has arrived and its own time is up. If no ACK comes, a probe
//! asks for one. So a lost retransmission is noticed like any other segment, and a lost tail is noticed without a timeout.
//! Names in comments are the document's.
//!
//! The flight record has each segment's send time and fate. A pipe governs sending as in RFC 6675. Three timers share the wire's
//! one ([`Rack::set_timers`]). Each form of Linux is a rule of its own; what it keeps beside the RFC's state is in `linux.rs`.

mod linux;
#[cfg(test)]
mod tests;

use acklab_packet::{Ack, Seq, Time};

use super::super::congestion::CaState;
use super::super::congestion::prr::Delivered;
use super::super::congestion::undo::{Evidence, Sign, dsack};
use super::super::flight::Sent;
use super::super::{CLOCK, Core, View};
use super::frto::{Frto, TimeoutSign};
use super::{
    Answer, Before, Begin, Counts, Data, Event, Finding, Follow, LossRecovery, Next, Report, Sends, Timers, Voids,
};
use crate::rules::{self, CreditKind, LossCounts, LossSearch, RttSamples, TailProbe, TimeoutCwnd, UndoEvidence};
use crate::wheel::expiry;
use linux::Samples;

/// Longest delay of the ACK of a lone segment (`TLP.max_ack_delay`), as stacks assume it.
const MAX_ACK_DELAY: f64 = 0.2;
/// The probe timeout before a round trip is known.
const FIRST_PTO: f64 = 1.0;
/// Recoveries without a DSACK after which the reordering window is its usual again.
const PERSIST: u32 = 16;
/// Largest degree (`tcp_max_reordering`).
const MAX_DEGREE: u64 = 300;

/// State of RACK-TLP.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Rack {
    detection: Detection,
    reordering: Reordering,
    tlp: Tlp,
    frto: Frto,
    /// What may be sent.
    may_send: MaySend,
    /// The timer has run out, and what that means for what is outstanding is not yet worked out.
    timed_out: bool,
    /// Something is missing or has been sent again: the state is not open.
    disordered: bool,
    /// Due times of the retransmission timer, the reordering timer and the probe timeout.
    rto: Option<Time>,
    reorder: Option<Time>,
    probe: Option<Time>,
    judged: Judged,
    /// Units ever found lost when last reported.
    reported_lost: u64,
}

/// What may be sent: an ACK that only shows reordering lets go nothing again, and the reordering timer nothing else
/// (`tcp_try_undo_partial`, `tcp_rack_reo_timeout`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MaySend {
    #[default]
    All,
    New,
    Lost,
}

/// News of the ACK just judged. In sequence units.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    /// Its meaning for a timeout.
    verdict: TimeoutSign,
    /// True if the probe of the tail has repaired a loss.
    probe_repaired: bool,
    /// The round trip for the timer, and in seconds that for the control, as Linux counts them.
    timed: Option<Time>,
    rtt: Option<f64>,
    /// For PRR, and for the control.
    delivery: Delivered,
    delivered: u64,
    sacked: u64,
    losses: Found,
    /// The state to which it leads, if nothing more is lost; and true if something was outstanding.
    state: CaState,
    outstanding: bool,
    /// In flight, and ever found lost, before the ACK.
    in_flight: u64,
    lost_ever: u64,
}

/// Losses that were found.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// True if more is lost than before.
    more: bool,
    /// True if a recovery begins.
    begins: bool,
}

impl LossRecovery for Rack {
    fn judge(&mut self, core: &mut View, ack: &Ack, sign: Sign, now: Time) -> Finding {
        let (una, after) = (core.seq.una, ack.ack.max(core.seq.una));
        let by_segments = core.rules.recovery.undo_evidence() == UndoEvidence::Segments;
        let needless = !by_segments && sign.evidence == Evidence::Needless;
        let mut spurious = self.shows_spurious(core, ack, needless);
        let justified = self.judge_probe(core, ack, spurious);
        let duplicate = self.note_duplicate(core, sign.duplicate);
        let weighs = by_segments && !spurious && !justified;
        let evidence = if weighs { self.take_evidence(core, ack, sign.evidence) } else { Evidence::None };
        spurious |= evidence == Evidence::Needless;

        (self.judged.in_flight, self.judged.lost_ever) = (core.flight().in_flight(), core.flight().lost_ever);
        let (reported, arrived) = (core.flight().reported, core.flight().highest.max(una));
        let samples = self.take_in(core, ack, now);
        self.judged.delivery = Delivered::between((una, reported), (after, core.flight().reported));
        self.judged.delivered = samples.units[0] + samples.units[1];
        self.judged.sacked = samples.units[1];
        (self.judged.timed, self.judged.rtt) = (samples.timer.map(Time::from_secs), samples.control);

        if measures(core) {
            self.judged.delivery.units += duplicate.units;
            self.measure(core, after, samples.lowest_below(arrived).chain(duplicate.low).min(), samples.newest, now);
            if evidence == Evidence::Late {
                // Others overtook it.
                self.measure(core, after, Some(una), None, now);
            }
        }
        spurious |= evidence == Evidence::Late && self.filled_late(core);
        if after > una && after >= core.cc.recover && !spurious && core.cc.repairs(una) {
            self.reordering.on_exit();
        }
        if !measures(core) {
            self.reordering.on_dsack(after, core.seq.max, dsack(ack).is_some());
        }
        self.judged.state = if spurious { CaState::Open } else { core.cc.state_at(after) };
        let round_trip = self.judged.timed.filter(|_| after == una).map(|elapsed| (elapsed, core.seq.flight_size()));
        Finding { spurious, justified, round_trip }
    }

    fn find_losses(&mut self, core: &mut View, ack: &Ack, now: Time) {
        let srtt = core.smoothed_rtt_after(ack, self.judged.timed, now);
        self.judged.losses = self.look_for_losses(core, (self.judged.state, srtt), now);
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let (judged, una) = (&self.judged, ack.ack.max(core.seq.una));
        let lost_ever = core.flight().lost_ever;
        Report {
            delivered: judged.delivered,
            sacked: judged.sacked,
            lost: lost_ever - judged.lost_ever,
            lost_between: judged.lost_ever - std::mem::replace(&mut self.reported_lost, lost_ever),
            lost_ever,
            prior_in_flight: judged.in_flight,
            in_flight: core.flight().in_flight(),
            state: if judged.losses.begins { CaState::Recovery } else { core.cc.state_at(una) },
            rtt: judged.rtt,
        }
    }

    fn count(&mut self, core: &Core, ack: &Ack, _: Time) -> Counts {
        let (probe_repaired, refuted) = (self.judged.probe_repaired, self.judged.verdict == TimeoutSign::Refuted);
        self.judged.outstanding = core.seq.una < core.seq.max;
        let limit = if refuted { Frto::limit(core) } else { None };
        let data = match ack.ack > core.seq.una {
            true => Data::ByPipe { elapsed: self.judged.timed },
            false => Data::None,
        };
        Counts::As(Before { probe_repaired, limit, ..Before::default() }, data)
    }

    #[inline(always)]
    fn react(&mut self, core: &mut View, ack: &Ack, _: Data, acked: u64, _: Time) -> Answer {
        let judged = std::mem::take(&mut self.judged);
        // Where segments overtake each other far, reports grow the window, too (`tcp_may_raise_cwnd`).
        let far = measures(core) && self.reordering.degree(core.rules.dup_thresh) > core.rules.dup_thresh;
        let marked = ack.ece && core.rules.ecn;
        let raises = acked > 0 || (far && judged.sacked > 0 && core.in_use() && !marked);
        let mark = marked && judged.outstanding && core.spreads_marks();
        let mut answer = self.reduce(core, (judged.delivery, judged.losses), mark);
        let reduces = !matches!(answer.event, Event::Follows(_));
        answer.order = self.note_order(core, reduces);
        // An ACK that begins a recovery grows no window, and what counts is what was delivered: reported or covered for the first
        // time (`tcp_cong_control` in net/ipv4/tcp_input.c).
        if raises && !reduces && core.cc.state_at(core.seq.una) != CaState::Recovery && !core.follows_prr() {
            let delivered = core.rules.credit == CreditKind::SegmentCounter {};
            answer.grows = Some((acked, if delivered { judged.delivery.units } else { acked }));
        }
        answer.asks = judged.verdict == TimeoutSign::Ask && self.frto.suspects();
        answer
    }

    fn on_early_timer(&mut self, core: &mut View, now: Time) -> Option<Answer> {
        let due = |timer: &mut Option<Time>| timer.take_if(|at| *at <= now).is_some();
        if due(&mut self.reorder) {
            Some(self.on_reordering_timer(core, now))
        } else if due(&mut self.probe) {
            Some(Answer::send(Sends::TailProbe))
        } else {
            None
        }
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        (core.cc.state == CaState::Recovery).then(|| core.flight().in_flight())
    }

    fn before_timeout(&mut self, core: &Core) -> Voids {
        if core.seq.una < core.seq.max {
            self.frto.suspect(core);
        }
        let calm = !core.cc.repairs(core.seq.una);
        if calm && core.flight().sacked >= core.rules.dup_thresh {
            self.reordering.overestimated();
        }
        self.timed_out = true;
        (self.reorder, self.probe) = (None, None);
        self.tlp.reset();
        Voids { duplicates: true, recovery: false }
    }

    fn outstanding(&self, core: &Core) -> (u64, u64) {
        (core.flight().in_flight(), core.flight().lost)
    }

    fn resume(&mut self, core: &mut View, now: Time) -> Answer {
        let mut answer = Answer::send(SENDS);
        if std::mem::take(&mut self.timed_out) {
            self.mark_after_timeout(core, now);
            let opens = core.control_owns_window() || core.rules.recovery.timeout_cwnd() == TimeoutCwnd::InFlight;
            answer.event = if opens { Event::Opens { beside: core.flight().in_flight() } } else { Event::None };
            // The first segment leaves whatever the others, not due yet, hold of the window (RFC 6298 (5.4)).
            answer.first[0] = if opens || has_room(core) { None } else { Rack::next_lost(core) };
        }
        answer
    }

    fn asked(&mut self, sent: bool) {
        self.frto.asked(sent);
    }

    fn next(&mut self, core: &mut View) -> Option<Next> {
        let room = has_room(core);
        if self.may_send != MaySend::New
            && let Some(lost) = Rack::next_lost(core)
        {
            return room.then_some(lost);
        }
        if self.may_send == MaySend::Lost {
            return None;
        }
        if by_pipe(core) {
            let fin = || core.seq.fin_alone().map(|len| Next::in_order(core, u64::from(len)));
            let next = if room { Next::new_data(core) } else { fin() };
            return next.map(|next| Next { limited: !core.cc.repairs(core.seq.una), ..next });
        }
        let edge = core.seq.una + core.cc.window(core.seq.wnd);
        if core.seq.nxt >= core.seq.limit {
            return None;
        }
        let len = core.seq.sendable(edge).or_else(|| core.rest_of_burst())?;
        Some(Next::in_order(core, u64::from(len)))
    }

    /// A probe (`TLP_send_probe`, section 7.3): new data, if there is any and the receiver takes it, else the highest segment again,
    /// whatever cwnd says.
    fn probe(&mut self, core: &mut View, _: Time) -> Option<Next> {
        if !self.tlp.may_send(core) {
            return None;
        }
        let again = |core: &View| {
            let last = core.flight().last()?;
            let start = last.start.max(last.end.saturating_sub(u64::from(core.seq.mss)));
            Some(Next::again(start, last.end - start))
        };
        let next = Next::new_data(core).or_else(|| again(core))?;
        self.tlp.sent(core, &next);
        Some(next)
    }

    fn has_timers(&self) -> bool {
        true
    }

    /// Schedules a probe (section 7.2), and finds which timer is due first (section 8).
    fn set_timers(&mut self, core: &Core, timers: Timers, now: Time) -> Option<Time> {
        let Timers { rto, sent, advanced } = timers;
        self.may_send = MaySend::All;
        if let Some(rto) = rto.filter(|rto| *rto != self.rto) {
            self.rto = rto.map(|due| expiry(core.rules.recovery.ticks(), now, (due - now).secs()));
        }
        let idle = core.seq.una == core.seq.max;
        if core.cc.repairs(core.seq.una) || core.flight().sacked > 0 || idle || core.seq.shaking_hands() {
            self.probe = None;
        } else if sent || advanced {
            // Each departure sets Linux's probe again, no later than the timeout of the oldest segment
            // (`tcp_schedule_loss_probe`).
            let rto = core.timer.rto.timeout();
            let oldest = core.flight().first().filter(|_| sent && core.rules.recovery.probe() == TailProbe::Linux);
            let left = oldest.map_or(rto, |oldest| (oldest.at - now).secs() + rto);
            let pto = probe_timeout(core).min(if left > 0.0 { left } else { f64::INFINITY });
            let pto = expiry(core.rules.recovery.ticks(), now, pto);
            self.probe = Some(self.rto.map_or(pto, |rto| rto.min(pto)));
        }
        [self.rto, self.reorder, self.probe].into_iter().flatten().reduce(Time::min)
    }
}

/// Lost segments leave, then new data, and the program writes more.
const SENDS: Sends = Sends::ByPipe { from_end: true, refills: true };

/// True if the pipe has room for a segment.
fn has_room(core: &Core) -> bool {
    core.flight().in_flight() + u64::from(core.seq.mss) <= core.cc.cwnd as u64
}

/// True if reordering has a degree, as in Linux.
fn measures(core: &Core) -> bool {
    core.rules.recovery.reordering() == rules::Reordering::Linux
}

/// Findings of an ACK (section 6.2). No window moves here.
impl Rack {
    /// Returns true if the ACK shows that the last reduction was spurious: by what was sent again since, or by F-RTO.
    fn shows_spurious(&mut self, core: &mut View, ack: &Ack, needless: bool) -> bool {
        if needless {
            self.forget_losses(core, core.cc.state_at(core.seq.una));
        }
        self.judged.verdict = self.frto.judge(core, ack, |core, from, to| core.flight().reported_or_resent(from, to));
        let untimely = self.judged.verdict == TimeoutSign::Spurious;
        if untimely {
            self.forget_losses(core, CaState::Loss);
        }
        needless || untimely
    }

    /// Forgets what was believed lost after a spurious reduction. `was`: the state before. A hole that was late in a recovery was
    /// overtaken, so the path reorders.
    fn forget_losses(&mut self, core: &mut View, was: CaState) {
        self.reordering.seen |= was == CaState::Recovery;
        self.frto.forget();
        let for_good = core.rules.recovery.search() == LossSearch::Linux;
        core.flight_mut().unmark_lost(for_good);
    }

    /// Notes whether the probe of the tail has repaired a loss. Returns true if no reduction is therefore to be undone.
    fn judge_probe(&mut self, core: &Core, ack: &Ack, spurious: bool) -> bool {
        let outside = spurious || !core.cc.repairs(core.seq.una);
        self.judged.probe_repaired = self.tlp.on_ack(core, ack) && outside;
        self.judged.probe_repaired && !spurious
    }

    /// Takes in what the ACK covers and reports, lowest first (steps 1 to 3).
    fn take_in(&mut self, core: &mut View, ack: &Ack, now: Time) -> Samples {
        let (detection, reordering) = (&mut self.detection, &mut self.reordering);
        let (mut last, mut samples) = (None, Samples::default());
        let (recovery, measures) = (core.rules.recovery, measures(core));
        let exact = recovery.rtt_samples() == RttSamples::Segments;
        let echo = core.rules.timestamps.then(|| recovery.stamp(ack.ts_ecr));
        let una = core.seq.una;
        let resent = core.flight_mut().take_in(ack, una, now, |sent, covered| {
            let late = covered && echo.is_some_and(|echo| echo < recovery.stamp(sent.at));
            reordering.seen |= detection.delivered(sent, late, exact, now) && !measures;
            last = if covered { Some(detection.rtt) } else { last };
            samples.note(sent, covered);
        });
        if !exact {
            detection.rtt = last.unwrap_or(detection.rtt);
            let echoed = echo.filter(|_| ack.ack > una);
            samples.time(resent, echoed.map(|echo| (recovery.stamp(now) - echo).secs().max(0.001)), now);
            detection.sample(samples.control);
        }
        samples
    }

    /// Marks what is lost, and sets the time when more may be (steps 4 and 5), in this state and with the round trip `srtt`. A
    /// recovery begins also for losses above the last recovery point that were found before.
    fn look_for_losses(&mut self, core: &mut View, (state, srtt): (CaState, Option<f64>), now: Time) -> Found {
        let recovery = core.rules.recovery;
        let wait = self.wait(core, state, srtt);
        let (lost, again) = (core.flight().lost, core.flight().on_their_way_again());
        let looks = std::mem::take(&mut self.detection.advanced) || recovery.search() == LossSearch::EachAck;
        if self.may_send == MaySend::New {
            (self.reorder, self.detection.advanced) = (None, looks);
        } else if looks {
            let due = self.detection.newest.and_then(|newest| core.flight_mut().detect(newest, wait, now, CLOCK));
            let after = |due: Time| (due - now).secs() + recovery.timer_margin();
            self.reorder = due.map(|due| expiry(recovery.ticks(), now, after(due)));
        }
        let flight = core.flight();
        let (found, lost_again) = match recovery.loss_counts() {
            LossCounts::Unsent => (flight.lost, false),
            LossCounts::Unreported => (flight.marked, again > flight.on_their_way_again()),
        };
        let begins = found > 0 && (state < CaState::Recovery || (state == CaState::Loss && lost_again));
        Found { more: flight.lost > lost, begins }
    }

    /// Returns the time after its departure at which a segment that others have overtaken is lost.
    fn wait(&self, core: &Core, state: CaState, srtt: Option<f64>) -> Time {
        let enough = self.reordering.degree(core.rules.dup_thresh);
        let impatient = state >= CaState::Recovery || core.flight().sacked >= enough;
        let srtt = srtt.unwrap_or(f64::INFINITY);
        let window = self.reordering.window(impatient, self.detection.min_rtt, srtt);
        // Both infinite: no round trip is known, and nothing has been delivered.
        Time::from_secs(self.detection.rtt + if window.is_finite() { window } else { 0.0 })
    }
}

/// Consequences: reductions and departures.
impl Rack {
    /// Answers losses, or a mark. The first segment of a recovery leaves whatever cwnd says (RFC 6675 section 5, step 4.3); a control
    /// that owns the window first says what may be in flight.
    #[inline(always)]
    fn reduce(&mut self, core: &mut View, (delivery, losses): (Delivered, Found), mark: bool) -> Answer {
        let spreads_mark = mark && !losses.begins && core.cc.state_at(core.seq.una) == CaState::Open;
        if losses.begins || spreads_mark {
            self.tlp.reset();
        }
        let follow = Follow { delivery, pipe: core.flight().in_flight(), losses: losses.begins || losses.more };
        let begin = Begin { delivery, falls: false, continues: true };
        let event = match losses.begins {
            true => Event::BeginsWith { ends: false, begin, follow: Some(follow) },
            false if spreads_mark => Event::SpreadsMark(follow),
            false => Event::Follows(follow),
        };
        let leaves = losses.begins && !core.control_owns_window();
        let first = if leaves { Rack::next_lost(core) } else { None };
        Answer { event, first: [first, None], ..Answer::send(SENDS) }
    }

    /// Marks what a timeout shows to be lost (section 6.3).
    fn mark_after_timeout(&mut self, core: &mut View, now: Time) {
        self.rto = Some(expiry(core.rules.recovery.ticks(), now, core.timer.rto.timeout()));
        let wait = self.wait(core, core.cc.state_at(core.seq.una), core.smoothed_rtt());
        core.flight_mut().mark_on_timeout(wait, now);
        self.reported_lost = core.flight().lost_ever;
    }

    /// Looks for losses when the reordering timer expires (section 6.2 step 5). Linux counts a segment that nothing reports
    /// (`tcp_rack_reo_timeout` in net/ipv4/tcp_recovery.c).
    fn on_reordering_timer(&mut self, core: &mut View, now: Time) -> Answer {
        let (una, srtt) = (core.seq.una, core.smoothed_rtt());
        let linux = core.rules.recovery.search() == LossSearch::Linux;
        let units = if linux && !core.cc.repairs(una) { u64::from(core.seq.mss) } else { 0 };
        let delivery = Delivered { units, covered: 0, reported: core.flight().reported };
        self.detection.advanced = true;
        self.may_send = if linux { MaySend::Lost } else { MaySend::All };
        let losses = self.look_for_losses(core, (core.cc.state_at(una), srtt), now);
        self.reduce(core, (delivery, losses), false)
    }

    /// Returns the lowest segment that is lost.
    fn next_lost(core: &mut View) -> Option<Next> {
        let lost = core.flight_mut().next_lost()?;
        let len = u64::from(core.seq.len_at(lost.start)).min(lost.end - lost.start);
        // The first outstanding segment has a whole RTO from now on, as Linux gives it: a lost retransmission of it is RACK's to
        // find.
        Some(Next { restarts: lost.start == core.seq.una, ..Next::again(lost.start, len) })
    }
}

/// True if new data, too, leaves only while the pipe has room.
fn by_pipe(core: &Core) -> bool {
    core.cc.repairs(core.seq.una) || (core.rules.limited_transmit && core.flight().sacked > 0)
}

/// Returns the probe timeout (`TLP_calc_PTO`, section 7.2), without its limit, which is the retransmission timer.
fn probe_timeout(core: &Core) -> f64 {
    let lone = core.seq.flight_size() <= u64::from(core.seq.mss);
    match core.smoothed_rtt() {
        Some(rtt) => 2.0 * rtt + if lone { MAX_ACK_DELAY } else { core.rules.recovery.timer_margin() },
        None => FIRST_PTO,
    }
}

/// RACK's variables: which delivered segment left last, and how long segments take (sections 5.2 and 6.2).
#[derive(Clone, Debug, PartialEq)]
struct Detection {
    /// `RACK.xmit_ts` and `RACK.end_seq`.
    newest: Option<(Time, Seq)>,
    /// `RACK.rtt`, in seconds.
    rtt: f64,
    /// `RACK.min_RTT`, over the connection.
    min_rtt: f64,
    /// `RACK.fack`.
    fack: Seq,
    /// True if something was delivered since losses were last looked for (Linux's `advanced`).
    advanced: bool,
}

impl Default for Detection {
    fn default() -> Detection {
        Detection { newest: None, rtt: 0.0, min_rtt: f64::INFINITY, fack: 0, advanced: false }
    }
}

impl Detection {
    /// Takes in a segment that an ACK reports or covers for the first time (`RACK_update`, `RACK_detect_reordering`). Returns
    /// whether it was overtaken.
    ///
    /// `late`: the echoed timestamp is older than the last transmission. An ACK of out-of-order data echoes that of the last in order
    /// (RFC 7323 section 4.3), so only a cumulative ACK's counts, as in Linux. `exact`: the segment gives a round trip by itself.
    fn delivered(&mut self, sent: &Sent, late: bool, exact: bool, now: Time) -> bool {
        let overtaken = sent.end < self.fack && !sent.resent;
        self.fack = self.fack.max(sent.end);
        let rtt = (now - sent.at).secs();
        if !sent.resent && exact {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        if sent.resent && (late || rtt + CLOCK < self.min_rtt) {
            // What arrived is an earlier transmission.
            return overtaken;
        }
        (self.rtt, self.advanced) = (rtt, true);
        if self.newest.is_none_or(|(at, end)| (sent.at, sent.end) > (at, end)) {
            self.newest = Some((sent.at, sent.end));
        }
        overtaken
    }

    /// Takes in the round trip of an ACK, where segments give none by themselves.
    fn sample(&mut self, rtt: Option<f64>) {
        self.min_rtt = rtt.map_or(self.min_rtt, |rtt| self.min_rtt.min(rtt));
    }
}

/// Reordering seen so far, and how much longer than a round trip RACK therefore waits (sections 3.3.2 and 6.2;
/// `tcp_check_sack_reordering` in net/ipv4/tcp_input.c and `tcp_rack_update_reo_wnd` in net/ipv4/tcp_recovery.c).
#[derive(Clone, Debug, PartialEq)]
struct Reordering {
    seen: bool,
    /// Segments by which one was overtaken, if that was more than usual (`reordering`).
    degree: u64,
    /// `RACK.reo_wnd_mult`, `RACK.reo_wnd_persist`, `RACK.dsack_round`.
    multiple: u32,
    persist: u32,
    round: Option<Seq>,
    /// A DSACK waits to widen the window (`dsack_seen`), and when one last did.
    pending: bool,
    widened: Time,
}

impl Default for Reordering {
    fn default() -> Reordering {
        let (round, widened) = (None, Time::ZERO);
        Reordering { seen: false, degree: 0, multiple: 1, persist: PERSIST, round, pending: false, widened }
    }
}

impl Reordering {
    /// Returns how many segments reported above a hole do not yet show a loss: at least `usual`.
    fn degree(&self, usual: u32) -> u32 {
        (self.degree as u32).max(usual)
    }

    /// Notes a segment that was sent once, arrives, and begins `units` below the end of what has arrived.
    fn overtaken(&mut self, units: u64, mss: u32, usual: u32) {
        let mss = u64::from(mss);
        if units > u64::from(self.degree(usual)) * mss {
            self.degree = units.div_ceil(mss).min(MAX_DEGREE);
        }
        self.seen = true;
    }

    /// Forgets the degree at a timeout after reports that showed no loss (`tcp_enter_loss`).
    fn overestimated(&mut self) {
        self.degree = 0;
    }

    /// Widens the reordering window for an ACK that reports a duplicate (DSACK, RFC 2883), once a round trip.
    fn on_dsack(&mut self, snd_una: Seq, snd_nxt: Seq, dsack: bool) {
        if self.round.is_some_and(|round| snd_una >= round) {
            self.round = None;
        }
        if dsack && self.round.is_none() {
            self.round = Some(snd_nxt);
            self.widen();
        }
    }

    /// In Linux's form: expects a wider window after a DSACK of a retransmission, not of a probe, after reordering.
    fn expect_wider(&mut self) {
        self.pending |= self.seen;
    }

    /// In Linux's form: widens the window, if that is expected. Of what an ACK delivers, the segment sent last left at `newest`.
    fn on_delivery(&mut self, newest: Time, now: Time) {
        self.pending &= newest >= self.widened;
        if std::mem::take(&mut self.pending) {
            self.widened = now;
            self.widen();
        } else if self.persist == 0 {
            self.multiple = 1;
        }
    }

    fn widen(&mut self) {
        self.multiple = (self.multiple + 1).min(255);
        self.persist = PERSIST;
    }

    /// Notes the end of a fast or RTO recovery.
    fn on_exit(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiple = 1;
        }
    }

    /// Notes that DSACKs have undone a reduction.
    fn on_undo(&mut self) {
        self.persist = (self.persist + 1).min(PERSIST);
    }

    /// Returns for how long, in seconds, a segment may be overtaken before it is lost (`RACK_update_reo_wnd`). `impatient`: in
    /// recovery, or with as many segments reported as duplicate ACKs would signal a loss; without reordering so far it then is 0.
    fn window(&self, impatient: bool, min_rtt: f64, srtt: f64) -> f64 {
        if !self.seen && impatient {
            return 0.0;
        }
        (f64::from(self.multiple) * min_rtt / 4.0).min(srtt)
    }
}

/// The probe on its way, and what may follow it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tlp {
    /// `TLP.end_seq`: SND.NXT when it left.
    end: Option<Seq>,
    /// `TLP.is_retrans`.
    resent: bool,
    /// Round-trip samples by then.
    samples: Option<u64>,
}

impl Tlp {
    /// Forgets the probe: a recovery begins.
    fn reset(&mut self) {
        self.end = None;
        self.resent = false;
    }

    /// True if it sent segments again up to `end`, and no ACK has decided.
    fn resent_to(&self, end: Seq) -> bool {
        self.resent && self.end == Some(end)
    }

    /// True if another probe may leave (section 7.3): none is on its way, and the round trip was measured since the last, unless the
    /// rules do not ask for that.
    fn may_send(&self, core: &Core) -> bool {
        let measured = self.samples != Some(core.counters.rtt_samples);
        self.end.is_none() && (measured || core.rules.recovery.probe() == TailProbe::Linux)
    }

    /// Notes a probe that leaves.
    fn sent(&mut self, core: &Core, probe: &Next) {
        let (end, samples) = (core.seq.max.max(probe.end()), core.counters.rtt_samples);
        *self = Tlp { end: Some(end), resent: !probe.in_order, samples: Some(samples) };
    }

    /// Returns true if the probe has repaired a loss, which congestion control must learn of (`TLP_process_ack`, section 7.4.2). The
    /// ACK has not counted yet.
    fn on_ack(&mut self, core: &Core, ack: &Ack) -> bool {
        let Some(end) = self.end.filter(|&end| ack.ack >= end) else { return false };
        let reported = dsack(ack).is_some_and(|block| block.1 == end);
        let duplicate = ack.ack == core.seq.una && ack.sack.is_empty();
        let repaired = self.resent && !reported && ack.ack > end;
        if !self.resent || reported || ack.ack > end || duplicate {
            self.end = None;
        }
        repaired
    }
}
