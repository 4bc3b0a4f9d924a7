//! QUIC's acknowledgments (RFC 9000 section 13.2), and what a sender can ask of them (draft-ietf-quic-ack-frequency).
//!
//! An ACK leaves for every so many packets, at the latest after `max_ack_delay`. Two kinds of packets are acknowledged at
//! once: those out of order by the reordering threshold, and the first of several packets marked CE. The order is that of
//! packet numbers, which no packet repeats, so a retransmission is in order. If the sender has no packet numbers (TCP),
//! sequence numbers replace them, and a retransmission counts as a late packet.
//!
//! The other rules are those of stacks that people run (`rules/quic_stacks.rs` names them): a threshold that changes once, window
//! updates, and a timer of whole ticks.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};
use crate::rules::MarkAnswer;

/// Least delay that a sender asks for by its round trip: the granularity of RFC 9002 section 6.1.2.
const GRANULARITY: f64 = 0.001;

/// Part of a tick that sums of times may be too long by.
const ROUNDING: f64 = 1e-6;

/// Most gaps that an ACK reports; quinn keeps 64 ranges.
const MOST_GAPS: usize = 63;

/// Requests of a sender to its receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct QuicRules {
    pub segments: u32,
    pub max_ack_delay: Time,
    pub reordering: u32,
    pub rtt_share: f64,
    pub first: u32,
    pub later: u32,
    pub marks: MarkAnswer,
    /// Of the stream, and of the connection.
    pub updates: [u32; 2],
    pub updates_apart: bool,
    pub tick: Time,
    pub ahead: u32,
}

/// The policy's state. Numbers are packet numbers, or sequence units.
#[derive(Clone, Debug, PartialEq)]
pub struct Quic {
    rules: QuicRules,
    numbered: bool,
    /// Ack-eliciting packets since the last ACK.
    held: u32,
    /// The highest packet's number ("Largest Unacked"), and one past what it carries.
    largest: u64,
    next: u64,
    /// The highest number when the last ACK left ("Largest Acked").
    acked: u64,
    /// Numbers that have not come, ascending, and since when they are missing. A lost packet's number never comes, so its gap
    /// stays until the receiver may forget it. That is when an ACK that reported the gap has itself been acknowledged (RFC
    /// 9000 section 13.2.4). A smoothed round trip stands for the time until then.
    missing: Vec<(u64, u64, Time)>,
    /// Smoothed round trip that the sender last told, in seconds; 0 if it has told no round trip.
    srtt: f64,
    /// Departure of the highest packet from its sender, and its arrival.
    newest: (Time, Time),
    /// The last packet was marked.
    marked: bool,
    /// Units that the program had read when each window was last updated.
    updated: [u64; 2],
    /// When the ACK that waits is due; only with a `tick`.
    due: Option<Time>,
    /// Packets that have come, and units of the longest.
    received: u64,
    longest: u32,
}

impl Quic {
    /// Acknowledges as `rules` ask, of a sender that numbers no packets.
    pub fn new(rules: QuicRules) -> Quic {
        Quic {
            rules,
            numbered: false,
            held: 0,
            largest: 0,
            next: 0,
            acked: 0,
            missing: Vec::new(),
            srtt: 0.0,
            newest: (Time::ZERO, Time::ZERO),
            marked: false,
            updated: [0; 2],
            due: None,
            received: 0,
            longest: 0,
        }
    }

    /// The segments bear packet numbers ([`Segment::echo`](acklab_packet::Segment)).
    pub(super) fn goes_by_numbers(&mut self) {
        self.numbered = true;
    }

    /// Notes a packet's number; whether it asks for an ACK at once.
    fn out_of_order(&mut self, arrival: &Arrival) -> bool {
        // What travels are a number's low 32 bits (RFC 9000 appendix A.3).
        let number =
            |low: u32| self.largest.wrapping_add_signed(i64::from(low.wrapping_sub(self.largest as u32) as i32));
        let (start, len) =
            if self.numbered { (number(arrival.echo), 1) } else { (arrival.seq, u64::from(arrival.len)) };
        let end = start + len;
        let (late, gap) = (start < self.next, start > self.next);
        if gap {
            self.missing.push((self.next, start, arrival.now));
            if self.missing.len() > MOST_GAPS {
                self.missing.remove(0);
            }
        }
        if late {
            self.arrived(start, end);
        }
        if end > self.next {
            (self.largest, self.next) = (start, end);
            self.newest = (arrival.sent, arrival.now);
        }
        match self.rules.reordering {
            0 => false,
            // RFC 9000 section 13.2.1: lower than another, or higher with some missing between.
            1 => late || gap,
            // The draft, section 6.2: an ACK that lets the sender find a loss it could not find before.
            threshold => {
                let reach = u64::from(threshold) * len;
                let reported = self.acked.checked_sub(reach);
                let unreported =
                    |&&(_, end, _): &&(u64, u64, Time)| reported.is_none_or(|reported| end > reported + len);
                let first = self.missing.iter().find(unreported);
                first.is_some_and(|&(start, ..)| {
                    self.largest - start.max(reported.map_or(0, |reported| reported + len)) >= reach
                })
            }
        }
    }

    /// `start .. end` was missing, and is no longer.
    fn arrived(&mut self, start: u64, end: u64) {
        let Some(index) = self.missing.iter().position(|run| run.0 < end && start < run.1) else { return };
        let run = self.missing[index];
        let left = [(run.0, start, run.2), (end, run.1, run.2)].into_iter().filter(|part| part.0 < part.1);
        self.missing.splice(index..=index, left);
    }

    /// True if a mark asks for an ACK at once.
    fn must_tell_mark(&mut self, ce: bool) -> bool {
        let before = std::mem::replace(&mut self.marked, ce);
        ce && match self.rules.marks {
            MarkAnswer::First => !before || self.rules.segments <= 2,
            MarkAnswer::Each => true,
            MarkAnswer::Never => false,
        }
    }

    /// Packets that an ACK may cover, with the highest number (or count) before this packet.
    fn most(&self, before: u64) -> u32 {
        let changed = self.rules.first > 0 && before > u64::from(self.rules.first);
        if changed { self.rules.later } else { self.rules.segments }
    }

    /// Packets with window updates that the program causes, which reads at once all that has come in order.
    fn updates(&mut self, read: u64) -> u32 {
        let mut due = 0;
        for (updated, every) in self.updated.iter_mut().zip(self.rules.updates) {
            if every > 0 && read >= *updated + u64::from(every) {
                *updated = read;
                due += 1;
            }
        }
        if self.rules.updates_apart { due } else { due.min(1) }
    }

    /// An ACK that waits until the timer.
    fn wait(&mut self, now: Time, delay: Time) -> Emission {
        let tick = self.rules.tick.secs();
        if tick == 0.0 {
            return Emission::Gather(now + delay);
        }
        let due = *self.due.get_or_insert(now + delay);
        let ticks = ((due - now).secs() / tick - ROUNDING).ceil().max(0.0);
        Emission::Regather(now + Time::from_secs(ticks * tick))
    }

    /// Longest wait of an ACK that a packet asks for.
    fn delay(&self, srtt: f32) -> Time {
        let asked = self.rules.rtt_share * f64::from(srtt);
        if asked > 0.0 {
            return Time::from_secs(asked.max(GRANULARITY)).min(self.rules.max_ack_delay);
        }
        self.rules.max_ack_delay
    }

    /// An ACK of everything. It says how long the highest packet has waited (ACK Delay, RFC 9000 section 19.3). For this it
    /// echoes that packet's departure time plus the wait.
    fn ack(&self, now: Time, more: u32) -> Emission {
        if self.rules.ahead > 0 {
            return self.ack_ahead(now, true);
        }
        let (sent, came) = self.newest;
        let echo = self.numbered.then(|| sent + (now - came));
        Emission::Ranges { echo, gaps: self.numbered.then_some(self.missing.len() as u32), more }
    }
}

impl Quic {
    /// An optimistic ACK (RFC 9000 section 21.4), as [`Optimistic`](super::Optimistic) sends them to TCP: of packets that may be in flight,
    /// said to have waited since they left. When nothing more comes, one of what came follows.
    #[cold]
    fn ack_ahead(&self, now: Time, more: bool) -> Emission {
        let packets = if more { (self.received / 2).min(u64::from(self.rules.ahead)) } else { 0 };
        let again = more.then(|| now + self.rules.max_ack_delay);
        Emission::Ahead { units: packets * u64::from(self.longest), again, echo: self.numbered.then_some(now) }
    }
}

impl AckPolicy for Quic {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        // ACK_FREQUENCY; a request for 0 stands for IMMEDIATE_ACK.
        if let Some(asked @ 1..) = arrival.requested {
            (self.rules.segments, self.rules.first) = (u32::from(asked), 0);
        }
        let most = self.most(if self.numbered { self.largest } else { self.received });
        self.held += 1;
        (self.received, self.longest) = (self.received + 1, self.longest.max(arrival.sent_len()));
        self.srtt = f64::from(arrival.srtt);
        let out_of_order = self.out_of_order(arrival);
        let marked = self.must_tell_mark(arrival.ce);
        // A SYN stands for the handshake, in which nothing is delayed (RFC 9000 section 13.2.1).
        let asked = arrival.requested == Some(0);
        let late = self.due.is_some_and(|due| arrival.now >= due);
        let at_once = out_of_order || marked || asked || arrival.syn || late || self.held >= most;
        // The program reads after the packet is answered. So an update takes an ACK along if none has left, and is else a packet of
        // its own.
        let updates = self.updates(arrival.rcv_nxt);
        if at_once || updates > 0 {
            return self.ack(arrival.now, if at_once { updates } else { updates - 1 });
        }
        self.wait(arrival.now, self.delay(arrival.srtt))
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        if self.rules.ahead > 0 {
            return self.ack_ahead(now, false);
        }
        self.ack(now, 0)
    }

    fn on_ack_sent(&mut self, now: Time) {
        self.held = 0;
        self.due = None;
        self.acked = self.largest;
        if self.numbered && self.srtt > 0.0 {
            let srtt = self.srtt;
            let forgotten = self.missing.iter().take_while(|gap| (now - gap.2).secs() > srtt).count();
            self.missing.drain(..forgotten);
        }
    }
}

#[cfg(test)]
mod tests;
