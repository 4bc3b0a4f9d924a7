//! The network: links, routes, the clock, and the order of events.

mod ahead;
mod detours;

pub use ahead::Served;

use std::mem::take;

use acklab_packet::{Packet, Time};
use acklab_path::link::Load;
use acklab_path::queue::Removal;

use crate::event::{Due, Event, Ordinal};
use crate::hop::{At, Hop, Meets};
use crate::lane::Lanes;
use crate::left::Left;
use crate::medium::Medium;
use crate::outcome::PacketEvent;
use crate::pending::EventQueue;
use crate::record::Recorder;
use crate::route::{Place, Routes};
use crate::stages::Stages;

/// Everything between the endpoints.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) hops: Vec<Hop>,
    lanes: Lanes,
    pub(crate) media: Vec<Medium>,
    pub(crate) stages: Vec<Stages>,
    pub(crate) routes: Routes,
    /// For each flow: where the route of its data begins, and that of its ACKs.
    pub(crate) starts: Vec<[Place; 2]>,
    pub(crate) events: EventQueue,
    /// The event being handled.
    pub(crate) current: Due,
    ordinal: Ordinal,
    /// For each flow: what became of its ACKs on the way.
    pub(crate) acks_removed: Vec<AcksRemoved>,
    removed: Vec<(Packet, Removal)>,
    /// How many flows are the scenario's; those numbered higher are streams of outside nodes.
    pub(crate) own: u32,
    /// Packets of outside nodes that have left, and that have not been taken over.
    pub(crate) left: Vec<Left>,
    pub(crate) recorder: Recorder,
    /// Whether two events are [tied](ahead); see also [`Network::tied`].
    tied: bool,
}

/// ACKs of a flow's present connection that the network removed, and such as it made.
#[derive(Clone, Copy, Debug, Default)]
pub struct AcksRemoved {
    /// The connection counted; late ACKs of earlier ones are not counted.
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
                Removal::Filtered => self.filtered += 1,
                Removal::Full | Removal::Early | Removal::Lost => self.dropped += 1,
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
        (hops, media, stages): (Vec<Hop>, Vec<Medium>, Vec<Stages>),
        routes: Routes,
        starts: Vec<[Place; 2]>,
        recorder: Recorder,
    ) -> Network {
        Network {
            hops,
            media,
            stages,
            lanes: Lanes::default(),
            routes,
            acks_removed: vec![AcksRemoved::default(); starts.len()],
            starts,
            events: EventQueue::default(),
            current: Due::START,
            ordinal: Ordinal::default(),
            removed: Vec::new(),
            own: u32::MAX,
            left: Vec::new(),
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

    /// Whether two events were [tied](ahead): the run has to begin again, event by event.
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
        let queued: usize = self.hops.iter().map(|hop| hop.link.held().packets as usize).sum();
        let media: usize = self.media.iter().map(|medium| medium.server.len()).sum();
        let staged: usize = self.stages.iter().map(Stages::held).sum();
        let inside = (queued + media + staged) as u64;
        let booked: u64 = self.hops.iter().map(|hop| hop.link.bookings().memory()).sum();
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
        if packet.size >= self.hops[index as usize].link.books_below() {
            // Of a copy, so that what passes need not be put together in memory.
            let copy = *packet;
            self.offer(index, &copy);
        } else {
            self.pass(index, packet);
        }
        true
    }

    /// A packet reaches a link that does not book its service.
    #[inline(never)]
    fn offer(&mut self, index: u32, packet: &Packet) {
        let (now, hop) = (self.now(), &mut self.hops[index as usize]);
        if hop.link.books() {
            // It is larger than all that may be there.
            hop.link.wait(Load::of(packet), &mut At(&self.current, &mut self.tied));
            return self.note_removed(index, packet, Removal::Full);
        }
        let meets = hop.meets;
        self.recorder.packet(now, index, PacketEvent::Enqueue, packet);
        if meets != Meets::Wire && self.meets_more(index, packet, meets) {
            return;
        }
        let hop = &mut self.hops[index as usize];
        let idle = hop.is_idle(self.current, &mut self.tied);
        let next = hop.link.offer(*packet, idle, now, &mut self.removed);
        if next.is_none()
            && !hop.free_queued
            && hop.link.held().packets > 0
            && (!idle || hop.hold(self.current, index, &mut self.ordinal))
        {
            // The end of the service in progress, or of the wait for server or queue, is an event now.
            hop.free_queued = true;
            let lane = *hop.freed.get_or_insert_with(|| self.lanes.lane());
            self.lanes.set(lane, hop.free, hop.free_root);
        }
        self.proceed(index, next, now);
    }

    /// A link's queue has changed, and `next` is to be served.
    #[inline]
    fn proceed(&mut self, index: u32, next: Option<Packet>, now: Time) {
        if !self.removed.is_empty() {
            self.note_all_removed(index);
        }
        self.recorder.queue(now, index, &self.hops[index as usize].link);
        let Some(packet) = next else { return };
        let hop = &mut self.hops[index as usize];
        let served = hop.link.serve(&packet, now);
        let flight = hop.reserve(served, self.current, index, &mut self.ordinal, &mut self.lanes);
        self.recorder.packet(now, index, PacketEvent::Dequeue, &packet);
        if served.lost {
            return self.note_removed(index, &packet, Removal::Lost);
        }
        self.launch((flight.0, flight.1, self.current.decided()), &packet, index, 1);
    }

    /// Puts a packet on the wire of a link, `steps` places further on its route; with the arrival comes when its decision
    /// was decided.
    #[inline(always)]
    fn launch(&mut self, (lane, arrival, root): (u32, Due, Time), packet: &Packet, index: u32, steps: u32) {
        if !self.lanes.push(lane, (arrival, root), packet, steps) {
            self.launch_alone(lane, index);
        }
    }

    /// What was put last into a lane that is not for it goes to a lane of the link's own.
    #[cold]
    fn launch_alone(&mut self, lane: u32, index: u32) {
        let (packet, arrival, root) = self.lanes.take_back(lane);
        let own = self.lanes.own(index);
        self.hops[index as usize].leave_lane(lane, own);
        self.lanes.push(own, (arrival.on(own), root), &packet, 0);
    }

    /// Handles [`Event::Free`].
    #[inline(never)]
    pub fn on_free(&mut self) {
        let (index, now) = (self.current.source(), self.now());
        let next = self.hops[index as usize].link.next_packet(now, &mut self.removed);
        self.proceed(index, next, now);
        let hop = &mut self.hops[index as usize];
        hop.free_queued =
            hop.link.held().packets > 0 && (next.is_some() || hop.hold(self.current, index, &mut self.ordinal));
        if let Some(lane) = hop.freed {
            self.lanes.set(lane, if hop.free_queued { hop.free } else { Due::NEVER }, hop.free_root);
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

    /// Notes what a link just removed, each packet with its reason.
    #[cold]
    fn note_all_removed(&mut self, index: u32) {
        let mut removed = take(&mut self.removed);
        removed.drain(..).for_each(|(packet, reason)| self.note_removed(index, &packet, reason));
        self.removed = removed;
    }

    /// Notes a removed packet, which the link has counted.
    #[cold]
    fn note_removed(&mut self, index: u32, packet: &Packet, reason: Removal) {
        let event = match reason {
            Removal::Full | Removal::Early => PacketEvent::Drop,
            Removal::Filtered => PacketEvent::Filter,
            Removal::Lost => PacketEvent::Lose,
        };
        if packet.is_ack() {
            self.acks_removed[packet.flow as usize].count(packet, reason);
        }
        self.recorder.packet(self.now(), index, event, packet);
        if packet.flow >= self.own {
            self.leave(packet, Some(reason));
        }
    }
}
