//! The wires of a flow's two endpoints: their packets enter the network within the call, their timers the events.

use acklab_packet::{Ack, Body, Packet, Probe, Segment, Time};
use acklab_tcp::receiver::ReceiverWire;
use acklab_tcp::sender::SenderWire;

use crate::event::Event;
use crate::network::Network;
use crate::timer::LazyTimer;

/// The sender's wire: its packets enter the network within the call.
pub(super) struct SenderPort<'a> {
    pub id: u32,
    pub connection: u16,
    pub timer: &'a mut LazyTimer,
    pub pacer: &'a mut Option<Box<LazyTimer>>,
    pub first_data: &'a mut Time,
    pub net: &'a mut Network,
}

impl SenderWire for SenderPort<'_> {
    #[inline(always)]
    fn send(&mut self, segment: Segment, wire_bytes: u32) {
        if *self.first_data == Time::NEVER && !segment.syn {
            *self.first_data = segment.ts_val;
        }
        let (flow, connection) = (self.id, self.connection);
        self.net.send(Packet { flow, size: wire_bytes, connection, place: 0, body: Body::Data(segment) });
    }

    #[cold]
    fn answer(&mut self, reply: Probe, wire_bytes: u32) {
        let (flow, connection, body) = (self.id, self.connection, Body::Probe(reply));
        self.net.send(Packet { flow, size: wire_bytes, connection, place: 0, body });
    }

    #[inline]
    fn arm(&mut self, at: Time) {
        let due = self.net.decide(at, Event::SenderTimer(self.id));
        self.timer.arm(due, &mut self.net.events);
    }

    fn disarm(&mut self) {
        self.timer.disarm();
    }

    fn arm_pacer(&mut self, at: Time) {
        let due = self.net.decide(at, Event::Pacer(self.id));
        self.pacer.get_or_insert_default().arm(due, &mut self.net.events);
    }
}

/// The receiver's wire.
pub(super) struct ReceiverPort<'a> {
    pub id: u32,
    pub connection: u16,
    pub timer: &'a mut LazyTimer,
    pub net: &'a mut Network,
}

impl ReceiverWire for ReceiverPort<'_> {
    #[inline(always)]
    fn send(&mut self, ack: Ack, wire_bytes: u32) {
        let (flow, connection) = (self.id, self.connection);
        self.net.send(Packet { flow, size: wire_bytes, connection, place: 0, body: Body::Ack(ack) });
    }

    #[cold]
    fn probe(&mut self, probe: Probe, wire_bytes: u32) {
        let (flow, connection, body) = (self.id, self.connection, Body::Probe(probe));
        self.net.send(Packet { flow, size: wire_bytes, connection, place: 0, body });
    }

    #[inline(always)]
    fn arm(&mut self, at: Time) {
        let due = self.net.decide(at, Event::ReceiverTimer(self.id));
        self.timer.arm(due, &mut self.net.events);
    }

    fn disarm(&mut self) {
        self.timer.disarm();
    }
}
