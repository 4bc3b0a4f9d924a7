//! Results of a live run: tables with the simulator's columns, where they mean the same.

use acklab_sim::outcome::{LinkRow, QueueRow, link_name};
use acklab_table::{Cell, Column, Kind, Names, Row, Value, table};
use serde::Serialize;

use crate::ignored::Ignored;
use crate::lateness::Summary;
use crate::sample::{Sample, State};

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
    /// In what it differs from the scenario, in sentences.
    pub notes: Vec<String>,
    /// The rules that it did not follow, key by key.
    pub ignored: Vec<Ignored>,
    /// One row a flow, in the scenario's order.
    pub flows: Vec<FlowRow>,
    /// One row a link direction that packets crossed, as the simulator has them: first those from the senders, then those back.
    pub links: Vec<LinkRow>,
    /// The kernels' state every 5 ms.
    #[serde(skip)]
    pub series: Vec<Sample>,
    /// Queue lengths at each change.
    #[serde(skip)]
    pub queue: Vec<QueueRow>,
}

table! {
    /// A flow. A column without a sentence is the simulator's ([`acklab_table::FlowRow`]).
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
        pub segments_sent: u64,
        pub syns_sent: u64,
        pub retransmits: u64,
        /// Timeouts that the kernel counted; some kernels do not tell.
        pub timeouts: Option<u64>,
        /// Recoveries begun by duplicate ACKs or SACK; told of a run with one flow.
        pub fast_retransmits: Option<u64>,
        /// ACKs that entered the path, after the shaper.
        pub acks_sent: u64,
        pub acks_received: u64,
        pub acks_dropped: u64,
        pub acks_filtered: u64,
        pub acks_created: u64,
        pub cwnd_segments: Option<f64>,
        /// Slow-start threshold at the end; missing before the first reduction.
        pub ssthresh_segments: Option<f64>,
        /// Smoothed round-trip time, averaged over the samples. The simulator's `mean_rtt_s` averages single round trips.
        pub mean_srtt_s: Option<f64>,
        /// The kernel's least round-trip time.
        pub min_rtt_s: Option<f64>,
        /// The kernel's congestion control, or the scenario's own and its credit, such as `reno+ack-counting`.
        pub control: String,
        /// Largest payload of a segment.
        pub segment_bytes: u32,
        /// ACKs of new data that the real receiver offered to the shaper, if there is one.
        pub acks_offered: Option<u64>,
        /// Offered ACKs that the shaper left out because a newer one covers them.
        pub acks_thinned: Option<u64>,
        /// ACKs that the shaper sent under a number of its own.
        pub acks_made: Option<u64>,
    }
}

impl Row for Sample {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("time_s", "Instant.", Kind::Number, |row| Cell::Number(row.time_s)),
        Column::new("flow", "Name of the flow.", Kind::Flow, |row| Cell::Index(row.flow)),
        Column::new("cwnd_segments", "Congestion window.", Kind::Number, |row| Cell::Number(row.cwnd_segments)),
        Column::optional("ssthresh_segments", "Slow-start threshold.", Kind::Number, |row| {
            Cell::maybe(row.ssthresh_segments, Cell::Number)
        }),
        Column::new("flight_segments", "The kernel's count of segments in flight.", Kind::Number, |row| {
            Cell::Number(row.flight_segments)
        }),
        Column::optional("srtt_s", "Smoothed round-trip time.", Kind::Number, |row| {
            Cell::maybe(row.srtt_s, Cell::Number)
        }),
        Column::new("rto_s", "Retransmission timeout.", Kind::Number, |row| Cell::Number(row.rto_s)),
        Column::new("retransmits", "Segments sent again so far.", Kind::Count, |row| Cell::Count(row.retransmits)),
        Column::new("delivered_segments", "Segments known to have arrived.", Kind::Count, |row| {
            Cell::Count(row.delivered_segments)
        }),
        Column::new("state", "`slow-start`, `congestion-avoidance`, `recovery` or `loss`.", State::KIND, |row| {
            row.state.cell()
        }),
    ];
}

impl Outcome {
    /// The names that rows refer to by index.
    pub fn names(&self) -> Names {
        Names {
            flows: self.flows.iter().map(|flow| flow.name.clone()).collect(),
            links: self.links.iter().map(link_name).collect(),
        }
    }

    /// The summary as one line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_without_a_sentence_is_the_simulators() {
        let known = |name| acklab_table::FlowRow::COLUMNS.iter().any(|column| column.name == name);
        let silent = FlowRow::COLUMNS.iter().filter(|column| column.about.is_empty());
        assert_eq!(silent.filter(|column| !known(column.name)).map(|column| column.name).next(), None);
    }
}
