//! The network: links, routes, the clock, and the order of events.

mod ahead;
mod detours;

pub use ahead::Served;

use acklab_packet::{Packet, Time};
use acklab_path::queue::{AnyQueue, Queue, Removal, Service};
use acklab_path::spec::LossPlace;

use crate::event::{Due, Event, Ordinal};
use crate::lane::Lanes;
use crate::link::{Link, Way};
use crate::medium::Medium;
use crate::outcome::PacketEvent;
use crate::pending::EventQueue;
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
    /// Whether something hung on the order of two things due at one time, and deciding ahead lost it; see also
    /// [`Network::tied`].
    tied: bool,
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

/// Contents of a network and its recorders.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// Packets that wait, or are on their way.
    pub packets: u64,
    /// Rows recorded.
    pub rows: u64,
    /// Their bytes.
    pub bytes: u64,
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
            tied: false,
        }
    }

    /// The time.
    #[inline]
    pub fn now(&self) -> Time {
        self.current.time()
    }

    /// The lane whose front is the earliest event; `None` if that is another, or there is none.
    #[inline(always)]
    pub fn next_lane(&mut self) -> Option<u32> {
        let ((time, lane), top) = (self.lanes.first(), self.events.top().bits());
        (time < top || time == top && self.lane_first(lane)).then_some(lane)
    }

    /// The front of a lane happens now.
    #[inline(always)]
    pub fn enter(&mut self, lane: u32) {
        self.current = self.lanes.due(lane);
    }

    /// Whether something hung on the order of two things due at one time, and deciding ahead lost it.
    pub fn tied(&self) -> bool {
        self.tied || self.lanes.tied
    }

    /// Whether the front of a lane comes before the earliest of the other events, which is due at the same time.
    #[cold]
    fn lane_first(&mut self, lane: u32) -> bool {
        let (due, top) = (self.lanes.due(lane), self.events.top());
        self.tied |= due.ties(top);
        due.before(top)
    }

    /// When the earliest event is due.
    pub fn peek(&mut self) -> Option<Due> {
        let due = self.next_lane().map_or(self.events.top(), |lane| self.lanes.due(lane));
        (due != Due::NEVER).then_some(due)
    }

    /// Of the packet in front of a lane, the link it crosses and the flow.
    pub fn front(&self, lane: u32) -> Option<(u32, u32)> {
        let packet = self.lanes.front(lane)?;
        Some((self.routes.link(packet.place - 1)?, packet.flow))
    }

    /// What is held here: packets, and recorded rows.
    pub fn held(&self) -> Held {
        let waiting = |link: &Link| if link.passes > 0 { 0 } else { link.queue.len() };
        let queued: usize = self.links.iter().map(waiting).sum();
        let media: usize = self.media.iter().map(|medium| medium.dcf.len()).sum();
        let boxed: usize = self.boxes.iter().map(Stages::held).sum();
        let inside = (queued + media + boxed) as u64;
        let booked: u64 = self.links.iter().map(|link| link.bookings.bytes()).sum();
        let (rows, row_bytes) = self.recorder.held();
        let bytes = self.lanes.bytes() + booked + inside * size_of::<Packet>() as u64 + row_bytes;
        Held { packets: inside + self.lanes.held(), rows, bytes }
    }

    /// Nothing is pending any more; what is on wires stays there.
    pub fn silence(&mut self) {
        self.events.clear();
        self.lanes.silence();
    }

    /// Decides on an event at `at`: reserves its place among equal times.
    #[inline]
    pub fn decide(&mut self, at: Time, event: Event) -> Due {
        self.ordinal = self.ordinal.next();
        Due::new(at, self.now(), self.ordinal, event)
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
        if packet.size > self.links[index as usize].passes {
            // Of a copy, so that what passes need not be put together in memory.
            let copy = *packet;
            self.offer_to_queue(index, &copy);
        } else {
            self.pass(index, packet);
        }
        true
    }

    /// A plain link's queue has no room for a packet.
    #[cold]
    fn refuse(&mut self, index: u32, packet: &Packet) {
        self.removed.push((*packet, Removal::Dropped));
        self.account_removed(index, self.now());
    }

    /// A packet reaches a link where something stands in its way: loss model, queue, recorder, a busy transmitter, its size.
    #[inline(never)]
    fn offer_to_queue(&mut self, index: u32, packet: &Packet) {
        let now = self.now();
        let link = &mut self.links[index as usize];
        if link.plain > 0 {
            if packet.size <= link.plain && link.is_idle(self.current, &mut self.tied) {
                let flight = self.serve(index, packet.size);
                self.launch(flight, packet, index);
            } else if link.queue_up(packet, &self.current, &mut self.tied) {
                self.await_free(index);
            } else {
                self.refuse(index, packet);
            }
            return;
        }
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
        let service = link.service(self.current, &mut self.tied);
        if service.bytes().is_none() {
            return self.offer_to_idle(index, packet, service, now);
        }
        let waits = link.enqueue(packet, service, now, &mut self.removed);
        if waits {
            self.await_free(index);
        }
        if !self.removed.is_empty() {
            self.account_removed(index, now);
        }
        self.recorder.queue(now, index, &self.links[index as usize].queue);
    }

    /// Packets wait: the end of the service in progress is an event.
    #[inline]
    fn await_free(&mut self, index: u32) {
        let link = &mut self.links[index as usize];
        if !link.free_queued {
            link.free_queued = true;
            let lane = *link.freed.get_or_insert_with(|| self.lanes.lane());
            self.lanes.set(lane, link.transmitter.free, link.free_root);
        }
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
        self.launch(flight, packet, index);
    }

    /// Takes a packet of `bytes` into service: reserves its arrival, which is returned with its lane, then the end of its
    /// service.
    #[inline(always)]
    fn serve(&mut self, index: u32, bytes: u32) -> (u32, Due) {
        let (now, link) = (self.current.time(), &mut self.links[index as usize]);
        link.free_root = self.current.decided();
        link.transmitter.serve(bytes, now, index, &mut self.ordinal, &mut self.lanes)
    }

    /// Puts a packet on the wire of a link: event by event.
    #[inline(always)]
    fn launch(&mut self, (lane, arrival): (u32, Due), packet: &Packet, index: u32) {
        self.launch_rooted((lane, arrival, self.current.decided()), packet, index, 1);
    }

    /// The same, `steps` places further on its route; with the arrival comes when its decision was decided.
    #[inline(always)]
    fn launch_rooted(&mut self, (lane, arrival, root): (u32, Due, Time), packet: &Packet, index: u32, steps: u32) {
        if !self.lanes.push(lane, (arrival, root), packet, steps) {
            self.launch_alone(lane, index);
        }
    }

    /// What was put last into a lane that is not for it goes to a lane of the link's own.
    #[cold]
    fn launch_alone(&mut self, lane: u32, index: u32) {
        let (packet, arrival, root) = self.lanes.take_back(lane);
        let own = self.lanes.own(index);
        self.links[index as usize].transmitter.leave_lane(lane, own);
        self.lanes.push(own, (arrival.on(own), root), &packet, 0);
    }

    /// Handles [`Event::Free`].
    #[inline(never)]
    pub fn on_free(&mut self) {
        let (index, now) = (self.current.source(), self.now());
        let more =
            if let Link { plain: 1.., queue: AnyQueue::DropTail(queue), stats, .. } = &mut self.links[index as usize] {
                // From the queue right into the lane.
                stats.integrate(queue.len(), now);
                let Some(&packet) = queue.front() else { return };
                queue.remove_front();
                let more = !queue.is_empty();
                let flight = self.serve(index, packet.size);
                self.launch(flight, &packet, index);
                more
            } else {
                self.serve_next(index, now)
            };
        let link = &mut self.links[index as usize];
        link.free_queued = more;
        if let Some(lane) = link.freed {
            self.lanes.set(lane, if more { link.transmitter.free } else { Due::NEVER }, link.free_root);
        }
    }

    /// Handles [`Event::Deliver`]: the packet that has crossed a link.
    #[inline(always)]
    pub fn on_deliver(&mut self, lane: u32) -> Packet {
        let packet = self.lanes.take(lane);
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
