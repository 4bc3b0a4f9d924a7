//! Capture files: a reader of pcap, pcapng and snoop, compressed or not, and what such files are made of.
//!
//! [`Reader`] reads files of any program; [`RawPcap`] writes packets that are already bytes. Captures of simulated runs
//! are written by `acklab-tap`. Nothing here needs another crate of acklab.
#![forbid(unsafe_code)]

mod frame;
mod input;
mod packed;
pub mod pcap;
pub mod pcapng;
mod raw;
mod read_error;
mod reader;

pub use frame::Frame;
pub use packed::Packing;
pub use raw::RawPcap;
pub use read_error::ReadError;
pub use reader::{Block, Direction, Interface, Reader, Record};

/// The link type of captures: packets begin with their IPv4 header.
pub const LINKTYPE_RAW: u16 = 101;
