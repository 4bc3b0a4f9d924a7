//! What every sender keeps and does, whatever its recovery. Its further parts have files of their own: what leaves, what
//! moves the window, the timer, pacing.

use std::sync::Arc;

use acklab_packet::{Ack, Phase, Seq, Time};

use super::SenderWire;
use super::control::Control;
use super::credit::Credit;
use super::delivery::Delivery;
use super::frto::Suspicion;
use super::rto::Rto;
use super::send_times::SendTimes;
use super::skip::Skip;
use super::undo::Reduction;
use super::validation::Usage;
use crate::rules::{SenderRules, Sequence, TimerRestart, Undo};

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

/// What a sender counts; first what always moves.
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
    /// ACKs that were caught covering what was never sent, where the rules punish that.
    pub false_acks: u32,
    /// Reductions taken back.
    pub undone: u32,
    pub rtt_samples: u64,
    /// Sum of the samples, in seconds.
    pub rtt_sum: f64,
    /// Last sample, in seconds.
    pub rtt_last: f64,
    /// Least sample, in seconds; infinite before the first.
    pub rtt_min: f64,
    /// Segments reported as duplicates (DSACK), where the rule `undo` reads that.
    pub duplicates: u64,
}

/// The state that all recoveries share. Sequence numbers and windows are in sequence units.
///
/// Laid out as declared: the timeout, which ends `rto`, then what every ACK and every segment sent touch, which `counters`
/// begins with, then the rest. With many flows a sender's state has left the fastest cache by the time its next ACK comes,
/// and each line of 64 bytes costs.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Core {
    /// The retransmission timer's arithmetic.
    pub rto: Rto,
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
    /// Receiver's advertised window.
    pub wnd: u64,
    /// The stack's rule table.
    pub rules: Arc<SenderRules>,
    /// The segment being timed: one past its last unit, and when it left.
    pub(super) timed: Option<(Seq, Time)>,
    pub(super) last_sent: Time,
    /// Units sent by Limited Transmit since the last new ACK; they do not count as FlightSize (RFC 5681 section 3.2).
    pub limited: u64,
    /// Units in a full segment: 1 when segments are counted.
    pub mss: u32,
    /// Wire bytes of a full segment.
    pub(super) full_bytes: u32,
    /// Duplicate ACKs in a row.
    pub dupacks: u32,
    pub(super) timer_on: bool,
    /// An ACK came marked; the next segment tells the receiver.
    pub(super) must_tell_ack_mark: bool,
    /// Nothing in `restrained` and `tells`, and nobody hears of each segment and ACK, nor looks for what to take back: a
    /// full segment of new data is sent without asking further.
    pub(super) plain: bool,
    /// The phase in which credit last grew the window, until somebody asks ([`super::Sender::take_growth`]).
    pub(super) grown_in: Phase,
    pub(super) control: Control,
    pub(super) credit: Credit,
    /// `snd_max` when the last reduction began (RFC 6582's "recover", plus one).
    pub recover: Seq,
    /// Why the window was last reduced.
    pub last_cut: LastCut,
    /// Whether pacing or skipping may hold back what the window allows.
    pub(super) restrained: bool,
    /// Whether segments tell more than where they belong: a phase, a window, congestion.
    pub(super) tells: bool,
    pub(super) must_tell_cwr: bool,
    pub(super) pacer_on: bool,
    /// Counts for the flow's row.
    pub counters: SenderCounters,
    /// Round-trip samples smoothed with gain 1/8, whatever clock the timer uses, in seconds.
    pub(super) smoothed: f64,
    pub(super) initial_window: f64,
    /// When pacing lets the next segment go.
    pub(super) next_send: Time,
    /// Segments that may go with the last one that pacing let go.
    pub(super) burst_left: u32,
    /// One past the last small segment's last unit (Minshall's variant of Nagle's rule).
    pub(super) small_end: Seq,
    /// For controls that listen; else it costs nothing.
    pub(super) send_times: Option<Box<SendTimes>>,
    /// What only some rules need.
    pub(super) rare: Box<Rare>,
}

/// What only some rules need, each where it is needed; apart, so that a sender of any rules takes as few cache lines.
#[derive(Clone, Debug)]
pub(super) struct Rare {
    pub(super) skip: Option<Box<Skip>>,
    /// The last reduction, where it may be taken back.
    pub(super) reduction: Option<Box<Reduction>>,
    /// The last timeout, while it may turn out to be spurious.
    pub(super) suspicion: Option<Box<Suspicion>>,
    /// How much of the window is used, where that matters.
    pub(super) usage: Option<Box<Usage>>,
    /// Delivery rates, where the control goes by them.
    pub(super) delivery: Option<Box<Delivery>>,
}

impl Core {
    pub(super) fn new(rules: Arc<SenderRules>, supply: Supply, luck: u64) -> Core {
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
        let control = Control::of_sender(rules.control, rules.slow_start, payload, luck);
        let rated = matches!(control, Control::Bbr(_));
        let usage = Usage::new(rules.validation);
        let skip = Skip::new(rules.skip, luck);
        let restrained = rules.pacing != 0.0 || skip.is_some() || rated;
        let tells = rules.tell_phase || rules.tell_window || rules.ecn || rules.packet_numbers;
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
            send_times: control.listens().then(Box::default),
            credit: Credit::new(rules.credit, &rules.control),
            timed: None,
            timer_on: false,
            initial_window: rules.initial_window,
            grown_in: Phase::Untold,
            last_sent: Time::ZERO,
            must_tell_cwr: false,
            must_tell_ack_mark: false,
            next_send: Time::ZERO,
            burst_left: 0,
            pacer_on: false,
            small_end: 0,
            plain: !restrained && !tells && !control.listens() && rules.undo == Undo::Off && usage.is_none(),
            restrained,
            rare: Box::new(Rare {
                skip,
                reduction: None,
                suspicion: None,
                usage,
                delivery: rated.then(|| Box::new(Delivery::new(mss))),
            }),
            tells,
            control,
            full_bytes: data_bytes(&rules, mss),
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
        // Signed, which the processor converts at once.
        (self.cwnd as i64 as u64 + self.inflation).min(self.wnd)
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
        // What was sent before is not sent again in one segment with what was not.
        let known = self.limit - u64::from(self.rules.fin);
        let end = if seq < self.snd_max { known.min(self.snd_max) } else { known };
        if seq >= end { 1 } else { u64::from(self.mss).min(end - seq) as u32 }
    }

    /// Moves `snd_una` to a new cumulative ACK: timer, round-trip sample, duplicate count. Does not grow the window.
    #[inline(always)]
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
            self.rto.reset_backoff(&self.rules);
            if !self.rules.timestamps {
                self.sample(now - sent, now, flight);
            }
        }
        if !before {
            self.restart_timer(ack.ack, now, wire);
        }
    }

    /// Handles an ACK of new data outside recovery: [`Core::advance`], then growth, unless `grow` is off.
    pub fn new_ack<W: SenderWire>(&mut self, ack: &Ack, grow: bool, now: Time, wire: &mut W) {
        let acked = ack.ack - self.snd_una;
        let grow = grow && !(ack.ece && self.rules.ecn) && (self.plain || self.in_use());
        self.advance(ack, now, wire);
        if self.rules.syn && ack.ack == 1 {
            // The handshake is over: the initial window, not growth (RFC 5681 section 3.1).
            self.cwnd = self.initial_window * f64::from(self.mss);
            self.rto.handshake_done(&self.rules);
        } else if grow {
            self.grow(acked, now);
        }
    }

    /// The application hands over `units` more.
    pub(super) fn supply(&mut self, units: u64) {
        self.limit = (self.limit + units).min(u64::MAX / 4);
    }
}

/// Wire bytes of a data segment that carries `len` units.
pub(super) fn data_bytes(rules: &SenderRules, len: u32) -> u32 {
    let payload = if rules.sequence == Sequence::Segments { len * rules.packet } else { len };
    let option = if rules.timestamps && rules.header > 0 { rules.timestamp_bytes } else { 0 };
    payload + rules.header + option
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn what_every_ack_moves_fills_three_cache_lines() {
        // A flow puts the sender, which begins with 16 bytes of recovery, at the beginning of a line.
        let lines = [offset_of!(Core, snd_una), offset_of!(Core, rules), offset_of!(Core, control)];
        assert_eq!(lines.map(|at| (at + 16) % 64), [0; 3]);
        assert_eq!(offset_of!(Core, counters), offset_of!(Core, snd_una) + 3 * 64 - 16);
    }
}
