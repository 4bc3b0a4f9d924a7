//! Accurate ECN at the receiver (RFC 9768): counters of what came marked, their encoding in ACKs, and the ACKs that marks ask for.

use acklab_packet::{Ace, Ack, ByteCounts, Ecn, PacketCounts, Segment};

use crate::rules::{AccEcnOption, ChangeAcks, Feedback, ReceiverRules};

/// The first value of `r.cep` (section 3.2.1); `r.ceb` begins with 0.
pub(crate) const FIRST_PACKETS: u64 = 5;
/// The first value of `r.e0b` and `r.e1b` (section 3.2.1).
pub(crate) const FIRST_BYTES: u64 = 1;
/// An option is due at least once for so many bytes (section 3.2.3.3).
const BEACON: u64 = 1 << 22;

/// A receiver's side of accurate ECN. Bytes are sequence units.
#[derive(Clone, Debug)]
pub(super) struct Accurate {
    /// What both ends have agreed on.
    mode: Feedback,
    /// A SYN has come.
    opened: bool,
    /// Flags of the SYN's answer.
    answer: Ace,
    /// `r.cep`: packets that came marked.
    packets: u64,
    /// `r.ceb`, and `r.e0b` and `r.e1b`: bytes that came marked, as ECT(0), and as ECT(1).
    marked: u64,
    unmarked: [u64; 2],
    /// True if the last that came as ECT came as ECT(1): of the two counters an ACK tells this one.
    ect1: bool,
    /// True if the last packet was marked.
    last: bool,
    /// Marked packets since an ACK left.
    pending: u32,
    /// ACKs that have to carry an option, and the bytes counted when one last did.
    demand: u8,
    told: u64,
    /// QUIC's counts, the newest packet number, and which of the 128 up to it have come.
    tally: PacketCounts,
    newest: u32,
    seen: u128,
    /// Packets that came marked, whatever is told, and what is left of those that it hides.
    came: u64,
    hidden: f64,
}

impl Accurate {
    /// The state of a receiver with these rules; none if it only knows RFC 3168.
    pub fn new(rules: &ReceiverRules) -> Option<Box<Accurate>> {
        let fresh = || Box::new(Accurate::fresh(rules.feedback, Ace::default()));
        (rules.feedback != Feedback::Classic).then(fresh)
    }

    /// What answers a SYN with these flags for a receiver that only knows RFC 3168; none if they are no number.
    pub fn unknown(flags: Ace) -> Option<Box<Accurate>> {
        flags.number()?;
        Some(Box::new(Accurate::fresh(Feedback::Classic, Ace::of(u64::from(flags == Ace::REQUEST)))))
    }

    fn fresh(mode: Feedback, answer: Ace) -> Accurate {
        Accurate {
            mode,
            opened: false,
            answer,
            packets: FIRST_PACKETS,
            marked: 0,
            unmarked: [FIRST_BYTES; 2],
            ect1: false,
            last: false,
            pending: 0,
            demand: 0,
            told: 0,
            tally: PacketCounts::default(),
            newest: 0,
            seen: 0,
            came: 0,
            hidden: 0.0,
        }
    }

    /// A SYN arrives (sections 3.1.1 and 3.1.2, Table 2). The answer to a request for accurate ECN tells how the SYN came. The first SYN
    /// decides: of a later one, whatever its flags, it tells only that (section 3.1.5).
    fn on_syn(&mut self, syn: &Segment, feedback: Feedback) {
        if std::mem::replace(&mut self.opened, true) && feedback == Feedback::Accurate {
            if self.mode == Feedback::Accurate {
                self.answer = Ace::of(handshake(syn.ecn));
            }
            return;
        }
        let asks = syn.ace == Ace::REQUEST;
        (self.mode, self.answer) = match feedback {
            Feedback::Accurate if asks => (Feedback::Accurate, Ace::of(handshake(syn.ecn))),
            // Cleared flags make no request.
            Feedback::Accurate if syn.ace != Ace::default() => (Feedback::Refused, Ace::of(0)),
            Feedback::Accurate => (Feedback::Classic, Ace::default()),
            // A broken server, which answers with the flags that came.
            Feedback::Reflected => (Feedback::Reflected, syn.ace),
            other => (other, if asks { Ace::of(0) } else { Ace::default() }),
        };
    }

    /// A segment arrives, of which `merged` further ones are a part. True if it must be acknowledged at once (section 3.2.2.5.1);
    /// none if RFC 3168 applies.
    pub fn on_segment(&mut self, segment: &Segment, merged: u32, rules: &ReceiverRules) -> Option<bool> {
        if self.mode == Feedback::Counts {
            self.note_mark(segment, merged);
            if self.is_new(segment.echo) || merged > 0 {
                let ecn = self.told_of(segment.ecn, rules.marks_told);
                self.tally(ecn, merged + 1);
            }
            return Some(false);
        }
        if segment.syn {
            self.on_syn(segment, rules.feedback);
        }
        self.note_mark(segment, merged);
        match self.mode {
            Feedback::Counts | Feedback::Classic => return None,
            Feedback::Refused | Feedback::Reflected => return Some(false),
            Feedback::Accurate => {}
        }
        let ecn = self.told_of(segment.ecn, rules.marks_told);
        let marked = ecn == Ecn::Ce;
        let changed = marked != self.last;
        self.last = marked;
        if segment.syn {
            // Its answer tells of its mark, no counter (section 3.2.2.2).
            return Some(false);
        }
        if marked {
            self.packets += u64::from(merged) + 1;
            self.marked += u64::from(segment.len);
            self.pending += merged + 1;
        } else if ecn != Ecn::NotEct {
            self.ect1 = ecn == Ecn::Ect1;
            self.unmarked[usize::from(self.ect1)] += u64::from(segment.len);
        }
        if marked || changed {
            self.demand = 2;
        }
        let told = match rules.change_acks {
            ChangeAcks::Off => false,
            ChangeAcks::Marks => changed && marked,
            ChangeAcks::Both => changed,
        };
        Some(told || (rules.marked_acks > 0 && self.pending >= rules.marked_acks))
    }

    /// Writes the counters into an ACK of `size` bytes; returns its new size.
    pub fn write(&mut self, ack: &mut Ack, size: u32, rules: &ReceiverRules) -> u32 {
        if self.mode == Feedback::Counts {
            let blocks = ack.sack.len();
            ack.sack.set_packet_counts(self.tally);
            let gone = if ack.sack.len() < blocks { rules.sack_block_bytes } else { 0 };
            return size - gone.min(size) + self.tally.bytes();
        }
        if ack.syn {
            ack.ace = self.answer;
            return size;
        }
        if self.mode != Feedback::Accurate {
            return size;
        }
        ack.ace = Ace::of(self.packets);
        self.pending = 0;
        let counted = self.marked + self.unmarked.iter().sum::<u64>() - 2 * FIRST_BYTES;
        let due = match rules.accecn_option {
            AccEcnOption::Off => false,
            AccEcnOption::Changes => self.demand > 0 || counted - self.told >= BEACON,
            AccEcnOption::Always => counted > self.told,
        };
        // Without room for two SACK blocks the option stays away (section 3.2.3.3); here there always is.
        if !due {
            return size;
        }
        (self.demand, self.told) = (self.demand.saturating_sub(1), counted);
        let blocks = ack.sack.len();
        let ect = self.unmarked[usize::from(self.ect1)] as u32;
        ack.sack.set_counts(ByteCounts { ect1: self.ect1, ect, ce: self.marked as u32 });
        let gone = if ack.sack.len() < blocks { rules.sack_block_bytes } else { 0 };
        size - gone.min(size) + ByteCounts::SIZE
    }

    /// The field with which a segment counts: a receiver that lies reports some marks as what the others came with.
    fn told_of(&mut self, ecn: Ecn, share: f64) -> Ecn {
        if ecn != Ecn::Ce {
            self.ect1 = if ecn == Ecn::NotEct { self.ect1 } else { ecn == Ecn::Ect1 };
            return ecn;
        }
        self.hidden += 1.0 - share;
        if self.hidden < 1.0 {
            return ecn;
        }
        self.hidden -= 1.0;
        if self.ect1 { Ecn::Ect1 } else { Ecn::Ect }
    }

    /// Notes a packet that came marked, whatever ACKs tell, unless only RFC 3168 applies.
    fn note_mark(&mut self, segment: &Segment, merged: u32) {
        let marked = segment.ecn == Ecn::Ce && !segment.syn && self.mode != Feedback::Classic;
        self.came += if marked { u64::from(merged) + 1 } else { 0 };
    }

    /// True if a packet number comes for the first time. Duplicates are not processed, and do not count (RFC 9000 section 13.4.1).
    fn is_new(&mut self, number: u32) -> bool {
        let ahead = number.wrapping_sub(self.newest) as i32;
        if ahead > 0 {
            (self.newest, self.seen) = (number, self.seen.checked_shl(ahead.unsigned_abs()).unwrap_or(0) | 1);
            return true;
        }
        let bit = 1_u128.checked_shl(ahead.unsigned_abs()).unwrap_or(0);
        let new = self.seen & bit == 0;
        self.seen |= bit;
        new
    }

    /// Counts packets that came with this field (RFC 9000 section 13.4.1). When to acknowledge a mark is the policy's decision.
    fn tally(&mut self, ecn: Ecn, packets: u32) {
        let count = match ecn {
            Ecn::NotEct => return,
            Ecn::Ect => &mut self.tally.ect0,
            Ecn::Ect1 => &mut self.tally.ect1,
            Ecn::Ce => &mut self.tally.ce,
        };
        *count = (*count + packets) % PacketCounts::MODULUS;
    }

    /// Packets that came marked.
    pub fn marks(&self) -> u64 {
        self.came
    }

    /// `r.cep`, `r.ceb`, `r.e0b` and `r.e1b`, if marks are counted as RFC 9768 says.
    pub fn counters(&self) -> Option<[u64; 4]> {
        (self.mode == Feedback::Accurate).then_some([self.packets, self.marked, self.unmarked[0], self.unmarked[1]])
    }
}

/// The number that tells how a SYN, or its answer, came (section 3.1.1, Table 2, and section 3.2.2.1, Table 3).
fn handshake(ecn: Ecn) -> u64 {
    match ecn {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect => 0b100,
        Ecn::Ce => 0b110,
    }
}
