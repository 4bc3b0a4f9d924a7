//! Delivery rate: how fast the network takes a flow's segments and brings them to the receiver (Linux's tcp_rate.c;
//! draft-cheng-iccrg-delivery-rate-estimation, whose names comments give; also in draft-ietf-ccwg-bbr section 4.1).
//!
//! Each segment notes, when it leaves, how many had been delivered by then, and since when. When it is delivered, the number that
//! came in between over the time that took is a sample; of the time between the sends and that between the ACKs the
//! longer counts, so that ACKs that come in bunches do not pretend a rate nobody sent at.

use std::collections::VecDeque;

use acklab_packet::{Seq, Time};

use super::super::CLOCK;
use crate::sender::flight::rate::{Rate, RateSample};

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

    /// `UpdateRateSample`: a segment is delivered. What left last says most.
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

    /// Everything below `ack` is acknowledged. A piece of a segment is none.
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

    /// `GenerateRateSample`, of what the ACK at `now` covers and reports; the flight and the losses are the caller's to
    /// say, and so is `echo`, the time between the ACK and what its timestamp echoes, if it advances.
    pub fn sample(&mut self, now: Time, echo: Option<f64>) -> RateSample {
        let since = std::mem::take(&mut self.since);
        self.delivered += since.acked;
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        if since.acked > 0 {
            self.delivered_at = now;
        }
        // Karn: an ACK that covers a retransmission times what it reports above, if anything, else by its timestamp.
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
