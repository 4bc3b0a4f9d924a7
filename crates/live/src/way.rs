//! One direction of a run's path with the work at its ends. It owns no clock.

use acklab_packet::Time;
use acklab_path::queue::Removal;

use crate::duty::{Duty, Role, WindowCap};
use crate::edge::{Edge, Seen};
use crate::header::Header;
use crate::hops::Hops;
use crate::ledger::{Outgoing, Returning};
use crate::numbers::Numbers;
use crate::packet::WirePacket;
use crate::plan::{Plan, PlannedFlow};
use crate::tape::Tape;

/// One direction, and what is known of it so far.
#[derive(Debug)]
pub struct Way {
    /// 0 from side 0, 1 from side 1.
    pub direction: usize,
    /// The links.
    pub hops: Hops<WirePacket>,
    /// What the ends of this direction have to do and to count.
    pub duty: Duty,
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
            duty: Duty { flows: plan.flows.iter().map(role).collect(), hears: Vec::new() },
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
            let flow = self.duty.flow_of(header.ports)?;
            let numbers = self.numbers.get_mut(flow as usize)?;
            Some(WirePacket::new(bytes.to_vec(), header, flow, numbers))
        });
        match known {
            Some(packet) => {
                self.duty.comes(packet, now, &mut self.entering);
                self.enter(now);
            }
            None => self.foreign += 1,
        }
    }

    /// Lets the shapers do what is due.
    pub fn wake(&mut self, now: Time) {
        self.duty.wake(now, &mut self.entering);
        self.enter(now);
    }

    /// Packets enter the path.
    fn enter(&mut self, now: Time) {
        for packet in self.entering.drain(..) {
            self.duty.enters(&packet, now);
            if let Some(tape) = &mut self.tape {
                tape.keep(self.direction, now, &packet);
            }
            // What was due before has to happen first; it leaves with the next release.
            self.hops.advance(now, &mut self.gone);
            self.hops.offer(packet, now, &mut self.gone);
            for (packet, reason) in self.gone.drain(..) {
                self.duty.gone(&packet, reason);
            }
        }
    }

    /// Lets everything happen that is due. What has reached the end goes to `arrived`, with its instant.
    pub fn advance(&mut self, now: Time, arrived: &mut Vec<(Time, WirePacket)>) {
        self.hops.advance(now, &mut self.gone);
        for (packet, reason) in self.gone.drain(..) {
            self.duty.gone(&packet, reason);
        }
        self.hops.take_arrived(arrived);
    }

    /// A packet is about to be handed over; what the receiver's shaper, in the other direction, has to hear of it first.
    pub fn arrives(&mut self, packet: &WirePacket, now: Time) -> Option<Seen> {
        if let Some(tape) = &mut self.tape {
            tape.keep(1 - self.direction, now, packet);
        }
        self.duty.arrives(packet, now)
    }

    /// When something is due next.
    pub fn next(&self) -> Option<Time> {
        [self.hops.next(), self.duty.next()].into_iter().flatten().min()
    }
}
