//! How ACKs tell a sender of marks, where they count them: TCP's accurate ECN, or QUIC's counts.

use acklab_packet::{Ace, Ack, Segment};

use super::accurate::{Accurate, deliver};
use super::mark_tests::MarkTests;
use super::packet_marks::PacketMarks;
use super::scoreboard::Scoreboard;
use super::sequence::SequenceSpace;
use crate::rules::SenderRules;

/// The state of one or the other.
#[derive(Clone, Debug)]
enum Counts {
    /// RFC 9768.
    Accurate(Accurate),
    /// RFC 9000, with the units reported above the cumulative number.
    Packets(PacketMarks, Scoreboard),
}

/// What ACKs count.
#[derive(Clone, Debug)]
pub(super) struct Feedback {
    counts: Counts,
    tests: Option<MarkTests>,
    /// The receiver hides marks, or the path does.
    lies: bool,
    /// Units that the last ACK told of as marked.
    pub told: f64,
}

impl Feedback {
    /// That of a sender with these rules; none if ACKs echo marks, or there are none.
    pub fn new(rules: &SenderRules, seed: u64) -> Option<Box<Feedback>> {
        let packets = PacketMarks::new(rules).map(|marks| Counts::Packets(marks, Scoreboard::default()));
        let counts = packets.or_else(|| Accurate::new(rules).map(Counts::Accurate))?;
        Some(Box::new(Feedback { counts, tests: MarkTests::new(rules.test_marks, seed), lies: false, told: 0.0 }))
    }

    /// True if segments may say that they can be marked.
    pub fn usable(&self) -> bool {
        let usable = match &self.counts {
            Counts::Accurate(accurate) => accurate.usable(),
            Counts::Packets(marks, _) => marks.usable(),
        };
        usable && !self.lies
    }

    /// Flags of the next segment, if they are a number; `syns`: SYNs sent so far, if it is one.
    pub fn flags(&mut self, syns: Option<u32>) -> Option<Ace> {
        match &mut self.counts {
            Counts::Accurate(accurate) => accurate.flags(syns),
            Counts::Packets(..) => None,
        }
    }

    /// A segment leaves that may be marked; whether the sender marks it itself.
    pub fn sent(&mut self, segment: &Segment) -> bool {
        if let Counts::Packets(marks, _) = &mut self.counts {
            marks.sent();
        }
        self.tests.as_mut().is_some_and(|tests| !segment.retransmit && tests.marks(segment.seq))
    }

    /// A segment leaves once more.
    pub fn resent(&mut self, segment: &Segment) {
        if let Some(tests) = &mut self.tests {
            tests.resent(segment.seq, segment.end());
        }
    }

    /// True if a test has found that marks are hidden.
    pub fn accuses(&self) -> bool {
        self.lies
    }

    /// True if the sender answers marks by CWR.
    pub fn answers(&self) -> bool {
        matches!(&self.counts, Counts::Accurate(accurate) if accurate.answers())
    }

    /// Marks counted so far, in packets.
    pub fn marks(&self) -> u64 {
        match &self.counts {
            Counts::Accurate(accurate) => accurate.marks(),
            Counts::Packets(marks, _) => marks.marks(),
        }
    }

    /// Units that came marked and unmarked, as accurate ECN's option told.
    pub fn bytes(&self) -> Option<(u32, u32)> {
        match &self.counts {
            Counts::Accurate(accurate) => Some(accurate.bytes()),
            Counts::Packets(..) => None,
        }
    }

    /// An ACK arrives: the same ACK, whose ECE says whether it tells of marks.
    pub fn read(&mut self, ack: &Ack, seq: &SequenceSpace, timestamps: bool) -> Ack {
        let before = self.marks();
        self.told = 0.0;
        let mut read = match &mut self.counts {
            Counts::Accurate(accurate) => {
                let read = accurate.read(ack, seq, timestamps);
                self.told = accurate.told;
                read
            }
            Counts::Packets(..) if ack.ack > seq.max => Ack { ece: false, ..*ack },
            Counts::Packets(marks, reported) => {
                let read = marks.read(ack, deliver(reported, ack, seq), seq.mss);
                self.told = marks.told;
                read
            }
        };
        // An ACK that another has overtaken is not counted, so it proves nothing.
        if self.tests.is_some() && ack.ack >= seq.una && self.usable() && !self.answers() {
            self.judge(&mut read, before);
        }
        read
    }

    /// Takes the sender's own marks out of what an ACK tells, and finds a receiver that hides some.
    fn judge(&mut self, ack: &mut Ack, before: u64) {
        let gained = self.marks() - before;
        let Some(tests) = &mut self.tests else { return };
        match tests.judge(ack, gained) {
            Some(marks) if gained > 0 => {
                self.told *= marks as f64 / gained as f64;
                ack.ece &= marks > 0;
            }
            Some(_) => {}
            None => self.lies = true,
        }
    }
}
