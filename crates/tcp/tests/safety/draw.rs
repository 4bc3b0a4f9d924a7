//! What conversations are drawn: stacks, rules, sizes, networks.

use acklab_packet::{Bytes, Time};
use acklab_tcp::rules::*;
use acklab_tcp::sender::Supply;
use proptest::prelude::*;
use proptest::sample::select;

use crate::pair::{Hostility, Later};
use crate::policies::policy;

/// One conversation to be.
#[derive(Clone)]
pub struct Case {
    pub stack: Stack,
    pub sender: SenderPatch,
    pub receiver: ReceiverPatch,
    pub supply: Supply,
    pub later: Option<Later>,
    pub network: Hostility,
}

impl std::fmt::Debug for Case {
    /// On few lines, without the rules left alone.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let patches = format!("{:?}\n  {:?}", self.sender, self.receiver).replace("Some(", "(");
        let set: Vec<_> = patches.split(", ").filter(|rule| !rule.contains(": None")).collect();
        let Case { stack, supply, later, network, .. } = self;
        write!(f, "{} {supply:?} {later:?}\n  {}\n  {network:?}", stack.name(), set.join(", "))
    }
}

const RECOVERIES: [RecoveryKind; 8] = [
    RecoveryKind::Tahoe,
    RecoveryKind::Reno,
    RecoveryKind::Newreno,
    RecoveryKind::Sack,
    RecoveryKind::Rfc6675,
    RecoveryKind::Fack,
    RecoveryKind::Rack,
    RecoveryKind::Rfc9002,
];

fn hostility() -> impl Strategy<Value = Hostility> {
    let rate = || prop_oneof![Just(0.0), 0.0..0.05, 0.0..0.35];
    let jitter = prop_oneof![Just(0.0), 0.0..0.02, 0.0..0.5];
    (rate(), rate(), rate(), rate(), 0.001..0.2, jitter, any::<u64>()).prop_map(
        |(loss, ack_loss, duplication, marks, delay, jitter, seed)| Hostility {
            loss,
            ack_loss,
            duplication,
            marks,
            delay,
            jitter,
            seed,
        },
    )
}

fn supply() -> impl Strategy<Value = Supply> {
    prop_oneof![(1_u64..60).prop_map(Supply::Segments), (1_u64..60_000).prop_map(Supply::Bytes)]
}

fn window() -> impl Strategy<Value = Window> {
    let bytes = (1_460_u64..50_000).prop_map(|bytes| Window::Bytes(Bytes::new(bytes)));
    prop_oneof![
        Just(Window::Segments(1)),
        Just(Window::Segments(2)),
        Just(Window::Segments(3)),
        (4_u32..60).prop_map(Window::Segments),
        bytes
    ]
}

fn credit() -> impl Strategy<Value = CreditKind> {
    let growth = select(&[Growth::Whole, Growth::Steps, Growth::AllThenOne][..]);
    (0..9, 1.0..8.0, growth).prop_map(|(kind, limit, growth)| match kind {
        0 => CreditKind::AckCounting,
        1 => CreditKind::Rfc5681,
        2 => CreditKind::Ubc { growth },
        3 => CreditKind::Lbc { limit, growth },
        4 => CreditKind::Abc { limit },
        5 => CreditKind::FullSegments,
        6 => CreditKind::Counter,
        7 => CreditKind::SegmentCounter,
        _ => CreditKind::Sabc { limit },
    })
}

/// Each control, as it is by default and with parameters off the beaten track.
fn control() -> impl Strategy<Value = ControlKind> {
    let default = select(ControlKind::ALL.map(|(_, kind)| kind).to_vec());
    let odd = (0..4, 0.0..4.0, 0.01..0.99, any::<(bool, bool)>()).prop_map(|(which, number, share, (one, two))| {
        let clock = Time::from_secs(if one { 0.0 } else { 0.02 });
        let estimate = if two { VenoEstimate::PerAck } else { VenoEstimate::PerRtt };
        let first_loss = if one { VenoFirstLoss::ByFlag } else { VenoFirstLoss::Half };
        match which {
            0 => {
                let base_rtt = if two { VenoBase::Ever } else { VenoBase::SinceLoss };
                ControlKind::Veno { alpha: number, beta: 2.0 * share, estimate, first_loss, base_rtt, clock }
            }
            1 => {
                let (c, beta) = (0.01 + number, share);
                ControlKind::Cubic {
                    c,
                    beta,
                    fast_convergence: one,
                    reno_friendly: two,
                    alpha_rises: number < 1.0,
                    seek: share / 4.0,
                }
            }
            2 => ControlKind::Westwood { gain: share },
            _ => {
                let pace = if one { VegasPace::EveryRtt } else { VegasPace::SecondRtt };
                ControlKind::Vegas { alpha: number * share, beta: number, gamma: 3.0 * share, pace }
            }
        }
    });
    prop_oneof![2 => Just(ControlKind::Reno {}), 2 => default, 1 => odd]
}

fn slow_start() -> impl Strategy<Value = SlowStart> {
    select(&[SlowStart::Standard, SlowStart::HyStartPlusPlus, SlowStart::HyStart][..])
}

/// A stack as it is, but for recovery, control, window, ends of the connection and ACK policy.
pub fn named() -> impl Strategy<Value = Case> {
    let sender = (select(&RECOVERIES[..]), control(), slow_start(), window(), any::<[bool; 3]>(), 0_u32..6).prop_map(
        |(recovery, control, slow_start, window, [syn, fin, timestamps], max_burst)| SenderPatch {
            slow_start: Some(slow_start),
            recovery: Some(recovery),
            control: Some(control),
            window: Some(window),
            syn: Some(syn),
            fin: Some(fin),
            timestamps: Some(timestamps),
            max_burst: Some(max_burst),
            ..SenderPatch::default()
        },
    );
    let estimate = select(&[EstimateKind::Off, EstimateKind::Timestamps, EstimateKind::Probe][..]);
    let receiver = (policy(), any::<[bool; 2]>(), estimate).prop_map(|(ack, [sack, dsack], estimate)| ReceiverPatch {
        ack: Some(ack),
        sack: Some(sack),
        dsack: Some(dsack),
        estimate: Some(estimate),
        ..ReceiverPatch::default()
    });
    let later = prop::option::of((1_u64..30, 0.0..10.0));
    (select(&Stack::ALL[..]), sender, receiver, supply(), later, hostility()).prop_map(
        |(stack, mut sender, mut receiver, supply, later, network)| {
            // BBR learns from RACK what is delivered and lost.
            if sender.control == Some(ControlKind::Bbr {}) {
                sender.recovery = Some(RecoveryKind::Rack);
            }
            // FF96 takes the report of a duplicate for an edge to send from, as ns-2 does with stale blocks.
            if sender.recovery == Some(RecoveryKind::Sack) {
                receiver.dsack = Some(false);
            }
            // QUIC times each packet itself, and numbers them for a receiver that goes by numbers.
            let quic = matches!(receiver.ack, Some(AckPolicyKind::Quic { .. }));
            let rfc9002 = sender.recovery == Some(RecoveryKind::Rfc9002);
            sender.timestamps = sender.timestamps.map(|on| on && !rfc9002);
            sender.packet_numbers = Some(quic && rfc9002);
            receiver.packet_numbers = Some(quic && rfc9002);
            if quic && rfc9002 && receiver.estimate == Some(EstimateKind::Timestamps) {
                receiver.estimate = Some(EstimateKind::Off);
            }
            sender.tell_window = Some(receiver.ack.as_ref().is_some_and(|ack| ack.asks_for_window()));
            sender.tell_phase = Some(receiver.ack.as_ref().is_some_and(|ack| ack.phase_source().is_some()));
            // Nothing is written after a FIN.
            let later = later.filter(|_| sender.fin == Some(false)).map(|(segments, think)| Later { segments, think });
            Case { stack, sender, receiver, supply, later, network }
        },
    )
}

const RECOVERY_WINDOWS: [RecoveryWindow; 6] = [
    RecoveryWindow::AtOnce,
    RecoveryWindow::RateHalving,
    RecoveryWindow::PrrCrb,
    RecoveryWindow::PrrSsrb,
    RecoveryWindow::Prr,
    RecoveryWindow::PrrLinux,
];

/// Every rule that has alternatives is drawn as well, in combinations no stack has.
pub fn wild() -> impl Strategy<Value = Case> {
    let choices = (
        select(&[Sequence::Segments, Sequence::Bytes][..]),
        (
            select(&[RttFilter::Integer, RttFilter::Rfc6298, RttFilter::Linux][..]),
            select(&[RtoFloor::BeforeBackoff, RtoFloor::AfterBackoff, RtoFloor::Variance][..]),
        ),
        select(&[Halving::Precise, Halving::Integer, Halving::FlightSize][..]),
        select(&[SecondFastRetransmit::Always, SecondFastRetransmit::Never, SecondFastRetransmit::UnlessTimeout][..]),
        select(&[PartialAckTimer::First, PartialAckTimer::Each][..]),
        select(&[RecoveryExit::Keep, RecoveryExit::MinFlight, RecoveryExit::Rfc6582][..]),
        (
            select(&RECOVERY_WINDOWS[..]),
            (
                select(&[Undo::Off, Undo::Timestamps, Undo::Dsack, Undo::Both][..]),
                select(&[Frto::Off, Frto::Rfc5682, Frto::Linux][..]),
            ),
            select(&[Validation::Off, Validation::Linux][..]),
        ),
        select(&[SackPartial::PipeTwice, SackPartial::TwoSegments, SackPartial::TwoSegmentsPastEnd][..]),
        select(&[IdleRestart::Timer, IdleRestart::TimerKeepsWindow, IdleRestart::Rfc5681, IdleRestart::Off][..]),
        credit(),
    );
    let pacing = prop_oneof![3 => Just(0.0), 1 => 0.0..2.0];
    let flags = (any::<[bool; 6]>(), any::<[bool; 4]>());
    let numbers = (1_u32..6, 1_u32..12, 0_u32..30, 100_u32..1500, flags, 0_u32..4, pacing);
    let skip = prop_oneof![Just(0_u32), 1_u32..20];
    let nagle = select(&[Nagle::Off, Nagle::On, Nagle::Minshall][..]);
    let defences = (nagle, any::<[bool; 4]>(), select(&[UnsentAck::Ignore, UnsentAck::Restart][..]), skip);
    (named(), choices, numbers, defences).prop_map(|(mut case, choices, numbers, defences)| {
        let (nagle, [sws_avoidance, inflation_limit, duplicates, equal], unsent_ack, skip) = defences;
        let (
            sequence,
            (rtt_filter, rto_floor),
            halving,
            second,
            partial_ack_timer,
            recovery_exit,
            (recovery_window, (undo, frto), validation),
            sack_partial,
            idle,
            credit,
        ) = choices;
        let (dup_thresh, initial_window, ssthresh, packet, (flags, receiver), blocks, pacing) = numbers;
        // A window must hold one segment, and a segment its timestamp.
        let window = match case.sender.window {
            Some(Window::Bytes(bytes)) => Window::Bytes(Bytes::new(bytes.get().max(u64::from(packet)))),
            other => other.expect("drawn above"),
        };
        case.sender = SenderPatch {
            sequence: Some(sequence),
            packet: Some(packet),
            rtt_filter: Some(rtt_filter),
            rto_floor: Some(rto_floor),
            halving: Some(halving),
            second_fast_retransmit: Some(second),
            partial_ack_timer: Some(partial_ack_timer),
            recovery_exit: Some(recovery_exit),
            sack_partial: Some(sack_partial),
            recovery_window: Some(recovery_window),
            undo: Some(undo),
            frto: Some(frto),
            validation: Some(validation),
            duplicates_restart_timer: Some(duplicates),
            slow_start_at_ssthresh: Some(equal),
            idle_restart: Some(idle),
            credit: Some(credit),
            dup_thresh: Some(dup_thresh),
            initial_window: Some(f64::from(initial_window)),
            initial_ssthresh: Some(f64::from(ssthresh)),
            limited_transmit: Some(flags[0]),
            limited_transmit_new_only: Some(flags[1]),
            inflate_when_blocked: Some(flags[2]),
            partial_deflation: Some(flags[3]),
            first_loss_resets_initial_window: Some(flags[4]),
            ecn: Some(flags[5]),
            // BBR paces by itself.
            pacing: Some(if case.sender.control == Some(ControlKind::Bbr {}) { 0.0 } else { pacing }),
            pacing_burst: Some(1 + case.network.seed as u32 % 12),
            nagle: Some(nagle),
            sws_avoidance: Some(sws_avoidance),
            inflation_limit: Some(inflation_limit),
            unsent_ack: Some(unsent_ack),
            // A segment left out would be lost by RACK's clock.
            skip: Some(if matches!(case.sender.recovery, Some(RecoveryKind::Rack | RecoveryKind::Rfc9002)) {
                0
            } else {
                skip
            }),
            window: Some(window),
            ..case.sender
        };
        case.receiver = ReceiverPatch {
            purge_stale_sack: Some(receiver[0]),
            immediate_on_gap: Some(receiver[1]),
            immediate_on_syn: Some(receiver[2]),
            immediate_on_repeat: Some(receiver[3]),
            max_sack_blocks: Some(blocks),
            echo_each_mark: Some(case.network.seed.is_multiple_of(4)),
            ..case.receiver
        };
        // What was sent past the end is no longer past it when more is written: ns-2's slip, in units of segments.
        case.later = case.later.filter(|_| sack_partial != SackPartial::TwoSegmentsPastEnd);
        case
    })
}
