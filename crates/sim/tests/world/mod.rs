//! Random experiments: small networks of any shape, several flows, losses before and after queues, all kinds of queue.
//!
//! Drawn from a fixed seed, so that a green run stays green; `ACKLAB_SEED=n` draws others, `ACKLAB_CASES=n` so many, and
//! `ACKLAB_LONG=1` a hundred times as many.

#![allow(dead_code)] // each test file uses a part

pub mod recount;

use std::sync::Arc;

use acklab_packet::{Bytes, Rate, Time};
use acklab_path::Buffer;
use acklab_path::ack_filter::FilterSpec;
use acklab_path::queue::{
    CakeQueueParams, CobaltParams, CodelParams, DocsisPieParams, DualPi2Params, FqCobaltParams, FqCodelParams,
    FqPieParams, PieParams, RedParams,
};
use acklab_path::server::VaryingRate;
use acklab_path::spec::{GilbertElliott, LinkSpec, LossPlace, LossSpec, LossTarget, QueueSpec, Stay};
use acklab_path::stage::StageSpec;
use acklab_scenario::spec::{Custom, Datagrams, First, FlowSpec, Record, Repeat, Scenario, Size, Source, Spans, Stop};
use acklab_sim::{Outcome, Simulation};
use acklab_tcp::rules::{AckPolicyKind, PacedTrip, Pacing, RecoveryKind, SenderRules, Stack, Variants, Window, named};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Draws `cases` cases and checks each.
pub fn for_all<S: Strategy>(cases: u32, strategy: S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("ACKLAB_SEED").unwrap_or(1);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let times = if std::env::var_os("ACKLAB_LONG").is_some() { 100 } else { 1 };
    let cases = number("ACKLAB_CASES").map_or(times * cases, |n| n as u32);
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 3000,
        max_local_rejects: u32::MAX,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    if let Err(failure) = runner.run(&strategy, check) {
        panic!("ACKLAB_SEED={seed}: {failure}");
    }
}

/// Runs a scenario with everything recorded.
pub fn run(scenario: &Scenario) -> Outcome {
    Simulation::new(Arc::new(scenario.clone())).run()
}

/// An outcome as text, in which equal means equal to the last bit (and NaN equals NaN).
pub fn text(outcome: &Outcome) -> String {
    format!("{outcome:?}")
}

pub const ALL: Record = Record { series: true, queue: true, packets: true };

/// Whether a queue serves flows in turn.
pub fn is_fair(queue: &QueueSpec) -> bool {
    matches!(
        queue,
        QueueSpec::FqCodel(_)
            | QueueSpec::FqPie(_)
            | QueueSpec::FqCobalt(_)
            | QueueSpec::Cake(_)
            | QueueSpec::DualPi2(_)
    )
}

fn queue() -> impl Strategy<Value = QueueSpec> {
    let none = (None, None, None, None);
    type Limits = (Option<u64>, Option<u64>, Option<u64>, Option<u64>);
    let drop_tail = |(packets, waiting, bytes, waiting_bytes): Limits| {
        let (bytes, waiting_bytes) = (bytes.map(Buffer::bytes), waiting_bytes.map(Buffer::bytes));
        QueueSpec::drop_tail(packets, waiting, bytes, waiting_bytes)
    };
    let red = (2_u64..30, 1.0..4.0, 1.0..8.0, any::<[bool; 3]>()).prop_map(|(packets, min, more, [gentle, wait, ecn])| {
        let text = serde_json::json!({
            "packets": packets, "min": min, "max": min + more, "weight": 0.1, "gentle": gentle, "wait": wait, "ecn": ecn,
        });
        QueueSpec::Red(serde_json::from_value::<RedParams>(text).expect("RED's parameters"))
    });
    let codel = (2_u64..30, 0.001..0.02_f64, any::<bool>()).prop_map(|(packets, target, ecn)| {
        let (target, interval) = (Time::from_secs(target), Time::from_secs(0.05));
        QueueSpec::Codel(CodelParams { packets, target, interval, ecn, ..CodelParams::default() })
    });
    let fair = (1_u64..30, 1_u32..9, 1_u64..3000, any::<bool>()).prop_map(|(waiting, flows, quantum, ecn)| {
        let (quantum, memory) = (Bytes::new(quantum), Bytes::new(50_000));
        let interval = Time::from_secs(0.05);
        QueueSpec::FqCodel(FqCodelParams { waiting, flows, quantum, memory, interval, ecn, ..FqCodelParams::default() })
    });
    let burst = Time::ZERO;
    let pie = (2_u64..30, any::<[bool; 2]>()).prop_map(move |(packets, [byte_mode, ecn])| {
        QueueSpec::Pie(PieParams { packets, byte_mode, ecn, burst, ..PieParams::default() })
    });
    let fair_pie = (1_u64..30, 1_u32..9, any::<bool>()).prop_map(move |(waiting, flows, ecn)| {
        QueueSpec::FqPie(FqPieParams { waiting, flows, ecn, burst, ..FqPieParams::default() })
    });
    let docsis = (3_000_u64..30_000).prop_map(|buffer| {
        let text = serde_json::json!({ "buffer": format!("{buffer}B"), "mean": "1Mbps" });
        QueueSpec::DocsisPie(serde_json::from_value::<DocsisPieParams>(text).expect("DOCSIS-PIE's parameters"))
    });
    let dual = (2_u64..30, 0.0..100.0_f64, any::<bool>()).prop_map(|(waiting, classic_share, listed)| {
        let code_points = if listed { vec![0] } else { vec![] };
        QueueSpec::DualPi2(DualPi2Params { waiting, classic_share, code_points, ..DualPi2Params::default() })
    });
    let cobalt = (2_u64..30, any::<bool>())
        .prop_map(|(packets, ecn)| QueueSpec::Cobalt(CobaltParams { packets, ecn, ..CobaltParams::default() }));
    let fair_cobalt = (1_u64..30, 1_u32..9, any::<bool>()).prop_map(|(waiting, flows, ecn)| {
        QueueSpec::FqCobalt(FqCobaltParams { waiting, flows, ecn, ..FqCobaltParams::default() })
    });
    let cake = (prop::option::of(0.2e6..3e6), 3_000_u64..80_000, 0_usize..3, any::<bool>());
    let cake = cake.prop_map(|(bandwidth, memory, ack_filter, plain)| {
        let filter = ["off", "on", "aggressive"][ack_filter];
        let text = serde_json::json!({
            "memory": format!("{memory}B"), "ack_filter": filter, "overhead": 18,
            "tins": if plain { "besteffort" } else { "diffserv3" }, "rtt": "50ms",
        });
        let params: CakeQueueParams = serde_json::from_value(text).expect("CAKE's parameters");
        QueueSpec::Cake(CakeQueueParams { bandwidth: bandwidth.map(Rate::from_bps), ..params })
    });
    let kind = prop_oneof![
        2 => codel,
        1 => fair,
        1 => pie,
        1 => fair_pie,
        1 => docsis,
        1 => dual,
        1 => cobalt,
        1 => fair_cobalt,
        1 => cake,
        2 => Just(drop_tail(none)),
        3 => (2_u64..30).prop_map(move |n| drop_tail((Some(n), None, None, None))),
        1 => (0_u64..20).prop_map(move |n| drop_tail((None, Some(n), None, None))),
        1 => (2_000_u64..30_000).prop_map(move |n| drop_tail((None, None, Some(n), None))),
        1 => (2_000_u64..30_000).prop_map(move |n| drop_tail((None, None, None, Some(n)))),
        2 => red,
    ];
    let filters = [
        serde_json::json!({ "kind": "static", "threshold": 2 }),
        serde_json::json!({ "kind": "delayed", "share": 0.1 }),
        serde_json::json!({ "kind": "cake" }),
    ];
    let filters = filters.map(|filter| serde_json::from_value::<FilterSpec>(filter).expect("a filter"));
    (kind, prop_oneof![4 => Just(None), 1 => select(filters.to_vec()).prop_map(Some)])
        .prop_map(|(queue, filter)| filtered(queue, filter))
}

/// The queue with this filter, if it takes one.
fn filtered(queue: QueueSpec, filter: Option<FilterSpec>) -> QueueSpec {
    match (&queue, filter) {
        (QueueSpec::Cake(_), _) | (_, None) => queue,
        (_, Some(filter)) => {
            let mut text = serde_json::to_value(&queue).expect("a table");
            text["filter"] = serde_json::json!(filter);
            serde_json::from_value(text).expect("a queue")
        }
    }
}

fn bursts(good: Stay, bad: Stay) -> LossSpec {
    let bursts = GilbertElliott { good, bad, loss_good: 0.0, loss_bad: 0.8 };
    LossSpec { gilbert_elliott: Some(bursts), ..LossSpec::default() }
}

fn loss() -> impl Strategy<Value = Option<LossSpec>> {
    let place = select(&[LossPlace::BeforeQueue, LossPlace::AfterQueue][..]);
    let only = select(&[None, None, Some(LossTarget::Data), Some(LossTarget::Payload), Some(LossTarget::Acks)][..]);
    let time = |secs| Stay::Time(Time::from_secs(secs));
    let kind = prop_oneof![
        2 => (0.0..0.1).prop_map(|rate| LossSpec { rate: Some(rate), ..LossSpec::default() }),
        2 => prop::collection::vec(0_u64..60, 1..4).prop_map(|list| LossSpec { list: Some(list), ..LossSpec::default() }),
        1 => (20.0..200.0, 1.0..5.0).prop_map(|(good, bad)| bursts(Stay::Packets(good), Stay::Packets(bad))),
        1 => (0.1..5.0, 0.001..0.2).prop_map(move |(good, bad)| bursts(time(good), time(bad))),
    ];
    let some = (kind, place, only, prop::option::of(1_u32..1000)).prop_map(|(loss, place, only, seed)| {
        let seed = seed.filter(|_| loss.rate.is_some());
        Some(LossSpec { r#where: place, only, seed, ..loss })
    });
    prop_oneof![2 => Just(None), 1 => some]
}

/// Mostly constant; some request-grant uplinks.
fn varying() -> impl Strategy<Value = Option<VaryingRate>> {
    let grants = [
        serde_json::json!({ "kind": "docsis", "rate": "1.5Mbps", "channel": "4Mbps", "backoff": 2 }),
        serde_json::json!({ "kind": "docsis", "rate": "1Mbps", "requests": "packet" }),
        serde_json::json!({ "kind": "docsis", "rate": "4Mbps", "requests": "burst", "proactive": "1Mbps" }),
        serde_json::json!({ "kind": "lte", "rate": "1Mbps" }),
        serde_json::json!({ "kind": "nr", "rate": "4Mbps", "bler": 0.3 }),
        serde_json::json!({ "kind": "pon", "rate": "1.5Mbps" }),
    ];
    let grants: Vec<VaryingRate> =
        grants.into_iter().map(|rate| serde_json::from_value(rate).expect("a rate")).collect();
    prop_oneof![6 => Just(None), 1 => select(grants).prop_map(Some)]
}

type Direction = (f64, f64, QueueSpec, Option<LossSpec>, u16, Option<VaryingRate>);

fn direction() -> impl Strategy<Value = Direction> {
    // Few rates, so that packets of two links often arrive at the same instant.
    let rate = select(&[0.3e6, 1e6, 1.5e6, 4e6][..]);
    let delay = select(&[0.0, 0.001, 0.01, 0.05][..]);
    (rate, delay, queue(), loss(), prop_oneof![9 => Just(1_u16), 1 => Just(2)], varying())
}

/// Duplex links that make a tree of their nodes, and perhaps a few more that close rings.
fn links() -> impl Strategy<Value = (usize, Vec<LinkSpec>)> {
    let tree = prop::collection::vec((any::<prop::sample::Index>(), direction(), direction()), 1..5);
    let chords =
        prop::collection::vec((any::<(prop::sample::Index, prop::sample::Index)>(), direction(), direction()), 0..3);
    (tree, chords).prop_map(|(tree, chords)| {
        let nodes = tree.len() + 1;
        let mut links = Vec::new();
        let mut duplex = |a: usize, b: usize, there: Direction, back: Direction| {
            for (from, to, (rate, delay, queue, loss, crossings, varying)) in [(a, b, there), (b, a, back)] {
                let rate = varying.as_ref().map_or(Rate::from_bps(rate), |varying| varying.rate());
                let delay = Time::from_secs(delay);
                links.push(LinkSpec {
                    from: from as u32,
                    to: to as u32,
                    rate,
                    varying,
                    delay,
                    queue,
                    loss,
                    crossings,
                    stages: Vec::new(),
                });
            }
        };
        for (index, (parent, there, back)) in tree.into_iter().enumerate() {
            duplex(parent.index(index + 1), index + 1, there, back);
        }
        for ((a, b), there, back) in chords {
            let (a, b) = (a.index(nodes), b.index(nodes));
            if a != b {
                duplex(a, b, there, back);
            }
        }
        (nodes, links)
    })
}

/// Packets that carry no data have no bytes: the ACK of a SYN's answer, the answer to a FIN, probes.
pub fn without_header(sender: &mut SenderRules) {
    (sender.header, sender.handshake_ack) = (0, sender.syn);
}

fn flow() -> impl Strategy<Value = (prop::sample::Index, prop::sample::Index, FlowSpec)> {
    let size = prop_oneof![
        4 => (1_u64..60).prop_map(Size::Segments),
        2 => (1_u64..60_000).prop_map(Size::Bytes),
        1 => (1_u64..30_000, 0_u64..30_000).prop_map(|(low, more)| Size::Uniform { low, high: low + more }),
        1 => Just(Size::Unlimited),
    ];
    let repeat = prop::option::weighted(0.3, (1_u32..5, select(&[0.0, 0.01, 0.5][..])));
    let times = (select(&[0.0, 0.5, 1.0][..]), 1_u32..4, select(&[0.0, 0.1][..]));
    let recoveries = ["tahoe", "reno", "newreno", "sack", "rfc6675", "rack", "rfc9002"].map(named::<RecoveryKind>);
    let flags = (any::<[bool; 4]>(), prop::bool::weighted(0.2));
    let rules = (select(&Stack::ALL[..]), select(recoveries.to_vec()), 1_u32..30, flags);
    let ends = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let source = prop::option::weighted(
        0.15,
        prop_oneof![
            Just(Source::Telnet { mean: Some(Time::from_secs(0.2)), pauses: None, write: None }),
            (0.1..1.0, 0.0..1.0, any::<bool>()).prop_map(|(on, off, first)| {
                let (on, off, first) =
                    (Time::from_secs(on), Time::from_secs(off), if first { First::On } else { First::Off });
                Source::Udp(Datagrams {
                    rate: Rate::from_bps(1e6),
                    packet: 500,
                    on,
                    off,
                    spans: Spans::Exponential,
                    first,
                })
            }),
        ],
    );
    (ends, size, repeat, times, rules, source).prop_map(
        |((from, to), size, repeat, (start, count, stagger), (stack, recovery, window, (flags, bare)), source)| {
            let (mut sender, mut receiver) = (stack.sender(), stack.receiver());
            sender.recovery = recovery;
            sender.window = Window::Segments(window);
            [sender.ecn, sender.fin] = [flags[0], flags[1] && source.is_none()];
            sender.pacing = if flags[2] && flags[0] {
                Pacing::Spread { share: 0.5, burst: 1, round_trip: PacedTrip::Smoothed }
            } else {
                Pacing::Off {}
            };
            if bare {
                without_header(&mut sender);
            }
            receiver.sack = recovery.uses_sack();
            receiver.dsack = recovery.uses_dsack();
            if flags[3] {
                receiver.ack = AckPolicyKind::Every {};
            }
            let times_packets = recovery.times_packets();
            sender.timestamps &= !times_packets;
            if times_packets && matches!(receiver.ack, AckPolicyKind::Quic { .. }) {
                sender.recovery = recovery.with("packet_numbers", true);
                receiver.ack = receiver.ack.with("packet_numbers", true);
            }
            let repeat = repeat.filter(|_| size != Size::Unlimited && source.is_none());
            let spec = FlowSpec {
                name: String::new(),
                from: 0,
                to: 0,
                start: Time::from_secs(start),
                after: None,
                count,
                stagger: Time::from_secs(stagger),
                size,
                source,
                repeat: repeat.map(|(times, think)| {
                    let [think, think_to] = [think, 1.5 * think].map(Time::from_secs);
                    Repeat { times, think, think_to }
                }),
                sender: Arc::new(sender),
                receiver: Arc::new(receiver),
                dscp: 0,
                custom: Custom::default(),
            };
            (from, to, spec)
        },
    )
}

/// A list of up to two stages of any kind.
pub fn stages() -> impl Strategy<Value = Vec<StageSpec>> {
    let all = [
        serde_json::json!({ "kind": "header-compression" }),
        serde_json::json!({ "kind": "header-compression", "slots": 1, "repair": "request" }),
        serde_json::json!({ "kind": "ack-reconstruction", "step": 1 }),
        serde_json::json!({ "kind": "ack-reconstruction", "step": 700, "spacing": "1ms", "most": 3 }),
        serde_json::json!({ "kind": "ack-respacing", "step": 2 }),
        serde_json::json!({ "kind": "ack-respacing", "threshold": 900, "step": 700, "spacing": "1ms", "adaptive": false }),
        serde_json::json!({ "kind": "rbscp", "pieces": 3 }),
        serde_json::json!({ "kind": "spack", "pieces": 4, "timer": "300ms" }),
        serde_json::json!({ "kind": "reorder", "rate": 0.1, "by": "30ms" }),
        serde_json::json!({ "kind": "reorder", "list": [3, 8, 9, 20], "by": "500ms", "overtaken": 4, "only": "payload" }),
        serde_json::json!({ "kind": "jitter", "mean": "20ms", "distribution": "pareto", "most": "1s" }),
        serde_json::json!({ "kind": "jitter", "mean": "20ms", "order": "free", "only": "acks" }),
        serde_json::json!({ "kind": "duplicate", "rate": 0.1, "after": "5ms" }),
        serde_json::json!({ "kind": "pause", "at": ["500ms", "2s"], "length": "700ms" }),
        serde_json::json!({ "kind": "gro", "coalesce": "3ms" }),
        serde_json::json!({ "kind": "gro", "coalesce": "1ms", "budget": 3, "flush_timeout": "20ms", "timestamps": "0s" }),
        serde_json::json!({ "kind": "thin", "every": 4, "hold": "30ms" }),
    ];
    let one = select(all.to_vec()).prop_map(|json| serde_json::from_value(json).expect("a stage"));
    prop::collection::vec(one, 0..3).prop_filter("one compression", |stages: &Vec<StageSpec>| {
        stages.iter().filter(|stage| matches!(stage, StageSpec::HeaderCompression(_))).count() < 2
    })
}

/// An experiment that shows itself on few lines.
#[derive(Clone)]
pub struct World(pub Scenario);

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Scenario { seed, stop, nodes, links, flows, .. } = &self.0;
        writeln!(f, "seed {seed}, {stop:?}, {} nodes", nodes.len())?;
        for (index, LinkSpec { from, to, rate, varying, delay, queue, loss, crossings, stages }) in
            links.iter().enumerate()
        {
            writeln!(
                f,
                "  link {index}: {from} -> {to} {rate} {varying:?} {delay} {queue:?} {loss:?} x {crossings} {stages:?}"
            )?;
        }
        for flow in flows {
            let FlowSpec { name, from, to, start, count, stagger, size, source, repeat, sender, receiver, .. } = flow;
            write!(f, "  {name}: {from} -> {to} at {start} x {count} every {stagger}, {size:?} {source:?} {repeat:?}")?;
            let (recovery, window, sequence) = (sender.recovery, sender.window, sender.sequence);
            write!(f, ", {sequence:?} {recovery:?} {window:?} syn {} fin {}", sender.syn, sender.fin)?;
            write!(f, " header {} handshake_ack {}", sender.header, sender.handshake_ack)?;
            writeln!(f, " ecn {} pacing {:?} {:?}", sender.ecn, sender.pacing, receiver.ack)?;
        }
        Ok(())
    }
}

/// A random experiment with everything recorded.
pub fn world() -> impl Strategy<Value = World> {
    let stop = prop_oneof![
        (1.0..8.0).prop_map(|at| Stop::At(Time::from_secs(at))),
        (1.0..12.0).prop_map(|at| Stop::FlowsComplete { at_most: Time::from_secs(at) }),
    ];
    (links(), prop::collection::vec(flow(), 1..5), stop, 0_u64..1000).prop_map(|((nodes, links), flows, stop, seed)| {
        let flows = flows.into_iter().enumerate().map(|(index, (from, to, spec))| {
            let from = from.index(nodes);
            let to = (from + 1 + to.index(nodes - 1)) % nodes;
            FlowSpec { name: format!("f{index}"), from: from as u32, to: to as u32, ..spec }
        });
        World(Scenario {
            title: String::new(),
            seed,
            stop,
            nodes: (0..nodes).map(|n| format!("n{n}")).collect(),
            links,
            media: Vec::new(),
            flows: flows.collect(),
            programs: Vec::new(),
            expect: Vec::new(),
            record: ALL,
        })
    })
}
