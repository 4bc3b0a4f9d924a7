//! A defence against optimistic ACKs that needs nothing of the receiver (Sherwood, Bhattacharjee and Braud 2005, "randomly
//! skipped segments"). Now and then a segment is left out and the next ones are sent. A receiver that waits for data asks for
//! it with duplicate ACKs. A receiver that acknowledges the segment lies.
//!
//! Our rule. Of new data about one segment in `skip` is left out, if there is data and window for another after it. The
//! first duplicate ACK that asks for it lets it leave. That ACK is no sign of loss, and further duplicates up to the
//! segment's ACK are ignored. An ACK that covers the segment before it was sent restarts the window from one segment.
//!
//! QUIC numbers its packets, so there a number alone is left out, and no data waits (RFC 9000 section 21.4). An ACK whose range has
//! that number restarts the window; the RFC allows to close the connection. Stacks skip more and more seldom (`skip_growth`), or by the
//! window (`skip_windows`): `packetNumberGenerator` (quic-go, internal/ackhandler/packet_number_generator.go), `skipState` (x/net/quic,
//! skip.go), `PacketNumberFilter` (quinn-proto, connection/spaces.rs), `arm_skip_counter` (s2n-quic-transport, space/application.rs).

use acklab_packet::{Ack, Seq};

use super::rng::Rng;
use super::sequence::SequenceSpace;
use crate::rules::SenderRules;

/// Longest interval, in segments.
const MOST: f64 = 1_000_000.0;

/// The segment left out, and the draws that choose the next.
#[derive(Clone, Debug)]
pub(super) struct Skip {
    interval: f64,
    growth: f64,
    /// Windows added to the interval.
    windows: f64,
    /// Segments until the next is left out.
    left: u32,
    /// No receiver may foresee the draws.
    rng: Rng,
    /// A segment that was not sent: its units.
    missing: Option<(Seq, Seq)>,
    /// Packet numbers are left out, so many so far; `missing` is then the data of the number after the last one.
    numbers: Option<u32>,
    /// It was asked for and sent; ACKs that repeat this number are no sign of loss.
    asked: Option<Seq>,
}

/// The meaning of an ACK for the segment left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkipSign {
    /// None.
    None,
    /// It asks for it: these units are to be sent, and it is no sign of loss.
    Request(Seq, Seq),
    /// It repeats itself until they come: no sign of loss.
    Repeat,
    /// It acknowledges what was never sent.
    Fabricated,
}

impl Skip {
    pub(super) fn new(rules: &SenderRules, seed: u64) -> Option<Box<Skip>> {
        (rules.skip > 0).then(|| {
            let (rng, numbers) = (Rng::new(seed), rules.recovery.packet_numbers().then_some(0));
            let (interval, growth, windows) = (f64::from(rules.skip), rules.skip_growth, rules.skip_windows);
            let mut skip = Skip { interval, growth, windows, left: 0, rng, missing: None, numbers, asked: None };
            skip.left = skip.draw(rules.initial_window);
            Box::new(skip)
        })
    }

    /// State of the random numbers.
    pub(super) fn seed(&self) -> u64 {
        self.rng.state()
    }

    /// Uniform between half the interval and one and a half, with a window of so many packets.
    fn draw(&mut self, packets: f64) -> u32 {
        let interval = (self.interval + self.windows * packets).min(MOST) as u32;
        interval / 2 + self.rng.below(u64::from(interval) + 1) as u32
    }

    /// The same for the next one.
    fn draw_next(&mut self, packets: f64) -> u32 {
        self.interval = (self.interval * self.growth).min(MOST);
        self.draw(packets)
    }

    /// Units `start .. end` go out after all, in whatever segment.
    pub(super) fn sent(&mut self, start: Seq, end: Seq) {
        if self.numbers.is_none() && self.missing.is_some_and(|(from, to)| start < to && from < end) {
            self.missing = None;
        }
    }

    /// A packet leaves, with new data `start .. end` if it is `fresh`, and a window of so many packets; how many numbers were left out
    /// before it.
    pub(super) fn number(&mut self, start: Seq, end: Seq, fresh: bool, packets: f64) -> u32 {
        let skipped = self.numbers.unwrap_or(0);
        if self.left > 0 || self.missing.is_some() || !fresh {
            self.left = self.left.saturating_sub(1);
            return skipped;
        }
        (self.left, self.missing, self.numbers) = (self.draw_next(packets), Some((start, end)), Some(skipped + 1));
        skipped + 1
    }

    /// Leaves out the segment at `seq.nxt`, which may be sent now, if three things hold. It is a full segment of new data. It
    /// is its turn. The window up to `edge` has room for another full one after it. That one is then at `seq.nxt`, and is sent
    /// instead.
    #[inline(never)]
    pub(super) fn leave_out(&mut self, seq: &mut SequenceSpace, len: u32, edge: Seq) {
        let end = seq.nxt + u64::from(len);
        let next = u64::from(seq.mss);
        let room = end + next <= seq.full_edge(edge);
        let data = !(seq.shaking_hands() && seq.nxt == 0) && seq.nxt == seq.max && len == seq.mss;
        if !data || self.missing.is_some() {
            return;
        }
        if self.left > 0 || !room {
            self.left = self.left.saturating_sub(1);
            return;
        }
        self.left = self.draw_next(0.0);
        self.missing = Some((seq.nxt, end));
        seq.extend(end);
        seq.go_to_end();
    }

    /// Judges an ACK that came with `una` acknowledged.
    pub(super) fn judge(&mut self, ack: &Ack, una: Seq) -> SkipSign {
        if self.numbers.is_some() {
            let covered = self.missing.take_if(|missing| ack.ack > missing.0);
            let claims = |(from, _): (Seq, Seq)| ack.sack.claim(ack.ack).is_some_and(|start| start <= from);
            return if covered.is_some_and(claims) { SkipSign::Fabricated } else { SkipSign::None };
        }
        if let Some((from, to)) = self.missing {
            if ack.ack > from {
                self.missing = None;
                return SkipSign::Fabricated;
            }
            if ack.ack == from && una == from {
                (self.missing, self.asked) = (None, Some(from));
                return SkipSign::Request(from, to);
            }
        }
        match self.asked {
            Some(from) if ack.ack == from && una == from => SkipSign::Repeat,
            Some(from) if ack.ack > from => {
                self.asked = None;
                SkipSign::None
            }
            _ => SkipSign::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Stack;

    fn numbered(skip: u32, skip_growth: f64, skip_windows: f64) -> SenderRules {
        SenderRules { skip, skip_growth, skip_windows, ..Stack::Quic.sender() }
    }

    /// Intervals between numbers left out double, or follow the window of 100 packets.
    #[test]
    fn intervals_grow_or_follow_the_window() {
        let gaps = |rules: &SenderRules| {
            let mut skip = *Skip::new(rules, 7).unwrap();
            let mut left_out = Vec::new();
            for at in 0..4000 {
                let before = skip.numbers;
                skip.number(at, at + 1, true, 100.0);
                if skip.numbers != before {
                    skip.missing = None;
                    left_out.push(at);
                }
            }
            left_out.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
        };
        for (nth, gap) in gaps(&numbered(64, 2.0, 0.0)).into_iter().enumerate() {
            let mean = 64 << (nth + 1);
            assert!((mean / 2..=mean * 3 / 2 + 1).contains(&gap), "{gap} for {mean}");
        }
        let steady = gaps(&numbered(30, 1.0, 2.0));
        assert!(steady.len() > 12 && steady.iter().all(|gap| (115..=346).contains(gap)), "{steady:?}");
    }

    /// Packet numbers of which one has been left out, and where the data of the next starts.
    fn left_out() -> (Skip, Seq) {
        let mut skip = *Skip::new(&numbered(4, 1.0, 0.0), 7).unwrap();
        assert_eq!(skip.number(0, 100, false, 10.0), 0, "no new data");
        let at = (0..7).map(|n| n * 100).find(|&at| skip.number(at, at + 100, true, 10.0) == 1).unwrap();
        assert_eq!(skip.number(at + 100, at + 200, true, 10.0), 1, "one at a time");
        (skip, at)
    }

    /// RFC 9000 section 21.4: a range over packets that have not come has the number that was not sent; one of what came has not.
    #[test]
    fn a_range_with_a_number_left_out_is_false() {
        for (claimed, to, sign) in [
            (None, 200, SkipSign::None),
            (Some(0), 200, SkipSign::Fabricated),
            (Some(100), 200, SkipSign::None),
            (Some(0), 0, SkipSign::None),
        ] {
            let (mut skip, at) = left_out();
            let mut ack = Ack { ack: at + to, ..Ack::default() };
            claimed.into_iter().for_each(|from| ack.sack.set_claim(at + to, at + from));
            assert_eq!(skip.judge(&ack, 0), sign, "{claimed:?} {to}");
            assert_eq!(skip.missing.is_some(), to == 0);
        }
    }
}
