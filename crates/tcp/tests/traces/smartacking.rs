//! What a receiver reckons of its sender, and when it acknowledges for it, worked out by hand from the paper (ledger
//! smartacking.m.estimate_cwnd, smartacking.m.isat, smartacking.m.rtt, smartacking.m.core, smartacking.m.extended).

use std::sync::Arc;

use acklab_packet::{Ack, Probe, Segment, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::receiver::estimator::{CwndEstimator, EstimatorPhase, Isat};
use acklab_tcp::receiver::policy::{Alpha, AlphaRules};
use acklab_tcp::rules::*;
use acklab_tcp::sender::Supply;

use crate::sender_table::{follow, rfc};
use crate::tape::Tape;

const PLAIN: AlphaRules = AlphaRules { beta: BetaRise::Before, gamma: GammaCount::New, early_steps: true };

fn t(secs: f64) -> Time {
    Time::from_secs(secs)
}

fn round(est: &mut CwndEstimator, segments: u32, acks: u32) -> bool {
    (0..segments).for_each(|_| est.on_segment());
    (0..acks).for_each(|_| est.on_ack(1));
    est.on_round_trip()
}

/// Ledger smartacking.fig1.unit by events alone: 7 ACKs, three duplicates, a round trip, then 4 segments with 2 ACKs and one
/// ACK more.
#[test]
fn the_listing_of_figure_1() {
    let mut est = CwndEstimator::new(1, 1, LossNotice::RoundTrip);
    (0..7).for_each(|_| {
        est.on_segment();
        est.on_ack(1);
    });
    assert_eq!((est.cwnd(), est.phase()), (8, EstimatorPhase::InitialSlowStart));
    assert_eq!([(); 3].map(|()| est.on_duplicate_ack()), [false, false, true]);
    assert_eq!(est.cwnd(), 8, "acted upon when the round trip ends");
    assert!(est.on_round_trip());
    assert_eq!((est.ssthresh(), est.phase()), (Some(4), EstimatorPhase::SlowStart));
    assert!(!round(&mut est, 4, 2));
    est.on_ack(1);
    assert_eq!(est.cwnd(), 6, "4 + 2 + 1 is above ssthresh: max(4, 4) + 2");
    assert!(!round(&mut est, 4, 2));
    assert_eq!((est.phase(), est.cwnd()), (EstimatorPhase::SlowStart, 6), "2 ACKs are too few to tell");
    // More than 2 segments fewer than slow start foretold: congestion avoidance at what came, plus one.
    assert!(!round(&mut est, 5, 5));
    assert_eq!((est.phase(), est.cwnd()), (EstimatorPhase::CongestionAvoidance, 6), "foretold 4 + 2 + 3, came 5");
    (0..6).for_each(|_| est.on_ack(1));
    assert_eq!(est.cwnd(), 6, "6 + 6 times a little less than 1/6");
    est.on_ack(1);
    assert_eq!(est.cwnd(), 7);
}

/// Two silent round trips are a timeout, unless a loss was seen just before.
#[test]
fn silence_is_a_timeout() {
    let mut est = CwndEstimator::new(1, 1, LossNotice::RoundTrip);
    round(&mut est, 20, 20);
    assert!(!round(&mut est, 0, 0));
    assert!(round(&mut est, 0, 0));
    assert_eq!((est.ssthresh(), est.cwnd()), (Some(10), 0));
}

#[test]
fn arrival_times_ignore_two_outliers_but_not_a_third() {
    let mut isat = Isat::default();
    let secs = [0.0, 1.0, 4.0, 7.0, 10.0].map(|at| {
        isat.on_arrival(t(at));
        isat.secs()
    });
    assert_eq!(secs, [None, Some(1.0), Some(1.0), Some(1.0), Some(1.5)]);
}

#[test]
fn alpha_falls_by_a_tenth_and_climbs_by_a_twentieth_up_to_beta() {
    let mut alpha = Alpha::new(PLAIN);
    alpha.on_decrease();
    assert_eq!(alpha.alpha, 1.0, "no third duplicate ACK yet");
    alpha.on_third_duplicate();
    alpha.on_decrease();
    assert_eq!((alpha.alpha, alpha.beta), (0.9, 1.0));
    (0..4 * 5 + 1).for_each(|_| alpha.on_ack(2, 5));
    assert!((alpha.alpha - 0.95).abs() < 1e-12 && alpha.gamma == 0, "{alpha:?}");
}

fn receiver() -> Receiver {
    let ack = AckPolicyKind::Smart {
        timer: t(0.2),
        rtt: RttSource::Probe,
        interval: t(1.0),
        window: WindowSource::Sender,
        initial: 1,
        extended: false,
        loss: LossNotice::RoundTrip,
        first: WindowStart::Count,
        first_probe: Time::ZERO,
        replies: ReplyWait::Counted,
        limit: 1,
        decrease: EstimateFall::Loss,
        beta: BetaRise::Before,
        gamma: GammaCount::New,
        early_steps: true,
    };
    Receiver::new(Arc::new(ReceiverRules { ack, ..Stack::Ns2In1998.receiver() }))
}

/// A receiver that has had three segments 10 ms apart, acknowledged each, and knows of a round trip of 100 ms.
fn warm(tape: &mut Tape<Ack>) -> Receiver {
    let mut receiver = receiver();
    for seq in 0..3 {
        let segment = Segment { seq, len: 1, window: 8.0, ..Segment::default() };
        receiver.on_segment(&segment, t(0.01 * seq as f64), tape);
    }
    let [Probe { number, reply: false, .. }] = tape.probes[..] else { panic!("{:?}", tape.probes) };
    receiver.on_reply(&Probe { number, reply: true, seq: 0 }, t(0.1), tape);
    let acks: Vec<_> = tape.sent.iter().map(|ack| ack.ack).collect();
    assert_eq!((acks, tape.timer), (vec![1, 2, 3], None));
    receiver
}

/// The window's last segment is expected after (window - held) arrival times; the ACK waits for what that exceeds the round
/// trip. Each arrival reckons anew.
#[test]
fn an_ack_waits_for_the_last_segment_less_a_round_trip() {
    let mut tape = Tape::default();
    let mut receiver = warm(&mut tape);
    let mut arrive = |seq: u64, at: f64, window: f32, tape: &mut Tape<Ack>| {
        receiver.on_segment(&Segment { seq, len: 1, window, ..Segment::default() }, t(at), tape);
        (tape.sent.len(), tape.timer.map(|at| (at.secs() * 1e6).round()))
    };
    // 15 segments of window, one held: 14 * 10 ms - 100 ms.
    assert_eq!(arrive(3, 0.2, 15.0, &mut tape), (3, Some(240_000.0)));
    assert_eq!(arrive(4, 0.21, 15.0, &mut tape), (3, Some(240_000.0)), "13 from 10 ms later on");
    assert_eq!(arrive(5, 0.22, 12.5, &mut tape), (4, None), "12, less 3: 90 ms, less than a round trip");
    assert_eq!(arrive(6, 0.23, 90.0, &mut tape), (4, Some(430_000.0)), "not longer than 200 ms");
    assert_eq!(arrive(7, 0.24, 90.0, &mut tape), (4, Some(430_000.0)), "from the first segment held");
    assert_eq!(arrive(9, 0.25, 90.0, &mut tape), (5, None), "a gap");
}

#[test]
fn keep_alives_leave_once_a_second_while_segments_come() {
    let mut tape = Tape::default();
    let mut receiver = warm(&mut tape);
    for k in 0..300 {
        let seq = 3 + k;
        receiver.on_segment(&Segment { seq, len: 1, ..Segment::default() }, t(0.1 + 0.01 * k as f64), &mut tape);
    }
    assert_eq!(tape.probes.iter().map(|probe| probe.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

/// Section 4.1 spreads a window over a share of "RTT". Round trips of 100 and 300 ms: smoothed 125 ms, the last 300, the least 100. The
/// three segments of the window leave a third of that apart; with the smoothed one, 41.7 ms.
#[test]
fn a_window_is_spread_over_the_round_trip_that_the_rule_names() {
    for (round_trip, secs) in [(PacedTrip::Smoothed, 0.125), (PacedTrip::Last, 0.3), (PacedTrip::Least, 0.1)] {
        let pacing = Pacing::Spread { share: 1.0, burst: 1, round_trip };
        let next = 0.4 + secs / 3.0;
        let table = format!(
            "
            at     | event | sends | cwnd
            0      | start | 0     | 1000
            0.1    | ack 1 | 1     | 2000
            0.15   | pacer | 2     | 2000
            0.4    | ack 2 | 3     | 3000
            {next} | pacer | 4     | 3000
        "
        );
        follow(SenderRules { pacing, initial_window: 1.0, ..rfc() }, Supply::Segments(40), &table);
    }
}
