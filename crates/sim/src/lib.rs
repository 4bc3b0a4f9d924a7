//! Virtual time: the event queue, the network, traffic, measurement, and the scenario that describes them.

pub mod outcome;
pub mod spec;
