//! Packets that a capture has twice.

use crate::segment::Seen;
use crate::thresholds::COPY_DISTANCE;

/// What two copies of a packet have in common and two packets have not: a sender numbers its packets, or stamps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Face {
    identification: Option<u16>,
    numbers: (u32, u32),
    flags: u8,
    window: u16,
    payload: u32,
    stamps: Option<(u32, u32)>,
}

/// The last packets of one end.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    last: [Option<Face>; COPY_DISTANCE],
    place: usize,
}

impl Copies {
    /// Whether the same packet passed shortly before `seen`.
    pub fn on_packet(&mut self, seen: &Seen) -> bool {
        let face = Face {
            identification: seen.identification,
            numbers: (seen.seq, seen.ack),
            flags: seen.flags,
            window: seen.window,
            payload: seen.payload,
            stamps: seen.options.stamps,
        };
        // Without a number of its own, only a stamp distinguishes a segment from its retransmission, and nothing two equal ACKs.
        let numbered = seen.identification.is_some_and(|number| number != 0);
        let known = numbered || seen.units() > 0 && seen.options.stamps.is_some();
        if known && self.last.contains(&Some(face)) {
            return true;
        }
        self.last[self.place] = Some(face);
        self.place = (self.place + 1) % COPY_DISTANCE;
        false
    }
}
