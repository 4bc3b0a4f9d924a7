//! Taking back a reduction that turns out to have been needless: nothing was lost, it was late.
//!
//! Two signs, as Linux reads them. Timestamps (the Eifel detection, RFC 3522): the first hole is filled by a segment that left
//! before its retransmission. DSACKs (RFC 3708): the receiver reports every retransmission as a duplicate. Then cwnd and
//! ssthresh are what they were (`tcp_undo_cwnd_reduction` in net/ipv4/tcp_input.c; RFC 4015 is more careful with cwnd).

use acklab_packet::{Ack, Seq, Time};

use super::{Core, LastCut};
use crate::rules::{Frto, Undo};

/// The block with which an ACK reports a duplicate: the first, if it lies below the cumulative ACK or within the second
/// (RFC 2883 section 4).
pub(super) fn dsack(ack: &Ack) -> Option<(Seq, Seq)> {
    let mut blocks = ack.sack.iter(ack.ack);
    let first = blocks.next()?;
    let within = blocks.next().is_some_and(|second| second.0 <= first.0 && first.1 <= second.1);
    (first.1 <= ack.ack || within).then_some(first)
}

/// What the last reduction would be taken back to, and what speaks for that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reduction {
    /// Window and threshold before it.
    cwnd: f64,
    ssthresh: f64,
    /// `snd_una` and `snd_max` when it began.
    from: Seq,
    to: Seq,
    /// When something was first sent again, and one past the highest unit that was.
    resent: Option<Time>,
    resent_to: Seq,
    /// Units sent again that no DSACK has reported.
    unreported: u64,
}

impl Core {
    /// A loss is about to reduce the window. One that comes before the last has been repaired belongs to it.
    pub(super) fn may_be_undone(&mut self) {
        let asks = self.rules.recovery.undoes();
        let on = self.rare.reduction.as_ref().is_some_and(|reduction| self.snd_una < reduction.to);
        if (self.rules.undo == Undo::Off && self.rules.frto == Frto::Off) || !asks || on {
            return;
        }
        // What an earlier reduction sent again may still be on its way, and now arrive before it is sent once more: no sign that it
        // was not lost (Linux's `tcp_retrans_stamp_cleanup`).
        let earlier = self.rare.reduction.as_ref().filter(|earlier| earlier.resent_to > self.snd_una);
        let (resent, resent_to, unreported) =
            earlier.map_or((None, 0, 0), |earlier| (earlier.resent, earlier.resent_to, earlier.unreported));
        self.rare.reduction = Some(Box::new(Reduction {
            cwnd: self.cwnd,
            // Linux's `tcp_current_ssthresh`: not far below a window in which congestion avoidance went well.
            ssthresh: self.ssthresh.max(0.75 * self.cwnd),
            from: self.snd_una,
            to: self.snd_max,
            resent,
            resent_to,
            unreported,
        }));
    }

    /// What follows is no loss: it stays reduced.
    pub(super) fn may_not_be_undone(&mut self) {
        self.rare.reduction = None;
    }

    /// Units `start .. end` leave again.
    pub(super) fn note_resent(&mut self, start: Seq, end: Seq, now: Time) {
        if let Some(reduction) = &mut self.rare.reduction {
            reduction.resent.get_or_insert(now);
            reduction.resent_to = reduction.resent_to.max(end);
            reduction.unreported += end - start;
        }
    }

    /// The duplicate that this ACK reports. Of more than were sent again, some are the path's own, and nobody knows which: none
    /// counts until there are as many retransmissions (Linux's `tcp_dsack_seen`).
    fn reported(&mut self, ack: &Ack) -> Option<(Seq, Seq)> {
        let (start, end) = dsack(ack)?;
        self.counters.duplicates += (end - start).div_ceil(u64::from(self.mss));
        (self.counters.duplicates <= self.counters.retransmits).then_some((start, end))
    }

    /// Whether this ACK, before it counts, shows the last reduction to have been needless. If so, it is taken back; what
    /// the recovery believes lost is its own to forget.
    pub(super) fn undo(&mut self, ack: &Ack) -> bool {
        let reported = if self.rules.undo.uses_dsack() { self.reported(ack) } else { None };
        let Some(reduction) = &mut self.rare.reduction else { return false };
        let Some(resent) = reduction.resent else { return false };
        let by = self.rules.undo;
        let late = ack.ack > self.snd_una.max(reduction.from) && self.snd_una < reduction.to && ack.ts_ecr < resent;
        let mut needless = late && self.rules.timestamps && matches!(by, Undo::Timestamps | Undo::Both);
        if by.uses_dsack() {
            if let Some((start, end)) = reported.filter(|block| block.1 > reduction.from && block.1 <= self.snd_una) {
                reduction.unreported = reduction.unreported.saturating_sub(end - start);
            }
            // Within a recovery that began with duplicates, only when it is over.
            let over = ack.ack >= reduction.to || (self.last_cut == LastCut::Timeout && ack.ack > self.snd_una);
            needless |= reduction.unreported == 0 && over;
        }
        if needless {
            self.take_back();
        }
        needless
    }

    /// Takes the last reduction back.
    pub(super) fn take_back(&mut self) {
        self.rare.suspicion = None;
        if let Some(reduction) = self.rare.reduction.take() {
            if let Some(bbr) = self.control.bbr() {
                // It comes back to its window by itself.
                bbr.undone();
            } else {
                self.cwnd = self.cwnd.max(reduction.cwnd);
            }
            self.ssthresh = self.ssthresh.max(reduction.ssthresh);
            self.inflation = 0;
            self.last_cut = LastCut::Exited;
            // A loss that is one, below, may begin a recovery at once.
            self.recover = self.snd_una;
            self.snd_nxt = self.snd_max;
            self.counters.undone += 1;
        }
    }
}
