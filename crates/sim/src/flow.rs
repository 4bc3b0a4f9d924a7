//! One flow: a sender, a receiver, their timers, and what is measured of their conversation.

mod stall;
mod wires;

use acklab_packet::{Ack, Body, Packet, Phase, Probe, Segment, Time};
use acklab_path::random::Random;
use acklab_tcp::receiver::Receiver;
use acklab_tcp::receiver::policy::Policy;
use acklab_tcp::rules::{PhaseSource, Variants};
use acklab_tcp::sender::control::Control;
use acklab_tcp::sender::{Sender, Supply};

use crate::datagrams::Turn;
use crate::event::Event;
use crate::network::Network;
use crate::source::Application;
use crate::timer::LazyTimer;
use crate::workload::Workload;
use acklab_scenario::spec::{FlowSpec, Repeat, Size};
use stall::Stall;
use wires::{ReceiverPort, SenderPort};

/// A flow in progress. Of repeated transfers, the present one.
///
/// Laid out as declared, from the beginning of a cache line: a first line for both endpoints, the sender's, from the next
/// full line on the receiver's, the rest.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Flow {
    sender_timer: LazyTimer,
    /// When the present transfer was complete; [`Time::NEVER`] before.
    finished: Time,
    /// When the first segment with data left; [`Time::NEVER`] before.
    first_data: Time,
    /// Row of the present transfer in the outcome.
    pub(crate) transfer: u32,
    /// Successive connections, counted; packets of earlier ones are discarded.
    pub(crate) connection: u16,
    pub(crate) sender: Sender,
    receiver_timer: LazyTimer,
    pub(crate) receiver: Receiver,
    /// When the present transfer was due to start.
    pub(crate) start: Time,
    /// An application that sends by itself, instead of handing over everything at the start.
    pub(crate) source: Option<Box<Application>>,
    rare: Box<Rare>,
    /// Index into the scenario's flow tables.
    pub(crate) spec: u32,
    /// Which of that table's flows.
    pub(crate) member: u32,
}

/// Parts that only some flows use; apart, so that a flow takes as few cache lines.
#[derive(Clone, Debug, Default)]
struct Rare {
    /// Where segments are paced.
    pacer: Option<Box<LazyTimer>>,
    /// Draws of sizes and pauses, where they are random.
    workload: Option<Box<Workload>>,
    /// Of every flow; here, since there is no room in a flow's cache lines.
    stall: Stall,
}

impl Flow {
    /// The `member`-th flow of table `spec`, due at `start`; `transfer` is its row in the outcome, `stream` names its random streams.
    pub fn new(
        table: &FlowSpec,
        (spec, member): (u32, u32),
        transfer: u32,
        start: Time,
        stream: impl Fn(&str) -> Random,
    ) -> Flow {
        let mut workload = Workload::new(table, &stream);
        let source = Application::new(table, stream("source"));
        let supply = supply(table, &mut workload);
        Flow {
            sender: sender(table, supply, seed(table, stream)),
            receiver: receiver(table),
            sender_timer: LazyTimer::default(),
            receiver_timer: LazyTimer::default(),
            source: source.map(Box::new),
            rare: Box::new(Rare { workload, ..Rare::default() }),
            spec,
            member,
            transfer,
            connection: 0,
            start,
            first_data: Time::NEVER,
            finished: Time::NEVER,
        }
    }

    /// Opens a new connection for the next of repeated transfers; what the old one left in the network dies.
    pub fn reopen(&mut self, table: &FlowSpec, start: Time) {
        let seed = self.sender.seed();
        self.sender = sender(table, supply(table, &mut self.rare.workload), seed);
        self.receiver = receiver(table);
        self.sender_timer.disarm();
        self.rare.pacer.iter_mut().for_each(|pacer| pacer.disarm());
        self.receiver_timer.disarm();
        self.connection += 1;
        self.rare.stall = Stall::default();
        self.start = start;
        self.first_data = Time::NEVER;
        self.finished = Time::NEVER;
    }

    /// When the first segment with data left, if one has.
    pub fn first_data(&self) -> Option<Time> {
        (self.first_data < Time::NEVER).then_some(self.first_data)
    }

    /// When the present transfer was complete, if it is.
    #[inline]
    pub fn finished(&self) -> Option<Time> {
        (self.finished < Time::NEVER).then_some(self.finished)
    }

    /// The longest time in which something was outstanding and nothing new was acknowledged, up to `now`.
    pub fn max_stall(&self, now: Time) -> Time {
        self.rare.stall.longest(now)
    }

    /// The pause before the next of repeated transfers.
    pub fn pause(&mut self, repeat: &Repeat) -> Time {
        self.rare.workload.as_mut().map_or(repeat.think, |workload| workload.pause(repeat))
    }

    /// Follows the rules of `table` instead, before anything was sent; `stream` as for [`Flow::new`]. Its size must not be
    /// drawn.
    pub fn adopt(&mut self, table: &FlowSpec, stream: impl Fn(&str) -> Random) {
        self.sender = sender(table, supply(table, &mut None), seed(table, stream));
        self.receiver = receiver(table);
    }

    /// The application starts.
    pub fn on_start(&mut self, id: u32, net: &mut Network) {
        let now = net.now();
        if let Some(Application::Datagrams(source)) = self.source.as_deref_mut() {
            let turn = source.start(now);
            return self.send_datagram(id, turn, net);
        }
        self.with_sender(id, net, |sender, port| sender.start(now, port));
        if let Some(Application::Writer(source)) = self.source.as_deref_mut() {
            net.schedule(now + source.gap(), Event::Write(id));
        }
        if let Some(Application::Schedule(_)) = self.source.as_deref() {
            self.on_write(id, net);
        }
        if let Some(due) = self.source.as_deref().and_then(Application::listed) {
            net.schedule(self.start + due, Event::Write(id));
        }
    }

    /// Sends the datagram that is due, if one is, and wakes the source again.
    fn send_datagram(&mut self, id: u32, turn: Turn, net: &mut Network) {
        let Some(Application::Datagrams(source)) = self.source.as_deref() else { return };
        if let Some(number) = turn.send {
            self.first_data = self.first_data.min(net.now());
            let (size, connection, body) = (source.bytes(), self.connection, Body::Datagram(number));
            net.send(Packet { flow: id, size, connection, place: 0, body });
        }
        net.schedule(turn.next, Event::Write(id));
    }

    /// A packet of this flow reaches its destination; whether that completes the present transfer.
    #[inline(always)]
    pub fn on_packet(&mut self, id: u32, packet: &Packet, net: &mut Network) -> bool {
        if packet.connection != self.connection {
            return false;
        }
        // The two frequent kinds first.
        if let Body::Data(segment) = &packet.body {
            if self.receiver.is_told_phase() {
                self.on_told_data(id, segment, net);
            } else {
                self.on_data(id, segment, net);
            }
            return false;
        }
        if let Body::Ack(ack) = &packet.body {
            return self.on_ack(id, ack, net);
        }
        self.on_other(id, packet, net);
        false
    }

    /// Neither a segment nor an ACK.
    #[inline(never)]
    fn on_other(&mut self, id: u32, packet: &Packet, net: &mut Network) {
        match &packet.body {
            Body::Probe(probe) => self.on_probe(id, *probe, net),
            Body::Datagram(_) => self.on_datagram(net.now()),
            Body::Data(_) | Body::Ack(_) => {}
        }
    }

    /// A segment reaches the receiver.
    #[inline(never)]
    fn on_data(&mut self, id: u32, segment: &Segment, net: &mut Network) {
        let now = net.now();
        self.with_receiver(id, net, |receiver, port| receiver.on_segment(segment, now, port));
    }

    /// A segment reaches a receiver that is told the sender's phase.
    #[cold]
    fn on_told_data(&mut self, id: u32, segment: &Segment, net: &mut Network) {
        let phase = if self.receiver.wants_phase(PhaseSource::Growth) {
            self.sender.last_growth()
        } else if self.sender.core().in_slow_start() {
            Phase::SlowStart
        } else {
            Phase::CongestionAvoidance
        };
        self.on_data(id, &Segment { phase, ..*segment }, net);
    }

    /// An ACK reaches the sender; whether that completes the present transfer.
    #[inline(never)]
    fn on_ack(&mut self, id: u32, ack: &Ack, net: &mut Network) -> bool {
        let now = net.now();
        // Without a closure, which the compiler may keep apart.
        let (sender, mut port) = self.sending(id, net);
        sender.on_ack(ack, now, &mut port);
        self.sent(id, net)
    }

    /// A datagram reaches its destination.
    fn on_datagram(&mut self, now: Time) {
        if let Some(Application::Datagrams(source)) = self.source.as_deref_mut() {
            source.received += 1;
            source.last_arrival = now;
        }
    }

    /// A receiver's keep-alive reaches the sender, or its answer the receiver.
    fn on_probe(&mut self, id: u32, probe: Probe, net: &mut Network) {
        let now = net.now();
        if probe.reply {
            self.with_receiver(id, net, |receiver, port| receiver.on_reply(&probe, now, port));
        } else {
            self.with_sender(id, net, |sender, port| sender.on_probe(&probe, port));
        }
    }

    /// The event handled concerns the retransmission timer.
    pub fn on_sender_timer(&mut self, id: u32, net: &mut Network) {
        let (entry, now) = (net.current, net.now());
        if self.sender_timer.expires(entry, &mut net.events) {
            self.with_sender(id, net, |sender, port| sender.on_timeout(now, port));
        }
    }

    /// The event handled concerns the pacer.
    pub fn on_pacer(&mut self, id: u32, net: &mut Network) {
        let (entry, now) = (net.current, net.now());
        if self.rare.pacer.get_or_insert_default().expires(entry, &mut net.events) {
            self.with_sender(id, net, |sender, port| sender.on_pacer(now, port));
        }
    }

    /// The application writes, and says when it will again.
    pub fn on_write(&mut self, id: u32, net: &mut Network) {
        let now = net.now();
        match self.source.as_deref_mut() {
            Some(Application::Writer(source)) => {
                let (units, next) = (source.units(self.sender.core().seq.mss), now + source.gap());
                self.with_sender(id, net, |sender, port| sender.write(units, now, port));
                net.schedule(next, Event::Write(id));
            }
            Some(Application::Schedule(source)) => {
                let (units, next) = (source.units, now + source.every);
                source.left -= 1;
                if source.left == 0 {
                    return self.with_sender(id, net, |sender, port| sender.write_last(units, now, port));
                }
                self.with_sender(id, net, |sender, port| sender.write(units, now, port));
                net.schedule(next, Event::Write(id));
            }
            Some(Application::List(source)) => {
                let (units, start) = (source.take(), self.start);
                let Some(due) = source.due() else {
                    return self.with_sender(id, net, |sender, port| sender.write_last(units, now, port));
                };
                self.with_sender(id, net, |sender, port| sender.write(units, now, port));
                net.schedule(start + due, Event::Write(id));
            }
            Some(Application::Datagrams(source)) => {
                let turn = source.wake(now);
                self.send_datagram(id, turn, net);
            }
            None => {}
        }
    }

    /// The event handled concerns the ACK timer.
    pub fn on_receiver_timer(&mut self, id: u32, net: &mut Network) {
        let (entry, now) = (net.current, net.now());
        if self.receiver_timer.expires(entry, &mut net.events) {
            self.with_receiver(id, net, |receiver, port| receiver.on_timer(now, port));
        }
    }

    #[inline]
    fn with_sender(&mut self, id: u32, net: &mut Network, act: impl FnOnce(&mut Sender, &mut SenderPort<'_>)) {
        let (sender, mut port) = self.sending(id, net);
        act(sender, &mut port);
        self.sent(id, net);
    }

    /// The sender, and what it sends through; [`Flow::sent`] comes after.
    #[inline(always)]
    fn sending<'f>(&'f mut self, id: u32, net: &'f mut Network) -> (&'f mut Sender, SenderPort<'f>) {
        let first_data = &mut self.first_data;
        let (timer, pacer) = (&mut self.sender_timer, &mut self.rare.pacer);
        let port = SenderPort { id, connection: self.connection, timer, pacer, first_data, net };
        (&mut self.sender, port)
    }

    /// The sender has acted; whether that completes the present transfer.
    #[inline(always)]
    fn sent(&mut self, id: u32, net: &mut Network) -> bool {
        net.recorder.sender(net.now(), id, &self.sender, &self.receiver);
        let seq = &self.sender.core().seq;
        self.rare.stall.on_change(net.now(), seq.una, seq.flight_size());
        if self.sender.done() && self.finished().is_none() && self.source.as_ref().is_none_or(|source| source.ended()) {
            self.finished = net.now();
            // An idle connection's timer could only halve a window that nothing will use.
            self.sender_timer.disarm();
            return true;
        }
        false
    }

    #[inline]
    fn with_receiver(&mut self, id: u32, net: &mut Network, act: impl FnOnce(&mut Receiver, &mut ReceiverPort<'_>)) {
        let mut port = ReceiverPort { id, connection: self.connection, timer: &mut self.receiver_timer, net };
        act(&mut self.receiver, &mut port);
    }
}

/// What is random about the `member`-th flow of `table`: a stream for each of its parts.
pub(crate) fn stream(seed: u64, table: &FlowSpec, member: u32, part: &str) -> Random {
    Random::named(seed, &format!("{part} {}.{member}", table.name))
}

/// A sender of this table's flows.
fn sender(table: &FlowSpec, supply: Supply, seed: u64) -> Sender {
    match &table.custom.control {
        None => Sender::with_seed(table.sender.clone(), supply, seed),
        Some(own) => Sender::with_control(table.sender.clone(), supply, seed, Control::Custom(own.clone())),
    }
}

/// A receiver of this table's flows.
fn receiver(table: &FlowSpec) -> Receiver {
    match &table.custom.policy {
        None => Receiver::new(table.receiver.clone()),
        Some(own) => Receiver::with_policy(table.receiver.clone(), Policy::Custom(own.clone())),
    }
}

/// Seed of its sender's random numbers.
fn seed(table: &FlowSpec, stream: impl Fn(&str) -> Random) -> u64 {
    let draw = |name| (stream(name).uniform() * (1_u64 << 53) as f64) as u64;
    match &table.sender.control {
        _ if table.sender.skip > 0 => draw("skip"),
        control if control.traits().draws => draw(control.name()),
        _ => 0,
    }
}

/// What the flows of a table have to send at their start.
fn supply(table: &FlowSpec, workload: &mut Option<Box<Workload>>) -> Supply {
    match (&table.source, table.size) {
        (Some(_), _) => Supply::Bytes(0),
        (None, Size::Segments(n)) => Supply::Segments(n),
        (None, Size::Bytes(bytes)) => Supply::Bytes(bytes),
        (None, size @ (Size::Uniform { low, .. } | Size::Pareto { low, .. })) => {
            Supply::Bytes(workload.as_mut().and_then(|workload| workload.bytes(size)).unwrap_or(low))
        }
        (None, Size::Unlimited) => Supply::Unlimited,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn endpoints_begin_where_cache_lines_do() {
        let (sender, receiver) = (offset_of!(Flow, sender), offset_of!(Flow, receiver_timer));
        assert_eq!((sender, receiver % 64, size_of::<LazyTimer>()), (64, 0, 40));
        assert!(size_of::<Flow>() <= 704, "{}", size_of::<Flow>());
    }
}
