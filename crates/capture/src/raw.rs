//! A capture of packets that are already bytes, such as those of a live run.

use std::io::{self, Write};

use crate::frame::Frame;
use crate::pcap;

/// A pcap file of IPv4 packets (`LINKTYPE_RAW`) with nanoseconds, written packet by packet.
///
/// ```
/// let mut file = Vec::new();
/// let mut capture = acklab_capture::RawPcap::new(&mut file, 262_144)?;
/// capture.packet(1_000_000_000, &[0x45, 0, 0, 20], 20)?;
/// capture.finish()?;
/// let mut reader = acklab_capture::Reader::new(&file[..]).expect("a capture");
/// let record = reader.next().expect("readable").expect("a packet");
/// assert_eq!((record.time_ns, record.length, record.data.len()), (1_000_000_000, 20, 4));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RawPcap<W> {
    out: W,
}

impl<W: Write> RawPcap<W> {
    /// Begins the file; no packet has more than `snap_length` bytes in it.
    ///
    /// # Errors
    /// What `out` says.
    pub fn new(mut out: W, snap_length: u32) -> io::Result<RawPcap<W>> {
        pcap::write_start(&mut out, snap_length)?;
        Ok(RawPcap { out })
    }

    /// Adds the first bytes of a packet that had `length`, at so many nanoseconds since 1970; times do not decrease.
    ///
    /// # Errors
    /// What `out` says.
    pub fn packet(&mut self, time_ns: u64, data: &[u8], length: u32) -> io::Result<()> {
        pcap::write_packet(&mut self.out, &Frame { time_ns, outbound: true, data, length })
    }

    /// Ends the file.
    ///
    /// # Errors
    /// What `out` says.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
