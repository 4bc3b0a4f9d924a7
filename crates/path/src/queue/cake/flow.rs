//! The queue of one of CAKE's flows (as in Linux, sch_cake.c).

use std::collections::VecDeque;

use super::super::cobalt::control::Cobalt;

/// In which list of its tin a flow's queue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Set {
    /// Nothing waits, and nothing is remembered.
    #[default]
    Idle,
    /// It has not yet used a quantum up: served first.
    Sparse,
    /// The same, empty, in the round of the bulk flows.
    SparseWaits,
    /// It waits for its turn.
    Bulk,
    /// Empty; COBALT's state decays.
    Decaying,
}

/// A packet that waits: its arrival in nanoseconds, its size in the shaper's account.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<P> {
    pub arrival: i64,
    pub framed: u32,
    pub packet: P,
}

/// A flow's queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow<P> {
    pub packets: VecDeque<Entry<P>>,
    pub bytes: u64,
    pub deficit: i64,
    pub cobalt: Cobalt,
    /// Places of its hosts.
    pub hosts: [u16; 2],
    pub set: Set,
}

impl<P> Default for Flow<P> {
    fn default() -> Flow<P> {
        let (packets, cobalt) = (VecDeque::new(), Cobalt::default());
        Flow { packets, bytes: 0, deficit: 0, cobalt, hosts: [0; 2], set: Set::Idle }
    }
}
