//! RFC 9438, CUBIC, from duplicate ACKs to growth: segments of 1000 bytes, C = 0.4, beta = 0.7.

use acklab_packet::Bytes;
use acklab_tcp::rules::{ControlKind, SenderRules, Variants, Window, named};
use acklab_tcp::sender::{Sender, Supply};

use crate::sender_table::{follow, rfc};

fn cubic() -> SenderRules {
    SenderRules {
        control: named("cubic"),
        recovery: named("rfc6675"),
        initial_window: 10.0,
        limited_transmit: false,
        window: Window::Bytes(Bytes::new(1_000_000)),
        ..rfc()
    }
}

fn close(sender: &Sender, cwnd: f64) {
    let got = sender.core().cc.cwnd;
    assert!((got - cwnd).abs() < 0.01, "by hand {cwnd}, got {got}");
}

/// Section 4.6: ssthresh is seven tenths of FlightSize. Section 4.3: then W_est leads while the curve is flat.
///
/// K = cbrt(3 / 0.4) = 1.957 s. An ACK of a segment raises W_est by (9/17) / cwnd: 7, 7.07563, 7.15045.
/// At 2.4 s, t = 2 and W_cubic(2) = 10 + 0.4 (0.04257)^3 = 10.00003 is above W_est; the target, a round trip of 0.1 s
/// later, is 10 + 0.4 (0.14257)^3 = 10.00116, and cwnd goes (10.00116 - 7.15045) / 7.15045 = 0.39868 towards it.
#[test]
fn seven_tenths_then_renos_pace_then_the_curve() {
    let sender = follow(
        cubic(),
        Supply::Segments(100),
        "
        at  | event          | sends | cwnd  | ssthresh
        0   | start          | 0-9   |
        0.1 | ack 0 sack 1   |       | 10000
        0.1 | ack 0 sack 1-2 |       | 10000
        0.1 | ack 0 sack 1-3 | 0*    | 7000  | 7000
        0.3 | ack 10         | 10-16 | 7000  | 7000
        0.4 | ack 11         | 17    |
        0.4 | ack 12         | 18    |
        2.4 | ack 13         | 19    |
    ",
    );
    close(&sender, 7_549.13);
}

/// Section 4.7: the second loss finds fewer segments than the first did, so W_max is 0.85 of them. 20 of 20 were lost at,
/// then 14: W_max = 11.9, of which 9.8 remain. The stage begins with segment 36's ACK. Two ACKs are counted:
///
/// | | K | target at 0 s | cwnd | target at 2 s | cwnd |
/// |---|---|---|---|---|---|
/// | with | cbrt(2.1 / 0.4) = 1.73801 | 11.9 - 0.4 (1.63801)^3 = 10.14203 | 9.83490 | 11.91897 | 10.04681 |
/// | without | cbrt(4.2 / 0.4) = 2.18976 | 14 - 0.4 (2.08976)^3 = 10.34953 | 9.85607 | 13.99971 | 10.27649 |
#[test]
fn fast_convergence_gives_room() {
    for (fast_convergence, by_hand) in [(true, 10_046.81), (false, 10_276.49)] {
        let control =
            named::<ControlKind>("cubic").with("fast_convergence", fast_convergence).with("reno_friendly", false);
        let sender = follow(
            SenderRules { control, initial_window: 20.0, ..cubic() },
            Supply::Segments(200),
            "
            at  | event            | sends  | cwnd  | ssthresh
            0   | start            | 0-19   | 20000
            0.1 | ack 0 sack 1     |
            0.1 | ack 0 sack 1-2   |
            0.1 | ack 0 sack 1-3   | 0*     | 14000 | 14000
            0.3 | ack 20           | 20-33  | 14000
            0.4 | ack 21            | 34    |
            0.4 | ack 21 sack 22    |
            0.4 | ack 21 sack 22-23 |
            0.4 | ack 21 sack 22-24 | 21*   | 9800  | 9800
            0.6 | ack 35            | 35-43 | 9800
            0.7 | ack 36            | 44    |
            2.7 | ack 37            | 45 46 |
        ",
        );
        close(&sender, by_hand);
    }
}

/// Section 4.8: a timeout takes ssthresh to beta, too, and what follows has K = 0 and W_max its own beginning: the curve
/// is convex from the start, W_cubic(t) = W + 0.4 t^3: 3.0004 a round trip of 0.1 s after
/// it began. The next ACK is 1.1 s late, which makes the smoothed round trip 0.225 s: 3 + 0.4 (1.225)^3 = 3.7353.
#[test]
fn after_a_timeout_the_curve_starts_at_the_window() {
    let control = named::<ControlKind>("cubic").with("reno_friendly", false);
    let sender = follow(
        SenderRules { control, initial_window: 4.0, ..cubic() },
        Supply::Segments(100),
        "
        at  | event   | sends | cwnd | ssthresh
        0   | start   | 0-3   | 4000
        1   | timeout | 0*    | 1000 | 2800
        1.1 | ack 4   | 4 5   | 2000
        1.2 | ack 5   | 6 7   | 3000
        1.3 | ack 6   | 8     |
        2.3 | ack 7   | 9     |
    ",
    );
    close(&sender, 3_245.18);
}
