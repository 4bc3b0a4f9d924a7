//! What conversations are drawn: stacks, rules, sizes, networks.

use acklab_packet::{Bytes, Time};
use acklab_tcp::rules::*;
use acklab_tcp::sender::Supply;
use proptest::prelude::*;
use proptest::sample::select;

/// Faults of senders; most have none.
const FAULTS: [SenderFault; 12] = {
    let mut faults = [SenderFault::None; 12];
    faults[1] = SenderFault::NoSlowStartAfterTimeout;
    faults[2] = SenderFault::ExtraAdditiveConstant;
    faults[3] = SenderFault::NoDeflation;
    faults[4] = SenderFault::NoBackoff;
    faults
};

use crate::pair::{Hostility, Later};
use crate::policies::policy;

/// One conversation to be.
#[derive(Clone)]
pub struct Case {
    pub stack: Stack,
    pub recovery: RecoveryKind,
    pub control: ControlKind,
    pub ack: AckPolicyKind,
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
        let Case { stack, recovery, control, ack, supply, later, network, .. } = self;
        write!(
            f,
            "{} {supply:?} {later:?}\n  {recovery:?} {control:?} {ack:?}\n  {}\n  {network:?}",
            stack.name(),
            set.join(", ")
        )
    }
}

impl Case {
    /// The rules of both ends.
    pub fn rules(&self) -> (SenderRules, ReceiverRules) {
        let (mut sender, mut receiver) = (self.stack.sender(), self.stack.receiver());
        self.sender.apply(&mut sender).expect("drawn in range");
        self.receiver.apply(&mut receiver).expect("drawn in range");
        (sender.recovery, sender.control, receiver.ack) = (self.recovery, self.control.clone(), self.ack.clone());
        (sender, receiver)
    }
}

/// `value` with those of the parameters drawn that its variant has, and may have.
fn dressed<T: Variants>(value: T, drawn: &[(&str, serde_json::Value)]) -> T {
    drawn.iter().fold(value, |value, (key, drawn)| {
        let mut table = value.table();
        table.entry(*key).and_modify(|parameter| *parameter = drawn.clone());
        T::read(&table).unwrap_or(value)
    })
}

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
        0 => CreditKind::AckCounting {},
        1 => CreditKind::Rfc5681 {},
        2 => CreditKind::Ubc { growth },
        3 => CreditKind::Lbc { limit, growth },
        4 => CreditKind::Abc { limit },
        5 => CreditKind::FullSegments {},
        6 => CreditKind::Counter {},
        7 => CreditKind::SegmentCounter {},
        _ => CreditKind::Sabc { limit },
    })
}

/// Each control, as it is by default and with parameters off the beaten track.
fn control() -> impl Strategy<Value = ControlKind> {
    let default = select(ControlKind::NAMES).prop_map(named);
    let odd = (0..4, 0.0..4.0, 0.01..0.99, any::<(bool, bool)>()).prop_map(|(which, number, share, (one, two))| {
        let clock = Time::from_secs(if one { 0.0 } else { 0.02 });
        let estimate = if two { VenoEstimate::PerAck } else { VenoEstimate::PerRtt };
        let first_loss = if one { VenoFirstLoss::ByFlag } else { VenoFirstLoss::Half };
        let slow_start = SlowStart::Standard;
        match which {
            0 => {
                let base_rtt = if two { VenoBase::Ever } else { VenoBase::SinceLoss };
                ControlKind::Veno {
                    alpha: number,
                    beta: 2.0 * share,
                    estimate,
                    first_loss,
                    base_rtt,
                    clock,
                    slow_start,
                }
            }
            1 => {
                let (c, beta) = (0.01 + number, share);
                ControlKind::Cubic {
                    c,
                    beta,
                    fast_convergence: one,
                    reno_friendly: two,
                    alpha_rises: number < 1.0,
                    alpha: if two { 2.0 * share } else { 0.0 },
                    seek: share / 4.0,
                    slow_start: CubicSlowStart::Standard,
                }
            }
            2 => ControlKind::Westwood { gain: share, slow_start },
            _ => {
                let pace = if one { VegasPace::EveryRtt } else { VegasPace::SecondRtt };
                ControlKind::Vegas { alpha: number * share, beta: number, gamma: 3.0 * share, pace }
            }
        }
    });
    let control = prop_oneof![2 => Just(named("reno")), 2 => default, 1 => odd];
    (control, select(&["standard", "hystart++", "hystart"][..]))
        .prop_map(|(control, slow_start)| dressed(control, &[("slow_start", slow_start.into())]))
}

/// A stack as it is, but for recovery, control, window, ends of the connection and ACK policy.
pub fn stacked() -> impl Strategy<Value = Case> {
    let recovery = select(RecoveryKind::NAMES).prop_map(named::<RecoveryKind>);
    let sender =
        (window(), any::<[bool; 4]>(), 0_u32..6).prop_map(|(window, [syn, fin, timestamps, asks], max_burst)| {
            SenderPatch {
                ack_request: Some(named::<AckRequest>(if syn && asks { "on" } else { "off" }).into()),
                window: Some(window),
                syn: Some(syn),
                fin: Some(fin),
                timestamps: Some(timestamps),
                max_burst: Some(max_burst),
                ..SenderPatch::default()
            }
        });
    let estimate = select(EstimateKind::NAMES).prop_map(named::<EstimateKind>);
    let receiver = (any::<[bool; 2]>(), estimate);
    let later = prop::option::of((1_u64..30, 0.0..10.0));
    let kinds = (recovery, control(), policy());
    (select(&Stack::ALL[..]), kinds, sender, receiver, supply(), later, hostility()).prop_map(
        |(stack, (recovery, control, ack), mut sender, ([sack, dsack], estimate), supply, later, network)| {
            // BBR and Prague learn from the recovery what is delivered and lost.
            let recovery = match control {
                ControlKind::Bbr {} | ControlKind::Prague { .. } if !recovery.reports() => named("rfc6675"),
                ControlKind::Bbr3 {} if !recovery.judges_segments() => named("rack"),
                _ => recovery,
            };
            // QUIC times each packet itself, and numbers them for a receiver that reads numbers.
            let numbers = recovery.times_packets() && matches!(ack, AckPolicyKind::Quic { .. });
            let (recovery, ack) = if numbers {
                (recovery.with("packet_numbers", true), ack.with("packet_numbers", true))
            } else {
                (recovery, ack)
            };
            let estimate = if numbers { EstimateKind::Off {} } else { estimate };
            let receiver = ReceiverPatch {
                sack: Some(sack),
                // The judge believes that what arrives is kept.
                paws: Some(false),
                // FF96 takes the report of a duplicate for an edge to send from, as ns-2 does with stale blocks.
                dsack: Some(dsack && !matches!(recovery, RecoveryKind::Sack { .. })),
                estimate: Some(estimate.into()),
                ..ReceiverPatch::default()
            };
            sender.timestamps = sender.timestamps.map(|on| on && !recovery.times_packets());
            sender.carry_window = Some(ack.asks_for_window());
            sender.carry_allowance = Some(ack.asks_for_allowance());
            sender.carry_phase = Some(ack.phase_source().is_some());
            // Nothing is written after a FIN.
            let later = later.filter(|_| sender.fin == Some(false)).map(|(segments, think)| Later { segments, think });
            // What follows the end was not known to.
            sender.marks_end = later.is_some().then_some(false);
            Case { stack, recovery, control, ack, sender, receiver, supply, later, network }
        },
    )
}

/// Every rule that has alternatives is drawn as well, in combinations no stack has.
pub fn wild() -> impl Strategy<Value = Case> {
    let choices = (
        select(Sequence::NAMES).prop_map(named::<Sequence>),
        (
            select(RttFilter::NAMES).prop_map(named::<RttFilter>),
            select(&[RtoFloor::BeforeBackoff, RtoFloor::AfterBackoff, RtoFloor::Variance][..]),
        ),
        (
            select(&[Halving::Precise, Halving::Integer, Halving::FlightSize, Halving::Cwnd][..]),
            select(&[TimeoutSsthresh::Each, TimeoutSsthresh::FirstOfSegment, TimeoutSsthresh::FirstOfWindow][..]),
            select(&[DuplicateAcks::Outstanding, DuplicateAcks::Unfinished][..]),
            any::<[bool; 5]>(),
        ),
        select(&[SecondFastRetransmit::Always, SecondFastRetransmit::Never, SecondFastRetransmit::UnlessTimeout][..]),
        select(&["first", "each"][..]),
        select(&[RecoveryExit::Keep, RecoveryExit::MinFlight, RecoveryExit::Rfc6582][..]),
        (
            select(&["at-once", "rate-halving", "prr-crb", "prr-ssrb", "prr", "prr-linux"][..]),
            (select(&["off", "timestamps", "dsack", "both"][..]), select(&["off", "rfc5682", "linux"][..])),
            select(&[Validation::Off, Validation::Linux][..]),
        ),
        select(&["pipe-twice", "two-segments", "two-segments-past-end"][..]),
        select(
            &[
                IdleRestart::Timer,
                IdleRestart::TimerKeepsWindow,
                IdleRestart::Rfc5681,
                IdleRestart::Linux,
                IdleRestart::Off,
            ][..],
        ),
        credit(),
    );
    let pacing = prop_oneof![3 => Just(None), 1 => (0.001..2.0).prop_map(Some)];
    let flags = (any::<[bool; 6]>(), any::<[bool; 4]>());
    let numbers = (1_u32..6, 1_u32..12, 0_u32..30, 100_u32..1500, flags, 0_u32..4, pacing);
    let skip = prop_oneof![Just(0_u32), 1_u32..20];
    let nagle = select(&["off", "on", "minshall"][..]);
    let defences = (nagle, any::<[bool; 4]>(), select(&[UnsentAck::Ignore, UnsentAck::Restart][..]), skip);
    (stacked(), choices, numbers, defences).prop_map(|(mut case, choices, numbers, defences)| {
        let (nagle, [sws_avoidance, inflation_limit, duplicates, equal], unsent_ack, skip) = defences;
        let (
            sequence,
            (rtt_filter, rto_floor),
            (halving, timeout_ssthresh, duplicate_acks, rack),
            second,
            partial_ack_timer,
            recovery_exit,
            (recovery_window, (undo, frto), validation),
            sack_partial,
            idle,
            credit,
        ) = choices;
        let (dup_thresh, initial_window, ssthresh, packet, (flags, receiver), blocks, pacing) = numbers;
        let seed = case.network.seed;
        let accurate = flags[5] && seed.is_multiple_of(3);
        let ace = [AceRule::Least, AceRule::Rfc9768, AceRule::Linux, AceRule::LinuxThinned][(seed / 3 % 4) as usize];
        let option = [AccEcnOption::Off, AccEcnOption::Changes, AccEcnOption::Always][(seed / 12 % 3) as usize];
        let change_acks = [ChangeAcks::Off, ChangeAcks::Marks, ChangeAcks::Both][(seed / 36 % 3) as usize];
        // A window must hold one segment, and a segment its timestamp.
        let window = match case.sender.window {
            Some(Window::Bytes(bytes)) => Window::Bytes(Bytes::new(bytes.get().max(u64::from(packet)))),
            other => other.expect("drawn above"),
        };
        let sequence = dressed(sequence, &[("nagle", nagle.into()), ("sws_avoidance", sws_avoidance.into())]);
        case.recovery = dressed(
            case.recovery,
            &[
                ("partial_ack_timer", partial_ack_timer.into()),
                ("partial", sack_partial.into()),
                ("window", recovery_window.into()),
                ("undo", undo.into()),
                ("frto", frto.into()),
                ("duplicates_restart_timer", duplicates.into()),
                ("inflate_when_blocked", flags[2].into()),
                ("partial_deflation", flags[3].into()),
                ("inflation_limit", inflation_limit.into()),
                ("search", if rack[2] { "linux" } else { "each-ack" }.into()),
                ("undo_evidence", if rack[3] { "segments" } else { "reduction" }.into()),
                ("marks", if rack[0] { "prr" } else { "at-once" }.into()),
                ("rtt_samples", if rack[1] { "linux" } else { "segments" }.into()),
                ("loss_counts", if rack[2] { "unreported" } else { "unsent" }.into()),
                ("timeout_cwnd", if rack[3] { "in-flight" } else { "one-segment" }.into()),
                ("probe", if rack[4] { "linux" } else { "rfc8985" }.into()),
            ],
        );
        // BBR and Prague pace by themselves.
        let paces = matches!(case.control, ControlKind::Bbr {} | ControlKind::Bbr3 {} | ControlKind::Prague { .. });
        let pacing = match pacing.filter(|_| !paces) {
            Some(share) => {
                Pacing::Spread { share, burst: 1 + case.network.seed as u32 % 12, round_trip: PacedTrip::Smoothed }
            }
            None => Pacing::Off {},
        };
        // Faults are those of senders with Reno's window, and inflation.
        let standard = matches!(case.control, ControlKind::Reno { .. })
            && matches!(case.recovery, RecoveryKind::Reno { .. } | RecoveryKind::Newreno { .. });
        let by_time = case.recovery.judges_segments();
        case.sender = SenderPatch {
            sequence: Some(sequence.into()),
            packet: Some(packet),
            rtt_filter: Some(rtt_filter.into()),
            rto_floor: Some(rto_floor),
            halving: Some(halving),
            timeout_ssthresh: Some(timeout_ssthresh),
            duplicate_acks: Some(duplicate_acks),
            mark_form: Some([MarkForm::Rfc3168, MarkForm::Ns2][(seed / 7 % 2) as usize]),
            second_fast_retransmit: Some(second),
            recovery_exit: Some(recovery_exit),
            fault: Some(if standard { FAULTS[case.network.seed as usize % FAULTS.len()] } else { SenderFault::None }),
            validation: Some(validation),
            slow_start_at_ssthresh: Some(equal),
            idle_restart: Some(idle),
            credit: Some(credit.into()),
            dup_thresh: Some(dup_thresh),
            initial_window: Some(f64::from(initial_window)),
            initial_ssthresh: Some(f64::from(ssthresh)),
            limited_transmit: Some(flags[0]),
            limited_transmit_new_only: Some(flags[1]),
            first_loss: Some(if flags[4] {
                FirstLoss::OneSegment
            } else {
                [FirstLoss::Keep, FirstLoss::Linux, FirstLoss::TwoSegments][(seed % 3) as usize]
            }),
            ecn: Some(flags[5]),
            accurate_ecn: Some(accurate),
            ace: Some(ace),
            pacing: Some(pacing.into()),
            unsent_ack: Some(unsent_ack),
            // A segment left out would be lost by RACK's clock.
            skip: Some(if by_time { 0 } else { skip }),
            window: Some(window),
            ..case.sender
        };
        case.receiver = ReceiverPatch {
            feedback: accurate.then_some(Feedback::Accurate),
            accecn_option: Some(option),
            change_acks: Some(change_acks),
            marked_acks: Some((seed / 48 % 8) as u32),
            purge_stale_sack: Some(receiver[0]),
            immediate_on_gap: Some(receiver[1]),
            immediate_on_syn: Some(receiver[2]),
            immediate_on_repeat: Some(receiver[3]),
            max_sack_blocks: Some(blocks),
            echo_each_mark: Some(case.network.seed.is_multiple_of(4)),
            ..case.receiver
        };
        // What was sent past the end is no longer past it when more is written: ns-2's slip, in units of segments.
        case.later = case.later.filter(|_| sack_partial != "two-segments-past-end");
        case
    })
}
