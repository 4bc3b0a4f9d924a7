//! Senders whose control goes by delivery rates: what it is told, and what it moves.

use acklab_packet::{Seq, Time};

use super::Core;
use super::control::{Repair, Situation};
use super::delivery::RateSample;

/// Segments that leave before pacing begins, as in kernels: an initial window goes at once.
const UNPACED: u32 = 10;

impl Core {
    fn whole_segments(&self, units: u64) -> u64 {
        units.div_ceil(u64::from(self.mss))
    }

    /// Units `start .. end` have left. From the tenth segment on, the next may go when the rate allows; half of its wait makes
    /// up for what this one was late, so that late timers cost no throughput (`tcp_update_skb_after_send`).
    #[inline(never)]
    pub(super) fn note_departure(&mut self, start: Seq, end: Seq, syn: bool, idle: bool, now: Time) {
        let (cwnd, srtt) = (self.cwnd_segments(), self.smoothed_rtt());
        let Some(delivery) = &mut self.delivery else { return };
        delivery.sent(start, end, idle, now);
        let Some(bbr) = self.control.bbr().filter(|_| !syn) else { return };
        bbr.begin(now.secs(), cwnd, srtt, delivery.min_rtt());
        if idle && delivery.app_limited() {
            let mut window = cwnd;
            bbr.restart(now.secs(), &mut window);
            if window != cwnd {
                self.cwnd = (window * u64::from(self.mss)) as f64;
            }
        }
        let data = self.counters.segments_sent - u64::from(self.counters.syns_sent);
        if data < u64::from(UNPACED) {
            return;
        }
        let late = (now - self.next_send).secs().max(0.0);
        let wait = (end - start) as f64 / f64::from(self.mss) / bbr.pacing_rate();
        let leaves = self.next_send.max(now);
        self.next_send = leaves + Time::from_secs(wait - late.min(wait / 2.0));
    }

    fn cwnd_segments(&self) -> u64 {
        (self.cwnd / f64::from(self.mss)) as u64
    }

    /// An ACK has been taken in. `flight`: units in flight before it and now; `lost`: units it shows to be lost, and all that
    /// ever were; `echo`: what its timestamp echoes, if it advances.
    pub(super) fn on_delivery(
        &mut self,
        (before, flight): (u64, u64),
        (lost, lost_ever): (u64, u64),
        repair: Repair,
        now: Time,
        echo: Option<Time>,
    ) {
        let [prior_in_flight, in_flight, lost, lost_ever] =
            [before, flight, lost, lost_ever].map(|units| self.whole_segments(units));
        let mss = u64::from(self.mss);
        let echo = echo.filter(|_| self.rules.timestamps).map(|echo| (now - echo).secs());
        let situation = Situation {
            cwnd: self.cwnd_segments(),
            repair,
            srtt: self.smoothed_rtt(),
            wait: (self.next_send - now).secs().max(0.0),
        };
        let Some(delivery) = &mut self.delivery else { return };
        let sample = RateSample { prior_in_flight, in_flight, lost, lost_ever, ..delivery.sample(now, echo) };
        let Some(bbr) = self.control.bbr().filter(|bbr| bbr.begun()) else { return };
        let decision = bbr.on_sample(&sample, &situation);
        if decision.limits_itself {
            delivery.limit_by_application(in_flight);
        }
        if let Some(ssthresh) = decision.ssthresh {
            self.ssthresh = (ssthresh * mss) as f64;
        }
        if decision.cwnd != situation.cwnd {
            self.cwnd = (decision.cwnd * mss) as f64;
        }
    }

    /// The application is about to write: if there was nothing to send, though the window had room for more than the
    /// `flight` units in it, rates are its doing for a while.
    pub(super) fn note_pause(&mut self, flight: u64) {
        let dry = self.limit - self.snd_max < u64::from(self.mss) && (flight as f64) < self.cwnd;
        let in_flight = self.whole_segments(flight);
        if let Some(delivery) = self.delivery.as_mut().filter(|_| dry) {
            delivery.limit_by_application(in_flight);
        }
    }
}
