//! The sender: one conversation's sending half.

use std::sync::Arc;

use acklab_packet::{Ack, Phase, Probe, Time};

use super::control::{CongestionControl, Estimate};
use super::recovery::{LossRecovery, Recovery};
use super::skip::Verdict;
use super::{Core, LastCut, SenderCounters, SenderWire, Supply};
use crate::rules::{SenderRules, UnsentAck};

/// A sending endpoint.
///
/// Feed it ACKs and timer expiries; it sends and sets its timer through the [`SenderWire`] given to each call.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    recovery: Recovery,
    core: Core,
}

/// A sender's state for people and plots, in segments and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct SenderView {
    pub cwnd: f64,
    pub ssthresh: f64,
    pub flight_size: f64,
    pub rto: f64,
    pub in_recovery: bool,
}

impl Sender {
    /// A sender that follows `rules` and has `supply` to send; nothing is sent before [`Sender::start`].
    pub fn new(rules: Arc<SenderRules>, supply: Supply) -> Sender {
        Sender::with_luck(rules, supply, 0)
    }

    /// The same, whose random choices (`skip`, BBR's phases) begin with `luck`: a draw from a stream that belongs to this sender alone,
    /// or [`Sender::luck`] of the connection before this one.
    pub fn with_luck(rules: Arc<SenderRules>, supply: Supply, luck: u64) -> Sender {
        let recovery = Recovery::new(rules.recovery);
        Sender { core: Core::new(rules, supply, luck), recovery }
    }

    /// Where this sender's random choices stand; 0 if its rules make none.
    pub fn luck(&self) -> u64 {
        self.core.rare.skip.as_ref().map_or_else(|| self.core.control.luck(), |skip| skip.luck())
    }

    /// The application opens the connection and hands over everything it has to send.
    pub fn start<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.core.restart_if_idle(now);
        self.recovery.resume(&mut self.core, now, wire);
    }

    /// An ACK arrives.
    #[inline(always)]
    pub fn on_ack<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) {
        self.core.counters.acks_received += 1;
        self.core.must_tell_ack_mark |= ack.ce;
        if ack.ack > self.core.snd_max {
            if self.core.rules.unsent_ack == UnsentAck::Restart {
                self.core.punish();
            }
        } else {
            if self.core.plain {
                if ack.ece {
                    self.core.on_mark_echo(now);
                }
            } else if !self.counts_as_ack(ack, now, wire) {
                return;
            }
            if let Some(most) = self.recovery.on_ack(&mut self.core, ack, now, wire) {
                self.core.send_window_here(most, now, wire);
            }
        }
    }

    /// What those that are not [plain](Core::plain) do with an ACK before it counts; whether it does.
    #[inline(never)]
    fn counts_as_ack<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) -> bool {
        let verdict = if self.core.rare.skip.is_some() { self.core.judge_ack(ack, now, wire) } else { Verdict::Fair };
        if verdict == Verdict::Lies {
            self.core.punish();
        }
        if ack.ece {
            self.core.on_mark_echo(now);
        }
        if verdict == Verdict::Asks {
            // No sign of loss; what else it says counts.
            self.recovery.hear(&self.core, ack);
            return false;
        }
        self.core.tell_control(ack, now);
        if self.core.undo(ack) {
            self.recovery.undone(&mut self.core);
        }
        true
    }

    /// A receiver's keep-alive arrives: a bare ACK answers it at once and touches nothing else (RFC 9293 section 3.8.4;
    /// ledger smartacking.m.rtt).
    pub fn on_probe<W: SenderWire>(&mut self, probe: &Probe, wire: &mut W) {
        let reply = Probe { reply: true, seq: self.core.snd_nxt, ..*probe };
        wire.answer(reply, self.core.rules.control_size);
    }

    /// The application writes `units` more sequence units.
    pub fn write<W: SenderWire>(&mut self, units: u64, now: Time, wire: &mut W) {
        self.core.restart_if_idle(now);
        self.recovery.before_write(&mut self.core);
        self.core.supply(units);
        self.recovery.resume(&mut self.core, now, wire);
    }

    /// The instant asked for with [`SenderWire::arm_pacer`] has come.
    pub fn on_pacer<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.core.pacer_woke();
        self.recovery.resume(&mut self.core, now, wire);
    }

    /// The timer runs out: the retransmission timer, or one of the recovery's own that shares it.
    pub fn on_timeout<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        if self.recovery.on_early_timer(&mut self.core, now, wire) {
            return;
        }
        self.recovery.before_timeout(&mut self.core);
        self.core.time_out(now, wire);
        self.recovery.resume(&mut self.core, now, wire);
    }

    /// Whether everything has been acknowledged.
    #[inline]
    pub fn done(&self) -> bool {
        self.core.done()
    }

    /// The phase in which an ACK's credit last grew the window, once: untold if it did not since the last call.
    #[inline]
    pub fn take_growth(&mut self) -> Phase {
        std::mem::take(&mut self.core.grown_in)
    }

    /// Counts so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.core.counters
    }

    /// The shared state, for measurements and tests.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// What plots show.
    pub fn view(&self) -> SenderView {
        let mss = f64::from(self.core.mss);
        SenderView {
            cwnd: self.core.cwnd / mss,
            ssthresh: self.core.ssthresh / mss,
            flight_size: self.core.flight_size() as f64 / mss,
            rto: self.core.rto.timeout(),
            in_recovery: self.core.last_cut == LastCut::FastRetransmit && self.core.snd_una < self.core.recover,
        }
    }

    /// What the congestion control believes of the path, if it watches delay.
    pub fn estimate(&self) -> Option<Estimate> {
        self.core.control.estimate()
    }

    /// Units that a SACK recovery believes to be in the network, while it is on.
    pub fn pipe(&self) -> Option<u64> {
        self.recovery.pipe(&self.core)
    }

    /// Payload bytes acknowledged so far.
    pub fn bytes_acked(&self) -> u64 {
        let core = &self.core;
        let control = u64::from(core.rules.syn && core.snd_una > 0) + u64::from(core.rules.fin && core.done());
        let units = core.snd_una - control;
        if core.mss == 1 && core.rules.sequence == crate::rules::Sequence::Segments {
            units * u64::from(core.rules.packet)
        } else {
            units
        }
    }

    /// Cumulatively acknowledged segments, SYN and FIN counted as one each.
    pub fn segments_acked(&self) -> u64 {
        let core = &self.core;
        let control = u64::from(core.rules.syn && core.snd_una > 0) + u64::from(core.rules.fin && core.done());
        (core.snd_una - control).div_ceil(u64::from(core.mss)) + control
    }
}
