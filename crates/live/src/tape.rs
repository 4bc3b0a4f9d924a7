//! Copies of passing packets, for capture files.

use std::io::{self, Write};

use acklab_capture::RawPcap;
use acklab_packet::Time;

use crate::packet::WirePacket;

/// Most bytes kept by one thread; what passes later is not on the tape, and the run says so.
const MAX_BYTES: usize = 512 << 20;

/// One packet on the tape.
#[derive(Clone, Copy, Debug)]
struct Kept {
    time_ns: u64,
    /// 0 at the senders' edge, 1 at the receivers'.
    side: usize,
    length: u32,
    at: usize,
    kept: usize,
}

/// Packets as one thread saw them, in its order.
#[derive(Debug)]
pub struct Tape {
    /// Bytes kept of each, at most.
    snap: usize,
    packets: Vec<Kept>,
    bytes: Vec<u8>,
    /// Packets that found no room.
    pub missed: u64,
}

impl Tape {
    /// An empty one that keeps `snap` bytes of each packet, 0 for all.
    pub fn new(snap: u32) -> Tape {
        let snap = if snap == 0 { usize::MAX } else { snap as usize };
        Tape { snap, packets: Vec::new(), bytes: Vec::new(), missed: 0 }
    }

    /// A packet passes a side at `now`.
    pub fn keep(&mut self, side: usize, now: Time, packet: &WirePacket) {
        let bytes = &packet.bytes()[..packet.bytes().len().min(self.snap)];
        if self.bytes.len() + bytes.len() > MAX_BYTES {
            self.missed += 1;
            return;
        }
        let time_ns = (now.secs() * 1e9) as u64;
        let length = packet.bytes().len() as u32;
        self.packets.push(Kept { time_ns, side, length, at: self.bytes.len(), kept: bytes.len() });
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes what passed a side on either tape, in order of time, as a pcap file with nanoseconds; `epoch_ns` is the run's
    /// start in nanoseconds since 1970. Returns the number of packets.
    ///
    /// # Errors
    /// Where `out` cannot be written.
    pub fn write(tapes: &[&Tape; 2], side: usize, epoch_ns: u64, out: impl Write) -> io::Result<u64> {
        let snap = tapes[0].snap.min(262_144) as u32;
        let mut file = RawPcap::new(out, snap)?;
        let mut all: Vec<(&Kept, &Tape)> = Vec::new();
        // Of one instant, what arrived comes before the answer to it.
        for tape in [tapes[1 - side], tapes[side]] {
            all.extend(tape.packets.iter().filter(|kept| kept.side == side).map(|kept| (kept, tape)));
        }
        all.sort_by_key(|(kept, _)| kept.time_ns);
        for (kept, tape) in &all {
            let data = &tape.bytes[kept.at..kept.at + kept.kept];
            file.packet(epoch_ns + kept.time_ns, data, kept.length)?;
        }
        file.finish()?;
        Ok(all.len() as u64)
    }
}
