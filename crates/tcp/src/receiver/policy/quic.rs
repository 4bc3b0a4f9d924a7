//! QUIC's acknowledgments (RFC 9000 section 13.2), and what a sender can ask of them (draft-ietf-quic-ack-frequency).
//!
//! An ACK leaves for every so many packets, at the latest after `max_ack_delay`. Two kinds of packets are acknowledged at
//! once: those out of order by the reordering threshold, and the first of several packets marked CE. The order is that of
//! packet numbers, which no packet repeats, so a retransmission is in order. If the sender has no packet numbers (TCP),
//! sequence numbers replace them, and a retransmission counts as a late packet.

use acklab_packet::Time;

use super::{AckPolicy, Arrival, Emission};

/// Least delay that a sender asks for by its round trip: the granularity of RFC 9002 section 6.1.2.
const GRANULARITY: f64 = 0.001;

/// Most gaps that an ACK reports; quinn keeps 64 ranges.
const MOST_GAPS: usize = 63;

/// Requests of a sender to its receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct QuicRules {
    pub segments: u32,
    pub max_ack_delay: Time,
    pub reordering: u32,
    pub rtt_share: f64,
    pub ahead: u32,
}

/// The policy's state. Numbers are packet numbers, or sequence units.
#[derive(Clone, Debug, PartialEq)]
pub struct Quic {
    rules: QuicRules,
    numbered: bool,
    /// Ack-eliciting packets since the last ACK.
    held: u32,
    /// The highest packet's number ("Largest Unacked"), and one past what it carries.
    largest: u64,
    next: u64,
    /// The highest number when the last ACK left ("Largest Acked").
    acked: u64,
    /// Numbers that have not come, ascending, and since when they are missing. A lost packet's number never comes, so its gap
    /// stays until the receiver may forget it. That is when an ACK that reported the gap has itself been acknowledged (RFC
    /// 9000 section 13.2.4). A smoothed round trip stands for the time until then.
    missing: Vec<(u64, u64, Time)>,
    /// Smoothed round trip that the sender last told, in seconds; 0 if it has told no round trip.
    srtt: f64,
    /// Departure of the highest packet from its sender, and its arrival.
    newest: (Time, Time),
    /// The last packet was marked.
    marked: bool,
    /// Packets that have come, and units of the longest.
    received: u64,
    longest: u32,
}

impl Quic {
    /// Acknowledges as `rules` ask, of a sender that numbers no packets.
    pub fn new(rules: QuicRules) -> Quic {
        Quic {
            rules,
            numbered: false,
            held: 0,
            largest: 0,
            next: 0,
            acked: 0,
            missing: Vec::new(),
            srtt: 0.0,
            newest: (Time::ZERO, Time::ZERO),
            marked: false,
            received: 0,
            longest: 0,
        }
    }

    /// The segments bear packet numbers ([`Segment::echo`](acklab_packet::Segment)).
    pub(super) fn goes_by_numbers(&mut self) {
        self.numbered = true;
    }

    /// Notes a packet's number; whether it asks for an ACK at once.
    fn out_of_order(&mut self, arrival: &Arrival) -> bool {
        // What travels are a number's low 32 bits (RFC 9000 appendix A.3).
        let number =
            |low: u32| self.largest.wrapping_add_signed(i64::from(low.wrapping_sub(self.largest as u32) as i32));
        let (start, len) =
            if self.numbered { (number(arrival.echo), 1) } else { (arrival.seq, u64::from(arrival.len)) };
        let end = start + len;
        let (late, gap) = (start < self.next, start > self.next);
        if gap {
            self.missing.push((self.next, start, arrival.now));
            if self.missing.len() > MOST_GAPS {
                self.missing.remove(0);
            }
        }
        if late {
            self.arrived(start, end);
        }
        if end > self.next {
            (self.largest, self.next) = (start, end);
            self.newest = (arrival.sent, arrival.now);
        }
        match self.rules.reordering {
            0 => false,
            // RFC 9000 section 13.2.1: lower than another, or higher with some missing between.
            1 => late || gap,
            // The draft, section 6.2: an ACK that lets the sender find a loss it could not find before.
            threshold => {
                let reach = u64::from(threshold) * len;
                let reported = self.acked.checked_sub(reach);
                let unreported =
                    |&&(_, end, _): &&(u64, u64, Time)| reported.is_none_or(|reported| end > reported + len);
                let first = self.missing.iter().find(unreported);
                first.is_some_and(|&(start, ..)| {
                    self.largest - start.max(reported.map_or(0, |reported| reported + len)) >= reach
                })
            }
        }
    }

    /// `start .. end` was missing, and is no longer.
    fn arrived(&mut self, start: u64, end: u64) {
        let Some(index) = self.missing.iter().position(|run| run.0 < end && start < run.1) else { return };
        let run = self.missing[index];
        let left = [(run.0, start, run.2), (end, run.1, run.2)].into_iter().filter(|part| part.0 < part.1);
        self.missing.splice(index..=index, left);
    }

    /// Rule of the draft's section 6.4 for CE: only the first marked packet in a row counts. If every second packet has an ACK
    /// anyway, each marked packet counts (RFC 9000 section 13.2.1).
    fn must_tell_mark(&mut self, ce: bool) -> bool {
        let before = std::mem::replace(&mut self.marked, ce);
        ce && (!before || self.rules.segments <= 2)
    }

    /// Longest wait of an ACK that a packet asks for.
    fn delay(&self, srtt: f32) -> Time {
        let asked = self.rules.rtt_share * f64::from(srtt);
        if asked > 0.0 {
            return Time::from_secs(asked.max(GRANULARITY)).min(self.rules.max_ack_delay);
        }
        self.rules.max_ack_delay
    }

    /// An ACK of everything. It says how long the highest packet has waited (ACK Delay, RFC 9000 section 19.3). For this it
    /// echoes that packet's departure time plus the wait.
    fn ack(&self, now: Time) -> Emission {
        if self.rules.ahead > 0 {
            return self.ack_ahead(now, true);
        }
        let (sent, came) = self.newest;
        let echo = self.numbered.then(|| sent + (now - came));
        Emission::Ranges { echo, gaps: self.numbered.then_some(self.missing.len() as u32) }
    }
}

impl Quic {
    /// An optimistic ACK (RFC 9000 section 21.4), as [`Optimistic`](super::Optimistic) sends them to TCP: of packets that may be in flight,
    /// said to have waited since they left. When nothing more comes, one of what came follows.
    #[cold]
    fn ack_ahead(&self, now: Time, more: bool) -> Emission {
        let packets = if more { (self.received / 2).min(u64::from(self.rules.ahead)) } else { 0 };
        let again = more.then(|| now + self.rules.max_ack_delay);
        Emission::Ahead { units: packets * u64::from(self.longest), again, echo: self.numbered.then_some(now) }
    }
}

impl AckPolicy for Quic {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        // ACK_FREQUENCY; a request for 0 stands for IMMEDIATE_ACK.
        self.rules.segments = arrival.requested.filter(|&asked| asked > 0).map_or(self.rules.segments, u32::from);
        self.held += 1;
        (self.received, self.longest) = (self.received + 1, self.longest.max(arrival.sent_len()));
        self.srtt = f64::from(arrival.srtt);
        let out_of_order = self.out_of_order(arrival);
        let marked = self.must_tell_mark(arrival.ce);
        // A SYN stands for the handshake, in which nothing is delayed (RFC 9000 section 13.2.1).
        let asked = arrival.requested == Some(0);
        if out_of_order || marked || asked || arrival.syn || self.held >= self.rules.segments {
            self.ack(arrival.now)
        } else {
            Emission::Gather(arrival.now + self.delay(arrival.srtt))
        }
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        if self.rules.ahead > 0 {
            return self.ack_ahead(now, false);
        }
        self.ack(now)
    }

    fn on_ack_sent(&mut self, now: Time) {
        self.held = 0;
        self.acked = self.largest;
        if self.numbered && self.srtt > 0.0 {
            let srtt = self.srtt;
            let forgotten = self.missing.iter().take_while(|gap| (now - gap.2).secs() > srtt).count();
            self.missing.drain(..forgotten);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: QuicRules =
        QuicRules { segments: 2, max_ack_delay: Time::from_secs(0.025), reordering: 1, rtt_share: 0.0, ahead: 0 };

    fn numbered(rules: QuicRules) -> Quic {
        Quic { numbered: true, ..Quic::new(rules) }
    }

    fn packet(number: u32, secs: f64) -> Arrival {
        let now = Time::from_secs(secs);
        // Half a second on the way.
        Arrival { echo: number, len: 1200, sent: Time::from_secs(secs - 0.5), now, ..Arrival::default() }
    }

    /// Which of the packets with these numbers, a millisecond apart, are acknowledged at once.
    fn answered(policy: &mut Quic, numbers: &[u32]) -> Vec<u32> {
        let mut answered = Vec::new();
        for (i, &number) in numbers.iter().enumerate() {
            let arrival = packet(number, 1.0 + i as f64 * 0.001);
            if matches!(policy.on_segment(&arrival), Emission::Ranges { .. }) {
                policy.on_ack_sent(arrival.now);
                answered.push(number);
            }
        }
        answered
    }

    fn sparse(reordering: u32) -> Quic {
        numbered(QuicRules { segments: 100, reordering, ..RULES })
    }

    #[test]
    fn every_second_packet_or_max_ack_delay() {
        let mut policy = numbered(RULES);
        assert_eq!(policy.on_segment(&packet(0, 1.0)), Emission::Gather(Time::from_secs(1.025)));
        assert!(matches!(policy.on_segment(&packet(1, 1.001)), Emission::Ranges { .. }));
        policy.on_ack_sent(Time::from_secs(1.001));
        assert!(matches!(policy.on_segment(&packet(2, 2.0)), Emission::Gather(_)));
        assert!(matches!(policy.on_timer(Time::from_secs(2.025)), Emission::Ranges { .. }));
    }

    #[test]
    fn nothing_is_held_in_the_handshake() {
        let syn = Arrival { syn: true, ..packet(0, 1.0) };
        assert!(matches!(sparse(1).on_segment(&syn), Emission::Ranges { .. }));
    }

    #[test]
    fn the_ack_tells_how_long_the_highest_packet_waited() {
        let mut policy = numbered(QuicRules { segments: 100, reordering: 0, ..RULES });
        policy.on_segment(&packet(1, 2.0));
        policy.on_segment(&packet(0, 2.01));
        // Sent at 1.5, came at 2.0, waited 0.025.
        assert_eq!(
            policy.on_timer(Time::from_secs(2.025)),
            Emission::Ranges { echo: Some(Time::from_secs(1.525)), gaps: Some(0) }
        );
        policy.numbered = false;
        assert_eq!(
            policy.on_timer(Time::from_secs(2.025)),
            Emission::Ranges { echo: None, gaps: None },
            "TCP has RFC 7323's echo"
        );
    }

    #[test]
    fn a_gap_is_told_once_and_so_is_what_fills_it() {
        // RFC 9000 section 13.2.1: 4 opens a gap; 5 and 6 come in order above it; 3 comes late; 7 is in order again.
        assert_eq!(answered(&mut sparse(1), &[0, 1, 2, 4, 5, 6, 3, 7]), [4, 3]);
        assert_eq!(answered(&mut sparse(0), &[0, 1, 2, 4, 5, 6, 3, 7]), [0_u32; 0], "0 ignores order");
    }

    #[test]
    fn a_retransmission_is_a_packet_in_order_unless_nobody_numbers() {
        let resent = Arrival { seq: 2400, ..packet(6, 1.0) };
        let course = |numbered| {
            let mut policy = Quic { numbered, ..Quic::new(QuicRules { segments: 100, ..RULES }) };
            for number in [0, 1, 3, 4, 5] {
                let arrival = Arrival { seq: u64::from(number) * 1200, ..packet(number, 0.9) };
                policy.on_segment(&arrival);
            }
            policy.on_segment(&resent)
        };
        assert!(matches!(course(true), Emission::Gather(_)));
        assert!(matches!(course(false), Emission::Ranges { .. }));
    }

    /// The draft's own examples, sections 6.2.1: ACKs that only reordering causes.
    #[test]
    fn larger_thresholds_wait_until_a_loss_can_be_told() {
        assert_eq!(answered(&mut sparse(3), &[0, 1, 3, 4, 5, 8, 9, 10]), [5, 9, 10]);
        assert_eq!(answered(&mut sparse(5), &[0, 1, 3, 5, 6, 7, 8, 9]), [7, 9]);
        assert_eq!(answered(&mut sparse(3), &[0, 1, 3, 4, 2, 5, 6]), [0_u32; 0], "it came in time");
    }

    #[test]
    fn thresholds_count_segments_where_nobody_numbers_packets() {
        let mut policy = Quic::new(QuicRules { segments: 100, reordering: 3, ..RULES });
        let mut answered = Vec::new();
        for number in [0, 1, 3, 4, 5, 8, 9, 10] {
            let arrival = Arrival { seq: number * 1200, ..packet(0, 1.0) };
            if matches!(policy.on_segment(&arrival), Emission::Ranges { .. }) {
                policy.on_ack_sent(arrival.now);
                answered.push(number);
            }
        }
        assert_eq!(answered, [5, 9, 10]);
    }

    #[test]
    fn the_first_mark_is_told_at_once_and_every_one_where_acks_are_frequent() {
        let course = |segments| {
            let mut policy = numbered(QuicRules { segments, ..RULES });
            let marks = [false, true, true, true, false, true];
            let told = |(i, &ce): (usize, &bool)| {
                let arrival = Arrival { ce, ..packet(i as u32, 1.0) };
                let now = matches!(policy.on_segment(&arrival), Emission::Ranges { .. });
                if now {
                    policy.on_ack_sent(arrival.now);
                }
                now
            };
            marks.iter().enumerate().map(told).collect::<Vec<_>>()
        };
        assert_eq!(course(100), [false, true, false, false, false, true]);
        assert_eq!(course(2), [false, true, true, true, false, true]);
    }

    #[test]
    fn the_delay_may_be_a_share_of_the_senders_round_trip() {
        let due = |srtt: f32, most: f64| {
            let rules = QuicRules { segments: 100, rtt_share: 0.25, max_ack_delay: Time::from_secs(most), ..RULES };
            match numbered(rules).on_segment(&Arrival { srtt, ..packet(0, 1.0) }) {
                Emission::Gather(at) => (at.secs() * 1e4).round() / 1e4,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(due(0.1, 1.0), 1.025);
        assert_eq!(due(0.001, 1.0), 1.001, "a millisecond at least");
        assert_eq!(due(0.6, 0.1), 1.1, "max_ack_delay at most");
        assert_eq!(due(0.0, 0.2), 1.2, "which is all there is before a round trip is known");
    }

    #[test]
    fn gaps_stay_and_make_acks_longer() {
        let mut policy = sparse(1);
        answered(&mut policy, &[0, 2, 4, 6, 7, 8, 4, 3]);
        let gaps = |policy: &Quic| match policy.ack(Time::from_secs(2.0)) {
            Emission::Ranges { gaps, .. } => gaps,
            other => panic!("{other:?}"),
        };
        assert_eq!(gaps(&policy), Some(2), "1 and 5; 3 has come");
        answered(&mut policy, &(5..200).map(|n| 2 * n).collect::<Vec<_>>());
        assert_eq!(gaps(&policy), Some(63));
        // They opened from 1.13 to 1.2 s; a round trip of half a second later their sender has acknowledged the ACKs.
        policy.srtt = 0.5;
        policy.on_ack_sent(Time::from_secs(1.6));
        assert_eq!(gaps(&policy), Some(63));
        policy.on_ack_sent(Time::from_secs(1.67));
        assert!(gaps(&policy) < Some(63) && gaps(&policy) > Some(0));
        policy.on_ack_sent(Time::from_secs(1.7));
        assert_eq!(gaps(&policy), Some(0));
    }

    #[test]
    fn numbers_go_on_past_32_bits() {
        let mut policy = sparse(1);
        (policy.largest, policy.next) = (u64::from(u32::MAX), 1 << 32);
        assert!(matches!(policy.on_segment(&packet(0, 1.0)), Emission::Gather(_)));
        assert_eq!(policy.largest, 1 << 32);
        assert!(matches!(policy.on_segment(&packet(2, 1.0)), Emission::Ranges { .. }));
    }
}
