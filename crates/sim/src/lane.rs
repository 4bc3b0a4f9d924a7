//! Lanes: packets on the wires, in the order in which they arrive.
//!
//! Whatever a link takes into service at `now` arrives at `now + (serialisation + delay)`. Time only goes forward, so
//! packets for which that span is the same arrive in the order in which they were taken into service, whichever links
//! they are on. All of them queue in one *lane*, first in first out, and only its front is a pending event. A network has
//! far fewer spans than links: a hundred like access links make one lane for full segments and one for ACKs.

use std::collections::BTreeMap;

use acklab_packet::{Packet, Time};

use crate::event::Due;

/// Most lanes that links share; past that a link's packets of further sizes have a lane of the link's own.
const MOST_SHARED: usize = 4096;

/// Places of a ring that has any.
const LEAST_PLACES: usize = 16;

/// A packet on a link's wire: when it arrives, and the packet as it will be then.
#[derive(Clone, Copy, Debug)]
struct Flight {
    arrival: Due,
    packet: Packet,
}

/// Flights in order of arrival: a ring that grows, of a power of two places.
#[derive(Clone, Debug, Default)]
struct Lane {
    ring: Vec<Flight>,
    /// Counts of flights taken and added; modulo the ring's length, their places.
    taken: usize,
    added: usize,
}

impl Lane {
    #[inline(always)]
    fn place(&self, count: usize) -> usize {
        count & self.ring.len().wrapping_sub(1)
    }

    /// Doubles the ring, in which there is no room for `flight`, and adds it.
    #[cold]
    fn push_grown(&mut self, flight: Flight) {
        let first = self.place(self.taken);
        self.ring.rotate_left(first);
        let held = self.ring.len();
        self.ring.resize((2 * held).max(LEAST_PLACES), flight);
        (self.taken, self.added) = (0, held + 1);
    }
}

/// All packets on wires.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    /// The shared lane of each span, by the span's bits.
    shared: BTreeMap<u64, u32>,
    /// Lanes of single links.
    own: BTreeMap<u32, u32>,
}

impl Lanes {
    /// The lane for packets that `link` delivers after `span`.
    pub fn find(&mut self, span: Time, link: u32) -> u32 {
        let next = self.lanes.len() as u32;
        let lane = match self.shared.get(&span.bits()) {
            Some(&lane) => return lane,
            None if self.shared.len() < MOST_SHARED => self.shared.entry(span.bits()).or_insert(next),
            // Packets arrive from one link in the order in which it serves them, whatever their sizes.
            None => self.own.entry(link).or_insert(next),
        };
        if *lane == next {
            self.lanes.push(Lane::default());
        }
        *lane
    }

    /// Adds a packet, one place further on its route, to its arrival's lane; whether it is alone there.
    #[inline(always)]
    pub fn push(&mut self, lane: u32, arrival: Due, packet: &Packet) -> bool {
        let lane = &mut self.lanes[lane as usize];
        let alone = lane.taken == lane.added;
        let last = lane.place(lane.added.wrapping_sub(1));
        debug_assert!(alone || lane.ring[last].arrival.before(arrival));
        let place = lane.place(lane.added);
        if lane.added - lane.taken < lane.ring.len() {
            // Field by field, so that the packet is copied once.
            let flight = &mut lane.ring[place];
            (flight.arrival, flight.packet) = (arrival, *packet);
            flight.packet.place += 1;
            lane.added += 1;
        } else {
            lane.push_grown(Flight { arrival, packet: Packet { place: packet.place + 1, ..*packet } });
        }
        alone
    }

    /// The front packet of a lane that has one.
    #[inline(always)]
    pub fn front(&self, lane: u32) -> &Packet {
        let lane = &self.lanes[lane as usize];
        &lane.ring[lane.place(lane.taken)].packet
    }

    /// Takes the front packet off; says when the next arrives.
    #[inline(always)]
    pub fn advance(&mut self, lane: u32) -> Option<Due> {
        let lane = &mut self.lanes[lane as usize];
        lane.taken += 1;
        (lane.taken != lane.added).then(|| lane.ring[lane.place(lane.taken)].arrival)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, Ordinal};
    use acklab_packet::{Ack, Body};

    #[test]
    fn a_lane_keeps_its_order_while_its_ring_grows_and_wraps() {
        let mut lanes = Lanes::default();
        let lane = lanes.find(Time::from_secs(1.0), 7);
        assert_eq!((lane, lanes.find(Time::from_secs(1.0), 8), lanes.find(Time::from_secs(2.0), 7)), (0, 0, 1));
        let packet = Packet { flow: 0, size: 40, connection: 0, place: 0, body: Body::Ack(Ack::default()) };
        let (mut added, mut taken) = (0, 0);
        for round in 1..200_u32 {
            let arrival = Due::new(Time::from_secs(added.into()), Ordinal::default().next(), Event::Deliver(lane));
            assert_eq!(lanes.push(lane, arrival, &Packet { flow: added, ..packet }), taken == added);
            added += 1;
            if round % 3 > 0 {
                assert_eq!((lanes.front(lane).flow, lanes.front(lane).place), (taken, 1));
                taken += 1;
                let next = lanes.advance(lane).map(|due| due.time().secs());
                assert_eq!(next, (taken < added).then_some(taken.into()));
            }
        }
    }

    #[test]
    fn past_the_most_shared_lanes_each_link_has_its_own() {
        let mut lanes = Lanes::default();
        let most = MOST_SHARED as u32;
        (0..most).for_each(|k| assert_eq!(lanes.find(Time::from_secs(k.into()), 0), k));
        let further =
            [(1.5, 3), (2.5, 3), (1.5, 4), (2.0, 4)].map(|(span, link)| lanes.find(Time::from_secs(span), link));
        assert_eq!(further, [most, most, most + 1, 2]);
    }
}
