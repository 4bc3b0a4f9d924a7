//! Delivery rate: how fast the network delivers a flow's segments to the receiver (Linux's tcp_rate.c;
//! draft-cheng-iccrg-delivery-rate-estimation, whose names comments give; also in draft-ietf-ccwg-bbr section 4.1).
//!
//! When a segment leaves, it notes how many segments had been delivered by then, and when the last of them was. When it is
//! delivered itself, the segments delivered since then, divided by the time that took, are a sample. That time is the longer
//! of two: between the sends, and between the ACKs. So ACKs that come in bunches do not show a rate at which nothing was sent.

use std::collections::VecDeque;

use acklab_packet::{Seq, Time};

use super::super::CLOCK;

/// A segment on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Flying {
    start: Seq,
    end: Seq,
    /// Units of it not reported yet; with none left it has been delivered.
    left: u64,
    at: Time,
    resent: bool,
    /// `P.first_sent_time`, `P.delivered`, `P.delivered_time`, `P.is_app_limited`: the state of the flow when it left.
    first_sent: Time,
    delivered: u64,
    delivered_at: Time,
    app_limited: bool,
}

/// A rate of delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Segments delivered by the time when the newest of them had left (`rs.prior_delivered`).
    pub prior_delivered: u64,
    /// Segments delivered since.
    pub delivered: u64,
    /// Seconds it took.
    pub interval: f64,
}

/// Deliveries and losses that an ACK shows. Counts in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Time of the ACK.
    pub now: Time,
    /// Segments delivered so far, and when the last ACK of some came.
    pub delivered: u64,
    /// See there.
    pub delivered_at: Time,
    /// Segments that it covers or reports for the first time.
    pub acked: u64,
    /// Its rate; none if it delivers nothing, or in less than the least round trip.
    pub rate: Option<Rate>,
    /// True if the application, and not the network, was the limit.
    pub app_limited: bool,
    /// Round trip of the newest segment it brings, in seconds, if that left once.
    pub rtt: Option<f64>,
    /// True if its receiver may have held it back: it answers one small segment.
    pub held: bool,
    /// Segments in flight before it, and after, before anything is sent.
    pub prior_in_flight: u64,
    /// See there.
    pub in_flight: u64,
    /// Segments that it shows to be lost, and all that were ever found lost.
    pub lost: u64,
    /// See there.
    pub lost_ever: u64,
    /// Seconds until pacing lets the next segment go.
    pub wait: f64,
}

/// Deliveries since the last sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Delivered {
    acked: u64,
    /// The segment among those delivered that left last.
    newest: Option<Flying>,
    covered_rtt: Option<f64>,
    reported_rtt: Option<f64>,
    covers_resent: bool,
}

/// The estimator.
#[derive(Clone, Debug)]
pub struct Delivery {
    flying: VecDeque<Flying>,
    /// `C.delivered` and `C.delivered_time`.
    delivered: u64,
    delivered_at: Time,
    /// `C.first_sent_time`.
    first_sent: Time,
    /// `C.app_limited`: samples are limited by the application until so many are delivered; 0 if they are not.
    app_limited: u64,
    min_rtt: f64,
    since: Delivered,
    mss: u64,
}

impl Delivery {
    /// Before anything is sent, where `mss` units are a full segment.
    pub fn new(mss: u32) -> Delivery {
        Delivery {
            flying: VecDeque::new(),
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            app_limited: 0,
            min_rtt: f64::INFINITY,
            since: Delivered::default(),
            mss: u64::from(mss),
        }
    }

    /// Least round trip of the connection, in seconds; infinite before the first.
    pub fn min_rtt(&self) -> f64 {
        self.min_rtt
    }

    /// True if the application is what limits.
    pub fn app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// From here on, until what is in flight is delivered, samples say what the application did, not the network.
    pub fn limit_by_application(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    fn index(&self, seq: Seq) -> usize {
        self.flying.partition_point(|sent| sent.end <= seq)
    }

    /// Units `start .. end` leave in one segment, new or again; `idle`: nothing was outstanding.
    pub fn sent(&mut self, start: Seq, end: Seq, idle: bool, now: Time) {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let stamp = Flying {
            start,
            end,
            left: end - start,
            at: now,
            resent: false,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited > 0,
        };
        if self.flying.back().is_none_or(|last| last.end <= start) {
            self.flying.push_back(stamp);
            return;
        }
        for index in self.index(start)..self.flying.len() {
            let sent = &mut self.flying[index];
            if sent.start >= end {
                break;
            }
            *sent = Flying { start: sent.start, end: sent.end, left: sent.left, resent: true, ..stamp };
        }
    }

    /// `UpdateRateSample`: a segment is delivered. The segment that left last gives the sample.
    fn deliver(since: &mut Delivered, sent: &Flying) {
        since.acked += 1;
        if since.newest.is_none_or(|newest| (newest.at, newest.end) < (sent.at, sent.end)) {
            since.newest = Some(*sent);
        }
    }

    /// Units `start .. end` are reported for the first time.
    pub fn report(&mut self, start: Seq, end: Seq, now: Time) {
        for index in self.index(start)..self.flying.len() {
            let sent = &mut self.flying[index];
            if sent.start >= end {
                break;
            }
            let units = sent.end.min(end) - sent.start.max(start);
            if sent.left > 0 && units > 0 {
                sent.left = sent.left.saturating_sub(units);
                if sent.left == 0 {
                    Self::deliver(&mut self.since, sent);
                    if !sent.resent {
                        self.since.reported_rtt = Some((now - sent.at).secs());
                    }
                }
            }
        }
    }

    /// Everything below `ack` is acknowledged. A segment that is acknowledged only in part does not count.
    pub fn acknowledge(&mut self, ack: Seq, now: Time) {
        while let Some(&sent) = self.flying.front()
            && sent.end <= ack
        {
            self.flying.pop_front();
            self.since.covers_resent |= sent.resent;
            if sent.left > 0 {
                Self::deliver(&mut self.since, &sent);
                if !sent.resent {
                    self.since.covered_rtt = Some((now - sent.at).secs());
                }
            }
        }
    }

    /// `GenerateRateSample`, for what the ACK at `now` covers and reports. The caller adds the flight and the losses. It also
    /// gives `echo`, the time between the ACK and what its timestamp echoes, if the ACK advances.
    pub fn sample(&mut self, now: Time, echo: Option<f64>) -> RateSample {
        let since = std::mem::take(&mut self.since);
        self.delivered += since.acked;
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        if since.acked > 0 {
            self.delivered_at = now;
        }
        // Karn: an ACK that covers a retransmission times the segments that it reports above. Without any, its timestamp counts.
        let rtt = since.reported_rtt.or(if since.covers_resent { None } else { since.covered_rtt }).or(echo);
        self.min_rtt = self.min_rtt.min(rtt.unwrap_or(f64::INFINITY));
        let small = since.newest.is_some_and(|sent| sent.end - sent.start < self.mss);
        let mut sample = RateSample {
            now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            acked: since.acked,
            rate: None,
            app_limited: false,
            rtt,
            held: since.acked == 1 && small && since.reported_rtt.is_none() && !since.covers_resent,
            prior_in_flight: 0,
            in_flight: 0,
            lost: 0,
            lost_ever: 0,
            wait: 0.0,
        };
        if let Some(newest) = since.newest {
            sample.app_limited = newest.app_limited;
            self.first_sent = newest.at;
            let (sending, receiving) = (newest.at - newest.first_sent, now - newest.delivered_at);
            let interval = sending.max(receiving).secs();
            if interval + CLOCK >= self.min_rtt && interval > 0.0 {
                let delivered = self.delivered - newest.delivered;
                sample.rate = Some(Rate { prior_delivered: newest.delivered, delivered, interval });
            }
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    /// Ten segments of 10 units, sent in bursts of two at 0, 0.1, 0.2 ...
    fn flow() -> Delivery {
        let mut delivery = Delivery::new(10);
        (0..10).for_each(|n| delivery.sent(10 * n, 10 * n + 10, n == 0, at(0.1 * (n / 2) as f64)));
        delivery
    }

    fn acked(delivery: &mut Delivery, ack: Seq, now: f64) -> RateSample {
        delivery.acknowledge(ack, at(now));
        delivery.sample(at(now), None)
    }

    #[test]
    fn a_rate_is_what_came_since_the_segment_left() {
        let mut delivery = flow();
        // Both of the first burst after a second: 2 since nothing had come, which is since the first left.
        let sample = acked(&mut delivery, 20, 1.0);
        assert_eq!((sample.acked, sample.rtt, sample.delivered), (2, Some(1.0), 2));
        assert_eq!(sample.rate, Some(Rate { prior_delivered: 0, delivered: 2, interval: 1.0 }));
        // Sent now, when 2 had come; by its ACK at 2.5 all of 10 others: 9 more and itself in 1.5 s since the ACK of those 2.
        delivery.sent(100, 110, false, at(1.2));
        acked(&mut delivery, 100, 2.2);
        let sample = acked(&mut delivery, 110, 2.5);
        assert_eq!(sample.rate, Some(Rate { prior_delivered: 2, delivered: 9, interval: 1.5 }));
    }

    #[test]
    fn acks_in_a_bunch_are_no_faster_than_what_was_sent() {
        let mut delivery = Delivery::new(10);
        // A segment each 0.1 s. The ACKs of the first come on time; all others' wait for one instant.
        delivery.sent(0, 10, true, at(0.0));
        assert_eq!(acked(&mut delivery, 10, 1.0).rate.map(|rate| rate.delivered), Some(1));
        (1..=10).for_each(|n| delivery.sent(10 * n, 10 * n + 10, n == 1, at(1.0 + 0.1 * n as f64)));
        acked(&mut delivery, 20, 2.95);
        delivery.sent(110, 120, false, at(2.96));
        // Of the last, 0.9 s passed since the first in flight left (sending), and 1.9 s since (receiving).
        let sample = acked(&mut delivery, 110, 3.0);
        let rate = sample.rate.unwrap();
        assert_eq!((rate.delivered, rate.prior_delivered), (10, 1));
        assert!((rate.interval - 1.9).abs() < 1e-12, "{rate:?}");
        // What left 1.86 s after the first of its sample and comes 1.01 s after it: the sends took longer than the ACKs.
        let rate = acked(&mut delivery, 120, 3.97).rate.unwrap();
        assert!((rate.interval - 1.86).abs() < 1e-12 && rate.delivered == 10, "{rate:?}");
    }

    #[test]
    fn reports_count_once_and_a_retransmission_gives_no_round_trip() {
        let mut delivery = flow();
        delivery.report(20, 40, at(1.1));
        let sample = delivery.sample(at(1.1), None);
        assert_eq!((sample.acked, sample.rtt), (2, Some(1.0)));
        // The first two are sent again, a round trip later everything of the first three bursts is covered.
        delivery.sent(0, 10, false, at(1.15));
        delivery.sent(10, 20, false, at(1.15));
        delivery.acknowledge(60, at(2.15));
        let sample = delivery.sample(at(2.15), Some(0.9));
        assert_eq!((sample.acked, sample.delivered, sample.rtt), (4, 6, Some(0.9)), "by its timestamp alone");
        assert_eq!(
            sample.rate.map(|rate| (rate.prior_delivered, rate.delivered)),
            Some((2, 4)),
            "the newest left when 2 had come"
        );
    }

    #[test]
    fn pieces_of_a_segment_deliver_it_with_the_last() {
        let mut delivery = flow();
        for (ack, count) in [(5, 0), (9, 0), (10, 1), (13, 0)] {
            assert_eq!(acked(&mut delivery, ack, 1.0).acked, count);
        }
        delivery.report(20, 25, at(1.0));
        assert_eq!(delivery.sample(at(1.0), None).acked, 0);
        delivery.report(25, 30, at(1.0));
        assert_eq!(delivery.sample(at(1.0), None).acked, 1);
    }

    #[test]
    fn an_interval_below_the_least_round_trip_is_no_sample() {
        let mut delivery = flow();
        acked(&mut delivery, 20, 1.0);
        // Two are sent again, each just before its first copy's ACK comes. The second leaves 0.1 s after the first, by which the
        // flow now goes, and its ACK comes 0.1 s after the first one's.
        delivery.sent(20, 30, false, at(1.05));
        assert!(acked(&mut delivery, 30, 1.1).rate.is_some());
        delivery.sent(30, 40, false, at(1.15));
        let sample = acked(&mut delivery, 40, 1.2);
        assert_eq!((sample.acked, sample.rate), (1, None));
    }

    #[test]
    fn an_application_that_pauses_limits_until_its_bubble_has_passed() {
        let mut delivery = Delivery::new(10);
        delivery.sent(0, 10, true, at(0.0));
        delivery.limit_by_application(1);
        delivery.sent(10, 20, false, at(0.5));
        assert!(!acked(&mut delivery, 10, 1.0).app_limited, "it left before");
        assert!(delivery.app_limited());
        assert!(acked(&mut delivery, 20, 1.5).app_limited);
        assert!(!delivery.app_limited());
    }
}
