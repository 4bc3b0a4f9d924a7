//! Veno's rules, worked on paper (ledger veno.m.state_estimate, veno.m.ai, veno.m.md, veno.m.sack_veno): a tagged segment a
//! round trip, N = cwnd (RTT - BaseRTT) / RTT, three branches of increase, two of decrease.

use acklab_packet::Time;
use acklab_tcp::rules::{ControlKind, RecoveryKind, SenderRules, Stack, Variants, named};
use acklab_tcp::sender::Supply;

use crate::sender_table::follow;

/// Segments, real-valued windows, no SYN; eight segments at once, and congestion avoidance from the start.
fn rules(recovery: RecoveryKind, control: ControlKind) -> SenderRules {
    let ns2 = Stack::Ns2At235.sender();
    SenderRules {
        syn: false,
        initial_window: 8.0,
        initial_ssthresh: 2.0,
        window: acklab_tcp::rules::Window::Segments(100),
        limited_transmit: false,
        recovery,
        control,
        ..ns2
    }
}

/// The paper's Veno, with a clock that does not round.
fn veno(beta: f64) -> ControlKind {
    named::<ControlKind>("veno").with("beta", beta).with("clock", Time::ZERO)
}

/// Round trips of 1/8 s show the base. Segment 8 is tagged; its 5/32 s make N = 8.125 (1/32) / (5/32) = 1.625: equilibrium,
/// but each ACK still counts. Segment 16 is tagged next; its 1/4 s make N = 8.4888 / 2 = 4.2444, and of the ACKs that
/// follow every other one counts. The loss of 19 then halves.
const CONGESTED: &str = "
    at      | event  | sends | cwnd     | ssthresh | why
    0       | start  | 0-7   | 8        | 2        |
    0.125   | ack 8  | 8-15  | 8.125    |          | 8 + 1/8
    0.28125 | ack 9  | 16    | 8.248077 |          | tagged: N = 1.625; 8.125 + 1/8.125
    0.28125 | ack 10 | 17    | 8.369317 |          | still each ACK
    0.28125 | ack 16 | 18-23 | 8.488801 |          |
    0.53125 | ack 17 | 24    | 8.606603 |          | tagged: N = 4.24; the first counts
    0.53125 | ack 18 | 25    | 8.606603 |          | the second does not
    0.53125 | ack 19 | 26    | 8.722793 |          | the third does
    0.54    | ack 19 |
    0.54    | ack 19 |
    0.54    | ack 19 | 19*   | 4.361397 | 4        | flagged: half
";

#[test]
fn the_listing_slows_down_above_three_and_halves_after_equilibrium() {
    for recovery in [named("reno"), named("newreno")] {
        follow(rules(recovery, veno(3.0)), Supply::Unlimited, CONGESTED);
    }
}

/// The prose slows down as soon as equilibrium is reached, N > 1: already the ACKs after segment 8's (ledger
/// veno.check.ai_threshold).
#[test]
fn the_prose_slows_down_above_one() {
    follow(
        rules(named("newreno"), veno(1.0)),
        Supply::Unlimited,
        "
        at      | event  | sends | cwnd     | why
        0       | start  | 0-7   | 8        |
        0.125   | ack 8  | 8-15  | 8.125    |
        0.28125 | ack 9  | 16    | 8.248077 | N = 1.625: the first counts
        0.28125 | ack 10 | 17    | 8.248077 | the second does not
        0.28125 | ack 11 | 18    | 8.369317 | the third does
        ",
    );
}

/// No backlog at the tagged segment: a loss is taken for random and leaves four fifths, after which the base is unknown: the
/// first sample, 3/8 s, is the new one, though it is thrice the old. Without the reset N would be 6.56 (1/4) / (3/8) = 4.4
/// at segment 21's ACK and the next loss would halve; so N = 0, and it too leaves four fifths.
#[test]
fn a_random_loss_takes_a_fifth_and_the_base_starts_anew() {
    let table = "
        at      | event           | sends | cwnd     | ssthresh | why
        0       | start           | 0-7   | 8        | 2        |
        0.125   | ack 8           | 8-15  | 8.125    |          |
        0.25    | ack 9           | 16    | 8.248077 |          | tagged: N = 0
        0.25    | ack 9 sack 10-11 |
        0.25    | ack 9 sack 10-12 |
        0.25    | ack 9 sack 10-13 | 9*   | 6.598462 | 6        | random: 8.248077 * 4/5
        0.26    | ack 9 sack 10-14 | 17 18 |         |          | pipe 8 - 3 - 1 = 4 of 6
        0.26    | ack 9 sack 10-15 | 19
        0.26    | ack 9 sack 10-16 | 20
        0.26    | ack 9 sack 10-17 | 21
        0.375   | ack 17          | 22    | 6.598462 |          | the recovery is over
        0.635   | ack 18          | 23    | 6.750013 |          | 3/8 s: the new base; tags 23
        1.010   | ack 24          | 24-29 | 6.898161 |          | segment 23's 3/8 s: N = 0
        1.011   | ack 24 sack 25-26 |
        1.011   | ack 24 sack 25-27 |
        1.011   | ack 24 sack 25-28 | 24* | 5.518529 | 5        | random again
    ";
    follow(rules(named("sack"), veno(3.0)), Supply::Unlimited, table);
}

/// A timeout halves whatever the flag says; so does a loss before anything was judged, with the window of slow start.
#[test]
fn a_timeout_and_a_first_loss_halve() {
    follow(
        rules(named("newreno"), veno(3.0)),
        Supply::Unlimited,
        "
        at    | event   | sends | cwnd     | ssthresh | why
        0     | start   | 0-7   | 8        | 2        |
        0.125 | ack 8   | 8-15  | 8.125    |          |
        0.25  | ack 9   | 16    | 8.248077 |          | N = 0: a fast retransmit would leave four fifths
        0.56  | timeout | 9*    | 1        | 4        | 8.248077 / 2
        ",
    );
    follow(
        SenderRules { initial_ssthresh: 50.0, ..rules(named("newreno"), veno(3.0)) },
        Supply::Unlimited,
        "
        at    | event | sends | cwnd | ssthresh
        0     | start | 0-7   | 8    | 50
        0.125 | ack 1 | 8 9   | 9    |
        0.125 | ack 1 |
        0.125 | ack 1 |
        0.125 | ack 1 | 1*    | 4.5  | 4
        ",
    );
}
