//! Results of a run: a row a transfer, a row a link direction, and the recorded rows.

use acklab_table::Names;
use serde::Serialize;

pub use acklab_table::{FlowRow, LinkRow, PacketEvent, PacketRow, QueueRow, SenderState, SeriesRow};

/// Everything a run produced.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The scenario's title.
    pub title: String,
    /// The scenario's seed.
    pub seed: u64,
    /// Instant the run ended, in seconds.
    pub end_s: f64,
    /// One row a transfer, in the scenario's order.
    pub flows: Vec<FlowRow>,
    /// One row a link direction, in the scenario's order.
    pub links: Vec<LinkRow>,
    /// What the scenario expects, and what was found, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Sender state at each change, if recorded.
    #[serde(skip)]
    pub series: Vec<SeriesRow>,
    /// Queue length at each change, if recorded.
    #[serde(skip)]
    pub queue: Vec<QueueRow>,
    /// Packet events in the order they happened, if recorded.
    #[serde(skip)]
    pub packets: Vec<PacketRow>,
}

impl Outcome {
    /// The names that recorded rows refer to by index.
    pub fn names(&self) -> Names {
        Names {
            flows: self.flows.iter().map(|flow| flow.name.clone()).collect(),
            links: self.links.iter().map(link_name).collect(),
        }
    }
}

/// A link direction's name in tables: `G->R`.
pub fn link_name(link: &LinkRow) -> String {
    format!("{}->{}", link.from, link.to)
}

acklab_table::table! {
    /// An expectation of the scenario, and what was found.
    pub struct Check {
        /// The flow or the link direction, such as `flow f` and `link G->R`.
        pub subject: String,
        /// When it was read; missing: at the end of the run.
        pub at_s: Option<f64>,
        /// Name of the column.
        pub what: String,
        /// What was expected, such as `above 20`.
        pub expected: String,
        /// What was found.
        pub found: String,
        /// True if that is as expected.
        pub holds: bool,
    }
}
