//! Captures to analyse, and their analysis; no test program takes all of it.
#![allow(dead_code)]

#[path = "../../../tap/tests/common/mod.rs"]
mod simulated;
pub mod talk;

use acklab_analyze::{Analysis, ConnectionRow};

pub use simulated::*;

/// An analysis of `frames`, with a row for each packet.
pub fn analysed(link_type: u32, frames: &[Frame]) -> Analysis {
    let mut analysis = Analysis::with_packets();
    for (time_ns, length, data) in frames {
        analysis.on_packet(link_type, data, *length, *time_ns);
    }
    analysis
}

/// What it says of IP packets' connections.
pub fn rows(frames: &[Frame]) -> Vec<ConnectionRow> {
    analysed(101, frames).connections()
}
