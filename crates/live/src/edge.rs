//! The ACK shaper: a policy of the laboratory decides, at the receiver's edge, which ACKs of a real receiver go out.
//!
//! A [`Receiver`] of the simulator watches the segments that reach the real one. It says when an ACK leaves and of which
//! number. The packet that goes is the real receiver's newest, with that number. The real one must acknowledge every
//! segment, so that there always is one. A plain ACK that advances may be held, left out, or sent in pieces. Everything
//! else passes at once and unchanged: SYN, FIN, RST, payload, SACK blocks, duplicates, window updates, other options. So does
//! the first packet that says something else about congestion than the one before.

use std::collections::VecDeque;
use std::sync::Arc;

use acklab_packet::{Ack, Probe, Segment, Seq, Time};
use acklab_path::Carried;
use acklab_path::stage::Reissue;
use acklab_tcp::receiver::{Receiver, ReceiverWire};
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, SynAnswer};
use serde::Serialize;

use crate::header::flag;
use crate::packet::WirePacket;

/// An ACK waits no longer where the policy has set no timer (RFC 1122 section 4.2.3.2 allows half a second).
pub const MAX_HELD: Time = Time::from_secs(0.5);

/// Stamps remembered: more than a window's ACKs bear.
const STAMPS: usize = 4096;

/// What the shaper did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EdgeCounts {
    /// Plain ACKs that advance: what the real receiver gave the policy to decide on.
    pub offered: u64,
    /// Packets that passed untouched.
    pub untouched: u64,
    /// Plain ACKs left out: a newer one says as much.
    pub thinned: u64,
    /// ACKs sent under another number than the real receiver gave.
    pub made: u64,
    /// ACKs sent because no timer of the policy would have.
    pub flushed: u64,
}

/// A segment that reaches the real receiver, as the shaper sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Index of its flow.
    pub flow: u32,
    /// What it carries.
    pub segment: Segment,
    /// Its TSecr (RFC 7323).
    pub echo: Option<u32>,
}

impl Seen {
    /// What there is to see of `packet`; nothing if it takes no sequence number.
    pub fn of(packet: &WirePacket) -> Option<Seen> {
        let echo = packet.header().timestamps.map(|(_, echo)| echo);
        Some(Seen { flow: packet.flow(), segment: packet.segment()?, echo })
    }
}

/// What the watching receiver asks for.
#[derive(Debug, Default)]
struct Wishes {
    numbers: Vec<Seq>,
    /// The ACK timer, if the call changed it.
    timer: Option<Option<Time>>,
}

impl ReceiverWire for Wishes {
    fn send(&mut self, ack: Ack, _: u32) {
        self.numbers.push(ack.ack);
    }
    /// Policies that need keep-alives are refused; a keep-alive would be a packet of our own.
    fn probe(&mut self, _: Probe, _: u32) {}
    fn arm(&mut self, at: Time) {
        self.timer = Some(Some(at));
    }
    fn disarm(&mut self) {
        self.timer = Some(None);
    }
}

/// One flow's shaper.
#[derive(Debug)]
pub struct Edge {
    watcher: Receiver,
    /// Its ACK timer.
    deadline: Option<Time>,
    /// ACK numbers that may leave as soon as the real receiver has acknowledged as much.
    owed: VecDeque<u64>,
    /// The real receiver's newest plain ACK, and since when a part of it has not been sent.
    newest: Option<WirePacket>,
    since: Option<Time>,
    /// The highest number the real receiver acknowledged, and the highest sent on.
    real: u64,
    sent: u64,
    congestion: u8,
    /// The highest number sent under each of the real receiver's timestamps, oldest first.
    stamps: VecDeque<(u32, u32)>,
    counts: EdgeCounts,
}

impl Edge {
    /// A shaper that does what a receiver with these rules would.
    pub fn new(rules: &ReceiverRules) -> Edge {
        // Here every connection opens with a SYN. Its answer never waits, and the real receiver sends it again.
        let mut rules = ReceiverRules { immediate_on_syn: true, syn_answer: SynAnswer::Once {}, ..rules.clone() };
        if let AckPolicyKind::Quic { packet_numbers, .. } = &mut rules.ack {
            *packet_numbers = false; // a kernel's segments bear none
        }
        Edge {
            watcher: Receiver::new(Arc::new(rules)),
            deadline: None,
            owed: VecDeque::new(),
            newest: None,
            since: None,
            real: 0,
            sent: 0,
            congestion: 0,
            stamps: VecDeque::new(),
            counts: EdgeCounts::default(),
        }
    }

    /// What it did so far.
    pub fn counts(&self) -> EdgeCounts {
        self.counts
    }

    /// A segment reaches the real receiver; what may leave it now goes to `out`.
    pub fn arrives(&mut self, seen: &Seen, now: Time, out: &mut Vec<WirePacket>) {
        let segment = Segment { echo: seen.echo.map_or(0, |echo| self.acked_under(echo)), ..seen.segment };
        let before = self.watcher.rcv_nxt();
        let mut wishes = Wishes::default();
        self.watcher.on_segment(&segment, now, &mut wishes);
        if self.watcher.rcv_nxt() == before {
            // Out of order, or nothing new: the real receiver answers with a duplicate, which passes by itself.
            wishes.numbers.clear();
        }
        self.follow(wishes, now, out);
    }

    /// The real receiver hands over a packet.
    pub fn leaves(&mut self, packet: WirePacket, now: Time, out: &mut Vec<WirePacket>) {
        let advances = packet.plain_ack().is_some_and(|number| number > self.real);
        let news = packet.header().sacks > 0 || packet.unknown_options() || packet.congestion() != self.congestion;
        self.real = self.real.max(packet.ack());
        // The answer to a SYN agrees on ECN by flags of another meaning.
        self.congestion = if packet.header().has(flag::SYN) { 0 } else { packet.congestion() };
        if !advances || news {
            let number = packet.ack();
            self.owed.retain(|&owed| owed > number);
            if self.newest.take_if(|newest| newest.ack() <= number).is_some() && self.since.take().is_some() {
                self.counts.thinned += 1;
            }
            self.counts.untouched += 1;
            return self.send(packet, out);
        }
        self.counts.offered += 1;
        self.counts.thinned += u64::from(self.since.is_some());
        self.since.get_or_insert(now);
        self.newest = Some(packet);
        self.settle(now, out);
    }

    /// When it wants to be woken.
    pub fn next(&self) -> Option<Time> {
        self.deadline.or(self.since.map(|since| since + MAX_HELD))
    }

    /// The time it asked for has come.
    pub fn wake(&mut self, now: Time, out: &mut Vec<WirePacket>) {
        if self.deadline.take_if(|at| *at <= now).is_some() {
            let mut wishes = Wishes::default();
            self.watcher.on_timer(now, &mut wishes);
            self.follow(wishes, now, out);
        }
        if self.deadline.is_none() && self.since.is_some_and(|since| since + MAX_HELD <= now) {
            self.counts.flushed += 1;
            self.flush(out);
        }
    }

    /// Sends what is held.
    pub fn flush(&mut self, out: &mut Vec<WirePacket>) {
        self.owed.clear();
        if self.since.take().is_some()
            && let Some(newest) = self.newest.clone()
        {
            self.send(newest, out);
        }
    }

    fn follow(&mut self, wishes: Wishes, now: Time, out: &mut Vec<WirePacket>) {
        if let Some(timer) = wishes.timer {
            self.deadline = timer;
        }
        self.owed.extend(wishes.numbers);
        self.settle(now, out);
    }

    /// Sends the numbers owed, in order, as far as the real receiver has got.
    fn settle(&mut self, now: Time, out: &mut Vec<WirePacket>) {
        while let Some(&number) = self.owed.front() {
            let Some(newest) = &self.newest else { break };
            let whole = newest.ack();
            if number > whole {
                break;
            }
            self.owed.pop_front();
            if number == self.sent {
                continue; // it would be a duplicate
            }
            if number == whole {
                let packet = newest.clone();
                self.since = None;
                self.send(packet, out);
            } else {
                let packet = newest.reissued(number);
                self.counts.made += 1;
                self.since.get_or_insert(now);
                self.send(packet, out);
            }
        }
    }

    fn send(&mut self, packet: WirePacket, out: &mut Vec<WirePacket>) {
        self.sent = self.sent.max(packet.ack());
        if self.newest.as_ref().is_some_and(|newest| newest.ack() <= self.sent) {
            self.since = None;
        }
        if let Some((value, _)) = packet.header().timestamps {
            let number = packet.ack() as u32;
            match self.stamps.back_mut() {
                Some(last) if last.0 == value => last.1 = number,
                _ => self.stamps.push_back((value, number)),
            }
            if self.stamps.len() > STAMPS {
                self.stamps.pop_front();
            }
        }
        out.push(packet);
    }

    /// The newest number sent under this timestamp, which the sender echoes; 0 if none was.
    fn acked_under(&mut self, echo: u32) -> u32 {
        while self.stamps.front().is_some_and(|&(value, _)| (value.wrapping_sub(echo) as i32) < 0) {
            self.stamps.pop_front();
        }
        self.stamps.front().filter(|(value, _)| *value == echo).map_or(0, |&(_, number)| number)
    }
}
