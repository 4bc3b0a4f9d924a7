//! Tests of RACK's variables and of the reordering window.

use super::*;

fn sent(end: Seq, at: f64, resent: bool) -> Sent {
    Sent { start: end - 1, end, at: Time::from_secs(at), resent, ..Sent::default() }
}

#[test]
fn what_an_earlier_transmission_brings_is_no_sample() {
    let (mut rack, at) = (Detection::default(), Time::from_secs);
    rack.delivered(&sent(1, 0.0, false), false, true, at(0.1));
    assert_eq!((rack.newest, rack.rtt, rack.min_rtt), (Some((at(0.0), 1)), 0.1, 0.1));
    // Sent again at 0.15, reported at 0.2: half a round trip later it can only be the first copy.
    rack.delivered(&sent(2, 0.15, true), false, true, at(0.2));
    assert_eq!(rack.newest, Some((at(0.0), 1)));
    // A round trip later it may be either, unless the echo is older.
    rack.delivered(&sent(3, 0.15, true), true, true, at(0.25));
    assert_eq!(rack.newest, Some((at(0.0), 1)));
    rack.delivered(&sent(3, 0.15, true), false, true, at(0.25));
    assert_eq!(rack.newest, Some((at(0.15), 3)));
}

#[test]
fn reordering_is_a_first_copy_below_what_has_arrived() {
    let (mut rack, at) = (Detection::default(), Time::from_secs);
    rack.delivered(&sent(5, 0.0, false), false, true, at(0.1));
    assert!(!rack.delivered(&sent(3, 0.2, true), false, true, at(0.3)), "a retransmission fills a hole");
    assert!(rack.delivered(&sent(4, 0.0, false), false, true, at(0.3)));
}

fn near(got: f64, expected: f64) -> bool {
    (got - expected).abs() < 1e-12
}

#[test]
fn the_reordering_window_grows_with_dsacks_and_returns_after_16_recoveries() {
    let mut state = Reordering::default();
    assert!(near(state.window(false, 0.08, 1.0), 0.02) && state.window(true, 0.08, 1.0) == 0.0);
    state.seen = true;
    assert!(near(state.window(true, 0.08, 1.0), 0.02), "a quarter of the least round trip");
    state.on_dsack(5, 20, true);
    state.on_dsack(10, 20, true);
    assert!(near(state.window(true, 0.08, 1.0), 0.04), "once a round trip");
    state.on_dsack(20, 40, true);
    assert!(
        near(state.window(true, 0.08, 1.0), 0.06) && near(state.window(true, 0.08, 0.05), 0.05),
        "no more than SRTT"
    );
    (0..15).for_each(|_| state.on_exit());
    assert!(near(state.window(true, 0.08, 1.0), 0.06));
    state.on_exit();
    assert!(near(state.window(true, 0.08, 1.0), 0.02));
}

#[test]
fn linux_widens_after_reordering_only_and_once_for_what_left_since() {
    let (mut state, at) = (Reordering::default(), Time::from_secs);
    let widen = |state: &mut Reordering, newest, now| {
        state.expect_wider();
        state.on_delivery(at(newest), at(now));
        state.window(true, 0.08, 1.0)
    };
    widen(&mut state, 1.0, 1.1);
    state.seen = true;
    assert!(near(widen(&mut state, 1.1, 1.2), 0.04), "the first came before any reordering");
    assert!(near(widen(&mut state, 1.15, 1.25), 0.04), "left before the last");
    assert!(near(widen(&mut state, 1.2, 1.3), 0.06));
}

#[test]
fn the_degree_is_the_longest_distance_in_segments() {
    let mut state = Reordering::default();
    state.overtaken(300, 100, 3);
    assert_eq!((state.seen, state.degree(3)), (true, 3));
    state.overtaken(650, 100, 3);
    state.overtaken(500, 100, 3);
    assert_eq!(state.degree(3), 7);
    state.overtaken(1_000_000, 100, 3);
    assert_eq!(state.degree(3), 300);
    state.overestimated();
    assert_eq!(state.degree(3), 3);
}
