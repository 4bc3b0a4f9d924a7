//! One direction of a connection: the data that one end sends, and the ACKs that the other sends for them.

use std::collections::VecDeque;

use crate::acks::{Acks, Own};
use crate::bottleneck::{Rate, Trains};
use crate::cwnd::Eyes;
use crate::ecn::Counters;
use crate::gaps::Gaps;
use crate::lacking::Lacking;
use crate::limits::{Departure, Limits};
use crate::numbers::Unwrap;
use crate::outstanding::{Outstanding, Sent};
use crate::recovery::Recovery;
use crate::segment::{CWR, FIN, RST, SYN, Seen};
use crate::thresholds::{JITTER_SHARE, LARGEST_PAYLOAD, MAX_OUTSTANDING, NEAR_S, NEAR_SHARE};
use crate::throughput::Bins;

/// Payloads of full segments on Ethernet: with and without timestamps, IPv4 and IPv6. Without a handshake, a payload that
/// is a multiple of one was put together from several.
const ETHERNET: [u32; 4] = [1448, 1460, 1428, 1440];

/// What a data segment was to those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub enum DataKind {
    /// The next, or beyond.
    #[default]
    New,
    /// It, or a part of it, had passed before.
    Resent,
    /// It fills a gap: it was overtaken, or lost before it came here.
    Late,
    /// A keep-alive.
    KeepAlive,
}

acklab_table::words!(DataKind: "new", "resent", "late", "keep-alive");

/// Counts of the data.
#[derive(Clone, Debug, Default)]
pub struct DataCounts {
    pub packets: u64,
    pub segments: u64,
    pub bytes: u64,
    pub resent: u64,
    pub resent_bytes: u64,
    pub late: u64,
    pub keep_alives: u64,
    pub offloaded: u64,
    pub ect: u64,
    pub ce: u64,
    pub cwr: u64,
    pub most_flight: u64,
    pub first_ns: Option<i64>,
    pub last_ns: i64,
}

/// The state of one direction.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    pub numbers: Unwrap,
    /// First number seen, and one past the highest.
    pub first: Option<u64>,
    pub next: u64,
    /// Highest number acknowledged.
    pub una: Option<u64>,
    /// What lies between and has not passed.
    pub gaps: Gaps,
    /// What ACKs cover and the capture lacks.
    pub lacking: Lacking,
    pub outstanding: Outstanding,
    /// How far the data were complete, and since when.
    pub edges: VecDeque<(u64, i64)>,
    pub edge: u64,
    pub counts: DataCounts,
    pub acks: Acks,
    /// Maximum segment size the data's receiver announced, or its sender if that is less; largest payload within it.
    pub mss: Option<u16>,
    pub largest: u32,
    pub largest_any: u32,
    pub stamped: bool,
    /// The last segment was a keep-alive; and where the last one of a byte began.
    pub probing: bool,
    pub probed: Option<u64>,
    /// Whether more may be remembered, and how many segments and gaps were forgotten because not.
    pub room: bool,
    pub forgotten: u64,
    pub eyes: Eyes,
    pub recovery: Recovery,
    pub limits: Limits,
    pub counters: Counters,
    pub bins: Bins,
    /// Trains of data that met a queue before they came here, and of ACKs whose data or who met one behind.
    pub arrivals: Trains,
    pub answers: Trains,
    /// Seconds from here to the receiver and back in the handshake, and to the sender.
    pub legs: (Option<f64>, Option<f64>),
    /// Bytes of payload of this direction's packet that ended the handshake.
    pub shaken: u32,
}

impl Direction {
    /// Bytes of a full segment: the largest payload seen that one packet can have.
    pub fn unit(&self) -> u32 {
        let stamps = 12 * u32::from(self.stamped);
        match self.most_alone() {
            // Only ACKs passed, or packets of several segments, whose last is as large as chance will have it.
            Some(most) if self.largest_any == 0 || self.largest_any > most => most,
            Some(_) => self.largest.max(1),
            None => match ETHERNET
                .into_iter()
                .find(|size| self.largest_any > *size && self.largest_any.is_multiple_of(*size))
            {
                Some(size) => size,
                None if self.largest_any > LARGEST_PAYLOAD => ETHERNET[1] - stamps,
                None => self.largest_any.max(1),
            },
        }
    }

    /// Most payload of a packet that is one segment, where the handshake tells.
    fn most_alone(&self) -> Option<u32> {
        self.mss.map(|mss| u32::from(mss).saturating_sub(12 * u32::from(self.stamped)).max(1))
    }

    /// True if [`Direction::unit`] is known.
    pub fn has_unit(&self) -> bool {
        self.largest_any > 0 || self.mss.is_some()
    }

    /// Whether there were data: they passed, or more was acknowledged than a SYN and a FIN take.
    pub fn carried(&self) -> bool {
        self.counts.bytes > 0 || self.acks.counts.acked_bytes > 2
    }

    /// How many full segments `bytes` are.
    pub fn units(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.unit().into())
    }

    /// Rate of the bottleneck, and whose trains show it: those of which there are more.
    pub fn bottleneck(&self) -> Option<(Rate, &'static str)> {
        let found = [(self.arrivals.rate(), "data"), (self.answers.rate(), "acks")];
        found.into_iter().filter_map(|(rate, from)| Some((rate?, from))).max_by_key(|(rate, _)| rate.trains)
    }

    /// Bytes of the IP packets that carry so much payload in so many segments; `seen` is one of the connection's.
    pub fn ip_bytes(&self, seen: &Seen, payload: u64, segments: u64) -> u64 {
        let ip = if seen.from.address.is_ipv6() { 40 } else { 20 };
        payload + segments * (ip + 20 + 12 * u64::from(self.stamped))
    }

    /// Bytes sent and not acknowledged, as seen here.
    pub fn flight_bytes(&self) -> u64 {
        self.next.saturating_sub(self.una.or(self.first).unwrap_or(self.next))
    }

    /// A segment of this direction that takes up sequence numbers passes at `now`, or an empty one that asks for an
    /// answer; what it was. A copy of a packet that had passed counts as resent, and says nothing of the segment.
    pub fn on_data(&mut self, seen: &Seen, own: Own, copy: bool, now: i64) -> Option<DataKind> {
        let units = seen.units();
        let seq = if seen.has(RST) { self.numbers.peek(seen.seq) } else { self.numbers.widen(seen.seq) };
        self.probing = own == Own::Probe && seen.payload <= 1 && !seen.has(SYN | FIN | RST);
        if self.probing {
            self.counts.keep_alives += 1;
            self.probed = if seen.payload > 0 { Some(seq) } else { self.probed };
            return Some(DataKind::KeepAlive);
        }
        if units == 0 || seen.has(RST) {
            return None;
        }
        self.stamped |= seen.options.stamps.is_some() && !seen.has(SYN);
        let end = seq + u64::from(units);
        if self.first.is_none() {
            (self.first, self.next, self.edge) = (Some(seq), seq, seq);
            self.una = self.una.filter(|una| *una <= end); // an ACK that came before any data may be of anything
        }
        self.count(seen, now);
        let kind = self.place(seq, end);
        if !copy {
            self.remember(seq, end, kind, seen, now);
        }
        self.next = self.next.max(end);
        let edge = self.gaps.first().unwrap_or(self.next);
        if edge > self.edge {
            self.edge = edge;
            if !self.fits(self.edges.len()) {
                self.edges.pop_front();
            }
            self.edges.push_back((edge, now));
        }
        let (resent, late) = (kind == DataKind::Resent, kind == DataKind::Late);
        self.counts.resent += u64::from(resent);
        self.counts.resent_bytes += if resent { u64::from(seen.payload) } else { 0 };
        self.counts.late += u64::from(late);
        self.acks.on_data(kind == DataKind::New, seq, self.units(seen.payload.into()).max(1), now);
        let flight = self.flight_bytes();
        self.counts.most_flight = self.counts.most_flight.max(flight);
        if seen.has(SYN) && seen.payload == 0 && !copy {
            self.limits.on_syn(false, seen.options.stamps.map(|(value, _)| value), now);
        }
        if seen.payload > 0 && !copy {
            let round_trip = self.legs.0.zip(self.legs.1).map(|(one, other)| one + other);
            self.recovery.on_data(seen.payload, resent || late, self.next, round_trip, now);
            let echo = seen.options.stamps.map(|(_, echo)| echo);
            let segments = self.units(seen.payload.into());
            self.arrivals.on_bytes(self.ip_bytes(seen, seen.payload.into(), segments), segments, now);
            let mut excess = None;
            if let Some(trip) = self.eyes.on_data(
                seq,
                seen.payload,
                self.edge.max(self.una.unwrap_or(0)),
                echo,
                self.unit(),
                self.room,
                now,
            ) {
                self.arrivals.on_trip(trip);
                excess = self.beyond_to_sender(trip);
            }
            let departure = Departure {
                seq,
                end: seq + u64::from(seen.payload),
                resent: resent || late,
                unit: self.unit().into(),
                leg: self.sender_leg(),
                path: round_trip.or(self.sender_leg().zip(self.eyes.to_receiver).map(|(one, other)| one + other)),
                stamps: seen.options.stamps,
                excess,
            };
            self.limits.on_data(&departure, now);
        }
        Some(kind)
    }

    /// Least seconds from here to the sender and back, so far.
    pub fn sender_leg(&self) -> Option<f64> {
        self.legs.1.into_iter().chain(self.eyes.to_sender().map(|(least, _)| least)).reduce(f64::min)
    }

    /// A trip to the sender and back took so long; if the sender is far, what lies beyond the least shows queues between.
    fn beyond_to_sender(&self, trip: f64) -> Option<f64> {
        let least = self.sender_leg()?;
        let far = least > (NEAR_SHARE * self.eyes.to_receiver.or(self.legs.0).unwrap_or(0.0)).max(NEAR_S);
        far.then_some(trip - (1.0 + JITTER_SHARE) * least)
    }

    /// The same to the receiver, by an ACK of `segments`. One that may have been held says nothing.
    pub fn on_trip_to_receiver(&mut self, trip: f64, segments: u64, prompt: bool) {
        let Some(least) = self.legs.0.into_iter().chain(self.eyes.to_receiver).reduce(f64::min) else { return };
        if prompt && least > (NEAR_SHARE * self.sender_leg().unwrap_or(0.0)).max(NEAR_S) {
            self.limits.on_excess(trip - (1.0 + JITTER_SHARE) * least, segments);
        }
    }

    fn count(&mut self, seen: &Seen, now: i64) {
        let counts = &mut self.counts;
        counts.packets += 1;
        counts.bytes += u64::from(seen.payload);
        counts.ect += u64::from(matches!(seen.ecn, 1 | 2));
        counts.ce += u64::from(seen.ecn == 3);
        counts.cwr += u64::from(seen.has(CWR) && !seen.has(SYN));
        self.bins.add(seen.payload.into(), 0, now);
        if seen.payload > 0 {
            counts.first_ns = counts.first_ns.or(Some(now));
            counts.last_ns = now;
        }
        self.largest_any = self.largest_any.max(seen.payload);
        if self.most_alone().is_none_or(|most| seen.payload <= most) {
            self.largest = self.largest.max(seen.payload);
        }
        if seen.payload > 0 {
            let pieces = self.units(seen.payload.into());
            self.counts.segments += pieces;
            self.counts.offloaded += u64::from(pieces > 1);
        }
    }

    /// Where `seq .. end` lies among what has passed; gaps it opens or fills are noted.
    fn place(&mut self, seq: u64, end: u64) -> DataKind {
        let acknowledged = self.lacking.fill(seq, end);
        if seq >= self.next {
            let from = self.next.max(self.una.unwrap_or(0));
            match seq > from && self.fits(self.gaps.len()) {
                true => self.gaps.open(from, seq),
                false => self.forgotten += u64::from(seq > from),
            }
            return DataKind::New;
        }
        let below = seq < self.first.unwrap_or(seq);
        let missing = acknowledged + self.gaps.fill(seq, end);
        if below || missing == end - seq { DataKind::Late } else { DataKind::Resent }
    }

    fn remember(&mut self, seq: u64, end: u64, kind: DataKind, seen: &Seen, now: i64) {
        let at = (now, seen.options.stamps.map(|(value, _)| value));
        let una = self.una.unwrap_or(0);
        let mut from = seq;
        if kind == DataKind::Resent {
            self.outstanding.repeat(seq, end, at);
            from = self.next.max(seq); // what lies beyond is new
        }
        if from >= end || end <= una {
            return;
        }
        let (again, late) = (kind == DataKind::Resent, kind == DataKind::Late);
        let control = seen.has(SYN | FIN);
        if !self.fits(self.outstanding.len()) {
            self.forgotten += u64::from(self.outstanding.forget_first());
        }
        let single = self.most_alone().is_some_and(|most| seen.payload <= most) && self.counts.offloaded == 0;
        let sent = Sent { end, first: at, last: at, again, late, control, single, parts: false };
        self.outstanding.add(from.max(una), sent);
    }

    /// Whether one more can be remembered beside `kept` others; if not, one of them must go.
    fn fits(&self, kept: usize) -> bool {
        self.room && kept < MAX_OUTSTANDING || kept == 0
    }

    /// How much is remembered until ACKs settle it.
    pub fn remembered(&self) -> usize {
        self.gaps.len() + self.outstanding.len() + self.edges.len() + self.eyes.remembered() + self.limits.remembered()
    }
}
