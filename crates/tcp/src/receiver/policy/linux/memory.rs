//! The receive buffer of a Linux receiver in bytes of memory, and the window that follows from it (net/ipv4/tcp_input.c and
//! tcp_output.c). Names in comments are the kernel's.
//!
//! A segment takes `piece` bytes of memory, so only a part of the buffer is payload (`scaling_ratio`). Each segment opens the window by
//! two while the memory has room (`tcp_grow_window`). Once a round trip the buffer grows with what the program has read
//! (`tcp_rcv_space_adjust`), as its kernel's [`Kernel`] says, up to `most` (`tcp_rmem[2]`).

use acklab_packet::{Seq, Time};

use super::buffer::LEAST;
use super::growth::{Kernel, Round};
use crate::rules::BufferGrowth;

/// Segments that the first round trip is compared with (`TCP_INIT_CWND`).
const FIRST_ROUND: u64 = 10;
/// Bits of the ratio, and its value before a segment has come (`TCP_RMEM_TO_WIN_SCALE`, `TCP_DEFAULT_SCALING_RATIO`).
const BITS: u32 = 8;
const FIRST_RATIO: u64 = 128;

/// What the policy says of a buffer in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryRules {
    /// Bytes at first.
    pub memory: u32,
    /// Bytes at most.
    pub most: u32,
    /// Bytes that the first segment takes and every second after it, and those that the others take.
    pub pieces: [u32; 2],
    /// How it grows; it does not without.
    pub growth: Option<BufferGrowth>,
}

impl MemoryRules {
    /// Windows are multiples of two to this power (`rcv_wscale`).
    fn scale(&self) -> u8 {
        let largest = self.most.max(self.growth.map_or(0, |growth| growth.rmem_max() as u32));
        largest.ilog2().saturating_sub(15).min(14) as u8
    }

    /// The window of the answer to a SYN, which has no more than 16 bits for it, and that power (`tcp_select_initial_window`).
    pub fn opening(&self) -> (u64, u8) {
        (((u64::from(self.memory) * FIRST_RATIO) >> BITS).min(u16::MAX.into()), self.scale())
    }
}

/// The buffer and the window. Sizes in bytes, spans in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    rules: MemoryRules,
    /// Payload bytes in 256 of memory (`scaling_ratio`).
    ratio: u64,
    /// `sk_rcvbuf`, `window_clamp`, `rcv_ssthresh`, `rcv_wnd` and the number with which that was said (`rcv_wup`).
    buffer: u64,
    clamp: u64,
    opened: u64,
    window: u64,
    said: Seq,
    /// Windows are multiples of this (`rcv_wscale`).
    unit: u64,
    /// Units of a full segment; the size that the ratio goes by.
    full: u64,
    measured: u32,
    /// Bytes that the last segment took, and whether the next is a second one.
    piece: u64,
    second: bool,
    /// `rcvq_space`: read in a round trip, and the number and time at which the present one began.
    space: u64,
    mark: Seq,
    since: u64,
    /// Eight round trips (`rcv_rtt_est.rtt_us`), and the millisecond that was echoed last.
    rtt8: u64,
    echoed: u64,
    /// A window's end, and when it was said: another measure of the round trip.
    round: Option<(Seq, u64)>,
}

impl Memory {
    /// Before the first segment, of `full` bytes, with the number `next` to come. It opens with at most `window` segments (the route's
    /// `initrwnd`).
    pub fn new(rules: MemoryRules, window: u32, full: u32, next: Seq, now: Time) -> Memory {
        let (full, buffer) = (u64::from(full.max(1)), u64::from(rules.memory));
        let space = (buffer * FIRST_RATIO) >> BITS;
        let said = (space / full).min(window.into()) * full;
        let clamp = space - full.min(space);
        let opened = said.min(clamp);
        Memory {
            rules,
            ratio: FIRST_RATIO,
            buffer,
            clamp,
            opened,
            window: said,
            said: next,
            unit: 1 << rules.scale(),
            full,
            measured: 0,
            piece: rules.pieces[0].into(),
            second: false,
            space: opened.min(FIRST_ROUND * full),
            mark: next,
            since: micros(now),
            rtt8: 0,
            echoed: u64::MAX,
            round: None,
        }
    }

    fn kernel(&self) -> &'static Kernel {
        Kernel::of(self.rules.growth)
    }

    fn payload(&self, memory: u64) -> u64 {
        (memory * self.ratio) >> BITS
    }

    /// Memory that `unread` bytes of payload take.
    fn taken(&self, unread: u64) -> u64 {
        unread.div_ceil(self.full) * self.piece
    }

    fn free(&self, unread: u64) -> u64 {
        self.payload(self.buffer.saturating_sub(self.taken(unread)))
    }

    /// Shift of the window in an ACK's header.
    pub fn scale(&self) -> u8 {
        self.unit.ilog2() as u8
    }

    /// The window last said.
    pub fn advertised(&self) -> u64 {
        self.window
    }

    /// True if less than half of the buffer is free.
    pub fn is_filling(&self, unread: u64) -> bool {
        self.free(unread) < self.clamp.min(self.payload(self.buffer)) / 2
    }

    /// A segment has come, and the size of a full one is `full` (`tcp_measure_rcv_mss`).
    pub fn on_arrival(&mut self, full: u32) {
        self.piece = self.rules.pieces[usize::from(self.second)].into();
        self.second = !self.second;
        if std::mem::replace(&mut self.measured, full) != full {
            self.full = u64::from(full.max(1));
            if self.kernel().halves {
                return;
            }
            self.ratio = ((self.full << BITS) / self.piece).max(1);
            self.clamp = self.payload(self.buffer);
            self.space = self.space.min(self.clamp);
        }
    }

    /// A full segment shows a round trip of `secs` by its timestamp (`tcp_rcv_rtt_measure_ts`); `waits`: something is unread.
    pub fn time(&mut self, secs: f64, waits: bool, now: Time) {
        let millis = |secs: f64| (secs * 1e3 + 1e-6).floor() as u64;
        let echo = millis(now.secs() - secs);
        if std::mem::replace(&mut self.echoed, echo) == echo {
            return;
        }
        // Timestamps count milliseconds.
        let sample = (millis(now.secs()) - echo).max(1) * 1000;
        if self.rtt8 == 0 || 8 * sample < self.rtt8 {
            self.rtt8 = 8 * sample;
        } else if !(waits && self.kernel().needs_calm) {
            self.rtt8 = self.rtt8 - self.rtt8 / 8 + sample;
        }
    }

    /// A segment of `len` bytes has come, and `next` is the number after it: the window may grow. Whether it does.
    pub fn on_segment(&mut self, len: u32, unread: u64, next: Seq, now: Time) -> bool {
        self.measure(next, now);
        let room = self.clamp.min(self.free(unread)).saturating_sub(self.opened);
        if room == 0 || len < LEAST {
            return false;
        }
        let fits = self.payload(self.piece) <= u64::from(len);
        if !fits && !self.will_fit(len) {
            return false;
        }
        self.opened += room.min(2 * self.full.max(u64::from(len)));
        true
    }

    /// `__tcp_grow_window`.
    fn will_fit(&self, len: u32) -> bool {
        let mut piece = self.payload(self.piece) / 2;
        let mut window = self.payload(u64::from(self.rules.most)) / 2;
        while self.opened <= window {
            if piece <= u64::from(len) {
                return true;
            }
            (piece, window) = (piece / 2, window / 2);
        }
        false
    }

    /// A window passes: no round trip is longer (`tcp_rcv_rtt_measure`).
    fn measure(&mut self, next: Seq, now: Time) {
        if let Some((end, since)) = self.round {
            if next < end {
                return;
            }
            let sample = 8 * (micros(now) - since).max(1);
            if self.rtt8 == 0 || sample < self.rtt8 {
                self.rtt8 = sample;
            }
        }
        self.round = Some((next + self.window, micros(now)));
    }

    /// The application has read everything below `read`; `inq` bytes came since (`tcp_rcv_space_adjust`).
    pub fn on_read(&mut self, read: Seq, inq: u64, above: u64, now: Time) {
        if self.rtt8 == 0 || micros(now) - self.since < self.rtt8 / 8 {
            return;
        }
        let inq = if self.kernel().counts_unread { 0 } else { inq };
        let copied = read.saturating_sub(self.mark).saturating_sub(inq);
        if copied > self.space {
            self.fit(copied, above);
        }
        (self.mark, self.since) = (read, micros(now));
    }

    /// So much waits above a gap (`tcp_data_queue_ofo`).
    pub fn on_gap(&mut self, above: u64) {
        if self.kernel().at_gaps {
            self.fit(self.space, above);
        }
    }

    fn fit(&mut self, copied: u64, above: u64) {
        let before = std::mem::replace(&mut self.space, copied).max(1);
        let round = Round { read: copied, before, above, rtt: self.rtt8 / 8, full: self.full, ratio: self.ratio };
        let buffer = (self.kernel().buffer)(&round).min(u64::from(self.rules.most));
        if buffer > self.buffer {
            self.buffer = buffer;
            self.clamp = self.payload(buffer);
        }
    }

    /// The window that an ACK of `next` says that leaves now (`tcp_select_window`).
    pub fn to_say(&self, next: Seq, unread: u64) -> u64 {
        let left = (self.said + self.window).saturating_sub(next);
        let (free, whole) = (self.free(unread), self.payload(self.buffer));
        let half = self.clamp.min(whole) / 2;
        let closes = free < half && (free < whole / 16 || free < self.full);
        let window = if closes { 0 } else { free.min(self.opened) };
        window.max(left).next_multiple_of(self.unit)
    }

    /// An ACK of `next` leaves and says the window.
    pub fn on_ack(&mut self, next: Seq, unread: u64) {
        self.window = self.to_say(next, unread);
        self.said = next;
    }
}

fn micros(at: Time) -> u64 {
    (at.secs() * 1e6 + 1e-3) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: u32 = 1448;

    fn at(millis: f64) -> Time {
        Time::from_secs(millis / 1e3)
    }

    fn memory(growth: BufferGrowth, most: u32, other: u32) -> Memory {
        Memory::new(
            MemoryRules { memory: 131_072, most, pieces: [2176, other], growth: Some(growth) },
            45,
            FULL,
            1,
            at(0.0),
        )
    }

    /// A segment of 2176 bytes leaves 170 of 256 for payload. The window opens from 64,088 by two segments each time, to what is free
    /// beside the segment: 85,595 bytes, and 85,425 where the segment takes 2432. An ACK says multiples of 128 (64 in 6.12). Two default
    /// kernels said these numbers.
    #[test]
    fn the_window_opens_as_two_kernels_said() {
        for (growth, other, said) in [
            (BufferGrowth::Linux73, 2432, [67_072, 69_888, 72_832, 75_776, 78_592, 81_536, 84_480, 85_504, 85_632]),
            (BufferGrowth::Linux612, 2176, [67_008, 69_888, 72_832, 75_712, 78_592, 81_472, 84_416, 85_632, 85_632]),
        ] {
            let mut memory = memory(growth, 4_000_000, other);
            for (n, window) in (1..).zip(said) {
                let next = 1 + n * u64::from(FULL);
                memory.on_arrival(FULL);
                let opens = memory.on_segment(FULL, FULL.into(), next, at(10.0));
                assert_eq!(opens, n < 9 || other > 2176, "segment {n}");
                memory.on_ack(next, FULL.into());
                assert_eq!(memory.advertised(), window, "segment {n}");
            }
        }
    }

    /// In 6.1 half of the memory is payload, so the first window has no room to open. 28,960 bytes in a round trip, after 14,480, make room for
    /// three times twice that and 16 segments: 168 segments, of 2984 bytes each. What is unread counts.
    #[test]
    fn half_of_an_older_kernels_memory_is_payload() {
        let mut memory = memory(BufferGrowth::Linux61, 4_000_000, 2176);
        memory.on_arrival(FULL);
        assert!(!memory.on_segment(FULL, FULL.into(), 1 + 1448, at(10.0)));
        memory.time(0.010, false, at(10.0));
        memory.on_read(1 + 28_960, 1448, 0, at(10.0));
        assert_eq!((memory.buffer, memory.clamp), (168 * 2984, 168 * 1492));
        memory.on_arrival(FULL);
        assert!(memory.on_segment(FULL, FULL.into(), 1 + 28_960, at(10.5)));
    }

    /// 25 MB in which segments take 2176 and 2432 bytes by turns, opened with 4345 segments. Each segment opens the window up to half of the
    /// payload, 8.4 MB. Above it only those of 2176 bytes do. Each one that does is acknowledged at once; twelve kernels 7.3 did so.
    #[test]
    fn half_of_the_segments_open_a_large_window() {
        let rules = MemoryRules { memory: 25_304_090, most: 25_304_090, pieces: [2176, 2432], growth: None };
        let mut memory = Memory::new(rules, 4345, FULL, 1, at(0.0));
        assert_eq!(memory.opened, 4345 * 1448);
        let opens: Vec<bool> = (1..=800)
            .map(|n| {
                memory.on_arrival(FULL);
                memory.on_segment(FULL, FULL.into(), 1 + n * u64::from(FULL), at(n as f64))
            })
            .collect();
        assert!(opens[..729].iter().all(|opens| *opens));
        assert!(opens[729..].iter().enumerate().all(|(n, opens)| *opens == (n % 2 == 1)));
    }

    /// In a round trip of 10 ms 28,960 bytes are read, after 14,480 in the one before. The newer formula makes room for twice that, and for
    /// four times that besides, because the amount has doubled. The older one takes twice that and 16 segments, three times. `most` ends
    /// both.
    #[test]
    fn a_buffer_grows_with_what_is_read_in_a_round_trip() {
        for (growth, window) in
            [(BufferGrowth::Linux73, 2 * 28_960 + 4 * 28_960), (BufferGrowth::Linux612, 3 * (2 * 28_960 + 16 * 1448))]
        {
            for most in [4_000_000, 150_000] {
                let mut memory = memory(growth, most, 2176);
                memory.on_arrival(FULL);
                memory.time(0.010, false, at(10.0));
                memory.on_read(1 + 28_960, 0, 0, at(9.0));
                assert_eq!(memory.buffer, 131_072, "no round trip has passed");
                memory.on_read(1 + 28_960, 0, 0, at(10.0));
                assert_eq!(memory.buffer, ((window << 8) / 170).min(u64::from(most)));
            }
        }
    }
}
