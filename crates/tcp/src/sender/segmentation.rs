//! Large segments that a card or the kernel divides (TSO, GSO), as Linux forms them (facts of net/ipv4/tcp_output.c, told in other words).
//!
//! Segments leave in bursts, each of which is one buffer to the kernel:
//!
//! - Its size follows the rate at which the window leaves: about a millisecond of it, and two segments at least (`tcp_tso_autosize`,
//!   `tcp_update_pacing_rate`). It takes no more than half of the window (`tcp_cwnd_test`).
//! - A burst smaller than that waits for the next ACK, if the last left within a millisecond and an ACK is due soon
//!   (`tcp_tso_should_defer`).
//! - The last segment of a burst of two and more has PSH (`__tcp_transmit_skb`), so that hosts that merge segments hand them over. So has
//!   the last of what one write has filled, because the program then waits for room in its send buffer (`tcp_push`).

use acklab_packet::{Seq, Time};

use super::congestion::Congestion;
use super::sequence::{SequenceSpace, payload};
use crate::rules::{Segmentation, SenderRules};

/// Most payload bytes of a buffer: 65,536 less room for headers (`sk_gso_max_size`).
const MOST: u64 = 65_279;
/// Most of the first buffers: half of the window that a receiver opens with, 65,160 bytes (`tcp_bound_to_half_wnd`). The send buffer holds
/// so many at first. Larger ones are filled later, when the window has opened.
const MOST_AT_FIRST: u64 = 32_580;
const FIRST_BUFFERS: u32 = 3;
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
    /// Smoothed and least round trip in seconds; infinite before a sample.
    pub srtt: f64,
    pub rtt_min: f64,
    /// When the last segment left, and the oldest that is outstanding.
    pub last_sent: Time,
    pub oldest: Option<Time>,
    pub now: Time,
}

/// Bursts of a sender.
#[derive(Clone, Debug)]
pub(super) struct Bursts {
    /// Payload bytes of a full segment, and buffers left of the first ones.
    payload: u64,
    first: u32,
    /// Segments left of the burst that is leaving, and whether its last is pushed.
    left: u64,
    pushed: bool,
    /// The segment that goes now is pushed.
    push: bool,
    /// When it began.
    begun: Time,
    /// Segments left in the first buffer that waits.
    rest: u64,
}

impl Bursts {
    /// For a sender with these rules, if they ask for it.
    pub fn new(rules: &SenderRules) -> Option<Box<Bursts>> {
        let payload = u64::from(payload(rules));
        let rest = (MOST_AT_FIRST / payload).max(1);
        (rules.segmentation == Segmentation::Linux).then(|| {
            Box::new(Bursts {
                payload,
                first: FIRST_BUFFERS,
                left: 0,
                pushed: false,
                push: false,
                begun: Time::ZERO,
                rest,
            })
        })
    }

    /// Whether the segment of new data at SND.NXT goes now; if not, it waits for the next ACK.
    pub fn turn(&mut self, seq: &SequenceSpace, cc: &Congestion, of: &Circumstances) -> bool {
        if (self.left == 0 || self.begun < of.now) && !self.begin(seq, cc, of) {
            return false;
        }
        self.left -= 1;
        self.push = self.left == 0 && self.pushed || ends_write(seq);
        true
    }

    /// Whether the segment that goes now is pushed; asked once.
    pub fn take_push(&mut self) -> bool {
        std::mem::take(&mut self.push)
    }

    /// Forms the next burst; false if it waits.
    fn begin(&mut self, seq: &SequenceSpace, cc: &Congestion, of: &Circumstances) -> bool {
        let mss = u64::from(seq.mss);
        let (window, in_flight) = (cc.cwnd as u64 / mss, seq.segments(of.in_flight));
        let written = seq.segments(seq.limit.saturating_sub(seq.nxt)).max(1);
        let free = window.saturating_sub(in_flight).max(1);
        let advertised = (seq.window_end().saturating_sub(seq.nxt) / mss).max(1);
        let most = self.size(cc, window.max(seq.segments(seq.flight_size())), of);
        let quota = free.min((window / 2).max(1)).min(most);
        // What the first buffer lacks comes from the next one (`tcp_grow_skb`).
        let buffer = self.rest.max(quota).min(written);
        let limit = free.min(advertised);
        let whole = buffer < written && limit >= buffer;
        let last = buffer == written && limit >= buffer;
        let waits = buffer > 1
            && !cc.repairs(seq.una)
            && limit < most
            && !whole
            && !last
            && limit < (seq.wnd / mss).min(window) / DIVISOR
            && of.ack_is_near();
        if waits {
            return false;
        }
        self.begun = of.now;
        self.left = quota.min(advertised).min(buffer);
        self.pushed = self.left > 1 || self.left == buffer;
        self.rest = match buffer - self.left {
            0 => self.next_buffer().saturating_sub(self.left.saturating_sub(self.rest)).max(1),
            rest => rest,
        };
        true
    }

    /// Segments of the next buffer.
    fn next_buffer(&mut self) -> u64 {
        self.first = self.first.saturating_sub(1);
        (if self.first > 0 { MOST_AT_FIRST } else { MOST } / self.payload).max(1)
    }

    /// Segments of a burst at the rate at which a window of so many leaves.
    fn size(&self, cc: &Congestion, window: u64, of: &Circumstances) -> u64 {
        let micros = |secs: f64| (secs * 1e6) as u64;
        let share = if cc.cwnd < cc.ssthresh / 2.0 { SLOW_START } else { AVOIDANCE };
        let rate = self.payload.saturating_mul(window).saturating_mul(share * 10_000);
        let bytes = match micros(of.srtt) {
            srtt if srtt > 0 && of.srtt.is_finite() => (rate / srtt) >> SHIFT,
            _ => MOST,
        };
        let near = u32::try_from(micros(of.rtt_min) >> RTT_LOG).ok().and_then(|shift| MOST.checked_shr(shift));
        ((bytes + near.unwrap_or(0)).min(MOST) / self.payload).max(FEWEST)
    }
}

impl Circumstances {
    /// True if it is worth waiting for the next ACK.
    fn ack_is_near(&self) -> bool {
        let Some(oldest) = self.oldest else { return false };
        let due = (oldest - self.now).secs() + self.srtt;
        (self.now - self.last_sent).secs() <= RECENT && due <= RECENT.min(self.srtt / 2.0)
    }
}

/// True if the segment at SND.NXT has the end of what was written.
fn ends_write(seq: &SequenceSpace) -> bool {
    let end: Seq = seq.nxt + u64::from(seq.len_at(seq.nxt));
    end == seq.limit
}
