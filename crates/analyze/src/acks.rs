//! Counts of the ACKs of one direction, and the state that they need.

use crate::holds::Holds;
use crate::numbers::{Spread, span_s};
use crate::thresholds::{AHEAD_S, MIN_ACKS, MIN_NEXT, STRETCH_SHARE, UNEXPLAINED_SHARE};

/// Relation of an ACK to the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub enum AckKind {
    /// It acknowledges something for the first time.
    #[default]
    New,
    /// It repeats the last, without data, with the same window (RFC 5681 section 2, RFC 6675).
    Duplicate,
    /// It repeats the last, with another window.
    WindowUpdate,
    /// A keep-alive or window probe, or the answer to one.
    Probe,
    /// It repeats the last on data of its own.
    Repeated,
    /// It acknowledges less than an earlier one: it was overtaken.
    Old,
}

acklab_table::words!(AckKind: "new", "duplicate", "window-update", "probe", "repeated", "old");

/// Counts of the ACKs.
#[derive(Clone, Debug, Default)]
pub struct AckCounts {
    pub packets: u64,
    pub pure: u64,
    pub new: u64,
    pub duplicates: u64,
    pub unprompted: u64,
    /// Those that may be copies as well, or answer what the capture lacks.
    pub unexplained: u64,
    pub window_updates: u64,
    pub probes: u64,
    pub old: u64,
    pub sacks: u64,
    pub dsacks: u64,
    pub ece: u64,
    pub ect: u64,
    pub zero_window: u64,
    pub divided: u64,
    /// Segments that passed once and were acknowledged in parts.
    pub split: u64,
    pub compressed: u64,
    pub of_unseen: u64,
    pub ahead: u64,
    /// Numbers that no window allows: of an older connection between the same ends, or forged.
    pub wild: u64,
    pub stamped_rtts: u64,
    pub later_echoes: u64,
    /// Those of them that echo the last.
    pub last_echoes: u64,
    pub earlier_echoes: u64,
    /// Those that echo the first of several with different timestamps: no ACK of the first alone can be missing.
    pub first_echoes: u64,
    pub acked_bytes: u64,
    pub acked_segments: u64,
    pub last_ns: Option<i64>,
}

/// Identifications in the IPv4 headers of the end that acknowledges, beside what its ACKs cover.
///
/// A host may count them for each connection (Linux) or over all its traffic, so that a gap alone says nothing. A lost ACK makes the
/// next one cover more, by one or two segments for each number that is missing; that is what counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identifications {
    /// Of its last packet, if that was a pure ACK: others may take several numbers (TSO).
    last: Option<u16>,
    /// Steps of one, under ACKs of at most two segments, and under ACKs of more.
    pub next: u64,
    pub jumps: u64,
    /// Larger steps, which what the ACK covers explains, and the numbers missing in them.
    pub explained: u64,
    pub missing: u64,
    /// The least and the largest of those steps.
    pub steps: Option<(u64, u64)>,
    /// Steps that it does not explain.
    pub other: u64,
}

impl Identifications {
    /// A packet passes that is no copy. `beside` is the identification of its host's packet before, of whatever connection; a pure
    /// ACK of new data that came in order and once `covers` segments.
    pub fn on_packet(&mut self, identification: u16, beside: Option<u16>, pure: bool, covers: Option<u64>) {
        let Some(last) = std::mem::replace(&mut self.last, pure.then_some(identification)).filter(|_| pure) else {
            return;
        };
        let step = identification.wrapping_sub(last);
        let step = match beside.map(|beside| identification.wrapping_sub(beside)) {
            Some(1) => 1, // what lies between belongs to other connections
            _ => u64::from(step),
        };
        match covers {
            Some(3..) if step == 1 => self.jumps += 1,
            _ if step == 1 => self.next += 1,
            // Each ACK of one segment, or of two.
            Some(covers @ 3..) if (2..=covers).contains(&step) && 2 * step >= covers => {
                self.explained += 1;
                self.missing += step - 1;
                self.steps = Some(self.steps.map_or((step, step), |(least, most)| (least.min(step), most.max(step))));
            }
            Some(2) if step == 2 => {} // of one segment each, or of two and another connection's
            _ => self.other += 1,
        }
    }
}

/// The ACKs' state.
#[derive(Clone, Debug, Default)]
pub struct Acks {
    pub counts: AckCounts,
    /// Round trips; that of the SYN, if its answer was a pure ACK or a SYN, is apart, because it may be late.
    pub rtt: Spread,
    pub syn_trip: Option<f64>,
    pub holds: Holds,
    pub ids: Identifications,
    pub scale: u8,
    /// The scale is known: both SYNs passed.
    pub scaled: bool,
    pub window: Option<u64>,
    /// Data segments that passed and no ACK has answered yet.
    pub prompts: u64,
    /// ACKs of what had not passed, and when they did.
    pub ahead: Vec<(u64, i64)>,
    /// One past the highest number that any window has allowed, and the largest window.
    pub right: u64,
    pub largest_window: u64,
    /// When the last ACK of new data passed, when what it covers was complete, and how many came compressed in a row.
    pub last_new: Option<(i64, i64)>,
    pub compressed_run: u32,
}

impl Acks {
    /// ACKs missing between those that passed: no more than the segments that the next one covers. None where the identifications do
    /// not count the packets of the connection.
    pub fn missing(&self) -> Option<u64> {
        let ids = &self.ids;
        let (steps, explained) = (ids.next + ids.jumps + ids.explained + ids.other, ids.explained);
        let counts = steps >= MIN_ACKS
            && (ids.next >= MIN_NEXT || ids.steps.is_some_and(|(least, most)| least < most))
            && ids.other as f64 <= UNEXPLAINED_SHARE * (ids.next + explained) as f64
            && (explained == 0 || ids.jumps as f64 <= STRETCH_SHARE * explained as f64);
        counts.then_some(ids.missing)
    }

    /// Data pass that begin at `seq` and make `segments`, for the first time if they are `new`.
    pub fn on_data(&mut self, new: bool, seq: u64, segments: u64, now: i64) {
        self.prompts += segments;
        if new && !self.ahead.is_empty() {
            // A capture may show what passes within microseconds in the wrong order.
            let late = self.ahead.iter().filter(|(ack, at)| *ack > seq && span_s(*at, now) > AHEAD_S).count();
            self.counts.ahead += late as u64;
            self.ahead.retain(|(ack, _)| *ack <= seq);
        }
    }
}

/// The number of a segment with an ACK, to the one its sender should use next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// The same.
    Next,
    /// One less: it asks for an answer.
    Probe,
    /// Another.
    Other,
}

/// Facts about a packet that its header does not state.
#[derive(Clone, Copy, Debug)]
pub struct Sender {
    /// Its number, to the one its sender should use next.
    pub own: Own,
    /// It had passed before, the same in everything.
    pub copy: bool,
    /// Identification of its host's packet before it, of whatever connection.
    pub beside: Option<u16>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in ACKs of (step of the identification, segments covered); `beside` is the host's packet before.
    fn found(acks: impl Iterator<Item = (u16, u64)>, beside: impl Fn(u16) -> Option<u16>) -> Identifications {
        let (mut ids, mut last) = (Identifications::default(), 100_u16);
        ids.on_packet(last, None, true, None);
        for (step, covers) in acks {
            last = last.wrapping_add(step);
            ids.on_packet(last, beside(last), true, Some(covers));
        }
        ids
    }

    #[test]
    fn a_gap_counts_where_the_ack_covers_more() {
        let thinned = found((0..40).map(|k| if k % 4 == 0 { (1, 2) } else { (3, 6) }), |_| None);
        assert_eq!((thinned.next, thinned.explained, thinned.missing, thinned.other), (10, 30, 60, 0));
        let stretched = found((0..40).map(|_| (1, 6)), |_| None);
        assert_eq!((stretched.explained, stretched.jumps, stretched.missing), (0, 40, 0));
    }

    #[test]
    fn a_gap_alone_says_nothing() {
        let host_wide = found((0..40).map(|k| (1 + k % 5, 2)), |_| None);
        assert_eq!((host_wide.explained, host_wide.missing), (0, 0));
        assert!(host_wide.other > host_wide.next, "these numbers count something else");
        let far = found((0..40).map(|_| (9, 4)), |_| None);
        assert_eq!((far.explained, far.other), (0, 40), "more than segments that it covers");
        let two_connections = found((0..40).map(|_| (3, 4)), |now| Some(now.wrapping_sub(1)));
        assert_eq!((two_connections.explained, two_connections.jumps), (0, 40), "another connection took the others");
    }
}
