//! Departure of segments: one, as many as the window allows, or one more for an early duplicate ACK.

use acklab_packet::{Ace, AckNotice, Ecn, Phase, Segment, Seq, Tail, Time};

use super::congestion::control::{CongestionControl, Needs};
use super::flight::Flight;
use super::requests::Standing;
use super::segmentation::{Circumstances, Turn};
use super::sequence::{SequenceSpace, data_bytes};
use super::skip::Skip;
use super::{Core, SenderWire};
use crate::rules::{MarkForm, PacedTrip, Pacing};

impl Core {
    /// Sends the next `len` units, and moves SND.NXT past them.
    pub(super) fn send_new<W: SenderWire>(&mut self, len: u32, now: Time, wire: &mut W) {
        self.transmit(self.seq.nxt, len, now, wire);
        self.seq.go_to(self.seq.nxt + u64::from(len));
    }

    /// Sends `len` units from `seq`, times the segment if it is new and none is being timed, and sets the timer if it
    /// is off or nothing was outstanding.
    #[inline(never)]
    pub(super) fn transmit<W: SenderWire>(&mut self, seq: Seq, len: u32, now: Time, wire: &mut W) {
        self.transmit_as::<false, W>(seq, len, now, wire);
    }

    /// The same without a call. `FAST`: a full segment of new data, neither SYN nor FIN, of a sender that has a
    /// [fast path](Core::fast_path). Checks that are always false here are skipped.
    #[inline(always)]
    fn transmit_as<const FAST: bool, W: SenderWire>(&mut self, seq: Seq, len: u32, now: Time, wire: &mut W) {
        let idle = self.seq.una == self.seq.max;
        let end = seq + u64::from(len);
        let retransmit = !FAST && seq < self.seq.max;
        let syn = !FAST && self.rules.syn && seq == 0;
        let fin = !FAST && self.rules.fin && end == self.seq.limit;
        let last = !FAST && self.seq.marks_end && end == self.seq.limit;
        let echo = self.seq.una as u32;
        let tail = match last {
            true => Tail::Last,
            false if !FAST && self.extras.bursts.as_mut().is_some_and(|bursts| bursts.take_push()) => Tail::Pushed,
            false => Tail::Open,
        };
        let mut segment = Segment { seq, len, syn, fin, tail, retransmit, ts_val: now, echo, ..Segment::default() };
        if !FAST && (self.notices.wanted || self.notices.ack_mark) {
            self.write_notices(&mut segment);
        }
        self.counters.segments_sent += 1;
        self.counters.syns_sent += u32::from(syn);
        self.timer.last_sent = now;
        let wire_bytes = match len {
            _ if syn || fin => self.rules.control_size,
            _ if FAST || len == self.seq.mss => self.seq.full_bytes,
            _ => data_bytes(&self.rules, len),
        };
        let option = if FAST || syn { 0 } else { segment.notice.option_bytes(self.rules.timestamps) };
        wire.send(segment, wire_bytes + option);
        if retransmit {
            self.counters.retransmits += 1;
        } else {
            self.seq.extend(end);
            if !FAST {
                self.seq.note_size(len, end);
            }
            if self.timer.timed.is_none() {
                self.timer.timed = Some((end, now));
            }
        }
        if idle || !self.timer.is_on() {
            self.timer.arm(now, wire);
        }
        if !FAST {
            self.note_sent(&segment, end, idle, now);
        }
    }

    /// A segment has left: its entry in the flight record, and what else the extras take from it.
    fn note_sent(&mut self, segment: &Segment, end: Seq, idle: bool, now: Time) {
        let Segment { seq, syn, retransmit, .. } = *segment;
        let extras = &mut *self.extras;
        if let Some(undo) = extras.undo.as_mut().filter(|_| retransmit) {
            undo.on_resent(seq, end, self.rules.recovery.stamp(now));
        }
        if let Some(flight) = &mut extras.flight {
            flight.sent(seq, end, idle, now);
        }
        if let Some(skip) = &mut extras.skip {
            skip.sent(seq, end);
        }
        if let Some(usage) = &mut extras.usage {
            let cut = usage.on_sent(&self.seq, &mut self.cc, self.timer.rto.timeout(), now);
            self.counters.window_cuts += u32::from(cut);
        }
        let noted = match self.needs {
            Needs::Credit => false,
            Needs::RoundTrips => idle,
            Needs::Deliveries | Needs::Losses => true,
        };
        if noted && !syn {
            self.note_departure(end - seq, idle, now);
        }
    }

    /// Writes the sender's state and congestion into a segment.
    #[inline(never)]
    fn write_notices(&mut self, segment: &mut Segment) {
        if self.rules.carry_phase {
            segment.phase = if self.cc.in_slow_start() { Phase::SlowStart } else { Phase::CongestionAvoidance };
        }
        // Neither SYNs nor retransmissions may be marked (RFC 3168 section 6.1.5), and CWR goes with new data. QUIC retransmits in new
        // packets, which may be.
        let may = self.rules.ecn && !self.notices.unmarkable;
        let again = self.rules.recovery.packet_numbers() || self.rules.mark_form == MarkForm::Ns2;
        if may && !segment.syn && (!segment.retransmit || again) {
            segment.ecn = if self.rules.ect1 { Ecn::Ect1 } else { Ecn::Ect };
            segment.ace = Ace::cwr(std::mem::take(&mut self.notices.cwr));
            if let Some(feedback) = &mut self.extras.feedback
                && feedback.sent(segment)
            {
                segment.ecn = Ecn::Ce;
            }
        }
        if let Some(feedback) = self.extras.feedback.as_mut().filter(|_| segment.retransmit) {
            feedback.resent(segment);
        }
        let syns = segment.syn.then_some(self.counters.syns_sent);
        if let Some(ace) = self.extras.feedback.as_mut().and_then(|feedback| feedback.flags(syns)) {
            segment.ace = ace;
        }
        if std::mem::take(&mut self.notices.ack_mark) {
            segment.notice = AckNotice::MARKED;
        }
        if let Some(requests) = &mut self.extras.requests {
            let (syn, retransmit) = (segment.syn, segment.retransmit);
            let (last, window) = (segment.end() == self.seq.limit, self.cc.cwnd / f64::from(self.seq.mss));
            let slow_start = self.cc.in_slow_start();
            segment.notice = requests.notice(Standing { syn, retransmit, last, slow_start, window });
        }
        if self.rules.recovery.packet_numbers() {
            let fresh = !segment.syn && !segment.retransmit;
            let packets = self.cc.cwnd / f64::from(self.seq.mss);
            let number = |skip: &mut Box<Skip>| skip.number(segment.seq, segment.end(), fresh, packets);
            let skipped = self.extras.skip.as_mut().map_or(0, number);
            segment.echo = (self.counters.segments_sent as u32).wrapping_add(skipped);
        }
        if self.rules.carry_window {
            segment.window = (self.cc.cwnd / f64::from(self.seq.mss)) as f32;
        }
        if self.rules.carry_allowance {
            (segment.window, segment.srtt) = (self.allowance(segment.seq), self.cc.dupacks as f32);
        } else if self.rules.carry_window || self.rules.recovery.packet_numbers() {
            segment.srtt = self.smoothed_rtt().unwrap_or(0.0) as f32;
        }
    }

    /// How many segments may be outstanding, from the newest acknowledged on, once the segment of `seq` has left
    /// (`TcpAsymAgent::output_helper` in ns-2, as its sink reads it).
    fn allowance(&self, seq: Seq) -> f32 {
        let left = (self.seq.limit - self.seq.una).saturating_add(self.seq.mss.into());
        let ahead = self.seq.nxt.saturating_sub(seq);
        let allowed = self.cc.window(self.seq.wnd).min(left).saturating_sub(ahead);
        (allowed / u64::from(self.seq.mss)) as f32
    }

    /// True if pacing and segmentation let a segment go now, which is at SND.NXT if it is `in_order`. If not, the wire wakes the
    /// sender when it may, or the next ACK does. Retransmissions that duplicate ACKs call for do not ask.
    #[inline]
    pub(super) fn may_send_now<W: SenderWire>(&mut self, in_order: bool, now: Time, wire: &mut W) -> bool {
        !self.may_hold_back || (self.pace_allows(now, wire) && self.is_its_turn(in_order, now))
    }

    /// Returns true if the segment belongs to a burst that leaves now. Notes whether it is pushed.
    fn is_its_turn(&mut self, in_order: bool, now: Time) -> bool {
        let Some(bursts) = &mut self.extras.bursts else { return true };
        bursts.take_push();
        if !in_order || self.seq.nxt < self.seq.max || (self.rules.syn && self.seq.nxt == 0) {
            return true;
        }
        let of = Circumstances {
            in_flight: in_flight(&self.seq, self.extras.flight.as_deref()),
            rtt_min: self.counters.rtt_min,
            last_sent: self.timer.last_sent,
            oldest: self.extras.flight.as_deref().and_then(|flight| flight.first()).map(|sent| sent.at),
            now,
        };
        let turn = bursts.turn(&self.seq, self.seq.len_at(self.seq.nxt), &self.cc, &of);
        if let (Turn::Waits { limited: true }, Some(usage)) = (turn, &mut self.extras.usage) {
            usage.on_deferral(&self.seq);
        }
        turn == Turn::Goes
    }

    /// Units of a segment that goes now, as far as its burst has them.
    #[inline]
    pub(super) fn within_burst(&mut self, len: u64) -> u64 {
        if self.may_hold_back { self.cut_to_burst(len) } else { len }
    }

    #[inline(never)]
    fn cut_to_burst(&mut self, len: u64) -> u64 {
        self.extras.bursts.as_mut().map_or(len, |bursts| bursts.cut(len))
    }

    /// Less than a segment that ends the burst which is leaving.
    #[cold]
    pub(super) fn rest_of_burst(&self) -> Option<u32> {
        self.extras.bursts.as_ref()?.rest(self.timer.last_sent)
    }

    /// True if the program writes more now that as much as may has left: the sender tries again.
    #[inline]
    pub(super) fn writes_more(&mut self) -> bool {
        self.may_hold_back && self.program_writes()
    }

    #[inline(never)]
    fn program_writes(&mut self) -> bool {
        if self.seq.shaking_hands() {
            return false;
        }
        let in_flight = in_flight(&self.seq, self.extras.flight.as_deref());
        let window = self.extras.told.largest.max(self.seq.wnd);
        self.extras.bursts.as_mut().is_some_and(|bursts| bursts.write(&self.seq, &self.cc, in_flight, window))
    }

    fn pace_allows<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> bool {
        let window = self.cc.cwnd.min(self.seq.wnd as f64) / f64::from(self.seq.mss);
        let rtt = self.smoothed_rtt().map(|smoothed| match self.rules.pacing {
            Pacing::Spread { round_trip: PacedTrip::Last, .. } => self.counters.rtt_last,
            Pacing::Spread { round_trip: PacedTrip::Least, .. } => self.counters.rtt_min,
            _ => smoothed,
        });
        let quantum = self.cc.control().send_quantum();
        self.extras.pacer.lets_go(&self.rules, (window, rtt, quantum), now, wire)
    }

    /// Sends from SND.NXT while the window allows, at most `max_burst` segments (0: no limit).
    #[inline(never)]
    pub(super) fn send_window<W: SenderWire>(&mut self, max_burst: u32, now: Time, wire: &mut W) {
        self.send_window_here(max_burst, now, wire);
    }

    /// The same without a call.
    #[inline(always)]
    pub(super) fn send_window_here<W: SenderWire>(&mut self, max_burst: u32, now: Time, wire: &mut W) {
        // Sending moves none of them.
        let edge = self.seq.una + self.cc.window(self.seq.wnd);
        let full_edge = self.seq.full_edge(edge);
        let fast = self.fast_path && !self.notices.ack_mark;
        if !fast && self.extras.pacer.pauses() {
            return;
        }
        let mut sent = 0;
        loop {
            if fast && self.seq.full_segment_fits(full_edge) {
                self.transmit_as::<true, W>(self.seq.nxt, self.seq.mss, now, wire);
                self.seq.go_to(self.seq.nxt + u64::from(self.seq.mss));
            } else if self.seq.nxt < self.seq.limit
                && let Some(len) = self.seq.sendable(edge)
            {
                if !self.may_send_now(true, now, wire) {
                    break;
                }
                if let Some(skip) = &mut self.extras.skip {
                    skip.leave_out(&mut self.seq, len, edge);
                }
                self.send_new(len, now, wire);
            } else {
                break;
            }
            sent += 1;
            if sent == max_burst {
                break;
            }
        }
        if !fast && sent == max_burst {
            self.pause_after_burst(max_burst, edge, now, wire);
        }
    }

    /// A burst has left, and the window allows more.
    #[cold]
    fn pause_after_burst<W: SenderWire>(&mut self, burst: u32, edge: Seq, now: Time, wire: &mut W) {
        let more = self.seq.nxt < self.seq.limit && self.seq.sendable(edge).is_some();
        if more && matches!(self.rules.pacing, Pacing::Bursts { .. }) {
            let window = self.cc.window(self.seq.wnd) / u64::from(self.seq.mss);
            self.extras.pacer.pause(burst, window, now, wire);
        }
    }

    /// Limited Transmit (RFC 3042): one new segment for an early duplicate ACK, if both windows allow.
    pub(super) fn send_limited<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        let resending = self.rules.limited_transmit_new_only && self.seq.nxt < self.seq.max;
        if !self.rules.limited_transmit || resending {
            return;
        }
        let Some(len) = self.seq.new_data() else { return };
        let mss = f64::from(self.seq.mss);
        // In ns-2's order of additions, so that a fractional cwnd decides alike.
        let allowed = (self.seq.una as f64 - mss) + self.cc.cwnd + f64::from(self.cc.dupacks) * mss;
        let end = self.seq.nxt + u64::from(len);
        if end as f64 - mss <= allowed {
            self.send_new(len, now, wire);
            self.cc.note_limited(u64::from(len));
        }
    }
}

/// Units in the network.
fn in_flight(seq: &SequenceSpace, flight: Option<&Flight>) -> u64 {
    let gone = flight.map_or(0, |flight| flight.lost + u64::from(flight.sacked) * u64::from(seq.mss));
    seq.flight_size().saturating_sub(gone)
}
