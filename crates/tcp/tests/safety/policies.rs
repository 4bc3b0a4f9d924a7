//! What ACK policies are drawn.

use acklab_packet::Time;
use acklab_tcp::rules::*;
use proptest::prelude::*;
use proptest::sample::select;

/// An ACK policy, with parameters it may have.
pub fn policy() -> impl Strategy<Value = AckPolicyKind> {
    let delayed = (0.001..0.6, 1_u32..5, any::<bool>(), 0.0..0.5).prop_map(|(timer, segments, heartbeat, phase)| {
        AckPolicyKind::Delayed { timer: Time::from_secs(timer), segments, heartbeat, phase: Time::from_secs(phase) }
    });
    let phase = select(
        &[PhaseSource::Oracle, PhaseSource::Option, PhaseSource::Shared, PhaseSource::Growth, PhaseSource::Heuristic][..],
    );
    let daass = (phase, 0.001..0.6, 1_u32..5, 2_u32..40).prop_map(|(phase, timer, segments, window)| {
        let (timer, silence) = (Time::from_secs(timer), Time::from_secs(0.5));
        AckPolicyKind::Daass { phase, timer, segments, window, silence }
    });
    let spoof = (1_u32..12).prop_map(|duplicates| AckPolicyKind::Spoof { duplicates });
    let restore = (2_u32..65, 0_u32..60, 0.0..2.0, 0.0..1.0).prop_map(|(pieces, target, start, share)| {
        AckPolicyKind::Restore { pieces, target, start: Time::from_secs(start), share }
    });
    let acc = (1_u32..20, 0.01..0.5).prop_map(|(d_max, timer)| {
        let timer = Time::from_secs(timer);
        // Every other one reads the marks of data.
        if d_max % 2 == 0 {
            AckPolicyKind::AccDelivered { window_share: f64::from(d_max) / 20.0, timer }
        } else {
            AckPolicyKind::Acc { d_max, timer }
        }
    });
    let acc_ns2 = (1_u32..20, 0.01..0.5)
        .prop_map(|(d_max, timer)| AckPolicyKind::AccNs2 { d_max, timer: Time::from_secs(timer) });
    let requested = (0.01..0.5, 1_u32..128, 1_u32..128).prop_map(|(timer, segments, most)| AckPolicyKind::Requested {
        timer: Time::from_secs(timer),
        segments,
        most,
    });
    prop_oneof![
        Just(AckPolicyKind::Every {}),
        requested,
        delayed,
        daass,
        divide(),
        spoof,
        restore,
        smart(),
        periodic(),
        acc,
        acc_ns2,
        quic(),
        linux()
    ]
}

fn quic() -> impl Strategy<Value = AckPolicyKind> {
    let share = prop_oneof![Just(0.0), 0.0..2.0];
    let asked = (1_u32..30, 0.001..0.6, 0_u32..6, share);
    let marks = select(&[MarkAnswer::First, MarkAnswer::Each, MarkAnswer::Never][..]);
    let update = || prop_oneof![Just(0), 1_u32..20_000];
    let tick = prop_oneof![Just(Time::ZERO), Just(Time::from_secs(0.001))];
    let further = (0_u32..20, 1_u32..30, marks, (update(), update(), any::<bool>()), tick);
    (asked, further).prop_map(|((segments, delay, reordering, rtt_share), further)| {
        let (first, later, marks, (stream_update, connection_update, updates_apart), tick) = further;
        AckPolicyKind::Quic {
            segments,
            max_ack_delay: Time::from_secs(delay),
            reordering,
            rtt_share,
            first,
            later,
            marks,
            stream_update,
            connection_update,
            updates_apart,
            tick,
            packet_numbers: false,
            ahead: 0,
        }
    })
}

/// Divided ACKs, in every way. (Optimistic ACKs give up safety on purpose and are not drawn.)
fn divide() -> impl Strategy<Value = AckPolicyKind> {
    let phase = select(&[PhaseSource::Oracle, PhaseSource::Option, PhaseSource::Heuristic][..]);
    let when = select(&[DivideWhen::Always, DivideWhen::SlowStart, DivideWhen::CongestionAvoidance][..]);
    let parts = select(&[PieceParts::Equal, PieceParts::Bytes][..]);
    let order = select(&[PieceOrder::Rising, PieceOrder::Falling][..]);
    let spacing = prop_oneof![3 => Just(0.0), 1 => 0.0..0.02];
    let burst = prop_oneof![Just(0_u32), 1_u32..40];
    ((2_u32..65, 1_u32..5, 0.001..0.6, 2_u32..40), (when, phase, parts, order), (0.0..2.0, burst, spacing)).prop_map(
        |((pieces, segments, timer, window), (when, phase, parts, order), (start, burst, spacing))| {
            let [timer, silence, start, spacing] = [timer, 0.5, start, spacing].map(Time::from_secs);
            AckPolicyKind::Divide {
                pieces,
                segments,
                timer,
                when,
                phase,
                window,
                silence,
                start,
                burst,
                parts,
                order,
                spacing,
            }
        },
    )
}

fn rtt() -> impl Strategy<Value = RttSource> {
    select(&[RttSource::Probe, RttSource::Timestamps, RttSource::Fixed, RttSource::Sender][..])
}

fn smart() -> impl Strategy<Value = AckPolicyKind> {
    let window = select(&[WindowSource::Estimate, WindowSource::Sender][..]);
    let loss = select(&[LossNotice::RoundTrip, LossNotice::ThirdDuplicate][..]);
    let first = select(&[WindowStart::Count, WindowStart::Tick][..]);
    let plain = (0.001..0.6, rtt(), 0.01..2.0, window, 1_u32..12, any::<bool>(), loss, first);
    plain.prop_map(|(timer, rtt, interval, window, initial, extended, loss, first)| {
        // What the paper leaves open besides follows from the initial window.
        let (odd, third) = (initial % 2 == 1, (initial % 3) as usize);
        let first_probe = Time::from_secs(if odd { interval } else { 0.0 });
        let [timer, interval] = [timer, interval].map(Time::from_secs);
        let replies = if odd { ReplyWait::Left } else { ReplyWait::Counted };
        let decrease = if third == 0 { EstimateFall::Any } else { EstimateFall::Loss };
        let beta = [BetaRise::Before, BetaRise::Middle, BetaRise::After, BetaRise::Never][initial as usize % 4];
        let gamma = if third == 1 { GammaCount::All } else { GammaCount::New };
        let (limit, early_steps) = (1 + initial % 3, odd);
        AckPolicyKind::Smart {
            timer,
            rtt,
            interval,
            window,
            initial,
            extended,
            loss,
            first,
            first_probe,
            replies,
            limit,
            decrease,
            beta,
            gamma,
            early_steps,
        }
    })
}

fn periodic() -> impl Strategy<Value = AckPolicyKind> {
    (0.5..16.0, 1_u32..20, 0.001..0.6, rtt(), 0.01..2.0).prop_map(|(beta, segments, timer, rtt, interval)| {
        let (timer, interval) = (Time::from_secs(timer), Time::from_secs(interval));
        AckPolicyKind::Periodic { beta, segments, timer, rtt, interval }
    })
}

fn linux() -> impl Strategy<Value = AckPolicyKind> {
    let tick = select(&[0.0, 0.001, 0.004, 0.01][..]);
    let (quick, window, low_water) = (0_u32..40, (1_u32..100, 0_u32..100), prop_oneof![Just(1_u32), 1_u32..60_000]);
    let sack = (prop_oneof![Just(0.0), 0.0..0.02], 0.01..10.0, 0.0..0.001, 0_u32..60);
    (quick, window, any::<bool>(), 0.0..0.1, 0.1..0.6, tick, sack, low_water).prop_map(
        |(
            quick,
            (window, more),
            autotune,
            least,
            timer,
            tick,
            (sack_delay, sack_share, sack_slack, sack_most),
            low_water,
        )| {
            let [least, timer, tick, sack_delay, sack_slack] =
                [least, timer, tick, sack_delay, sack_slack].map(Time::from_secs);
            let buffer = window + more;
            // Half of them count memory.
            let memory = if quick % 2 == 0 { 0 } else { 1 + 3000 * window };
            AckPolicyKind::Linux {
                quick,
                window,
                buffer,
                autotune,
                memory,
                most_memory: 2 * memory + 1,
                segment_memory: 1 + 40 * more,
                second_memory: 30 * more,
                growth: [BufferGrowth::Linux61, BufferGrowth::Linux612, BufferGrowth::Linux73][more as usize % 3],
                least,
                timer,
                tick,
                sack_delay,
                sack_share,
                sack_slack,
                sack_most,
                low_water,
                read_size: 1000,
            }
        },
    )
}
