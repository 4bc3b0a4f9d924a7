//! Which SACK blocks an ACK carries (RFC 2018 section 4).

use acklab_packet::{SackBlocks, Segment, Seq, Time};

use super::policy::AckPolicy;
use super::{Reassembly, Receiver, ReceiverWire};
use crate::rules::AckPolicyKind;

/// Blocks that may wait for one ACK (`TCP_SACK_BLOCKS_EXPECTED`).
const FEW: usize = 2;

/// The most recently reported runs, latest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SackHistory {
    len: u8,
    runs: [(Seq, Seq); SackBlocks::MAX],
    /// The first part of the last segment out of order that had come before.
    repeated: (Seq, Seq),
}

impl SackHistory {
    /// True if nothing was reported since everything had arrived.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The blocks for an ACK caused by a segment at `seq`: its own run first, then those reported before.
    ///
    /// `duplicate`: the last segment to arrive had nothing new. `purge`: forget runs that `rcv_nxt` has passed.
    #[inline(never)]
    pub fn blocks(&mut self, space: &Reassembly, seq: Seq, duplicate: bool, purge: bool, most: usize) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let ack = space.rcv_nxt;
        if ack >= space.highest && self.len > 0 {
            self.len = 0;
            return blocks;
        }
        if most == 0 || (ack >= space.highest && !duplicate) {
            return blocks;
        }
        // Everything up to `rcv_nxt` counts as one run that begins at 0; it covers old entries, but is never sent.
        let above = seq >= ack;
        let recent = if above { space.run_of(seq).unwrap_or((seq, seq)) } else { (0, ack) };
        if above {
            blocks.push(ack, recent.0, recent.1);
        }
        let mut index = 0;
        while blocks.len() < most && index < usize::from(self.len) {
            let run = self.runs[index];
            if (recent.0 <= run.0 && recent.1 >= run.1) || (purge && run.1 <= ack) {
                self.remove(index);
            } else {
                blocks.push(ack, run.0, run.1);
                index += 1;
            }
        }
        if above {
            self.push(recent, most);
        }
        blocks
    }

    /// Notes the run that `seq` lies in, as the latest to which something was added.
    fn note(&mut self, space: &Reassembly, seq: Seq) {
        let Some(run) = space.run_of(seq) else { return };
        for index in (0..usize::from(self.len)).rev() {
            if run.0 <= self.runs[index].0 && self.runs[index].0 < run.1 {
                self.remove(index);
            }
        }
        self.push(run, SackBlocks::MAX);
    }

    /// The place among the runs noted of the one that `seq` lies in: their number if it is new. None without a run.
    fn place(&self, space: &Reassembly, seq: Seq) -> Option<usize> {
        let run = space.run_of(seq)?;
        let noted = &self.runs[..usize::from(self.len)];
        Some(noted.iter().position(|one| run.0 <= one.0 && one.0 < run.1).unwrap_or(noted.len()))
    }

    /// The blocks for an ACK that answers many segments: the runs noted last, as they are now.
    fn noted(&mut self, space: &Reassembly, most: usize) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        for index in (0..usize::from(self.len)).rev() {
            match space.run_of(self.runs[index].0) {
                Some(run) => self.runs[index] = run,
                None => self.remove(index),
            }
        }
        for &(start, end) in self.runs[..usize::from(self.len)].iter().take(most) {
            blocks.push(space.rcv_nxt, start, end);
        }
        blocks
    }

    /// Reports this part as a duplicate, whether it is one or not.
    pub(super) fn claim(&mut self, part: (Seq, Seq)) {
        self.repeated = part;
    }

    fn remove(&mut self, index: usize) {
        self.runs.copy_within(index + 1..usize::from(self.len), index);
        self.len -= 1;
    }

    fn push(&mut self, run: (Seq, Seq), most: usize) {
        let kept = usize::from(self.len).min(most - 1);
        self.runs.copy_within(..kept, 1);
        self.runs[0] = run;
        self.len = kept as u8 + 1;
    }
}

impl Receiver {
    /// Notes the first part of a segment that had come before, for the ACK that answers it (RFC 2883 section 4).
    #[cold]
    pub(super) fn note_repeated(&mut self, segment: &Segment) {
        let repeated = self.space.repeated(segment);
        self.repeats = repeated.is_some();
        if let Some(part) = repeated {
            self.history.get_or_insert_default().repeated = part;
        }
    }

    /// A segment came whose ACK may wait: its run is to be reported.
    pub(super) fn note_run(&mut self) {
        if self.space.has_gap() && self.rules.sack {
            self.history.get_or_insert_default().note(&self.space, self.trigger);
        }
    }

    /// Linux notes each segment above a gap, whether or not an ACK leaves. An ACK that waits leaves before a third block is begun or added
    /// to, because that one ACK may be lost (`tcp_sack_new_ofo_skb` in net/ipv4/tcp_input.c).
    #[cold]
    pub(super) fn note_as_linux<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) {
        if !self.space.has_gap() || !self.rules.sack {
            return;
        }
        let place = self.history.get_or_insert_default().place(&self.space, self.trigger);
        if place.is_some_and(|place| place >= FEW) && self.policy.holds_blocks() {
            self.settle(wire);
            self.send(self.space.rcv_nxt, wire);
            self.policy.on_ack_sent(now);
        }
        self.note_run();
    }

    /// Blocks with which an ACK reports data beyond the first gap.
    #[inline(never)]
    pub(super) fn blocks(&mut self, ack: Seq) -> SackBlocks {
        let rules = &*self.rules;
        let most = (rules.max_sack_blocks as usize).min(SackBlocks::MAX);
        let history = self.history.get_or_insert_default();
        let repeated = history.repeated;
        let blocks = if matches!(rules.ack, AckPolicyKind::Quic { .. } | AckPolicyKind::Linux { .. }) {
            history.noted(&self.space, most)
        } else {
            history.blocks(&self.space, self.trigger, self.duplicate, rules.purge_stale_sack, most)
        };
        if history.is_empty() && !self.repeats {
            self.history = None;
        }
        if self.repeats { self.after_duplicate(ack, repeated, &blocks, most) } else { blocks }
    }

    /// `blocks` after the one that reports the duplicate just come, or the first part of the segment that is one (RFC 2883 section 4).
    #[cold]
    fn after_duplicate(&self, ack: Seq, first: (Seq, Seq), blocks: &SackBlocks, most: usize) -> SackBlocks {
        let mut all = SackBlocks::default();
        for (start, end) in std::iter::once(first).chain(blocks.iter(ack)).take(most) {
            all.push(ack, start, end);
        }
        all
    }
}
