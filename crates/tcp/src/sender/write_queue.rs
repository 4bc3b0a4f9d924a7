//! The send buffer of a Linux sender (net/ipv4/tcp.c, net/ipv4/tcp_input.c and net/core/stream.c). Names in comments are the
//! kernel's.
//!
//! A program writes as fast as its socket takes data. The socket keeps them in buffers of up to 64 kB, half of the largest window that
//! the receiver has told at most (`tcp_xmit_size_goal`). Each buffer takes some memory besides its data. When the memory is above the
//! limit the program waits (`tcp_sendmsg_locked`). It is woken when a third of the limit is free (`sk_stream_write_space`). While the
//! window has room, the limit follows the window (`tcp_sndbuf_expand`).
//!
//! So what waits to be sent when an ACK comes ends somewhere. There a burst ends, too, and its last segment is pushed.

use std::collections::VecDeque;

use acklab_packet::Seq;

/// Most payload bytes of a buffer: 65,536 less room for headers (`sk_gso_max_size`).
pub(super) const MOST: u64 = 65_279;
/// Bytes that a buffer takes besides its data (`SKB_TRUESIZE`), also in 6.1, which has no cache for small heads (`skb_small_head_cache`).
/// Then those of a segment's buffer besides its headers and data.
const BUFFER: u64 = 832;
const OLDER_BUFFER: u64 = 768;
const DESCRIPTOR: u64 = 256;
/// Room for headers in a segment's buffer, and what ends it (`MAX_TCP_HEADER`, `skb_shared_info`).
const HEADERS: u64 = 192 + 320;
/// Bytes of options that a full segment has (timestamps).
const OPTIONS: u64 = 12;
/// Fewest segments that the limit goes by (`TCP_INIT_CWND`).
const FEWEST: u64 = 10;

/// How what was written is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Push {
    /// As bursts while the window allows (`__tcp_push_pending_frames`).
    All,
    /// One burst, which does not wait (`tcp_push_one`).
    One,
    /// Nothing more.
    Nothing,
}

/// What the program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Writes,
    /// It pushes what there is before it sleeps.
    Pauses,
    Sleeps,
    /// Everything is written.
    Done,
}

/// Data that wait in one buffer; `pushed`: the segment of its last byte has PSH.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    bytes: u64,
    pushed: bool,
}

/// Data that were written and not acknowledged, and the program that writes them.
#[derive(Clone, Debug)]
pub(super) struct WriteQueue {
    mss: u64,
    /// As in 6.1.
    older: bool,
    /// The largest limit (`tcp_wmem[2]`), and the present one (`sk_sndbuf`); 0 before the connection is open.
    most: u64,
    limit: u64,
    /// Buffers that wait, and where those that were sent end.
    unsent: VecDeque<Buffer>,
    sent: VecDeque<Seq>,
    una: Seq,
    nxt: Seq,
    written: Seq,
    /// End of the data pushed last (`pushed_seq`), and the largest window told (`max_window`).
    pushed: Seq,
    window: u64,
    /// Bytes that a buffer is filled with.
    goal: u64,
    program: Program,
    /// A write found no room since there was room last (`SOCK_NOSPACE`).
    full: bool,
}

impl WriteQueue {
    /// For segments of `mss` bytes and a limit of at most so many; `older` as in 6.1.
    pub fn new(mss: u64, most: u64, older: bool) -> WriteQueue {
        WriteQueue {
            mss,
            older,
            most,
            limit: 0,
            unsent: VecDeque::new(),
            sent: VecDeque::new(),
            una: 0,
            nxt: 0,
            written: 0,
            pushed: 0,
            window: 0,
            goal: mss,
            program: Program::Done,
            full: false,
        }
    }

    /// The connection is open with this window in segments, and `una` comes first.
    pub fn open(&mut self, una: Seq, cwnd: u64) {
        if self.limit == 0 {
            (self.una, self.nxt, self.written, self.pushed) = (una, una, una, una);
            self.expand(cwnd);
        }
    }

    /// Everything below `una` is acknowledged, and the largest window told is `window`.
    pub fn advance(&mut self, una: Seq, window: u64) {
        self.una = una;
        self.window = self.window.max(window);
        while self.sent.front().is_some_and(|&end| end <= una) {
            self.sent.pop_front();
        }
    }

    /// What was sent from `self.nxt` up to `nxt` without asking leaves the queue, too.
    pub fn catch_up(&mut self, nxt: Seq) {
        while self.nxt < nxt {
            let Some(head) = self.unsent.front_mut() else {
                self.written = self.written.max(nxt);
                self.nxt = nxt;
                return;
            };
            let bytes = head.bytes.min(nxt - self.nxt);
            self.take(bytes);
        }
    }

    /// Bytes of memory (`sk_wmem_queued`).
    fn memory(&self) -> u64 {
        let each = if self.older { OLDER_BUFFER } else { BUFFER };
        each * (self.unsent.len() + self.sent.len()) as u64 + self.written.saturating_sub(self.una)
    }

    fn expand(&mut self, cwnd: u64) {
        let segment = (self.mss + OPTIONS + HEADERS).next_power_of_two() + DESCRIPTOR;
        self.limit = self.limit.max((2 * cwnd.max(FEWEST) * segment).min(self.most));
    }

    /// After an ACK or a burst, with so many of `cwnd` segments in the network: the limit may grow, and the program may go on
    /// (`tcp_check_space`).
    pub fn make_room(&mut self, in_flight: u64, cwnd: u64) {
        if !self.full {
            return;
        }
        if in_flight < cwnd {
            self.expand(cwnd);
        }
        let memory = self.memory();
        if memory < self.limit && self.limit - memory >= memory / 2 {
            self.full = false;
            if self.program == Program::Sleeps {
                self.wake();
            }
        }
    }

    fn wake(&mut self) {
        self.program = Program::Writes;
        let half = self.window / 2;
        self.goal = (MOST.min(half) / self.mss).max(1) * self.mss;
    }

    /// The program writes on, up to `end` at most, until it pushes.
    pub fn write(&mut self, end: Seq) -> Push {
        match self.program {
            Program::Pauses => (self.program, self.full) = (Program::Sleeps, true),
            Program::Done if self.written < end => {
                self.wake();
                if let Some(tail) = self.unsent.back_mut() {
                    tail.pushed = false;
                }
            }
            _ => {}
        }
        while self.program == Program::Writes {
            if self.unsent.back().is_none_or(|tail| tail.bytes >= self.goal) {
                if self.memory() >= self.limit {
                    self.full = true;
                    self.program = Program::Pauses;
                    return self.push();
                }
                self.unsent.push_back(Buffer { bytes: 0, pushed: false });
            }
            let Some(tail) = self.unsent.back_mut() else { break };
            let bytes = (self.goal - tail.bytes).min(end - self.written);
            tail.bytes += bytes;
            self.written += bytes;
            if self.written >= end {
                self.program = Program::Done;
                return self.push();
            }
            if self.written > self.pushed + self.window / 2 {
                return self.push();
            }
            if self.unsent.len() == 1 {
                return Push::One;
            }
        }
        Push::Nothing
    }

    /// Marks the end of what is written (`tcp_mark_push`).
    fn push(&mut self) -> Push {
        if let Some(tail) = self.unsent.back_mut() {
            tail.pushed = true;
            self.pushed = self.written;
        }
        Push::All
    }

    /// Bytes of the first buffer that waits, and whether it is the last; none if nothing waits. It first takes from the next one what it
    /// lacks to `wanted` (`tcp_grow_skb`, not in 6.1).
    pub fn head(&mut self, wanted: u64) -> Option<(u64, bool)> {
        let next = self.unsent.get(1).filter(|_| !self.older).copied();
        let head = self.unsent.front_mut()?;
        if let Some(next) = next {
            let more = wanted.saturating_sub(head.bytes).min(next.bytes);
            head.bytes += more;
            if more == next.bytes {
                head.pushed |= next.pushed;
                self.unsent.remove(1);
            } else {
                self.unsent[1].bytes -= more;
            }
        }
        Some((self.unsent[0].bytes, self.unsent.len() == 1))
    }

    /// The first so many bytes of the first buffer leave (`tso_fragment`, `tcp_event_new_data_sent`); whether they end it, and the end is
    /// pushed.
    pub fn take(&mut self, bytes: u64) -> bool {
        let Some(head) = self.unsent.front_mut() else { return false };
        let bytes = bytes.min(head.bytes);
        let pushed = head.pushed && bytes == head.bytes;
        head.bytes -= bytes;
        if head.bytes == 0 {
            self.unsent.pop_front();
        }
        self.nxt += bytes;
        self.sent.push_back(self.nxt);
        pushed
    }

    /// So many bytes of the last burst did not leave.
    pub fn put_back(&mut self, bytes: u64, pushed: bool) {
        if bytes > 0 {
            self.unsent.push_front(Buffer { bytes, pushed });
            self.nxt -= bytes;
            if let Some(end) = self.sent.back_mut() {
                *end -= bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    /// Writes until the program waits; bursts of two leave while fewer than `cwnd` segments are out.
    fn write(queue: &mut WriteQueue, out: &mut u64, cwnd: u64) {
        loop {
            let most = match queue.write(2_000_000) {
                Push::Nothing => return,
                Push::One => 1,
                Push::All => u64::MAX,
            };
            send(queue, out, cwnd, most);
        }
    }

    fn send(queue: &mut WriteQueue, out: &mut u64, cwnd: u64, most: u64) {
        for _ in 0..most {
            if *out + 2 > cwnd || queue.head(2 * MSS).is_none() {
                return;
            }
            queue.take(2 * MSS);
            *out += 2;
            queue.make_room(*out, cwnd);
        }
    }

    /// Linux 6.12 told these sizes of its send queue (`SO_MEMINFO`) in an upload over 5 Mb/s and 5 ms. The first is that after the
    /// first write, the others come after each of twelve ACKs of one segment. The eighth and later ones tell a window of 85,632 bytes. The twelfth finds nothing to send.
    /// So the limit grows from 46,080 to 101,376 bytes, and the program writes on.
    #[test]
    fn the_memory_is_a_kernels() {
        let mut queue = WriteQueue::new(MSS, 3_993_312, false);
        queue.open(1, 10);
        queue.advance(1, 65_160);
        let mut out = 0;
        write(&mut queue, &mut out, 10);
        let mut told = vec![queue.memory()];
        for ack in 1..=12 {
            let cwnd = 10 + ack;
            out -= 1;
            queue.advance(1 + ack * MSS, if ack < 8 { 65_160 } else { 85_632 });
            send(&mut queue, &mut out, cwnd, u64::MAX);
            queue.make_room(out, cwnd);
            told.push(queue.memory());
        }
        assert_eq!(
            told,
            [51_328, 50_712, 49_264, 48_648, 47_200, 46_584, 45_136, 44_520, 43_072, 42_456, 41_008, 39_560, 37_280]
        );
        assert_eq!(queue.limit, 101_376);
        write(&mut queue, &mut out, 22);
        assert_eq!(queue.memory(), 126_656);
    }

    /// A buffer of five segments takes from the next what a burst of eight lacks. The end that the program pushed is pushed, no other.
    #[test]
    fn a_burst_takes_from_the_next_buffer() {
        let queue = |older| {
            let mut queue = WriteQueue::new(MSS, 4_194_304, older);
            (queue.limit, queue.written) = (1, 15 * MSS);
            queue.unsent.extend([5, 10].map(|segments| Buffer { bytes: segments * MSS, pushed: segments == 10 }));
            queue
        };
        assert_eq!(queue(true).head(8 * MSS), Some((5 * MSS, false)), "not in 6.1");
        let mut queue = queue(false);
        assert_eq!(queue.head(8 * MSS), Some((8 * MSS, false)));
        assert!(!queue.take(8 * MSS));
        assert_eq!(queue.head(8 * MSS), Some((7 * MSS, true)));
        queue.take(3 * MSS);
        queue.put_back(3 * MSS, false);
        assert_eq!((queue.nxt, queue.head(8 * MSS)), (8 * MSS, Some((7 * MSS, true))));
        assert!(queue.take(7 * MSS));
        assert_eq!(queue.head(MSS), None);
    }
}
