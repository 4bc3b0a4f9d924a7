//! A congestion control, an ACK policy and a queue of one's own: a transfer with those that its scenario names, then with these.
//!
//! `cargo run --manifest-path examples/custom/Cargo.toml` prints what each took.

use std::collections::VecDeque;
use std::sync::Arc;

use acklab_packet::Time;
use acklab_path::PacketView;
use acklab_path::queue::{Discipline, Removal, Service};
use acklab_path::spec::QueueSpec;
use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_tcp::receiver::policy::{AckPolicy, Arrival, Emission};
use acklab_tcp::sender::control::{AckEvent, CongestionControl, Needs, Reduced, Signal, Window};

const SCENARIO: &str = r#"
title = "one transfer over a T1"
stop  = { when = "flows-complete", at_most = "100s" }

[[link]]
between = ["S", "R"]
rate  = "1.5Mbps"
delay = "50ms"
queue = { kind = "drop-tail", packets = 100 }

[[flow]]
name = "f"
from = "S"
to   = "R"
size = { segments = 500 }
sender = { stack = "rfc", control.slow_start = "standard" }
receiver = { stack = "rfc" }
"#;

/// Slow start until the round trip has grown by a tenth, then the window that fills the path without a queue.
#[derive(Clone, Debug, Default)]
struct NoQueue {
    least_rtt: Option<f64>,
}

impl CongestionControl for NoQueue {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let Some(rtt) = ack.rtt else { return };
        let least = self.least_rtt.map_or(rtt, |least| least.min(rtt));
        self.least_rtt = Some(least);
        if rtt > 1.1 * least && !ack.in_recovery() {
            window.cwnd = (window.cwnd * least / rtt).max(2.0 * window.mss);
            window.ssthresh = window.cwnd;
        }
    }

    fn on_congestion(&mut self, _: Signal, in_use: f64, _: &Window) -> Reduced {
        Reduced::to(in_use / 2.0)
    }
}

/// An ACK for each `every`-th segment in order, or after 100 ms.
#[derive(Clone, Debug)]
struct EveryNth {
    every: u32,
    held: u32,
}

impl AckPolicy for EveryNth {
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.held += 1;
        if !arrival.in_order || self.held >= self.every {
            return Emission::Now;
        }
        Emission::By(arrival.now + Time::from_secs(0.1))
    }

    fn on_timer(&mut self, _: Time) -> Emission {
        Emission::Now
    }

    fn on_ack_sent(&mut self, _: Time) {
        self.held = 0;
    }
}

/// First in, first out; an arrival at a full queue drops the oldest packet.
#[derive(Clone, Debug)]
struct HeadDrop {
    limit: usize,
    waiting: VecDeque<u64>,
}

impl Discipline for HeadDrop {
    fn enqueue(&mut self, packet: PacketView, _: Service, _: Time, removed: &mut Vec<(u64, Removal)>) {
        self.waiting.push_back(packet.number);
        if self.waiting.len() > self.limit {
            removed.extend(self.waiting.pop_front().map(|number| (number, Removal::Full)));
        }
    }

    fn dequeue(&mut self, _: Time, _: &mut Vec<(u64, Removal)>) -> Option<(u64, bool)> {
        self.waiting.pop_front().map(|number| (number, false))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let named = parse_toml(SCENARIO, "")?;
    let mut own = named.clone();
    own.flows[0].custom.control = Some(Box::new(NoQueue::default()));
    own.flows[0].custom.policy = Some(Box::new(EveryNth { every: 4, held: 0 }));
    let mut queue = named.clone();
    queue.links[0].queue = QueueSpec::Custom(HeadDrop { limit: 20, waiting: VecDeque::new() }.into());
    for (name, scenario) in [("rfc", named), ("own", own), ("queue", queue)] {
        let outcome = Simulation::new(Arc::new(scenario)).run();
        let (flow, queue) = (&outcome.flows[0], &outcome.links[0]);
        println!(
            "{name}: {} segments acknowledged with {} ACKs, {:.1} packets in the queue on average",
            flow.segments_acked, flow.acks_sent, queue.mean_queue_packets
        );
    }
    Ok(())
}
