//! The policy's rules, each by packets whose answers are known.

use super::*;

const RULES: QuicRules = QuicRules {
    segments: 2,
    max_ack_delay: Time::from_secs(0.025),
    reordering: 1,
    rtt_share: 0.0,
    first: 0,
    later: 10,
    marks: MarkAnswer::First,
    updates: [0; 2],
    updates_apart: false,
    tick: Time::ZERO,
    ahead: 0,
};

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
        Emission::Ranges { echo: Some(Time::from_secs(1.525)), gaps: Some(0), more: 0 }
    );
    policy.numbered = false;
    assert_eq!(
        policy.on_timer(Time::from_secs(2.025)),
        Emission::Ranges { echo: None, gaps: None, more: 0 },
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
fn each_mark_or_none_may_be_told() {
    let told = |marks| {
        let mut policy = numbered(QuicRules { segments: 100, marks, ..RULES });
        let told =
            |number| matches!(policy.on_segment(&Arrival { ce: true, ..packet(number, 1.0) }), Emission::Ranges { .. });
        [0, 1].map(told)
    };
    assert_eq!(told(MarkAnswer::Each), [true, true]);
    assert_eq!(told(MarkAnswer::Never), [false, false]);
}

#[test]
fn the_threshold_changes_after_a_packet_number() {
    let mut policy = numbered(QuicRules { first: 4, later: 5, ..RULES });
    // 5 is the first after which the highest number is above 4: from 6 on five packets, of which 6 is the first.
    assert_eq!(answered(&mut policy, &(0..16).collect::<Vec<_>>()), [1, 3, 5, 10, 15]);
    policy.on_segment(&Arrival { requested: Some(3), ..packet(16, 1.1) });
    assert_eq!(answered(&mut policy, &[17, 18, 19]), [18], "a request replaces both");
}

/// Packets that follow the ACK of the second packet, with which both windows' updates are due.
fn both_due(policy: &mut Quic) -> u32 {
    policy.on_segment(&Arrival { rcv_nxt: 1200, ..packet(0, 1.0) });
    match policy.on_segment(&Arrival { rcv_nxt: 2400, ..packet(1, 1.0) }) {
        Emission::Ranges { more, .. } => more,
        other => panic!("{other:?}"),
    }
}

#[test]
fn window_updates_take_an_ack_along() {
    let answered = |every: u32| {
        let mut policy = numbered(QuicRules { updates: [every * 1200, 0], ..RULES });
        let mut answered = Vec::new();
        for number in 0..12 {
            let arrival = Arrival { rcv_nxt: u64::from(number + 1) * 1200, ..packet(number, 1.0) };
            if let Emission::Ranges { more, .. } = policy.on_segment(&arrival) {
                policy.on_ack_sent(arrival.now);
                answered.push((number, more));
            }
        }
        answered
    };
    assert_eq!(answered(3), [1, 2, 4, 5, 7, 8, 10, 11].map(|number| (number, 0)), "2 and 5 take an ACK along");
    assert_eq!(answered(4), [(1, 0), (3, 1), (5, 0), (7, 1), (9, 0), (11, 1)], "that of 3 comes after an ACK");
    let mut both = numbered(QuicRules { updates: [2400, 2400], ..RULES });
    assert_eq!(both_due(&mut both), 1, "one packet after the ACK");
    both = numbered(QuicRules { updates: [2400, 2400], updates_apart: true, ..RULES });
    assert_eq!(both_due(&mut both), 2);
}

#[test]
fn an_event_loop_waits_whole_ticks_after_each_packet() {
    let rules =
        QuicRules { segments: 100, max_ack_delay: Time::from_secs(0.001), tick: Time::from_secs(0.001), ..RULES };
    let mut policy = numbered(rules);
    let at = |emission| match emission {
        Emission::Regather(at) => (at.secs() * 1e5).round() / 1e5,
        other => panic!("{other:?}"),
    };
    assert_eq!(at(policy.on_segment(&packet(0, 1.0))), 1.001);
    // 0.4 ms are left, for which the loop waits a millisecond.
    assert_eq!(at(policy.on_segment(&packet(1, 1.0006))), 1.0016);
    assert!(matches!(policy.on_segment(&packet(2, 1.0012)), Emission::Ranges { .. }), "it was due at 1.001");
}

/// Whenever a first packet comes, its ACK waits for one tick: what a sum rounds up is no second one.
#[test]
fn an_event_loop_waits_no_tick_for_a_sums_rounding() {
    let tick = Time::from_secs(0.001);
    for n in 0..1000 {
        let now = 0.1 + f64::from(n) * 0.0012;
        let mut policy = numbered(QuicRules { segments: 100, max_ack_delay: tick, tick, ..RULES });
        let Emission::Regather(due) = policy.on_segment(&packet(0, now)) else { panic!("no wait") };
        assert!((due.secs() - now - 0.001).abs() < 1e-8, "after {} s at {now} s", due.secs() - now);
    }
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
    let gaps = |policy: &Quic| match policy.ack(Time::from_secs(2.0), 0) {
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
