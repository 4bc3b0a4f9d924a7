//! Large segments that a card or the kernel divides (TSO, GSO), as Linux forms them (net/ipv4/tcp_output.c).
//!
//! Segments leave in bursts, each of which is one buffer to the kernel:
//!
//! - Its size follows the rate at which the window leaves: about a millisecond of it, and two segments at least (`tcp_tso_autosize`,
//!   `tcp_update_pacing_rate`). It takes no more than half of the window (`tcp_cwnd_test`).
//! - A burst smaller than that waits for the next ACK, if the last left within a millisecond and an ACK is due soon
//!   (`tcp_tso_should_defer`).
//! - The last segment of a burst of two and more has PSH (`__tcp_transmit_skb`), so that hosts that merge segments hand them over. So has
//!   a segment that ends what the program has pushed.
//!
//! A burst also ends where the [write queue](WriteQueue) does.

use acklab_packet::Time;

use super::congestion::Congestion;
use super::sequence::{SequenceSpace, payload};
use super::write_queue::{MOST, Push, WriteQueue};
use crate::rules::{Segmentation, SenderRules};

/// Fewest segments that are formed (`tcp_min_tso_segs`).
const FEWEST: u64 = 2;
/// Share of a second in which a burst leaves, as a shift (`sk_pacing_shift`).
const SHIFT: u32 = 10;
/// Shift of the least round trip, in microseconds, by which short paths get larger bursts (`tcp_tso_rtt_log`).
const RTT_LOG: u32 = 9;
/// The window and 100 or 20 % more leave in a round trip (`tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio`).
const SLOW_START: u64 = 200;
const AVOIDANCE: u64 = 120;
/// Share of the window that no burst waits to exceed (`tcp_tso_win_divisor`).
const DIVISOR: u64 = 3;
/// A burst waits only if the last left no longer ago, and an ACK is due in no more time, in seconds.
const RECENT: f64 = 1e-3;

/// What a burst depends on besides the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// Units in the network.
    pub in_flight: u64,
    /// Least round trip in seconds; infinite before a sample.
    pub rtt_min: f64,
    /// When the last segment left, and the oldest that is outstanding.
    pub last_sent: Time,
    pub oldest: Option<Time>,
    pub now: Time,
}

/// The decision on the segment of new data at SND.NXT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It goes now.
    Goes,
    /// It waits for the next ACK; `limited`: because cwnd has no room for a burst large enough.
    Waits { limited: bool },
}

/// Bursts of a sender.
#[derive(Clone, Debug)]
pub(super) struct Bursts {
    /// Payload bytes of a full segment.
    payload: u64,
    queue: WriteQueue,
    /// How many bursts may leave now.
    may: Push,
    /// The queue has been asked for more since something arrived.
    asked: bool,
    /// Bytes left of the burst that is leaving, and whether its last segment is pushed.
    left: u64,
    pushed: bool,
    /// The segment that goes now is pushed.
    push: bool,
    /// Units of the segment that goes now.
    len: u32,
    /// When it began.
    begun: Time,
    /// Eight smoothed round trips in microseconds, as the kernel rounds them (`tcp_rtt_estimator`); 0 before a sample.
    srtt8: u64,
}

impl Bursts {
    /// For a sender with these rules, if they ask for it. Only the recovery `rack` asks the program for more.
    pub fn new(rules: &SenderRules) -> Option<Box<Bursts>> {
        let payload = u64::from(payload(rules));
        let asks = rules.recovery.asks_program() && rules.max_burst == 0 && rules.sequence.in_bytes();
        (rules.segmentation != Segmentation::Off && asks).then(|| {
            Box::new(Bursts {
                payload,
                queue: WriteQueue::new(payload, rules.send_memory.into(), rules.segmentation == Segmentation::Linux61),
                may: Push::All,
                asked: false,
                left: 0,
                pushed: false,
                push: false,
                len: 0,
                begun: Time::ZERO,
                srtt8: 0,
            })
        })
    }

    /// Decides on the segment of new data at SND.NXT, of `len` bytes.
    pub fn turn(&mut self, seq: &SequenceSpace, len: u32, cc: &Congestion, of: &Circumstances) -> Turn {
        if self.left == 0 || self.begun < of.now {
            let turn = self.begin(seq, cc, of);
            if turn != Turn::Goes {
                return turn;
            }
        }
        self.len = u64::from(len).min(self.left) as u32;
        self.left -= u64::from(self.len);
        self.push = self.left == 0 && self.pushed;
        Turn::Goes
    }

    /// Whether the segment that goes now is pushed; asked once.
    pub fn take_push(&mut self) -> bool {
        std::mem::take(&mut self.push)
    }

    /// Units of a segment of `len`, as far as the burst has them.
    pub fn cut(&mut self, len: u64) -> u64 {
        match std::mem::take(&mut self.len) {
            0 => len,
            cut => len.min(cut.into()),
        }
    }

    /// Units left of a burst that has less than a segment left: the rest of the window.
    pub fn rest(&self, now: Time) -> Option<u32> {
        (self.begun == now && 0 < self.left && self.left < self.payload).then_some(self.left as u32)
    }

    /// A round trip that ends now.
    pub fn time(&mut self, elapsed: Time, now: Time) {
        let sample = micros(now).saturating_sub(micros(now - elapsed)).max(1);
        self.srtt8 = match self.srtt8 {
            0 => 8 * sample,
            srtt8 => srtt8 - srtt8 / 8 + sample,
        };
    }

    /// The window allows no more, or nothing waits: true if the program writes more, so that the sender tries again.
    pub fn write(&mut self, seq: &SequenceSpace, cc: &Congestion, in_flight: u64, window: u64) -> bool {
        let cwnd = cc.cwnd as u64 / u64::from(seq.mss);
        self.queue.open(seq.una, cwnd);
        self.queue.advance(seq.una, window);
        if !self.asked {
            self.queue.make_room(seq.segments(in_flight), cwnd);
        }
        self.may = self.queue.write(seq.limit);
        self.asked = self.may != Push::Nothing;
        if !self.asked {
            self.may = Push::All;
        }
        self.asked
    }

    /// Forms the next burst.
    fn begin(&mut self, seq: &SequenceSpace, cc: &Congestion, of: &Circumstances) -> Turn {
        self.queue.put_back(std::mem::take(&mut self.left), self.pushed);
        self.queue.catch_up(seq.nxt);
        if self.may == Push::Nothing {
            return Turn::Waits { limited: false };
        }
        let mss = u64::from(seq.mss);
        let (window, in_flight) = (cc.cwnd as u64 / mss, seq.segments(of.in_flight));
        let free = window.saturating_sub(in_flight).max(1);
        let most = self.size(cc, window.max(seq.segments(seq.flight_size())), of);
        let quota = free.min((window / 2).max(1)).min(most);
        let Some((bytes, last)) = self.queue.head(quota * mss) else { return Turn::Waits { limited: false } };
        let advertised = seq.window_end().saturating_sub(seq.nxt);
        if advertised < bytes.min(mss) {
            return Turn::Waits { limited: false };
        }
        if bytes > mss && self.may == Push::All && !cc.repairs(seq.una) {
            let (limit, room) = (advertised.min(free * mss), free * mss);
            let goes = limit >= most * mss
                || (!last && limit >= bytes)
                || limit >= seq.wnd.min(window * mss) / DIVISOR
                || !self.ack_is_near(of);
            if !goes {
                return Turn::Waits { limited: room < advertised && room <= bytes };
            }
        }
        self.left = self.split(bytes, last, (quota * mss, advertised), seq);
        self.begun = of.now;
        self.pushed = self.queue.take(self.left) || self.left > mss;
        self.queue.make_room(in_flight + seq.segments(self.left), window);
        if self.may == Push::One {
            self.may = Push::Nothing;
        }
        Turn::Goes
    }

    /// Bytes of the first buffer, which has so many, that make a burst (`tcp_mss_split_point`).
    fn split(&self, bytes: u64, last: bool, (most, advertised): (u64, u64), seq: &SequenceSpace) -> u64 {
        let whole = bytes.min(most);
        if bytes <= self.payload || (most <= advertised && (!last || most <= bytes)) {
            return whole;
        }
        let fits = whole.min(advertised);
        // Where the window ends, a smaller segment fills it, unless one is out.
        if seq.small_is_out() { fits / self.payload * self.payload } else { fits }
    }

    /// Segments of a burst at the rate at which a window of so many leaves.
    fn size(&self, cc: &Congestion, window: u64, of: &Circumstances) -> u64 {
        let mss = self.payload as f64;
        let share = if cc.cwnd / mss < (cc.ssthresh / mss / 2.0).floor() { SLOW_START } else { AVOIDANCE };
        let rate = self.payload.saturating_mul(window).saturating_mul(share * 80_000);
        let bytes = rate.checked_div(self.srtt8).map_or(MOST, |rate| rate >> SHIFT);
        let near = u32::try_from((of.rtt_min * 1e6) as u64 >> RTT_LOG).ok().and_then(|shift| MOST.checked_shr(shift));
        ((bytes + near.unwrap_or(0)).min(MOST) / self.payload).max(FEWEST)
    }

    /// True if it is worth waiting for the next ACK.
    fn ack_is_near(&self, of: &Circumstances) -> bool {
        let Some(oldest) = of.oldest else { return false };
        let srtt = self.srtt8 as f64 * 125e-9;
        let due = (oldest - of.now).secs() + srtt;
        (of.now - of.last_sent).secs() <= RECENT && due <= RECENT.min(srtt / 2.0)
    }
}

/// Whole microseconds, whatever sums have rounded.
fn micros(at: Time) -> u64 {
    (at.secs() * 1e6 + 1e-3) as u64
}
