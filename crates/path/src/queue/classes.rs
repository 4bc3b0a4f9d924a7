//! Hosts and code points of a run's flows: what a packet's header has, and the simulator's packets leave to their flow.

use std::sync::Arc;

/// Where the packets of a flow come from and go to, and their DiffServ code point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowClass {
    /// The node that sends data.
    pub source: u32,
    /// The node that sends ACKs.
    pub destination: u32,
    /// Of data and ACKs alike; from 0 to 63.
    pub dscp: u8,
    /// All its packets go from `source` to `destination`, also ACKs.
    pub one_way: bool,
}

/// The classes, by flow.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Classes {
    /// Those of the scenario.
    first: Arc<[FlowClass]>,
    /// Those that came while it ran.
    more: Vec<FlowClass>,
}

impl Classes {
    /// Those of a scenario.
    pub fn new(first: &Arc<[FlowClass]>) -> Classes {
        Classes { first: Arc::clone(first), more: Vec::new() }
    }

    /// The flow with the next number.
    pub fn add(&mut self, class: FlowClass) {
        self.more.push(class);
    }

    /// That of a packet's connection.
    pub fn of(&self, connection: u64) -> FlowClass {
        let flow = (connection >> 16) as usize;
        let found = self.first.get(flow).or_else(|| self.more.get(flow.checked_sub(self.first.len())?));
        found.copied().unwrap_or_default()
    }
}
