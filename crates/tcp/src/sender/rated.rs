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
        let Some(delivery) = &mut self.rare.delivery else { return };
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
        let Some(delivery) = &mut self.rare.delivery else { return };
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
        if let Some(delivery) = self.rare.delivery.as_mut().filter(|_| dry) {
            delivery.limit_by_application(in_flight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{ControlKind, Stack};
    use crate::sender::{Sender, SenderWire, Supply};
    use acklab_packet::{Ack, Probe, Segment};

    /// What leaves, and when the pacer is to wake.
    #[derive(Default)]
    struct Wire {
        sent: Vec<Segment>,
        pacer: Option<Time>,
    }

    impl SenderWire for Wire {
        fn send(&mut self, segment: Segment, _wire_bytes: u32) {
            self.sent.push(segment);
        }
        fn answer(&mut self, _reply: Probe, _wire_bytes: u32) {}
        fn arm(&mut self, _at: Time) {}
        fn disarm(&mut self) {}
        fn arm_pacer(&mut self, at: Time) {
            self.pacer = Some(at);
        }
    }

    fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    /// A connection that was opened at 0 and answered after 100 ms, with so many segments to send.
    fn open(segments: u64) -> (Sender, Wire) {
        let rules = crate::rules::SenderRules { control: ControlKind::Bbr {}, ..Stack::Linux.sender() };
        let (mut sender, mut wire) = (Sender::new(rules.into(), Supply::Bytes(segments * 1448)), Wire::default());
        sender.start(at(0.0), &mut wire);
        sender.on_ack(&Ack { ack: 1, ts_ecr: at(0.0), ..Ack::default() }, at(0.1), &mut wire);
        (sender, wire)
    }

    #[test]
    fn after_ten_segments_each_waits_for_its_turn() {
        let (mut sender, mut wire) = open(100);
        assert_eq!((wire.sent.len(), wire.pacer), (1 + 10, None));
        // Two more may leave, and with the one delivered a third: the first at once, for it is late, half a turn later the next,
        // of 10 segments in 100 ms times 2/ln 2, less a hundredth.
        sender.on_ack(&Ack { ack: 1 + 2 * 1448, ts_ecr: at(0.1), ..Ack::default() }, at(0.2), &mut wire);
        assert_eq!(wire.sent.len(), 1 + 11);
        let turn = 1.0 / (100.0 * 739.0 / 256.0 * 0.99);
        let next = wire.pacer.unwrap();
        assert!(((next - at(0.2)).secs() - turn / 2.0).abs() < 1e-9, "{next:?}");
        sender.on_pacer(next, &mut wire);
        let after = wire.pacer.unwrap();
        assert_eq!(wire.sent.len(), 1 + 12);
        assert!(((after - next).secs() - turn).abs() < 1e-9, "{after:?}");
    }

    #[test]
    fn a_writer_that_lets_the_window_run_dry_limits_the_rate() {
        let (mut sender, mut wire) = open(4);
        assert!(!sender.core().rare.delivery.as_ref().unwrap().app_limited());
        sender.write(1448, at(0.15), &mut wire);
        let delivery = sender.core().rare.delivery.as_ref().unwrap();
        assert!(delivery.app_limited(), "four of ten were out, and there was nothing to send");
        // Until those four are delivered; the fifth, which left since, still counts as limited.
        sender.on_ack(&Ack { ack: 1 + 4 * 1448, ts_ecr: at(0.1), ..Ack::default() }, at(0.2), &mut wire);
        assert!(sender.core().rare.delivery.as_ref().unwrap().app_limited());
        sender.on_ack(&Ack { ack: 1 + 5 * 1448, ts_ecr: at(0.15), ..Ack::default() }, at(0.25), &mut wire);
        assert!(!sender.core().rare.delivery.as_ref().unwrap().app_limited());
    }

    #[test]
    fn a_full_window_is_no_writers_doing() {
        // All ten that the window holds are out when there is nothing more to send.
        let (mut sender, mut wire) = open(10);
        sender.write(1448, at(0.15), &mut wire);
        assert!(!sender.core().rare.delivery.as_ref().unwrap().app_limited());
    }

    #[test]
    fn a_timeout_leaves_room_for_one_segment_beside_what_is_not_lost() {
        let (mut sender, mut wire) = open(100);
        let (sent, ssthresh) = (wire.sent.len(), sender.core().ssthresh);
        // The probe of a tail, then the timeout: everything that left a round trip ago is lost.
        sender.on_timeout(at(0.4), &mut wire);
        assert_eq!(wire.sent.len(), sent + 1);
        sender.on_timeout(at(0.8), &mut wire);
        assert_eq!((sender.counters().timeouts, wire.sent.len()), (1, sent + 2));
        assert_eq!(sender.view().cwnd, 1.0);
        assert!((sender.core().ssthresh - ssthresh).abs() < 1448.0, "as it was, in whole segments");
    }
}
