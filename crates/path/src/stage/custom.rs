//! A program's own stage.

use std::collections::BTreeMap;
use std::fmt::Debug;

use acklab_packet::Time;
use dyn_clone::DynClone;

use super::{Passing, Reissue, Stage, StageParams};
use crate::{Own, PacketView};

/// A packet that leaves a stage, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// It goes on.
    Unchanged(u64),
    /// It goes on with a congestion mark (CE, RFC 3168), if its sender understands marks.
    Marked(u64),
    /// It does not go on.
    Removed(u64),
    /// A copy goes on, and the packet stays.
    Copy(u64),
    /// A plain ACK like it goes on, with this cumulative number, at most its own, and without SACK blocks. The packet stays.
    Ack(u64, u64),
}

/// A stage over numbered packets, which are kept for it. Every packet leaves once; numbers that do not stay are ignored.
pub trait Middlebox: Debug + Send + Sync + DynClone {
    /// `packet` arrives `now`: what leaves goes to `out`, in order.
    fn arrive(&mut self, packet: &PacketView, now: Time, out: &mut Vec<Leaves>);
    /// The time that [`Middlebox::next`] named has come.
    fn wake(&mut self, _now: Time, _out: &mut Vec<Leaves>) {}
    /// When it wants to be woken.
    fn next(&self) -> Option<Time> {
        None
    }
}

impl<M: Middlebox + 'static> From<M> for Own<dyn Middlebox> {
    fn from(middlebox: M) -> Self {
        Own(Box::new(middlebox))
    }
}

impl StageParams for Own<dyn Middlebox> {}

/// The stage of a program's own middlebox.
#[derive(Clone, Debug)]
pub struct Custom<P> {
    middlebox: Own<dyn Middlebox>,
    packets: BTreeMap<u64, Passing<P>>,
    /// Packets that have arrived.
    arrived: u64,
    copies: u64,
    /// The packets that leave; empty between calls.
    leaves: Vec<Leaves>,
}

impl<P: Reissue> Custom<P> {
    /// A stage that has seen nothing.
    pub fn new(middlebox: Own<dyn Middlebox>) -> Custom<P> {
        Custom { middlebox, packets: BTreeMap::new(), arrived: 0, copies: 0, leaves: Vec::new() }
    }

    fn leave(&mut self, out: &mut Vec<Passing<P>>) {
        let Custom { packets, leaves, copies, .. } = self;
        for leaves in leaves.drain(..) {
            match leaves {
                Leaves::Unchanged(number) => out.extend(packets.remove(&number)),
                Leaves::Marked(number) => out.extend(packets.remove(&number).map(|mut passing| {
                    passing.packet.mark();
                    passing
                })),
                Leaves::Removed(number) => {
                    out.extend(packets.remove(&number).map(|passing| Passing { removed: true, ..passing }));
                }
                Leaves::Copy(number) => {
                    let copy = packets.get(&number).map(|passing| Passing::made(passing.packet.clone()));
                    *copies += u64::from(copy.is_some());
                    out.extend(copy);
                }
                Leaves::Ack(number, ack) => {
                    let packet = packets.get(&number).map(|passing| &passing.packet);
                    let packet = packet.filter(|packet| packet.plain_ack().is_some_and(|own| ack <= own));
                    out.extend(packet.map(|packet| Passing::made(packet.reissued(ack))));
                }
            }
        }
    }
}

impl<P: Reissue> Stage<P> for Custom<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        let view = PacketView::new(self.arrived, &passing.packet);
        self.packets.insert(self.arrived, passing);
        self.arrived += 1;
        self.middlebox.0.arrive(&view, now, &mut self.leaves);
        self.leave(out);
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        self.middlebox.0.wake(now, &mut self.leaves);
        self.leave(out);
    }

    fn next(&self) -> Option<Time> {
        self.middlebox.0.next()
    }

    fn held(&self) -> usize {
        self.packets.len()
    }

    fn duplicated(&self) -> u64 {
        self.copies
    }
}
