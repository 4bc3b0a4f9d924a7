//! QUIC's counts of marked packets at the sender, and their validation (RFC 9000 section 13.4.2, appendix A.4).
//!
//! Each ACK has the number of packets that came as ECT(0), as ECT(1) and as CE. If these numbers cannot be those of what was sent,
//! something on the path changes the field, or the receiver does not report it. Then no packet may be marked any more.

use acklab_packet::{Ack, PacketCounts};

use super::accurate::Delivered;
use crate::rules::SenderRules;

/// A sender's side of QUIC's counts.
#[derive(Clone, Debug)]
pub(super) struct PacketMarks {
    /// Packets leave as ECT(1), not as ECT(0).
    ect1: bool,
    failed: bool,
    /// Packets that left with that field.
    sent: u64,
    /// What the ACKs have told.
    counts: PacketCounts,
    /// Packets that came with the field as it was sent, and marked.
    unmarked: u64,
    marked: u64,
    /// Most packets that the counts may have and no range has told of. An ACK without ranges covers all that has come.
    uncovered: u64,
    /// Units that the last ACK told of as marked.
    pub told: f64,
}

impl PacketMarks {
    /// The state of a sender with these rules; none if it does not number its packets, or sends none that may be marked.
    pub fn new(rules: &SenderRules) -> Option<PacketMarks> {
        let (counts, told) = (PacketCounts::default(), 0.0);
        let state = PacketMarks {
            ect1: rules.ect1,
            failed: false,
            sent: 0,
            counts,
            unmarked: 0,
            marked: 0,
            uncovered: 0,
            told,
        };
        (rules.ecn && rules.recovery.packet_numbers()).then_some(state)
    }

    /// True if packets may say that they can be marked.
    pub fn usable(&self) -> bool {
        !self.failed
    }

    /// Marks counted so far, in packets.
    pub fn marks(&self) -> u64 {
        self.marked
    }

    /// A packet leaves that may be marked.
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// Takes in the counts of an ACK that newly acknowledges so much, in packets of `mss` units; the same ACK, whose ECE says whether it
    /// tells of marks.
    pub fn read(&mut self, ack: &Ack, delivered: Delivered, mss: u32) -> Ack {
        self.told = 0.0;
        let read = Ack { ece: false, ..*ack };
        // The handshake has no field; an ACK that another has overtaken does not count.
        if self.failed || ack.syn || delivered.packets == 0 {
            return read;
        }
        match ack.sack.packet_counts().and_then(|counts| self.gains(counts, delivered.packets, ack.sack.is_empty())) {
            Some(marked) => {
                self.told = (marked * u64::from(mss)).min(delivered.units.max(marked)) as f64;
                Ack { ece: marked > 0, ..read }
            }
            None => {
                self.failed = true;
                read
            }
        }
    }

    /// Packets of which the counts tell as marked, if the counts can be those of what was sent. `all`: the ACK covers all that has come.
    fn gains(&mut self, counts: PacketCounts, delivered: u64, all: bool) -> Option<u64> {
        let gained = |new: u32, old: u32| u64::from(new.wrapping_sub(old) % PacketCounts::MODULUS);
        let before = self.counts;
        let fields = (gained(counts.ect0, before.ect0), gained(counts.ect1, before.ect1));
        let (mine, other) = if self.ect1 { (fields.1, fields.0) } else { fields };
        let marked = gained(counts.ce, before.ce);
        // Counts that fall are those of an ACK that another has overtaken.
        if [mine, other, marked].into_iter().any(|gain| gain >= u64::from(PacketCounts::MODULUS) / 2) {
            return Some(0);
        }
        self.counts = counts;
        (self.unmarked, self.marked) = (self.unmarked + mine, self.marked + marked);
        // An ACK has few ranges. What did not fit was counted before, and a later ACK covers it.
        let left = (mine + marked + self.uncovered).checked_sub(delivered);
        self.uncovered = left.filter(|_| !all).unwrap_or(0);
        // Fewer than were acknowledged: the field is cleared. More than were sent, or another field: it is changed.
        let valid = other == 0 && left.is_some() && self.unmarked + self.marked <= self.sent;
        valid.then_some(marked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender of ten ECT(0) packets of 1200 units.
    fn ten() -> PacketMarks {
        let counts = PacketCounts::default();
        PacketMarks { ect1: false, failed: false, sent: 10, counts, unmarked: 0, marked: 0, uncovered: 0, told: 0.0 }
    }

    /// Reads an ACK that newly acknowledges `packets` and has these counts; whether it tells of marks.
    fn read(marks: &mut PacketMarks, packets: u64, counts: Option<[u32; 3]>) -> bool {
        let mut ack = Ack { ece: true, ..Ack::default() };
        if let Some([ect0, ect1, ce]) = counts {
            ack.sack.set_packet_counts(PacketCounts { ect0, ect1, ce });
        }
        marks.read(&ack, Delivered { packets, units: packets * 1200 }, 1200).ece
    }

    #[test]
    fn counts_that_fit_tell_of_marks() {
        let mut marks = ten();
        assert!(!read(&mut marks, 2, Some([2, 0, 0])));
        assert!(read(&mut marks, 3, Some([4, 0, 1])));
        assert_eq!((marks.told, marks.marks(), marks.usable()), (1200.0, 1, true));
        // A lost ACK's counts come with the next; what was sent twice counts twice.
        assert!(read(&mut marks, 3, Some([5, 0, 4])));
        assert_eq!((marks.told, marks.marks()), (3600.0, 4));
        assert!(!read(&mut marks, 0, Some([9, 9, 9])), "nothing new: not validated");
        assert!(!read(&mut marks, 1, Some([4, 0, 1])), "an ACK that another has overtaken");
        assert!(marks.usable());
    }

    /// RFC 9000 section 13.4.2.1, its reasons in order.
    #[test]
    fn counts_that_do_not_fit_end_it() {
        for (packets, counts) in [
            (2, None),             // no counts
            (2, Some([1, 0, 0])),  // cleared on the way
            (2, Some([0, 2, 0])),  // ECT(0) has become ECT(1)
            (2, Some([11, 0, 0])), // more than were sent
            (2, Some([8, 0, 3])),
        ] {
            let mut marks = ten();
            assert!(!read(&mut marks, packets, counts), "{counts:?}");
            assert!(!marks.usable(), "{counts:?}");
            assert!(!read(&mut marks, 3, Some([5, 0, 5])), "and for good");
        }
    }
}
