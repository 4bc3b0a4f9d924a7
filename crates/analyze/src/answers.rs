//! Effect of an ACK on the outstanding segments, and its round-trip sample.

use crate::acks::{AckKind, Own, Sender};
use crate::direction::Direction;
use crate::limits::Limits;
use crate::numbers::{after, span_s};
use crate::outstanding::Sent;
use crate::rows::AckRow;
use crate::segment::{ACK, ECE, FIN, RST, SYN, Seen};
use crate::thresholds::{COMPRESSED_RUN, COMPRESSED_SHARE, MIN_WILD};

impl Direction {
    /// A segment with the ACK flag passes in the other direction: its row, in which the number is not counted from the first, and
    /// what only the connection knows is left out.
    pub fn on_ack(&mut self, seen: &Seen, from: Sender, now: i64) -> Option<AckRow> {
        if !seen.has(ACK) || seen.has(RST) {
            return None;
        }
        let own = from.own;
        let pure = seen.payload == 0 && !seen.has(SYN | FIN);
        self.stamped |= seen.options.stamps.is_some() && !seen.has(SYN);
        self.count_ack(seen, pure);
        let ack = if self.first.is_some() { self.numbers.peek(seen.ack) } else { self.numbers.widen(seen.ack) };
        let scale = if seen.has(SYN) { 0 } else { self.acks.scale };
        let window = u64::from(seen.window) << scale;
        if self.is_wild(ack, window) {
            self.acks.counts.wild += 1;
            return None;
        }
        let at_edge = self.acks.right > 0 && ack >= self.acks.right;
        self.acks.right = self.acks.right.max(ack + window);
        self.acks.largest_window = self.acks.largest_window.max(window);
        let same_window = self.acks.window.replace(window) == Some(window);
        if !seen.has(SYN | FIN) {
            self.recovery.on_window(window, now);
        }
        let flight = self.flight_bytes();
        // Without a handshake the first ACK may be of data that passed before the capture began.
        let Some(una) = self.una.or(self.first) else {
            self.una = Some(ack);
            return None;
        };
        let probe = pure && (own == Own::Probe || self.probing && ack == una && same_window);
        let kind = match ack.cmp(&una) {
            _ if probe && ack <= una => AckKind::Probe,
            std::cmp::Ordering::Greater => AckKind::New,
            std::cmp::Ordering::Less => AckKind::Old,
            std::cmp::Ordering::Equal if !pure || own != Own::Next => AckKind::Repeated,
            std::cmp::Ordering::Equal if !same_window => AckKind::WindowUpdate,
            std::cmp::Ordering::Equal => AckKind::Duplicate,
        };
        let counts = &mut self.acks.counts;
        match kind {
            AckKind::Duplicate => {
                counts.duplicates += 1;
                // A duplicate that reports what came twice, or beyond a gap, has a cause, seen here or not; and one without a
                // number of its own may be a copy.
                let own =
                    seen.options.sacks.0 == 0 && !from.copy && seen.identification.is_some_and(|number| number != 0);
                counts.unprompted += u64::from(self.acks.prompts == 0 && own);
                counts.unexplained += u64::from(self.acks.prompts == 0 && seen.options.sacks.0 == 0);
                self.acks.prompts = self.acks.prompts.saturating_sub(1);
            }
            AckKind::WindowUpdate => counts.window_updates += 1,
            AckKind::Probe => counts.probes += 1,
            AckKind::Old => counts.old += 1,
            AckKind::Repeated | AckKind::New => {}
        }
        if matches!(kind, AckKind::New | AckKind::Duplicate) && !from.copy {
            self.eyes.on_ack(ack, seen.options.stamps.map(|(value, _)| value), self.room, now);
        }
        let sacks = seen.options.sacks.0;
        if kind == AckKind::Duplicate && !from.copy || sacks > 0 {
            self.recovery.on_duplicate(sacks);
        }
        let stamp = seen.options.stamps.map(|(value, _)| value);
        self.limits.on_stamp(stamp.filter(|_| pure && !from.copy), now);
        let record = AckRow {
            kind,
            ack_bytes: ack,
            window_bytes: window,
            flight_bytes: flight,
            sack_blocks: sacks.into(),
            ..AckRow::default()
        };
        let record = if kind == AckKind::New { self.on_new(seen, una, record, (pure, at_edge), now) } else { record };
        if !seen.has(SYN) {
            let alone = pure && record.plain && self.outstanding.is_empty();
            let held = if alone { Limits::held(record.delay_s, self.acks.holds.delay.least()) } else { 0.0 };
            // A scale that is not known may make any window large.
            let offered = if window > 0 && !self.acks.scaled { u64::MAX >> 16 } else { window };
            self.limits.on_ack((ack, offered, stamp), held, self.sender_leg(), self.room, now);
        }
        if let Some(identification) = seen.identification.filter(|_| !from.copy) {
            let covers = record.plain.then_some(record.acked_segments);
            self.acks.ids.on_packet(identification, from.beside, pure, covers);
        }
        Some(record)
    }

    /// Whether an ACK is of a number that no window could have allowed, though what it acknowledges passes here.
    fn is_wild(&self, ack: u64, window: u64) -> bool {
        let scaled = if self.acks.scaled { 0 } else { 14 };
        let allowed = (self.acks.largest_window.max(window) << scaled).max(MIN_WILD);
        let (first, last) = (self.first.unwrap_or(0), self.next.max(self.una.unwrap_or(0)));
        self.first.is_some() && (ack > last.saturating_add(allowed) || ack < first.saturating_sub(allowed))
    }

    fn count_ack(&mut self, seen: &Seen, pure: bool) {
        let counts = &mut self.acks.counts;
        counts.packets += 1;
        counts.pure += u64::from(pure);
        counts.sacks += u64::from(seen.options.sacks.0 > 0);
        counts.dsacks += u64::from(seen.is_dsack());
        if !seen.has(SYN | RST) {
            self.counters.on_ack(seen);
        }
        counts.ece += u64::from(seen.has(ECE) && !seen.has(SYN));
        counts.ect += u64::from(pure && seen.ecn != 0);
        counts.zero_window += u64::from(seen.window == 0 && !seen.has(SYN | FIN));
    }

    fn on_new(&mut self, seen: &Seen, una: u64, mut record: AckRow, (pure, at_edge): (bool, bool), now: i64) -> AckRow {
        let ack = record.ack_bytes;
        let unseen = ack > self.next;
        let beyond = ack.saturating_sub(self.next.max(una));
        let gap = !self.gaps.is_empty() || record.sack_blocks > 0;
        self.note_lacking(una, ack);
        let done = self.completed(ack);
        let covered = self.outstanding.cover(ack, self.unit().into(), at_edge);
        self.settle(ack);
        self.recovery.on_new(ack);
        record.acked_bytes = (ack - una).saturating_sub(covered.control);
        record.acked_segments = covered.segments + self.units(beyond);
        record.ahead = unseen;
        record.divided = covered.divided;
        record.delay_s = done.map(|done| span_s(done, now)).filter(|_| covered.plain && !unseen);
        // What waited for a gap to be filled tells no round trip.
        let named = covered.named.filter(|sent| covered.disturbed.is_none_or(|at| at <= sent.last.0));
        record.rtt_s = named.and_then(|sent| sample(&sent, seen, now));
        record.plain = pure && covered.plain && !gap && !unseen && record.delay_s.is_some() && covered.control == 0;
        let acks = &mut self.acks;
        // What duplicates have answered already is covered by the ACK that ends a recovery.
        acks.prompts = acks.prompts.saturating_sub(if record.plain { covered.segments } else { 1 });
        let counts = &mut acks.counts;
        counts.new += u64::from(record.acked_bytes > 0);
        counts.acked_bytes += record.acked_bytes;
        counts.acked_segments += record.acked_segments;
        counts.last_ns = if record.acked_bytes > 0 { Some(now) } else { counts.last_ns };
        counts.divided += u64::from(covered.divided);
        counts.split += covered.split;
        if record.acked_bytes > 0 {
            self.limits.acked_frame = self.limits.spans.frame;
        }
        counts.of_unseen += u64::from(unseen);
        if unseen && acks.ahead.len() < 64 {
            acks.ahead.push((ack, now));
        }
        let opening = covered.control > 0 && self.first == Some(una) && ack == una + 1;
        if opening && seen.payload > 0 {
            record.rtt_s = None; // data may have waited for their application
        }
        if let Some(rtt) = record.rtt_s {
            if opening {
                acks.syn_trip = Some(rtt);
            } else {
                acks.rtt.add(rtt);
            }
            acks.counts.stamped_rtts += u64::from(named.is_some_and(|sent| sent.again));
            self.eyes.to_receiver = Some(self.eyes.to_receiver.map_or(rtt, |least| least.min(rtt)));
        }
        // A receiver echoes the first segment since its last ACK (RFC 7323 section 4.3).
        if let (Some((_, echo)), (Some(first), Some(last))) = (seen.options.stamps, covered.stamps)
            && record.plain
        {
            let later = after(echo, first) && !after(echo, last);
            self.acks.counts.later_echoes += u64::from(later);
            self.acks.counts.last_echoes += u64::from(later && echo == last);
            self.acks.counts.first_echoes += u64::from(echo == first && first != last);
            self.acks.counts.earlier_echoes += u64::from(after(first, echo) && !covered.divided);
        }
        self.note_spacing(done, now);
        self.bins.add(0, record.acked_bytes, now);
        if gap || unseen || !covered.plain {
            self.answers.on_break();
        }
        self.answers.on_bytes(
            self.ip_bytes(seen, record.acked_bytes, record.acked_segments),
            record.acked_segments,
            now,
        );
        if let Some(rtt) = record.rtt_s {
            self.answers.on_trip(rtt);
            // An ACK of fewer segments than the receiver waits for is its timer's. Where it waits for two at most, it may be a quick
            // ACK, too, as long as more is outstanding.
            let usual = self.acks.holds.all.commonest().max(2);
            let quick = usual == 2 && !self.outstanding.is_empty();
            self.on_trip_to_receiver(rtt, record.acked_segments, record.acked_segments >= usual || quick);
        }
        if record.plain && !record.divided {
            let (leg, all) = (self.legs.0, self.outstanding.is_empty());
            self.acks.holds.on_batch(record.acked_segments, covered.passed.unwrap_or((now, now)), all);
            self.acks.holds.on_ack(record.acked_segments, record.delay_s.unwrap_or(0.0), leg, all, now);
        } else if (gap || !covered.plain) && record.acked_bytes > 0 {
            self.acks.holds.on_disorder();
        }
        record
    }

    /// Counts what has not passed of the numbers from `una` to `ack`: before the first that passed, in gaps, and beyond.
    fn note_lacking(&mut self, una: u64, ack: u64) {
        let first = self.first.unwrap_or(una).min(ack);
        self.lacking.add(una, first);
        for (from, to) in self.gaps.below(ack) {
            self.lacking.add(from.max(una), to);
        }
        let beyond = self.next.max(una);
        // A window probe's byte is no new data here, but it did pass.
        let probed = u64::from(self.probed == Some(beyond));
        self.lacking.add(beyond + probed, ack);
    }

    /// Counts ACKs that follow each other closer than what they cover did.
    fn note_spacing(&mut self, done: Option<i64>, now: i64) {
        let acks = &mut self.acks;
        let Some(done) = done else {
            acks.last_new = None;
            return;
        };
        if let Some((at, before)) = acks.last_new {
            let close = span_s(at, now) < COMPRESSED_SHARE * span_s(before, done);
            acks.compressed_run = if close { acks.compressed_run + 1 } else { 0 };
            acks.counts.compressed += u64::from(acks.compressed_run >= COMPRESSED_RUN);
        }
        acks.last_new = Some((now, done));
    }

    /// When everything below `ack` had passed.
    fn completed(&mut self, ack: u64) -> Option<i64> {
        let place = self.edges.partition_point(|(edge, _)| *edge < ack);
        self.edges.drain(..place);
        let &(edge, at) = self.edges.front()?;
        if edge == ack {
            self.edges.pop_front();
        }
        Some(at)
    }

    /// Everything below `ack` is acknowledged.
    fn settle(&mut self, ack: u64) {
        self.una = Some(self.una.map_or(ack, |una| una.max(ack)));
        self.gaps.forget_below(ack);
        self.edge = self.edge.max(ack.min(self.next));
    }
}

/// The round trip that an ACK tells of the segment it names: Karn's rule, or the echoed timestamp where it tells the
/// segment's transmissions apart (RFC 7323 section 4).
fn sample(sent: &Sent, seen: &Seen, now: i64) -> Option<f64> {
    let from = |at: i64| Some(span_s(at, now));
    if !sent.again {
        return from(sent.first.0);
    }
    let echo = seen.options.stamps.map(|(_, echo)| echo)?;
    match (sent.first.1 == Some(echo), sent.last.1 == Some(echo)) {
        (true, false) => from(sent.first.0),
        (false, true) => from(sent.last.0),
        _ => None,
    }
}
