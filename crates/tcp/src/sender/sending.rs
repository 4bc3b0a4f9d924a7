//! How segments leave: one, as many as the window allows, or one more for an early duplicate ACK.

use acklab_packet::{Phase, Segment, Seq, Time};

use super::core::data_bytes;
use super::{Core, SenderWire};

impl Core {
    /// Sends `len` units from `seq`, times the segment if it is new and none is being timed, and sets the timer if it
    /// is off or nothing was outstanding.
    #[inline(never)]
    pub fn transmit<W: SenderWire>(&mut self, seq: Seq, len: u32, now: Time, wire: &mut W) {
        self.transmit_as::<false, W>(seq, len, now, wire);
    }

    /// The same without a call. `PLAIN`: a full segment of new data, neither SYN nor FIN, of a sender that is
    /// [plain](Core::plain), so that the questions to which this is the answer are not asked.
    #[inline(always)]
    fn transmit_as<const PLAIN: bool, W: SenderWire>(&mut self, seq: Seq, len: u32, now: Time, wire: &mut W) {
        let idle = self.snd_una == self.snd_max;
        let end = seq + u64::from(len);
        let retransmit = !PLAIN && seq < self.snd_max;
        let syn = !PLAIN && self.rules.syn && seq == 0;
        let fin = !PLAIN && self.rules.fin && end == self.limit;
        let echo = self.snd_una as u32;
        let mut segment = Segment { seq, len, syn, fin, retransmit, ts_val: now, echo, ..Segment::default() };
        if !PLAIN && (self.tells || self.must_tell_ack_mark) {
            self.tell_receiver(&mut segment);
        }
        self.counters.segments_sent += 1;
        self.counters.syns_sent += u32::from(syn);
        self.last_sent = now;
        let wire_bytes = match len {
            _ if syn || fin => self.rules.control_size,
            _ if PLAIN || len == self.mss => self.full_bytes,
            _ => data_bytes(&self.rules, len),
        };
        wire.send(segment, wire_bytes);
        if retransmit {
            self.counters.retransmits += 1;
            self.note_resent(seq, end, now);
        } else {
            self.snd_max = end;
            if !PLAIN {
                self.note_size(len, end);
            }
            // A SYN is shorter than a segment, and so is its round trip.
            if let Some(times) = self.send_times.as_mut().filter(|_| !PLAIN && !syn) {
                times.sent(end, now);
            }
            if self.timed.is_none() {
                self.timed = Some((end, now));
            }
        }
        if idle || !self.timer_on {
            self.arm(now, wire);
        }
        if let Some(skip) = self.rare.skip.as_mut().filter(|_| !PLAIN) {
            skip.sent(seq, end);
        }
        if !PLAIN && self.rare.usage.is_some() {
            self.note_usage(now);
        }
        if !PLAIN && self.rare.delivery.is_some() {
            self.note_departure(seq, end, syn, idle, now);
        }
    }

    /// What a segment tells its receiver of the sender and of congestion.
    #[inline(never)]
    fn tell_receiver(&mut self, segment: &mut Segment) {
        if self.rules.tell_phase {
            segment.phase = if self.in_slow_start() { Phase::SlowStart } else { Phase::CongestionAvoidance };
        }
        // Neither SYNs nor retransmissions may be marked (RFC 3168 section 6.1.5), and CWR goes with new data.
        segment.ect = self.rules.ecn && !segment.syn && !segment.retransmit;
        segment.cwr = segment.ect && std::mem::take(&mut self.must_tell_cwr);
        segment.ack_marked = std::mem::take(&mut self.must_tell_ack_mark);
        if self.rules.packet_numbers {
            segment.echo = self.counters.segments_sent as u32;
        }
        if self.rules.tell_window {
            segment.window = (self.cwnd / f64::from(self.mss)) as f32;
        }
        if self.rules.tell_window || self.rules.packet_numbers {
            segment.srtt = self.smoothed_rtt().unwrap_or(0.0) as f32;
        }
    }

    /// Sends from `snd_nxt` while the window allows, at most `max_burst` segments (0: no limit).
    #[inline(never)]
    pub fn send_window<W: SenderWire>(&mut self, max_burst: u32, now: Time, wire: &mut W) {
        self.send_window_here(max_burst, now, wire);
    }

    /// The same without a call.
    #[inline(always)]
    pub(super) fn send_window_here<W: SenderWire>(&mut self, max_burst: u32, now: Time, wire: &mut W) {
        // Sending moves none of them.
        let edge = self.snd_una + self.window();
        let plain_edge = self.plain_edge(edge);
        let plain = self.plain && !self.must_tell_ack_mark;
        let mut sent = 0;
        loop {
            if plain && self.full_segment_fits(plain_edge) {
                self.transmit_as::<true, W>(self.snd_nxt, self.mss, now, wire);
                self.snd_nxt += u64::from(self.mss);
            } else if self.snd_nxt < self.limit
                && let Some(len) = self.sendable(edge)
            {
                if self.restrained {
                    if !self.may_send_now(now, wire) {
                        break;
                    }
                    self.leave_out(len, edge);
                }
                self.transmit(self.snd_nxt, len, now, wire);
                self.snd_nxt += u64::from(len);
            } else {
                break;
            }
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
        let Some(len) = self.sendable(self.snd_una + self.wnd) else { return };
        let mss = f64::from(self.mss);
        // In ns-2's order of additions, so that a fractional cwnd decides alike.
        let allowed = (self.snd_una as f64 - mss) + self.cwnd + f64::from(self.dupacks) * mss;
        let end = self.snd_nxt + u64::from(len);
        if end as f64 - mss <= allowed {
            self.transmit(self.snd_nxt, len, now, wire);
            self.snd_nxt = end;
            self.limited += u64::from(len);
        }
    }
}
