//! Divided ACKs (ledger divack.m.generator, divack.m.methods): the ACK that is due leaves in pieces.
//!
//! Method I answers each segment at once, method II every other one as delayed ACKs do. Division may be confined to a
//! phase of the sender (`divss1`, `divca1`, `divss2`, `divca2` of the paper), to the time from an instant on, and to so
//! many segments. Where it is not on, the ACK leaves whole, at the method's own frequency.

use acklab_packet::{Phase, Time};

use super::{AckPolicy, Arrival, Delayed, Emission, Guess, Pieces};
use crate::rules::{DivideWhen, PhaseSource};

/// Times at which ACKs are divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    /// In which phase of the sender.
    pub when: DivideWhen,
    /// Source of the phase.
    pub phase: PhaseSource,
    /// For a guess: at which window, in segments, slow start ends at the latest, and what silence means a timeout.
    pub guess: (u32, Time),
    /// From this instant on.
    pub start: Time,
    /// So many in-order segments; 0 for no end.
    pub burst: u32,
}

/// The policy's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Divide {
    base: Delayed,
    pieces: Pieces,
    division: Division,
    guess: Option<Guess>,
    slow_start: bool,
    /// In-order segments since the last ACK.
    held: u32,
    /// In-order segments whose ACKs were divided.
    divided: u32,
}

impl Divide {
    /// Divides the ACK of every `segments` segments, or of what came within `timer`, into `pieces`.
    pub fn new(pieces: Pieces, segments: u32, timer: Time, division: Division) -> Divide {
        let guessing = division.when != DivideWhen::Always && division.phase == PhaseSource::Heuristic;
        Divide {
            base: Delayed::new(timer, segments, false, Time::ZERO),
            pieces,
            division,
            guess: guessing.then(|| Guess::new(f64::from(division.guess.0), division.guess.1)),
            slow_start: true,
            held: 0,
            divided: 0,
        }
    }

    /// The ACK that is due, in pieces if this is the time for it.
    fn emission(&mut self, now: Time) -> Emission {
        let Division { when, start, burst, .. } = self.division;
        let phase = match when {
            DivideWhen::Always => true,
            DivideWhen::SlowStart => self.slow_start,
            DivideWhen::CongestionAvoidance => !self.slow_start,
        };
        if !phase || now < start || self.held == 0 || (burst > 0 && self.divided >= burst) {
            return Emission::Now;
        }
        self.divided = self.divided.saturating_add(self.held);
        Emission::Pieces(self.pieces)
    }
}

impl AckPolicy for Divide {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        if self.division.when != DivideWhen::Always {
            self.slow_start = match &mut self.guess {
                Some(guess) => guess.on_segment(arrival),
                None => arrival.phase == Phase::SlowStart,
            };
        }
        match self.base.on_segment(arrival) {
            // Duplicate ACKs are single, and what fills a gap has a whole ACK: its pieces would be partial ACKs.
            Emission::Now if arrival.in_order => {
                self.held += 1 + arrival.merged;
                self.emission(arrival.now)
            }
            emission => {
                self.held += u32::from(arrival.in_order) * (1 + arrival.merged);
                emission
            }
        }
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        self.emission(now)
    }

    fn on_ack_sent(&mut self, now: Time) {
        self.held = 0;
        self.base.on_ack_sent(now);
        if let Some(guess) = &mut self.guess {
            guess.on_ack_sent();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{PieceOrder, PieceParts};

    const PIECES: Pieces =
        Pieces { count: 16, parts: PieceParts::Equal, order: PieceOrder::Rising, spacing: Time::ZERO };

    fn policy(segments: u32, when: DivideWhen, start: f64, burst: u32) -> Divide {
        let (phase, guess) = (PhaseSource::Oracle, (u32::MAX, Time::ZERO));
        let division = Division { when, phase, guess, start: Time::from_secs(start), burst };
        Divide::new(PIECES, segments, Time::from_secs(0.1), division)
    }

    fn arrival(secs: f64, phase: Phase) -> Arrival {
        Arrival { in_order: true, len: 1460, phase, now: Time::from_secs(secs), ..Arrival::default() }
    }

    fn answers(policy: &mut Divide, arrivals: &[Arrival]) -> Vec<&'static str> {
        let mut told = Vec::new();
        for arrival in arrivals {
            let emission = policy.on_segment(arrival);
            told.push(match emission {
                Emission::Now => "whole",
                Emission::Pieces(_) => "pieces",
                _ => "held",
            });
            if told.last() != Some(&"held") {
                policy.on_ack_sent(arrival.now);
            }
        }
        told
    }

    #[test]
    fn the_four_policies_of_the_paper() {
        let (ss, ca) = (arrival(1.0, Phase::SlowStart), arrival(1.0, Phase::CongestionAvoidance));
        let row = [ss, ss, ca, ca];
        let all = |segments, when| answers(&mut policy(segments, when, 0.0, 0), &row);
        assert_eq!(all(1, DivideWhen::SlowStart), ["pieces", "pieces", "whole", "whole"], "divss1");
        assert_eq!(all(1, DivideWhen::CongestionAvoidance), ["whole", "whole", "pieces", "pieces"], "divca1");
        assert_eq!(all(2, DivideWhen::SlowStart), ["held", "pieces", "held", "whole"], "divss2");
        assert_eq!(all(2, DivideWhen::CongestionAvoidance), ["held", "whole", "held", "pieces"], "divca2");
    }

    #[test]
    fn a_burst_begins_at_its_instant_and_counts_in_order_segments() {
        let mut policy = policy(1, DivideWhen::Always, 2.0, 3);
        let gap = Arrival { in_order: false, gap: true, ..arrival(2.2, Phase::Unknown) };
        let at = |secs| arrival(secs, Phase::Unknown);
        let row = [at(1.9), at(2.0), gap, at(2.3), at(2.4), at(2.5)];
        assert_eq!(answers(&mut policy, &row), ["whole", "pieces", "whole", "pieces", "pieces", "whole"]);
    }

    #[test]
    fn the_timer_sends_what_is_held_in_pieces_too() {
        let mut policy = policy(2, DivideWhen::SlowStart, 0.0, 0);
        assert!(matches!(policy.on_segment(&arrival(1.0, Phase::SlowStart)), Emission::By(_)));
        assert!(matches!(policy.on_timer(Time::from_secs(1.1)), Emission::Pieces(_)));
    }
}
