//! A window that nothing moves, beside DCTCP's estimate of the share of marks (RFC 8257 section 3.3): it shows what the feedback
//! tells, and does not change what is marked.

use super::dctcp::Dctcp;
use super::{AckEvent, CongestionControl, Needs, Reduced, Signal, Traits, Window};

/// The control's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    marks: Dctcp,
}

impl Fixed {
    /// Before any ACK; `gain` is the weight of the newest window in the share.
    pub fn new(gain: f64) -> Fixed {
        Fixed { marks: Dctcp::new(gain) }
    }
}

impl CongestionControl for Fixed {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn traits(&self) -> Traits {
        Traits { counts_marks: true, ..Traits::default() }
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        self.marks.on_ack(ack, window);
    }

    fn grow(&mut self, _: f64, _: &mut Window) {}

    fn on_congestion(&mut self, _: Signal, _: f64, window: &Window) -> Reduced {
        Reduced { cwnd: window.cwnd, ssthresh: window.ssthresh }
    }

    fn marked_share(&self) -> Option<f64> {
        self.marks.marked_share()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{event, window};
    use super::*;

    #[test]
    fn it_estimates_and_moves_nothing() {
        let (mut fixed, mut state) = (Fixed::new(0.0625), window(40.0, 20.0));
        let ack = AckEvent { newly_delivered: 4.0, ce_count: 1.0, ..event(4, 44, None) };
        fixed.on_ack(&ack, &mut state);
        fixed.grow(4.0, &mut state);
        assert_eq!(state, window(40.0, 20.0));
        let kept = Reduced { cwnd: 40.0, ssthresh: 20.0 };
        assert_eq!([Signal::Mark, Signal::Loss].map(|signal| fixed.on_congestion(signal, 40.0, &state)), [kept; 2]);
        // 1 + (1/4 - 1) / 16.
        assert_eq!(fixed.marked_share(), Some(0.953_125));
    }
}
