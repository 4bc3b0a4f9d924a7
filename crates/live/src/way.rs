//! One direction of a run's path with the work at its ends. It owns no clock.

use std::fs::File;
use std::io;
use std::path::Path;

use acklab_packet::Time;
use acklab_path::queue::Removal;

use crate::duty::{Role, WindowCap};
use crate::edge::{Edge, Seen};
use crate::header::Header;
use crate::hops::Hops;
use crate::ledger::{Outgoing, Returning};
use crate::numbers::Numbers;
use crate::packet::WirePacket;
use crate::plan::{Plan, PlannedFlow};
use crate::settings::FIRST_PORT;
use crate::tape::Tape;

/// One direction, and what is known of it so far.
#[derive(Debug)]
pub struct Way {
    /// 0 from side 0, 1 from side 1.
    pub direction: usize,
    /// The links.
    pub hops: Hops<WirePacket>,
    /// For each flow, what the ends of this direction have to do and to count.
    pub flows: Vec<Role>,
    /// Segments that have reached the receivers but not yet their shapers.
    pub hears: Vec<Seen>,
    /// Copies of passing packets, if they are wanted.
    pub tape: Option<Tape>,
    /// Packets that were not a flow's TCP, and so were not carried.
    pub foreign: u64,
    numbers: Vec<Numbers>,
    entering: Vec<WirePacket>,
    gone: Vec<(WirePacket, Removal)>,
}

impl Way {
    /// A direction of a plan; `snap` is the bytes to keep of each packet (0: all), if captures are wanted.
    pub fn new(plan: &Plan, direction: usize, snap: Option<u32>) -> Way {
        let role = |flow: &PlannedFlow| match &flow.shaped {
            shaped if flow.side == direction => Role::Data { sent: Outgoing::default(), shaped: shaped.is_some() },
            shaped => Role::Acks {
                got: Returning::new(flow.bytes),
                edge: shaped.as_deref().map(Edge::new).map(Box::new),
                cap: WindowCap::new(plan.settings.window),
            },
        };
        Way {
            direction,
            hops: plan.hops(direction),
            flows: plan.flows.iter().map(role).collect(),
            hears: Vec::new(),
            tape: snap.map(Tape::new),
            foreign: 0,
            numbers: vec![Numbers::default(); plan.flows.len()],
            entering: Vec::new(),
            gone: Vec::new(),
        }
    }

    /// An endpoint hands over a packet.
    pub fn comes(&mut self, bytes: &[u8], now: Time) {
        let known = Header::parse(bytes).and_then(|header| {
            let flow = self.flow_of(header.ports)?;
            let numbers = self.numbers.get_mut(flow as usize)?;
            Some(WirePacket::new(bytes.to_vec(), header, flow, numbers))
        });
        let Some(mut packet) = known else {
            self.foreign += 1;
            return;
        };
        self.hear(now);
        match self.flows.get_mut(packet.flow() as usize) {
            Some(Role::Acks { edge, cap, .. }) => {
                cap.apply(&mut packet);
                match edge {
                    Some(edge) => edge.leaves(packet, now, &mut self.entering),
                    None => self.entering.push(packet),
                }
            }
            _ => self.entering.push(packet),
        }
        self.enter(now);
    }

    /// The flow of a packet with these ports: its receiver's tells.
    fn flow_of(&self, (from, to): (u16, u16)) -> Option<u32> {
        let index = |port: u16| port.checked_sub(FIRST_PORT).map(usize::from);
        let known = |port: u16, data: bool| {
            index(port).filter(|&at| self.flows.get(at).is_some_and(|role| matches!(role, Role::Data { .. }) == data))
        };
        known(to, true).or(known(from, false)).map(|at| at as u32)
    }

    /// Lets the shapers do what is due.
    pub fn wake(&mut self, now: Time) {
        self.hear(now);
        for role in &mut self.flows {
            if let Role::Acks { edge: Some(edge), .. } = role
                && edge.next().is_some_and(|due| due <= now)
            {
                edge.wake(now, &mut self.entering);
            }
        }
        self.enter(now);
    }

    /// Tells the shapers what has reached the receivers.
    fn hear(&mut self, now: Time) {
        for seen in std::mem::take(&mut self.hears) {
            if let Some(Role::Acks { edge: Some(edge), .. }) = self.flows.get_mut(seen.flow as usize) {
                edge.arrives(&seen, now, &mut self.entering);
            }
        }
    }

    /// Packets enter the path.
    fn enter(&mut self, now: Time) {
        let mut entering = std::mem::take(&mut self.entering);
        for packet in entering.drain(..) {
            match self.flows.get_mut(packet.flow() as usize) {
                Some(Role::Data { sent, .. }) => sent.leaves(&packet, now),
                Some(Role::Acks { got, .. }) => got.leaves(&packet),
                None => {}
            }
            if let Some(tape) = &mut self.tape {
                tape.keep(self.direction, now, &packet);
            }
            // What was due before has to happen first; it leaves with the next release.
            self.hops.advance(now, &mut self.gone);
            self.hops.offer(packet, now, &mut self.gone);
            self.count_gone();
        }
        self.entering = entering;
    }

    /// Counts what will not arrive.
    fn count_gone(&mut self) {
        for (packet, reason) in self.gone.drain(..) {
            if let Some(Role::Acks { got, .. }) = self.flows.get_mut(packet.flow() as usize) {
                got.gone(&packet, reason);
            }
        }
    }

    /// Lets everything happen that is due. What has reached the end goes to `arrived`, with its instant.
    pub fn advance(&mut self, now: Time, arrived: &mut Vec<(Time, WirePacket)>) {
        self.hops.advance(now, &mut self.gone);
        self.count_gone();
        self.hops.take_arrived(arrived);
    }

    /// A packet is about to be handed over; what the receiver's shaper, in the other direction, has to hear of it before the kernel
    /// answers.
    pub fn arrives(&mut self, packet: &WirePacket, now: Time) -> Option<Seen> {
        if let Some(tape) = &mut self.tape {
            tape.keep(1 - self.direction, now, packet);
        }
        match self.flows.get_mut(packet.flow() as usize)? {
            Role::Data { sent, shaped } => {
                sent.arrives(packet, now);
                Seen::of(packet).filter(|_| *shaped)
            }
            Role::Acks { got, .. } => {
                got.arrives(packet, now);
                None
            }
        }
    }

    /// When something is due next.
    pub fn next(&self) -> Option<Time> {
        let edge = |role: &Role| if let Role::Acks { edge: Some(edge), .. } = role { edge.next() } else { None };
        self.hops.next().into_iter().chain(self.flows.iter().filter_map(edge)).min()
    }
}

/// Writes what passed each side, as `sender.pcap` and `receiver.pcap`; `epoch_ns` is the run's start in nanoseconds since 1970.
pub fn write_captures(ways: &[Way; 2], directory: &Path, epoch_ns: u64) -> io::Result<()> {
    let [Some(there), Some(back)] = ways.each_ref().map(|way| way.tape.as_ref()) else { return Ok(()) };
    for (side, name) in ["sender.pcap", "receiver.pcap"].into_iter().enumerate() {
        let file = io::BufWriter::new(File::create(directory.join(name))?);
        Tape::write(&[there, back], side, epoch_ns, file)?;
    }
    Ok(())
}
