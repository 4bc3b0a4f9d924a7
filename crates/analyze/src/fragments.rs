//! Fragmented packets, put together as far as an analysis needs it: which bytes have come, and the first of them.
//!
//! What has not come is kept as a list of holes (RFC 815). A part that lies in no hole has come before, and changes nothing.
//! One that lies partly in a hole overlaps others, or contradicts them about the packet's end. The packet is then given up, as
//! hosts do (RFC 5722; Linux also for IPv4). The parts' bytes are not kept, but for what a TCP header can take.

use std::collections::VecDeque;
use std::net::IpAddr;

use crate::frame::Other;
use crate::segment::{Seen, tcp};
use crate::thresholds::{FRAGMENTED_NS, MAX_FRAGMENTED, MAX_MISSING};

/// What the parts of a packet have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// From and to.
    pub ends: (IpAddr, IpAddr),
    /// Identification: 16 bits in IPv4, 32 in IPv6.
    pub identification: u32,
}

/// A part of a fragmented TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Which packet it is of.
    pub key: Key,
    /// Where in the segment it begins, in bytes.
    start: u32,
    /// Where it ends.
    end: u32,
    /// Whether others follow it.
    more: bool,
    /// The two ECN bits.
    ecn: u8,
    /// Its bytes, as far as they were kept.
    kept: &'a [u8],
}

impl<'a> Part<'a> {
    /// A part of `length` bytes from `start` on, of which `kept` begins; what follows it may belong to nothing.
    pub fn new(
        key: Key,
        (start, length): (usize, usize),
        more: bool,
        ecn: u8,
        kept: &'a [u8],
    ) -> Result<Part<'a>, Other> {
        // All but the last have whole units of eight bytes (RFC 791 section 3.2), and a packet's length has 16 bits.
        if length == 0 || start + length > 0xffff || (more && !length.is_multiple_of(8)) {
            return Err(Other::Malformed);
        }
        let kept = &kept[..kept.len().min(length)];
        Ok(Part { key, start: start as u32, end: (start + length) as u32, more, ecn, kept })
    }
}

/// The longest TCP header.
const HEADER: usize = 60;
/// The end of the hole behind the last byte known.
const OPEN: u32 = u32::MAX;

/// A packet of which parts have come.
#[derive(Debug)]
struct Pending {
    key: Key,
    /// When the first part came.
    since_ns: i64,
    /// What is missing, first and one past the last byte, in their order; none: given up.
    holes: Vec<(u32, u32)>,
    /// Bytes of the whole, once its last part has come.
    length: Option<u32>,
    /// Its first bytes, and a bit for each that was kept.
    head: [u8; HEADER],
    kept: u64,
    /// The first part's ECN bits, and whether any part was marked CE, which the whole is then (RFC 3168 section 5.3).
    ecn: u8,
    marked: bool,
}

impl Pending {
    fn new(key: Key, since_ns: i64) -> Pending {
        let (holes, head) = (vec![(0, OPEN)], [0; HEADER]);
        Pending { key, since_ns, holes, length: None, head, kept: 0, ecn: 0, marked: false }
    }

    /// Takes in a part; `None` where it contradicts those before.
    fn add(&mut self, part: &Part) -> Option<()> {
        let (start, end) = (part.start, part.end);
        if self.length.is_some_and(|length| end > length || part.more == (end == length)) {
            return None;
        }
        match self.holes.iter().position(|hole| hole.0 <= start && end <= hole.1) {
            Some(at) => {
                let hole = self.holes[at];
                // What has come lies beyond this end.
                if !part.more && hole.1 != OPEN {
                    return None;
                }
                let (before, after) = ((hole.0, start), (end, hole.1));
                let left = [(before.0 < start).then_some(before), (part.more && end < hole.1).then_some(after)];
                self.holes.splice(at..=at, left.into_iter().flatten());
                if !part.more {
                    self.length = Some(end);
                }
            }
            None if self.holes.iter().any(|hole| hole.0 < end && start < hole.1) => return None,
            None if !part.more && self.length.is_none() => return None,
            // A copy of what has come.
            None => return Some(()),
        }
        if start == 0 {
            self.ecn = part.ecn;
        }
        self.marked |= part.ecn == 3;
        let places = self.head.iter_mut().enumerate().skip(start as usize);
        for ((at, place), byte) in places.zip(part.kept) {
            (*place, self.kept) = (*byte, self.kept | 1 << at);
        }
        (self.holes.len() <= MAX_MISSING).then_some(())
    }

    /// The segment, if all of it has come.
    fn whole(&self) -> Option<Result<Seen, Other>> {
        let length = self.length.filter(|_| self.holes.is_empty())? as usize;
        let kept = ((!self.kept).trailing_zeros() as usize).min(HEADER).min(length);
        let ecn = if self.marked { 3 } else { self.ecn };
        let identification = u16::try_from(self.key.identification).ok().filter(|_| self.key.ends.0.is_ipv4());
        Some(tcp(&self.head[..kept], length, self.key.ends).map(|seen| Seen { ecn, identification, ..seen }))
    }
}

/// The result of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Joined {
    /// Other parts are missing, or the packet was given up before.
    Waiting,
    /// It was the last one missing.
    Whole(Result<Seen, Other>),
    /// It overlaps or contradicts others: the packet is given up.
    Refused,
}

/// The packets of which parts are missing, the oldest first.
#[derive(Debug, Default)]
pub struct Fragments {
    pending: VecDeque<Pending>,
}

impl Fragments {
    /// Takes in a part that came at `now_ns`.
    pub fn join(&mut self, part: &Part, now_ns: i64) -> Joined {
        while self.pending.front().is_some_and(|first| now_ns.saturating_sub(first.since_ns) > FRAGMENTED_NS) {
            self.pending.pop_front();
        }
        let found = self.pending.iter().rposition(|one| one.key == part.key);
        let at = found.unwrap_or_else(|| {
            if self.pending.len() == MAX_FRAGMENTED {
                self.pending.pop_front();
            }
            self.pending.push_back(Pending::new(part.key, now_ns));
            self.pending.len() - 1
        });
        let one = &mut self.pending[at];
        if one.holes.is_empty() {
            return Joined::Waiting;
        }
        if one.add(part).is_none() {
            // What follows of it is not the beginning of another.
            (one.holes, one.length) = (Vec::new(), None);
            return Joined::Refused;
        }
        match one.whole() {
            Some(seen) => {
                self.pending.remove(at);
                Joined::Whole(seen)
            }
            None => Joined::Waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    /// A segment of 20 + 80 bytes, its header's bytes counted from 1 but for its length.
    fn bytes() -> Vec<u8> {
        let mut bytes: Vec<u8> = (1..=100).collect();
        bytes[12] = 5 << 4;
        bytes
    }

    fn key(identification: u32) -> Key {
        Key { ends: (Ipv4Addr::new(10, 0, 0, 1).into(), Ipv4Addr::new(10, 0, 0, 2).into()), identification }
    }

    fn part(bytes: &[u8], start: usize, end: usize, more: bool) -> Part<'_> {
        Part::new(key(7), (start, end - start), more, 2, &bytes[start..end]).unwrap()
    }

    /// The result of parts, the last of which is the one that ends at 100.
    fn joined(parts: &[(usize, usize)]) -> Vec<Joined> {
        let (bytes, mut fragments) = (bytes(), Fragments::default());
        parts.iter().map(|&(start, end)| fragments.join(&part(&bytes, start, end, end < 100), 0)).collect()
    }

    #[test]
    fn parts_in_any_order_and_twice_make_the_segment() {
        let seen = tcp(&bytes()[..60], 100, key(7).ends).unwrap();
        let whole = Joined::Whole(Ok(Seen { ecn: 2, identification: Some(7), ..seen }));
        let w = Joined::Waiting;
        assert_eq!(joined(&[(0, 40), (40, 80), (80, 100)]), [w.clone(), w.clone(), whole.clone()]);
        // Even where the header itself is in two parts, and in the last to come.
        assert_eq!(joined(&[(80, 100), (40, 80), (16, 40), (0, 16)])[3], whole);
        assert_eq!(joined(&[(40, 80), (40, 80), (80, 100), (80, 100), (0, 40)])[4], whole);
        assert_eq!(joined(&[(0, 40), (80, 100), (48, 56), (40, 48), (56, 80)])[4], whole);
        // Another packet's part does not belong to this one; the same identification serves again.
        let (bytes, mut fragments) = (bytes(), Fragments::default());
        for _ in 0..2 {
            assert_eq!(fragments.join(&part(&bytes, 0, 40, true), 0), w);
            assert_eq!(fragments.join(&Part { key: key(8), ..part(&bytes, 40, 100, false) }, 0), w);
            assert_eq!(fragments.join(&part(&bytes, 40, 100, false), 0), whole);
        }
    }

    #[test]
    fn what_overlaps_or_contradicts_is_refused_once_and_for_all() {
        for parts in [
            &[(0, 40), (32, 80)][..],
            &[(40, 80), (0, 48)],
            &[(0, 40), (48, 80), (32, 56)],
            &[(80, 100), (0, 80), (0, 80)][..1],
        ] {
            let found = joined(parts);
            let expected = if parts.len() == 1 { Joined::Waiting } else { Joined::Refused };
            assert_eq!(found.last(), Some(&expected), "{parts:?}");
        }
        assert_eq!(joined(&[(0, 40), (32, 80), (40, 80), (80, 100)])[2..], [Joined::Waiting, Joined::Waiting]);
        let (bytes, mut fragments) = (bytes(), Fragments::default());
        let mut ends = |parts: &[(usize, usize, bool)]| {
            fragments.pending.clear();
            parts.iter().map(|&(start, end, more)| fragments.join(&part(&bytes, start, end, more), 0)).last().unwrap()
        };
        assert_eq!(ends(&[(40, 80, true), (0, 24, false)]), Joined::Refused, "an end before what has come");
        assert_eq!(ends(&[(40, 80, false), (80, 96, true)]), Joined::Refused, "more behind the end");
        assert_eq!(ends(&[(40, 80, false), (40, 80, true)]), Joined::Refused, "the end is none");
        assert_eq!(ends(&[(40, 80, true), (40, 80, false)]), Joined::Refused, "and in reverse order");
        let wrong = |start, length, more| Part::new(key(7), (start, length), more, 0, &[]).is_err();
        assert!(wrong(0, 0, true) && wrong(0, 20, true) && wrong(65_528, 8, false) && !wrong(65_528, 7, false));
    }

    #[test]
    fn a_mark_on_any_part_is_the_whole_ones_and_what_was_not_kept_is_missing() {
        let (bytes, mut fragments) = (bytes(), Fragments::default());
        fragments.join(&part(&bytes, 0, 40, true), 0);
        let Joined::Whole(Ok(seen)) = fragments.join(&Part { ecn: 3, ..part(&bytes, 40, 100, false) }, 0) else {
            panic!("not whole")
        };
        assert_eq!((seen.ecn, seen.payload), (3, 80));
        fragments.join(&Part { kept: &bytes[..19], ..part(&bytes, 0, 40, true) }, 0);
        assert_eq!(fragments.join(&part(&bytes, 40, 100, false), 0), Joined::Whole(Err(Other::Cut)));
    }

    #[test]
    fn what_stays_in_parts_is_forgotten() {
        let (bytes, mut fragments) = (bytes(), Fragments::default());
        fragments.join(&part(&bytes, 0, 40, true), 0);
        assert_eq!(fragments.join(&part(&bytes, 40, 100, false), FRAGMENTED_NS + 1), Joined::Waiting, "too late");
        for identification in 100..100 + 2 * MAX_FRAGMENTED as u32 {
            fragments.join(&Part { key: key(identification), ..part(&bytes, 0, 40, true) }, FRAGMENTED_NS + 1);
        }
        assert_eq!(fragments.pending.len(), MAX_FRAGMENTED);
        let every_other = |at: usize| Part::new(key(1), (16 * at, 8), true, 0, &[]).unwrap();
        let found: Vec<_> = (0..=MAX_MISSING).map(|at| fragments.join(&every_other(at), FRAGMENTED_NS + 1)).collect();
        assert_eq!(found.iter().position(|one| *one == Joined::Refused), Some(MAX_MISSING));
    }
}
