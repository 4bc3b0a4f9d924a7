//! Vegas and Westwood+ by hand: the effect of a control on a window when it is told of ACKs, round trips and losses.

use acklab_packet::{Seq, Time};
use acklab_tcp::rules::{ControlKind, SlowStart, VegasPace, VenoBase, VenoEstimate, VenoFirstLoss, named};
use acklab_tcp::sender::control::{AckEvent, CongestionControl, Control, Signal, Window};

fn window(cwnd: f64, at: f64) -> Window {
    Window { cwnd, ssthresh: 2.0, mss: 1.0, advertised: 1e6, bytes: false, now: Time::from_secs(at), srtt: 0.1 }
}

/// An ACK of one segment, which took `rtt`, outside a recovery.
fn event(ack: Seq, snd_max: Seq, rtt: Option<f64>) -> AckEvent {
    AckEvent { ack, snd_max, acked: 1.0, newly_delivered: 1.0, rtt, ..AckEvent::default() }
}

/// Vegas's window after a round trip of 20 segments whose least sample was `rtt`, on a path of 0.1 s.
fn vegas(rtt: f64) -> f64 {
    let mut control =
        Control::new(ControlKind::Vegas { alpha: 2.0, beta: 4.0, gamma: 1.0, pace: VegasPace::EveryRtt }, 1460, 0);
    let mut state = window(20.0, 1.0);
    let mut on_ack = |ack: Seq, rtt: f64| {
        let ack_event = event(ack, ack + 20, Some(rtt));
        control.on_ack(&ack_event, &mut state);
        control.grow(1.0, &mut state);
    };
    on_ack(1, 0.1);
    (2..=22).for_each(|ack| on_ack(ack, rtt));
    state.cwnd
}

/// Brakmo and Peterson 1995: Diff = W (1 - BaseRTT / RTT) segments wait. Fewer than alpha = 2: one more; more than beta = 4: one
/// less; between them the window stays. Of 20 segments 1, 3 and 5 wait in round trips of 2/19, 2/17 and 2/15 s.
#[test]
fn vegas_moves_towards_two_to_four_waiting_segments() {
    assert_eq!([1.0, 3.0, 5.0].map(|waiting| vegas(2.0 / (20.0 - waiting))), [21.0, 20.0, 19.0]);
}

/// Linux: the window moves toward one more than it was as the round trip began, which it is already in every second one.
#[test]
fn vegas_of_kernels_moves_every_second_round_trip() {
    for (pace, windows) in [
        (VegasPace::EveryRtt, [21.0, 22.0, 23.0, 24.0, 25.0, 26.0]),
        (VegasPace::SecondRtt, [21.0, 21.0, 22.0, 22.0, 23.0, 23.0]),
    ] {
        let mut control = Control::new(ControlKind::Vegas { alpha: 2.0, beta: 4.0, gamma: 1.0, pace }, 1460, 0);
        let mut state = window(20.0, 1.0);
        let mut ack = 0;
        let mut round = || {
            // Past the segment that was next to leave when the round trip began.
            for _ in 0..41 {
                ack += 1;
                let ack_event = event(ack, ack + 40, Some(0.1));
                control.on_ack(&ack_event, &mut state);
                control.grow(1.0, &mut state);
            }
            state.cwnd
        };
        round();
        assert_eq!([(); 6].map(|()| round()), windows, "{pace:?}");
    }
}

/// 20 segments, a round trip of 0.1 s at first and of 0.125 s after a loss: 4 wait. Since the loss none is known to.
#[test]
fn veno_of_kernels_keeps_the_least_round_trip_over_a_loss() {
    for (base_rtt, backlog) in [(VenoBase::SinceLoss, 0.0), (VenoBase::Ever, 4.0)] {
        let (estimate, first_loss) = (VenoEstimate::PerAck, VenoFirstLoss::Half);
        let kind = ControlKind::Veno {
            alpha: 1.0,
            beta: 3.0,
            estimate,
            first_loss,
            base_rtt,
            clock: Time::ZERO,
            slow_start: SlowStart::Standard,
        };
        let (mut control, mut state) = (Control::new(kind, 1460, 0), window(20.0, 1.0));
        let ack_of = |ack, rtt| event(ack, ack + 20, Some(rtt));
        control.on_ack(&ack_of(1, 0.1), &mut state);
        control.on_congestion(Signal::Loss, 20.0, &state);
        control.on_ack(&ack_of(2, 0.125), &mut state);
        let found = control.estimate().expect("Veno estimates").backlog;
        assert!((found - backlog).abs() < 1e-12, "{base_rtt:?}: {found}");
    }
}

/// Grieco and Mascolo 2004: B = 0.9 B + 0.1 b once a round trip, and a loss leaves B RTTmin. From the first ACK at 1 s on, 10 segments
/// come in each tenth of a second, then 20 in one: 100 a second, then 0.9 * 100 + 0.1 * 200 = 110, of which 0.1 s are 11 segments.
#[test]
fn westwood_keeps_nine_tenths_of_its_rate() {
    let mut control = Control::new(named("westwood"), 1460, 0);
    let mut left = Vec::new();
    for (k, acked) in [1.0, 10.0, 10.0, 20.0].into_iter().enumerate() {
        let mut state = window(50.0, 1.0 + 0.1 * k as f64 + 1e-9 * k as f64);
        let ack_event = AckEvent { acked, ..event(1, 51, Some(0.1)) };
        control.on_ack(&ack_event, &mut state);
        left.push(control.clone().on_congestion(Signal::Loss, 50.0, &state).cwnd);
    }
    for (got, by_hand) in left.iter().zip([25.0, 10.0, 10.0, 11.0]) {
        assert!((got - by_hand).abs() < 1e-5, "{left:?}");
    }
}
