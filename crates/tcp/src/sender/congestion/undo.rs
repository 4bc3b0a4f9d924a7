//! Undo of a spurious reduction: a segment was not lost, but late.
//!
//! There are two signs, as Linux reads them. Timestamps (the Eifel detection, RFC 3522): the first hole is filled by a segment
//! that left before its retransmission. DSACKs (RFC 3708): the receiver reports every retransmission as a duplicate. Then cwnd
//! and ssthresh are restored (`tcp_undo_cwnd_reduction` in net/ipv4/tcp_input.c; RFC 4015 is more careful with cwnd).

use acklab_packet::{Ack, Seq, Time};

use super::control::Reduced;
use super::{CaState, Congestion};
use crate::rules::{Frto, SenderRules, UndoEvidence};
use crate::sender::sequence::SequenceSpace;

/// The block with which an ACK reports a duplicate: the first, if it lies below the cumulative ACK or within the second
/// (RFC 2883 section 4).
pub(in crate::sender) fn dsack(ack: &Ack) -> Option<(Seq, Seq)> {
    let mut blocks = ack.sack.iter(ack.ack);
    let first = blocks.next()?;
    let within = blocks.next().is_some_and(|second| second.0 <= first.0 && first.1 <= second.1);
    (first.1 <= ack.ack || within).then_some(first)
}

/// The last reduction, and the evidence about it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reduction {
    /// Window and threshold before it.
    before: Reduced,
    /// SND.UNA and SND.MAX when it began.
    from: Seq,
    to: Seq,
    /// Time of the first retransmission, and one past the highest unit resent.
    resent: Option<Time>,
    resent_to: Seq,
    /// Units sent again that no DSACK has reported.
    unreported: u64,
}

/// What an ACK shows of the last reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sender) enum Evidence {
    #[default]
    None,
    /// Within a recovery, its hole was filled by a segment that was late.
    Late,
    /// It was spurious.
    Needless,
}

/// The evidence of an ACK, and the duplicate that it reports, if that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sender) struct Sign {
    pub evidence: Evidence,
    pub duplicate: Option<(Seq, Seq)>,
}

/// Watch over the last reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sender) struct Undo {
    /// True if the recovery has reductions that can be undone.
    asks: bool,
    by_timestamps: bool,
    pub by_dsack: bool,
    /// What the evidence is compared with.
    pub evidence: UndoEvidence,
    last: Option<Reduction>,
    /// The windows to return to. The control first processes the ACK that shows the reduction to be spurious. Linux, too, first
    /// gives the control the round trip (`tcp_clean_rtx_queue`), and then undoes (`tcp_fastretrans_alert`).
    pending: Option<Reduced>,
}

impl Undo {
    /// For a sender with these rules; `None` if they never undo a reduction.
    pub fn new(rules: &SenderRules) -> Option<Box<Undo>> {
        use crate::rules::Undo as Rule;
        let undo = rules.recovery.undo();
        let by_timestamps = rules.timestamps && matches!(undo, Rule::Timestamps | Rule::Both);
        let (asks, by_dsack) = (rules.recovery.undoes(), matches!(undo, Rule::Dsack | Rule::Both));
        let on = undo != Rule::Off || rules.recovery.frto() != Frto::Off;
        on.then(|| {
            Box::new(Undo {
                asks,
                by_timestamps,
                by_dsack,
                evidence: rules.recovery.undo_evidence(),
                last: None,
                pending: None,
            })
        })
    }

    /// A loss is about to reduce the window. One that comes before the last has been repaired belongs to it.
    pub fn begin(&mut self, seq: &SequenceSpace, cc: &Congestion, timeout: bool) {
        let belongs = timeout || self.evidence == UndoEvidence::Reduction;
        if !self.asks || self.last.as_ref().is_some_and(|last| belongs && seq.una < last.to) {
            return;
        }
        // A retransmission of an earlier reduction may still be in flight, and may arrive before its data is sent once more. That
        // is no sign that the data was not lost (Linux's `tcp_retrans_stamp_cleanup`).
        let earlier = self.last.filter(|earlier| earlier.resent_to > seq.una);
        let (resent, resent_to, unreported) =
            earlier.map_or((None, 0, 0), |earlier| (earlier.resent, earlier.resent_to, earlier.unreported));
        // Linux's `tcp_current_ssthresh`: not far below a window in which congestion avoidance went well.
        let before = Reduced { cwnd: cc.cwnd, ssthresh: cc.ssthresh.max(0.75 * cc.cwnd) };
        self.last = Some(Reduction { before, from: seq.una, to: seq.max, resent, resent_to, unreported });
    }

    /// Forgets the last reduction: neither it nor a following one without a loss will be undone.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// Units `start .. end` leave again.
    pub fn on_resent(&mut self, start: Seq, end: Seq, now: Time) {
        if let Some(last) = &mut self.last {
            last.resent.get_or_insert(now);
            last.resent_to = last.resent_to.max(end);
            last.unreported += end - start;
        }
    }

    /// True if this ACK, before it counts, shows that the last reduction was spurious: by its echo, and the duplicate it reports.
    pub fn judge(
        &mut self,
        ack: &Ack,
        (echo, reported): (Time, Option<(Seq, Seq)>),
        seq: &SequenceSpace,
        state: CaState,
    ) -> bool {
        let Some(last) = &mut self.last else { return false };
        let Some(resent) = last.resent else { return false };
        let late = ack.ack > seq.una.max(last.from) && seq.una < last.to && echo < resent;
        let mut needless = late && self.by_timestamps;
        if self.by_dsack {
            if let Some((start, end)) = reported.filter(|block| block.1 > last.from && block.1 <= seq.una) {
                last.unreported = last.unreported.saturating_sub(end - start);
            }
            // Within a recovery that began with duplicates, only when it is over.
            let over = ack.ack >= last.to || (state == CaState::Loss && ack.ack > seq.una);
            needless |= last.unreported == 0 && over;
        }
        needless
    }

    /// A DSACK that counts reports `units` that were sent again, up to `end`.
    pub fn on_report(&mut self, end: Seq, units: u64) {
        if let Some(last) = self.last.as_mut().filter(|last| end > last.from) {
            last.unreported = last.unreported.saturating_sub(units);
        }
    }

    /// Notes that a recovery has begun or is about to begin, with `units` retransmitted ones in flight. `any`: a new reduction's
    /// clock continues from the last (`tcp_init_undo`, `tcp_retrans_stamp_cleanup`).
    pub fn on_their_way(&mut self, units: u64, any: bool) {
        if let Some(last) = &mut self.last {
            last.unreported = units;
            last.resent_to = if any { last.resent_to } else { 0 };
        }
    }

    /// What an ACK, before it counts, shows in this state (`tcp_fastretrans_alert`).
    pub fn weigh(&self, ack: &Ack, echo: Time, una: Seq, state: CaState) -> Evidence {
        let Some(Reduction { to, resent: Some(resent), unreported, .. }) = self.last else { return Evidence::None };
        let advances = ack.ack > una;
        let late = advances && self.by_timestamps && echo < resent;
        let reported = self.by_dsack && unreported == 0;
        match state {
            CaState::Recovery if late && ack.ack < to => Evidence::Late,
            CaState::Recovery | CaState::Loss if late || (reported && (advances || state == CaState::Recovery)) => {
                Evidence::Needless
            }
            CaState::Open if reported => Evidence::Needless,
            _ => Evidence::None,
        }
    }

    /// Takes the last reduction for spurious. Returns whether there is one.
    pub fn take(&mut self) -> bool {
        let last = self.last.take().map(|last| last.before);
        let there = last.is_some();
        self.pending = last.or(self.pending.take());
        there
    }

    /// The windows before the spurious reduction, to return to.
    pub fn due(&mut self) -> Option<Reduced> {
        self.pending.take()
    }
}
