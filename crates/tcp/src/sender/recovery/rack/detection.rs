//! RACK's state: which delivered segment left last, how long segments take, how far they overtake each other (RFC 8985
//! sections 5.2 and 6.2; names in comments are the document's).

use acklab_packet::{Seq, Time};

use super::super::super::CLOCK;
use super::super::log::Sent;

/// Recoveries without a DSACK after which the reordering window is its usual again.
const PERSIST: u32 = 16;

/// RACK's variables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Detection {
    /// `RACK.xmit_ts` and `RACK.end_seq`.
    pub newest: Option<(Time, Seq)>,
    /// `RACK.rtt`, in seconds.
    pub rtt: f64,
    /// `RACK.min_RTT`, over the connection.
    min_rtt: f64,
    /// `RACK.fack`.
    fack: Seq,
    pub reordering_seen: bool,
    /// `RACK.dsack_round`, `RACK.reo_wnd_mult`, `RACK.reo_wnd_persist`.
    dsack_round: Option<Seq>,
    multiple: u32,
    persist: u32,
}

impl Default for Detection {
    fn default() -> Detection {
        Detection {
            newest: None,
            rtt: 0.0,
            min_rtt: f64::INFINITY,
            fack: 0,
            reordering_seen: false,
            dsack_round: None,
            multiple: 1,
            persist: PERSIST,
        }
    }
}

impl Detection {
    /// `RACK_update` and `RACK_detect_reordering` for a segment that an ACK reports or covers for the first time.
    ///
    /// `late`: the echoed timestamp is older than the last transmission. An ACK of out-of-order data echoes that of the last in order
    /// (RFC 7323 section 4.3), so only a cumulative ACK's counts, as in Linux. `exact`: the segment gives a round trip by itself.
    pub fn delivered(&mut self, sent: &Sent, late: bool, exact: bool, now: Time) {
        if sent.end > self.fack {
            self.fack = sent.end;
        } else if sent.end < self.fack && !sent.resent {
            self.reordering_seen = true;
        }
        let rtt = (now - sent.at).secs();
        if !sent.resent && exact {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        if sent.resent && (late || rtt + CLOCK < self.min_rtt) {
            // What arrived is an earlier transmission.
            return;
        }
        self.rtt = rtt;
        if self.newest.is_none_or(|(at, end)| (sent.at, sent.end) > (at, end)) {
            self.newest = Some((sent.at, sent.end));
        }
    }

    /// The round trip of an ACK, where segments give none by themselves.
    pub fn sample(&mut self, rtt: Option<f64>) {
        self.min_rtt = rtt.map_or(self.min_rtt, |rtt| self.min_rtt.min(rtt));
    }

    /// An ACK that reports a duplicate (DSACK, RFC 2883) widens the reordering window, once a round trip.
    pub fn on_dsack(&mut self, snd_una: Seq, snd_nxt: Seq, dsack: bool) {
        if self.dsack_round.is_some_and(|round| snd_una >= round) {
            self.dsack_round = None;
        }
        if dsack && self.dsack_round.is_none() {
            self.dsack_round = Some(snd_nxt);
            self.multiple = self.multiple.saturating_add(1);
            self.persist = PERSIST;
        }
    }

    /// A fast or RTO recovery ends.
    pub fn on_exit(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiple = 1;
        }
    }

    /// `RACK_update_reo_wnd`: how long, in seconds, a segment may be overtaken before it is lost. `impatient`: in recovery,
    /// or with as many segments reported as duplicate ACKs would signal a loss; without reordering so far it then is 0.
    pub fn window(&self, impatient: bool, srtt: f64) -> f64 {
        if !self.reordering_seen && impatient {
            return 0.0;
        }
        (f64::from(self.multiple) * self.min_rtt / 4.0).min(srtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(end: Seq, at: f64, resent: bool) -> Sent {
        Sent {
            start: end - 1,
            end,
            at: Time::from_secs(at),
            resent,
            lost: false,
            marked: false,
            sacked: false,
            number: 0,
        }
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
        rack.delivered(&sent(3, 0.2, true), false, true, at(0.3));
        assert!(!rack.reordering_seen, "a retransmission fills a hole");
        rack.delivered(&sent(4, 0.0, false), false, true, at(0.3));
        assert!(rack.reordering_seen);
    }

    #[test]
    fn the_reordering_window_grows_with_dsacks_and_returns_after_16_recoveries() {
        let (mut rack, at) = (Detection::default(), Time::from_secs);
        rack.delivered(&sent(5, 0.0, false), false, true, at(0.08));
        let near = |got: f64, expected: f64| (got - expected).abs() < 1e-12;
        assert!(near(rack.window(false, 1.0), 0.02) && rack.window(true, 1.0) == 0.0);
        rack.reordering_seen = true;
        assert!(near(rack.window(true, 1.0), 0.02), "a quarter of the least round trip");
        rack.on_dsack(5, 20, true);
        rack.on_dsack(10, 20, true);
        assert!(near(rack.window(true, 1.0), 0.04), "once a round trip");
        rack.on_dsack(20, 40, true);
        assert!(near(rack.window(true, 1.0), 0.06) && near(rack.window(true, 0.05), 0.05), "no more than SRTT");
        (0..15).for_each(|_| rack.on_exit());
        assert!(near(rack.window(true, 1.0), 0.06));
        rack.on_exit();
        assert!(near(rack.window(true, 1.0), 0.02));
    }
}
