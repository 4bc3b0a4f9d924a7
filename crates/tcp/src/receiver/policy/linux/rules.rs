//! Parameters of the policy `linux`.

use acklab_packet::{Seq, Time};

use super::buffer::Buffer;
use super::memory::{Memory, MemoryRules};
use super::room::Room;

/// Its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinuxRules {
    /// Most quick ACKs in a row.
    pub quick: u32,
    /// First window, in segments.
    pub window: u32,
    /// Payload that the buffer has room for at first, in segments; up to there the window opens.
    pub buffer: u32,
    /// True if the buffer grows.
    pub autotune: bool,
    /// The buffer in bytes instead, if its memory is above 0.
    pub memory: MemoryRules,
    /// Least time a segment is held, where nothing else lets its ACK go.
    pub least: Time,
    /// Longest, less a tick.
    pub timer: Time,
    /// The clock's.
    pub tick: Time,
    /// Longest delay of a compressed SACK; none is compressed if it is zero.
    pub sack_delay: Time,
    /// Share of the round trip that one waits, if that is less (`tcp_comp_sack_rtt_percent` / 100).
    pub sack_share: f64,
    /// Lateness that the kernel allows the timer of one, and that it mostly has (`tcp_comp_sack_slack_ns`).
    pub sack_slack: Time,
    /// Segments that one may answer.
    pub sack_most: u32,
    /// Sequence units for which the application waits.
    pub low_water: u32,
    /// Units that it asks for at once.
    pub read_size: u32,
}

impl LinuxRules {
    /// The buffer before the first segment, which has `full` units; `since`: the end of the handshake.
    pub fn room(&self, full: u32, next: Seq, since: Time, now: Time) -> Room {
        match self.memory.memory {
            0 => Room::Segments(Buffer::new(self.window, self.buffer, full, self.autotune, next, now)),
            _ => Room::Bytes(Box::new(Memory::new(self.memory, self.window, full, next, since))),
        }
    }
}
