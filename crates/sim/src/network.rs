//! The network: links, routes, the clock, and the order of events.

mod detours;

use acklab_packet::{Packet, Time};
use acklab_path::queue::{AnyQueue, Queue, Removal, Service};
use acklab_path::spec::LossPlace;

use crate::event::{Due, Event, EventQueue, Ordinal};
use crate::lane::Lanes;
use crate::link::{Link, Way};
use crate::medium::Medium;
use crate::outcome::PacketEvent;
use crate::record::Recorder;
use crate::route::{Place, Routes};
use crate::stages::Stages;

/// Everything between the endpoints.
///
/// All times follow one order of additions: a packet taken into service at `now` arrives at `now + (serialisation +
/// delay)` and frees the transmitter at `now + serialisation`; the arrival's ordinal is reserved first.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) links: Vec<Link>,
    lanes: Lanes,
    pub(crate) media: Vec<Medium>,
    pub(crate) boxes: Vec<Stages>,
    pub(crate) routes: Routes,
    /// For each flow: where the route of its data begins, and that of its ACKs.
    starts: Vec<[Place; 2]>,
    pub(crate) events: EventQueue,
    /// The event being handled.
    pub(crate) current: Due,
    ordinal: Ordinal,
    /// For each flow: what became of its ACKs on the way.
    pub(crate) acks_removed: Vec<AcksRemoved>,
    removed: Vec<(Packet, Removal)>,
    pub(crate) recorder: Recorder,
}

/// ACKs of a flow's present connection that the network removed, and such as it made.
#[derive(Clone, Copy, Debug, Default)]
pub struct AcksRemoved {
    /// The connection counted; late ACKs of earlier ones are nobody's.
    pub connection: u16,
    /// Dropped by a queue or taken by a loss model.
    pub dropped: u32,
    /// Removed by a filter.
    pub filtered: u32,
    /// Made by stages.
    pub created: u32,
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

    fn count_created(&mut self, packet: &Packet) {
        self.created += u32::from(packet.connection == self.connection);
    }
}

impl Network {
    /// A network at time 0.
    pub fn new(
        (links, media, boxes): (Vec<Link>, Vec<Medium>, Vec<Stages>),
        routes: Routes,
        starts: Vec<[Place; 2]>,
        recorder: Recorder,
    ) -> Network {
        Network {
            links,
            media,
            boxes,
            lanes: Lanes::default(),
            routes,
            acks_removed: vec![AcksRemoved::default(); starts.len()],
            starts,
            events: EventQueue::default(),
            current: Due::START,
            ordinal: Ordinal::default(),
            removed: Vec::new(),
            recorder,
        }
    }

    /// The time.
    #[inline]
    pub fn now(&self) -> Time {
        self.current.time()
    }

    /// Decides on an event at `at`: reserves its place among equal times.
    #[inline]
    pub fn decide(&mut self, at: Time, event: Event) -> Due {
        self.ordinal = self.ordinal.next();
        Due::new(at, self.ordinal, event)
    }

    /// Decides on an event that nothing will put off or call off.
    pub fn schedule(&mut self, at: Time, event: Event) {
        let due = self.decide(at, event);
        self.events.push(due);
    }

    /// Where on its route a packet begins.
    #[inline]
    fn start(&self, packet: &Packet) -> Place {
        self.starts[packet.flow as usize][usize::from(!packet.is_data())]
    }

    /// An endpoint hands over a packet.
    #[inline(always)]
    pub fn send(&mut self, mut packet: Packet) {
        packet.place = self.start(&packet);
        self.forward(&packet);
    }

    /// Offers a packet to the next link on its route; `false` at the route's end.
    #[inline(always)]
    pub fn forward(&mut self, packet: &Packet) -> bool {
        let Some(index) = self.routes.link(packet.place) else { return false };
        let link = &mut self.links[index as usize];
        if packet.size > link.passes {
            self.offer_to_queue(index, packet);
        } else if link.is_idle(self.current) {
            let flight = self.serve(index, packet.size);
            self.launch(flight, packet);
        } else if !link.wait(packet, self.current.time(), &mut self.events) {
            self.refuse(index, packet);
        }
        true
    }

    /// A plain link's queue has no room for a packet.
    #[cold]
    fn refuse(&mut self, index: u32, packet: &Packet) {
        self.removed.push((*packet, Removal::Dropped));
        self.account_removed(index, self.now());
    }

    /// A packet reaches a link where something stands in its way: loss model, queue, recorder, a busy transmitter.
    #[inline(never)]
    fn offer_to_queue(&mut self, index: u32, packet: &Packet) {
        let now = self.now();
        self.recorder.packet(now, index, PacketEvent::Enqueue, packet);
        if self.links[index as usize].way != Way::Wire && self.leads_elsewhere(index, packet) {
            return;
        }
        let link = &mut self.links[index as usize];
        if let Some(loss) = &mut link.loss
            && loss.takes(packet, LossPlace::BeforeQueue, now)
        {
            link.stats.lost += 1;
            return self.lose(index, packet);
        }
        let service = link.service(self.current);
        if service.bytes().is_none() {
            return self.offer_to_idle(index, packet, service, now);
        }
        let waits = link.enqueue(packet, service, now, &mut self.removed);
        if waits && !link.free_queued {
            link.free_queued = true;
            self.events.push_soon(link.transmitter.free);
        }
        if !self.removed.is_empty() {
            self.account_removed(index, now);
        }
        self.recorder.queue(now, index, &self.links[index as usize].queue);
    }

    /// A packet finds nothing in service.
    #[inline(never)]
    fn offer_to_idle(&mut self, index: u32, packet: &Packet, service: Service, now: Time) {
        let link = &mut self.links[index as usize];
        if link.queue.lets_pass(packet) {
            return self.transmit(index, packet, now);
        }
        link.enqueue(packet, service, now, &mut self.removed);
        if !self.removed.is_empty() {
            self.account_removed(index, now);
        }
        self.serve_next(index, now);
    }

    /// Takes the next waiting packet into service; whether others wait behind it.
    #[inline(always)]
    fn serve_next(&mut self, index: u32, now: Time) -> bool {
        let link = &mut self.links[index as usize];
        let Some((packet, more)) = link.dequeue(now) else { return false };
        self.recorder.queue(now, index, &link.queue);
        self.transmit(index, &packet, now);
        more
    }

    /// Takes a packet into service that came from the queue, or past it.
    #[inline(always)]
    fn transmit(&mut self, index: u32, packet: &Packet, now: Time) {
        if self.links[index as usize].compression.is_some() {
            return self.transmit_compressed(index, packet, now);
        }
        let flight = self.serve(index, packet.size);
        self.recorder.packet(now, index, PacketEvent::Dequeue, packet);
        let link = &mut self.links[index as usize];
        if let Some(loss) = &mut link.loss
            && loss.takes(packet, LossPlace::AfterQueue, now)
        {
            link.stats.lost += 1;
            return self.lose(index, packet);
        }
        self.launch(flight, packet);
    }

    /// Takes a packet of `bytes` into service: reserves its arrival, which is returned with its lane, then the end of its
    /// service.
    #[inline(always)]
    fn serve(&mut self, index: u32, bytes: u32) -> (u32, Due) {
        let now = self.current.time();
        self.links[index as usize].transmitter.serve(bytes, now, index, &mut self.ordinal, &mut self.lanes)
    }

    /// Puts a packet on the wire.
    #[inline(always)]
    fn launch(&mut self, (lane, arrival): (u32, Due), packet: &Packet) {
        if self.lanes.push(lane, arrival, packet) {
            self.events.push_soon(arrival);
        }
    }

    /// Handles [`Event::Free`].
    #[inline(always)]
    pub fn on_free(&mut self, index: u32) {
        let now = self.current.time();
        let Link { passes: 1.., queue: AnyQueue::DropTail(queue), transmitter, stats, free_queued, .. } =
            &mut self.links[index as usize]
        else {
            return self.on_free_otherwise(index);
        };
        stats.integrate(queue.len(), now);
        let Some(packet) = queue.front() else { return };
        // From the queue right into the lane.
        let (lane, arrival) = transmitter.serve(packet.size, now, index, &mut self.ordinal, &mut self.lanes);
        if self.lanes.push(lane, arrival, packet) {
            self.events.push_soon(arrival);
        }
        queue.remove_front();
        *free_queued = !queue.is_empty();
        if *free_queued {
            self.events.push_soon(transmitter.free);
        }
    }

    /// Handles [`Event::Free`] of a link with more to it.
    #[inline(never)]
    fn on_free_otherwise(&mut self, index: u32) {
        let more = self.serve_next(index, self.now());
        let link = &mut self.links[index as usize];
        link.free_queued = more;
        if more {
            self.events.push_soon(link.transmitter.free);
        }
    }

    /// Handles [`Event::Deliver`]: the packet that has crossed a link.
    #[inline(always)]
    pub fn on_deliver(&mut self, lane: u32) -> Packet {
        let packet = *self.lanes.front(lane);
        if let Some(due) = self.lanes.advance(lane) {
            self.events.push_soon(due);
        }
        if self.recorder.watches_packets() {
            self.record_delivery(&packet);
        }
        packet
    }

    /// The record has the packet as it was on the link.
    #[cold]
    fn record_delivery(&mut self, packet: &Packet) {
        let packet = Packet { place: packet.place - 1, ..*packet };
        if let Some(link) = self.routes.link(packet.place) {
            self.recorder.packet(self.now(), link, PacketEvent::Deliver, &packet);
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
