//! The round trip as a receiver knows it (ledger smartacking.m.rtt, smartacking.m.fixed_rtt).
//!
//! A receiver that sends no data has nothing to time. It has three sources. It may send keep-alives, which are packets and
//! wait in queues like others. It may remember when it sent which ACK: a segment's echoed timestamp shows which ACK the
//! sender had received last when the segment left. Or the sender tells it the round trip.

use std::collections::VecDeque;

use acklab_packet::Time;

use crate::rules::{ReplyWait, RttSource};

/// Weight of a sample in the smoothed round trip (RFC 6298).
const GAIN: f64 = 0.125;
/// Most ACKs remembered.
const REMEMBERED: usize = 4096;

/// Measures the round trip, smooths it, and says when a keep-alive is due.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundTrip {
    source: RttSource,
    interval: Time,
    smoothed: Option<f64>,
    least: f64,
    /// Keep-alives sent so far; the number of the last and when it left, unless it is answered.
    number: u32,
    outstanding: Option<Time>,
    next_probe: Option<Time>,
    /// From the first segment to the first keep-alive.
    first: Time,
    /// Whether answers are freed of their wait behind data; what the newest segment took, and the fastest, in seconds.
    replies: ReplyWait,
    took: (f64, f64),
    /// ACKs whose echo has not come, oldest first.
    sent: VecDeque<(u32, Time)>,
}

impl RoundTrip {
    /// A measurement from `source`; keep-alives leave no oftener than every `interval`.
    pub fn new(source: RttSource, interval: Time) -> RoundTrip {
        RoundTrip {
            source,
            interval,
            smoothed: None,
            least: f64::INFINITY,
            number: 0,
            outstanding: None,
            next_probe: None,
            first: Time::ZERO,
            replies: ReplyWait::Counted,
            took: (0.0, f64::INFINITY),
            sent: VecDeque::new(),
        }
    }

    /// The same with the first keep-alive `first` after the first segment, and answers as `replies` says.
    pub fn with(self, first: Time, replies: ReplyWait) -> RoundTrip {
        RoundTrip { first, replies, ..self }
    }

    /// A segment that left its sender at `sent` arrives.
    pub fn on_passage(&mut self, sent: Time, now: Time) {
        let secs = (now - sent).secs();
        self.took = (secs, self.took.1.min(secs));
    }

    /// Smoothed, in seconds, once known.
    pub fn smoothed(&self) -> Option<f64> {
        self.smoothed
    }

    /// The least sample in seconds, once there is one.
    pub fn least(&self) -> Option<f64> {
        self.smoothed.map(|_| self.least)
    }

    /// ACKs remembered, of which no segment has told yet.
    pub fn waiting(&self) -> usize {
        self.sent.len()
    }

    fn sample(&mut self, secs: f64) {
        self.least = self.least.min(secs);
        self.smoothed = Some(match self.smoothed {
            Some(smoothed) if self.source == RttSource::Fixed => smoothed,
            Some(smoothed) => (1.0 - GAIN) * smoothed + GAIN * secs,
            None => secs,
        });
    }

    /// A data segment arrives: its echo, and the sender's smoothed round trip that it carries. Returns the round trip in
    /// seconds that its echo shows, if it shows one.
    pub fn on_segment(&mut self, echo: u32, told: f32, now: Time) -> Option<f64> {
        match self.source {
            RttSource::Sender if told > 0.0 => {
                self.smoothed = Some(f64::from(told));
                self.least = self.least.min(f64::from(told));
            }
            RttSource::Timestamps => {
                let timed = self.echoed(echo, now);
                timed.inspect(|secs| self.sample(*secs));
                return timed;
            }
            _ => {}
        }
        None
    }

    /// The round trip in seconds that an echo times, if this segment is the first that the ACK let go: the others wait
    /// behind it.
    pub fn echoed(&mut self, echo: u32, now: Time) -> Option<f64> {
        let mut timed = None;
        while let Some(&(ack, sent)) = self.sent.front()
            && echo.wrapping_sub(ack) as i32 >= 0
        {
            self.sent.pop_front();
            if ack == echo {
                timed = Some((now - sent).secs());
            }
        }
        timed
    }

    /// An ACK of new data leaves.
    pub fn on_ack(&mut self, ack: u32, now: Time) {
        if self.source == RttSource::Timestamps {
            if self.sent.len() == REMEMBERED {
                self.sent.pop_front();
            }
            self.sent.push_back((ack, now));
        }
    }

    /// The number of the keep-alive that is due now, if one is; it counts as sent.
    ///
    /// Asked when segments arrive: the first is the occasion of the first keep-alive, and a silent connection is not
    /// probed.
    pub fn probe_due(&mut self, now: Time) -> Option<u32> {
        let wanted = match self.source {
            RttSource::Probe => true,
            RttSource::Fixed => self.smoothed.is_none(),
            RttSource::Timestamps | RttSource::Sender => false,
        };
        if !wanted || now < *self.next_probe.get_or_insert(now + self.first) {
            return None;
        }
        self.number += 1;
        self.outstanding = Some(now);
        self.next_probe = Some(now + self.interval);
        Some(self.number)
    }

    /// The answer to keep-alive `number` arrives; one to an earlier keep-alive than the last tells nothing.
    pub fn on_reply(&mut self, number: u32, now: Time) {
        if number == self.number
            && let Some(sent) = self.outstanding.take()
        {
            let waited = if self.replies == ReplyWait::Left { (self.took.0 - self.took.1).max(0.0) } else { 0.0 };
            self.sample((now - sent).secs() - waited);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    #[test]
    fn a_keep_alive_a_second_and_its_answer_is_the_sample() {
        let mut rtt = RoundTrip::new(RttSource::Probe, t(1.0));
        assert_eq!(rtt.probe_due(t(0.25)), Some(1), "with the first segment");
        assert_eq!(rtt.probe_due(t(1.0)), None);
        rtt.on_reply(1, t(0.5));
        assert_eq!(rtt.smoothed(), Some(0.25));
        assert_eq!(rtt.probe_due(t(1.25)), Some(2));
        rtt.on_reply(1, t(1.5));
        assert_eq!(rtt.smoothed(), Some(0.25), "an answer counts once, and only the last one's");
        rtt.on_reply(2, t(2.5));
        assert_eq!(rtt.smoothed(), Some(0.875 * 0.25 + 0.125 * 1.25));
        assert_eq!(rtt.least(), Some(0.25));
    }

    /// Section 3.2 says once a second: the first may come after a second, too.
    #[test]
    fn the_first_keep_alive_may_wait() {
        let mut rtt = RoundTrip::new(RttSource::Probe, t(1.0)).with(t(1.0), ReplyWait::Counted);
        let due = [0.25, 1.0, 1.25, 2.0, 2.25].map(|at| rtt.probe_due(t(at)));
        assert_eq!(due, [None, None, Some(1), None, Some(2)]);
    }

    /// Figure 3: a reply that waits 60 ms behind data, as the segment before it, is a round trip of 100 ms and not of 160.
    #[test]
    fn a_reply_may_be_freed_of_its_wait_behind_data() {
        let sample = |replies| {
            let mut rtt = RoundTrip::new(RttSource::Probe, t(1.0)).with(Time::ZERO, replies);
            rtt.on_passage(t(0.0), t(0.0625));
            rtt.probe_due(t(1.0));
            rtt.on_passage(t(1.0), t(1.125));
            rtt.on_reply(1, t(1.1875));
            rtt.smoothed()
        };
        assert_eq!(sample(ReplyWait::Counted), Some(0.1875));
        assert_eq!(sample(ReplyWait::Left), Some(0.125));
    }

    #[test]
    fn a_fixed_round_trip_is_the_first_for_ever() {
        let mut rtt = RoundTrip::new(RttSource::Fixed, t(1.0));
        assert_eq!(rtt.probe_due(t(0.0)), Some(1));
        assert_eq!(rtt.probe_due(t(1.5)), Some(2), "the first was lost");
        rtt.on_reply(2, t(1.75));
        assert_eq!((rtt.smoothed(), rtt.probe_due(t(9.0))), (Some(0.25), None));
    }

    #[test]
    fn an_echo_tells_when_the_ack_that_let_the_segment_go_was_sent() {
        let mut rtt = RoundTrip::new(RttSource::Timestamps, t(1.0));
        assert_eq!(rtt.probe_due(t(0.0)), None);
        rtt.on_ack(1, t(0.0));
        rtt.on_ack(3, t(0.1));
        rtt.on_ack(5, t(0.2));
        rtt.on_segment(1, 0.0, t(0.5));
        assert_eq!(rtt.smoothed(), Some(0.5));
        rtt.on_segment(1, 0.0, t(0.7));
        assert_eq!(rtt.smoothed(), Some(0.5), "the second segment of the burst waited behind the first");
        // The ACK of 3 was lost: what left after the ACK of 5 says nothing of it.
        rtt.on_segment(5, 0.0, t(0.7));
        assert_eq!((rtt.smoothed(), rtt.sent.len()), (Some(0.5), 0));
    }

    #[test]
    fn echoes_are_compared_across_the_wrap_of_32_bits() {
        let mut rtt = RoundTrip::new(RttSource::Timestamps, t(1.0));
        rtt.on_ack(u32::MAX, t(0.0));
        rtt.on_ack(7, t(0.5));
        rtt.on_segment(7, 0.0, t(0.75));
        assert_eq!(rtt.smoothed(), Some(0.25));
    }

    #[test]
    fn the_sender_may_tell_it() {
        let mut rtt = RoundTrip::new(RttSource::Sender, t(1.0));
        rtt.on_segment(0, 0.0, t(0.0));
        assert_eq!(rtt.smoothed(), None);
        rtt.on_segment(0, 0.25, t(0.1));
        assert_eq!(rtt.smoothed(), Some(0.25));
    }
}
