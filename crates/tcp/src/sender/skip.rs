//! A defence against optimistic ACKs that needs nothing of the receiver: now and then a segment is left out and the next
//! are sent. A receiver that waits for data asks for it with duplicate ACKs; one that acknowledges it lies.
//! (Sherwood, Bhattacharjee and Braud 2005, "randomly skipped segments".)
//!
//! Our rule. Of new data about one segment in `skip` is left out, where there is data and window for one after it. The
//! first duplicate ACK that asks for it sends it; that is no sign of loss, and further duplicates up to its ACK are
//! passed over. An ACK that covers it before it was sent restarts the window from one segment.

use acklab_packet::{Ack, Seq, Time};

use super::luck::Luck;
use super::{Core, SenderWire};

/// What is left out, and when the next is.
#[derive(Clone, Debug)]
pub(super) struct Skip {
    interval: u32,
    /// Segments until the next is left out.
    left: u32,
    /// No receiver may foresee the draws.
    luck: Luck,
    /// A segment that was not sent: its units.
    missing: Option<(Seq, Seq)>,
    /// It was asked for and sent; ACKs that repeat this number are no sign of loss.
    asked: Option<Seq>,
}

/// What an ACK means for the segment left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing.
    Fair,
    /// It asks for it, or repeats itself until it comes: not to be taken for a sign of loss.
    Asks,
    /// It acknowledges what was never sent.
    Lies,
}

impl Skip {
    pub(super) fn new(interval: u32, luck: u64) -> Option<Box<Skip>> {
        (interval > 0).then(|| {
            let mut skip = Skip { interval, left: 0, luck: Luck::new(luck), missing: None, asked: None };
            skip.left = skip.draw();
            Box::new(skip)
        })
    }

    /// Where the draws stand.
    pub(super) fn luck(&self) -> u64 {
        self.luck.state()
    }

    /// Uniform between half the interval and one and a half.
    fn draw(&mut self) -> u32 {
        self.interval / 2 + self.luck.below(u64::from(self.interval) + 1) as u32
    }

    /// Units `start .. end` go out after all, in whatever segment.
    pub(super) fn sent(&mut self, start: Seq, end: Seq) {
        if self.missing.is_some_and(|(from, to)| start < to && from < end) {
            self.missing = None;
        }
    }
}

impl Core {
    /// Leaves out the segment at `snd_nxt`, which may be sent now, if it is a full one of new data, it is its turn, and
    /// the window up to `edge` has room for another full one after it; that one then is at `snd_nxt`, to be sent instead.
    #[inline(never)]
    pub(super) fn leave_out(&mut self, len: u32, edge: Seq) {
        let end = self.snd_nxt + u64::from(len);
        let next = u64::from(self.mss);
        let room = end + next <= edge && end + next <= self.limit - u64::from(self.rules.fin);
        let data = !(self.rules.syn && self.snd_nxt == 0) && self.snd_nxt == self.snd_max && len == self.mss;
        let Some(skip) = &mut self.rare.skip else { return };
        if !data || skip.missing.is_some() {
            return;
        }
        if skip.left > 0 || !room {
            skip.left = skip.left.saturating_sub(1);
            return;
        }
        skip.left = skip.draw();
        skip.missing = Some((self.snd_nxt, end));
        self.snd_max = end;
        self.snd_nxt = end;
    }

    /// What `ack` says of the segment left out; sends it if asked.
    pub(super) fn judge_ack<W: SenderWire>(&mut self, ack: &Ack, now: Time, wire: &mut W) -> Verdict {
        let una = self.snd_una;
        let Some(skip) = &mut self.rare.skip else { return Verdict::Fair };
        if let Some((from, to)) = skip.missing {
            if ack.ack > from {
                skip.missing = None;
                return Verdict::Lies;
            }
            if ack.ack == from && una == from {
                (skip.missing, skip.asked) = (None, Some(from));
                self.transmit(from, (to - from) as u32, now, wire);
                return Verdict::Asks;
            }
        }
        match skip.asked {
            Some(from) if ack.ack == from && una == from => Verdict::Asks,
            Some(from) if ack.ack > from => {
                skip.asked = None;
                Verdict::Fair
            }
            _ => Verdict::Fair,
        }
    }

    /// The receiver acknowledged what it can not have: the window begins again with one segment, and slow start ends soon.
    pub(super) fn punish(&mut self) {
        let mss = f64::from(self.mss);
        self.counters.window_cuts += 1;
        self.counters.false_acks += 1;
        (self.cwnd, self.ssthresh) = (mss, 2.0 * mss);
        self.inflation = 0;
    }
}
