//! Virtual time: the event queue, the network, traffic and measurement.
//!
//! `acklab_scenario` reads an experiment, [`Simulation`] runs it, [`outcome`] has its results.

pub mod datagrams;
mod error;
mod event;
mod flow;
mod hop;
mod json;
mod lane;
mod left;
mod medium;
mod merged;
mod network;
pub mod outcome;
mod pending;
mod record;
mod route;
mod simulation;
pub mod source;
mod stages;
mod summary;
mod tcplib;
mod timer;
mod tournament;
mod workload;

pub use error::CannotGoOn;
pub use json::json;
pub use left::Left;
pub use outcome::Outcome;
pub use route::route;
pub use simulation::{NotABranch, Opened, Simulation};
pub use summary::{Counted, link_row};
