//! The receiver's rule table.

use super::{AccEcnOption, AckPolicyKind, ChangeAcks, EstimateKind, Feedback, SynAnswer, rule_table};

rule_table! {
    /// Everything in which receivers differ. Sizes in bytes.
    ReceiverRules, ReceiverPatch {
        /// When arriving segments are acknowledged.
        #[neutral(value = "every")]
        ack: AckPolicyKind,
        /// An estimate of the sender's window for the `series` records, where the policy makes none.
        estimate: EstimateKind,
        /// Size of an ACK without SACK blocks.
        ack_size: u32 [1..=1_000_000],
        /// Whether ACKs carry SACK blocks. If left out, true where the sender's recovery reads them.
        sack: bool,
        /// Size that each SACK block adds.
        sack_block_bytes: u32 [0..=1_000_000],
        /// Size that the SACK option adds besides its blocks. Linux aligns it with two bytes before its kind and length
        /// (`tcp_established_options`), which makes 4.
        sack_head_bytes: u32 [0..=1_000_000],
        /// Size that the answer to a SYN has beyond `ack_size`. Linux's has 8 bytes: segment size, SACK, scale of windows
        /// (`tcp_synack_options`).
        syn_options_bytes: u32 [0..=1_000_000],
        /// Whether the receiver sends its answer to a SYN again. The default is `once` if the sender has no `handshake_ack`.
        syn_answer: SynAnswer,
        /// Most SACK blocks on one ACK, 0 to 3.
        max_sack_blocks: u32 [0..=3],
        /// Whether blocks below the cumulative ACK are dropped (RFC 2018). ns-2 may repeat them.
        purge_stale_sack: bool,
        /// Whether segments beyond a gap are kept. If not, they are discarded without an ACK (RFC 2525 section 2.5).
        retain: bool,
        /// Whether the ACK of a segment without new data reports it in its first block (DSACK, RFC 2883). If left out, true where
        /// the sender's recovery reads it.
        dsack: bool,
        /// Whether each ACK echoes the marks of what it covers, and a change is echoed at once (RFC 8257 section 3.2). Otherwise every
        /// ACK after a mark echoes it until the sender responds (RFC 3168 section 6.1.3). If left out, true where the sender's control
        /// is `dctcp` or `prague`.
        echo_each_mark: bool,
        /// How the receiver tells the sender of congestion marks. The default for a sender with `ecn` is `counts` if it numbers its
        /// packets, and `accurate` if it has `accurate_ecn`.
        feedback: Feedback,
        /// Which ACKs carry an AccECN option, with accurate ECN.
        accecn_option: AccEcnOption,
        /// Which changes are acknowledged at once, with accurate ECN.
        change_acks: ChangeAcks,
        /// With accurate ECN, an ACK leaves at once when so many packets have come marked since the last one; 0 is no such number.
        marked_acks: u32 [0..=7],
        /// An attack: share of the marks that it tells, with accurate ECN or QUIC's counts. It reports the others as unmarked. 1 is honest.
        #[neutral(value = 1.0)]
        marks_told: f64 [0.0..=1.0],
        /// An attack, with `dsack`: after the ACK of a segment that fills a gap, a further one reports it as a duplicate. A sender that undoes
        /// by DSACK then takes its reduction for spurious.
        #[neutral(value = false)]
        false_dsacks: bool,
        /// Whether old segments with new data are discarded and answered (PAWS, RFC 7323 section 5, as in Linux). A segment is old
        /// if its timestamp is more than a millisecond older than that of the last one in order. If left out, false where the
        /// sender has no `timestamps`.
        paws: bool,
        /// Whether a segment that fills a gap is acknowledged at once (RFC 5681 section 4.2).
        immediate_on_gap: bool,
        /// Whether a segment without new data is acknowledged at once (RFC 9293 section 3.10.7.4). ns-2 may delay that ACK.
        immediate_on_repeat: bool,
        /// Whether the first segment is acknowledged at once: the SYN, or unit 0 without one.
        immediate_on_syn: bool,
    }
}
