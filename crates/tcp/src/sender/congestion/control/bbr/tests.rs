//! BBR's states by hand: one ACK a round trip, whose rate and flight are given.

use acklab_packet::Time;

use super::*;
use crate::sender::flight::rate::Rate;

/// A path, as a list of ACKs would show it.
struct Path {
    bbr: Bbr,
    now: f64,
    delivered: u64,
    lost: u64,
    cwnd: u64,
}

/// An ACK, in which the rest is as on a clean path.
#[derive(Clone, Copy)]
struct AnAck {
    after: f64,
    acked: u64,
    rate: f64,
    flight: u64,
    lost: u64,
    state: CaState,
    /// True if what it brings left after the last ACK.
    round: bool,
    rtt: f64,
    /// Seconds until pacing lets the next one go.
    wait: f64,
}

const ACK: AnAck = AnAck {
    after: 0.1,
    acked: 10,
    rate: 100.0,
    flight: 10,
    lost: 0,
    state: CaState::Open,
    round: true,
    rtt: 0.1,
    wait: 0.0,
};

impl Path {
    /// A connection of 10 segments at first, over 100 ms.
    fn new() -> Path {
        let mut bbr = Bbr::new(1448, 7);
        bbr.begin(1.0, 10, Some(0.1), 0.1);
        Path { bbr, now: 1.0, delivered: 1, lost: 0, cwnd: 10 }
    }

    fn ack(&mut self, ack: AnAck) -> Decision {
        let prior_delivered = if ack.round { self.delivered } else { 0 };
        self.now += ack.after;
        self.delivered += ack.acked;
        self.lost += ack.lost;
        let delivered = self.delivered - prior_delivered;
        let now = Time::from_secs(self.now);
        let sample = RateSample {
            now,
            delivered: self.delivered,
            delivered_at: now,
            acked: ack.acked,
            rate: (ack.acked > 0).then_some(Rate { prior_delivered, delivered, interval: delivered as f64 / ack.rate }),
            newest: None,
            app_limited: false,
            rtt: Some(ack.rtt),
            held: false,
            prior_in_flight: ack.flight + ack.acked,
            in_flight: ack.flight,
            lost: ack.lost,
            lost_ever: self.lost,
            wait: ack.wait,
        };
        let situation = Situation { cwnd: self.cwnd, state: ack.state, srtt: Some(0.1) };
        let decision = self.bbr.on_sample(&sample, &situation);
        self.cwnd = decision.cwnd;
        decision
    }

    fn rounds(&mut self, count: usize, ack: AnAck) {
        for _ in 0..count {
            self.ack(ack);
        }
    }

    /// Through start-up and drain over 1000 segments a second: 100 fill the path.
    fn full() -> Path {
        let mut path = Path::new();
        path.rounds(4, AnAck { rate: 1000.0, flight: 200, ..ACK });
        path.ack(AnAck { rate: 1000.0, flight: 100, ..ACK });
        assert_eq!(path.bbr.modes.state, State::ProbeBw);
        path.cwnd = 300;
        path
    }
}

#[test]
fn start_up_ends_after_three_rounds_that_do_not_bring_a_quarter_more() {
    let mut path = Path::new();
    // 10 segments in 100 ms, times 739/256, less 1 %.
    assert!((path.bbr.pacing_rate - 100.0 * 2.88671875 * 0.99).abs() < 1e-9);
    let mut states = Vec::new();
    // Twice as fast each round, then 24 % more, then no more; the fourth, of less than 25 % above the third, is the first that counts.
    for rate in [100.0, 200.0, 400.0, 499.0, 499.0, 499.0] {
        let decision = path.ack(AnAck { rate, flight: 400, ..ACK });
        states.push((path.bbr.modes.state, decision.ssthresh));
    }
    assert_eq!(states[..5], [(State::Startup, None); 5]);
    // 49.9 segments fill the path, and three bursts of two have room: 56.
    assert_eq!(states[5], (State::Drain, Some(56)));
    assert!((path.bbr.pacing_rate - 499.0 * 0.34375 * 0.99).abs() < 1e-9, "an eighth of start-up's");
    // Growth by a quarter before the third round starts the count again.
    let mut path = Path::new();
    for rate in [100.0, 110.0, 110.0, 125.0, 125.0, 125.0] {
        path.ack(AnAck { rate, flight: 400, ..ACK });
    }
    assert_eq!(path.bbr.modes.state, State::Startup);
}

#[test]
fn drain_ends_when_what_start_up_queued_is_gone() {
    let mut path = Path::new();
    path.rounds(4, AnAck { rate: 1000.0, flight: 289, ..ACK });
    for (flight, state) in [(200, State::Drain), (107, State::Drain), (106, State::ProbeBw)] {
        path.ack(AnAck { rate: 1000.0, flight, after: 0.001, round: false, ..ACK });
        assert_eq!(path.bbr.modes.state, state, "{flight} in flight, of 100 and three bursts of two");
    }
    // What will be gone when the next one leaves counts as gone: one in a millisecond.
    let mut path = Path::new();
    path.rounds(4, AnAck { rate: 1000.0, flight: 289, ..ACK });
    path.ack(AnAck { rate: 1000.0, flight: 107, after: 0.001, round: false, wait: 0.0015, ..ACK });
    assert_eq!(path.bbr.modes.state, State::ProbeBw);
}

#[test]
fn a_cycle_has_eight_phases_and_begins_in_any_but_the_second() {
    let mut gains = Vec::new();
    let mut path = Path::full();
    for _ in 0..24 {
        // As much in flight as each phase wants: a quarter more for the first.
        let flight = if path.bbr.pacing_gain > 1.0 { 134 } else { 106 };
        path.ack(AnAck { rate: 1000.0, after: 0.101, acked: 0, flight, round: false, ..ACK });
        gains.push(path.bbr.pacing_gain);
    }
    let up = gains.iter().position(|&gain| gain == 1.25).unwrap();
    assert_eq!(gains[up..up + 9], [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.25]);
    // From 1000 streams each of the seven first phases is drawn.
    let mut drawn = [0; 8];
    for seed in 0..1000 {
        let mut bbr = Bbr::new(1448, seed);
        bbr.cycle_from_anywhere(0.0);
        drawn[bbr.modes.phase()] += 1;
    }
    assert!(drawn[1] == 0 && drawn.iter().enumerate().all(|(phase, &count)| phase == 1 || count > 100), "{drawn:?}");
}

#[test]
fn probing_up_lasts_until_so_much_is_in_flight_or_something_is_lost() {
    let upwards = || {
        let mut path = Path::full();
        while path.bbr.pacing_gain != 1.25 {
            path.ack(AnAck { rate: 1000.0, after: 0.101, acked: 0, flight: 100, round: false, ..ACK });
        }
        path
    };
    let long = AnAck { rate: 1000.0, after: 0.2, acked: 0, flight: 125, round: false, ..ACK };
    let mut path = upwards();
    path.ack(long);
    assert_eq!(path.bbr.pacing_gain, 1.25, "125, six and two make 133, of which the next burst is 2");
    path.ack(AnAck { flight: 132, ..long });
    assert_eq!(path.bbr.pacing_gain, 0.75);
    path.ack(AnAck { after: 0.001, flight: 107, ..long });
    assert_eq!(path.bbr.pacing_gain, 0.75);
    path.ack(AnAck { after: 0.001, flight: 106, ..long });
    assert_eq!(path.bbr.pacing_gain, 1.0, "what it added is gone before a round trip");
    let mut path = upwards();
    path.ack(AnAck { lost: 1, ..long });
    assert_eq!(path.bbr.pacing_gain, 0.75);
}

#[test]
fn the_window_is_two_products_and_room_for_bursts() {
    let mut path = Path::full();
    while path.bbr.modes.probes_up() || path.bbr.modes.state != State::ProbeBw {
        path.ack(AnAck { rate: 1000.0, after: 0.101, acked: 0, flight: 140, round: false, ..ACK });
    }
    // A round of ACKs as fast as the path: nothing is aggregated but what one ACK brings.
    let decision = path.ack(AnAck { rate: 1000.0, after: 0.1, acked: 10, flight: 150, ..ACK });
    assert_eq!(decision.cwnd, 200 + 6 + 10, "and the ten that an ACK brings at once");
    assert_eq!(path.bbr.target(1000.0, 2.0, 1), 208, "in pairs");
    while !path.bbr.modes.probes_up() {
        path.ack(AnAck { rate: 1000.0, after: 0.101, acked: 0, flight: 106, round: false, ..ACK });
    }
    assert_eq!(path.bbr.target(1000.0, 2.0, 0), 208, "a pair more while it probes");
}

#[test]
fn a_recovery_begins_by_sending_what_is_delivered_and_ends_with_the_old_window() {
    let mut path = Path::full();
    path.cwnd = 206;
    let left = path.bbr.on_congestion(Signal::Loss, 150.0, &WINDOW);
    assert_eq!((left.cwnd, left.ssthresh), (206.0, 106.0), "a loss by itself takes nothing");
    let slow = AnAck {
        rate: 1000.0,
        after: 0.001,
        acked: 2,
        flight: 97,
        lost: 1,
        state: CaState::Recovery,
        round: false,
        ..ACK
    };
    assert_eq!(path.ack(slow).cwnd, 99, "97 in flight, and the two that came");
    assert_eq!(path.bbr.model.next_round, path.delivered, "what left before ends no round of it");
    assert_eq!(
        path.ack(AnAck { lost: 3, flight: 94, ..slow }).cwnd,
        96,
        "less 3 that were lost, but what is in flight and came"
    );
    // A round trip later it grows again, by what is delivered.
    assert_eq!(path.ack(AnAck { lost: 0, flight: 96, round: true, ..slow }).cwnd, 98);
    assert_eq!(path.ack(AnAck { lost: 0, flight: 96, ..slow }).cwnd, 100);
    let decision = path.ack(AnAck { state: CaState::Open, lost: 0, ..slow });
    assert!((206..=220).contains(&decision.cwnd), "back: {decision:?}");
}

#[test]
fn after_ten_seconds_without_a_shorter_round_trip_the_window_is_held_down() {
    let mut path = Path::full();
    let ack = AnAck { rate: 1000.0, acked: 10, flight: 100, rtt: 0.12, ..ACK };
    let before = path.bbr.model.min_rtt_at;
    while path.bbr.modes.state != State::ProbeRtt {
        path.ack(ack);
        assert!(path.now < 20.0);
    }
    assert!(path.now > before + 10.0 && path.now < before + 10.2, "{} after {before}", path.now);
    assert_eq!((path.cwnd, path.bbr.model.min_rtt), (4, 0.12), "and the least is what there is now");
    // Four in flight, from then on for 200 ms and a round trip.
    let low = AnAck { acked: 4, flight: 4, rate: 40.0, rtt: 0.11, after: 0.05, ..ack };
    let decision = path.ack(AnAck { flight: 5, ..low });
    assert!(decision.cwnd == 4 && path.bbr.held_down);
    let began = path.now + low.after;
    let mut held = Path { bbr: path.bbr.clone(), ..path };
    while path.bbr.modes.state == State::ProbeRtt {
        path.ack(low);
    }
    assert!(path.now > began + 0.2 && path.now < began + 0.3, "{}", path.now - began);
    assert!(path.cwnd > 200 && path.bbr.model.min_rtt == 0.11, "{}", path.cwnd);
    // Of what left since then nothing has come: the round trip is not over.
    held.rounds(10, AnAck { round: false, ..low });
    assert_eq!(held.bbr.modes.state, State::ProbeRtt);
}

#[test]
fn a_timeout_is_a_round_and_its_window_comes_back() {
    let mut path = Path::full();
    path.cwnd = 206;
    path.bbr.on_congestion(Signal::Timeout, 150.0, &WINDOW);
    path.cwnd = 1;
    let ack = AnAck { rate: 1000.0, acked: 1, flight: 0, state: CaState::Loss, ..ACK };
    assert_eq!(path.ack(ack).cwnd, 4, "the least there is");
    assert_eq!(path.ack(AnAck { state: CaState::Open, flight: 10, ..ack }).cwnd, 207);
}

/// Rounds of 100 ms at `rate`, a quarter of it lost, of which each ACK says 1000 segments a second.
fn lossy(rate: f64) -> AnAck {
    let acked = (rate * 0.1) as u64;
    AnAck { rate: 1000.0, acked, lost: acked / 4, flight: 150, ..ACK }
}

const WINDOW: Window =
    Window { cwnd: 206.0, ssthresh: 106.0, mss: 1.0, advertised: 1e6, bytes: false, now: Time::ZERO, srtt: 0.1 };

#[test]
fn a_timeout_ends_a_round_and_looks_for_a_full_pipe_anew() {
    // Four rounds without growth end start-up, unless a timeout follows the third.
    let same = AnAck { rate: 1000.0, flight: 200, ..ACK };
    let mut path = Path::new();
    path.rounds(3, same);
    path.bbr.on_congestion(Signal::Timeout, 150.0, &WINDOW);
    path.rounds(1, same);
    assert_eq!(path.bbr.modes.state, State::Startup);
    // For the policer's intervals it is a round, in which something was lost: the second ends with the seventh ACK, not the eighth.
    let mut path = Path::full();
    path.rounds(6, lossy(400.0));
    path.ack(AnAck { after: 0.0, acked: 0, lost: 0, round: false, ..lossy(400.0) });
    path.bbr.on_congestion(Signal::Timeout, 150.0, &WINDOW);
    path.rounds(1, lossy(400.0));
    assert!(path.bbr.policer.rate().is_some());
}

#[test]
fn what_was_no_loss_says_nothing_of_a_full_pipe_or_a_policer() {
    let same = AnAck { rate: 1000.0, flight: 200, ..ACK };
    let mut path = Path::new();
    path.rounds(3, same);
    path.bbr.undo(Reduced::to(0.0), &mut { WINDOW });
    path.rounds(3, same);
    assert_eq!(path.bbr.modes.state, State::Startup);
    path.rounds(1, same);
    assert_eq!(path.bbr.modes.state, State::Drain, "three rounds after the first since then");
    let mut path = Path::full();
    path.rounds(8, lossy(400.0));
    assert!(path.bbr.policer.rate().is_some());
    path.bbr.undo(Reduced::to(0.0), &mut { WINDOW });
    assert_eq!(path.bbr.policer.rate(), None);
}

#[test]
fn a_policer_is_two_intervals_that_agree_while_a_fifth_is_lost() {
    let mut path = Path::full();
    // The first loss begins an interval of four rounds, whose end begins the next.
    path.rounds(7, lossy(400.0));
    assert_eq!(path.bbr.policer.rate(), None);
    path.rounds(1, lossy(400.0));
    assert!(path.bbr.policer.rate().is_some_and(|rate| (rate / 400.0 - 1.0).abs() < 0.01), "{:?}", path.bbr.policer);
    assert!((path.bbr.pacing_rate / (400.0 * MARGIN) - 1.0).abs() < 0.01, "as fast as it, without probing");
    // After 48 rounds the burst's rate is tried again; only those count that would probe.
    let (mut held, last) = (path.bbr.policer, path.bbr.last.unwrap());
    for _ in 0..60 {
        held.on_sample(&last, true, false, 1448.0);
    }
    assert!(held.rate().is_some());
    let fine = AnAck { rate: 400.0, acked: 40, flight: 40, ..ACK };
    let mut rounds = 0;
    while path.bbr.policer.rate().is_some() {
        path.ack(fine);
        rounds += 1;
    }
    assert!((48..=48).contains(&rounds), "{rounds}");
    // Rates that do not agree show no policer, nor does a rate at which a tenth is lost.
    let mut path = Path::full();
    for rate in [400.0, 600.0, 900.0, 600.0] {
        path.rounds(4, lossy(rate));
    }
    assert_eq!(path.bbr.policer.rate(), None);
    let mut path = Path::full();
    path.rounds(16, AnAck { rate: 1000.0, acked: 40, lost: 4, flight: 150, ..ACK });
    assert_eq!(path.bbr.policer.rate(), None);
}

#[test]
fn an_idle_application_goes_on_as_fast_as_it_was() {
    let mut path = Path::full();
    while !path.bbr.modes.probes_up() {
        path.ack(AnAck { rate: 1000.0, flight: 100, ..ACK });
    }
    assert!((path.bbr.pacing_rate - 1250.0 * MARGIN).abs() < 1e-9);
    path.bbr.restart(path.now + 5.0, &mut 206);
    assert!((path.bbr.pacing_rate - 1000.0 * MARGIN).abs() < 1e-9);
    // The least round trip is over ten seconds old; but nothing was in flight, so the queue is empty as it is.
    path.ack(AnAck { after: 12.0, rate: 1000.0, flight: 10, rtt: 0.13, ..ACK });
    assert_eq!((path.bbr.modes.state, path.bbr.model.min_rtt), (State::ProbeBw, 0.13));
}

#[test]
fn an_application_that_pauses_while_the_window_is_held_down_has_it_back() {
    let mut path = Path::full();
    while path.bbr.modes.state != State::ProbeRtt {
        path.ack(AnAck { rate: 1000.0, flight: 100, rtt: 0.12, ..ACK });
    }
    path.ack(AnAck { acked: 4, flight: 4, rate: 40.0, ..ACK });
    let mut cwnd = path.cwnd;
    path.bbr.restart(path.now + 0.1, &mut cwnd);
    assert_eq!((cwnd, path.bbr.modes.state), (4, State::ProbeRtt), "200 ms are not over");
    path.bbr.restart(path.now + 0.3, &mut cwnd);
    assert!(cwnd > 200 && path.bbr.modes.state == State::ProbeBw, "{cwnd}");
}
