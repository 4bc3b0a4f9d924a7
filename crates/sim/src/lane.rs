//! Lanes: packets on the wires, in the order in which they arrive.
//!
//! What a link takes into service at `start` arrives at `start + (serialisation + delay)`. Packets for which that span is nearly the
//! same arrive nearly in the order in which they were taken into service, whichever links they are on. All of them stand in one
//! *lane*, in which one that waited for its link may be moved past a few, and only the front is a pending event. A network has far
//! fewer spans than links: a hundred like access links make one lane for full segments and one for ACKs.

use std::collections::BTreeMap;

use acklab_packet::{Body, Packet, Time};

use crate::event::Due;
use crate::tournament::{Entrant, Tournament};

/// Most lanes that links share; past that a link's packets of further sizes have a lane of the link's own.
const MOST_SHARED: usize = 4096;

/// Most flights of a lane that are moved to let one in before them.
const MOST_OVERTAKEN: usize = 8;

/// Spans share a lane that are the same but for so many bits: to one in 256.
const ALIKE: u32 = 52 - 8;

/// Places of a ring that has any.
const LEAST_PLACES: usize = 16;

/// A packet on a link's wire: when it arrives, and the packet as it will be then.
#[derive(Clone, Copy, Debug)]
struct Flight {
    arrival: Due,
    /// When the event was decided that decided its arrival: breaks ties of events decided ahead.
    root: Time,
    packet: Packet,
}

/// Flights in order of arrival: a ring that grows, of a power of two places.
#[derive(Clone, Debug)]
struct Lane {
    ring: Vec<Flight>,
    /// Counts of flights taken and added; modulo the ring's length, their places.
    taken: usize,
    added: usize,
    /// When the last of them arrives, or the last one did.
    last: Time,
    /// When the front arrives, if there is one.
    front: Due,
    /// [`Flight::root`] of an event that is no packet's.
    root: Time,
}

impl Default for Lane {
    fn default() -> Self {
        Lane { ring: Vec::new(), taken: 0, added: 0, last: Time::ZERO, front: Due::NEVER, root: Time::ZERO }
    }
}

impl Lane {
    #[inline(always)]
    fn place(&self, count: usize) -> usize {
        count & self.ring.len().wrapping_sub(1)
    }

    /// Makes room for more.
    #[cold]
    fn grow(&mut self) {
        let first = self.place(self.taken);
        self.ring.rotate_left(first);
        let held = self.ring.len();
        self.ring.resize((2 * held).max(LEAST_PLACES), NOTHING);
        (self.taken, self.added) = (0, held);
    }

    /// Moves the last flight, which arrives no later than the one before it, to where it belongs. `false` if that is further
    /// from the end than is worth looking.
    fn sort_in(&mut self, tied: &mut bool) -> bool {
        let last = self.added - 1;
        let flight = self.ring[self.place(last)];
        let least = self.taken.max(last.saturating_sub(MOST_OVERTAKEN));
        let later = |&count: &usize| {
            let other = &self.ring[self.place(count)];
            precedes((flight.arrival, flight.root), (other.arrival, other.root), tied)
        };
        let Some(count) = (least..last).find(later) else { return true };
        if count == least && least > self.taken {
            return false;
        }
        for moved in (count..last).rev() {
            let (from, to) = (self.place(moved), self.place(moved + 1));
            self.ring[to] = self.ring[from];
        }
        let place = self.place(count);
        self.ring[place] = flight;
        self.front = self.ring[self.place(self.taken)].arrival;
        true
    }

    /// When the front is due, and [`Flight::root`] of it.
    fn first(&self) -> (Due, Time) {
        let packet = self.taken != self.added;
        (self.front, if packet { self.ring[self.place(self.taken)].root } else { self.root })
    }
}

/// Whether the first of two events comes before the second; `tied` is set if that is not known. What is due at one time
/// comes in the order of decision, and what was decided at one time in the order in which the deciding events were.
fn precedes((one, one_root): (Due, Time), (two, two_root): (Due, Time), tied: &mut bool) -> bool {
    if one.ties(two) {
        *tied |= one_root == two_root;
        return one_root < two_root;
    }
    one.before(two)
}

/// What fills places that nothing has taken yet.
const NOTHING: Flight = Flight {
    arrival: Due::NEVER,
    root: Time::ZERO,
    packet: Packet { flow: 0, size: 0, connection: 0, place: 0, body: Body::Datagram(0) },
};

/// All packets on wires.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    /// Which of them is due first.
    tournament: Tournament,
    /// Whether the order of two of their events was asked for and is not known.
    pub(crate) tied: bool,
    /// The shared lane of each span, by the span's bits.
    shared: BTreeMap<u64, u32>,
    /// Lanes of single links.
    own: BTreeMap<u32, u32>,
}

impl Lanes {
    /// The lane for packets that `link` delivers after `span`.
    pub fn find(&mut self, span: Time, link: u32) -> u32 {
        let key = span.bits() >> ALIKE;
        match self.shared.get(&key) {
            Some(&lane) => lane,
            None if self.shared.len() < MOST_SHARED => {
                let lane = self.lane();
                self.shared.insert(key, lane);
                lane
            }
            None => self.own(link),
        }
    }

    /// The lane of `link` alone. Packets arrive from one link in the order in which it serves them, whatever their sizes.
    #[cold]
    pub fn own(&mut self, link: u32) -> u32 {
        if let Some(&lane) = self.own.get(&link) {
            return lane;
        }
        let lane = self.lane();
        self.own.insert(link, lane);
        lane
    }

    /// A new lane. It may also be an event's that is no packet's: see [`Lanes::set`].
    pub fn lane(&mut self) -> u32 {
        let (lane, again) = self.tournament.slot();
        self.lanes.push(Lane::default());
        if again {
            for id in 0..lane {
                self.replay(id);
            }
        }
        lane
    }

    /// An event is due in a lane that has no packets, and nothing else; [`Due::NEVER`]: nothing is.
    pub fn set(&mut self, lane: u32, due: Due, root: Time) {
        let of = &mut self.lanes[lane as usize];
        (of.front, of.root) = (due, root);
        self.replay(lane);
    }

    /// The front of a lane has changed.
    #[inline(always)]
    fn replay(&mut self, lane: u32) {
        let Lanes { lanes, tournament, tied, .. } = self;
        let front = lanes[lane as usize].front;
        let entrant =
            if front == Due::NEVER { Entrant::empty(lane) } else { Entrant { time: front.bits(), slot: lane } };
        tournament.replay(entrant, |one, two| comes_first(lanes, one, two, tied));
    }

    /// The time's bits of the earliest arrival, [`NO_TIME`](crate::tournament::NO_TIME) or more if there is none, and its lane.
    #[inline(always)]
    pub fn first(&self) -> (u64, u32) {
        let Entrant { time, slot } = self.tournament.first();
        (time, slot)
    }

    /// When the front of a lane is due.
    #[inline(always)]
    pub fn due(&self, lane: u32) -> Due {
        self.lanes[lane as usize].front
    }

    /// Adds a packet, `steps` places further on its route, to its arrival's lane. `false` if the lane is not for it,
    /// because many arrive before it that were added later; then [`Lanes::take_back`] must remove it.
    ///
    /// All that is rarely wanted is done from the lane: neither the arrival nor the packet has to be put together in memory
    /// first.
    #[inline(always)]
    pub fn push(&mut self, id: u32, (arrival, root): (Due, Time), packet: &Packet, steps: u32) -> bool {
        let lane = &mut self.lanes[id as usize];
        let held = lane.added - lane.taken;
        if held == lane.ring.len() {
            lane.grow();
        }
        let place = lane.place(lane.added);
        // Field by field, so that the packet is copied once.
        let flight = &mut lane.ring[place];
        (flight.arrival, flight.root, flight.packet) = (arrival, root, *packet);
        flight.packet.place += steps;
        lane.added += 1;
        if held == 0 {
            (lane.front, lane.last) = (arrival, arrival.time());
            let Lanes { lanes, tournament, tied, .. } = self;
            tournament
                .replay(Entrant { time: arrival.bits(), slot: id }, |one, two| comes_first(lanes, one, two, tied));
        } else if arrival.time() <= lane.last {
            // A packet that waited for its link may arrive after one that did not.
            return self.sort_in(id);
        } else {
            lane.last = arrival.time();
        }
        true
    }

    /// The last packet of a lane goes where it belongs.
    #[cold]
    fn sort_in(&mut self, id: u32) -> bool {
        let sorted = self.lanes[id as usize].sort_in(&mut self.tied);
        self.replay(id);
        sorted
    }

    /// Removes what [`Lanes::push`] refused: the packet, and when it arrives.
    #[cold]
    pub fn take_back(&mut self, id: u32) -> (Packet, Due, Time) {
        let lane = &mut self.lanes[id as usize];
        lane.added -= 1;
        let flight = lane.ring[lane.place(lane.added)];
        (flight.packet, flight.arrival, flight.root)
    }

    /// Takes the front packet off a lane that has one: the next is due.
    #[inline(always)]
    pub fn take(&mut self, id: u32) -> Packet {
        let Lanes { lanes, tournament, tied, .. } = self;
        let Lane { ring, taken, added, front, .. } = &mut lanes[id as usize];
        let (ring, mask) = (&ring[..], ring.len().wrapping_sub(1));
        let packet = ring[*taken & mask].packet;
        *taken += 1;
        let entrant = if taken == added {
            *front = Due::NEVER;
            Entrant::empty(id)
        } else {
            *front = ring[*taken & mask].arrival;
            Entrant { time: front.bits(), slot: id }
        };
        tournament.replay(entrant, |one, two| comes_first(lanes, one, two, tied));
        packet
    }

    /// No packet arrives any more.
    pub fn silence(&mut self) {
        self.tournament = Tournament::default();
    }

    /// The packet in front of a lane.
    pub fn front(&self, id: u32) -> Option<&Packet> {
        let lane = &self.lanes[id as usize];
        (lane.taken != lane.added).then(|| &lane.ring[lane.place(lane.taken)].packet)
    }

    /// How many packets are on wires.
    pub fn held(&self) -> u64 {
        self.lanes.iter().map(|lane| (lane.added - lane.taken) as u64).sum()
    }

    /// Bytes of memory that the lanes take.
    pub fn bytes(&self) -> u64 {
        self.lanes.iter().map(|lane| (lane.ring.len() * size_of::<Flight>()) as u64).sum()
    }

    /// All packets on wires, and when they arrive.
    pub fn flights(&self) -> impl Iterator<Item = (Due, &Packet)> {
        let places =
            self.lanes.iter().flat_map(|lane| (lane.taken..lane.added).map(move |count| (lane, lane.place(count))));
        places.map(|(lane, place)| (lane.ring[place].arrival, &lane.ring[place].packet))
    }
}

/// Of two lanes whose fronts are due at the same time, whether the first comes before the second.
#[cold]
fn comes_first(lanes: &[Lane], one: u32, two: u32, tied: &mut bool) -> bool {
    precedes(lanes[one as usize].first(), lanes[two as usize].first(), tied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, Ordinal};

    const SPAN: Time = Time::from_secs(1.0);

    /// An arrival in a lane at a time, and a packet of that number.
    fn flight(lane: u32, at: f64, number: u32) -> (Due, Packet) {
        let due = Due::new(Time::from_secs(at), Time::ZERO, Ordinal::default(), Event::Deliver(lane));
        (due, Packet { flow: number, ..NOTHING.packet })
    }

    #[test]
    fn a_lane_keeps_its_order_while_its_ring_grows_and_wraps() {
        let mut lanes = Lanes::default();
        let lane = lanes.find(SPAN, 7);
        assert_eq!((lane, lanes.find(SPAN, 8), lanes.find(Time::from_secs(2.0), 7)), (0, 0, 1));
        let (mut added, mut taken) = (0, 0);
        for round in 1..200_u32 {
            let (arrival, packet) = flight(lane, added.into(), added);
            assert!(lanes.push(lane, (arrival, Time::ZERO), &packet, 1));
            added += 1;
            if round % 3 > 0 {
                assert_eq!(lanes.first(), (Time::from_secs(taken.into()).bits(), lane));
                let packet = lanes.take(lane);
                assert_eq!((packet.flow, packet.place), (taken, 1));
                taken += 1;
            }
        }
        assert_eq!(lanes.flights().count() as u32, added - taken);
    }

    #[test]
    fn who_waited_is_overtaken_by_a_few_and_not_by_many() {
        let mut lanes = Lanes::default();
        let lane = lanes.find(SPAN, 0);
        let times = [3.0, 5.0, 4.0, 1.0, 2.0];
        for (number, at) in (0..).zip(times) {
            let (arrival, packet) = flight(lane, at, number);
            assert!(lanes.push(lane, (arrival, Time::ZERO), &packet, 0));
        }
        let order: Vec<u32> = times.iter().map(|_| lanes.take(lane).flow).collect();
        assert_eq!(order, [3, 4, 0, 2, 1]);
        let most = MOST_OVERTAKEN as u32;
        for number in 0..most + 2 {
            let (arrival, packet) = flight(lane, 10.0 + f64::from(number), number);
            assert!(lanes.push(lane, (arrival, Time::ZERO), &packet, 0));
        }
        let (arrival, packet) = flight(lane, 10.5, 99);
        assert!(!lanes.push(lane, (arrival, Time::ZERO), &packet, 0), "{most} others are too many to move");
        assert_eq!(lanes.take_back(lane).0.flow, 99);
        assert_eq!(lanes.find(Time::from_secs(1.001), 1), lane, "spans alike share a lane");
    }

    #[test]
    fn past_the_most_shared_lanes_each_link_has_its_own() {
        let mut lanes = Lanes::default();
        let most = MOST_SHARED as u32;
        let span = |k: u32| Time::from_secs(1.01_f64.powi(k as i32));
        (0..most).for_each(|k| assert_eq!(lanes.find(span(k), 0), k));
        let further =
            [(-1.5_f64, 3), (-2.5, 3), (-1.5, 4)].map(|(log, link)| lanes.find(Time::from_secs(log.exp2()), link));
        assert_eq!(further, [most, most, most + 1]);
        assert_eq!(lanes.find(span(2), 4), 2);
    }
}
