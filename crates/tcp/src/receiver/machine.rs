//! The receiver: one conversation's receiving half.

use std::sync::Arc;

use acklab_packet::{Ack, SackBlocks, Segment, Seq, Time};

use super::policy::{AckPolicy, Arrival, Emission, Policy};
use super::{Placement, Reassembly, ReceiverWire, SackHistory};
use crate::rules::{AckPolicyKind, PhaseSource, ReceiverRules};

/// What a receiver counts.
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
#[derive(Clone, Debug)]
pub struct Receiver {
    rules: Arc<ReceiverRules>,
    space: Reassembly,
    history: SackHistory,
    policy: Policy,
    timer_on: bool,
    /// The segment the next ACK answers: for the SACK blocks.
    trigger: Seq,
    syn: bool,
    duplicate: bool,
    ece: bool,
    /// Timestamp to echo, and the cumulative number of the last ACK sent (RFC 7323 section 4.3).
    ts_recent: Time,
    last_ack_sent: Seq,
    /// When `rcv_nxt` last advanced.
    last_progress: Time,
    counters: ReceiverCounters,
}

impl Receiver {
    /// A receiver that follows `rules`.
    pub fn new(rules: Arc<ReceiverRules>) -> Receiver {
        Receiver {
            policy: Policy::new(&rules.ack),
            rules,
            space: Reassembly::default(),
            history: SackHistory::default(),
            timer_on: false,
            trigger: 0,
            syn: false,
            duplicate: false,
            ece: false,
            ts_recent: Time::ZERO,
            last_ack_sent: 1,
            last_progress: Time::ZERO,
            counters: ReceiverCounters::default(),
        }
    }

    /// A segment arrives.
    pub fn on_segment<W: ReceiverWire>(&mut self, segment: &Segment, now: Time, wire: &mut W) {
        self.counters.segments_received += 1;
        // A mark is echoed on every ACK until the sender says it has reduced its window (RFC 3168 section 6.1.3).
        self.ece = segment.ce || (self.ece && !segment.cwr);
        if segment.ts_val >= self.ts_recent && segment.seq <= self.last_ack_sent {
            self.ts_recent = segment.ts_val;
        }
        let before = self.space.rcv_nxt;
        let placement = self.space.insert(segment);
        if self.space.rcv_nxt != before && !segment.fin {
            self.last_progress = now;
        }
        self.duplicate = placement.duplicate;
        self.counters.duplicates += u64::from(placement.duplicate);
        self.trigger = segment.seq;
        self.syn |= segment.syn;
        let at_once = self.must_answer_at_once(segment, placement);
        let arrival = Arrival {
            in_order: placement.in_order && !at_once,
            gap: self.space.has_gap(),
            duplicate: placement.duplicate,
            phase: segment.phase,
            now,
        };
        let emission = self.policy.on_segment(&arrival);
        self.emit(emission, now, wire);
    }

    /// What no policy may delay, because RFC 5681 section 4.2, RFC 9293 or the connection's own signals forbid it.
    fn must_answer_at_once(&self, segment: &Segment, placement: Placement) -> bool {
        (self.rules.immediate_on_gap && placement.fills_gap)
            || (self.rules.immediate_on_repeat && placement.duplicate)
            || (self.rules.immediate_on_syn && segment.seq == 0)
            || segment.fin
    }

    /// The ACK timer runs out.
    pub fn on_timer<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) {
        self.timer_on = false;
        let emission = self.policy.on_timer(now);
        self.emit(emission, now, wire);
    }

    fn emit<W: ReceiverWire>(&mut self, emission: Emission, now: Time, wire: &mut W) {
        match emission {
            Emission::Now => {
                if self.timer_on {
                    self.timer_on = false;
                    wire.disarm();
                }
                self.send(wire);
                self.policy.on_ack_sent(now);
            }
            Emission::By(at) => {
                if !self.timer_on {
                    self.timer_on = true;
                    wire.arm(at);
                }
            }
            Emission::Nothing => {}
        }
    }

    fn send<W: ReceiverWire>(&mut self, wire: &mut W) {
        let rules = &*self.rules;
        let ack = self.space.rcv_nxt;
        let sack = if rules.sack {
            let most = (rules.max_sack_blocks as usize).min(SackBlocks::MAX);
            self.history.blocks(&self.space, self.trigger, self.duplicate, rules.purge_stale_sack, most)
        } else {
            SackBlocks::default()
        };
        let size = rules.ack_size + rules.sack_block_bytes * sack.len() as u32;
        self.counters.acks_sent += 1;
        self.last_ack_sent = ack;
        let syn = std::mem::take(&mut self.syn);
        wire.send(Ack { ack, sack, syn, ece: self.ece, ts_ecr: self.ts_recent }, size);
    }

    /// Whether the ACK policy wants the driver to tell it the sender's phase.
    #[inline]
    pub fn wants_phase(&self) -> bool {
        matches!(self.rules.ack, AckPolicyKind::Daass { phase: PhaseSource::Oracle, .. })
    }

    /// Next unit expected in order.
    pub fn rcv_nxt(&self) -> Seq {
        self.space.rcv_nxt
    }

    /// When `rcv_nxt` last advanced.
    pub fn last_progress(&self) -> Time {
        self.last_progress
    }

    /// Counts so far.
    pub fn counters(&self) -> &ReceiverCounters {
        &self.counters
    }
}
