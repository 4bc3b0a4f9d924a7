//! What limits a connection's rate, as shares of its time.
//!
//! Each wait of the sender, from one departure of data to the next, has one cause. The causes are those of T-RAT (Zhang, Breslau,
//! Paxson and Shenker, "On the Characteristics and Origins of Internet Flow Rates", SIGCOMM 2002, section 4). "Transport" is
//! slow start here. As in Siekkinen et al., "Root Cause Analysis of TCP Throughput", 2008, periods of an idle application are taken
//! out first.
//!
//! The sender's view is rebuilt from the capture point: an ACK that passes here acts one trip to the sender and back later on the
//! data that pass here.

mod delay;
mod full;
mod round;
mod spans;
mod windows;

use std::collections::VecDeque;

use crate::numbers::{Spread, after, span_s};
use crate::thresholds::{
    CLOCK_TICK_S, DUPLICATES, LONGEST_LEG_S, MAX_OUTSTANDING, MIN_FLIGHT, MIN_RTO_S, PROMPT_S, PROMPT_SHARE,
    SILENT_TRIPS, SMALL_FLIGHT, WAITED_S,
};
use delay::Clock;
use round::Round;
use spans::Spans;
use windows::Windows;

/// The cause of a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub enum Limit {
    /// The sending application had nothing to send.
    Application,
    /// The receiver's window was used up.
    Window,
    /// The receiver's window was 0.
    Closed,
    /// Lost segments were repaired, or a timeout awaited.
    Recovery,
    /// The congestion window was still growing towards the path's rate.
    SlowStart,
    /// A queue stood on the path.
    Path,
    /// A queue of ACKs stood, and none of data: the ACKs come late, so that the congestion window lasts for longer.
    AckPath,
    /// The congestion window was used up, and no queue stood.
    Cwnd,
    /// The data in flight stayed the same for many round trips, below the receiver's window, and no queue stood: a limit of the
    /// sender, such as its buffer.
    SenderWindow,
    /// The path or the congestion window: the capture does not distinguish them.
    #[default]
    Network,
}

acklab_table::words!(
    Limit: "application", "receiver-window", "closed-window", "recovery", "slow-start", "path-rate", "ack-path", "cwnd", "sender-window", "network"
);

/// All of them, in the order of the columns.
pub const ALL: [Limit; 10] = {
    use Limit::*;
    [Application, Window, Closed, Recovery, SlowStart, Path, AckPath, Cwnd, SenderWindow, Network]
};

/// An ACK on its way to the sender.
#[derive(Clone, Copy, Debug)]
struct Answer {
    due: i64,
    ack: u64,
    window: u64,
    /// Seconds for which a delayed-ACK timer held it.
    held: f64,
    /// Its timestamp.
    stamp: Option<u32>,
}

/// Data that pass.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    pub seq: u64,
    pub end: u64,
    pub resent: bool,
    /// Payload of a full segment.
    pub unit: u64,
    /// Seconds from here to the sender and back, if that is known.
    pub leg: Option<f64>,
    /// Least round trip of the whole path, if it is known.
    pub path: Option<f64>,
    /// Timestamp and echo.
    pub stamps: Option<(u32, u32)>,
    /// Seconds beyond the least from an ACK here to these data, if they are the first that echo it and the sender is far.
    pub excess: Option<f64>,
}

/// The account of one direction.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub spans: Spans,
    /// Nanoseconds that the sender waited for ACKs that a timer held, and for its own retransmission timeouts.
    pub held_ns: i64,
    pub timeout_ns: i64,
    /// Nanoseconds of `path-rate` in which no queue stood, but the rate was the link's.
    pub filled: i64,
    /// The trip to the sender was known for all of the data.
    pub placed: bool,
    /// Bytes that passed beyond every window that had passed: ACKs are missing.
    pub beyond: u64,
    /// How late data and ACKs came, by the clocks of those who sent them.
    pub lateness: (Spread, Spread),
    /// Number in the file of the last packet that acknowledged new data.
    pub acked_frame: u64,
    answers: VecDeque<Answer>,
    round: Round,
    /// Clocks of the sender and the receiver, and how late the last ACK came by its own.
    clocks: (Clock, Clock),
    late: Option<f64>,
    /// Timestamp of the last ACK that came to the sender.
    echoed: Option<u32>,
    una: u64,
    next: u64,
    right: u64,
    /// Up to where the windows allow that passed here, which the sender may not know yet.
    offered: u64,
    /// The last window advertised.
    window: u64,
    pub windows: Windows,
    /// When the last data left, whether they ended in a part of a segment, and what was in flight then.
    sent: Option<i64>,
    partial: bool,
    flight: u64,
    /// The last ACK since then that moved the window, and whether the receiver's window had stopped the sender before it.
    moved: Option<i64>,
    blocked: bool,
    closed: Option<(i64, i64)>,
    held: f64,
    /// Duplicate ACKs in a row, and where the present recovery ends.
    duplicates: u64,
    until: Option<u64>,
}

impl Limits {
    /// A plain ACK with this timestamp passes at `now`.
    pub fn on_stamp(&mut self, stamp: Option<u32>, now: i64) {
        self.late = stamp.and_then(|stamp| self.clocks.1.on_stamp(stamp, true, now));
        if let Some(late) = self.late {
            self.round.delays.on_ack(late);
            self.lateness.1.add(late);
        }
    }

    /// An ACK passes at `now` that a timer held for `held` seconds, with a receiver's window and a timestamp.
    pub fn on_ack(
        &mut self,
        (ack, window, stamp): (u64, u64, Option<u32>),
        held: f64,
        leg: Option<f64>,
        room: bool,
        now: i64,
    ) {
        let due = |answer: &Answer| answer.stamp.is_none() && answer.due <= now;
        while let Some(answer) = self.answers.front().copied().filter(due) {
            self.answers.pop_front();
            self.apply(&answer);
        }
        self.offered = self.offered.max(ack.saturating_add(window));
        let leg = leg.unwrap_or(0.0).min(LONGEST_LEG_S);
        let due = now.saturating_add((leg * 1e9) as i64);
        let answer = Answer { due, ack, window, held, stamp };
        if !room || self.answers.len() >= MAX_OUTSTANDING {
            self.apply(&answer);
        } else {
            self.answers.push_back(answer);
        }
    }

    /// The trip to the receiver and back that the present ACK of `segments` ends took so many seconds more than the least.
    pub fn on_excess(&mut self, excess: f64, segments: u64) {
        self.round.delays.on_receiver(excess, self.late, segments);
    }

    /// A packet without payload passes that opens the connection; of the data's receiver, what its timestamp is before a queue of
    /// ACKs stands.
    pub fn on_syn(&mut self, receivers: bool, stamp: Option<u32>, now: i64) {
        let clock = if receivers { &mut self.clocks.1 } else { &mut self.clocks.0 };
        if let Some(stamp) = stamp {
            clock.on_stamp(stamp, receivers, now);
        }
    }

    /// Data with payload pass at `passed`. They left the sender earlier by what they waited in queues.
    pub fn on_data(&mut self, data: &Departure, passed: i64) {
        // Without an ACK, no window but that of a SYN is known, which has no scale (RFC 7323 section 2.2).
        let allowed = if self.offered > 0 { self.offered } else { self.una + u64::from(u16::MAX) };
        if self.sent.is_some() && data.end > allowed.saturating_add(data.unit) {
            self.beyond += data.end - allowed.max(data.seq);
        }
        let full = data.end - data.seq >= data.unit;
        let late = data.stamps.and_then(|(stamp, _)| self.clocks.0.on_stamp(stamp, full, passed));
        if let Some(late) = late.filter(|_| full) {
            self.round.delays.on_data(late);
            self.lateness.0.add(late);
        }
        if let Some(excess) = data.excess {
            self.round.delays.on_sender(excess, late);
        }
        // The leg to the sender is that of a light packet. A full one takes longer, which is no pause of the application.
        let waited = late.map_or(0.0, |late| (late + self.clocks.0.transmission() - CLOCK_TICK_S).max(0.0));
        let now = passed.saturating_sub((1e9 * waited) as i64).max(self.sent.unwrap_or(i64::MIN));
        let stale = self.settle(data.stamps.map(|(_, echo)| echo), now);
        let Some(sent) = self.sent else {
            (self.una, self.next, self.placed) = (data.seq, data.end, data.leg.is_some());
            self.spans.first_frame = self.spans.frame;
            self.round.begin(now, self.next);
            self.depart(data, now);
            return;
        };
        self.placed &= data.leg.is_some();
        let trigger = self.moved.unwrap_or(sent);
        let path = data.path.unwrap_or(0.0);
        // An ACK that came late says nothing of what the sender waited for.
        let late = !stale && span_s(trigger, now) > (PROMPT_SHARE * path).max(PROMPT_S);
        if data.resent {
            self.round.lost = true;
            let silent = span_s(trigger, now) >= MIN_RTO_S.max(SILENT_TRIPS * path);
            if silent && self.duplicates < DUPLICATES {
                self.timeout_ns = self.timeout_ns.saturating_add(now - trigger);
                self.round.restart();
            }
            self.until = Some(self.until.map_or(self.next, |until| until.max(self.next)));
            self.spans.add(Limit::Recovery, sent, now);
        } else if self.until.is_some() {
            self.spans.add(Limit::Recovery, sent, now);
        } else {
            self.account(sent, trigger, late, now);
        }
        self.next = self.next.max(data.end);
        self.depart(data, now);
    }

    /// New data leave outside recovery: why not earlier?
    fn account(&mut self, sent: i64, trigger: i64, late: bool, now: i64) {
        let mut from = sent;
        if let Some((since, until)) = self.closed.take() {
            let (since, until) = (since.max(sent), until.clamp(sent, now));
            self.wait(if self.blocked { Limit::Window } else { Limit::Network }, sent, since);
            self.spans.add(Limit::Closed, since, until);
            from = until;
        }
        let small = self.partial && self.flight < self.round.peak() / SMALL_FLIGHT || self.flight < MIN_FLIGHT;
        let cause = match (self.blocked, late || small) {
            (true, false) => Limit::Window,
            (true, true) => {
                self.wait(Limit::Window, from, trigger.max(from));
                from = trigger.max(from);
                Limit::Application
            }
            (false, true) => Limit::Application,
            (false, false) => Limit::Network,
        };
        self.wait(cause, from, now);
        if !late && self.held > 0.0 {
            self.held_ns = self.held_ns.saturating_add(((self.held * 1e9) as i64).min(now - sent));
        }
    }

    /// A wait has this cause; the receiver's window is remembered where it is one.
    fn wait(&mut self, cause: Limit, from: i64, to: i64) {
        self.windows.on_wait(cause == Limit::Window && to > from);
        self.spans.add(cause, from, to);
    }

    /// A round is decided. A queue's is the path's, whatever its windows were.
    fn decide(&mut self, found: Limit) {
        self.spans.decide(self.round.start(), found, self.round.acked());
        self.windows.decide(found != Limit::Path);
    }

    fn depart(&mut self, data: &Departure, now: i64) {
        self.sent = Some(now);
        self.partial = !(data.end - data.seq).is_multiple_of(data.unit.max(1));
        self.flight = self.next.saturating_sub(self.una);
        self.round.on_flight(self.flight, data.unit);
        // What is left of the window has no room for a segment, or is less than half of it (RFC 9293 section 3.8.6.2.1).
        let left = self.right.saturating_sub(self.next);
        self.blocked = self.right > 0 && left < data.unit.min((self.window / 2).max(1));
        self.windows.on_departure(self.right.saturating_sub(self.una));
        (self.moved, self.held) = (None, 0.0);
        self.closed = None;
    }

    /// The ACKs that had come to the sender when it sent at `now`: data echo the last of them, or else they are due. Whether the last
    /// was late: due before the data sent last, which do not echo it.
    fn settle(&mut self, echo: Option<u32>, now: i64) -> bool {
        let mut stale = false;
        while let Some(mut answer) = self.answers.front().copied() {
            let came = match answer.stamp.zip(echo) {
                Some((stamp, echo)) if stamp == echo => answer.due <= now || self.echoed != Some(echo),
                Some((stamp, echo)) => after(echo, stamp),
                None => answer.due <= now,
            };
            if !came {
                break;
            }
            self.answers.pop_front();
            let sent = self.sent.unwrap_or(answer.due);
            stale = span_s(answer.due, sent) > CLOCK_TICK_S;
            answer.due = answer.due.clamp(sent, now.max(sent));
            self.echoed = answer.stamp;
            self.apply(&answer);
        }
        stale
    }

    fn apply(&mut self, answer: &Answer) {
        let Answer { due, ack, window, held, .. } = *answer;
        let moves = ack > self.una || ack.saturating_add(window) > self.right;
        self.duplicates = if ack > self.una { 0 } else { self.duplicates + u64::from(!moves) };
        if ack >= self.una {
            self.window = window;
            match (&mut self.closed, window) {
                (None, 0) => self.closed = Some((due, i64::MAX)),
                (Some((_, until)), 1..) if *until == i64::MAX => *until = due,
                _ => {}
            }
        }
        self.right = self.right.max(ack.saturating_add(window));
        if !moves {
            return;
        }
        self.moved = Some(due);
        self.held = held;
        let acked = ack.saturating_sub(self.una);
        self.una = self.una.max(ack);
        self.next = self.next.max(ack);
        let recovers = self.until.is_some();
        self.until = self.until.filter(|until| ack < *until);
        if self.sent.is_some() && self.round.on_ack(acked, ack, recovers, due) {
            self.close_round(due);
        }
    }

    fn close_round(&mut self, now: i64) {
        // The sender may go on at once, or not: a round without departures behind it may be the last.
        let whole = self.flight > 0 && self.next > self.una;
        let found = self.round.verdict(now, whole);
        self.decide(found);
        self.round.next(now, self.next, found, whole);
    }

    /// The direction ends: what is still open is decided. `last` is when its last ACK of new data passed, `link` the payload bytes a
    /// second of the bottleneck, where trains show them, `path` the least round trip.
    pub fn finish(&mut self, last: Option<i64>, link: Option<f64>, path: Option<f64>) {
        while let Some(answer) = self.answers.pop_front() {
            self.apply(&answer);
        }
        if let (Some(sent), Some(last)) = (self.sent, last) {
            let cause = if self.until.is_some() { Limit::Recovery } else { Limit::Network };
            self.spans.frame = self.acked_frame;
            self.spans.add(cause, sent, last.max(sent));
            self.decide(self.round.verdict(last, false));
        }
        self.filled = full::weigh(
            &mut self.spans,
            link,
            self.round.fastest(),
            [0.5, 0.95].map(|share| self.lateness.1.quantile(share)),
            path,
        );
    }

    /// How much is remembered until later packets settle it.
    pub fn remembered(&self) -> usize {
        self.answers.len()
    }

    /// Seconds of a delay beyond the least that show a timer: the wait itself, or none.
    pub fn held(delay: Option<f64>, least: Option<f64>) -> f64 {
        let wait = delay.zip(least).map_or(0.0, |(delay, least)| delay - least);
        if wait >= WAITED_S { wait } else { 0.0 }
    }
}
