//! The protocol is safe: over networks that lose, reorder and duplicate in both directions, with every recovery,
//! policy and stack, and windows down to one segment, every byte arrives once and in order, every transfer ends, and
//! no counter, timer or window goes astray (`pair/judge.rs` has the rules).
//!
//! Cases are drawn from a fixed seed, so that a green run stays green; `ACKLAB_SEED=n` draws others and
//! `ACKLAB_CASES=n` more of them. A failure prints the smallest case found, its network's seed included.

mod draw;
#[path = "../pair/mod.rs"]
mod pair;
mod policies;

use acklab_packet::Time;
use acklab_tcp::rules::{AckPolicyKind, Undo, Variants, named};
use draw::{Case, stacked, wild};
use pair::{Hostility, Judge, Pair};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

fn converse(case: &Case) -> Result<Pair, String> {
    let (sender, receiver) = case.rules();
    let mut judge = Judge::new(&sender, &receiver);
    let mut pair = Pair::new(sender, receiver, case.supply, case.network);
    // Losing a third of everything costs a timeout a segment, and backoff makes those a minute long.
    let result = pair.run(case.later, &mut judge, Time::from_secs(100_000.0));
    match result {
        Ok(()) => Ok(pair),
        Err(why) => Err(format!("{why}\nthe last steps:\n{}", pair.tail(12))),
    }
}

/// Draws `cases` cases and checks each; the seed is fixed unless the environment says otherwise.
fn for_all<S: Strategy>(cases: u32, strategy: S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("ACKLAB_SEED").unwrap_or(1);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let cases = number("ACKLAB_CASES").map_or(cases, |n| n as u32);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    if let Err(failure) = runner.run(&strategy, check) {
        panic!("ACKLAB_SEED={seed}: {failure}");
    }
}

#[test]
fn every_byte_arrives_whatever_stack_recovery_and_policy() {
    for_all(1500, stacked(), |case| converse(&case).map(drop).map_err(TestCaseError::fail));
}

#[test]
fn and_with_rules_that_no_stack_combines() {
    for_all(1500, wild(), |case| converse(&case).map(drop).map_err(TestCaseError::fail));
}

#[test]
fn the_same_seed_is_the_same_conversation() {
    for_all(40, wild(), |case| {
        let (one, two) = (converse(&case), converse(&case));
        let text = |result: Result<Pair, String>| result.map(|pair| format!("{:?}", pair.log));
        prop_assert_eq!(text(one), text(two));
        Ok(())
    });
}

/// Without loss, duplication or reordering nothing is sent twice, nothing times out, and no window is reduced.
#[test]
fn a_clean_network_costs_nothing() {
    let clean = stacked().prop_map(|mut case| {
        case.network =
            Hostility { loss: 0.0, ack_loss: 0.0, duplication: 0.0, marks: 0.0, jitter: 0.0, ..case.network };
        // The longest round trip (0.4 s and a delayed ACK) stays below every stack's first RTO and floor.
        case.network.delay = case.network.delay.min(0.05);
        case.sender.min_rto = Some(Time::from_secs(1.0));
        // Pieces that trickle outlast any timer.
        if let AckPolicyKind::Divide { spacing, .. } = &mut case.ack {
            *spacing = Time::ZERO;
        }
        case
    });
    let clean = clean.prop_filter("an attack", |case| !matches!(case.ack, AckPolicyKind::Spoof { .. }));
    for_all(200, clean, |case| {
        let pair = converse(&case).map_err(TestCaseError::fail)?;
        let counters = pair.sender.counters();
        prop_assert_eq!((counters.timeouts, counters.fast_retransmits), (0, 0));
        // A probe may ask while a receiver holds the ACK of more than one segment (RFC 8985 section 7.2).
        let probes = case.recovery.probes_tail();
        prop_assert!(counters.retransmits == 0 || probes, "{} sent again", counters.retransmits);
        // ns-2's timer restarts slow start when the connection idles; and a probe whose copy no ACK tells of counts as a
        // loss repaired (section 7.4.2).
        let probed = probes && counters.retransmits > 0;
        prop_assert!(counters.window_cuts == 0 || case.later.is_some() || probed);
        Ok(())
    });
}

/// Where packets are lost but neither overtake each other nor arrive twice, a recovery without a timeout had its reason.
#[test]
fn without_reordering_no_recovery_is_undone() {
    let orderly = wild().prop_map(|mut case| {
        case.network = Hostility { duplication: 0.0, jitter: 0.0, ..case.network };
        case.sender.timestamps = Some(true);
        let kind = ["rfc6675", "fack", "rack"][case.network.seed as usize % 3];
        let kept = if case.recovery.name() == kind { case.recovery } else { named(kind) };
        case.recovery = kept.with("undo", Undo::Both);
        case.sender.skip = Some(0);
        case
    });
    for_all(400, orderly, |case| {
        let pair = converse(&case).map_err(TestCaseError::fail)?;
        let counters = pair.sender.counters();
        prop_assert!(counters.undone == 0 || counters.timeouts > 0, "{} undone", counters.undone);
        Ok(())
    });
}

/// RACK at a window of one segment: the timer's segment leaves even where another is not due, because a late ACK made the
/// round trip long.
#[test]
fn a_timeout_sends_its_segment() {
    use acklab_tcp::rules::*;
    let sender = SenderPatch {
        packet: Some(100),
        timestamps: Some(true),
        syn: Some(false),
        fin: Some(true),
        window: Some(Window::Segments(12)),
        initial_window: Some(8.0),
        initial_ssthresh: Some(11.0),
        ecn: Some(true),
        dup_thresh: Some(1),
        limited_transmit: Some(false),
        max_burst: Some(1),
        first_loss: Some(FirstLoss::Keep),
        second_fast_retransmit: Some(SecondFastRetransmit::Always),
        halving: Some(Halving::Precise),
        rto_floor: Some(RtoFloor::BeforeBackoff),
        ..SenderPatch::default()
    };
    let receiver = ReceiverPatch {
        estimate: Some(named::<EstimateKind>("probe").into()),
        sack: Some(false),
        immediate_on_gap: Some(false),
        immediate_on_repeat: Some(false),
        immediate_on_syn: Some(false),
        ..ReceiverPatch::default()
    };
    let network = Hostility {
        loss: 0.2557338567743387,
        ack_loss: 0.021748047544318604,
        duplication: 0.0,
        marks: 0.0,
        delay: 0.19967551582958198,
        jitter: 0.0,
        seed: 17852534745639428102,
    };
    let supply = acklab_tcp::sender::Supply::Segments(36);
    let recovery = named::<RecoveryKind>("rack").with("undo", Undo::Both).with("frto", Frto::Linux);
    let (control, ack) = (named("reno"), named("every"));
    let case = Case { stack: Stack::Ns2In1998, recovery, control, ack, sender, receiver, supply, later: None, network };
    converse(&case).map(drop).unwrap();
}
