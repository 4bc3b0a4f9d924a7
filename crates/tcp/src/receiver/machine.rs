//! The receiver: one conversation's receiving half.

use std::sync::Arc;

use acklab_packet::{Ace, AckNotice, Ecn, Probe, Segment, Seq, Tail, Time};

use super::accurate::Accurate;
use super::opening::Ends;
use super::pieces::Spread;
use super::policy::{AckPolicy, Arrival, Emission, Policy};
use super::{Placement, Reassembly, ReceiverWire, SackHistory};
use crate::rules::{AckPolicyKind, Feedback, PhaseSource, ReceiverRules};

/// Counts of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ReceiverCounters {
    pub segments_received: u64,
    pub acks_sent: u64,
    pub duplicates: u64,
}

/// A receiving endpoint.
///
/// Feed it segments and timer expiries; it answers through the [`ReceiverWire`] given to each call.
///
/// Laid out as declared: what every segment and every ACK touch first, as in a sender's [core](crate::sender::Core).
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    /// Pieces of divided ACKs that wait, if they are spaced out.
    pub(super) spread: Option<Box<Spread>>,
    /// Reports of earlier SACK blocks, while there is something to report.
    pub(super) history: Option<Box<SackHistory>>,
    /// Counted up to 2^32 - 1 a connection.
    segments_received: u32,
    pub(super) acks_sent: u32,
    pub(super) space: Reassembly,
    /// Timestamp to echo, and the cumulative number of the last ACK sent (RFC 7323 section 4.3).
    pub(super) ts_recent: Time,
    pub(super) last_ack_sent: Seq,
    /// Number that the ACKs sent so far cover; a divided ACK's pieces begin there.
    pub(super) covered: Seq,
    pub(super) policy: Policy,
    pub(super) rules: Arc<ReceiverRules>,
    /// Time at which `rcv_nxt` last advanced.
    last_progress: Time,
    /// The segment the next ACK answers: for the SACK blocks.
    pub(super) trigger: Seq,
    pub(super) timer_on: bool,
    /// The next ACK answers a SYN; true if that may request how often to acknowledge, and the policy listens.
    pub(super) syn: Option<bool>,
    pub(super) duplicate: bool,
    /// A part of the segment just come had come before, and DSACK reports it: the history says which.
    pub(super) repeats: bool,
    pub(super) ece: bool,
    /// True if each mark is echoed, or counted.
    pub(super) notes_marks: bool,
    /// The same, or the handshake is not over.
    pub(super) attentive: bool,
    /// The congestion field of its ACKs.
    pub(super) ecn: Ecn,
    /// Accurate ECN, if the rules know it.
    pub(super) accurate: Option<Box<Accurate>>,
    /// The segments come with PSH; only drivers of real ones know.
    pub(super) push: bool,
    /// The segment just come changes what is echoed, or a count of marks must be told at once.
    mark_changed: bool,
    /// Source of the sender's phase, if the policy asks.
    pub(super) phase_source: Option<PhaseSource>,
    /// ACKs have more than numbers: counts of marks, or the window.
    pub(super) tells: bool,
    /// Count of duplicates.
    pub(super) duplicates: u32,
    /// Further segments merged with the next one, and the units of the first of them.
    pub(super) merged: (u32, u32),
    /// Its answer to the SYN and its own FIN, where they may have to be sent again.
    pub(super) ends: Option<Box<Ends>>,
}

impl Receiver {
    /// A receiver that follows `rules`.
    pub fn new(rules: Arc<ReceiverRules>) -> Receiver {
        let policy = Policy::of(&rules);
        Receiver::with_policy(rules, policy)
    }

    /// The same with this ACK policy instead of the one that `rules` name.
    pub fn with_policy(rules: Arc<ReceiverRules>, policy: Policy) -> Receiver {
        let notes_marks = rules.echo_each_mark || rules.feedback != Feedback::Classic;
        Receiver {
            notes_marks,
            attentive: notes_marks,
            ecn: if rules.ack.asks_for_marks() { Ecn::Ect } else { Ecn::NotEct },
            accurate: Accurate::new(&rules),
            policy: policy.observed(&rules),
            phase_source: rules.ack.phase_source(),
            tells: rules.ack.tells_window() || rules.ack.is_ahead() || rules.feedback != Feedback::Classic,
            rules,
            space: Reassembly::default(),
            history: None,
            timer_on: false,
            trigger: 0,
            syn: None,
            duplicate: false,
            repeats: false,
            ece: false,
            mark_changed: false,
            push: false,
            merged: (0, 0),
            ts_recent: Time::ZERO,
            last_ack_sent: 1,
            covered: 0,
            spread: None,
            last_progress: Time::ZERO,
            segments_received: 0,
            acks_sent: 0,
            duplicates: 0,
            ends: None,
        }
    }

    /// A segment arrives.
    pub fn on_segment<W: ReceiverWire>(&mut self, segment: &Segment, now: Time, wire: &mut W) {
        self.segments_received = self.segments_received.saturating_add(1 + self.merged.0);
        // A mark is echoed on every ACK until the sender says it has reduced its window (RFC 3168 section 6.1.3).
        let before = self.ece;
        self.ece = (segment.ecn == Ecn::Ce) | (before & (segment.ace != Ace::CWR));
        if self.attentive {
            self.attend(segment, before, now, wire);
        }
        if segment.ts_val >= self.ts_recent {
            // To Linux a segment that ends below is no part of the connection (`tcp_sequence`).
            if segment.seq <= self.last_ack_sent && (segment.end() >= self.last_ack_sent || !self.rules.paws) {
                self.ts_recent = segment.ts_val;
            }
        } else if self.rules.paws && segment.seq >= self.space.rcv_nxt && self.is_older(segment) {
            return self.emit(Emission::Now, now, wire);
        }
        if self.space.extend(segment) {
            self.repeats = false;
            self.answer(segment, Placement::NEXT, true, now, wire);
            if segment.tail == Tail::Last {
                self.ends.get_or_insert_default().closing.get_or_insert_default().note(segment.end());
                self.close(now, wire);
            }
        } else if self.rules.retain || segment.seq <= self.space.rcv_nxt {
            self.on_segment_elsewhere(segment, now, wire);
        }
    }

    /// True if the segment left more than a millisecond before the last one in order (`tcp_paws_discard`).
    #[cold]
    fn is_older(&self, segment: &Segment) -> bool {
        let millis = |at: Time| (at.secs() * 1e3).floor();
        millis(segment.ts_val) + 1.0 < millis(self.ts_recent)
    }

    /// Handles the end of the handshake and a congestion mark; a segment may bring both. `before` is the echo before it.
    #[cold]
    fn attend<W: ReceiverWire>(&mut self, segment: &Segment, before: bool, now: Time, wire: &mut W) {
        if !segment.syn {
            self.confirm(wire);
        }
        if self.notes_marks {
            self.note_mark(segment, before, now, wire);
        }
    }

    /// Counts a segment's mark, or echoes it alone. `before`: the echo before it.
    #[cold]
    fn note_mark<W: ReceiverWire>(&mut self, segment: &Segment, before: bool, now: Time, wire: &mut W) {
        let counted =
            self.accurate.as_mut().and_then(|accurate| accurate.on_segment(segment, self.merged.0, &self.rules));
        if let Some(at_once) = counted {
            (self.ece, self.mark_changed) = (false, at_once);
        } else if self.rules.echo_each_mark {
            self.echo_mark(segment.ecn == Ecn::Ce, before, now, wire);
        }
    }

    /// Each ACK echoes the marks of what it covers (RFC 8257 section 3.2): where they change, what came `before` is acknowledged
    /// apart, and the segment at once.
    fn echo_mark<W: ReceiverWire>(&mut self, ce: bool, before: bool, now: Time, wire: &mut W) {
        self.mark_changed = ce != before;
        if self.mark_changed && self.covered < self.space.rcv_nxt {
            self.ece = before;
            self.emit(Emission::Now, now, wire);
        }
        self.ece = ce;
    }

    /// The segment is not the next in order, or there is data above a gap.
    #[inline(never)]
    fn on_segment_elsewhere<W: ReceiverWire>(&mut self, segment: &Segment, now: Time, wire: &mut W) {
        let before = self.space.rcv_nxt;
        if self.rules.dsack && !segment.syn {
            self.note_repeated(segment);
        }
        let placement = self.space.insert(segment);
        self.answer(segment, placement, self.space.rcv_nxt != before, now, wire);
        if self.rules.false_dsacks && placement.fills_gap && !placement.duplicate {
            // Senders believe a DSACK only of what an earlier ACK has covered.
            self.repeats = true;
            self.history.get_or_insert_default().claim((segment.seq, segment.end()));
            self.emit(Emission::Now, now, wire);
        }
        if segment.tail == Tail::Last && !placement.duplicate {
            self.ends.get_or_insert_default().closing.get_or_insert_default().note(segment.end());
        }
        self.close(now, wire);
    }

    /// Asks the policy for its answer to a segment, and sends it. `advanced`: the next unit expected has moved.
    #[inline(always)]
    fn answer<W: ReceiverWire>(
        &mut self,
        segment: &Segment,
        placement: Placement,
        advanced: bool,
        now: Time,
        wire: &mut W,
    ) {
        if advanced && !segment.fin {
            self.last_progress = now;
        }
        self.duplicate = placement.duplicate;
        self.duplicates += u32::from(placement.duplicate);
        self.trigger = segment.seq;
        if segment.syn {
            self.note_syn(segment, now, wire);
        }
        if !placement.in_order && matches!(self.rules.ack, AckPolicyKind::Linux { .. }) {
            self.note_as_linux(now, wire);
        }
        let at_once = self.must_answer_at_once(segment, placement);
        let arrival = || Arrival {
            in_order: placement.in_order && !at_once,
            gap: self.space.has_gap(),
            duplicate: placement.duplicate,
            len: segment.len,
            merged: self.merged.0,
            piece: self.merged.1,
            phase: segment.phase,
            syn: segment.syn,
            seq: segment.seq,
            rcv_nxt: self.space.rcv_nxt,
            echo: segment.echo,
            window: segment.window,
            srtt: segment.srtt,
            ack_marked: segment.notice == AckNotice::MARKED,
            requested: segment.notice.requested(),
            push: self.push || segment.tail == Tail::Pushed,
            ect: segment.ecn != Ecn::NotEct,
            ce: segment.ecn == Ecn::Ce,
            cwr: segment.ace == Ace::CWR,
            sent: segment.ts_val,
            now,
        };
        // The two of most receivers apart, so that what they read and want stays in registers.
        let emission = match &mut self.policy {
            Policy::Every(policy) => policy.on_segment(&arrival()),
            Policy::Delayed(policy) => policy.on_segment(&arrival()),
            policy => {
                let emission = policy.consult(arrival);
                return self.emit(emission, now, wire);
            }
        };
        self.emit_here(emission, now, wire);
    }

    /// A SYN arrives. A receiver that knows only RFC 3168 answers a request for accurate ECN with ECE (RFC 9768 section 3.1.1).
    #[cold]
    fn note_syn<W: ReceiverWire>(&mut self, syn: &Segment, now: Time, wire: &mut W) {
        self.opens(syn.ts_val, now, wire);
        self.syn = Some(syn.notice == AckNotice::ABLE && self.rules.ack.takes_requests());
        if self.rules.feedback == Feedback::Classic {
            self.accurate = Accurate::unknown(syn.ace);
            self.tells |= self.accurate.is_some();
        }
    }

    /// True if no policy may delay the ACK, because RFC 5681 section 4.2, RFC 9293 or the connection's own signals forbid it.
    fn must_answer_at_once(&self, segment: &Segment, placement: Placement) -> bool {
        (self.rules.immediate_on_gap && placement.fills_gap)
            || (self.rules.immediate_on_repeat && placement.duplicate)
            || (segment.seq == 0 && self.rules.immediate_on_syn)
            || segment.fin
            || segment.tail == Tail::Last
            || self.mark_changed
    }

    /// The ACK timer runs out.
    pub fn on_timer<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) {
        let policys = std::mem::take(&mut self.timer_on);
        if self.ends.is_some() && (!policys && self.answers_again(now, wire) || self.closes(now, wire)) {
            return;
        }
        if self.spread.is_some() && !self.next_piece(now, wire) {
            return;
        }
        let emission = self.policy.on_timer(now);
        self.emit(emission, now, wire);
    }

    /// The sender's answer to a keep-alive arrives.
    pub fn on_reply<W: ReceiverWire>(&mut self, reply: &Probe, now: Time, wire: &mut W) {
        if reply.number == 0 {
            self.ends.get_or_insert_default().closing.get_or_insert_default().on_bare_ack(self.last_progress, now);
            self.confirm(wire);
        }
        self.policy.on_reply(reply.number, now);
    }

    /// Estimate of the sender's window at `now`, in segments, if there is one.
    pub fn window_estimate(&self, now: Time) -> Option<f64> {
        self.policy.window_estimate(now)
    }

    /// Next unit expected in order.
    pub fn rcv_nxt(&self) -> Seq {
        self.space.rcv_nxt
    }

    /// Time at which `rcv_nxt` last advanced.
    pub fn last_progress(&self) -> Time {
        self.last_progress
    }

    /// Accurate ECN's counters of packets and bytes that came marked, and of bytes that came as ECT(0) and as ECT(1).
    pub fn accurate_counters(&self) -> Option<[u64; 4]> {
        self.accurate.as_ref().and_then(|accurate| accurate.counters())
    }

    /// Packets that came with a congestion mark, with accurate ECN.
    pub fn marks(&self) -> u64 {
        self.accurate.as_ref().map_or(0, |accurate| accurate.marks())
    }

    /// Counts so far.
    pub fn counters(&self) -> ReceiverCounters {
        let &Receiver { segments_received, acks_sent, duplicates, .. } = self;
        ReceiverCounters {
            segments_received: segments_received.into(),
            acks_sent: acks_sent.into(),
            duplicates: duplicates.into(),
        }
    }
}
