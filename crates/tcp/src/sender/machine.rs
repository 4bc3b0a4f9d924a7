//! The sender: one conversation's sending half.

use std::sync::Arc;

use acklab_packet::{Ack, Ecn, Phase, Probe, Time};

use super::answers::Answers;
use super::congestion::CaState;
use super::congestion::control::{CongestionControl, Control, Estimate, ModelView, Needs};
use super::congestion::slow_start::SlowStart;
use super::congestion::undo::Sign;
use super::recovery::{Counts, LossRecovery, Recovery, each};
use super::sequence::{data_bytes, payload};
use super::skip::SkipSign;
use super::{Core, SenderCounters, SenderWire, Supply};
use crate::rules::{Pacing, PieceEffect, SenderRules, UnsentAck};

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
    /// What the recovery counts as on its way: neither acknowledged nor reported, and not believed lost unless it was sent again.
    pub in_flight: f64,
    pub rto: f64,
    pub in_recovery: bool,
}

impl Sender {
    /// A sender that follows `rules` and has `supply` to send; nothing is sent before [`Sender::start`].
    pub fn new(rules: Arc<SenderRules>, supply: Supply) -> Sender {
        Sender::with_seed(rules, supply, 0)
    }

    /// The same, whose random numbers (`skip`, some controls) begin with `seed`: a draw from a stream that belongs to this sender
    /// alone, or [`Sender::seed`] of the connection before this one.
    pub fn with_seed(rules: Arc<SenderRules>, supply: Supply, seed: u64) -> Sender {
        let control = Control::of(&rules, payload(&rules), seed);
        let slow_start = SlowStart::of(&rules, &control.traits());
        Sender { recovery: Recovery::new(rules.recovery), core: Core::new(rules, supply, control, slow_start, seed) }
    }

    /// The same with this congestion control instead of the rules' own, and with the standard's slow start.
    pub fn with_control(rules: Arc<SenderRules>, supply: Supply, seed: u64, control: Control) -> Sender {
        Sender { recovery: Recovery::new(rules.recovery), core: Core::new(rules, supply, control, None, seed) }
    }

    /// State of this sender's random numbers; 0 if its rules draw none.
    pub fn seed(&self) -> u64 {
        self.core.extras.skip.as_ref().map_or_else(|| self.core.cc.control().seed(), |skip| skip.seed())
    }

    /// The application opens the connection and hands over everything it has to send.
    pub fn start<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.core.restart_if_idle(now);
        self.resume(now, wire);
    }

    /// An ACK arrives.
    #[inline(always)]
    pub fn on_ack<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) {
        self.core.counters.acks_received += 1;
        self.core.notices.ack_mark |= ack.ecn == Ecn::Ce;
        let read;
        let ack = if !self.core.fast_path && self.core.extras.feedback.is_some() {
            read = self.core.read_marks(ack);
            &read
        } else {
            ack
        };
        let whole;
        let ack = if !self.core.fast_path && self.core.rules.sequence.pieces() != PieceEffect::Slide {
            let Some(of_segments) = self.count_segments(ack, now) else { return };
            whole = of_segments;
            &whole
        } else {
            ack
        };
        if ack.ack > self.core.seq.max {
            if self.core.rules.unsent_ack == UnsentAck::Restart {
                self.core.restart_for_false_ack();
            }
        } else {
            if self.core.fast_path {
                each!(&mut self.recovery, recovery => recovery.judge(&mut self.core.view(), ack, Sign::default(), now));
            } else if !self.judge_with_extras(ack, now, wire) {
                return;
            }
            if ack.ece {
                self.core.on_mark_echo(ack, now);
            }
            match each!(&mut self.recovery, recovery => recovery.count(&self.core, ack, now)) {
                Counts::Ordinary => {
                    self.core.new_ack(ack, true, now, wire);
                    self.core.send_window_here(self.core.rules.max_burst, now, wire);
                }
                Counts::As(before, data) => {
                    let core = &mut self.core;
                    each!(&mut self.recovery, recovery => Answers { core, recovery }.ack(ack, (before, data), now, wire));
                }
            }
            if self.core.repairing {
                self.core.repair_may_end(now);
            }
        }
    }

    /// Returns the ACK of the whole segments that an ACK covers. If it covers only a part of one, the window grows, except in
    /// fast recovery.
    #[cold]
    fn count_segments(&mut self, ack: &Ack, now: Time) -> Option<Ack> {
        let core = &mut self.core;
        let (una, mss) = (core.seq.una, u64::from(core.seq.mss));
        let part = if ack.ack < core.seq.max { ack.ack.saturating_sub(una) % mss } else { 0 };
        if part == 0 || ack.ack - part > una {
            return Some(Ack { ack: ack.ack - part, ..*ack });
        }
        if core.cc.state_at(una) != CaState::Recovery {
            core.grow(0, 0, now);
        }
        None
    }

    /// Judges an ACK in a sender that has no [fast path](Core::fast_path), whose control may need its event. Returns whether the ACK
    /// counts.
    #[inline(never)]
    fn judge_with_extras<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) -> bool {
        if ack.syn && self.core.rules.handshake_ack && self.core.seq.una > 0 {
            // A repeated answer to the SYN says nothing, and is answered at once (RFC 9293 section 3.10.7.4).
            let seq = self.core.seq.nxt;
            wire.answer(Probe { number: 0, reply: true, seq }, data_bytes(&self.core.rules, 0));
            return false;
        }
        if self.core.rules.reads_window {
            self.core.read_window(ack);
        }
        if self.answers_skip(ack, now, wire) {
            return false;
        }
        if matches!(self.core.rules.pacing, Pacing::Bursts { .. }) {
            self.note_round_trip(ack, now);
        }
        let sign = self.core.weigh(ack);
        let finding = each!(&mut self.recovery, it => it.judge(&mut self.core.view(), ack, sign, now));
        if finding.justified {
            self.core.may_not_be_undone();
        }
        if let Some((elapsed, flight)) = finding.round_trip {
            self.core.sample(elapsed, flight, now);
        }
        each!(&mut self.recovery, it => it.find_losses(&mut self.core.view(), ack, now));
        if finding.spurious {
            self.core.undo_reduction();
        }
        if self.core.has_ack_events() {
            let report = self.recovery.report(&self.core, ack);
            self.core.notify_control(ack, &report, now);
        }
        self.core.restore_windows(now);
        true
    }

    /// Hands the pacer the round trip of an ACK of new data, unless that is a partial one (`recv_newack_helper` in ns-2).
    #[cold]
    fn note_round_trip(&mut self, ack: &Ack, now: Time) {
        let core = &mut self.core;
        let partial = core.cc.state == CaState::Recovery && ack.ack < core.cc.recover;
        let whole = !partial || !core.rules.recovery.skips_partial_round_trips();
        if ack.ack > core.seq.una && whole {
            core.extras.pacer.note_round_trip(now - ack.ts_ecr);
        }
    }

    /// Answers the handshake and requests for skipped segments, before an ACK is judged, in a sender that has no
    /// [fast path](Core::fast_path). Returns true if the ACK only requests a skipped segment: no sign of loss.
    fn answers_skip<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) -> bool {
        let core = &mut self.core;
        if let Some(requests) = core.extras.requests.as_mut().filter(|_| ack.syn) {
            requests.agree(ack.sack.able);
        }
        let closed = core.seq.marks_end && core.done();
        if (ack.syn && core.rules.handshake_ack && core.seq.una == 0) || closed {
            // The SYN's answer, or the receiver's FIN. No keep-alive has that number.
            wire.answer(Probe { number: 0, reply: true, seq: core.seq.nxt }, data_bytes(&core.rules, 0));
        }
        let sign = core.extras.skip.as_mut().map_or(SkipSign::None, |skip| skip.judge(ack, core.seq.una));
        match sign {
            SkipSign::Request(from, to) => core.transmit(from, (to - from) as u32, now, wire),
            SkipSign::Fabricated => core.restart_for_false_ack(),
            SkipSign::None | SkipSign::Repeat => {}
        }
        let asks = matches!(sign, SkipSign::Request(..) | SkipSign::Repeat);
        if asks {
            if ack.ece {
                core.on_mark_echo(ack, now);
            }
            // What else it says counts.
            self.recovery.note_reports(&mut core.view(), ack, now);
        }
        asks
    }

    /// A receiver's keep-alive arrives: a bare ACK answers it at once and touches nothing else (RFC 9293 section 3.8.4;
    /// ledger smartacking.m.rtt).
    pub fn on_probe<W: SenderWire>(&mut self, probe: &Probe, wire: &mut W) {
        let reply = Probe { reply: true, seq: self.core.seq.nxt, ..*probe };
        wire.answer(reply, self.core.rules.control_size);
    }

    /// The application writes `units` more sequence units.
    pub fn write<W: SenderWire>(&mut self, units: u64, now: Time, wire: &mut W) {
        self.write_of(units, false, now, wire);
    }

    /// The application writes the last `units`, and closes.
    pub fn write_last<W: SenderWire>(&mut self, units: u64, now: Time, wire: &mut W) {
        self.write_of(units, true, now, wire);
    }

    fn write_of<W: SenderWire>(&mut self, units: u64, last: bool, now: Time, wire: &mut W) {
        self.core.restart_if_idle(now);
        if self.core.needs >= Needs::Deliveries {
            let (in_flight, lost) = self.recovery.outstanding(&self.core);
            self.core.note_pause(in_flight, lost);
        }
        self.core.seq.supply(units, last && self.core.rules.marks_end);
        self.resume(now, wire);
    }

    /// The receiver's window is now `units`. Drivers of real segments say it before each ACK; the simulator's window is constant.
    pub fn set_window(&mut self, units: u64) {
        self.core.seq.set_window(units);
    }

    /// The instant asked for with [`SenderWire::arm_pacer`] has come.
    pub fn on_pacer<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        if self.core.extras.pacer.woke(&self.core.rules) {
            self.resume(now, wire);
        }
    }

    /// The timer runs out: the retransmission timer, or one of the recovery's own that shares it.
    pub fn on_timeout<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        let core = &mut self.core;
        if !each!(&mut self.recovery, recovery => Answers { core, recovery }.timer(now, wire)) {
            let voids = self.recovery.before_timeout(&self.core);
            self.core.time_out(voids, now, wire);
            self.resume(now, wire);
        }
        self.core.tell_losses(now);
    }

    /// Sends what may be sent: after a timeout (`snd_nxt` is back at `snd_una`), new data, or a pause of the pacer.
    fn resume<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        let core = &mut self.core;
        each!(&mut self.recovery, recovery => Answers { core, recovery }.resume(now, wire));
    }

    /// True if everything has been acknowledged.
    #[inline]
    pub fn done(&self) -> bool {
        self.core.done()
    }

    /// Sets the phase of the last growth, and returns what it was. A driver that sets it to untold sees whether the next ACK grows
    /// the window.
    #[inline]
    pub fn swap_growth(&mut self, phase: Phase) -> Phase {
        self.core.cc.swap_growth(phase)
    }

    /// The phase in which an ACK's credit last grew the window; untold if it never did.
    pub fn last_growth(&self) -> Phase {
        self.core.cc.grown_in
    }

    /// Counts so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.core.counters
    }

    /// The shared state, for measurements and tests.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the packets counted as marked by accurate ECN or QUIC's counts.
    pub fn marks(&self) -> u64 {
        self.core.extras.feedback.as_ref().map_or(0, |feedback| feedback.marks())
    }

    /// Returns the units that came marked and unmarked, from the AccECN option, each modulo 2^24 from its first value (0 and 1), and
    /// true if segments may still be marked; none without accurate ECN.
    pub fn told_bytes(&self) -> Option<(u32, u32, bool)> {
        let feedback = self.core.extras.feedback.as_ref()?;
        feedback.bytes().map(|(marked, unmarked)| (marked, unmarked, feedback.usable()))
    }

    /// Returns the congestion control's share of marks, if it has one.
    pub fn marked_share(&self) -> Option<f64> {
        self.core.cc.control().marked_share()
    }

    /// State for plots.
    pub fn view(&self) -> SenderView {
        let Core { seq, cc, timer, .. } = &self.core;
        let mss = f64::from(seq.mss);
        SenderView {
            cwnd: cc.cwnd / mss,
            ssthresh: cc.ssthresh / mss,
            in_flight: self.recovery.outstanding(&self.core).0 as f64 / mss,
            rto: timer.rto.timeout(),
            in_recovery: cc.state_at(seq.una) == CaState::Recovery,
        }
    }

    /// Returns the congestion control's estimate of the path, if it watches delay.
    pub fn estimate(&self) -> Option<Estimate> {
        self.core.cc.control().estimate()
    }

    /// Returns the congestion control's model of the path, if it has one; its rates are in bits of payload a second.
    pub fn model(&self) -> Option<ModelView> {
        let model = self.core.cc.control().model()?;
        let bits = |rate: f64| rate * 8.0 * f64::from(payload(&self.core.rules));
        let (bandwidth, max_bandwidth, pacing) = (bits(model.bandwidth), bits(model.max_bandwidth), bits(model.pacing));
        Some(ModelView { bandwidth, max_bandwidth, pacing, ..model })
    }

    /// Returns the units that a SACK recovery believes to be in the network, while it is on.
    pub fn pipe(&self) -> Option<u64> {
        self.recovery.pipe(&self.core)
    }

    /// SYN and FIN, as far as they are acknowledged.
    fn control_units(&self) -> u64 {
        let Core { seq, rules, .. } = &self.core;
        u64::from(rules.syn && seq.una > 0) + u64::from(rules.fin && seq.done())
    }

    /// Payload bytes acknowledged so far.
    pub fn bytes_acked(&self) -> u64 {
        let Core { seq, rules, .. } = &self.core;
        let units = seq.una - self.control_units();
        if rules.sequence.in_bytes() { units } else { units * u64::from(rules.packet) }
    }

    /// Cumulatively acknowledged segments, SYN and FIN counted as one each.
    pub fn segments_acked(&self) -> u64 {
        let control = self.control_units();
        self.core.seq.segments(self.core.seq.una - control) + control
    }
}
