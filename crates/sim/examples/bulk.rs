//! N bulk flows through one bottleneck, for profilers: `bulk N MBPS SECONDS [RECOVERY] [every] [event-by-event] [unstarted] [fq-codel]`,
//! with RECOVERY one of `reno`, `newreno`, `sack`, `rfc6675`, `fack`, `rack`.

use std::sync::Arc;

use acklab_packet::{Rate, Time};
use acklab_path::queue::FqCodelParams;
use acklab_path::spec::{LinkSpec, QueueSpec};
use acklab_scenario::spec::{Custom, FlowSpec, Record, Scenario, Size, Stop};
use acklab_sim::Simulation;
use acklab_tcp::rules::{AckPolicyKind, Stack, Window, named};

const RECOVERIES: [&str; 6] = ["reno", "newreno", "sack", "rfc6675", "fack", "rack"];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: f64| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (n, mbps, seconds) = (number(0, 4.0) as u32, number(1, 100.0), number(2, 60.0));
    let name = args.get(3).map(String::as_str).filter(|name| RECOVERIES.contains(name));
    let recovery = named(name.unwrap_or("sack"));
    let pairs = n.min(100);
    let rate = Rate::from_bps(mbps * 1e6);
    let queue = |packets| QueueSpec::drop_tail(Some(packets), None, None, None);
    let mut links = Vec::new();
    let mut duplex = |a: u32, b: u32, rate: Rate, delay: f64, limit: u64| {
        for (from, to) in [(a, b), (b, a)] {
            let (delay, queue) = (Time::from_secs(delay), queue(limit));
            links.push(LinkSpec {
                from,
                to,
                rate,
                varying: None,
                delay,
                queue,
                loss: None,
                crossings: 1,
                stages: Vec::new(),
            });
        }
    };
    let fair = args.iter().any(|arg| arg == "fq-codel");
    duplex(0, 1, rate, 0.02, (mbps * 1e6 * 0.06 / 8.0 / 1000.0) as u64);
    for k in 0..pairs {
        duplex(2 + 2 * k, 0, Rate::from_bps(mbps * 1e7), 0.005, 10_000_000);
        duplex(1, 3 + 2 * k, Rate::from_bps(mbps * 1e7), 0.005, 10_000_000);
    }
    if fair {
        links[0].queue = QueueSpec::FqCodel(FqCodelParams::default());
    }
    let mut sender = Stack::Ns2At235.sender();
    sender.window = Window::Segments(100_000);
    sender.packet = 960;
    sender.recovery = recovery;
    let mut receiver = Stack::Ns2At235.receiver();
    if args.iter().any(|arg| arg == "every") {
        receiver.ack = AckPolicyKind::Every {};
    }
    let (sender, receiver) = (Arc::new(sender), Arc::new(receiver));
    let stagger = if n > 1000 { 0.1 * seconds / f64::from(n) } else { 0.01 };
    let first = if args.iter().any(|arg| arg == "unstarted") { 2.0 * seconds } else { 0.0 };
    let flows = (0..n)
        .map(|i| FlowSpec {
            name: format!("f{i}"),
            from: 2 + 2 * (i % pairs),
            to: 3 + 2 * (i % pairs),
            start: Time::from_secs(first + stagger * f64::from(i)),
            after: None,
            count: 1,
            stagger: Time::ZERO,
            size: Size::Unlimited,
            source: None,
            repeat: None,
            sender: sender.clone(),
            receiver: receiver.clone(),
            dscp: 0,
            custom: Custom::default(),
        })
        .collect();
    let nodes = (0..2 + 2 * pairs).map(|i| i.to_string()).collect();
    let stop = Stop::At(Time::from_secs(seconds));
    let scenario = Scenario {
        title: String::new(),
        seed: 1,
        stop,
        nodes,
        links,
        media: Vec::new(),
        flows,
        programs: Vec::new(),
        expect: Vec::new(),
        record: Record::default(),
    };
    let mut simulation = Simulation::new(Arc::new(scenario));
    if args.iter().any(|arg| arg == "event-by-event") {
        simulation.run_until(Time::ZERO).expect("it goes on");
    }
    let outcome = simulation.run();
    let sum = |f: fn(&acklab_sim::outcome::FlowRow) -> u64| outcome.flows.iter().map(f).sum::<u64>();
    println!(
        "acked {} retransmits {} timeouts {} drops {}",
        sum(|f| f.segments_acked),
        sum(|f| f.retransmits),
        sum(|f| f.timeouts),
        outcome.links[0].drops
    );
}
