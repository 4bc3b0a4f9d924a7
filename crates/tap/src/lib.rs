//! Captures of simulated runs: what `tcpdump` at a node's interface would have written.
//!
//! [`Capture`] turns the packet records of an [`acklab_sim::Outcome`] into pcap or pcapng, for any link's either end
//! ([`LinkEnd`]); [`acklab_capture::Reader`] reads both.
//!
//! ```
//! use acklab_capture::Reader;
//! use acklab_tap::{Capture, Format, LinkEnd};
//!
//! let text = r#"
//!     link = [{ between = ["S", "R"], rate = "1Mbps", delay = "10ms" }]
//!     flow = [{ from = "S", to = "R", size = { segments = 3 } }]
//!     record = { packets = true }
//! "#;
//! let scenario = acklab_scenario::parse_toml(text, "example.toml")?;
//! let outcome = acklab_sim::Simulation::new(scenario.clone().into()).run();
//!
//! let capture = Capture::new(&scenario, &outcome)?.format(Format::PcapNg);
//! let mut file = Vec::new();
//! let end = LinkEnd::find(&outcome, "S->R@S")?;
//! let told = capture.write(end, &mut file)?;
//!
//! let mut reader = Reader::new(&file[..])?;
//! let syn = reader.next()?.expect("a first packet");
//! assert_eq!(syn.data.len(), 20 + 40); // IPv4, TCP with the options of a SYN
//! let mut packets = 1;
//! while reader.next()?.is_some() {
//!     packets += 1;
//! }
//! assert_eq!(told.packets, packets);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From simulated to real packets
//!
//! What is seen and when:
//! * A packet leaves an interface at its `dequeue`, when the transmitter takes it (where Linux shows it to `tcpdump`:
//!   after the queue), and enters one at its `deliver`. One that the link loses later was still seen leaving.
//! * Simulated time t stands as [`EPOCH_S`] + t seconds, to the nearest nanosecond: tools take an instant 0 for unset.
//! * Files are raw IPv4 (`LINKTYPE_RAW`, 101): the simulator has no link layer.
//!
//! What a packet looks like:
//! * **Addresses and ports.** Node number n (from 0, in the order the scenario first names them) is 10.0.0.0 + n + 1.
//!   Every connection has its own pair of ports, among numbers for which no protocol is registered, so that no
//!   dissector takes the payload for its own. Flow k sends from port 35000 + k to port 40000 (with 5000 connections or
//!   more, to 40001, and so on). The second transfer of a repeating flow counts as flow k + number of flows, ….
//! * **Sequence numbers.** A SYN has number 0 in both directions, so data begin at 1. A stack that opens without a SYN
//!   (`ns2-1998`) begins at 1 too, as if the capture had missed the handshake. A stack that counts segments moves
//!   `packet` bytes with each, as in the flow table. FIN occupies one number. 64 bits are cut to the wire's 32.
//! * **Payload** is zeros: as many as the sequence numbers say.
//! * **Length.** The IPv4 length is that of headers, options and payload as they stand. The simulator's own packet size
//!   follows its stack's rules (`header`, `control_size`, `ack_size`, …) and may differ. Thus ns-2's 1998 sender has no
//!   header at all (size 1000, here 1040), and no stack's rules count a SYN's options. The times are the simulator's.
//!   The statistics at the end of a pcapng file tell both sums.
//! * **Options** follow the flow's rules. On SYN and SYN-ACK: MSS (`packet`), window scale, SACK-permitted (if the
//!   sender's recovery reads SACK or the receiver sends it), timestamps. Later: timestamps, and on ACKs the SACK blocks.
//! * **Timestamps** tick in milliseconds of simulated time, from 1, on every host alike. An ACK's own value is the
//!   instant it was sent, a segment echoes the last value its sender had received (RFC 7323).
//! * **Window.** The receiver advertises the rule `window`, rounded up to the scale's unit; without a SYN there is no
//!   scale, and at most 65535 can be said. Senders advertise 65535.
//! * **Congestion marks** are ECT(0) and CE in the IPv4 header, ECE and CWR in TCP's, negotiated by the SYN (RFC 3168).
//!   ACKs of ACK congestion control bear ECT(0) and CE, too. A segment's word on its sender's phase or window (the rules
//!   `carry_phase`, `carry_window`), or on marks its ACKs bore, has no option in TCP and is not shown.
//! * **Keep-alives** of receivers that probe for the round trip are empty segments numbered one below what the sender
//!   expects; their answers are ACKs without payload. **Datagrams** have a UDP header, and the length the simulator gives
//!   them.
//! * **The rest.** ACK is set on all but the SYN. DF is set, each end of a flow counts its packets in the IP
//!   identification, as Linux does, and the TTL is 64 minus the routers passed.
#![forbid(unsafe_code)]

mod conversation;
mod error;
mod journey;
mod notes;
mod pcapng;
mod place;
mod tap;
mod wire;
mod writer;

pub use error::CaptureError;
pub use place::LinkEnd;
pub use tap::{Capture, Captured};
pub use writer::Format;

/// Seconds since 1970 at which captures place the simulation's instant 0.
pub const EPOCH_S: u64 = 1_000_000_000;

/// An instant of the simulation in nanoseconds since 1970.
fn instant_ns(time_s: f64) -> u64 {
    EPOCH_S * 1_000_000_000 + (time_s * 1e9).round() as u64
}
