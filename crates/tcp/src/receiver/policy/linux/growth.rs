//! How a Linux receiver's buffer grows, a value for each kernel (`tcp_rcv_space_adjust` in net/ipv4/tcp_input.c).

use crate::rules::BufferGrowth;

/// Round trips below this grow the buffer less, in microseconds (`tcp_rcvbuf_low_rtt`).
const SHORT: u64 = 1000;
/// Segments by which the older formula is generous.
const CUSHION: u64 = 16;
/// Bytes that Linux 6.1 adds to each segment's payload (`SKB_TRUESIZE`, `MAX_TCP_HEADER`), and the step to which it rounds the rest up.
const OVERHEAD: u64 = 192 + 576;
const STEP: u64 = 128;
/// More than any buffer.
const ENDLESS: u128 = 1 << 40;

/// A round trip: bytes read in it and in the one before (above 0), and bytes above a gap; its length in microseconds. Bytes of a full
/// segment, and payload bytes in 256 of memory.
pub(super) struct Round {
    pub read: u64,
    pub before: u64,
    pub above: u64,
    pub rtt: u64,
    pub full: u64,
    pub ratio: u64,
}

impl Round {
    /// A window times the growth of what is read.
    fn grown(&self, window: u64) -> u64 {
        let more = self.read.saturating_sub(self.before);
        (u128::from(window) * u128::from(more) / u128::from(self.before)).min(ENDLESS) as u64
    }
}

/// The rules of a kernel, where kernels differ.
pub(super) struct Kernel {
    /// Half of the memory counts as payload. Later kernels measure the share.
    pub halves: bool,
    /// Bytes that came after the program began to read count as read, too.
    pub counts_unread: bool,
    /// A longer round trip counts only where nothing waits to be read.
    pub needs_calm: bool,
    /// The buffer grows also when a segment comes above a gap.
    pub at_gaps: bool,
    /// The buffer that a round trip asks for, in bytes.
    pub buffer: fn(&Round) -> u64,
}

const LINUX_6_1: Kernel =
    Kernel { halves: true, counts_unread: true, needs_calm: false, at_gaps: false, buffer: in_segments };
const LINUX_6_12: Kernel =
    Kernel { halves: false, counts_unread: false, buffer: |round| by_ratio(generous(round), round), ..LINUX_6_1 };
const LINUX_7_3: Kernel = Kernel { needs_calm: true, at_gaps: true, buffer: closer, ..LINUX_6_12 };
const CONSTANT: Kernel = Kernel { buffer: |_| 0, ..LINUX_7_3 };

impl Kernel {
    /// The kernel of a growth; without one the buffer stays.
    pub fn of(growth: Option<BufferGrowth>) -> &'static Kernel {
        match growth {
            None => &CONSTANT,
            Some(BufferGrowth::Linux61) => &LINUX_6_1,
            Some(BufferGrowth::Linux612) => &LINUX_6_12,
            Some(BufferGrowth::Linux73) => &LINUX_7_3,
        }
    }
}

/// The window of 6.1 and 6.12.
fn generous(round: &Round) -> u64 {
    let window = 2 * round.read + CUSHION * round.full;
    window + 2 * round.grown(window)
}

/// Memory in which that window is payload.
fn by_ratio(window: u64, round: &Round) -> u64 {
    (window << 8) / round.ratio
}

/// Linux 6.1: half of each piece is a segment at least.
fn in_segments(round: &Round) -> u64 {
    let more = round.full.saturating_sub(OVERHEAD).next_multiple_of(STEP);
    generous(round) / round.full * (round.full + OVERHEAD + more)
}

/// Linux 7.3 (`tcp_rcvbuf_grow`).
fn closer(round: &Round) -> u64 {
    let window = 2 * round.read;
    let more = if round.rtt < SHORT { window * round.rtt / SHORT } else { round.grown(2 * window) };
    by_ratio(window + round.above + more, round)
}
