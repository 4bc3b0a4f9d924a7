//! Hops decided ahead, over links that book their services ([`acklab_path::link`]).

use acklab_packet::{Packet, Time};
use acklab_path::link::{Begin, Load, Totals};
use acklab_path::queue::Removal;

use super::Network;
use crate::event::{Due, Event};
use crate::hop::{At, Hop};

/// What a link has served when somebody asks.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    pub totals: Totals,
    /// When the service in progress, or the last one, ends.
    pub free: Time,
}

impl Network {
    /// A packet reaches a plain link: decides when it leaves it, and leaves the next if it comes from nowhere else.
    #[inline(always)]
    pub(super) fn pass(&mut self, index: u32, packet: &Packet) {
        let (load, hop) = (Load::of(packet), &mut self.hops[index as usize]);
        let Some(begin) = hop.link.begin(load, &mut At(&self.current, &mut self.tied)) else {
            let copy = *packet;
            return self.note_removed(index, &copy, Removal::Full);
        };
        let span = hop.link.book(load, begin.start);
        if !hop.leads {
            let lane = hop.lane(index, &mut self.lanes);
            return self.launch_booked((index, lane), packet, begin, span);
        }
        if let Some(next) = self.routes.link(packet.place + 1)
            && self.hops[next as usize].led
        {
            return self.pass_led((index, next), packet, begin, span);
        }
        let copy = *packet;
        self.launch_unled(index, &copy, begin, span);
    }

    /// The same where another link leads on that other packets come from as well.
    #[inline(never)]
    fn launch_unled(&mut self, index: u32, packet: &Packet, begin: Begin, span: Time) {
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

    /// The packet will reach a second link, to which only the first leads, a span after that serves it.
    #[inline(always)]
    fn pass_led(&mut self, (index, next): (u32, u32), packet: &Packet, begin: Begin, span: Time) {
        let hop = &mut self.hops[next as usize];
        let reach = begin.start + span;
        if reach <= hop.link.until() {
            // It would wait: event by event from now on.
            hop.led = false;
            let copy = *packet;
            return self.launch_unled(index, &copy, begin, span);
        }
        hop.led_until = reach;
        let further = hop.link.book(Load::of(packet), reach);
        let lane = hop.lane_ahead(span, next, &mut self.lanes);
        let arrival = Due::ahead(reach + further, reach, Event::Deliver(lane));
        self.launch((lane, arrival, begin.start), packet, next, 2);
    }

    /// Brings the accounts of all plain links to the present.
    pub fn settle(&mut self) {
        for hop in self.hops.iter_mut().filter(|hop| hop.link.passes() > 0) {
            hop.link.catch_up(&mut At(&self.current, &mut self.tied));
        }
        // The end of a run is decided before all else; of other events it is not known which comes first.
        let last = self.current.event() == Event::Stop;
        self.tied |= !last && self.led().any(|(_, due, _)| due.decided() == self.now());
    }

    /// The packets on wires whose last link they reach ahead: that link, and when they leave it.
    fn led(&self) -> impl Iterator<Item = (u32, Due, &Packet)> {
        self.lanes.flights().filter_map(|(due, packet)| {
            let link = self.routes.link(packet.place - 1)?;
            (due.decided() <= self.hops[link as usize].led_until).then_some((link, due, packet))
        })
    }

    /// What each link has served, after [`Network::settle`].
    pub fn served(&self) -> Vec<Served> {
        let served = |hop: &Hop| {
            let (mut totals, bookings) = (hop.link.sizes.totals(), hop.link.bookings());
            totals -= bookings.totals();
            let free = bookings.next_start().unwrap_or(hop.link.until());
            // Of packets that have not reached it yet, it does not matter when they leave it.
            Served { totals, free: if hop.led_until < self.now() { free } else { Time::ZERO } }
        };
        let mut all: Vec<Served> = self.hops.iter().map(served).collect();
        for (index, due, packet) in self.led() {
            let (constant, of) = (self.hops[index as usize].link.constant(), &mut all[index as usize]);
            if due.decided() >= self.now() {
                of.totals -= Load::of(packet).totals(1);
            } else if let Some(constant) = constant {
                of.free = of.free.max(due.decided() + constant.service(packet.size));
            }
        }
        all
    }
}
