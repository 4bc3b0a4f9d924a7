//! What a sender asks of its receiver's ACKs: when a request leaves, and for how many segments.

use acklab_packet::AckNotice;

use crate::rules::{AckRequest, SenderRules};

/// Where a segment stands, as its request depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Standing {
    /// It opens the connection.
    pub syn: bool,
    /// It was sent before.
    pub retransmit: bool,
    /// Nothing follows it.
    pub last: bool,
    /// The sender is in slow start.
    pub slow_start: bool,
    /// The sender's window, in segments.
    pub window: f64,
}

/// A sender's requests.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    segments: u32,
    slow_start: u32,
    window_share: f64,
    tail: bool,
    /// The receiver has said that it takes requests.
    agreed: bool,
    /// What was requested last; 0 if nothing was.
    current: u32,
}

impl Requests {
    /// The requests of a sender with these rules.
    pub fn new(rules: &SenderRules) -> Option<Box<Requests>> {
        let AckRequest::On { segments, slow_start, window_share, tail } = rules.ack_request else { return None };
        Some(Box::new(Requests { segments, slow_start, window_share, tail, agreed: false, current: 0 }))
    }

    /// The answer to the SYN arrives; without the option no request may leave.
    pub fn agree(&mut self, able: bool) {
        self.agreed = able;
    }

    /// What a segment tells.
    pub fn notice(&mut self, of: Standing) -> AckNotice {
        if of.syn {
            return AckNotice::ABLE;
        }
        if !self.agreed {
            return AckNotice::default();
        }
        if self.tail && of.last {
            return AckNotice::request(0);
        }
        let wanted = self.wanted(&of);
        // A retransmission repeats the request: the segment that had it may be the one that was lost.
        if wanted == self.current && !of.retransmit || self.waits(wanted, &of) {
            return AckNotice::default();
        }
        self.current = wanted;
        AckNotice::request(wanted as u8)
    }

    /// Segments an ACK is to cover.
    fn wanted(&self, of: &Standing) -> u32 {
        let most = if of.slow_start && self.slow_start > 0 { self.slow_start } else { self.segments };
        most.min((self.window_share * of.window) as u32).max(1)
    }

    /// True if the request only grows with the window, and by too little to be worth an option.
    fn waits(&self, wanted: u32, of: &Standing) -> bool {
        let bounded = f64::from(wanted + 1) > self.window_share * of.window;
        !of.retransmit && bounded && wanted > self.current && 4 * wanted < 5 * self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(slow_start: u32, window_share: f64) -> Requests {
        Requests { segments: 16, slow_start, window_share, tail: true, agreed: true, current: 0 }
    }

    fn at(window: f64) -> Standing {
        Standing { window, ..Standing::default() }
    }

    /// What is requested at each of these windows.
    fn course(requests: &mut Requests, windows: &[f64]) -> Vec<Option<u8>> {
        windows.iter().map(|&window| requests.notice(at(window)).requested()).collect()
    }

    #[test]
    fn a_request_leaves_when_it_changes() {
        // Half the window up to 16: growth by less than a quarter waits, a fall does not.
        let windows = [10.0, 11.0, 12.0, 14.0, 40.0, 100.0, 20.0, 1.0];
        let wanted = [Some(5), None, None, Some(7), Some(16), None, Some(10), Some(1)];
        assert_eq!(course(&mut requests(0, 0.5), &windows), wanted);
    }

    #[test]
    fn a_phase_may_have_its_own() {
        let mut requests = requests(2, 1.0);
        let slow = Standing { slow_start: true, ..at(100.0) };
        assert_eq!(requests.notice(slow).requested(), Some(2));
        assert_eq!(requests.notice(slow).requested(), None);
        assert_eq!(requests.notice(at(100.0)).requested(), Some(16));
    }

    #[test]
    fn a_retransmission_repeats_it_and_the_last_segment_asks_for_an_ack() {
        let mut requests = requests(0, 1.0);
        requests.notice(at(50.0));
        assert_eq!(requests.notice(Standing { retransmit: true, ..at(50.0) }).requested(), Some(16));
        assert_eq!(requests.notice(Standing { last: true, ..at(50.0) }).requested(), Some(0));
        assert_eq!(requests.notice(at(50.0)), AckNotice::default(), "0 changes nothing");
    }

    #[test]
    fn nothing_is_requested_of_a_receiver_that_does_not_know_the_option() {
        let mut requests = Requests { agreed: false, ..requests(0, 1.0) };
        assert_eq!(requests.notice(Standing { syn: true, ..at(1.0) }), AckNotice::ABLE);
        assert_eq!(requests.notice(at(50.0)), AckNotice::default());
        requests.agree(true);
        assert_eq!(requests.notice(at(50.0)).requested(), Some(16));
    }
}
