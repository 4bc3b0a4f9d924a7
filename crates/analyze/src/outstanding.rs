//! Segments of one direction that passed and are not acknowledged.

use std::collections::BTreeMap;

use crate::thresholds::MAX_MARKED;

/// A segment that passed and is not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    pub end: u64,
    /// When it passed, first and last, and the timestamps it bore then.
    pub first: (i64, Option<u32>),
    pub last: (i64, Option<u32>),
    /// It passed more than once, in whole or in part.
    pub again: bool,
    /// It passed after a later one.
    pub late: bool,
    /// It carries a SYN or FIN.
    pub control: bool,
    /// It is one segment, for certain; and ACKs have ended inside it.
    pub single: bool,
    pub parts: bool,
}

/// Those of a direction, by their first number. Every call takes time that grows with the logarithm of their number, and with
/// how many it removes.
#[derive(Clone, Debug, Default)]
pub struct Outstanding(BTreeMap<u64, Sent>);

/// The outstanding segments that an ACK covers.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    pub segments: u64,
    /// None was resent, late, or a SYN or FIN.
    pub plain: bool,
    pub control: u64,
    pub divided: bool,
    /// Segments that were acknowledged in parts, the last of which this is.
    pub split: u64,
    /// The segment that ends where the ACK points.
    pub named: Option<Sent>,
    /// When the last of those passed that were resent or late.
    pub disturbed: Option<i64>,
    /// When the first and the last of them passed.
    pub passed: Option<(i64, i64)>,
    /// The first and last timestamps among the segments.
    pub stamps: (Option<u32>, Option<u32>),
}

impl Outstanding {
    /// A segment passes that begins at `start`.
    pub fn add(&mut self, start: u64, sent: Sent) {
        self.0.entry(start).or_insert(sent);
    }

    /// `start .. end` passes again, at an instant and with a timestamp.
    ///
    /// A packet that repeats very many segments, which only forged numbers do, makes one of them, so that the next has no need
    /// to touch each.
    pub fn repeat(&mut self, start: u64, end: u64, at: (i64, Option<u32>)) {
        let from =
            self.0.range(..start).next_back().filter(|(_, sent)| sent.end > start).map_or(start, |(&from, _)| from);
        let mut marked = 0;
        for (_, sent) in self.0.range_mut(from..end.max(from)) {
            (sent.again, sent.last) = (true, at);
            marked += 1;
        }
        if marked > MAX_MARKED {
            let rest: Vec<u64> = self.0.range(from..end).skip(1).map(|(&start, _)| start).collect();
            let last = rest.iter().filter_map(|start| self.0.remove(start)).last();
            if let Some((first, last)) = self.0.get_mut(&from).zip(last) {
                first.end = last.end;
            }
        }
    }

    /// Takes out what an ACK covers; a full segment has `unit` bytes. It may end where the window did.
    pub fn cover(&mut self, ack: u64, unit: u64, at_edge: bool) -> Covered {
        let mut covered = Covered { plain: true, ..Covered::default() };
        while let Some(mut first) = self.0.first_entry().filter(|first| *first.key() < ack) {
            let (start, sent) = (*first.key(), *first.get());
            if sent.again || sent.late {
                covered.plain = false;
                covered.disturbed = covered.disturbed.max(Some(sent.last.0));
            }
            covered.passed = Some((covered.passed.map_or(sent.first.0, |passed| passed.0), sent.first.0));
            covered.stamps = (covered.stamps.0.or(sent.first.1), sent.first.1);
            if sent.end > ack {
                let part = ack - start;
                if sent.end - start > unit && part.is_multiple_of(unit) {
                    covered.segments += part / unit; // of a packet put together from several
                    first.remove();
                    self.0.insert(ack, sent);
                } else {
                    covered.divided = true;
                    first.get_mut().parts |= sent.single && !sent.again && !sent.late && !at_edge;
                }
                break;
            }
            first.remove();
            let control = u64::from(sent.control);
            covered.control += control;
            covered.split += u64::from(sent.parts && !sent.again);
            covered.segments += (sent.end - start - control).div_ceil(unit);
            covered.named = (sent.end == ack).then_some(sent);
        }
        covered
    }

    /// The oldest goes, to make room.
    pub fn forget_first(&mut self) -> bool {
        self.0.pop_first().is_some()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether everything is acknowledged.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
