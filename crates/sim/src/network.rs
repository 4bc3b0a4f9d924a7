//! The network: links, routes, the clock, and the order of events.

use acklab_packet::{Packet, Time};
use acklab_path::queue::{Queue, Removal};
use acklab_path::spec::LossPlace;

use crate::event::{Due, Event, EventQueue};
use crate::lane::{Flight, Lanes};
use crate::link::Link;
use crate::outcome::PacketEvent;
use crate::record::Recorder;
use crate::route::{Route, Routes};

/// Everything between the endpoints.
///
/// All times follow one order of additions: a packet taken into service at `now` arrives at `now + (serialisation +
/// delay)` and frees the transmitter at `now + serialisation`; the arrival's ordinal is reserved first.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) links: Vec<Link>,
    lanes: Lanes,
    pub(crate) routes: Routes,
    /// For each flow: the route of its data, the route of its ACKs.
    pub(crate) flow_routes: Vec<[Route; 2]>,
    pub(crate) events: EventQueue,
    /// The event being handled.
    pub(crate) current: Due,
    ordinal: u64,
    /// For each flow: what became of its ACKs on the way.
    pub(crate) acks_removed: Vec<AcksRemoved>,
    removed: Vec<(Packet, Removal)>,
    pub(crate) recorder: Recorder,
}

/// ACKs of a flow's present connection that the network removed.
#[derive(Clone, Copy, Debug, Default)]
pub struct AcksRemoved {
    /// The connection counted; late ACKs of earlier ones are nobody's.
    pub connection: u16,
    /// Dropped by a queue or taken by a loss model.
    pub dropped: u32,
    /// Removed by a filter.
    pub filtered: u32,
}

impl AcksRemoved {
    fn count(&mut self, packet: &Packet, reason: Removal) {
        if packet.connection == self.connection {
            match reason {
                Removal::Dropped => self.dropped += 1,
                Removal::Filtered => self.filtered += 1,
            }
        }
    }
}

impl Network {
    /// A network at time 0.
    pub fn new(links: Vec<Link>, routes: Routes, flow_routes: Vec<[Route; 2]>, recorder: Recorder) -> Network {
        Network {
            links,
            lanes: Lanes::default(),
            routes,
            acks_removed: vec![AcksRemoved::default(); flow_routes.len()],
            flow_routes,
            events: EventQueue::default(),
            current: Due::START,
            ordinal: 0,
            removed: Vec::new(),
            recorder,
        }
    }

    /// The time.
    #[inline]
    pub fn now(&self) -> Time {
        self.current.time()
    }

    /// Decides that something happens at `at`: reserves its place among equal times.
    #[inline]
    pub fn decide(&mut self, at: Time) -> Due {
        self.ordinal += 1;
        Due::new(at, self.ordinal)
    }

    /// The link that `packet` crosses next, `None` at its destination.
    #[inline]
    fn next_link(&self, packet: &Packet) -> Option<u32> {
        let route = self.flow_routes[packet.flow as usize][usize::from(!packet.is_data())];
        self.routes.link(route, packet.hop)
    }

    /// An endpoint hands over a packet.
    #[inline]
    pub fn send(&mut self, packet: Packet) {
        if let Some(link) = self.next_link(&packet) {
            self.offer(link, packet);
        }
    }

    /// A packet reaches a link: loss model, queue, and, if the transmitter is idle, service.
    fn offer(&mut self, index: u32, packet: Packet) {
        let now = self.now();
        self.recorder.packet(now, index, PacketEvent::Enqueue, &packet);
        let link = &mut self.links[index as usize];
        if let Some(loss) = &mut link.loss
            && loss.takes(&packet, LossPlace::BeforeQueue, now)
        {
            link.stats.lost += 1;
            return self.lose(index, &packet);
        }
        let service = link.service(self.current);
        let idle = service.bytes().is_none();
        if idle && link.queue.lets_pass(&packet) {
            return self.transmit(index, packet, now);
        }
        link.stats.integrate(link.queue.len(), now);
        link.queue.enqueue(packet, service, now, &mut self.removed);
        link.stats.queue_max = link.stats.queue_max.max(link.queue.len() as u64);
        if !self.removed.is_empty() {
            self.account_removed(index, now);
        }
        if idle {
            self.serve_next(index, now);
        } else {
            let link = &mut self.links[index as usize];
            if !link.free_queued && !link.queue.is_empty() {
                link.free_queued = true;
                self.events.push_soon(link.free, Event::Free(index));
            }
            self.recorder.queue(now, index, &link.queue);
        }
    }

    /// Takes the next waiting packet into service.
    fn serve_next(&mut self, index: u32, now: Time) {
        let link = &mut self.links[index as usize];
        link.stats.integrate(link.queue.len(), now);
        if let Some(packet) = link.queue.dequeue(now) {
            self.recorder.queue(now, index, &link.queue);
            self.transmit(index, packet, now);
        }
    }

    /// Takes a packet into service: reserves its arrival, then the end of its service.
    #[inline]
    fn transmit(&mut self, index: u32, packet: Packet, now: Time) {
        let link = &mut self.links[index as usize];
        let size = link.serve(packet.size, |span| self.lanes.find(span, index));
        self.ordinal += 2;
        let arrival = Due::new(now + size.span, self.ordinal - 1);
        link.free = Due::new(now + size.serialisation, self.ordinal);
        self.recorder.packet(now, index, PacketEvent::Dequeue, &packet);
        if let Some(loss) = &mut link.loss
            && loss.takes(&packet, LossPlace::AfterQueue, now)
        {
            link.stats.lost += 1;
            return self.lose(index, &packet);
        }
        if self.lanes.push(size.lane, Flight { arrival, link: index, packet }) {
            self.events.push_soon(arrival, Event::Deliver(size.lane));
        }
    }

    /// Handles [`Event::Free`].
    pub fn on_free(&mut self, index: u32) {
        self.serve_next(index, self.now());
        let link = &mut self.links[index as usize];
        link.free_queued = !link.queue.is_empty();
        if link.free_queued {
            self.events.push_soon(link.free, Event::Free(index));
        }
    }

    /// Handles [`Event::Deliver`]: the packet moves on, or is returned at its destination.
    #[inline]
    pub fn on_deliver(&mut self, lane: u32) -> Option<Packet> {
        let (flight, next) = self.lanes.pop(lane);
        if let Some(due) = next {
            self.events.push_soon(due, Event::Deliver(lane));
        }
        let Flight { link, mut packet, .. } = flight?;
        let now = self.now();
        self.recorder.packet(now, link, PacketEvent::Deliver, &packet);
        packet.hop += 1;
        match self.next_link(&packet) {
            Some(next) => {
                self.offer(next, packet);
                None
            }
            None => Some(packet),
        }
    }

    #[cold]
    fn lose(&mut self, index: u32, packet: &Packet) {
        self.recorder.packet(self.now(), index, PacketEvent::Lose, packet);
        if packet.is_ack() {
            self.acks_removed[packet.flow as usize].count(packet, Removal::Dropped);
        }
    }

    /// Books what the queue just removed, each packet under its reason.
    #[cold]
    fn account_removed(&mut self, index: u32, now: Time) {
        let link = &mut self.links[index as usize];
        for (packet, reason) in self.removed.drain(..) {
            let event = match reason {
                Removal::Dropped => {
                    link.stats.drops += 1;
                    PacketEvent::Drop
                }
                Removal::Filtered => {
                    link.stats.filtered += 1;
                    PacketEvent::Filter
                }
            };
            if packet.is_ack() {
                self.acks_removed[packet.flow as usize].count(&packet, reason);
            }
            self.recorder.packet(now, index, event, &packet);
        }
    }
}
