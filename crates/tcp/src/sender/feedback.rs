//! How ACKs tell a sender of marks, where they count them: TCP's accurate ECN, or QUIC's counts.

use acklab_packet::{Ace, Ack};

use super::accurate::{Accurate, deliver};
use super::packet_marks::PacketMarks;
use super::recovery::scoreboard::Scoreboard;
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
    /// Units that the last ACK told of as marked.
    pub told: f64,
}

impl Feedback {
    /// That of a sender with these rules; none if ACKs echo marks, or there are none.
    pub fn new(rules: &SenderRules) -> Option<Box<Feedback>> {
        let packets = PacketMarks::new(rules).map(|marks| Counts::Packets(marks, Scoreboard::default()));
        let counts = packets.or_else(|| Accurate::new(rules).map(Counts::Accurate))?;
        Some(Box::new(Feedback { counts, told: 0.0 }))
    }

    /// Whether segments may say that they can be marked.
    pub fn usable(&self) -> bool {
        match &self.counts {
            Counts::Accurate(accurate) => accurate.usable(),
            Counts::Packets(marks, _) => marks.usable(),
        }
    }

    /// Flags of the next segment, if they are a number; `syns`: SYNs sent so far, if it is one.
    pub fn flags(&mut self, syns: Option<u32>) -> Option<Ace> {
        match &mut self.counts {
            Counts::Accurate(accurate) => accurate.flags(syns),
            Counts::Packets(..) => None,
        }
    }

    /// A segment leaves that may be marked.
    pub fn sent(&mut self) {
        if let Counts::Packets(marks, _) = &mut self.counts {
            marks.sent();
        }
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

    /// An ACK arrives: the same ACK, whose ECE says whether it tells of marks.
    pub fn read(&mut self, ack: &Ack, seq: &SequenceSpace, timestamps: bool) -> Ack {
        self.told = 0.0;
        match &mut self.counts {
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
        }
    }
}
