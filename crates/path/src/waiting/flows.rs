//! The flow table: of each connection, how much waits and how fast its packets leave.
//!
//! Filters, drop policies and schedulers read it; only the queue that owns it writes.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use acklab_packet::{Rate, Time};

use super::links::{Links, List};
use super::multiply::Multiply;
use super::ranking::Ranking;
use super::rate::{Presence, Tsw};

/// Connections without waiting packets that are remembered.
const REMEMBERED: usize = 4096;

/// What is measured besides the counts, each only where something reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// How busy the link is.
    pub load: Option<Load>,
    /// Each connection's output rate: the window of its estimator, and the rate in bytes a second below which a
    /// connection without waiting packets is no longer active (ledger ackfilter.m.delayed_perconn).
    pub rates: Option<(Time, f64)>,
    /// Which connection has most packets waiting.
    pub longest: bool,
    /// Of those with waiting packets, which has the highest rate; needs `rates`.
    pub fastest: bool,
}

/// How the link's load is estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Output rate over the link's known rate.
    Tsw(Tsw, Rate),
    /// Share of time during which packets wait.
    Presence(Presence),
}

/// What is known of one connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entry {
    key: u64,
    /// Its packets, in order of arrival.
    pub packets: List,
    /// Those of them that a filter may still look at.
    pub acks: List,
    /// The highest number of its plain ACKs so far.
    pub newest: Option<u64>,
    /// Its output rate when the table's decay was 1.
    scaled: f64,
    active: bool,
    generation: u64,
}

/// The flow table.
#[derive(Clone, Debug, PartialEq)]
pub struct Flows {
    index: HashMap<u64, u32, BuildHasherDefault<Multiply>>,
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// Neighbours in `ring` or `idle`.
    links: Links,
    /// Connections with waiting packets, the next one's turn first.
    ring: List,
    /// Connections without, the one longest so first.
    idle: List,
    measures: Measures,
    active: usize,
    generation: u64,
    /// By what all rates have decayed together since they were written down; see [`Flows::decay`].
    decay: f64,
    last: f64,
    longest: Ranking,
    fastest: Ranking,
    /// Active connections without waiting packets by rate, the slowest first; scores may be older than the rates.
    slowest: Ranking,
}

impl Flows {
    /// An empty table that keeps `measures`.
    pub fn new(measures: Measures) -> Flows {
        Flows {
            index: HashMap::default(),
            entries: Vec::new(),
            free: Vec::new(),
            links: Links::default(),
            ring: List::default(),
            idle: List::default(),
            measures,
            active: 0,
            generation: 0,
            decay: 1.0,
            last: 0.0,
            longest: Ranking::default(),
            fastest: Ranking::default(),
            slowest: Ranking::default(),
        }
    }

    /// Share of the link in use, 0 to 1; 0 where it is not measured.
    #[inline]
    pub fn load(&self) -> f64 {
        match &self.measures.load {
            Some(Load::Tsw(tsw, rate)) => 8.0 * tsw.rate() / rate.bps(),
            Some(Load::Presence(presence)) => presence.rate(),
            None => 0.0,
        }
    }

    /// Output rate of the connection at `slot`, bytes a second, as of the last departure.
    #[inline]
    pub fn rate(&self, slot: u32) -> f64 {
        self.entries[slot as usize].scaled * self.decay
    }

    /// Active connections: those with waiting packets, and those whose rate is not below the floor.
    #[inline]
    pub fn active(&self) -> usize {
        self.active
    }

    /// Packets of a connection that wait.
    #[inline]
    pub fn waiting(&self, slot: u32) -> usize {
        self.entries[slot as usize].packets.len()
    }

    /// A number that no other connection at this slot had or will have.
    #[inline]
    pub fn generation(&self, slot: u32) -> u64 {
        self.entries[slot as usize].generation
    }

    /// The connection whose turn it is.
    #[inline]
    pub fn turn(&self) -> Option<u32> {
        self.ring.head()
    }

    /// The connection with most packets waiting; of equals, the one numbered lowest.
    pub fn longest(&self) -> Option<u32> {
        self.longest.first().map(|(slot, _)| slot)
    }

    /// Of the connections with packets waiting, the one with the highest rate; of equals, the one numbered lowest.
    pub fn fastest(&self) -> Option<u32> {
        self.fastest.first().map(|(slot, _)| slot)
    }

    #[inline]
    pub(super) fn entry(&self, slot: u32) -> &Entry {
        &self.entries[slot as usize]
    }

    #[inline]
    pub(super) fn entry_mut(&mut self, slot: u32) -> &mut Entry {
        &mut self.entries[slot as usize]
    }

    /// The slot of a connection, known or new.
    #[inline]
    pub(super) fn find(&mut self, key: u64) -> u32 {
        match self.index.get(&key) {
            Some(&slot) => slot,
            None => self.create(key),
        }
    }

    fn create(&mut self, key: u64) -> u32 {
        if self.idle.len() >= REMEMBERED
            && let Some(oldest) = self.idle.head().filter(|&slot| !self.entries[slot as usize].active)
        {
            self.links.unlink(&mut self.idle, oldest);
            self.index.remove(&self.entries[oldest as usize].key);
            self.free.push(oldest);
        }
        self.generation += 1;
        let entry = Entry { key, generation: self.generation, ..Entry::default() };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.entries[slot as usize] = entry;
                slot
            }
            None => {
                self.entries.push(entry);
                self.links.grow();
                self.entries.len() as u32 - 1
            }
        };
        self.index.insert(key, slot);
        self.links.push_back(&mut self.idle, slot);
        slot
    }

    /// A packet arrives, before it is queued; `waiting` says whether any is.
    #[inline]
    pub(super) fn on_arrival(&mut self, waiting: bool, now: Time) {
        if let Some(Load::Presence(presence)) = &mut self.measures.load {
            presence.on_event(false, waiting, now);
        }
    }

    /// A packet has joined the list of the connection at `slot`.
    #[inline]
    pub(super) fn joined(&mut self, slot: u32) {
        let entry = &mut self.entries[slot as usize];
        if entry.packets.len() == 1 {
            self.links.unlink(&mut self.idle, slot);
            self.links.push_back(&mut self.ring, slot);
            if !entry.active {
                (entry.active, entry.scaled) = (true, 0.0);
                self.active += 1;
            }
            self.slowest.remove(slot);
            if self.measures.fastest {
                self.fastest.set(slot, entry.key, entry.scaled);
            }
        }
        self.count(slot);
    }

    /// A packet has left the list of the connection at `slot` otherwise than by being served.
    #[inline]
    pub(super) fn left(&mut self, slot: u32) {
        if self.entries[slot as usize].packets.is_empty() {
            self.links.unlink(&mut self.ring, slot);
            self.rest(slot);
        }
        self.count(slot);
    }

    /// A packet of `bytes` of the connection at `slot` leaves to be transmitted: the next connection's turn comes.
    #[inline]
    pub(super) fn served(&mut self, slot: u32, bytes: u32, now: Time) {
        match &mut self.measures.load {
            Some(Load::Tsw(tsw, _)) => tsw.on_departure(bytes, now),
            Some(Load::Presence(presence)) => presence.on_event(true, true, now),
            None => {}
        }
        self.decay(slot, bytes, now);
        self.links.unlink(&mut self.ring, slot);
        if self.entries[slot as usize].packets.is_empty() {
            self.rest(slot);
        } else {
            self.links.push_back(&mut self.ring, slot);
        }
        self.count(slot);
        self.forget_slow();
    }

    /// The connection at `slot` has nothing waiting any more.
    fn rest(&mut self, slot: u32) {
        self.links.push_back(&mut self.idle, slot);
        self.fastest.remove(slot);
        let entry = &mut self.entries[slot as usize];
        match self.measures.rates {
            Some(_) => self.slowest.set(slot, entry.key, -entry.scaled),
            None => {
                entry.active = false;
                self.active -= 1;
            }
        }
    }

    #[inline]
    fn count(&mut self, slot: u32) {
        if self.measures.longest {
            let entry = &self.entries[slot as usize];
            match entry.packets.len() {
                0 => self.longest.remove(slot),
                waiting => self.longest.set(slot, entry.key, waiting as f64),
            }
        }
    }

    /// One step of every connection's estimator (ledger ackfilter.m.delayed_perconn), in O(1) or O(log n).
    ///
    /// At each departure every rate becomes `rate * window / (window + time since the last departure)`, and the rate of
    /// the connection that leaves also gains `bytes / (window + time since the last departure)`. The factor is the
    /// same for all, so it is kept once, and a connection's own rate is written down divided by it.
    #[inline]
    fn decay(&mut self, slot: u32, bytes: u32, now: Time) {
        let Some((window, _)) = self.measures.rates else { return };
        let span = now.secs() - self.last + window.secs();
        self.last = now.secs();
        self.decay *= window.secs() / span;
        if self.decay < 1e-200 {
            let decay = std::mem::replace(&mut self.decay, 1.0);
            self.entries.iter_mut().for_each(|entry| entry.scaled *= decay);
            self.fastest.scale(decay);
            self.slowest.scale(decay);
        }
        let entry = &mut self.entries[slot as usize];
        entry.scaled += f64::from(bytes) / span / self.decay;
        if self.measures.fastest {
            self.fastest.set(slot, entry.key, entry.scaled);
        }
    }

    /// Connections without waiting packets whose rate has fallen below the floor are no longer active.
    #[inline]
    fn forget_slow(&mut self) {
        let Some((_, floor)) = self.measures.rates else { return };
        while let Some((slot, score)) = self.slowest.first()
            && -score * self.decay < floor
        {
            self.slowest.remove(slot);
            let entry = &mut self.entries[slot as usize];
            entry.active = false;
            self.active -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(window: f64, floor: f64) -> Flows {
        let rates = Some((Time::from_secs(window), floor));
        Flows::new(Measures { rates, fastest: true, longest: true, ..Measures::default() })
    }

    /// One packet comes and goes.
    fn pass(flows: &mut Flows, links: &mut Links, key: u64, bytes: u32, secs: f64) -> u32 {
        let slot = flows.find(key);
        let mut packets = flows.entry(slot).packets;
        links.push_back(&mut packets, 0);
        flows.entry_mut(slot).packets = packets;
        flows.joined(slot);
        flows.entry_mut(slot).packets = List::default();
        flows.served(slot, bytes, Time::from_secs(secs));
        slot
    }

    #[test]
    fn rates_by_hand_and_an_entry_freed_below_the_floor() {
        let (mut flows, mut links) = (measured(0.2, 20.0), Links::default());
        links.grow();
        let a = pass(&mut flows, &mut links, 1, 40, 0.1);
        assert!((flows.rate(a) - 40.0 / 0.3).abs() < 1e-9);
        let b = pass(&mut flows, &mut links, 2, 60, 0.2);
        assert!((flows.rate(a) - 40.0 / 0.3 * (0.2 / 0.3)).abs() < 1e-9, "no bytes of its own: it only decays");
        assert!((flows.rate(b) - 60.0 / 0.3).abs() < 1e-9);
        assert_eq!(flows.active(), 2);
        // 88.9 and 200 bytes a second, times 0.2 / 1.0.
        pass(&mut flows, &mut links, 2, 60, 1.0);
        assert!((flows.rate(a) - 17.78).abs() < 0.01 && (flows.rate(b) - 100.0).abs() < 1e-9);
        assert_eq!(flows.active(), 1, "the first is below 20 bytes a second and has nothing waiting");
        let again = pass(&mut flows, &mut links, 1, 40, 1.0);
        assert!((flows.rate(again) - 200.0).abs() < 1e-9 && flows.active() == 2, "and starts anew");
    }

    #[test]
    fn kept_together_or_one_by_one_rates_are_the_same() {
        let (mut flows, mut links) = (measured(0.1, 0.0), Links::default());
        links.grow();
        let mut random = crate::random::Random::stream(3);
        let (mut plain, mut last, mut now) = ([0.0_f64; 5], 0.0, 0.0);
        for _ in 0..20_000 {
            now += random.uniform() * 0.05;
            let key = (random.uniform() * 5.0) as usize;
            let span = now - last + 0.1;
            for (i, rate) in plain.iter_mut().enumerate() {
                *rate = (*rate * 0.1 + if i == key { 40.0 } else { 0.0 }) / span;
            }
            last = now;
            let slot = pass(&mut flows, &mut links, key as u64, 40, now);
            assert!((flows.rate(slot) / plain[key] - 1.0).abs() < 1e-9, "{now}");
        }
        assert!(flows.decay > 1e-200, "500 s of windows of 0.1 s would have left nothing of a double");
    }

    #[test]
    fn connections_that_are_gone_leave_room() {
        let mut flows = Flows::new(Measures::default());
        let mut links = Links::default();
        links.grow();
        (0..20_000).for_each(|key| _ = pass(&mut flows, &mut links, key, 40, 0.0));
        assert!(flows.entries.len() <= REMEMBERED + 1 && flows.index.len() <= REMEMBERED + 1);
        assert_eq!(flows.active(), 0);
    }
}
