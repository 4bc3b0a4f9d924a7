//! DCTCP (RFC 8257): a mark takes as much off the window as bytes were marked of late. Names are the document's.

use acklab_packet::Seq;

use super::{AckEvent, CongestionControl, Needs, Reduced, Signal, Traits, Window};

/// DCTCP's state (section 3.3). In sequence units.
#[derive(Clone, Debug, PartialEq)]
pub struct Dctcp {
    /// g: weight of the newest window.
    gain: f64,
    /// `DCTCP.Alpha`: the share of marked bytes; all of them at first, so that the first mark halves.
    alpha: f64,
    /// `DCTCP.WindowEnd`.
    window_end: Seq,
    /// `DCTCP.BytesAcked` and `DCTCP.BytesMarked` of the present window.
    acked: f64,
    marked: f64,
}

impl Dctcp {
    /// Before any ACK.
    pub fn new(gain: f64) -> Dctcp {
        Dctcp { gain, alpha: 1.0, window_end: 0, acked: 0.0, marked: 0.0 }
    }

    /// The weight of the newest window.
    pub fn gain(&self) -> f64 {
        self.gain
    }
}

impl CongestionControl for Dctcp {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn traits(&self) -> Traits {
        Traits { counts_marks: true, ..Traits::default() }
    }

    fn on_ack(&mut self, ack: &AckEvent, _: &mut Window) {
        self.acked += ack.newly_delivered;
        self.marked += ack.ce_count;
        if ack.ack > self.window_end && self.acked > 0.0 {
            self.alpha += self.gain * ((self.marked / self.acked).min(1.0) - self.alpha);
            (self.window_end, self.acked, self.marked) = (ack.snd_max, 0.0, 0.0);
        }
    }

    fn marked_share(&self) -> Option<f64> {
        Some(self.alpha)
    }

    /// Losses are answered as the standard does (section 3.4).
    fn on_congestion(&mut self, signal: Signal, in_use: f64, _: &Window) -> Reduced {
        Reduced::to(if signal == Signal::Mark { in_use * (1.0 - self.alpha / 2.0) } else { in_use / 2.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{event, window};
    use super::*;

    /// An ACK up to `ack` while 10 segments were out, which newly covers `acked`; alpha after it.
    fn on_ack(dctcp: &mut Dctcp, ack: Seq, acked: f64, ece: bool) -> f64 {
        let ce_count = if ece { acked } else { 0.0 };
        let ack_event = AckEvent { acked, newly_delivered: acked, ce_count, ..event(ack, ack + 10, None) };
        dctcp.on_ack(&ack_event, &mut window(10.0, 5.0));
        dctcp.alpha
    }

    /// By hand, with g = 1/16. Alpha begins at 1. The first ACK ends the first window, without a mark: 15/16; the next one ends past 11.
    /// Of its 12 segments 3 are marked, those of the ACK that ends it included: 15/16 + (3/12 - 15/16) / 16.
    #[test]
    fn alpha_is_the_share_of_marked_bytes_window_by_window() {
        let mut dctcp = Dctcp::new(1.0 / 16.0);
        assert_eq!(on_ack(&mut dctcp, 1, 1.0, false), 0.9375);
        for ack in 2..=11 {
            assert_eq!(on_ack(&mut dctcp, ack, 1.0, ack == 4), 0.9375, "not past the window's end: {ack}");
        }
        let mut counted = dctcp.clone();
        // 10 segments so far, one marked; two more, marked: 3 of 12.
        let alpha = on_ack(&mut counted, 13, 2.0, true);
        assert!((alpha - (0.9375 + (0.25 - 0.9375) / 16.0)).abs() < 1e-15, "{alpha}");
        assert_eq!((counted.window_end, counted.acked, counted.marked), (23, 0.0, 0.0));
        assert_eq!(on_ack(&mut dctcp, 11, 0.0, true), 0.9375, "a duplicate covers nothing");
    }

    #[test]
    fn a_mark_takes_half_of_alpha_and_a_loss_half() {
        let dctcp = Dctcp { alpha: 0.25, ..Dctcp::new(0.0625) };
        let left = |signal| dctcp.clone().on_congestion(signal, 40.0, &window(40.0, 20.0));
        assert_eq!(left(Signal::Mark), Reduced::to(35.0));
        assert_eq!((left(Signal::Loss), left(Signal::Timeout)), (Reduced::to(20.0), Reduced::to(20.0)));
        let first = Dctcp::new(0.0625).on_congestion(Signal::Mark, 40.0, &window(40.0, 20.0));
        assert_eq!(first, Reduced::to(20.0), "nothing is known yet");
    }
}
