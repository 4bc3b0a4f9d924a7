//! Divided ACKs until a sender's window has reached a goal, and no longer.
//!
//! The ledger only names these two proposals (divack.m.wireless_recovery, divack.m.handover), because the text at hand gives no
//! full algorithm. So the rules here are our own. The sender's segments carry its window.
//!
//! * After a wireless loss. When the gap is filled, ACKs leave in pieces until the window is back at what it was before
//!   the gap. The rule compares the sender's smoothed round trip just before the gap with the range it has had. A loss is
//!   wireless if that round trip lies in the lower `share` of the range, since a queue that overflows was full. Other
//!   losses change nothing.
//! * After a handover to a faster network. ACKs leave in pieces from an instant on, until the window has reached a target. The
//!   target can be the new path's bandwidth-delay product, if the receiver knows it.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission, Pieces};

/// The policy's state. Windows are in segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Restore {
    pieces: Pieces,
    share: f64,
    /// Window to reach; 0 for none.
    goal: f32,
    /// Time of the handover, if there is one.
    start: Option<Time>,
    /// Window told by the last segment before a gap.
    window: f32,
    srtt: f32,
    /// Least and greatest round trip told.
    range: Option<(f32, f32)>,
    gap: bool,
}

impl Restore {
    /// Divides into `pieces`; after losses in the lower `share` of the round trip's range, or, with a `target` above 0, from
    /// `start` on until the window is that many segments.
    pub fn new(pieces: Pieces, share: f64, target: u32, start: Time) -> Restore {
        let handover = (target > 0).then_some(start);
        let goal = target as f32;
        Restore { pieces, share, goal, start: handover, window: 0.0, srtt: 0.0, range: None, gap: false }
    }

    /// True if a loss seen now is taken for the wireless link's.
    fn wireless(&self) -> bool {
        let Some((least, most)) = self.range else { return false };
        f64::from(self.srtt - least) <= self.share * f64::from(most - least)
    }

    fn note(&mut self, arrival: &Arrival) {
        if self.start.is_none() {
            if arrival.gap && !self.gap && self.wireless() && self.goal == 0.0 {
                self.goal = self.window;
            }
            if !arrival.gap && self.goal > 0.0 && arrival.window >= self.goal {
                self.goal = 0.0;
            }
        } else if arrival.window >= self.goal {
            // A handover is over once its window is reached.
            self.goal = if self.start.is_some_and(|start| arrival.now >= start) { 0.0 } else { self.goal };
        }
        self.gap = arrival.gap;
        if !arrival.gap && arrival.srtt > 0.0 {
            let (least, most) = self.range.unwrap_or((arrival.srtt, arrival.srtt));
            self.range = Some((least.min(arrival.srtt), most.max(arrival.srtt)));
            (self.window, self.srtt) = (arrival.window, arrival.srtt);
        }
    }
}

impl AckPolicy for Restore {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.note(arrival);
        let begun = self.start.is_none_or(|start| arrival.now >= start);
        if arrival.in_order && !arrival.gap && begun && self.goal > 0.0 {
            Emission::Pieces(self.pieces)
        } else {
            Emission::Now
        }
    }

    fn on_timer(&mut self, _: Time) -> Emission {
        Emission::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{PieceOrder, PieceParts};

    const PIECES: Pieces =
        Pieces { count: 8, parts: PieceParts::Equal, order: PieceOrder::Rising, spacing: Time::ZERO };

    fn told(secs: f64, window: f32, srtt: f32, gap: bool) -> Arrival {
        Arrival { in_order: !gap, gap, len: 1460, window, srtt, now: Time::from_secs(secs), ..Arrival::default() }
    }

    fn divided(policy: &mut Restore, arrivals: &[Arrival]) -> Vec<bool> {
        arrivals.iter().map(|arrival| matches!(policy.on_segment(arrival), Emission::Pieces(_))).collect()
    }

    #[test]
    fn a_loss_with_an_empty_queue_is_made_good() {
        let mut policy = Restore::new(PIECES, 0.5, 0, Time::ZERO);
        let row = [
            told(1.0, 10.0, 0.10, false),
            told(1.1, 20.0, 0.20, false),
            told(1.2, 16.0, 0.12, false),
            told(1.3, 16.0, 0.12, true), // a gap at a short round trip: wireless
            told(1.4, 8.0, 0.12, false),
            told(1.5, 15.0, 0.12, false),
            told(1.6, 16.0, 0.12, false), // back at 16: enough
            told(1.7, 8.0, 0.12, false),
        ];
        assert_eq!(divided(&mut policy, &row), [false, false, false, false, true, true, false, false]);
    }

    #[test]
    fn a_loss_with_a_full_queue_is_not() {
        let mut policy = Restore::new(PIECES, 0.5, 0, Time::ZERO);
        let row = [
            told(1.0, 10.0, 0.10, false),
            told(1.1, 20.0, 0.20, false),
            told(1.2, 20.0, 0.20, true),
            told(1.3, 10.0, 0.20, false),
        ];
        assert_eq!(divided(&mut policy, &row), [false; 4]);
    }

    #[test]
    fn after_a_handover_until_the_target() {
        let mut policy = Restore::new(PIECES, 0.5, 30, Time::from_secs(2.0));
        let row = [
            told(1.0, 40.0, 0.1, false),
            told(2.0, 10.0, 0.1, false),
            told(2.1, 29.0, 0.1, false),
            told(2.2, 30.0, 0.1, false),
            told(2.3, 10.0, 0.1, false),
        ];
        assert_eq!(divided(&mut policy, &row), [false, true, true, false, false]);
    }
}
