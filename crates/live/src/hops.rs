//! One direction of a run's path: the links that packets of its flows cross, in virtual time.

use acklab_packet::Time;
use acklab_path::direction::{Arrival, Direction};
use acklab_path::queue::Removal;
use acklab_path::stage::Reissue;

use crate::packet::WirePacket;

/// What hops ask of a packet besides what a link does: where on its route it is.
pub trait Travelling: Reissue {
    /// Index of its flow.
    fn flow(&self) -> u32;
    /// Links of its route it has crossed.
    fn hop(&mut self) -> &mut u32;
}

impl Travelling for WirePacket {
    fn flow(&self) -> u32 {
        WirePacket::flow(self)
    }
    fn hop(&mut self) -> &mut u32 {
        &mut self.hop
    }
}

/// Links in virtual time, and each flow's route over them.
#[derive(Debug)]
pub struct Hops<P> {
    links: Vec<Direction<P>>,
    /// For each flow the links it crosses, as indices.
    routes: Vec<Vec<usize>>,
    /// What has reached the end, with the instant at which it did.
    arrived: Vec<(Time, P)>,
    /// For each flow, ACKs that stages made.
    acks_created: Vec<u64>,
}

impl<P: Travelling> Hops<P> {
    /// Hops over `links`.
    pub fn new(links: Vec<Direction<P>>, routes: Vec<Vec<usize>>) -> Hops<P> {
        let acks_created = vec![0; routes.len()];
        Hops { links, routes, arrived: Vec::new(), acks_created }
    }

    /// The links.
    pub fn links(&self) -> &[Direction<P>] {
        &self.links
    }

    /// The links.
    pub fn links_mut(&mut self) -> &mut [Direction<P>] {
        &mut self.links
    }

    /// When something happens next by itself.
    pub fn next(&self) -> Option<Time> {
        self.links.iter().filter_map(Direction::next).min()
    }

    /// A packet enters at `now`, after [`Hops::advance`] to that time. A flow without a route goes nowhere.
    pub fn offer(&mut self, mut packet: P, now: Time, gone: &mut Vec<(P, Removal)>) {
        *packet.hop() = 0;
        self.forward(packet, now, gone);
    }

    fn forward(&mut self, mut packet: P, now: Time, gone: &mut Vec<(P, Removal)>) -> Option<P> {
        let hop = *packet.hop() as usize;
        let route = self.routes.get(packet.flow() as usize)?;
        let Some(&link) = route.get(hop) else { return Some(packet) };
        *packet.hop() += 1;
        self.links[link].offer(packet, now, gone);
        None
    }

    /// Lets everything happen that is due up to `now`, in order of time. What will not arrive goes to `gone`.
    pub fn advance(&mut self, now: Time, gone: &mut Vec<(P, Removal)>) {
        loop {
            let due = (0..self.links.len()).filter_map(|link| Some((self.links[link].next()?, link))).min();
            let Some((at, link)) = due.filter(|(at, _)| *at <= now) else { return };
            self.links[link].serve(at, gone);
            while let Some(Arrival { at, packet, made, removed }) = self.links[link].arrival(at) {
                if made
                    && packet.is_ack()
                    && let Some(created) = self.acks_created.get_mut(packet.flow() as usize)
                {
                    *created += 1;
                }
                if removed {
                    gone.push((packet, Removal::Filtered));
                } else if let Some(packet) = self.forward(packet, at, gone) {
                    self.arrived.push((at, packet));
                }
            }
        }
    }

    /// For each flow, how many ACKs stages have made.
    pub fn acks_created(&self) -> &[u64] {
        &self.acks_created
    }

    /// Takes over what has reached the end, with the instants at which it did; `into` is empty.
    pub fn take_arrived(&mut self, into: &mut Vec<(Time, P)>) {
        std::mem::swap(&mut self.arrived, into);
    }
}
