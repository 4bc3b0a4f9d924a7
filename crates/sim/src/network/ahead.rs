//! Hops decided ahead of their time.
//!
//! **Booking.** A plain link has a drop-tail queue, a server of constant rate and a wire. When a packet reaches it, the packet's
//! service and arrival are known, so they are decided at once ([`acklab_path::link::Link::begin`]): the arrival is the only event.
//!
//! **Pairs.** If a plain link gets packets from one plain link alone, which is no faster, packets seldom wait for it. Both hops
//! are then decided when a packet reaches the first link. Link A takes 1 ms for a packet, link B half as long, their wires no
//! time:
//!
//! ```text
//!   S --- A ---> X --- B ---> R      packets 1 and 2 leave S at 0 ms
//!
//!             event by event                       decided ahead
//!   0   ms    1 and 2 reach A; A serves 1          1: A 0-1, B 1-1.5; 2: A 1-2 (booked), B 2-2.5
//!   1   ms    1 reaches B; B serves 1
//!             A is free and serves 2
//!   1.5 ms    1 reaches R                          1 reaches R
//!   2   ms    2 reaches B; B serves 2
//!   2.5 ms    2 reaches R                          2 reaches R
//! ```
//!
//! If a packet would have to wait for B all the same, B leaves the pair: from then on its hops are decided one by one. In
//! a chain of links every second one ends a pair, so an event is never decided more than two hops ahead.
//!
//! **Order.** Events at one time happen in the order in which they were decided ([`crate::event`]). One decided ahead
//! carries the time at which it would have been decided (at B: when the packet reaches B). It also carries `root`, the
//! time at which *that* would have been decided. Events that differ in one of the three times are in the order of a run
//! event by event.
//!
//! **Ties.** If all three agree and one event was decided ahead, the order is not known: they are *tied*. The network
//! notes it, and the run begins again event by event ([`crate::Simulation`]). So a run that decides ahead gives the
//! same bytes as one event by event.
//!
//! **Accounts.** A query in between ([`Network::served`]) gets what a run event by event would have counted: hops whose
//! time is to come are subtracted.

use acklab_packet::{Packet, Time};
use acklab_path::link::{Begin, Load, Totals};
use acklab_path::queue::Removal;

use super::Network;
use crate::event::{Due, Event};
use crate::hop::{At, Hop};

/// What a link has served at the time of a query.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    pub totals: Totals,
    /// When the service in progress, or the last one, ends.
    pub free: Time,
}

impl Network {
    /// A packet reaches a plain link: decides when it arrives at the link's end, or at the end of the pair.
    #[inline(always)]
    pub(super) fn pass(&mut self, index: u32, packet: &Packet) {
        let (load, hop) = (Load::of(packet), &mut self.hops[index as usize]);
        let Some(begin) = hop.link.begin(load, &mut At(&self.current, &mut self.tied)) else {
            let copy = *packet;
            return self.note_removed(index, &copy, Removal::Full);
        };
        let span = hop.link.book(load, begin.start);
        if hop.first
            && let Some(next) = self.routes.link(packet.place + 1)
            && self.hops[next as usize].second
            && self.pass_pair(next, packet, begin, span)
        {
            return;
        }
        let lane = self.hops[index as usize].lane(index, &mut self.lanes);
        self.launch_booked((index, lane), packet, begin, span);
    }

    /// Puts a packet on the wire of a plain link.
    #[inline(always)]
    fn launch_booked(&mut self, (index, lane): (u32, u32), packet: &Packet, begin: Begin, span: Time) {
        self.ordinal = self.ordinal.next();
        let Begin { start, root, ahead } = begin;
        let arrival = Due::new(start + span, start, self.ordinal, Event::Deliver(lane)).found_out(ahead);
        self.launch((lane, arrival, root), packet, index, 1);
    }

    /// The packet crosses a pair: it reaches the second link a span after its service at the first begins. `false` if it has to
    /// wait there: its two hops are decided one by one.
    #[inline(always)]
    fn pass_pair(&mut self, next: u32, packet: &Packet, begin: Begin, span: Time) -> bool {
        let hop = &mut self.hops[next as usize];
        let reach = begin.start + span;
        if reach <= hop.link.until() {
            // It would wait: event by event from now on.
            hop.second = false;
            return false;
        }
        hop.paired_until = reach;
        let further = hop.link.book(Load::of(packet), reach);
        let lane = hop.lane_ahead(span, next, &mut self.lanes);
        let arrival = Due::ahead(reach + further, reach, Event::Deliver(lane));
        self.launch((lane, arrival, begin.start), packet, next, 2);
        true
    }

    /// Brings the accounts of all plain links to the present.
    pub fn settle(&mut self) {
        for hop in self.hops.iter_mut().filter(|hop| hop.link.books()) {
            hop.link.catch_up(&mut At(&self.current, &mut self.tied));
        }
        // The end of a run is decided before all else; of other events it is not known which comes first.
        let last = self.current.event() == Event::Stop;
        self.tied |= !last && self.on_pairs().any(|(_, due, _)| due.decided() == self.now());
    }

    /// The packets whose last hop was decided as the second of a pair: its link, and when they arrive.
    fn on_pairs(&self) -> impl Iterator<Item = (u32, Due, &Packet)> {
        self.lanes.flights().filter_map(|(due, packet)| {
            let link = self.routes.link(packet.place - 1)?;
            (due.decided() <= self.hops[link as usize].paired_until).then_some((link, due, packet))
        })
    }

    /// What each link has served, after [`Network::settle`].
    pub fn served(&self) -> Vec<Served> {
        let served = |hop: &Hop| {
            let (mut totals, bookings) = (hop.link.sizes.totals(), hop.link.bookings());
            totals -= bookings.totals();
            let free = bookings.next_start().unwrap_or(hop.link.until());
            // Of packets that have not reached it yet, it does not matter when they leave it.
            Served { totals, free: if hop.paired_until < self.now() { free } else { Time::ZERO } }
        };
        let mut all: Vec<Served> = self.hops.iter().map(served).collect();
        for (index, due, packet) in self.on_pairs() {
            let (constant, of) = (self.hops[index as usize].link.constant(), &mut all[index as usize]);
            if due.decided() >= self.now() {
                of.totals -= Load::of(packet).totals(1);
            } else if let Some(rate) = constant {
                of.free = of.free.max(due.decided() + rate.transmission(packet.size));
            }
        }
        all
    }
}
