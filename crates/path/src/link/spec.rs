//! A link direction as a scenario describes it.

use acklab_packet::{Rate, Time};

use crate::loss::LossSpec;
use crate::queue::QueueSpec;
use crate::server::VaryingRate;
use crate::stage::StageSpec;

/// One direction of a link, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Index of the node it leaves.
    pub from: u32,
    /// Index of the node it reaches.
    pub to: u32,
    /// Serialisation rate; where it varies, [`ServerParams::rate`](crate::server::ServerParams::rate).
    pub rate: Rate,
    /// How the rate varies, if it does.
    pub varying: Option<VaryingRate>,
    /// Propagation delay.
    pub delay: Time,
    /// Queue before the transmitter.
    pub queue: QueueSpec,
    /// Loss model, if any.
    pub loss: Option<LossSpec>,
    /// How often a packet passes all of this before it moves on, at least 1.
    pub crossings: u16,
    /// Stages at its far end, in the order in which packets pass them, and what encloses its wire.
    pub stages: Vec<StageSpec>,
}

impl LinkSpec {
    /// The rate by which a buffer written as a time is counted ([`of_buffers`](crate::server::ServerParams::of_buffers)).
    pub fn of_buffers(&self) -> Rate {
        self.varying.as_ref().map_or(self.rate, |varying| varying.of_buffers())
    }
}
