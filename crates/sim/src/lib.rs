//! Virtual time: the event queue, the network, traffic, measurement, and the scenario that describes them.
//!
//! [`scenario`] reads an experiment, [`Simulation`] runs it, [`outcome`] is what it tells.

mod booking;
pub mod datagrams;
mod event;
mod flow;
pub mod json;
mod lane;
mod link;
mod medium;
mod network;
pub mod outcome;
mod pending;
mod record;
mod route;
pub mod scenario;
mod simulation;
pub mod source;
pub mod spec;
mod stages;
mod summary;
mod tcplib;
mod timer;
mod tournament;
mod transmitter;
mod watch;
mod workload;

pub use outcome::Outcome;
pub use route::route;
pub use simulation::{NotABranch, Simulation};
pub use watch::CannotGoOn;
