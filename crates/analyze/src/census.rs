//! Counts of a file's packets.

use std::collections::BTreeMap;

use crate::tunnel::Tunnel;

/// What became of the packets of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Census {
    /// All of them, and their bytes before they were cut.
    pub packets: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// TCP segments that were analysed.
    pub tcp: u64,
    /// Neither IPv4 nor IPv6.
    pub not_ip: u64,
    /// IP, but not TCP.
    pub not_tcp: u64,
    /// Those of them that are UDP, and those of these that look like QUIC: port 443, and its fixed bit.
    pub udp: u64,
    /// The latter.
    pub quic: u64,
    /// Packets in tunnels, by the outermost; what is inside is counted as any other packet.
    pub tunnels: BTreeMap<Tunnel, u64>,
    /// Parts of fragmented packets, those of segments among them.
    pub fragments: u64,
    /// TCP segments put together from them, which count as `tcp`, `cut` or `malformed` besides.
    pub reassembled: u64,
    /// Fragmented segments that were left out because their parts overlap, or disagree about where the segment ends.
    pub overlapping: u64,
    /// Cut before the TCP header ends.
    pub cut: u64,
    /// With lengths that contradict each other.
    pub malformed: u64,
    /// TCP segments whose options were cut: timestamps, SACK blocks and what a SYN offers may be missing.
    pub options_cut: u64,
    /// Earlier than the packet before; they count as simultaneous with their connection's last, if they are earlier than that.
    pub backward: u64,
    /// By how many nanoseconds at most.
    pub backward_max_ns: u64,
    /// Nanoseconds of a tick of the capture's clock, where it is so coarse that it matters, from 1 ms on. Every step from time to
    /// time is a multiple of it. All that a u64 holds if all packets have one time.
    pub resolution_ns: Option<u64>,
    /// Times more than a second earlier than the one before: the clock was set, or another capture begins.
    pub clock_steps: u64,
    /// Packets whose time does not go with those before and after; they count as simultaneous with the one before.
    pub wild_times: u64,
    /// Link types that are not read, each once.
    pub unknown_links: Vec<u32>,
    /// Packets without a time, which are not read (pcapng's simple packet blocks).
    pub untimed: u64,
    /// TCP segments that were left out, of connections beyond the first [`crate::thresholds::MAX_CONNECTIONS`].
    pub unfollowed: u64,
    /// Segments and gaps that were forgotten before an ACK settled them, because too many were outstanding.
    pub forgotten: u64,
    /// Rows that the tables of ACKs and segments have no room for.
    pub rows_left_out: u64,
    /// The file ends within a packet, as when its writer was stopped.
    pub broken_off: bool,
    /// What is wrong with the file, where it could not be read on.
    pub damaged: Option<String>,
}
