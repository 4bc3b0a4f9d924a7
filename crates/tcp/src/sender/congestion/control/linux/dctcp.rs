//! DCTCP as Linux computes it (net/ipv4/tcp_dctcp.c): the share of marks in 1024ths, and reductions by whole segments.

use acklab_packet::Seq;

use super::super::{AckEvent, CongestionControl, Needs, Reduced, Signal, Window};
use super::{Counted, whole};

/// The share of marks has so many bits, and counts in so many parts (`DCTCP_MAX_ALPHA`).
const BITS: u32 = 10;
const PARTS: u64 = 1 << BITS;

/// The state (`struct dctcp`), in segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Dctcp {
    /// Weight of the newest window, as a power of one half (`dctcp_shift_g`).
    shift: u32,
    /// `dctcp_alpha`.
    alpha: u64,
    /// `next_seq`, and segments delivered and marked since it was set.
    next: Seq,
    delivered: u64,
    marked: u64,
    counted: Counted,
}

impl Dctcp {
    /// Before any ACK; the nearest power of two is the `gain`.
    pub fn new(gain: f64) -> Dctcp {
        let shift = (-gain.log2()).round().clamp(0.0, f64::from(BITS)) as u32;
        Dctcp { shift, alpha: PARTS, next: 0, delivered: 0, marked: 0, counted: Counted::default() }
    }
}

/// Segments in `units`, of which the last may be short.
fn segments(units: f64, window: &Window) -> u64 {
    (units / window.mss - 1e-6).ceil() as u64
}

impl CongestionControl for Dctcp {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    /// `dctcp_update_alpha`. A share below `2^shift` 1024ths falls to 0 at once.
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        self.delivered += segments(ack.newly_delivered, window);
        self.marked += segments(ack.ce_count, window);
        if ack.ack < self.next {
            return;
        }
        let part = self.alpha >> self.shift;
        self.alpha -= if part == 0 { self.alpha } else { part };
        if self.marked > 0 {
            let newest = (self.marked << (BITS - self.shift)) / self.delivered.max(1);
            self.alpha = (self.alpha + newest).min(PARTS);
        }
        (self.next, self.delivered, self.marked) = (ack.snd_max, 0, 0);
    }

    /// `tcp_reno_cong_avoid`.
    fn grow(&mut self, credit: f64, window: &mut Window) {
        self.counted.reno(whole(credit, window), window);
    }

    /// `dctcp_ssthresh`, and `dctcp_react_to_loss` for what is lost.
    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        let cwnd = whole(in_use, window);
        if signal != Signal::Idle {
            self.counted = Counted::default();
        }
        let left = if signal == Signal::Mark { cwnd - ((cwnd * self.alpha) >> (BITS + 1)) } else { cwnd / 2 };
        Reduced::to(left.max(2) as f64 * window.mss)
    }

    fn marked_share(&self) -> Option<f64> {
        Some(self.alpha as f64 / PARTS as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{event, window};
    use super::*;

    /// An ACK up to `ack` while 10 segments were out, which newly covers `acked` of which so many were marked; alpha after it.
    fn on_ack(dctcp: &mut Dctcp, ack: Seq, acked: f64, marked: f64) -> u64 {
        let ack_event = AckEvent { acked, newly_delivered: acked, ce_count: marked, ..event(ack, ack + 10, None) };
        dctcp.on_ack(&ack_event, &mut window(10.0, 5.0));
        dctcp.alpha
    }

    /// By hand, with g = 1/16. The first ACK ends the first window: 1024 - 64. The next window ends with ACK 11, which reaches its last
    /// number. Of its 10 segments 3 are marked: 960 - 60 + 3 * 64 / 10, without the fraction.
    #[test]
    fn the_share_is_counted_in_1024ths() {
        let mut dctcp = Dctcp::new(1.0 / 16.0);
        assert_eq!(on_ack(&mut dctcp, 1, 1.0, 0.0), 960);
        for ack in 2..=10 {
            assert_eq!(
                on_ack(&mut dctcp, ack, 1.0, f64::from(u8::from(ack < 5))),
                960,
                "the window's end is not reached: {ack}"
            );
        }
        assert_eq!(on_ack(&mut dctcp, 11, 1.0, 0.0), 900 + 19);
        assert_eq!((dctcp.next, dctcp.delivered, dctcp.marked), (21, 0, 0));
        // Of 15 1024ths a sixteenth is less than one: nothing is left of them.
        dctcp.alpha = 15;
        assert_eq!(on_ack(&mut dctcp, 21, 10.0, 0.0), 0);
        // A window with marks alone.
        dctcp.alpha = 1023;
        assert_eq!(on_ack(&mut dctcp, 31, 10.0, 10.0), 1023 - 63 + 64);
        assert_eq!(Dctcp::new(0.3).shift, 2);
    }

    /// A reduction takes whole segments, rounded down.
    #[test]
    fn a_mark_takes_whole_segments() {
        let left = |alpha, signal, cwnd| {
            Dctcp { alpha, ..Dctcp::new(0.0625) }.on_congestion(signal, cwnd, &window(cwnd, 20.0))
        };
        assert_eq!(left(1024, Signal::Mark, 41.0), Reduced::to(21.0));
        assert_eq!(left(100, Signal::Mark, 40.0), Reduced::to(39.0));
        assert_eq!(left(51, Signal::Mark, 40.0), Reduced::to(40.0), "less than a segment");
        assert_eq!(
            (left(0, Signal::Loss, 41.0), left(0, Signal::Timeout, 41.0)),
            (Reduced::to(20.0), Reduced::to(20.0))
        );
        assert_eq!(left(1024, Signal::Mark, 3.0), Reduced::to(2.0));
    }
}
