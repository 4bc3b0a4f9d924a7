//! Divided ACKs: one ACK's range of new data, acknowledged in pieces (ledger divack.m.generator, divack.fig1).

use std::collections::VecDeque;

use acklab_packet::{Seq, Time};

use super::policy::{AckPolicy, Emission, Pieces};
use super::{Receiver, ReceiverWire};
use crate::rules::{PieceOrder, PieceParts};

/// The ACK numbers of a range `from .. to` of new data in pieces: all different, all above `from`, `to` among them.
///
/// A range shorter than the number of pieces gives a piece a unit, and an empty one gives none.
///
/// ```
/// use acklab_tcp::receiver::{numbers, policy::Pieces};
/// use acklab_tcp::rules::{PieceOrder, PieceParts};
/// let three = Pieces { count: 3, parts: PieceParts::Bytes, order: PieceOrder::Rising, spacing: Default::default() };
/// // A segment of bytes X .. X + Y is acknowledged by X + 1, X + 2 and X + Y + 1.
/// assert_eq!(numbers(5000, 6461, &three).collect::<Vec<_>>(), [5001, 5002, 6461]);
/// let halves = Pieces { count: 2, parts: PieceParts::Equal, ..three };
/// assert_eq!(numbers(0, 1001, &halves).collect::<Vec<_>>(), [501, 1001]);
/// ```
pub fn numbers(from: Seq, to: Seq, pieces: &Pieces) -> impl Iterator<Item = Seq> + use<> {
    let (units, parts, order) = (to.saturating_sub(from), pieces.parts, pieces.order);
    let count = u64::from(pieces.count).min(units);
    let number = move |piece: u64| match parts {
        // Rounded to whole units, halves up.
        PieceParts::Equal => {
            from + ((2 * u128::from(piece) * u128::from(units) + u128::from(count)) / (2 * u128::from(count))) as u64
        }
        PieceParts::Bytes if piece == count => to,
        PieceParts::Bytes => from + piece,
    };
    (1..=count).map(move |piece| match order {
        PieceOrder::Rising => number(piece),
        PieceOrder::Falling => number(count + 1 - piece),
    })
}

/// Pieces that wait for their turn, when they are spaced out in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spread {
    /// ACK numbers to come.
    pub waiting: VecDeque<Seq>,
    /// Time at which the first of them goes.
    pub due: Time,
    /// The pause after it.
    pub spacing: Time,
    /// Time at which the policy wants to be woken meanwhile.
    pub deadline: Option<Time>,
}

impl Spread {
    /// The next instant at which something is due.
    pub fn next(&self) -> Option<Time> {
        let piece = (!self.waiting.is_empty()).then_some(self.due);
        match (piece, self.deadline) {
            (Some(piece), Some(deadline)) => Some(if deadline < piece { deadline } else { piece }),
            (piece, deadline) => piece.or(deadline),
        }
    }
}

impl Receiver {
    /// Sends the pieces that wait.
    #[cold]
    pub(super) fn send_waiting<W: ReceiverWire>(&mut self, wire: &mut W) {
        for ack in self.spread.take().map(|spread| spread.waiting).unwrap_or_default() {
            self.send(ack, wire);
        }
    }

    /// An ACK of everything in pieces (ledger divack.m.generator). Never while a gap is open: out-of-order data has its
    /// ordinary single duplicate ACK.
    pub(super) fn send_pieces<W: ReceiverWire>(&mut self, pieces: &Pieces, now: Time, wire: &mut W) {
        let (from, to) = (self.covered, self.space.rcv_nxt);
        if self.space.has_gap() || to <= from {
            return self.emit(Emission::Now, now, wire);
        }
        let spaced = pieces.spacing > Time::ZERO;
        if !spaced || self.spread.as_ref().is_none_or(|spread| spread.waiting.is_empty()) {
            self.settle(wire);
        }
        // Spaced pieces of an earlier ACK that still wait go first.
        for ack in numbers(from, to, pieces) {
            match &mut self.spread {
                Some(spread) => spread.waiting.push_back(ack),
                None => {
                    self.send(ack, wire);
                    if spaced {
                        let (due, spacing) = (now + pieces.spacing, pieces.spacing);
                        self.spread = Some(Box::new(Spread { due, spacing, ..Spread::default() }));
                    }
                }
            }
            self.policy.on_ack_sent(now);
        }
        self.covered = to;
        if let Some(spread) = &mut self.spread {
            spread.deadline = None;
            self.rearm(wire);
        }
    }

    /// Sends the piece that is due, if one is; whether the policy's own deadline has come as well.
    pub(super) fn next_piece<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) -> bool {
        let Some(spread) = &mut self.spread else { return true };
        let piece = if spread.due <= now { spread.waiting.pop_front() } else { None };
        if piece.is_some() {
            spread.due = now + spread.spacing;
        }
        let woken = spread.deadline.take_if(|at| *at <= now).is_some();
        if let Some(ack) = piece {
            self.send(ack, wire);
        }
        self.rearm(wire);
        woken
    }

    /// Sets the timer to the next piece or to the policy's deadline; forgets the spread when nothing waits.
    pub(super) fn rearm<W: ReceiverWire>(&mut self, wire: &mut W) {
        match self.spread.as_ref().and_then(|spread| spread.next()) {
            Some(at) => {
                self.timer_on = true;
                wire.arm(at);
            }
            None => self.spread = None,
        }
        if self.spread.as_ref().is_some_and(|spread| spread.waiting.is_empty()) {
            self.spread = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(count: u32, parts: PieceParts, order: PieceOrder) -> Pieces {
        Pieces { count, parts, order, spacing: Time::ZERO }
    }

    #[test]
    fn equal_parts_are_rounded_and_end_with_the_whole_ack() {
        let four = pieces(4, PieceParts::Equal, PieceOrder::Rising);
        assert_eq!(numbers(100, 1100, &four).collect::<Vec<_>>(), [350, 600, 850, 1100]);
        // 1460 / 16 = 91.25: quarters are rounded down, halves and three quarters up.
        let sixteen = pieces(16, PieceParts::Equal, PieceOrder::Rising);
        let sizes: Vec<_> = numbers(0, 1460, &sixteen).collect();
        assert_eq!(sizes[..5], [91, 183, 274, 365, 456]);
        assert_eq!((sizes.len(), sizes[15]), (16, 1460));
    }

    #[test]
    fn a_short_range_gives_fewer_pieces_and_none_is_a_duplicate() {
        for parts in [PieceParts::Equal, PieceParts::Bytes] {
            for order in [PieceOrder::Rising, PieceOrder::Falling] {
                for units in 0..200 {
                    for count in 2..=64 {
                        let mut all: Vec<_> = numbers(7, 7 + units, &pieces(count, parts, order)).collect();
                        assert_eq!(all.len() as u64, u64::from(count).min(units), "capped by bytes");
                        if order == PieceOrder::Falling {
                            all.reverse();
                        }
                        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
                        assert!(all.first().is_none_or(|&first| first > 7));
                        assert!(all.last().is_none_or(|&last| last == 7 + units));
                    }
                }
            }
        }
    }
}
