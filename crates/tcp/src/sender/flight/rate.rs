//! Delivery rate: how fast the network delivers a flow's segments to the receiver (Linux's tcp_rate.c;
//! draft-cheng-iccrg-delivery-rate-estimation, whose names comments give; also in draft-ietf-ccwg-bbr section 4.1).
//!
//! When a segment leaves, it notes how many segments had been delivered by then, and when the last of them was. When it is
//! delivered itself, the segments delivered since then, divided by the time that took, are a sample. That time is the longer
//! of two: between the sends, and between the ACKs. So ACKs that come in bunches do not show a rate at which nothing was sent.

use acklab_packet::Time;

use super::super::CLOCK;
use super::Sent;
use super::losses::Losses;

/// State of a flow's deliveries when a segment leaves: `P.first_sent_time`, `P.delivered`, `P.delivered_time`, `P.is_app_limited`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) struct Stamp {
    first_sent: Time,
    delivered: u64,
    delivered_at: Time,
    /// Units in flight with it, and ever lost by then: `P.tx_in_flight` and `P.lost`, for controls that need losses.
    pub lost: u64,
    pub in_flight: u32,
    pub app_limited: bool,
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

/// Of the segments that an ACK delivers the one that left last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newest {
    /// Segments delivered by the time when it left (`RS.prior_delivered`).
    pub prior_delivered: u64,
    /// Segments delivered since, itself included (`RS.delivered`).
    pub delivered: u64,
    /// Units in flight right after it left (`RS.tx_in_flight`), for a control that needs losses.
    pub tx_in_flight: u64,
    /// Units found lost since it left (`RS.lost`), for a control that needs losses.
    pub lost: u64,
}

/// Deliveries and losses that an ACK shows. Counts in segments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Time of the ACK.
    pub now: Time,
    /// Segments delivered so far.
    pub delivered: u64,
    /// Time of the last ACK that delivered some.
    pub delivered_at: Time,
    /// Segments that it covers or reports for the first time.
    pub acked: u64,
    /// Its rate; none if it delivers nothing, or in less than the least round trip.
    pub rate: Option<Rate>,
    /// The segment that left last of those it delivers; none if it delivers nothing.
    pub newest: Option<Newest>,
    /// True if the application, and not the network, was the limit.
    pub app_limited: bool,
    /// Round trip of the newest segment it brings, in seconds, if that left once.
    pub rtt: Option<f64>,
    /// True if its receiver may have held it back: it answers one small segment.
    pub held: bool,
    /// Segments in flight before it.
    pub prior_in_flight: u64,
    /// Segments in flight after it, before anything is sent.
    pub in_flight: u64,
    /// Segments that it shows to be lost.
    pub lost: u64,
    /// Segments that were ever found lost.
    pub lost_ever: u64,
    /// Seconds until pacing lets the next segment go.
    pub wait: f64,
}

/// Deliveries since the last sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Delivered {
    acked: u64,
    /// The segment among those delivered that left last.
    newest: Option<Sent>,
    covered_rtt: Option<f64>,
    reported_rtt: Option<f64>,
    covers_resent: bool,
}

/// The estimator. It keeps no segments: each record of the flight holds its stamp.
#[derive(Clone, Debug)]
pub(in crate::sender) struct DeliveryRate {
    /// `C.delivered` and `C.delivered_time`.
    delivered: u64,
    delivered_at: Time,
    /// `C.first_sent_time`.
    first_sent: Time,
    /// `C.app_limited`: samples are limited by the application until so many are delivered; 0 if they are not.
    app_limited: u64,
    min_rtt: f64,
    since: Delivered,
    mss: u32,
    /// For a control that needs losses.
    pub losses: Option<Losses>,
}

impl DeliveryRate {
    /// Before anything is sent, where `mss` units are a full segment; `losses`: the control needs each segment that is lost.
    pub fn new(mss: u32, losses: bool) -> DeliveryRate {
        DeliveryRate {
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            app_limited: 0,
            min_rtt: f64::INFINITY,
            since: Delivered::default(),
            mss,
            losses: losses.then(Losses::default),
        }
    }

    /// Segments delivered so far.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Least round trip of the connection, in seconds; infinite before the first.
    pub fn min_rtt(&self) -> f64 {
        self.min_rtt
    }

    /// True if the application is what limits.
    pub fn app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// From here on, until what is in flight is delivered, samples show the application's limit, not the network's.
    pub fn limit_by_application(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// The stamp of a segment that leaves now, new or again; `idle`: nothing was outstanding.
    pub fn stamp(&mut self, idle: bool, now: Time) -> Stamp {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        Stamp {
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited > 0,
            ..Stamp::default()
        }
    }

    /// `UpdateRateSample`: a segment is delivered. What left last says most. Its round trip in seconds, if it was sent once.
    fn deliver(&mut self, sent: &Sent, now: Time) -> Option<f64> {
        self.since.acked += 1;
        if self.since.newest.is_none_or(|newest| (newest.at, newest.end) < (sent.at, sent.end)) {
            self.since.newest = Some(*sent);
        }
        (!sent.resent).then(|| (now - sent.at).secs())
    }

    /// A report of this record delivers its segment.
    pub fn on_report(&mut self, sent: &Sent, now: Time) {
        self.since.reported_rtt = self.deliver(sent, now).or(self.since.reported_rtt);
    }

    /// The cumulative number covers this record, which delivers its segment or not.
    pub fn on_cover(&mut self, sent: &Sent, delivers: bool, now: Time) {
        self.since.covers_resent |= sent.resent && !sent.more;
        if delivers {
            self.since.covered_rtt = self.deliver(sent, now).or(self.since.covered_rtt);
        }
    }

    /// `GenerateRateSample`, for what the ACK at `now` covers and reports. The caller adds the flight and the losses. It also
    /// gives `echo`, the time between the ACK and what its timestamp echoes, if the ACK advances. `lost_ever` units were found lost.
    pub fn sample(&mut self, now: Time, echo: Option<f64>, lost_ever: u64) -> RateSample {
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
        let small = since.newest.is_some_and(|sent| sent.size < self.mss);
        let mut sample = RateSample {
            now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            acked: since.acked,
            rtt,
            held: since.acked == 1 && small && since.reported_rtt.is_none() && !since.covers_resent,
            ..RateSample::default()
        };
        if let Some(newest) = since.newest {
            let stamp = newest.stamp;
            sample.app_limited = stamp.app_limited;
            sample.newest = Some(Newest {
                prior_delivered: stamp.delivered,
                delivered: self.delivered - stamp.delivered,
                tx_in_flight: stamp.in_flight.into(),
                lost: lost_ever - stamp.lost,
            });
            self.first_sent = newest.at;
            let (sending, receiving) = (newest.at - stamp.first_sent, now - stamp.delivered_at);
            let interval = sending.max(receiving).secs();
            if interval + CLOCK >= self.min_rtt && interval > 0.0 {
                let delivered = self.delivered - stamp.delivered;
                sample.rate = Some(Rate { prior_delivered: stamp.delivered, delivered, interval });
            }
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use acklab_packet::Seq;

    use super::super::Flight;
    use super::*;

    fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    /// Ten segments of 10 units, sent in bursts of two at 0, 0.1, 0.2 ...
    fn flow() -> Flight {
        let mut flight = empty();
        (0..10).for_each(|n| flight.sent(10 * n, 10 * n + 10, n == 0, at(0.1 * (n / 2) as f64)));
        flight
    }

    fn empty() -> Flight {
        Flight::empty(10, Some(DeliveryRate::new(10, false)))
    }

    fn sampled(flight: &mut Flight, now: f64, echo: Option<f64>) -> RateSample {
        flight.rate.as_mut().unwrap().sample(at(now), echo, 0)
    }

    fn acked(flight: &mut Flight, ack: Seq, now: f64) -> RateSample {
        flight.acknowledge(ack, at(now), |_| {});
        sampled(flight, now, None)
    }

    #[test]
    fn a_rate_is_what_came_since_the_segment_left() {
        let mut flight = flow();
        // Both of the first burst after a second: 2 since nothing had come, which is since the first left.
        let sample = acked(&mut flight, 20, 1.0);
        assert_eq!((sample.acked, sample.rtt, sample.delivered), (2, Some(1.0), 2));
        assert_eq!(sample.rate, Some(Rate { prior_delivered: 0, delivered: 2, interval: 1.0 }));
        // Sent now, when 2 had come; by its ACK at 2.5 all of 10 others: 9 more and itself in 1.5 s since the ACK of those 2.
        flight.sent(100, 110, false, at(1.2));
        acked(&mut flight, 100, 2.2);
        let sample = acked(&mut flight, 110, 2.5);
        assert_eq!(sample.rate, Some(Rate { prior_delivered: 2, delivered: 9, interval: 1.5 }));
    }

    #[test]
    fn acks_in_a_bunch_are_no_faster_than_what_was_sent() {
        let mut flight = empty();
        // A segment each 0.1 s. The ACKs of the first come on time; all others' wait for one instant.
        flight.sent(0, 10, true, at(0.0));
        assert_eq!(acked(&mut flight, 10, 1.0).rate.map(|rate| rate.delivered), Some(1));
        (1..=10).for_each(|n| flight.sent(10 * n, 10 * n + 10, n == 1, at(1.0 + 0.1 * n as f64)));
        acked(&mut flight, 20, 2.95);
        flight.sent(110, 120, false, at(2.96));
        // Of the last, 0.9 s passed since the first in flight left (sending), and 1.9 s since (receiving).
        let sample = acked(&mut flight, 110, 3.0);
        let rate = sample.rate.unwrap();
        assert_eq!((rate.delivered, rate.prior_delivered), (10, 1));
        assert!((rate.interval - 1.9).abs() < 1e-12, "{rate:?}");
        // What left 1.86 s after the first of its sample and comes 1.01 s after it: the sends took longer than the ACKs.
        let rate = acked(&mut flight, 120, 3.97).rate.unwrap();
        assert!((rate.interval - 1.86).abs() < 1e-12 && rate.delivered == 10, "{rate:?}");
    }

    #[test]
    fn reports_count_once_and_a_retransmission_gives_no_round_trip() {
        let mut flight = flow();
        flight.report(20, 40, at(1.1), |_| {});
        let sample = sampled(&mut flight, 1.1, None);
        assert_eq!((sample.acked, sample.rtt), (2, Some(1.0)));
        // The first two are sent again, a round trip later everything of the first three bursts is covered.
        flight.sent(0, 10, false, at(1.15));
        flight.sent(10, 20, false, at(1.15));
        flight.acknowledge(60, at(2.15), |_| {});
        let sample = sampled(&mut flight, 2.15, Some(0.9));
        assert_eq!((sample.acked, sample.delivered, sample.rtt), (4, 6, Some(0.9)), "by its timestamp alone");
        assert_eq!(
            sample.rate.map(|rate| (rate.prior_delivered, rate.delivered)),
            Some((2, 4)),
            "the newest left when 2 had come"
        );
    }

    #[test]
    fn pieces_of_a_segment_deliver_it_with_the_last() {
        let mut flight = flow();
        for (ack, count) in [(5, 0), (9, 0), (10, 1), (13, 0)] {
            assert_eq!(acked(&mut flight, ack, 1.0).acked, count);
        }
        flight.report(20, 25, at(1.0), |_| {});
        assert_eq!(sampled(&mut flight, 1.0, None).acked, 0);
        flight.report(25, 30, at(1.0), |_| {});
        assert_eq!(sampled(&mut flight, 1.0, None).acked, 1);
    }

    #[test]
    fn an_interval_below_the_least_round_trip_is_no_sample() {
        let mut flight = flow();
        acked(&mut flight, 20, 1.0);
        // Two are sent again, each just before its first copy's ACK comes. The second leaves 0.1 s after the first, by which the
        // flow now goes, and its ACK comes 0.1 s after the first one's.
        flight.sent(20, 30, false, at(1.05));
        assert!(acked(&mut flight, 30, 1.1).rate.is_some());
        flight.sent(30, 40, false, at(1.15));
        let sample = acked(&mut flight, 40, 1.2);
        assert_eq!((sample.acked, sample.rate), (1, None));
    }

    #[test]
    fn an_application_that_pauses_limits_until_its_bubble_has_passed() {
        let mut flight = empty();
        flight.sent(0, 10, true, at(0.0));
        flight.rate.as_mut().unwrap().limit_by_application(1);
        flight.sent(10, 20, false, at(0.5));
        assert!(!acked(&mut flight, 10, 1.0).app_limited, "it left before");
        assert!(flight.rate.as_ref().unwrap().app_limited());
        assert!(acked(&mut flight, 20, 1.5).app_limited);
        assert!(!flight.rate.as_ref().unwrap().app_limited());
    }
}
