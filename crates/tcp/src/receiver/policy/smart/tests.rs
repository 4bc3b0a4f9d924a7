//! Traces of smartacking, worked out by hand. A bottleneck of 10 ms a segment, a round trip of 100 ms.

use super::*;
use crate::rules::{BetaRise, GammaCount};

fn t(secs: f64) -> Time {
    Time::from_secs(secs)
}

fn rules() -> SmartRules {
    SmartRules {
        timer: t(0.2),
        rtt: RttSource::Probe,
        interval: t(1.0),
        window: WindowSource::Estimate,
        initial: 1,
        extended: false,
        loss: LossNotice::RoundTrip,
        first: WindowStart::Count,
        first_probe: Time::ZERO,
        replies: ReplyWait::Counted,
        limit: 1,
        decrease: EstimateFall::Loss,
        alpha: AlphaRules { beta: BetaRise::Before, gamma: GammaCount::New, early_steps: true },
    }
}

/// In-order segment number `seq` arrives, one unit long.
fn at(secs: f64, seq: u64) -> Arrival {
    Arrival { in_order: true, now: t(secs), seq, len: 1, rcv_nxt: seq + 1, ..Arrival::default() }
}

/// The same, and what the policy wants after its keep-alives, which are answered after 100 ms.
fn arrive(policy: &mut Smart, arrival: &Arrival) -> Emission {
    match policy.on_segment(arrival) {
        Emission::Probe(_) => policy.on_probe_sent(arrival.now),
        other => other,
    }
}

/// Slow start with windows of 1, 2, 4, 8 segments, the last of which is being received: 7 were acknowledged one by one.
fn in_slow_start() -> Smart {
    let mut policy = Smart::new(rules());
    assert_eq!(policy.on_segment(&at(0.0, 0)), Emission::Probe(1));
    assert_eq!(policy.on_probe_sent(t(0.0)), Emission::Now, "the first segment is not held");
    policy.on_ack_sent(t(0.0));
    policy.on_reply(1, t(0.1));
    let mut seq = 1;
    for (start, window) in [(0.1, 2), (0.2, 4)] {
        for k in 0..window {
            let now = start + 0.01 * f64::from(k);
            assert_eq!(arrive(&mut policy, &at(now, seq)), Emission::Now, "segment {seq}");
            policy.on_ack_sent(t(now));
            seq += 1;
        }
    }
    policy
}

fn near(emission: Emission, secs: f64) {
    let Emission::At(at) = emission else { panic!("{emission:?}, not at {secs}") };
    assert!((at.secs() - secs).abs() < 1e-9, "at {}, not at {secs}", at.secs());
}

#[test]
fn with_room_at_the_bottleneck_every_segment_is_acknowledged_and_later_none() {
    let mut policy = in_slow_start();
    assert_eq!(policy.0.observer.cwnd(), 8);
    // Of a window of 8 the first is here: 7 more take 70 ms, less than the round trip.
    for k in 0..3_u32 {
        let now = 0.3 + 0.01 * f64::from(k);
        assert_eq!(arrive(&mut policy, &at(now, 7 + u64::from(k))), Emission::Now);
        policy.on_ack_sent(t(now));
    }
    // 11 in all, less the one not acknowledged: 10 segments are expected, 100 ms: no delay is the limit of both sides.
    assert_eq!(policy.0.observer.cwnd(), 11);
    let isat = policy.0.observer.isat().unwrap();
    assert!((isat - 0.01).abs() < 1e-9);
    arrive(&mut policy, &at(0.33, 10));
    policy.on_ack_sent(t(0.33));
    // A window of 12 now: 110 ms, 10 more than a round trip.
    near(arrive(&mut policy, &at(0.34, 11)), 0.35);
    // No ACK left meanwhile, so the window's end comes nearer with each arrival: 10 are left, and the ACK leaves.
    let next = arrive(&mut policy, &at(0.35, 12));
    assert!(matches!(next, Emission::Now) || matches!(next, Emission::At(at) if (at.secs() - 0.35).abs() < 1e-9));
}

#[test]
fn no_delay_is_longer_than_the_timer_from_the_first_segment_held() {
    let mut policy = in_slow_start();
    let sender = |arrival: Arrival, window| Arrival { window, ..arrival };
    policy.0.window = WindowSource::Sender;
    // 100 segments of window: 99 * 10 ms - 100 ms would be 0.89 s.
    near(arrive(&mut policy, &sender(at(0.3, 7), 100.0)), 0.5);
    near(arrive(&mut policy, &sender(at(0.31, 8), 100.0)), 0.5);
    // A window of 14 now: 12 are to come, 120 ms; the deadline moves down to 20 ms from now.
    near(arrive(&mut policy, &sender(at(0.32, 9), 15.0)), 0.34);
    policy.on_ack_sent(t(0.34));
    near(arrive(&mut policy, &sender(at(0.35, 10), 100.0)), 0.55);
}

#[test]
fn what_is_out_of_order_is_acknowledged_at_once() {
    let mut policy = in_slow_start();
    policy.0.window = WindowSource::Sender;
    let gap = Arrival { in_order: false, gap: true, window: 100.0, rcv_nxt: 7, ..at(0.3, 8) };
    assert_eq!(arrive(&mut policy, &gap), Emission::Now);
    let repeat = Arrival { duplicate: true, window: 100.0, rcv_nxt: 7, ..at(0.3, 6) };
    assert_eq!(arrive(&mut policy, &repeat), Emission::Now);
}

#[test]
fn nothing_is_held_before_round_trip_and_arrival_time_are_known() {
    let mut policy = Smart::new(rules());
    policy.0.window = WindowSource::Sender;
    for (k, now) in [0.0, 0.01, 0.02].into_iter().enumerate() {
        let arrival = Arrival { window: 1000.0, ..at(now, k as u64) };
        assert_eq!(arrive(&mut policy, &arrival), Emission::Now, "no answer to the keep-alive");
        policy.on_ack_sent(t(now));
    }
    policy.on_reply(1, t(0.1));
    let arrival = Arrival { window: 1000.0, ..at(0.11, 3) };
    assert!(matches!(arrive(&mut policy, &arrival), Emission::At(_)));
}

#[test]
fn extended_smartacking_takes_off_only_alpha_round_trips() {
    let mut policy = in_slow_start();
    policy.0.window = WindowSource::Sender;
    policy.0.extended = true;
    // 9 expected: 90 ms, less than a round trip; of which half is 50 ms.
    let arrival = Arrival { window: 10.0, ..at(0.3, 7) };
    assert_eq!(arrive(&mut policy, &arrival), Emission::Now);
    policy.on_ack_sent(t(0.3));
    policy.0.alpha.alpha = 0.5;
    near(arrive(&mut policy, &Arrival { window: 10.0, ..at(0.31, 8) }), 0.35);
}

/// Section 4.1: a decrease of the estimate is a loss, or any fall. The estimate is 8 here, and was 9.
#[test]
fn a_fall_of_the_estimate_may_count_as_a_decrease() {
    for (decrease, alpha) in [(EstimateFall::Loss, 1.0), (EstimateFall::Any, 0.9)] {
        let mut policy = in_slow_start();
        policy.0.decrease = decrease;
        policy.0.alpha.on_third_duplicate();
        policy.0.cwnd = 9;
        policy.0.compare();
        policy.0.compare();
        assert_eq!(policy.0.alpha.alpha, alpha, "{decrease:?}");
    }
}
