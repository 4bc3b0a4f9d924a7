//! Results of a run: a row a transfer, a row a link direction, and the recorded rows.

use acklab_table::Names;
use serde::Serialize;

pub use crate::rows::{PacketEvent, PacketRow, QueueRow, SenderState, SeriesRow};

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

acklab_table::table! {
    /// Summary of one transfer. Instants are absolute, in seconds.
    pub struct FlowRow {
        /// Name of the flow.
        pub name: String,
        /// Node of the sender.
        pub from: String,
        /// Node of the receiver.
        pub to: String,
        /// Everything was acknowledged before the run ended.
        pub completed: bool,
        /// Scheduled start; missing if the transfer that it follows has not ended.
        pub start_s: Option<f64>,
        /// Departure of the first data segment (not the SYN).
        pub first_data_s: Option<f64>,
        /// Arrival of the last byte's ACK at the sender.
        pub finished_s: Option<f64>,
        /// `finished_s` − `first_data_s`.
        pub completion_s: Option<f64>,
        /// From `first_data_s` to the arrival of the last in-order byte so far.
        pub last_data_s: Option<f64>,
        /// Payload bytes acknowledged; of a UDP source, the bytes that arrived.
        pub bytes: u64,
        /// Payload bits acknowledged per second, over the transfer, or up to the run's end.
        pub goodput_bps: f64,
        /// Segments sent: data, SYN, FIN, retransmissions; or datagrams.
        pub segments_sent: u64,
        /// SYNs among the segments sent.
        pub syns_sent: u64,
        /// Segments sent again, SYNs included.
        pub retransmits: u64,
        /// Expiries of the retransmission timer with something outstanding.
        pub timeouts: u64,
        /// Recoveries begun by duplicate ACKs or SACK.
        pub fast_retransmits: u64,
        /// Episodes of loss recovery. One begins with a fast retransmit or a timeout while none is on. It ends when all that was
        /// outstanding at its last reduction is acknowledged, or when the reduction is undone.
        pub recoveries: u64,
        /// Time in these episodes, summed; one that is not over counts up to the run's end.
        pub repair_s: f64,
        /// Reductions of cwnd, idle restarts included.
        pub window_cuts: u64,
        /// Reductions undone because nothing had been lost ([`undo`, `frto`](../howto/recovery.md)).
        pub undone: u64,
        /// ACKs that covered what was never sent or not yet sent (`skip`, `unsent_ack`), and tests that found hidden marks (`test_marks`).
        pub false_acks: u64,
        /// Packets that came to the receiver with a congestion mark; only with [accurate ECN or QUIC's counts](../howto/marks.md).
        pub marks_received: u64,
        /// Those of them of which the sender knows, by the counts in the ACKs.
        pub marks_counted: u64,
        /// Share of marked segments by which the congestion control goes at the end (DCTCP's and Prague's alpha), 0 to 1.
        pub marked_share: Option<f64>,
        /// ACKs that the receiver sent.
        pub acks_sent: u64,
        /// ACKs that reached the sender.
        pub acks_received: u64,
        /// ACKs that queues dropped or loss models took.
        pub acks_dropped: u64,
        /// ACKs that a queue's filter or a stage removed.
        pub acks_filtered: u64,
        /// ACKs that stages on the way made.
        pub acks_created: u64,
        /// Segments cumulatively acknowledged, SYN and FIN included.
        pub segments_acked: u64,
        /// Congestion window at the end.
        pub cwnd_segments: f64,
        /// Slow-start threshold at the end.
        pub ssthresh_segments: f64,
        /// Mean of the round-trip samples.
        pub mean_rtt_s: Option<f64>,
        /// Least of the round-trip samples.
        pub min_rtt_s: Option<f64>,
        /// Payload bytes in one sequence unit of the `packets` table: 1, or the segment size where segments are counted.
        pub unit_bytes: u32,
    }
}

acklab_table::table! {
    /// Summary of one link direction.
    pub struct LinkRow {
        /// Node at its near end.
        pub from: String,
        /// Node at its far end.
        pub to: String,
        /// Rate. Where it varies: the largest of a table, the peak of a token bucket, the mean of a Mahimahi trace, and the rate of an
        /// uplink that sends by grants.
        pub rate_bps: f64,
        /// Propagation delay.
        pub delay_s: f64,
        /// Packets transmitted.
        pub packets: u64,
        /// Bytes transmitted.
        pub bytes: u64,
        /// ACKs among `packets`: TCP segments without data, SYN+ACKs included; not a SYN, a FIN or a keep-alive.
        pub ack_packets: u64,
        /// Bytes of `ack_packets`, headers included, as they were on the wire.
        pub ack_bytes: u64,
        /// Packets that the queue dropped.
        pub drops: u64,
        /// Packets that the loss model took.
        pub lost: u64,
        /// ACKs that its queue's filter removed.
        pub filtered: u64,
        /// Packets that left its stages after a packet that had arrived there later (RFC 4737).
        pub reordered: u64,
        /// Packets that its stages copied.
        pub duplicated: u64,
        /// ACKs that its stages removed.
        pub thinned: u64,
        /// Packets that wait, averaged over time from 0 to the run's end; the one in service is not counted.
        pub mean_queue_packets: f64,
        /// Largest number of packets that wait.
        pub max_queue_packets: u64,
        /// Time for which the transmitted packets had waited, summed; on a wlan until they entered service.
        pub sent_wait_s: f64,
        /// The same of packets that the queue or its filter removed.
        pub removed_wait_s: f64,
        /// Share of the run during which the transmitter was busy; on a wlan `airtime_s` divided by the run's length.
        pub utilisation: f64,
        /// Exchanges begun on a shared medium (an aggregate is one); 0 on wires, like all columns below.
        pub attempts: u64,
        /// Exchanges that collided.
        pub collisions: u64,
        /// Exchanges that repeated a failed one.
        pub retries: u64,
        /// Packets given up after their last attempt.
        pub retry_drops: u64,
        /// Air time of its frames and of the answers to them.
        pub airtime_s: f64,
    }
}
