//! One connection: its two ends, its handshake, its two directions.

use crate::acks::{Own, Sender};
use crate::copies::Copies;
use crate::direction::{DataKind, Direction};
use crate::ecn::{self, Agreed};
use crate::numbers::span_s;
use crate::rows::AckRow;
use crate::segment::{ACK, Endpoint, FIN, RST, SYN, Seen};
use crate::series::Series;
use crate::thresholds::many;

/// When the three segments of the handshake passed, and which end began.
#[derive(Clone, Copy, Debug, Default)]
struct Handshake {
    opener: usize,
    syn: Option<i64>,
    answer: Option<i64>,
    /// A SYN passed twice: what times it is not known.
    again: bool,
    done: bool,
    /// A pure ACK ended it.
    alone: bool,
}

/// A connection as it passes.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The end that opened it, or whose packet was first; and the other.
    pub ends: [Endpoint; 2],
    /// Numbers of their hosts.
    pub hosts: [Option<usize>; 2],
    /// Direction 0 is the data of `ends[0]`.
    pub directions: [Direction; 2],
    pub first_ns: i64,
    pub last_ns: i64,
    /// Both SYNs passed.
    pub opened: bool,
    pub reset: bool,
    /// Packets of both ends, and those of them that had passed before, the same in everything.
    pub packets: u64,
    pub copies: u64,
    last: [Copies; 2],
    series: [Series; 2],
    /// One past the highest number each end has used.
    spoken: [Option<u32>; 2],
    syns: [Option<Seen>; 2],
    handshake: Handshake,
}

/// What a packet was, in both its roles.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// Which end sent it.
    pub from: usize,
    /// As data of its sender.
    pub data: Option<DataKind>,
    /// Its first number in 64 bits, if it was data.
    pub seq: u64,
    /// As an ACK of the other's data.
    pub ack: Option<AckRow>,
}

impl Connection {
    /// The connection of which `seen` is the first packet.
    pub fn new(seen: &Seen, now: i64) -> Connection {
        let answer = seen.has(SYN) && seen.has(ACK);
        let ends = if answer { [seen.to, seen.from] } else { [seen.from, seen.to] };
        Connection {
            ends,
            hosts: [None; 2],
            directions: Default::default(),
            first_ns: now,
            last_ns: now,
            opened: false,
            reset: false,
            packets: 0,
            copies: 0,
            last: Default::default(),
            series: Default::default(),
            spoken: [None; 2],
            syns: [None; 2],
            handshake: Handshake::default(),
        }
    }

    /// Whether `seen` opens another connection between the same ends.
    pub fn is_over(&self, seen: &Seen) -> bool {
        if !seen.has(SYN) || seen.has(ACK) {
            return false;
        }
        let end = usize::from(seen.from != self.ends[0]);
        match &self.syns[end] {
            Some(syn) => syn.seq != seen.seq,
            None => self.spoken[end].is_some_and(|next| next != seen.seq.wrapping_add(1)),
        }
    }

    /// How much is remembered until later packets settle it, and how much was forgotten instead.
    pub fn remembered(&self) -> (usize, u64) {
        let [one, other] = &self.directions;
        (one.remembered() + other.remembered(), one.forgotten + other.forgotten)
    }

    /// What both ends offered in their SYNs.
    pub fn options(&self) -> String {
        let [Some(first), Some(second)] = &self.syns else { return String::new() };
        let both = |has: fn(&Seen) -> bool| has(first) && has(second);
        let offered = [
            ("sack", both(|syn| syn.options.sack_permitted)),
            ("timestamps", both(|syn| syn.options.stamps.is_some())),
            ("ecn", self.ecn() == Agreed::Classic),
        ];
        let names: Vec<&str> = offered.iter().filter(|(_, offered)| *offered).map(|(name, _)| *name).collect();
        names.join(" ")
    }

    /// The ECN that was negotiated.
    pub fn ecn(&self) -> Agreed {
        ecn::agreed(&self.syns)
    }

    /// Whether it is less than the accurate ECN that was asked for.
    pub fn fell_back(&self) -> bool {
        ecn::asked(&self.syns) && matches!(self.ecn(), Agreed::Classic | Agreed::None)
    }

    /// Seconds from the SYN to the ACK that ended the handshake, where that answered at once.
    pub fn handshake_s(&self) -> Option<f64> {
        let (called, caller) = self.directions[0].legs.0.zip(self.directions[0].legs.1)?;
        self.handshake.alone.then_some(called + caller)
    }

    /// Which end sent the first SYN.
    pub fn opener(&self) -> usize {
        self.handshake.opener
    }

    /// How often the numbers of an end went back to an earlier series, if so often that there are two.
    pub fn two_series(&self) -> Option<u64> {
        let returns = self.series.iter().map(|series| series.returns).sum();
        many(returns, self.packets).then_some(returns)
    }

    /// The next packet passes at `now`, or with the last if that is later. Its number in the file is `frame`. Without `room` the oldest makes room for what it brings.
    pub fn on_packet(&mut self, seen: &Seen, (now, frame): (i64, u64), beside: Option<u16>, room: bool) -> Passed {
        for direction in &mut self.directions {
            (direction.room, direction.limits.spans.frame) = (room, frame);
        }
        let from = usize::from(seen.from != self.ends[0]);
        let now = now.max(self.last_ns);
        self.last_ns = now;
        self.packets += 1;
        let copy = self.last[from].on_packet(seen);
        self.copies += u64::from(copy);
        if !seen.has(RST) {
            self.series[from].on_packet(seen.seq, self.directions[from].acks.largest_window);
        }
        if seen.has(SYN) {
            self.on_syn(from, seen);
        }
        self.time_handshake(from, seen, now);
        let own = self.speak(from, seen);
        let ack = self.directions[1 - from].on_ack(seen, Sender { own, copy, beside }, now);
        if seen.has(SYN) && !copy {
            self.directions[1 - from].limits.on_syn(true, seen.options.stamps.map(|(value, _)| value), now);
        }
        let data = self.directions[from].on_data(seen, own, copy, now);
        self.reset |= seen.has(RST);
        Passed { from, data, seq: self.directions[from].numbers.peek(seen.seq), ack }
    }

    fn speak(&mut self, from: usize, seen: &Seen) -> Own {
        let after = seen.seq.wrapping_add(seen.units());
        let Some(next) = self.spoken[from] else {
            self.spoken[from] = Some(after);
            return Own::Next;
        };
        if after.wrapping_sub(next) as i32 > 0 && !seen.has(RST) {
            self.spoken[from] = Some(after);
        }
        match next.wrapping_sub(seen.seq) {
            0 => Own::Next,
            1 if !seen.has(SYN | FIN | RST) => Own::Probe,
            _ => Own::Other,
        }
    }

    fn on_syn(&mut self, from: usize, seen: &Seen) {
        self.handshake.again |= self.syns[from].is_some();
        self.syns[from] = Some(*seen);
        let [first, second] = &self.syns;
        let scale = |syn: &Option<Seen>| syn.as_ref().and_then(|syn| syn.options.scale);
        // Scales count only where both SYNs offer one (RFC 7323 section 2.2).
        let both = match (first, second) {
            (Some(_), Some(_)) => scale(first).zip(scale(second)),
            _ => None,
        };
        if let Some((first, second)) = both {
            (self.directions[1].acks.scale, self.directions[0].acks.scale) = (first, second);
        }
        self.opened = first.is_some() && second.is_some();
        for direction in &mut self.directions {
            direction.acks.scaled = self.opened;
        }
        let mss = [first, second].into_iter().flatten().filter_map(|syn| syn.options.mss).min();
        for direction in &mut self.directions {
            direction.mss = mss.or(direction.mss);
        }
    }

    /// The handshake's three packets time both directions from here: SYN to SYN-ACK is the round trip to the callee. From
    /// there to the first ACK is the round trip to the caller.
    fn time_handshake(&mut self, from: usize, seen: &Seen, now: i64) {
        let shake = &mut self.handshake;
        if seen.has(SYN) {
            let place = if seen.has(ACK) { &mut shake.answer } else { &mut shake.syn };
            *place = place.or(Some(now));
            if !seen.has(ACK) {
                shake.opener = from;
            }
            return;
        }
        if shake.done || from != shake.opener || !seen.has(ACK) {
            return;
        }
        let (Some(syn), Some(answer)) = (shake.syn, shake.answer) else { return };
        shake.done = true;
        if shake.again {
            return;
        }
        // Data may have waited for their application: only an ACK alone answers at once.
        shake.alone = seen.units() == 0;
        self.directions[shake.opener].shaken = seen.payload;
        let (called, caller) = (span_s(syn, answer), span_s(answer, now));
        self.directions[shake.opener].legs = (Some(called), Some(caller));
        self.directions[1 - shake.opener].legs = (Some(caller), Some(called));
        for direction in &mut self.directions {
            if let (Some(receiver), Some(sender)) = direction.legs {
                direction.answers.on_trip(receiver);
                direction.arrivals.on_trip(sender);
                direction.eyes.on_handshake(receiver + sender);
            }
        }
    }
}
