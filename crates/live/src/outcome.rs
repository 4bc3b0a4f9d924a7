//! What a live run told: rows with the names of the simulator's tables, where they mean the same.

use acklab_sim::outcome::LinkRow;
use serde::Serialize;

use crate::edge::EdgeCounts;
use crate::lateness::Summary;
use crate::link::QueueLength;
use crate::sample::Sample;

/// Everything a run produced.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The scenario's title.
    pub title: String,
    /// The scenario's seed.
    pub seed: u64,
    /// How long the run took, in seconds.
    pub end_s: f64,
    /// Whether the numbers mean what they say.
    pub valid: bool,
    /// Why not, and what else is to be known.
    pub why: Vec<String>,
    /// How late packets left.
    pub lateness: Summary,
    /// The kernel's release.
    pub kernel: String,
    /// In what it differs from the scenario.
    pub notes: Vec<String>,
    /// One row a flow, in the scenario's order.
    pub flows: Vec<FlowRow>,
    /// One row a link direction that packets crossed, as the simulator has them: first those from the senders, then those back.
    pub links: Vec<LinkRow>,
    /// The kernels' state every 5 ms.
    #[serde(skip)]
    pub series: Vec<Sample>,
    /// Queue lengths at each change, with an index into `links`.
    #[serde(skip)]
    pub queue: Vec<(u32, QueueLength)>,
}

/// A flow. Instants are absolute, in seconds; what is not the simulator's says so.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct FlowRow {
    pub name: String,
    pub from: String,
    pub to: String,
    pub completed: bool,
    pub start_s: f64,
    pub first_data_s: Option<f64>,
    pub finished_s: Option<f64>,
    pub completion_s: Option<f64>,
    pub last_data_s: Option<f64>,
    /// Payload bytes acknowledged to the sender.
    pub bytes: u64,
    pub goodput_bps: f64,
    /// Data segments, SYN, FIN and retransmits included, as they left the sender.
    pub segments_sent: u64,
    pub syns_sent: u64,
    pub retransmits: u64,
    /// As the kernel counts; some do not tell.
    pub timeouts: Option<u64>,
    /// ACKs that entered the path, after the shaper.
    pub acks_sent: u64,
    pub acks_received: u64,
    pub acks_dropped: u64,
    pub acks_filtered: u64,
    pub acks_created: u64,
    pub cwnd_segments: Option<f64>,
    /// None while slow start has no end yet.
    pub ssthresh_segments: Option<f64>,
    /// The smoothed round trip, averaged over the samples. The simulator's `mean_rtt_s` averages single round trips.
    pub mean_srtt_s: Option<f64>,
    pub min_rtt_s: Option<f64>,
    /// Live only: the kernel's congestion control, or the scenario's own and its credit, such as `reno+ack-counting`.
    pub control: String,
    /// Live only: the most payload of a segment.
    pub segment_bytes: u32,
    /// Live only: what the shaper did, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shaper: Option<EdgeCounts>,
}

impl Outcome {
    /// The summary as one line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
