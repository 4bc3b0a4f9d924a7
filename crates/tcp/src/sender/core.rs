//! What every sender keeps and does, whatever its recovery: the window, the timer, the round-trip clock.

use std::sync::Arc;

use acklab_packet::{Ack, Phase, Segment, Seq, Time};

use super::SenderWire;
use super::control::{CongestionControl, Control};
use super::credit::{Covered, Credit, WindowCredit};
use super::rto::Rto;
use crate::rules::{Halving, IdleRestart, RecoveryExit, SenderRules, Sequence, TimerRestart};

/// What a sender has been given to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// That many full segments.
    Segments(u64),
    /// That many payload bytes.
    Bytes(u64),
    /// No end.
    Unlimited,
}

/// Why the window was last reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCut {
    /// It never was.
    None,
    /// Fast retransmit, and the recovery it began is still on.
    FastRetransmit,
    /// Fast retransmit, and its recovery is over.
    Exited,
    /// A retransmission timeout.
    Timeout,
    /// The connection was idle.
    Idle,
    /// A congestion mark.
    Mark,
}

/// What a sender counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct SenderCounters {
    /// SYNs, FINs and retransmits included.
    pub segments_sent: u64,
    pub syns_sent: u64,
    pub retransmits: u64,
    pub timeouts: u64,
    pub fast_retransmits: u64,
    /// Reductions of cwnd, those of an idle restart included.
    pub window_cuts: u64,
    pub acks_received: u64,
    pub rtt_samples: u64,
    /// Sum of the samples, in seconds.
    pub rtt_sum: f64,
    /// Last sample, in seconds.
    pub rtt_last: f64,
    /// Least sample, in seconds; infinite before the first.
    pub rtt_min: f64,
}

/// The state that all recoveries share. Sequence numbers and windows are in sequence units.
#[derive(Clone, Debug)]
pub struct Core {
    /// The stack's rule table.
    pub rules: Arc<SenderRules>,
    /// Units in a full segment: 1 when segments are counted.
    pub mss: u32,
    /// Receiver's advertised window.
    pub wnd: u64,
    /// Oldest unacknowledged unit.
    pub snd_una: Seq,
    /// Next unit to send; falls back to `snd_una` on a timeout.
    pub snd_nxt: Seq,
    /// One past the highest unit ever sent.
    pub snd_max: Seq,
    /// One past the last unit there is to send, SYN and FIN included.
    pub limit: Seq,
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
    /// Window inflation by duplicate ACKs (Reno and NewReno in recovery).
    pub inflation: u64,
    /// Duplicate ACKs in a row.
    pub dupacks: u32,
    /// `snd_max` when the last reduction began (RFC 6582's "recover", plus one).
    pub recover: Seq,
    /// Why the window was last reduced.
    pub last_cut: LastCut,
    /// The retransmission timer's arithmetic.
    pub rto: Rto,
    /// Counts for the flow's row.
    pub counters: SenderCounters,
    /// Units sent by Limited Transmit since the last new ACK; they do not count as FlightSize (RFC 5681 section 3.2).
    pub limited: u64,
    control: Control,
    credit: Credit,
    /// The segment being timed: one past its last unit, and when it left.
    timed: Option<(Seq, Time)>,
    timer_on: bool,
    initial_window: f64,
    last_sent: Time,
    must_tell_cwr: bool,
    /// When pacing lets the next segment go.
    next_send: Time,
    pacer_on: bool,
    /// Round-trip samples smoothed with gain 1/8, whatever clock the timer uses, in seconds.
    smoothed: f64,
}

impl Core {
    pub(super) fn new(rules: Arc<SenderRules>, supply: Supply) -> Core {
        let (mss, payload) = match rules.sequence {
            Sequence::Segments => (1, rules.packet),
            Sequence::Bytes => {
                let option = if rules.timestamps && rules.options_in_packet { rules.timestamp_bytes } else { 0 };
                let payload = rules.packet.saturating_sub(option).max(1);
                (payload, payload)
            }
        };
        let data = match supply {
            Supply::Segments(n) => n.saturating_mul(u64::from(mss)),
            Supply::Bytes(bytes) => bytes.div_ceil(u64::from(if mss == 1 { payload } else { 1 })),
            Supply::Unlimited => u64::MAX / 4,
        };
        let wnd = rules.window.units(mss, payload);
        let in_units = |segments: f64| segments * f64::from(mss);
        let before_syn = if rules.syn { rules.window_before_syn_ack } else { rules.initial_window };
        Core {
            mss,
            wnd,
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            limit: data.min(u64::MAX / 4) + u64::from(rules.syn) + u64::from(rules.fin),
            cwnd: in_units(before_syn),
            ssthresh: if rules.initial_ssthresh > 0.0 { in_units(rules.initial_ssthresh) } else { wnd as f64 },
            inflation: 0,
            dupacks: 0,
            recover: 1,
            last_cut: LastCut::None,
            rto: Rto::new(&rules),
            counters: SenderCounters { rtt_min: f64::INFINITY, ..SenderCounters::default() },
            limited: 0,
            control: Control::new(rules.control),
            credit: Credit::new(rules.credit),
            timed: None,
            timer_on: false,
            initial_window: rules.initial_window,
            last_sent: Time::ZERO,
            must_tell_cwr: false,
            next_send: Time::ZERO,
            pacer_on: false,
            smoothed: 0.0,
            rules,
        }
    }

    /// Units sent and not cumulatively acknowledged (RFC 5681 section 2).
    #[inline]
    pub fn flight_size(&self) -> u64 {
        self.snd_max - self.snd_una
    }

    /// Units that may be outstanding: the congestion window with its inflation, within the advertised one.
    #[inline]
    pub fn window(&self) -> u64 {
        (self.cwnd as u64 + self.inflation).min(self.wnd)
    }

    /// Whether everything there is to send has been acknowledged.
    #[inline]
    pub fn done(&self) -> bool {
        self.snd_una >= self.limit
    }

    /// Units of the segment that starts at `seq`.
    #[inline]
    pub fn len_at(&self, seq: Seq) -> u32 {
        if self.rules.syn && seq == 0 {
            return 1;
        }
        let data_end = self.limit - u64::from(self.rules.fin);
        if seq >= data_end { 1 } else { u64::from(self.mss).min(data_end - seq) as u32 }
    }

    /// Sends `len` units from `seq`, times the segment if it is new and none is being timed, and sets the timer if it
    /// is off or nothing was outstanding.
    pub fn transmit<W: SenderWire>(&mut self, seq: Seq, len: u32, now: Time, wire: &mut W) {
        let idle = self.snd_una == self.snd_max;
        let end = seq + u64::from(len);
        let retransmit = seq < self.snd_max;
        let syn = self.rules.syn && seq == 0;
        let fin = self.rules.fin && end == self.limit;
        let phase = match (self.rules.tell_phase, self.in_slow_start()) {
            (false, _) => Phase::Untold,
            (true, true) => Phase::SlowStart,
            (true, false) => Phase::CongestionAvoidance,
        };
        // Neither SYNs nor retransmissions may be marked (RFC 3168 section 6.1.5), and CWR goes with new data.
        let ect = self.rules.ecn && !syn && !retransmit;
        let cwr = ect && std::mem::take(&mut self.must_tell_cwr);
        self.counters.segments_sent += 1;
        self.counters.syns_sent += u64::from(syn);
        self.last_sent = now;
        let segment = Segment { seq, len, syn, fin, retransmit, ect, ce: false, cwr, phase, ts_val: now };
        wire.send(segment, self.wire_bytes(len, syn || fin));
        if retransmit {
            self.counters.retransmits += 1;
        } else {
            self.snd_max = end;
            if self.timed.is_none() {
                self.timed = Some((end, now));
            }
        }
        if idle || !self.timer_on {
            self.arm(now, wire);
        }
    }

    #[inline]
    fn wire_bytes(&self, len: u32, control: bool) -> u32 {
        let rules = &*self.rules;
        if control {
            return rules.control_size;
        }
        let payload = if rules.sequence == Sequence::Segments { len * rules.packet } else { len };
        let option = if rules.timestamps && rules.header > 0 { rules.timestamp_bytes } else { 0 };
        payload + rules.header + option
    }

    /// Whether pacing lets a segment go now; if not, the wire wakes the sender when it does.
    ///
    /// A window is spread over `pacing` smoothed round trips (ledger smartacking.m.pacing). Retransmissions that
    /// duplicate ACKs call for do not ask.
    #[inline]
    pub fn may_send_now<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> bool {
        self.rules.pacing == 0.0 || self.pace(now, wire)
    }

    fn pace<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> bool {
        if now < self.next_send {
            if !self.pacer_on {
                self.pacer_on = true;
                wire.arm_pacer(self.next_send);
            }
            return false;
        }
        let window = self.cwnd.min(self.wnd as f64) / f64::from(self.mss);
        if let Some(rtt) = self.smoothed_rtt() {
            self.next_send = now + Time::from_secs(self.rules.pacing * rtt / window.max(1.0));
        }
        true
    }

    /// The pacer's instant has come.
    pub(super) fn pacer_woke(&mut self) {
        self.pacer_on = false;
    }

    fn smoothed_rtt(&self) -> Option<f64> {
        (self.counters.rtt_samples > 0).then_some(self.smoothed)
    }

    /// Sends from `snd_nxt` while the window allows, at most `max_burst` segments (0: no limit).
    pub fn send_window<W: SenderWire>(&mut self, max_burst: u32, now: Time, wire: &mut W) {
        let mut sent = 0;
        while self.snd_nxt < self.limit {
            let len = self.len_at(self.snd_nxt);
            if self.snd_nxt + u64::from(len) > self.snd_una + self.window() {
                break;
            }
            if !self.may_send_now(now, wire) {
                break;
            }
            self.transmit(self.snd_nxt, len, now, wire);
            self.snd_nxt += u64::from(len);
            sent += 1;
            if sent == max_burst {
                break;
            }
        }
    }

    /// Limited Transmit (RFC 3042): one new segment for an early duplicate ACK, if both windows allow.
    pub fn send_limited<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        let resending = self.rules.limited_transmit_new_only && self.snd_nxt < self.snd_max;
        if !self.rules.limited_transmit || self.snd_nxt >= self.limit || resending {
            return;
        }
        let len = self.len_at(self.snd_nxt);
        let mss = f64::from(self.mss);
        // In ns-2's order of additions, so that a fractional cwnd decides alike.
        let allowed = (self.snd_una as f64 - mss) + self.cwnd + f64::from(self.dupacks) * mss;
        let end = self.snd_nxt + u64::from(len);
        if end <= self.snd_una + self.wnd && end as f64 - mss <= allowed {
            self.transmit(self.snd_nxt, len, now, wire);
            self.snd_nxt = end;
            self.limited += u64::from(len);
        }
    }

    /// Sets the timer to a full RTO from now.
    pub fn arm<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.timer_on = true;
        wire.arm(now + Time::from_secs(self.rto.timeout(&self.rules)));
    }

    /// Restarts the timer for an ACK of new data, or stops it when nothing is left to time (RFC 6298 (5.2), (5.3)).
    ///
    /// ns-2 leaves it on even then, and later restarts an idle connection by it.
    pub fn restart_timer<W: SenderWire>(&mut self, ack: Seq, now: Time, wire: &mut W) {
        let keep = match self.rules.idle_restart {
            IdleRestart::Timer | IdleRestart::TimerKeepsWindow => {
                self.snd_nxt >= ack || ack < self.snd_max || self.cwnd < f64::from(self.mss)
            }
            // A window that ns-2's halving left below one segment opens again by timeout only.
            IdleRestart::Rfc5681 | IdleRestart::Off => ack < self.snd_max || self.cwnd < f64::from(self.mss),
        };
        if keep {
            self.arm(now, wire);
        } else if self.timer_on {
            self.timer_on = false;
            wire.disarm();
        }
    }

    /// Abandons the segment being timed: it may be retransmitted (Karn; RFC 6298 section 3).
    pub fn stop_timing(&mut self) {
        self.timed = None;
    }

    /// A partial ACK that gives no sample ends the timing of what it covers, and backoff with it.
    pub fn drop_covered_timing(&mut self, ack: Seq) {
        if self.timed.is_some_and(|(end, _)| ack >= end) {
            self.timed = None;
            self.rto.reset_backoff();
        }
    }

    /// Moves `snd_una` to a new cumulative ACK: timer, round-trip sample, duplicate count. Does not grow the window.
    pub fn advance<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) {
        let before = self.rules.timer_restart == TimerRestart::BeforeRttUpdate;
        if before {
            self.restart_timer(ack.ack, now, wire);
        }
        self.dupacks = 0;
        self.limited = 0;
        let flight = self.flight_size();
        self.snd_una = ack.ack;
        self.snd_nxt = self.snd_nxt.max(ack.ack);
        if self.rules.timestamps {
            self.sample(now - ack.ts_ecr, now, flight);
        }
        if let Some((end, sent)) = self.timed
            && ack.ack >= end
        {
            self.timed = None;
            self.rto.reset_backoff();
            if !self.rules.timestamps {
                self.sample(now - sent, now, flight);
            }
        }
        if !before {
            self.restart_timer(ack.ack, now, wire);
        }
    }

    fn sample(&mut self, elapsed: Time, now: Time, flight: u64) {
        let counters = &mut self.counters;
        let weight = if counters.rtt_samples == 0 { 1.0 } else { 0.125 };
        self.smoothed += weight * (elapsed.secs() - self.smoothed);
        counters.rtt_samples += 1;
        counters.rtt_sum += elapsed.secs();
        counters.rtt_last = elapsed.secs();
        counters.rtt_min = counters.rtt_min.min(elapsed.secs());
        // RFC 7323 appendix G: a sample an ACK must not shorten the filter's memory.
        let expected = if self.rules.timestamps { flight.div_ceil(2 * u64::from(self.mss)).max(1) } else { 1 };
        self.rto.sample(elapsed.secs(), now.secs(), expected, &self.rules);
    }

    /// Handles an ACK of new data outside recovery: [`Core::advance`], then growth, unless `grow` is off.
    pub fn new_ack<W: SenderWire>(&mut self, ack: &Ack, grow: bool, now: Time, wire: &mut W) {
        let acked = ack.ack - self.snd_una;
        let grow = grow && !(ack.ece && self.rules.ecn);
        self.advance(ack, now, wire);
        if self.rules.syn && ack.ack == 1 {
            // The handshake is over: the initial window, not growth (RFC 5681 section 3.1).
            self.cwnd = self.initial_window * f64::from(self.mss);
            self.rto.handshake_done();
        } else if grow {
            self.grow(acked);
        }
    }

    fn grow(&mut self, acked: u64) {
        let mss = f64::from(self.mss);
        let worth = self.credit.worth(&Covered {
            acked: acked as f64,
            mss,
            cwnd: self.cwnd,
            slow_start: self.in_slow_start(),
            after_timeout: self.last_cut == LastCut::Timeout && self.snd_una - acked < self.recover,
        });
        self.grow_by(worth.first, mss);
        for _ in 0..worth.times {
            self.grow_by(worth.then, mss);
        }
    }

    #[inline]
    fn grow_by(&mut self, credit: f64, mss: f64) {
        if credit > 0.0 {
            let increment = self.control.increase(self.cwnd, self.ssthresh, credit, mss);
            // Bytes are whole, and at least one (RFC 5681 section 3.1).
            self.cwnd += if self.rules.sequence == Sequence::Bytes { increment.floor().max(1.0) } else { increment };
        }
    }

    /// Whether `cwnd` is below `ssthresh`.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Whether three duplicate ACKs may start a recovery now.
    pub fn may_fast_retransmit(&self) -> bool {
        use crate::rules::SecondFastRetransmit::*;
        // With no FlightSize an ACK that repeats is no sign of loss (RFC 5681 section 2, DUPLICATE ACKNOWLEDGMENT). To
        // ns-2 it is, while there is data to send.
        let flightless = self.rules.halving == Halving::FlightSize && self.snd_una == self.snd_max;
        if flightless || self.done() {
            return false;
        }
        // Nothing but a SYN was ever out at a reduction: `recover` is still the initial sequence number (RFC 6582 section
        // 3.2 step 1), and the first data is past it. ns-2 says so of the first segment whatever happened before.
        let first = if self.rules.halving == Halving::FlightSize { self.recover <= 1 } else { self.snd_una == 1 };
        self.snd_una > self.recover
            || first
            || self.last_cut == LastCut::Mark
            || match self.rules.second_fast_retransmit {
                Always => true,
                Never => false,
                UnlessTimeout => self.last_cut != LastCut::Timeout,
            }
    }

    /// Reduces the window because of `cause`: ssthresh to half of what was in use, cwnd to that or to one segment.
    pub fn cut(&mut self, cause: LastCut) {
        let mss = f64::from(self.mss);
        self.counters.window_cuts += 1;
        let in_use = match self.rules.halving {
            Halving::Precise => (self.cwnd + self.inflation as f64).min(self.wnd as f64),
            Halving::Integer => self.window() as f64,
            Halving::FlightSize => (self.flight_size() - self.limited.min(self.flight_size())) as f64,
        };
        let mut target = self.control.reduced(in_use);
        if self.rules.halving == Halving::Integer {
            target = target.floor();
        }
        // A segment that times out again leaves ssthresh alone (RFC 5681 section 3.1).
        let again = self.rules.halving == Halving::FlightSize && cause == LastCut::Timeout && self.rto.backed_off();
        if cause != LastCut::Idle && !again {
            self.ssthresh = target.floor().max(2.0 * mss);
        }
        self.cwnd = match (cause, self.rules.halving) {
            (LastCut::FastRetransmit | LastCut::Mark, Halving::FlightSize) => self.ssthresh,
            (LastCut::FastRetransmit | LastCut::Mark, _) => target,
            _ => mss,
        };
        self.last_cut = cause;
    }

    /// An ACK echoes a congestion mark: at most once a window, halve as for a loss (RFC 3168 section 6.1.2).
    ///
    /// With nothing outstanding the echo is a repeat; and no timer would open a window that ns-2's halving closes.
    pub fn on_mark_echo(&mut self) {
        let due = self.snd_una >= self.recover && self.snd_una < self.snd_max;
        if self.rules.ecn && due && self.last_cut != LastCut::FastRetransmit {
            self.recover = self.snd_max;
            self.cut(LastCut::Mark);
            self.must_tell_cwr = true;
        }
    }

    /// What Reno, NewReno and both SACKs do first when duplicate ACKs signal a loss: note the window's end, halve,
    /// restart the timer. The caller sends.
    pub fn begin_recovery<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.counters.fast_retransmits += 1;
        // A window that a mark has just halved is not halved again for a loss (RFC 3168 section 6.1.2).
        if self.last_cut == LastCut::Mark && self.snd_una < self.recover {
            self.last_cut = LastCut::FastRetransmit;
        } else {
            self.cut(LastCut::FastRetransmit);
        }
        self.recover = self.snd_max;
        self.arm(now, wire);
        self.stop_timing();
    }

    /// Whether credit is due for the ACK that ends a recovery.
    pub fn grows_on_exit(&self) -> bool {
        self.rules.recovery_exit != RecoveryExit::Rfc6582
    }

    /// Reduces the window after a timeout (or an idle period), backs off, and returns to `snd_una`.
    pub(super) fn time_out<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        let idle = self.snd_una == self.snd_max;
        self.timer_on = false;
        self.cwnd = self.cwnd.max(f64::from(self.mss));
        if !(idle && self.rules.idle_restart == IdleRestart::TimerKeepsWindow) {
            self.recover = self.snd_max;
            if self.snd_una == 0 && self.rules.first_loss_resets_initial_window {
                self.initial_window = self.initial_window.min(1.0);
            }
            self.counters.timeouts += u64::from(!idle);
            self.cut(if idle { LastCut::Idle } else { LastCut::Timeout });
        }
        if !idle {
            self.rto.back_off(&self.rules);
            self.credit.on_timeout();
        }
        self.arm(now, wire);
        self.snd_nxt = self.snd_una;
        self.stop_timing();
    }

    /// The application hands over `units` more.
    pub(super) fn supply(&mut self, units: u64) {
        self.limit = (self.limit + units).min(u64::MAX / 4);
    }

    /// After an idle RTO, starts again from the initial window (RFC 5681 section 4.1).
    pub(super) fn restart_if_idle(&mut self, now: Time) {
        let idle = self.snd_una == self.snd_max && self.snd_max > 0;
        if idle && self.rules.idle_restart == IdleRestart::Rfc5681 {
            let rto = self.rto.timeout(&self.rules);
            if (now - self.last_sent).secs() > rto {
                self.cwnd = self.cwnd.min(self.initial_window * f64::from(self.mss));
            }
        }
    }
}
