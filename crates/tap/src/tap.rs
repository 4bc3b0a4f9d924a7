//! From a run's packet records to capture files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use acklab_capture::Frame;
use acklab_scenario::spec::Scenario;
use acklab_sim::Outcome;
use acklab_sim::outcome::{PacketEvent, PacketRow};

use crate::conversation::{Conversation, ports};
use crate::journey::{Journeys, Tag};
use crate::notes::{Notes, total_flows};
use crate::writer::{Format, Writer};
use crate::{CaptureError, LinkEnd, instant_ns, wire};

/// What `tcpdump` writes for "no limit", and what readers take for one.
const SNAP_LENGTH: u32 = 262_144;
/// Files open at once.
const OPEN: usize = 128;
/// Records between two questions whether to go on.
const SLICE: usize = 4096;

/// Captures of a run that recorded its packets.
///
/// Memory stays small whatever the number of packets: they are written as the records are read, once for all link ends
/// of a call.
#[derive(Clone, Debug)]
pub struct Capture<'a> {
    scenario: &'a Scenario,
    outcome: &'a Outcome,
    format: Format,
    snap_length: u32,
    /// One a flow table.
    talks: Vec<Conversation>,
    /// For each flow, its table.
    tables: Vec<u32>,
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Packets seen, both directions.
    pub packets: u64,
    /// Their IPv4 lengths, added up.
    pub bytes: u64,
    /// Their sizes in the simulator, added up.
    pub simulated_bytes: u64,
}

impl<'a> Capture<'a> {
    /// Captures of `outcome`, which `scenario` led to.
    ///
    /// # Errors
    /// [`CaptureError::NotRecorded`], [`CaptureError::TooLarge`].
    pub fn new(scenario: &'a Scenario, outcome: &'a Outcome) -> Result<Capture<'a>, CaptureError> {
        if !scenario.record.packets {
            return Err(CaptureError::NotRecorded);
        }
        let talks = scenario.flows.iter().map(Conversation::new).collect::<Result<_, _>>()?;
        let tables = scenario.flows.iter().zip(0..).flat_map(|(flow, table)| (0..flow.count).map(move |_| table));
        let tables = tables.collect();
        Ok(Capture { scenario, outcome, format: Format::default(), snap_length: 0, talks, tables })
    }

    /// Sets the files' format; pcapng if not called.
    pub fn format(self, format: Format) -> Capture<'a> {
        Capture { format, ..self }
    }

    /// Keeps at most `bytes` of each packet, 0 for all of it. Headers take at most 80. No tool can verify the checksum
    /// of a packet that was cut, though it is right.
    pub fn snap_length(self, bytes: u32) -> Capture<'a> {
        Capture { snap_length: bytes, ..self }
    }

    /// Writes the capture taken at `end`.
    ///
    /// # Errors
    /// [`CaptureError::Io`], [`CaptureError::TooLong`].
    pub fn write(&self, end: LinkEnd, out: impl Write) -> Result<Captured, CaptureError> {
        Ok(self.write_all(vec![(end, out)], || true)?[0])
    }

    /// Writes the captures taken at several ends in one pass, asking `go_on` now and then.
    ///
    /// # Errors
    /// [`CaptureError::Io`], [`CaptureError::TooLong`]; [`CaptureError::Interrupted`] when `go_on` says no.
    pub fn write_all<W: Write>(
        &self,
        ends: Vec<(LinkEnd, W)>,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Vec<Captured>, CaptureError> {
        self.format.reaches(self.outcome.end_s)?;
        let mut taps = ends.into_iter().map(|(end, out)| self.tap(end, out)).collect::<Result<Vec<_>, _>>()?;
        // For each direction: which taps see packets leave, which see them arrive.
        let mut watched = vec![[Vec::new(), Vec::new()]; self.outcome.links.len()];
        for (index, tap) in taps.iter().enumerate() {
            watched[tap.end.outgoing()][0].push(index);
            watched[tap.end.incoming()][1].push(index);
        }
        let mut journeys = Journeys::new(self.scenario);
        let mut bytes = Vec::new();
        for rows in self.outcome.packets.chunks(SLICE) {
            if !go_on() {
                return Err(CaptureError::Interrupted);
            }
            for row in rows {
                let tag = journeys.follow(row);
                let side = match row.event {
                    PacketEvent::Dequeue => 0,
                    PacketEvent::Deliver => 1,
                    _ => continue,
                };
                for &tap in &watched[row.link as usize][side] {
                    taps[tap].see(self, row, &tag, side == 0, &mut bytes)?;
                }
            }
        }
        taps.into_iter().map(|tap| tap.finish(self.outcome.end_s)).collect()
    }

    /// Writes `G-R@G.pcapng` and the like into `directory`, one file an end, and returns their paths.
    ///
    /// # Errors
    /// As [`Capture::write_all`].
    pub fn write_files(
        &self,
        ends: &[LinkEnd],
        directory: &Path,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Vec<PathBuf>, CaptureError> {
        let names: Vec<String> = ends.iter().map(|end| end.file_name(self.outcome)).collect();
        let path = |name: String| directory.join(format!("{name}.{}", self.format.name()));
        let paths: Vec<PathBuf> = acklab_scenario::file_names(&names).into_iter().map(path).collect();
        for (ends, paths) in ends.chunks(OPEN).zip(paths.chunks(OPEN)) {
            let open = |(&end, path): (&LinkEnd, &PathBuf)| Ok((end, BufWriter::new(File::create(path)?)));
            self.write_all(ends.iter().zip(paths).map(open).collect::<Result<_, CaptureError>>()?, &mut go_on)?;
        }
        Ok(paths)
    }

    fn tap<W: Write>(&self, end: LinkEnd, out: W) -> Result<Tap<W>, CaptureError> {
        let notes = Notes::new(self.scenario, self.outcome, end, &self.talks);
        let snap_length = if self.snap_length == 0 { SNAP_LENGTH } else { self.snap_length };
        let writer = Writer::new(self.format, out, snap_length, &notes)?;
        Ok(Tap {
            end,
            writer,
            flows: total_flows(self.scenario),
            most: snap_length as usize,
            seen: Captured::default(),
        })
    }
}

/// One link end being watched.
struct Tap<W> {
    end: LinkEnd,
    writer: Writer<W>,
    flows: u64,
    most: usize,
    seen: Captured,
}

impl<W: Write> Tap<W> {
    fn see(
        &mut self,
        capture: &Capture<'_>,
        row: &PacketRow,
        tag: &Tag,
        outbound: bool,
        bytes: &mut Vec<u8>,
    ) -> Result<(), CaptureError> {
        let packet = &row.packet;
        let talk = &capture.talks[capture.tables[packet.flow as usize] as usize];
        let length =
            wire::encode(talk, ports(packet.flow, packet.connection, self.flows), packet, tag, self.most, bytes);
        self.seen.packets += 1;
        self.seen.bytes += length as u64;
        self.seen.simulated_bytes += u64::from(packet.size);
        let frame = Frame { time_ns: instant_ns(row.time_s), outbound, data: bytes, length: length as u32 };
        Ok(self.writer.packet(&frame)?)
    }

    fn finish(self, end_s: f64) -> Result<Captured, CaptureError> {
        let Captured { packets, bytes, simulated_bytes } = self.seen;
        let comment = format!("{packets} packets: {bytes} bytes of IPv4, {simulated_bytes} bytes in the simulator.");
        self.writer.finish(instant_ns(end_s), packets, &comment)?;
        Ok(self.seen)
    }
}
