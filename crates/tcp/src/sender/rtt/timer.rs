//! The retransmission timer and the round-trip clock (RFC 6298); their arithmetic is in [`super::rto`].

use acklab_packet::{Seq, Time};

use super::rto::Rto;
use crate::rules::SenderRules;
use crate::sender::sequence::SequenceSpace;
use crate::sender::{SenderCounters, SenderWire};

/// The timer, and the segment that is timed.
///
/// Laid out as declared: the timeout, which ends `rto`, stands beside the sequence space that follows in a sender.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Timer {
    /// Round-trip samples smoothed with gain 1/8, whatever clock the timeout uses, in seconds.
    pub(in crate::sender) smoothed: f64,
    /// Time at which the last segment left.
    pub(in crate::sender) last_sent: Time,
    /// The segment being timed: one past its last unit, and when it left.
    pub(in crate::sender) timed: Option<(Seq, Time)>,
    on: bool,
    /// The timeout's arithmetic.
    pub rto: Rto,
}

impl Timer {
    pub(in crate::sender) fn new(rules: &SenderRules) -> Timer {
        Timer { smoothed: 0.0, last_sent: Time::ZERO, timed: None, on: false, rto: Rto::new(rules) }
    }

    /// True if it runs.
    #[inline]
    pub(in crate::sender) fn is_on(&self) -> bool {
        self.on
    }

    /// Sets it to a full RTO from now.
    #[inline]
    pub(in crate::sender) fn arm<W: SenderWire>(&mut self, now: Time, wire: &mut W) {
        self.on = true;
        wire.arm(now + Time::from_secs(self.rto.timeout()));
    }

    /// Restarts it, or stops it where nothing is left to time.
    #[inline]
    pub(in crate::sender) fn restart<W: SenderWire>(&mut self, keep: bool, now: Time, wire: &mut W) {
        if keep {
            self.arm(now, wire);
        } else if self.on {
            self.on = false;
            wire.disarm();
        }
    }

    /// A partial ACK that gives no sample ends the timing of what it covers, and backoff with it.
    pub(in crate::sender) fn drop_covered(&mut self, ack: Seq, rules: &SenderRules) {
        if self.timed.is_some_and(|(end, _)| ack >= end) {
            self.timed = None;
            self.rto.reset_backoff(rules);
        }
    }

    /// The smoothed round trip with one more sample.
    pub(in crate::sender) fn smoothed_with(&self, elapsed: Time, counters: &SenderCounters) -> f64 {
        let weight = if counters.rtt_samples == 0 { 1.0 } else { 0.125 };
        self.smoothed + weight * (elapsed.secs() - self.smoothed)
    }

    /// Takes in a round trip of `elapsed`, which ends now; `flight` units were outstanding.
    #[inline(never)]
    pub(in crate::sender) fn sample(
        &mut self,
        elapsed: Time,
        (flight, now): (u64, Time),
        seq: &SequenceSpace,
        counters: &mut SenderCounters,
        rules: &SenderRules,
    ) {
        self.smoothed = self.smoothed_with(elapsed, counters);
        counters.rtt_samples += 1;
        counters.rtt_sum += elapsed.secs();
        counters.rtt_last = elapsed.secs();
        counters.rtt_min = counters.rtt_min.min(elapsed.secs());
        // RFC 7323 appendix G: a sample an ACK must not shorten the filter's memory.
        let expected = if rules.timestamps { flight.div_ceil(2 * u64::from(seq.mss)).max(1) } else { 1 };
        self.rto.sample(elapsed.secs(), now.secs(), expected, (seq.una, seq.max), rules);
    }
}
