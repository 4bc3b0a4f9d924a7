//! The summary of a run: a row a transfer, a row a link direction.
//!
//! Everything else that acklab says of a column follows from its line here. The line of a number has, behind its type, the
//! aggregate of its rows, and which values are better and why; then its heading, if a summary on a terminal shows it: the heading's unit
//! is the one shown. `later` says that a missing value has not happened yet, `if_any` that a summary shows the column where a value is
//! not 0.

use crate::table;

const CARRIED: &str = "grows with what is carried";
const GIVEN: &str = "follows from the scenario alone";
const MEANS: &str = "a means, no result";
const REACTION: &str = "a reaction; its effect is in the other metrics";
const WAIT: &str = "what waits arrives later";
const ENDS: &str = "a transfer ends earlier";
const DELIVERED: &str = "more is delivered";

table! {
    /// Summary of one transfer. Instants are absolute, in seconds.
    pub struct FlowRow {
        /// Name of the flow.
        pub name: String,
        /// Node of the sender.
        pub from: String,
        /// Node of the receiver.
        pub to: String,
        /// Everything was acknowledged before the run ended.
        pub completed: bool = Mean, More("more transfers are done"), "done",
        /// Scheduled start; missing if the transfer that it follows has not ended.
        pub start_s: Option<f64> = Mean, Neither(GIVEN), "start s", later,
        /// Departure of the first data segment (not the SYN).
        pub first_data_s: Option<f64> = Mean, Neither("has the start's own time in it"), later,
        /// Arrival of the last byte's ACK at the sender.
        pub finished_s: Option<f64> = Mean, Less(ENDS), later,
        /// `finished_s` − `first_data_s`.
        pub completion_s: Option<f64> = Mean, Less(ENDS), "time s", later,
        /// From `first_data_s` to the arrival of the last in-order byte so far.
        pub last_data_s: Option<f64> = Mean, Neither("long for an endless transfer, short for one that stalls"), later,
        /// Payload bytes acknowledged; of a UDP source, the bytes that arrived.
        pub bytes: u64 = Sum, More(DELIVERED),
        /// Payload bits acknowledged per second, over the transfer, or up to the run's end.
        pub goodput_bps: f64 = Mean, More("more data in the same time"), "Mb/s",
        /// Segments sent: data, SYN, FIN, retransmissions; or datagrams.
        pub segments_sent: u64 = Sum, Neither(CARRIED), "sent",
        /// SYNs among the segments sent.
        pub syns_sent: u64 = Sum, Neither(CARRIED),
        /// Segments sent again, SYNs included.
        pub retransmits: u64 = Sum, Neither(CARRIED), "retx",
        /// Expiries of the retransmission timer with something outstanding.
        pub timeouts: u64 = Sum, Less("each holds its transfer up for a retransmission timeout"), "RTOs",
        /// Recoveries begun by duplicate ACKs or SACK.
        pub fast_retransmits: u64 = Sum, Neither(CARRIED), "fast",
        /// Episodes of loss recovery. One begins with a fast retransmit or a timeout while none is on. It ends when all that was
        /// outstanding at its last reduction is acknowledged, or when the reduction is undone.
        pub recoveries: u64 = Sum, Neither(CARRIED),
        /// Time in these episodes, summed; one that is not over counts up to the run's end.
        pub repair_s: f64 = Mean, Neither(CARRIED),
        /// Longest time in which something was outstanding and nothing new was acknowledged, up to the run's end.
        pub max_stall_s: Option<f64> = Max, Less("nothing gets through meanwhile"),
        /// Reductions of cwnd, idle restarts included.
        pub window_cuts: u64 = Sum, Neither(REACTION),
        /// Reductions undone because nothing had been lost ([`undo`, `frto`](../howto/recovery.md)).
        pub undone: u64 = Sum, Neither(REACTION), "undone", if_any,
        /// ACKs that covered what was never sent or not yet sent (`skip`, `unsent_ack`), and tests that found hidden marks (`test_marks`).
        pub false_acks: u64 = Sum, Neither("what a sender found of its receiver, not a result"),
        /// Packets that came to the receiver with a congestion mark; only with [accurate ECN or QUIC's counts](../howto/marks.md).
        pub marks_received: u64 = Sum, Neither(CARRIED),
        /// Those of them of which the sender knows, by the counts in the ACKs.
        pub marks_counted: u64 = Sum, Neither(CARRIED),
        /// Share of marked segments by which the congestion control goes at the end (DCTCP's and Prague's alpha), 0 to 1.
        pub marked_share: Option<f64> = Mean, Neither("an input of the control, not a result"),
        /// ACKs that the receiver sent.
        pub acks_sent: u64 = Sum, Neither(CARRIED), "ACKs",
        /// ACKs that reached the sender.
        pub acks_received: u64 = Sum, Neither(CARRIED),
        /// ACKs that queues dropped or loss models took.
        pub acks_dropped: u64 = Sum, Neither(CARRIED), "lost ACKs",
        /// ACKs that a queue's filter or a stage removed.
        pub acks_filtered: u64 = Sum, Neither(CARRIED),
        /// ACKs that stages on the way made.
        pub acks_created: u64 = Sum, Neither(CARRIED),
        /// Segments cumulatively acknowledged, SYN and FIN included.
        pub segments_acked: u64 = Sum, More(DELIVERED),
        /// Congestion window at the end.
        pub cwnd_segments: f64 = Mean, Neither(MEANS),
        /// Slow-start threshold at the end.
        pub ssthresh_segments: f64 = Mean, Neither(MEANS),
        /// Mean of the round-trip samples.
        pub mean_rtt_s: Option<f64> = Mean, Less(WAIT), "RTT ms",
        /// Least of the round-trip samples.
        pub min_rtt_s: Option<f64> = Min, Less(WAIT),
        /// Payload bytes in one sequence unit of the `packets` table: 1, or the segment size where segments are counted.
        pub unit_bytes: u32 = Mean, Neither(GIVEN),
    }
}

table! {
    /// Summary of one link direction.
    #[derive(serde::Deserialize)]
    pub struct LinkRow {
        /// Node at its near end.
        pub from: String,
        /// Node at its far end.
        pub to: String,
        /// Rate. Where it varies: the largest of a table, the peak of a token bucket, the mean of a Mahimahi trace, and the rate of an
        /// uplink that sends by grants.
        pub rate_bps: f64 = Mean, Neither(GIVEN), "Mb/s",
        /// Propagation delay.
        pub delay_s: f64 = Mean, Neither(GIVEN), "delay ms",
        /// Packets transmitted.
        pub packets: u64 = Sum, Neither(CARRIED), "packets",
        /// Bytes transmitted.
        pub bytes: u64 = Sum, Neither(CARRIED),
        /// ACKs among `packets`: TCP segments without data, SYN+ACKs included; not a SYN, a FIN or a keep-alive.
        pub ack_packets: u64 = Sum, Neither(CARRIED),
        /// Bytes of `ack_packets`, headers included, as they were on the wire.
        pub ack_bytes: u64 = Sum, Neither(CARRIED),
        /// Packets that the queue dropped.
        pub drops: u64 = Sum, Neither(CARRIED), "drops",
        /// Packets that the loss model took.
        pub lost: u64 = Sum, Neither(CARRIED), "lost",
        /// ACKs that its queue's filter removed.
        pub filtered: u64 = Sum, Neither(CARRIED), "filtered",
        /// Packets that left its stages after a packet that had arrived there later (RFC 4737).
        pub reordered: u64 = Sum, Neither(CARRIED), "reordered", if_any,
        /// Packets that its stages copied.
        pub duplicated: u64 = Sum, Neither(CARRIED), "duplicated", if_any,
        /// ACKs that its stages removed.
        pub thinned: u64 = Sum, Neither(CARRIED), "thinned", if_any,
        /// Packets that wait, averaged over time from 0 to the run's end; the one in service is not counted.
        pub mean_queue_packets: f64 = Mean, Less(WAIT), "mean queue",
        /// Largest number of packets that wait.
        pub max_queue_packets: u64 = Max, Less(WAIT), "max queue",
        /// Time for which the transmitted packets had waited, summed; on a wlan until they entered service.
        pub sent_wait_s: f64 = Sum, Neither(CARRIED),
        /// The same of packets that the queue or its filter removed.
        pub removed_wait_s: f64 = Sum, Neither(CARRIED),
        /// Share of the run during which the transmitter was busy; on a wlan `airtime_s` divided by the run's length.
        pub utilisation: f64 = Mean, Neither("a link may be busy with data or with overhead"), "busy %",
        /// Exchanges begun on a shared medium (an aggregate is one); 0 on wires, like all columns below.
        pub attempts: u64 = Sum, Neither(CARRIED),
        /// Exchanges that collided.
        pub collisions: u64 = Sum, Neither(CARRIED),
        /// Exchanges that repeated a failed one.
        pub retries: u64 = Sum, Neither(CARRIED),
        /// Packets given up after their last attempt.
        pub retry_drops: u64 = Sum, Neither(CARRIED),
        /// Air time of its frames and of the answers to them.
        pub airtime_s: f64 = Sum, Neither(CARRIED),
    }
}
