//! BBR version 3 by hand: the draft's pseudo-code with numbers, step by step.

use super::*;

/// A connection of ten segments and 100 ms at 0 s.
fn begun() -> Bbr3 {
    let mut bbr = Bbr3::new(1448, 7);
    bbr.cwnd = 10.0;
    bbr.begin(0.0, 0.1, 0.1);
    bbr
}

/// An ACK at `now` that ends a round: so many segments were delivered before, and `rate` a second.
fn round(bbr: &Bbr3, now: f64, rate: f64) -> Sample {
    let total = bbr.total + 10.0;
    let prior_delivered = Some(bbr.total.max(bbr.model.next_round));
    Sample {
        now,
        total,
        newly_acked: 10.0,
        delivered: 10.0,
        prior_delivered,
        rate,
        rtt: Some(0.2),
        tx_in_flight: 50.0,
        in_flight: 50.0,
        ..Sample::default()
    }
}

/// Rounds that find 1000 segments a second and 100 ms, until the cycle begins.
fn cycling() -> Bbr3 {
    let mut bbr = begun();
    for n in 1..=5 {
        let sample = Sample { rtt: Some(0.1), ..round(&bbr, 0.1 * f64::from(n), 1000.0) };
        bbr.on_sample(&sample);
    }
    assert!(bbr.cycles() && bbr.full.reached, "{bbr:?}");
    bbr
}

/// A segment of one unit that was lost, of so many in flight and so many lost with it.
fn lost(start: u64, tx_in_flight: f64, all: f64, delivered: f64) -> LostSegment {
    LostSegment { start, end: start + 1, tx_in_flight, lost: all, app_limited: false, delivered: delivered as u64 }
}

fn near(got: f64, expected: f64) -> bool {
    (got - expected).abs() < 1e-9
}

#[test]
fn the_first_pace_is_the_initial_window_in_a_round_trip_times_2_77() {
    assert!(near(begun().pacing_rate, 2.77 * 10.0 / 0.1));
    let mut unknown = Bbr3::new(1448, 7);
    unknown.cwnd = 10.0;
    unknown.begin(0.0, 0.0, f64::INFINITY);
    assert!(near(unknown.pacing_rate, 2.77 * 10.0 / 0.001), "a millisecond is taken for granted");
}

#[test]
fn three_rounds_without_a_quarter_more_end_start_up() {
    let mut bbr = begun();
    let mut now = 0.0;
    for (rate, count, mode) in [
        (100.0, 0, Mode::Startup),
        (124.0, 1, Mode::Startup),
        (125.0, 0, Mode::Startup),
        (130.0, 1, Mode::Startup),
        (140.0, 2, Mode::Startup),
        (156.0, 3, Mode::Drain),
    ] {
        now += 0.1;
        let sample = round(&bbr, now, rate);
        bbr.on_sample(&sample);
        assert_eq!((bbr.full.count, bbr.mode), (count, mode), "at {rate}");
    }
    assert!(bbr.full.now && bbr.full.reached && near(bbr.pacing_gain(), 0.5) && near(bbr.cwnd_gain(), 2.0));
    // 156 a second, half of it, less a hundredth.
    assert!(near(bbr.pacing_rate, 0.5 * 156.0 * 0.99), "{}", bbr.pacing_rate);
    // 50 are in flight where 15.6 should be: Drain lasts for three rounds after the one in which it began.
    for left in (0..4).rev() {
        now += 0.1;
        let sample = round(&bbr, now, 150.0);
        bbr.on_sample(&sample);
        assert_eq!(bbr.mode == Mode::Drain, left > 0, "{left} rounds left");
    }
    assert!(near(bbr.pacing_gain(), 0.9));
}

#[test]
fn rounds_of_the_application_end_no_start_up() {
    let mut bbr = begun();
    for n in 1..=20 {
        let sample = Sample { app_limited: true, ..round(&bbr, 0.1 * f64::from(n), 100.0) };
        bbr.on_sample(&sample);
    }
    assert_eq!((bbr.mode, bbr.full.count), (Mode::Startup, 0));
}

#[test]
fn six_ranges_lost_in_a_round_of_recovery_end_start_up() {
    for (ranges, ends) in [(5_u64, false), (6, true)] {
        let mut bbr = begun();
        let sample = round(&bbr, 0.1, 400.0);
        bbr.on_sample(&sample);
        // Two neighbours are one range.
        for n in 0..ranges {
            bbr.handle_lost(&lost(100 + 10 * n, 50.0, 2.0, bbr.total), 1.0, 0.15);
            bbr.handle_lost(&lost(101 + 10 * n, 50.0, 2.0, bbr.total), 1.0, 0.15);
        }
        bbr.enter(CaState::Recovery);
        // What was in flight at the first loss: no round since.
        let sample = Sample { prior_delivered: Some(bbr.total - 1.0), lost: 2.0, ..round(&bbr, 0.16, 400.0) };
        bbr.on_sample(&sample);
        assert_eq!(bbr.mode, Mode::Startup);
        let sample = Sample { lost: 2.0, delivered: 45.0, ..round(&bbr, 0.26, 400.0) };
        bbr.on_sample(&sample);
        assert_eq!(bbr.mode == Mode::Drain, ends, "{ranges} ranges");
        // 2 of 50 is above 2 %; the bound is the larger of 400 a second in 100 ms and what was delivered in a round trip.
        let bound = bbr.model.inflight_longterm;
        assert!(if ends { near(bound, 45.0) } else { bound == f64::INFINITY }, "{bound}");
        if ends {
            // No such losses after all.
            bbr.handle_spurious();
            assert_eq!(
                (bbr.mode, bbr.full.reached, bbr.model.inflight_longterm),
                (Mode::Startup, false, f64::INFINITY)
            );
        }
    }
}

#[test]
fn a_probe_that_loses_more_than_two_per_cent_sets_the_bound_where_it_crossed() {
    let mut bbr = cycling();
    bbr.start_refill();
    let sample = round(&bbr, 1.0, 1000.0);
    bbr.on_sample(&sample);
    assert_eq!((bbr.mode, bbr.pacing_gain(), bbr.cwnd_gain()), (Mode::ProbeUp, 1.25, 2.25));
    assert!(bbr.cycle.probe_sample);
    // Two of 100 is not above 2 %.
    bbr.handle_lost(&lost(1, 100.0, 2.0, bbr.total), 1.0, 1.1);
    assert_eq!((bbr.mode, bbr.model.inflight_longterm), (Mode::ProbeUp, f64::INFINITY));
    // With the third: of 99 before it two were lost, (0.02 * 99 - 2) / 0.98 more fit.
    bbr.handle_lost(&lost(9, 100.0, 3.0, bbr.total), 1.0, 1.1);
    assert_eq!(bbr.mode, Mode::ProbeDown);
    assert!(near(bbr.model.inflight_longterm, 99.0 + (1.98 - 2.0) / 0.98), "{}", bbr.model.inflight_longterm);
    assert!(bbr.cycle.prev_too_high && !bbr.cycle.probe_sample);
    // Only one answer a probe.
    let bound = bbr.model.inflight_longterm;
    bbr.handle_lost(&lost(19, 60.0, 20.0, bbr.total), 1.0, 1.1);
    assert_eq!(bbr.model.inflight_longterm, bound);
    // It was spurious: the bound goes, and the probe begins again.
    bbr.handle_spurious();
    assert_eq!((bbr.mode, bbr.model.inflight_longterm), (Mode::ProbeRefill, f64::INFINITY));
}

#[test]
fn a_loss_of_few_leaves_seven_tenths_of_the_target_at_least() {
    let mut bbr = cycling();
    bbr.cwnd = 200.0;
    bbr.cycle.probe_sample = true;
    bbr.handle_lost(&lost(1, 20.0, 4.0, bbr.total), 1.0, 1.1);
    // 1000 a second in 100 ms are 100.
    assert!(near(bbr.model.inflight_longterm, 70.0), "{}", bbr.model.inflight_longterm);
    let limited = &mut cycling();
    limited.cycle.probe_sample = true;
    limited.handle_lost(&LostSegment { app_limited: true, ..lost(1, 20.0, 4.0, 60.0) }, 1.0, 1.1);
    assert_eq!(limited.model.inflight_longterm, f64::INFINITY, "the application was the limit");
}

#[test]
fn losses_outside_a_probe_bound_rate_and_flight_once_a_round() {
    let mut bbr = cycling();
    bbr.mode = Mode::ProbeCruise;
    let cwnd = bbr.cwnd;
    bbr.handle_lost(&lost(1, 100.0, 1.0, bbr.total), 1.0, 1.0);
    let sample = Sample { delivered: 30.0, ..round(&bbr, 1.1, 800.0) };
    bbr.on_sample(&sample);
    // Rate: the larger of the last one and 0.7 of the maximum; flight likewise.
    assert!(near(bbr.model.bandwidth_shortterm, 1000.0), "{:?}", bbr.model);
    assert!(near(bbr.model.inflight_shortterm, (0.7 * cwnd).max(30.0)), "{:?}", bbr.model);
    bbr.handle_lost(&lost(9, 100.0, 1.0, bbr.total), 1.0, 1.15);
    let sample = round(&bbr, 1.2, 300.0);
    bbr.on_sample(&sample);
    assert!(near(bbr.model.bandwidth_shortterm, 800.0), "{:?}", bbr.model);
    bbr.start_refill();
    assert_eq!((bbr.model.bandwidth_shortterm, bbr.model.inflight_shortterm), (f64::INFINITY, f64::INFINITY));
}

#[test]
fn the_bound_rises_by_1_2_4_a_round_while_it_is_what_limits() {
    let mut bbr = cycling();
    bbr.model.inflight_longterm = 64.0;
    bbr.start_refill();
    bbr.cwnd = 64.0;
    let sample = Sample { tx_in_flight: 0.0, ..round(&bbr, 1.0, 1000.0) };
    bbr.update_congestion_signals(&sample);
    bbr.update_cycle(&sample);
    assert_eq!(bbr.mode, Mode::ProbeUp);
    let mut grown = Vec::new();
    for n in 0..4 {
        // A window's worth is acknowledged in each round, whose last ACK begins the next one.
        let before = bbr.model.inflight_longterm;
        bbr.model.round_start = true;
        bbr.cwnd = before;
        let sample = Sample {
            newly_acked: before,
            cwnd_limited: true,
            tx_in_flight: 0.0,
            now: 1.1 + 0.1 * f64::from(n),
            ..Sample::default()
        };
        bbr.adapt_long_term(&sample);
        grown.push(bbr.model.inflight_longterm - before);
    }
    assert_eq!(grown, [1.0, 2.0, 4.0, 8.0]);
}

#[test]
fn headroom_is_15_per_cent_and_a_segment_at_least() {
    let mut bbr = cycling();
    for (bound, left) in [(100.0, 85.0), (6.0, 5.0), (4.5, 4.0), (f64::INFINITY, f64::INFINITY)] {
        bbr.model.inflight_longterm = bound;
        assert!(left == f64::INFINITY && bbr.model.with_headroom() == left || near(bbr.model.with_headroom(), left));
    }
}

#[test]
fn the_next_probe_comes_after_2_to_3_seconds_or_63_rounds() {
    let mut bbr = cycling();
    let mut waits = Vec::new();
    for _ in 0..1000 {
        bbr.start_down(10.0);
        assert!(bbr.model.rounds_since_probe < 2);
        waits.push(bbr.cycle.wait);
    }
    let (least, most) = (waits.iter().copied().fold(9.0, f64::min), waits.iter().copied().fold(0.0, f64::max));
    assert!((2.0..2.01).contains(&least) && (2.99..3.0).contains(&most), "{least} {most}");
    bbr.cycle.wait = 2.5;
    bbr.cwnd = 200.0;
    assert!(!bbr.is_time_to_probe(12.5) && bbr.is_time_to_probe(12.6));
    for (cwnd, rounds) in [(200.0, 63), (30.0, 30)] {
        bbr.cwnd = cwnd;
        bbr.model.rounds_since_probe = rounds - 1;
        assert!(!bbr.is_time_to_probe(11.0));
        bbr.model.rounds_since_probe = rounds;
        assert!(bbr.is_time_to_probe(11.0));
    }
}

#[test]
fn a_cautious_probe_that_reaches_the_bound_is_followed_by_a_whole_one() {
    let mut bbr = cycling();
    bbr.model.inflight_longterm = 80.0;
    bbr.cycle.prev_too_high = true;
    bbr.start_refill();
    let sample = round(&bbr, 1.0, 1000.0);
    bbr.on_sample(&sample);
    assert_eq!(bbr.mode, Mode::ProbeUp);
    let sample = Sample { in_flight: 80.0, prior_delivered: Some(0.0), ..round(&bbr, 1.05, 1000.0) };
    bbr.on_sample(&sample);
    assert_eq!((bbr.mode, bbr.cycle.prev_precautionary, bbr.cycle.prev_too_high), (Mode::ProbeDown, true, false));
    let sample = round(&bbr, 1.15, 1000.0);
    bbr.on_sample(&sample);
    assert_eq!((bbr.mode, bbr.cycle.prev_precautionary), (Mode::ProbeRefill, false), "without cruising");
}

#[test]
fn the_largest_rate_lasts_two_cycles() {
    let mut bbr = cycling();
    for (rate, expected) in [(600.0, 1000.0), (500.0, 600.0), (400.0, 500.0)] {
        bbr.model.advance_cycle();
        let sample = round(&bbr, 1.0, rate);
        bbr.model.update_max_bandwidth(&sample);
        assert_eq!(bbr.model.max_bandwidth, expected);
    }
    let limited = Sample { app_limited: true, ..round(&bbr, 1.0, 450.0) };
    bbr.model.update_max_bandwidth(&limited);
    assert_eq!(bbr.model.max_bandwidth, 500.0, "the application's rate counts only if it is larger");
    bbr.model.update_max_bandwidth(&Sample { rate: 700.0, ..limited });
    assert_eq!(bbr.model.max_bandwidth, 700.0);
}

#[test]
fn after_five_seconds_half_the_product_for_a_fifth_of_a_second() {
    let mut bbr = cycling();
    let (cwnd, in_flight) = (bbr.cwnd, 60.0);
    let sample = Sample { in_flight, ..round(&bbr, 4.95, 1000.0) };
    bbr.on_sample(&sample);
    assert_ne!(bbr.mode, Mode::ProbeRtt);
    let sample = Sample { in_flight, ..round(&bbr, 5.1, 1000.0) };
    bbr.on_sample(&sample);
    assert!(bbr.mode == Mode::ProbeRtt && bbr.held_down && near(bbr.cwnd, 50.0), "{bbr:?}");
    // 50 in flight at 5.2 s, from when 200 ms count, and a round.
    for (now, mode) in [(5.2, Mode::ProbeRtt), (5.3, Mode::ProbeRtt), (5.35, Mode::ProbeRtt), (5.41, Mode::ProbeCruise)]
    {
        let sample = Sample { in_flight: 50.0, ..round(&bbr, now, 1000.0) };
        bbr.on_sample(&sample);
        assert_eq!(bbr.mode, mode, "at {now}");
    }
    assert!(bbr.cwnd >= cwnd.min(100.0), "{} of {cwnd}", bbr.cwnd);
    // The round trip of ten seconds is kept until then: 0.2 s were seen since.
    assert!(near(bbr.model.min_rtt, 0.1));
    let sample = round(&bbr, 10.7, 1000.0);
    bbr.on_sample(&sample);
    assert!(near(bbr.model.min_rtt, 0.2), "{}", bbr.model.min_rtt);
}

#[test]
fn an_idle_time_stands_for_a_probe_of_the_round_trip() {
    let mut bbr = cycling();
    bbr.restart_from_idle(9.0);
    assert!(bbr.idle_restart && near(bbr.pacing_rate, 1000.0 * 0.99));
    let sample = Sample { in_flight: 4.0, ..round(&bbr, 9.1, 100.0) };
    bbr.on_sample(&sample);
    assert!(bbr.mode != Mode::ProbeRtt && !bbr.idle_restart);
}

#[test]
fn probing_the_round_trip_in_start_up_leads_back_to_it() {
    let mut bbr = begun();
    let limited = |bbr: &Bbr3, now| Sample { app_limited: true, in_flight: 2.0, ..round(bbr, now, 100.0) };
    for (now, mode) in [(5.1, Mode::ProbeRtt), (5.2, Mode::ProbeRtt), (5.35, Mode::Startup)] {
        let sample = limited(&bbr, now);
        bbr.on_sample(&sample);
        assert_eq!(bbr.mode, mode, "at {now}");
    }
}

#[test]
fn a_bunch_of_acks_widens_the_window() {
    let mut bbr = cycling();
    bbr.mode = Mode::ProbeCruise;
    bbr.cwnd = 1000.0;
    // A second of nothing begins an interval with 10. 40 more in 10 ms, in which 1000 a second are 10, make 40 too many.
    bbr.model.extra_since = 2.0;
    bbr.model.update_aggregation(&Sample { now: 3.0, newly_acked: 10.0, ..Sample::default() }, 1000.0, true);
    bbr.model.update_aggregation(&Sample { now: 3.01 - 1e-6, newly_acked: 40.0, ..Sample::default() }, 1000.0, true);
    let extra = bbr.model.extra_acked();
    assert!((extra - 40.0).abs() < 0.01, "{extra}");
    bbr.set_cwnd(&Sample::default());
    assert!((bbr.cwnd - (2.0 * 100.0 + extra)).abs() < 1e-6, "{}", bbr.cwnd);
}

#[test]
fn quanta_are_a_millisecond_of_two_segments_to_64_kib() {
    let mut bbr = cycling();
    for (rate, quantum) in [(100.0, 2), (3_999.0, 3), (40_000.0, 40), (1e6, 45)] {
        bbr.pacing_rate = rate;
        assert_eq!(bbr.send_quantum(), quantum, "at {rate}");
    }
    // Three of two exceed a product of one segment, and four segments.
    bbr.pacing_rate = 10.0;
    assert!(near(bbr.inflight(10.0, 1.0), 6.0));
}

#[test]
fn a_timeout_is_undone_to_the_state_before_it() {
    let mut bbr = cycling();
    bbr.start_refill();
    let sample = round(&bbr, 1.0, 1000.0);
    bbr.on_sample(&sample);
    bbr.model.inflight_longterm = 90.0;
    let cwnd = bbr.cwnd;
    let window = Window {
        cwnd,
        ssthresh: 1e9,
        mss: 1.0,
        advertised: 1e9,
        bytes: false,
        now: acklab_packet::Time::ZERO,
        srtt: 0.1,
    };
    bbr.on_congestion(Signal::Timeout, cwnd, &window);
    assert_eq!((bbr.state, bbr.prior_cwnd), (CaState::Loss, cwnd));
    // Then everything that was in flight is lost.
    bbr.cwnd = 1.0;
    (1..=60).for_each(|n| bbr.handle_lost(&lost(n, 60.0, n as f64, bbr.total), 1.0, 1.5));
    assert!(bbr.mode == Mode::ProbeDown && bbr.model.inflight_longterm < 90.0);
    bbr.handle_spurious();
    assert_eq!((bbr.mode, bbr.cwnd, bbr.model.inflight_longterm), (Mode::ProbeRefill, cwnd, 90.0));
}
