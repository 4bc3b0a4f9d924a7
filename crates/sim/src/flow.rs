//! One flow: a sender, a receiver, their timers, and what is measured of their conversation.

use std::sync::Arc;

use acklab_packet::{Ack, Body, Packet, Segment, Time};
use acklab_tcp::receiver::{Receiver, ReceiverWire};
use acklab_tcp::rules::{ReceiverRules, SenderRules};
use acklab_tcp::sender::{Sender, SenderWire, Supply};

use crate::event::{Event, LazyTimer};
use crate::network::Network;

/// A flow in progress. Of repeated transfers, the present one.
#[derive(Clone, Debug)]
pub struct Flow {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    sender_timer: LazyTimer,
    receiver_timer: LazyTimer,
    /// Index into the scenario's flow tables.
    pub(crate) spec: u32,
    /// Which of that table's flows.
    pub(crate) member: u32,
    /// Row of the present transfer in the outcome.
    pub(crate) transfer: u32,
    /// Successive connections, counted; packets of earlier ones are discarded.
    pub(crate) connection: u16,
    /// When the present transfer was due to start.
    pub(crate) start: Time,
    pub(crate) first_data: Option<Time>,
    pub(crate) finished: Option<Time>,
    /// ACKs removed on the path before this transfer began.
    pub(crate) acks_removed_before: [u32; 2],
}

impl Flow {
    /// The `member`-th flow of a scenario's table, due at `start`; `transfer` is its row in the outcome.
    pub fn new(
        (spec, member): (u32, u32),
        transfer: u32,
        start: Time,
        supply: Supply,
        sender: &Arc<SenderRules>,
        receiver: &Arc<ReceiverRules>,
    ) -> Flow {
        Flow {
            sender: Sender::new(sender.clone(), supply),
            receiver: Receiver::new(receiver.clone()),
            sender_timer: LazyTimer::default(),
            receiver_timer: LazyTimer::default(),
            spec,
            member,
            transfer,
            connection: 0,
            start,
            first_data: None,
            finished: None,
            acks_removed_before: [0; 2],
        }
    }

    /// Opens a new connection for the next of repeated transfers; what the old one left in the network dies.
    pub fn reopen(&mut self, start: Time, supply: Supply, sender: &Arc<SenderRules>, receiver: &Arc<ReceiverRules>) {
        self.sender = Sender::new(sender.clone(), supply);
        self.receiver = Receiver::new(receiver.clone());
        self.sender_timer.disarm();
        self.receiver_timer.disarm();
        self.connection += 1;
        self.start = start;
        self.first_data = None;
        self.finished = None;
    }

    /// The application starts.
    pub fn on_start(&mut self, id: u32, net: &mut Network) {
        let now = net.now();
        self.with_sender(id, net, |sender, port| sender.start(now, port));
    }

    /// A packet of this flow reaches its destination.
    #[inline]
    pub fn on_packet(&mut self, id: u32, packet: &Packet, net: &mut Network) {
        if packet.connection != self.connection {
            return;
        }
        let now = net.now();
        match &packet.body {
            Body::Data(segment) => {
                self.with_receiver(id, net, |receiver, port| receiver.on_segment(segment, now, port))
            }
            Body::Ack(ack) => self.with_sender(id, net, |sender, port| sender.on_ack(ack, now, port)),
        }
    }

    /// The heap's earliest event concerns the retransmission timer.
    pub fn on_sender_timer(&mut self, id: u32, net: &mut Network) {
        let (entry, now) = (net.current, net.now());
        if self.sender_timer.expires(entry, Event::SenderTimer(id), &mut net.events) {
            self.with_sender(id, net, |sender, port| sender.on_timeout(now, port));
        }
    }

    /// The heap's earliest event concerns the ACK timer.
    pub fn on_receiver_timer(&mut self, id: u32, net: &mut Network) {
        let (entry, now) = (net.current, net.now());
        if self.receiver_timer.expires(entry, Event::ReceiverTimer(id), &mut net.events) {
            self.with_receiver(id, net, |receiver, port| receiver.on_timer(now, port));
        }
    }

    #[inline]
    fn with_sender(&mut self, id: u32, net: &mut Network, act: impl FnOnce(&mut Sender, &mut SenderPort<'_>)) {
        let first_data = &mut self.first_data;
        let mut port =
            SenderPort { id, connection: self.connection, timer: &mut self.sender_timer, first_data, net: &mut *net };
        act(&mut self.sender, &mut port);
        net.recorder.sender(net.now(), id, &self.sender);
        if self.sender.done() && self.finished.is_none() {
            self.finished = Some(net.now());
        }
    }

    #[inline]
    fn with_receiver(&mut self, id: u32, net: &mut Network, act: impl FnOnce(&mut Receiver, &mut ReceiverPort<'_>)) {
        let mut port = ReceiverPort { id, connection: self.connection, timer: &mut self.receiver_timer, net };
        act(&mut self.receiver, &mut port);
    }
}

/// The sender's wire: its packets enter the network within the call.
struct SenderPort<'a> {
    id: u32,
    connection: u16,
    timer: &'a mut LazyTimer,
    first_data: &'a mut Option<Time>,
    net: &'a mut Network,
}

impl SenderWire for SenderPort<'_> {
    #[inline]
    fn send(&mut self, segment: Segment, wire_bytes: u32) {
        if self.first_data.is_none() && !segment.syn {
            *self.first_data = Some(segment.ts_val);
        }
        let (flow, connection) = (self.id, self.connection);
        self.net.send(Packet { flow, size: wire_bytes, connection, hop: 0, body: Body::Data(segment) });
    }

    #[inline]
    fn arm(&mut self, at: Time) {
        let due = self.net.decide(at);
        self.timer.arm(due, Event::SenderTimer(self.id), &mut self.net.events);
    }

    fn disarm(&mut self) {
        self.timer.disarm();
    }
}

/// The receiver's wire.
struct ReceiverPort<'a> {
    id: u32,
    connection: u16,
    timer: &'a mut LazyTimer,
    net: &'a mut Network,
}

impl ReceiverWire for ReceiverPort<'_> {
    #[inline]
    fn send(&mut self, ack: Ack, wire_bytes: u32) {
        let (flow, connection) = (self.id, self.connection);
        self.net.send(Packet { flow, size: wire_bytes, connection, hop: 0, body: Body::Ack(ack) });
    }

    #[inline]
    fn arm(&mut self, at: Time) {
        let due = self.net.decide(at);
        self.timer.arm(due, Event::ReceiverTimer(self.id), &mut self.net.events);
    }

    fn disarm(&mut self) {
        self.timer.disarm();
    }
}
