//! ACK policy of a Linux receiver (6.x: `tcp_input.c`, `tcp_output.c` and `tcp_timer.c`). `crates/tap/tests/replay.rs` compares
//! it with what kernels did.
//!
//! A receiver that sends no data is never in the kernel's interactive mode, so this file has no such mode. The application
//! reads at once, as all do here, unless `low_water` says for how much data it waits. A read lets an ACK leave if the last
//! segment was pushed or short. An ACK also leaves at once:
//!
//! - In *quick mode*. It begins after the first data, a segment with nothing new, or a silence above the retransmission
//!   timeout. It then lasts for half the window's full segments, at most `quick` of them. After a congestion mark it lasts
//!   for two ACKs. A segment that grows the window has a quick ACK of its own.
//! - When more than one full segment is unacknowledged. The size of a full segment is learnt from the segments seen.
//! - For the first three segments above a gap, when a gap closes, and when the sender says it has reduced its window.
//!
//! Further segments above a gap share an ACK after `sack_share` of the round trip, at most `sack_delay`, or before one that begins a
//! third block. All other segments
//! wait for a timer, which follows the time between segments. Segments that GRO merged are one arrival; the size of a full
//! segment is learnt from its `gso_size`.

mod buffer;
mod clock;
mod growth;
mod memory;
mod quick;
mod room;
mod rules;
#[cfg(test)]
mod tests;

use acklab_packet::{Seq, Time};

use self::clock::Clock;
pub use self::memory::MemoryRules;
use self::room::Room;
pub use self::rules::LinuxRules;
use super::{AckPolicy, Arrival, Emission};
use crate::receiver::estimator::RoundTrip;
use crate::rules::RttSource;

/// Least segment taken for a full one before it is known better (RFC 9293 section 3.7.1).
const LEAST_FULL: u32 = 536;
/// A shorter one with options may be a full one of that size.
const NEARLY_FULL: u32 = 524;
/// Least retransmission timeout, and the one before any measurement, in seconds.
const LEAST_RTO: f64 = 0.2;
const FIRST_RTO: f64 = 1.0;
/// A segment waits no longer, whatever the time between segments, in seconds.
const MOST_HELD: f64 = 0.5;
/// Duplicates that are not compressed: the sender counts so many.
const DUP_THRESH: u32 = 3;

/// The policy's state. Spans are in ticks of its clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Linux {
    rules: LinuxRules,
    clock: Clock,
    /// Quick ACKs left.
    quick: u32,
    /// Time for which a segment is held; none before the first.
    hold: Option<f64>,
    /// Arrival of the last segment in order.
    last: f64,
    /// Length taken for a full segment, the largest so far, and the size of the last short one.
    full: u32,
    largest: u32,
    short: u32,
    /// A short or pushed segment came since the last ACK.
    pushed: bool,
    /// Next unit expected, acknowledged, and to be read; one past the highest that came.
    next: Seq,
    acked: Seq,
    read: Seq,
    /// Units that wait to be read when the next ACK leaves: with a segment, before the application reads it.
    unread: u64,
    highest: Seq,
    gap: bool,
    /// Expiry of the timer.
    due: Option<f64>,
    /// Departure of a compressed SACK; segments it answers; duplicates sent of which number.
    sack_due: Option<Time>,
    compressed: u32,
    duplicates: (Seq, u32),
    /// A mark is being echoed; and segments that may be marked have come.
    echoes: bool,
    markable: bool,
    round_trip: RoundTrip,
    /// Opening time of the connection; its round trip, which a receiver that sends nothing keeps; and the present one, in seconds.
    opened: Option<Time>,
    handshake: Option<f64>,
    /// When the handshake's last ACK came, if that was apart from data.
    established: Option<Time>,
    rtt: Option<f64>,
    last_timed: Option<Seq>,
    room: Option<Room>,
}

impl Linux {
    /// As the kernel with these settings.
    pub fn new(rules: LinuxRules) -> Linux {
        Linux {
            rules,
            clock: Clock::new(rules.tick),
            quick: 0,
            hold: None,
            last: 0.0,
            full: LEAST_FULL,
            largest: 0,
            short: 0,
            pushed: false,
            next: 0,
            acked: 0,
            read: 0,
            unread: 0,
            highest: 0,
            gap: false,
            due: None,
            sack_due: None,
            compressed: 0,
            duplicates: (0, 0),
            echoes: false,
            markable: false,
            round_trip: RoundTrip::new(RttSource::Timestamps, Time::ZERO),
            opened: None,
            handshake: None,
            established: None,
            rtt: None,
            last_timed: None,
            room: None,
        }
    }

    /// Without SACK every duplicate leaves at once.
    pub fn without_sack(&mut self) {
        self.rules.sack_delay = Time::ZERO;
    }

    /// The retransmission timeout of the handshake's round trip, in ticks: it was the only one to time.
    fn rto(&self) -> f64 {
        self.clock.containing(self.handshake.map_or(FIRST_RTO, |rtt| rtt + (2.0 * rtt).max(LEAST_RTO)))
    }

    fn least(&self) -> f64 {
        self.clock.passed(self.rules.least.secs())
    }

    /// Learns what a full segment is.
    fn measure(&mut self, arrival: &Arrival) {
        let short = std::mem::take(&mut self.short);
        let len = arrival.sent_len();
        self.largest = self.largest.max(len);
        if len >= self.full || arrival.seq <= 1 && len == 1 {
            // Where the sender counts segments the first is one unit.
            self.full = len;
            self.pushed |= arrival.push;
            return;
        }
        if len >= NEARLY_FULL {
            self.short = len;
            if len == short {
                self.full = len;
                return;
            }
        }
        self.pushed = true;
    }

    /// Learns the round trip from what a full segment echoes: a shorter one counts at once, a longer one by an
    /// eighth, unless something waited to be read `before`.
    fn time(&mut self, arrival: &Arrival, before: Seq) {
        let Some(secs) = self.round_trip.echoed(arrival.echo, arrival.now) else { return };
        self.handshake.get_or_insert(secs);
        if let Some(room) = self.room.as_mut().filter(|_| arrival.len >= self.full) {
            room.time(secs, before != self.read, arrival.now);
        }
        self.rtt = match self.rtt {
            _ if arrival.len < self.full => self.rtt,
            Some(rtt) if secs >= rtt && before != self.read => Some(rtt),
            Some(rtt) if secs >= rtt => Some(0.875 * rtt + 0.125 * secs),
            _ => Some(secs),
        };
    }

    /// A segment in order: how long the next are held follows the time since the last.
    fn follow(&mut self, now: f64) {
        let (least, rto) = (self.least(), self.rto());
        let since = now - self.last;
        match self.hold {
            None => {
                self.hold = Some(least);
                self.be_quick(self.rules.quick);
            }
            Some(hold) if since <= self.clock.part(least, 2.0) => {
                self.hold = Some(self.clock.part(hold, 2.0) + self.clock.part(least, 2.0));
            }
            Some(hold) if since < hold => self.hold = Some((self.clock.part(hold, 2.0) + since).min(rto)),
            Some(_) if since > rto => self.be_quick(self.rules.quick),
            Some(_) => {}
        }
        self.last = now;
    }

    /// A segment that grows the window is acknowledged at once, and takes no quick ACK of those left.
    fn grow(&mut self, arrival: &Arrival) {
        let unread = self.next.saturating_sub(self.read);
        if let Some(room) = &mut self.room
            && room.on_segment((arrival.len, self.full), unread, self.next, arrival.now)
        {
            self.quick |= 1;
        }
    }

    /// True if an ACK leaves at once, whatever the timer says.
    fn is_due(&self) -> bool {
        self.quick > 0 || self.next.saturating_sub(self.acked) > u64::from(self.full)
    }

    /// The timer for a segment in order, with nothing above it.
    fn hold_it(&mut self, now: f64) -> Emission {
        let least = self.least();
        let mut hold = self.hold.unwrap_or(least);
        if hold > least {
            let most = if self.pushed { self.rules.timer.secs() } else { MOST_HELD };
            let path = self.handshake.map_or(f64::INFINITY, |rtt| self.clock.containing(rtt).max(least));
            hold = hold.min(self.clock.passed(most)).min(path);
        }
        hold = hold.min(self.clock.less_a_tick(self.clock.passed(self.rules.timer.secs())));
        let at = now + hold;
        if self.due.is_some_and(|due| due <= now + self.clock.part(hold, 4.0)) {
            return Emission::Now; // it was about to run out
        }
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
        self.wait()
    }

    /// A segment above a gap, or one that leaves a gap open.
    fn compress(&mut self, now: Time) -> Emission {
        if self.rules.sack_delay == Time::ZERO || self.compressed >= self.rules.sack_most {
            return Emission::Now;
        }
        if self.duplicates.0 != self.next {
            self.duplicates = (self.next, 0);
        }
        if self.duplicates.1 < DUP_THRESH {
            self.duplicates.1 += 1;
            return Emission::Now;
        }
        self.compressed += 1;
        if self.sack_due.is_none() {
            let rtt = self.rtt.unwrap_or(0.0).min(self.handshake.unwrap_or(f64::INFINITY));
            let delay = self.rules.sack_delay.secs().min(self.rules.sack_share * rtt);
            self.sack_due = Some(now + Time::from_secs(delay + self.rules.sack_slack.secs()));
        }
        self.wait()
    }

    /// Until the earlier of the two timers.
    fn wait(&self) -> Emission {
        let due = self.due.map(|due| self.clock.expiry(due));
        match (due, self.sack_due) {
            (Some(due), Some(sack)) => Emission::At(due.min(sack)),
            (Some(at), None) | (None, Some(at)) => Emission::At(at),
            (None, None) => Emission::Nothing,
        }
    }

    /// The application is woken if enough waits, and reads all of it. Whether that lets an ACK go.
    fn read(&mut self, now: Time) -> bool {
        let unread = self.next.saturating_sub(self.read);
        if unread < u64::from(self.rules.low_water) {
            return false;
        }
        let first = self.read + unread.min(self.rules.read_size.into());
        self.read = self.next;
        if let Some(room) = &mut self.room {
            let above = self.highest.saturating_sub(self.next);
            room.on_read((first, self.next), (unread, self.full, above), now, self.rtt);
        }
        self.pushed
    }
}

impl AckPolicy for Linux {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        let before = std::mem::replace(&mut self.next, arrival.rcv_nxt);
        if arrival.syn {
            (self.acked, self.read) = (arrival.rcv_nxt, arrival.rcv_nxt);
            self.opened = Some(arrival.now);
            return Emission::Now;
        }
        if self.room.is_none() {
            let since = self.established.unwrap_or(arrival.now);
            self.room = Some(self.rules.room(arrival.sent_len(), before, since, arrival.now));
        }
        self.time(arrival, before);
        let gap = std::mem::replace(&mut self.gap, arrival.gap);
        self.highest = self.highest.max(arrival.seq + u64::from(arrival.len)).max(self.next);
        if arrival.duplicate && arrival.seq < before {
            self.be_quick_again(self.rules.quick);
            return Emission::Now;
        }
        let now = self.clock.passed(arrival.now.secs());
        let advances = self.next > before;
        self.measure(arrival);
        if let Some(room) = &mut self.room {
            room.on_arrival(self.largest);
            if !advances {
                room.on_gap(self.highest - self.next);
            }
        }
        if advances {
            self.follow(now);
        }
        self.heed_marks(arrival);
        self.grow(arrival);
        // The receiver's own rules answer a FIN, and everything else that they acknowledge at once. The policy does not.
        let closes = advances && !arrival.gap && (gap || !arrival.in_order);
        let decision = if closes || arrival.cwr || self.is_due() {
            Emission::Now
        } else if arrival.gap {
            self.compress(arrival.now)
        } else {
            self.hold_it(now)
        };
        self.unread = self.next.saturating_sub(self.read);
        let lets_go = advances && self.read(arrival.now);
        if decision != Emission::Now {
            self.unread = self.next.saturating_sub(self.read);
        }
        if lets_go { Emission::Now } else { decision }
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        if self.sack_due.is_some_and(|at| at <= now) {
            return Emission::Now;
        }
        if self.due.is_some_and(|at| self.clock.expiry(at) <= now) {
            // Nothing came in time: hold the next one longer.
            self.hold = self.hold.map(|hold| (2.0 * hold).min(self.rto()));
            return Emission::Now;
        }
        self.wait()
    }

    fn on_ack_sent(&mut self, now: Time) {
        (self.acked, self.pushed, self.compressed) = (self.next, false, 0);
        (self.due, self.sack_due) = (None, None);
        if self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.hold = Some(self.least());
            }
        }
        let unread = self.next.saturating_sub(self.read);
        if let Some(room) = &mut self.room {
            if room.is_filling(unread) {
                self.quick = 0;
            }
            room.on_ack(self.next, self.unread);
        }
        self.unread = unread;
        // A repeated ACK lets no new echo leave.
        if self.last_timed.replace(self.next) != Some(self.next) {
            self.round_trip.on_ack(self.next as u32, now);
        }
    }

    fn window(&self) -> Option<(u64, u8)> {
        match &self.room {
            Some(room) => room.to_say(self.next, self.unread),
            None if self.rules.memory.memory > 0 => Some(self.rules.memory.opening()),
            None => None,
        }
    }

    fn holds_blocks(&self) -> bool {
        self.sack_due.is_some()
    }

    /// A handshake may end with an ACK that carries nothing, as those of real senders do; here the first data end it.
    fn on_reply(&mut self, _: u32, now: Time) {
        if let Some(opened) = self.opened.take() {
            self.established = Some(now);
            self.handshake.get_or_insert((now - opened).secs());
        }
    }
}
