//! RACK's state: which delivered segment left last, and how long segments take (RFC 8985 sections 5.2 and 6.2; names in comments
//! are the document's).

use acklab_packet::{Seq, Time};

use super::super::super::CLOCK;
use super::super::super::flight::Sent;

/// RACK's variables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Detection {
    /// `RACK.xmit_ts` and `RACK.end_seq`.
    pub newest: Option<(Time, Seq)>,
    /// `RACK.rtt`, in seconds.
    pub rtt: f64,
    /// `RACK.min_RTT`, over the connection.
    pub min_rtt: f64,
    /// `RACK.fack`.
    fack: Seq,
    /// True if something was delivered since losses were last looked for (Linux's `advanced`).
    pub advanced: bool,
}

impl Default for Detection {
    fn default() -> Detection {
        Detection { newest: None, rtt: 0.0, min_rtt: f64::INFINITY, fack: 0, advanced: false }
    }
}

impl Detection {
    /// `RACK_update` and `RACK_detect_reordering` for a segment that an ACK reports or covers for the first time; whether it was
    /// overtaken.
    ///
    /// `late`: the echoed timestamp is older than the last transmission. An ACK of out-of-order data echoes that of the last in order
    /// (RFC 7323 section 4.3), so only a cumulative ACK's counts, as in Linux. `exact`: the segment gives a round trip by itself.
    pub fn delivered(&mut self, sent: &Sent, late: bool, exact: bool, now: Time) -> bool {
        let overtaken = sent.end < self.fack && !sent.resent;
        self.fack = self.fack.max(sent.end);
        let rtt = (now - sent.at).secs();
        if !sent.resent && exact {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        if sent.resent && (late || rtt + CLOCK < self.min_rtt) {
            // What arrived is an earlier transmission.
            return overtaken;
        }
        (self.rtt, self.advanced) = (rtt, true);
        if self.newest.is_none_or(|(at, end)| (sent.at, sent.end) > (at, end)) {
            self.newest = Some((sent.at, sent.end));
        }
        overtaken
    }

    /// The round trip of an ACK, where segments give none by themselves.
    pub fn sample(&mut self, rtt: Option<f64>) {
        self.min_rtt = rtt.map_or(self.min_rtt, |rtt| self.min_rtt.min(rtt));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(end: Seq, at: f64, resent: bool) -> Sent {
        Sent { start: end - 1, end, at: Time::from_secs(at), resent, ..Sent::default() }
    }

    #[test]
    fn what_an_earlier_transmission_brings_is_no_sample() {
        let (mut rack, at) = (Detection::default(), Time::from_secs);
        rack.delivered(&sent(1, 0.0, false), false, true, at(0.1));
        assert_eq!((rack.newest, rack.rtt, rack.min_rtt), (Some((at(0.0), 1)), 0.1, 0.1));
        // Sent again at 0.15, reported at 0.2: half a round trip later it can only be the first copy.
        rack.delivered(&sent(2, 0.15, true), false, true, at(0.2));
        assert_eq!(rack.newest, Some((at(0.0), 1)));
        // A round trip later it may be either, unless the echo is older.
        rack.delivered(&sent(3, 0.15, true), true, true, at(0.25));
        assert_eq!(rack.newest, Some((at(0.0), 1)));
        rack.delivered(&sent(3, 0.15, true), false, true, at(0.25));
        assert_eq!(rack.newest, Some((at(0.15), 3)));
    }

    #[test]
    fn reordering_is_a_first_copy_below_what_has_arrived() {
        let (mut rack, at) = (Detection::default(), Time::from_secs);
        rack.delivered(&sent(5, 0.0, false), false, true, at(0.1));
        assert!(!rack.delivered(&sent(3, 0.2, true), false, true, at(0.3)), "a retransmission fills a hole");
        assert!(rack.delivered(&sent(4, 0.0, false), false, true, at(0.3)));
    }
}
