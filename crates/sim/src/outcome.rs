//! What a run tells: a row a flow, a row a link direction, and what was recorded.

use serde::Serialize;

use crate::json;

/// A summary's row. Its JSON object has the fields in order, under their names.
macro_rules! row {
    ($(#[$meta:meta])* pub struct $row:ident { $($(#[$about:meta])* pub $name:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        #[allow(missing_docs)]
        pub struct $row { $($(#[$about])* pub $name: $type,)+ }

        impl json::Value for $row {
            fn write(&self, out: &mut Vec<u8>) {
                json::object!(out, { $($name: self.$name,)+ });
            }
        }
    };
}

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

impl json::Value for Outcome {
    /// The summary; what was recorded is left out, as serde leaves it out.
    fn write(&self, out: &mut Vec<u8>) {
        json::object!(out, {
            title: self.title,
            seed: self.seed,
            end_s: self.end_s,
            flows: self.flows,
            links: self.links,
        });
    }
}

row! {
    /// One transfer's summary. Instants are absolute, in seconds.
    pub struct FlowRow {
        pub name: String,
        pub from: String,
        pub to: String,
        pub completed: bool,
        /// Scheduled start.
        pub start_s: f64,
        /// First data segment (not SYN) sent.
        pub first_data_s: Option<f64>,
        /// The ACK of the last byte reached the sender.
        pub finished_s: Option<f64>,
        /// `finished_s - first_data_s`.
        pub completion_s: Option<f64>,
        /// From `first_data_s` to the last in-order byte reaching the receiver (of what it received so far).
        pub last_data_s: Option<f64>,
        /// Payload bytes acknowledged.
        pub bytes: u64,
        /// Payload bits acknowledged per second, over the transfer or up to the run's end.
        pub goodput_bps: f64,
        /// Data segments sent, SYN, FIN and retransmits included.
        pub segments_sent: u64,
        pub syns_sent: u64,
        pub retransmits: u64,
        pub timeouts: u64,
        pub fast_retransmits: u64,
        /// Reductions of cwnd, those of an idle restart included.
        pub window_cuts: u64,
        /// Those taken back because nothing had been lost: found out by timestamps, DSACKs or F-RTO (rules `undo` and `frto`).
        pub undone: u64,
        pub acks_sent: u64,
        pub acks_received: u64,
        /// ACKs lost in queues and loss models.
        pub acks_dropped: u64,
        /// ACKs removed by filters.
        pub acks_filtered: u64,
        /// ACKs made by stages.
        pub acks_created: u64,
        /// Cumulatively acknowledged segments, SYN and FIN included.
        pub segments_acked: u64,
        /// cwnd at the end.
        pub cwnd_segments: f64,
        /// ssthresh at the end.
        pub ssthresh_segments: f64,
        pub mean_rtt_s: Option<f64>,
        pub min_rtt_s: Option<f64>,
        /// Payload bytes in one sequence unit of `packets` rows: 1, or the segment size.
        pub unit_bytes: u32,
    }
}

row! {
    /// One link direction's summary.
    pub struct LinkRow {
        pub from: String,
        pub to: String,
        pub rate_bps: f64,
        pub delay_s: f64,
        /// Packets transmitted.
        pub packets: u64,
        /// Bytes transmitted.
        pub bytes: u64,
        /// Packets the queue dropped.
        pub drops: u64,
        /// Packets the loss model took.
        pub lost: u64,
        /// ACKs a filter removed.
        pub filtered: u64,
        /// Packets that left its stages after one that had come to them later (RFC 4737).
        pub reordered: u64,
        /// Packets of which its stages made a second.
        pub duplicated: u64,
        /// Waiting packets, averaged over time from 0 to the end; the one in service is not counted.
        pub mean_queue_packets: f64,
        pub max_queue_packets: u64,
        /// Share of the run during which the transmitter was busy; on a shared medium `airtime_s` by the run's length.
        pub utilisation: f64,
        /// Exchanges begun on a shared medium (an aggregate is one); 0 on wires, like all that follow.
        pub attempts: u64,
        /// Those that collided.
        pub collisions: u64,
        /// Those begun because an earlier one had failed.
        pub retries: u64,
        /// Packets given up after their last attempt.
        pub retry_drops: u64,
        /// Time on the air of its frames and of the answers to them.
        pub airtime_s: f64,
    }
}

/// A sender's state right after it changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct SeriesRow {
    pub time_s: f64,
    /// Index into [`Outcome::flows`].
    pub flow: u32,
    pub cwnd_segments: f64,
    pub ssthresh_segments: f64,
    pub flight_segments: f64,
    /// The sample that came with this change, NaN without one.
    pub rtt_s: f64,
    pub rto_s: f64,
    /// What the receiver takes cwnd to be; NaN where it has no idea.
    pub cwnd_estimate_segments: f64,
    /// Segments of the flow that its congestion control believes to wait in the network, where it estimates that.
    pub backlog_segments: Option<f64>,
    /// Round-trip time without them, as far as it is known.
    pub base_rtt_s: Option<f64>,
    pub state: SenderState,
}

/// Which rule governs the sender's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SenderState {
    SlowStart,
    CongestionAvoidance,
    Recovery,
}

/// A queue's length right after it changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct QueueRow {
    pub time_s: f64,
    /// Index into [`Outcome::links`].
    pub link: u32,
    pub queue_packets: u32,
    pub queue_bytes: u64,
}

/// Something that happened to a packet on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct PacketRow {
    pub time_s: f64,
    /// Index into [`Outcome::links`].
    pub link: u32,
    /// Index into [`Outcome::flows`].
    pub transfer: u32,
    pub event: PacketEvent,
    pub packet: acklab_packet::Packet,
}

/// What can happen to a packet on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketEvent {
    /// Offered to the link (before its loss model and queue).
    Enqueue,
    /// Taken by the transmitter.
    Dequeue,
    /// Arrived at the far end.
    Deliver,
    /// Dropped by the queue.
    Drop,
    /// Taken by the loss model.
    Lose,
    /// Removed by an ACK filter.
    Filter,
}
