//! A capture file being written, in either format.

use std::io::{self, Write};

use acklab_capture::{Frame, pcap};

use crate::notes::Notes;
use crate::{CaptureError, EPOCH_S, pcapng};

/// A capture file's format. Both keep nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The old one, which every tool reads: packets and nothing else.
    Pcap,
    /// The new one: also names, comments, directions and statistics.
    #[default]
    PcapNg,
}

impl Format {
    /// Both formats.
    pub const ALL: [Format; 2] = [Format::Pcap, Format::PcapNg];

    /// The name of the format, which is also the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pcap => "pcap",
            Format::PcapNg => "pcapng",
        }
    }

    /// Checks that the format can express every instant up to `end_s` seconds of simulated time.
    pub(crate) fn reaches(self, end_s: f64) -> Result<(), CaptureError> {
        let last = match self {
            Format::Pcap => f64::from(u32::MAX),
            Format::PcapNg => (u64::MAX / 1_000_000_000) as f64,
        };
        if end_s + 1.0 < last - EPOCH_S as f64 { Ok(()) } else { Err(CaptureError::TooLong { end_s }) }
    }
}

/// A file of one interface.
#[derive(Debug)]
pub struct Writer<W> {
    format: Format,
    out: W,
}

impl<W: Write> Writer<W> {
    /// Begins the file.
    pub fn new(format: Format, mut out: W, snap_length: u32, notes: &Notes) -> io::Result<Writer<W>> {
        match format {
            Format::Pcap => pcap::write_start(&mut out, snap_length)?,
            Format::PcapNg => pcapng::write_start(&mut out, snap_length, notes)?,
        }
        Ok(Writer { format, out })
    }

    /// Adds a packet; times do not decrease.
    #[inline]
    pub fn packet(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        match self.format {
            Format::Pcap => pcap::write_packet(&mut self.out, frame),
            Format::PcapNg => pcapng::write_packet(&mut self.out, frame),
        }
    }

    /// Ends the file at `end_ns`, after `packets` packets.
    pub fn finish(mut self, end_ns: u64, packets: u64, comment: &str) -> io::Result<()> {
        if self.format == Format::PcapNg {
            pcapng::write_end(&mut self.out, end_ns, packets, comment)?;
        }
        self.out.flush()
    }
}
