//! Hops over plain links, decided ahead: when a packet reaches one it is known when it will leave it.

use acklab_packet::{Packet, Time};

use super::Network;
use crate::event::{Due, Event};
use crate::link::{Begin, Link};

/// What a link has served when somebody asks.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    pub packets: u64,
    pub bytes: u64,
    /// When the service in progress, or the last one, ends.
    pub free: Time,
}

impl Network {
    /// A packet reaches a plain link: decides when it leaves it, and leaves the next if it comes from nowhere else.
    #[inline(always)]
    pub(super) fn pass(&mut self, index: u32, packet: &Packet) {
        let link = &mut self.links[index as usize];
        let Some(begin) = link.begin(packet.size, &self.current, &mut self.tied) else {
            let copy = *packet;
            return self.refuse(index, &copy);
        };
        let span = link.transmitter.book(packet.size, begin.start);
        if !link.leads {
            let lane = link.transmitter.lane(index, &mut self.lanes);
            return self.launch_booked((index, lane), packet, begin, span);
        }
        if let Some(next) = self.routes.link(packet.place + 1)
            && self.links[next as usize].led
        {
            return self.pass_led((index, next), packet, begin, span);
        }
        let copy = *packet;
        self.launch_unled(index, &copy, begin, span);
    }

    /// The same where another link leads on that other packets come from as well.
    #[inline(never)]
    fn launch_unled(&mut self, index: u32, packet: &Packet, begin: Begin, span: Time) {
        let lane = self.links[index as usize].transmitter.lane(index, &mut self.lanes);
        self.launch_booked((index, lane), packet, begin, span);
    }

    /// Puts a packet on the wire of a plain link.
    #[inline(always)]
    fn launch_booked(&mut self, (index, lane): (u32, u32), packet: &Packet, begin: Begin, span: Time) {
        self.ordinal = self.ordinal.next();
        let Begin { start, root, ahead } = begin;
        let arrival = Due::new(start + span, start, self.ordinal, Event::Deliver(lane)).found_out(ahead);
        self.launch_rooted((lane, arrival, root), packet, index, 1);
    }

    /// The packet will reach a second link, to which only the first leads, a span after that serves it.
    #[inline(always)]
    fn pass_led(&mut self, (index, next): (u32, u32), packet: &Packet, begin: Begin, span: Time) {
        let link = &mut self.links[next as usize];
        let reach = begin.start + span;
        if reach <= link.transmitter.busy_until {
            // It would wait: event by event from now on.
            link.led = false;
            let copy = *packet;
            return self.launch_unled(index, &copy, begin, span);
        }
        link.led_until = reach;
        let further = link.transmitter.book(packet.size, reach);
        let lane = link.transmitter.lane_ahead(span, next, &mut self.lanes);
        let arrival = Due::ahead(reach + further, reach, Event::Deliver(lane));
        self.launch_rooted((lane, arrival, begin.start), packet, next, 2);
    }

    /// Brings the accounts of all plain links to the present.
    pub fn settle(&mut self) {
        for link in self.links.iter_mut().filter(|link| link.passes > 0) {
            link.catch_up(&self.current, &mut self.tied);
        }
        // The end of a run is decided before all else; of other events it is not known which comes first.
        let last = self.current.event() == Event::Stop;
        self.tied |= !last && self.led().any(|(_, due, _)| due.decided() == self.now());
    }

    /// The packets on wires whose last link they reach ahead: that link, and when they leave it.
    fn led(&self) -> impl Iterator<Item = (u32, Due, &Packet)> {
        self.lanes.flights().filter_map(|(due, packet)| {
            let link = self.routes.link(packet.place - 1)?;
            (due.decided() <= self.links[link as usize].led_until).then_some((link, due, packet))
        })
    }

    /// What each link has served, after [`Network::settle`].
    pub fn served(&self) -> Vec<Served> {
        let served = |link: &Link| {
            let ((waiting, waiting_bytes), (packets, bytes)) = (link.bookings.waiting(), link.transmitter.served());
            let free = link.bookings.next_start().unwrap_or(link.transmitter.end());
            // Of packets that have not reached it yet, it does not matter when they leave it.
            let free = if link.led_until < self.now() { free } else { Time::ZERO };
            Served { packets: packets - waiting as u64, bytes: bytes - waiting_bytes, free }
        };
        let mut all: Vec<Served> = self.links.iter().map(served).collect();
        for (index, due, packet) in self.led() {
            let (link, of) = (&self.links[index as usize], &mut all[index as usize]);
            if due.decided() < self.now() {
                of.free = of.free.max(due.decided() + link.transmitter.serialisation(packet.size));
            } else {
                of.packets -= 1;
                of.bytes -= u64::from(packet.size);
            }
        }
        all
    }
}
