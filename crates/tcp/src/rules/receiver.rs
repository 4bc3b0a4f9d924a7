//! The receiver's rule table.

use super::{AckPolicyKind, EstimateKind, rule_table};

rule_table! {
    /// Everything in which receivers differ. Sizes in bytes.
    ReceiverRules, ReceiverPatch {
        /// When arriving segments are acknowledged.
        ack: AckPolicyKind,
        /// Whether the sender's window is estimated for the `series` records, where the policy does not do it.
        estimate: EstimateKind,
        /// The window with which that estimate begins, in segments.
        estimate_initial: u32 [1..=1_000_000],
        /// Bytes of an ACK without SACK blocks.
        ack_size: u32 [1..=1_000_000],
        /// Whether ACKs carry SACK blocks; where a scenario leaves it out, whether the sender's recovery reads them.
        sack: bool,
        /// Bytes each SACK block adds.
        sack_block_bytes: u32 [0..=1_000_000],
        /// Most SACK blocks on one ACK, 0 to 3.
        max_sack_blocks: u32 [0..=3],
        /// Whether blocks that the cumulative ACK has passed are forgotten (RFC 2018); ns-2 may repeat them.
        purge_stale_sack: bool,
        /// Whether the ACK of a segment with nothing new reports it in its first block (DSACK, RFC 2883); where a scenario
        /// leaves it out, whether the sender's recovery reads that.
        dsack: bool,
        /// Whether segments bear packet numbers, which none repeats, and policy `quic` goes by them; where a scenario leaves it
        /// out, whether the policy is `quic` and the sender's recovery `rfc9002`.
        packet_numbers: bool,
        /// Whether each ACK echoes the marks of what it covers, and a change is told at once (RFC 8257 section 3.2), instead of one
        /// mark on every ACK until its sender has answered (RFC 3168 section 6.1.3); where a scenario leaves it out, whether the
        /// sender's control is `dctcp`.
        echo_each_mark: bool,
        /// Whether a segment that fills a gap is acknowledged at once (RFC 5681 section 4.2).
        immediate_on_gap: bool,
        /// Whether a segment with nothing new is acknowledged at once (RFC 9293 section 3.10.7.4); ns-2 may hold its ACK.
        immediate_on_repeat: bool,
        /// Whether the SYN, or unit 0 without one, is acknowledged at once.
        immediate_on_syn: bool,
    }
}
