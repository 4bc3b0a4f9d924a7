//! What must hold after every step of a conversation, whatever the network did.
//!
//! The judge sees packets and public state only, and keeps its own books of both: which units were sent, which arrived,
//! which were reported.

use acklab_packet::{Ack, AckNotice, ByteCounts, Segment, Seq, Time};
use acklab_tcp::rules::*;

use super::{Pair, Step, Traffic};

/// The first broken rule becomes an error; `Ok` otherwise.
macro_rules! must {
    ($holds:expr, $($why:tt)+) => {{
        let holds: bool = $holds;
        if !holds {
            return Err(format!($($why)+));
        }
    }};
}

mod sender;

/// Longest that Linux may keep a SACK as these tests draw it, slack included, in seconds.
const MOST_COMPRESSED: f64 = 0.0211;

/// The books.
pub struct Judge {
    sender: SenderRules,
    receiver: ReceiverRules,
    max_sent: Seq,
    first_sends: u64,
    resends: u64,
    /// Units that reached the receiver; what is below `in_order` has been handed on, once and in order.
    arrived: Vec<bool>,
    in_order: Seq,
    /// The first run of units of the segment that came last which had come before.
    repeated: (Seq, Seq),
    /// Runs that SACK blocks reported to the sender.
    reported: Vec<(Seq, Seq)>,
    best_ack: Seq,
    /// The most that the present recovery's pipe could have been.
    most_pipe: u64,
    acks_sent: u64,
    last_ack: Seq,
    /// In-order segments since the last ACK.
    held: u32,
}

impl Judge {
    pub fn new(sender: &SenderRules, receiver: &ReceiverRules) -> Judge {
        Judge {
            sender: sender.clone(),
            receiver: receiver.clone(),
            max_sent: 0,
            first_sends: 0,
            resends: 0,
            arrived: Vec::new(),
            in_order: 0,
            repeated: (0, 0),
            reported: Vec::new(),
            best_ack: 0,
            most_pipe: 0,
            acks_sent: 0,
            last_ack: 0,
            held: 0,
        }
    }

    /// Judges what one step did, before the network takes what was sent.
    pub fn after(&mut self, step: Step, pair: &Pair) -> Result<(), String> {
        if let Step::Ack(ack) = step {
            must!(ack.ack <= self.max_sent, "ACK {} of what was never sent (up to {})", ack.ack, self.max_sent);
            self.best_ack = self.best_ack.max(ack.ack);
            self.reported.extend(ack.sack.iter(ack.ack));
        }
        for (segment, size) in pair.out.sent.iter().zip(&pair.out.sizes) {
            self.segment_sent(segment, *size, pair)?;
        }
        self.sender_state(pair)?;
        let before = self.in_order;
        if let Step::Data(segment) = step {
            let had = |&at: &Seq| self.arrived.get(at as usize) == Some(&true);
            let first = (segment.seq..segment.end()).find(had).unwrap_or(segment.end());
            self.repeated = (first, (first..segment.end()).take_while(had).last().map_or(first, |last| last + 1));
            self.arrive(&segment);
        }
        self.receiver_state(step, before, pair)?;
        for (ack, size) in pair.back.sent.iter().zip(&pair.back.sizes) {
            self.ack_sent(ack, *size, step)?;
        }
        self.nothing_forgotten(pair)
    }

    fn arrive(&mut self, segment: &Segment) {
        let end = segment.end() as usize;
        if self.arrived.len() < end {
            self.arrived.resize(end, false);
        }
        self.arrived[segment.seq as usize..end].fill(true);
        while self.arrived.get(self.in_order as usize) == Some(&true) {
            self.in_order += 1;
        }
    }

    /// True if all data has come, so that the receiver's timer is that of its own FIN.
    fn closes(&self, pair: &Pair) -> bool {
        self.sender.marks_end && pair.receiver.rcv_nxt() == pair.sender.core().seq.limit
    }

    fn receiver_state(&mut self, step: Step, before: Seq, pair: &Pair) -> Result<(), String> {
        let (next, at_once) = (pair.receiver.rcv_nxt(), !pair.back.sent.is_empty());
        must!(next == self.in_order, "rcv_nxt is {next}, in order are {}", self.in_order);
        // One more, of what came before, where the marks change (RFC 8257 section 3.2).
        let most = self.acks_at_once().saturating_add(self.receiver.echo_each_mark.into());
        // And the receiver's FIN, with the last of the data.
        let most = most.saturating_add(self.sender.marks_end.into());
        let sent = pair.back.sent.len();
        must!(sent <= most, "{sent} ACKs for one event, not at most {most}");
        match step {
            Step::Data(segment) => {
                self.held += 1;
                let beyond = segment.seq > before;
                must!(
                    !beyond || at_once || self.quic() || self.compressed(pair),
                    "no duplicate ACK at once (RFC 5681 section 4.2): {segment:?}"
                );
                let waiting = self.arrived.len() as u64 > self.in_order || self.in_order > segment.end();
                let fills = segment.seq <= before && self.in_order > before && waiting;
                let by_rfc5681 = self.receiver.immediate_on_gap && !self.quic();
                must!(!by_rfc5681 || !fills || at_once, "a filled gap not ACKed: {segment:?}");
                let repeat = segment.end() <= before;
                let by_rfc9293 = self.receiver.immediate_on_repeat && !self.quic();
                must!(!by_rfc9293 || !repeat || at_once, "a repeat not ACKed: {segment:?}");
                let segments = match self.receiver.ack {
                    AckPolicyKind::Every {} => 1,
                    AckPolicyKind::Delayed { segments, .. } => segments,
                    AckPolicyKind::Daass { segments, .. } => segments.max(2),
                    AckPolicyKind::Divide { segments, .. } => segments,
                    AckPolicyKind::Acc { d_max, .. } | AckPolicyKind::AccNs2 { d_max, .. } => d_max,
                    AckPolicyKind::Requested { segments, most, .. }
                        if self.sender.ack_request == (AckRequest::Off {}) =>
                    {
                        segments.min(most)
                    }
                    AckPolicyKind::Requested { most, .. } => most,
                    AckPolicyKind::Quic { segments, first, later, .. } => {
                        let told =
                            if self.sender.ack_request == (AckRequest::Off {}) { 0 } else { AckNotice::MOST.into() };
                        segments.max(told).max(if first > 0 { later } else { 0 })
                    }
                    // Full ones; how many short ones they are is for the sender to say.
                    AckPolicyKind::Linux { .. } => u32::MAX,
                    AckPolicyKind::Spoof { .. } | AckPolicyKind::Restore { .. } | AckPolicyKind::Optimistic { .. } => 1,
                    // Only time limits what they hold.
                    AckPolicyKind::AccDelivered { .. }
                    | AckPolicyKind::Smart { .. }
                    | AckPolicyKind::Periodic { .. }
                    | AckPolicyKind::Python { .. } => u32::MAX,
                };
                // Pieces that wait their turn count as sent.
                let waits = self.spaced() && pair.back.timer.is_some();
                must!(at_once || waits || self.held < segments, "{} segments without an ACK", self.held);
            }
            Step::ReceiverTimer => must!(at_once || self.spaced() || self.closes(pair), "the ACK timer sent nothing"),
            _ => must!(!at_once, "an ACK for nothing"),
        }
        Ok(())
    }

    /// The most ACKs one event may cause.
    fn acks_at_once(&self) -> usize {
        match self.receiver.ack {
            AckPolicyKind::Divide { pieces, spacing, .. } if spacing == Time::ZERO => pieces as usize,
            // What makes an ACK leave at once sends the pieces that wait before it.
            AckPolicyKind::Divide { .. } => usize::MAX,
            AckPolicyKind::Restore { pieces, .. } => pieces as usize,
            AckPolicyKind::Spoof { duplicates } => duplicates as usize + 1,
            // And packets with window updates.
            AckPolicyKind::Quic { stream_update, connection_update, updates_apart, .. } => {
                let updates = usize::from(stream_update > 0) + usize::from(connection_update > 0);
                1 + if updates_apart { updates } else { updates.min(1) }
            }
            _ => 1,
        }
    }

    /// Whether duplicates beyond the third may share an ACK, and wait for its timer.
    fn compressed(&self, pair: &Pair) -> bool {
        let latest = Time::from_secs(MOST_COMPRESSED);
        matches!(self.receiver.ack, AckPolicyKind::Linux { sack_delay, .. } if self.receiver.sack && sack_delay > Time::ZERO)
            && pair.back.timer.is_some_and(|due| due <= pair.now + latest)
    }

    /// Whether only a threshold, and a timer, say when to acknowledge.
    fn quic(&self) -> bool {
        matches!(self.receiver.ack, AckPolicyKind::Quic { .. })
    }

    /// Whether pieces of divided ACKs are spaced out.
    fn spaced(&self) -> bool {
        matches!(self.receiver.ack, AckPolicyKind::Divide { spacing, .. } if spacing > Time::ZERO)
    }

    fn ack_sent(&mut self, ack: &Ack, size: u32, step: Step) -> Result<(), String> {
        let rules = &self.receiver;
        self.acks_sent += 1;
        self.held = 0;
        match rules.ack {
            AckPolicyKind::Divide { .. } | AckPolicyKind::Restore { .. } => {
                let order = match rules.ack {
                    AckPolicyKind::Divide { order, .. } => order,
                    _ => PieceOrder::Rising,
                };
                let whole = ack.ack == self.in_order || self.spaced();
                must!(ack.ack <= self.in_order, "ACK {} where {} came in order", ack.ack, self.in_order);
                // No piece is a duplicate ACK, whatever came before it (ledger divack.m.generator).
                must!(whole || order == PieceOrder::Falling || ack.ack > self.last_ack, "piece {} again", ack.ack);
                must!(whole || ack.sack.is_empty(), "a piece with SACK blocks");
            }
            _ => {
                let apart = rules.echo_each_mark && matches!(step, Step::Data(_)) && ack.ack < self.in_order;
                must!(apart || ack.ack == self.in_order, "ACK {} where {} came in order", ack.ack, self.in_order);
            }
        }
        let falling = matches!(rules.ack, AckPolicyKind::Divide { order: PieceOrder::Falling, .. });
        must!(falling || ack.ack >= self.last_ack, "ACK {} after {}", ack.ack, self.last_ack);
        self.last_ack = self.last_ack.max(ack.ack);
        let most = if rules.sack { rules.max_sack_blocks.min(3) as usize } else { 0 };
        must!(ack.sack.len() <= most, "{} SACK blocks", ack.sack.len());
        let numbers = matches!(rules.ack, AckPolicyKind::Quic { packet_numbers: true, .. });
        let least = rules.ack_size + if numbers { 0 } else { rules.sack_block_bytes * ack.sack.len() as u32 };
        // Gaps in packet numbers stay for good.
        let counts = ack.sack.counts().map_or(0, |_| ByteCounts::SIZE);
        let largest = if numbers { rules.ack_size + rules.sack_block_bytes * 63 + counts } else { least + counts };
        must!((least..=largest).contains(&size), "an ACK of {size} bytes");
        for (index, (start, end)) in ack.sack.iter(ack.ack).enumerate() {
            must!(start < end, "an empty block {start}..{end}");
            // The first part that came before is reported first, wherever it lies (RFC 2883 section 4).
            let dsack = rules.dsack && index == 0 && self.repeated == (start, end);
            let stale = end <= ack.ack && !dsack;
            must!(
                !stale || !rules.purge_stale_sack || rules.echo_each_mark,
                "block {start}..{end} below ACK {}",
                ack.ack
            );
            let held = |at: Seq| self.arrived.get(at as usize) == Some(&true);
            must!((start..end).all(held), "block {start}..{end} never arrived");
            // RFC 2018 section 4: the first block is the whole run around the segment that caused the ACK.
            if let (0, Step::Data(segment)) = (index, step)
                && segment.seq >= self.in_order
                && !dsack
                && !rules.echo_each_mark
            {
                must!((start..end).contains(&segment.seq), "first block {start}..{end} without {segment:?}");
                must!(!held(start - 1) && !held(end), "first block {start}..{end} is not the whole run");
            }
        }
        if let Step::Data(segment) = step {
            // Pieces that had to wait leave before it, without blocks; so does the ACK of what came before another mark.
            let due = most > 0 && !rules.echo_each_mark && segment.seq > self.in_order && ack.ack == self.in_order;
            must!(!due || !ack.sack.is_empty(), "no block for {segment:?}");
        }
        Ok(())
    }

    /// Whoever waits for something has a timer that will end the wait.
    fn nothing_forgotten(&self, pair: &Pair) -> Result<(), String> {
        if self.best_ack < self.max_sent {
            let timer = pair.out.timer;
            must!(timer.is_some(), "data outstanding, no retransmission timer");
            let latest = pair.now + Time::from_secs(self.sender.max_rto.secs().max(2.0 * self.sender.tick.secs()));
            must!(timer >= Some(pair.now) && timer <= Some(latest), "timer {timer:?} at {:?}", pair.now);
        }
        if self.last_ack < self.in_order {
            let timer = match self.receiver.ack {
                AckPolicyKind::Every {}
                | AckPolicyKind::Spoof { .. }
                | AckPolicyKind::Restore { .. }
                | AckPolicyKind::Optimistic { .. } => {
                    return Err("data in order, no ACK".to_owned());
                }
                AckPolicyKind::Delayed { timer, .. }
                | AckPolicyKind::Daass { timer, .. }
                | AckPolicyKind::Requested { timer, .. }
                | AckPolicyKind::Acc { timer, .. }
                | AckPolicyKind::AccDelivered { timer, .. }
                | AckPolicyKind::AccNs2 { timer, .. }
                | AckPolicyKind::Smart { timer, .. }
                | AckPolicyKind::Periodic { timer, .. } => timer,
                AckPolicyKind::Divide { timer, spacing, .. } => timer.max(spacing),
                AckPolicyKind::Quic { max_ack_delay, tick, .. } => max_ack_delay + tick,
                AckPolicyKind::Linux { timer, tick, .. } => timer.max(tick + tick),
                // A program's own decides.
                AckPolicyKind::Python { .. } => Time::NEVER,
            };
            let due = pair.back.timer;
            if self.closes(pair) {
                return Ok(());
            }
            must!(due.is_some(), "data in order, neither ACK nor timer");
            must!(due >= Some(pair.now) && due <= Some(pair.now + timer), "ACK timer {due:?} at {:?}", pair.now);
        }
        Ok(())
    }

    /// Counters agree with what the wire saw, and no packet is lost but by the network.
    pub fn books(&self, pair: &Pair) -> Result<(), String> {
        let (sent, got) = (pair.sender.counters(), pair.receiver.counters());
        let counted = [sent.segments_sent, sent.retransmits, sent.acks_received, got.segments_received, got.acks_sent];
        let seen =
            [self.first_sends + self.resends, self.resends, pair.acks.delivered, pair.data.delivered, self.acks_sent];
        must!(counted == seen, "counters {counted:?}, the wire saw {seen:?}");
        for Traffic { sent, lost, duplicated, delivered, in_flight } in [pair.data, pair.acks] {
            must!(sent + duplicated == delivered + lost + in_flight, "packets vanish");
        }
        must!(pair.data.sent == counted[0] && pair.acks.sent == counted[4], "sends and counters differ");
        Ok(())
    }

    /// The transfer is done: everything is there.
    pub fn at_end(&self, pair: &Pair) -> Result<(), String> {
        let core = pair.sender.core();
        let exact = self.sender.recovery.sack_partial() != SackPartial::TwoSegmentsPastEnd;
        must!(!exact || core.seq.una == core.seq.limit, "done at {} of {}", core.seq.una, core.seq.limit);
        must!(self.in_order >= core.seq.limit, "done, but only {} of {} arrived", self.in_order, core.seq.limit);
        let data = core.seq.limit - u64::from(self.sender.syn) - u64::from(self.sender.fin);
        let bytes = if self.sender.sequence.in_bytes() { data } else { data * u64::from(self.sender.packet) };
        must!(!exact || pair.sender.bytes_acked() == bytes, "{} bytes ACKed of {bytes}", pair.sender.bytes_acked());
        Ok(())
    }
}
