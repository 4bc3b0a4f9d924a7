//! Who comes first: events at the same instant, routes of the same length, the end of a run, one transfer after another.

mod world;

use std::sync::Arc;

use acklab_packet::{Body, Rate, Time};
use acklab_path::Buffer;
use acklab_path::spec::{LinkSpec, LossSpec, LossTarget, QueueSpec};
use acklab_scenario::spec::{Custom, FlowSpec, Repeat, Scenario, Size, Stop};
use acklab_sim::outcome::PacketEvent::*;
use acklab_sim::outcome::{PacketEvent, PacketRow};
use acklab_tcp::rules::{AckPolicyKind, Stack, Window, named};
use world::{ALL, run};

fn drop_tail(packets: u64) -> QueueSpec {
    QueueSpec::drop_tail(Some(packets), None, None, None)
}

/// Both directions of a link at 8 Mb/s: a packet of 1000 bytes takes 1 ms.
fn duplex(from: u32, to: u32, delay: f64) -> [LinkSpec; 2] {
    [(from, to), (to, from)].map(|(from, to)| LinkSpec {
        from,
        to,
        rate: Rate::from_bps(8e6),
        varying: None,
        delay: Time::from_secs(delay),
        queue: QueueSpec::DEFAULT,
        loss: None,
        crossings: 1,
        stages: Vec::new(),
    })
}

/// A transfer of `segments` segments of 1000 bytes from node 0 to `to`, `window` of them at once from the start.
fn transfer(to: u32, segments: u64, window: u32) -> FlowSpec {
    let (mut sender, mut receiver) = (Stack::Ns2In1998.sender(), Stack::Ns2In1998.receiver());
    sender.initial_window = f64::from(window);
    sender.window = Window::Segments(window);
    receiver.ack = AckPolicyKind::Every {};
    receiver.sack = false;
    FlowSpec {
        name: "f".to_owned(),
        from: 0,
        to,
        start: Time::ZERO,
        after: None,
        count: 1,
        stagger: Time::ZERO,
        size: Size::Segments(segments),
        source: None,
        repeat: None,
        sender: Arc::new(sender),
        receiver: Arc::new(receiver),
        dscp: 0,
        custom: Custom::default(),
    }
}

fn scenario(nodes: usize, links: Vec<LinkSpec>, flow: FlowSpec) -> Scenario {
    let stop = Stop::FlowsComplete { at_most: Time::from_secs(100.0) };
    let nodes = (0..nodes).map(|n| format!("n{n}")).collect();
    Scenario {
        title: String::new(),
        seed: 1,
        stop,
        nodes,
        links,
        media: Vec::new(),
        flows: vec![flow],
        programs: Vec::new(),
        expect: Vec::new(),
        record: ALL,
    }
}

fn events(rows: &[PacketRow], link: u32) -> Vec<(PacketEvent, u64, f64)> {
    let rows = rows.iter().filter(|row| row.link == link && row.packet.is_data());
    rows.map(|row| (row.event, seq(row), row.time_s)).collect()
}

fn seq(row: &PacketRow) -> u64 {
    match row.packet.body {
        Body::Data(segment) => segment.seq,
        Body::Ack(ack) => ack.ack,
        Body::Probe(probe) => probe.seq,
        Body::Datagram(number) => number,
    }
}

/// docs/oracle/NS2-SEMANTICS.md section 1: of one transmission the delivery is scheduled first, then the end of service.
/// Without delay both fall on the same instant: the packet arrives before the next one is taken.
#[test]
fn delivery_comes_before_the_end_of_service() {
    let outcome = run(&scenario(2, duplex(0, 1, 0.0).to_vec(), transfer(1, 2, 2)));
    let expected = [
        (Enqueue, 0, 0.0),
        (Dequeue, 0, 0.0),
        (Enqueue, 1, 0.0),
        (Deliver, 0, 0.001),
        (Dequeue, 1, 0.001),
        (Deliver, 1, 0.002),
    ];
    assert_eq!(events(&outcome.packets, 0), expected);
}

/// Section 1, the tie that decides drops: packets leave the first link every 1 ms and reach the second as its service of
/// the one before ends, decided earlier. The end of service comes first: without room to wait, none is dropped.
#[test]
fn service_ends_before_the_packet_behind_arrives() {
    let mut links = [duplex(0, 1, 0.0), duplex(1, 2, 0.0)].concat();
    links[2].queue = QueueSpec::drop_tail(None, Some(0), None, None);
    let outcome = run(&scenario(3, links, transfer(2, 8, 8)));
    assert_eq!((outcome.links[2].packets, outcome.links[2].drops), (8, 0));
    assert_eq!(outcome.flows[0].finished_s.map(|at| (at * 1e6).round()), Some(9080.0), "8 + 1 ms, and 2 ACKs of 40 us");
}

/// A burst of ten meets an idle link. `packets = n` lets one into service and n - 1 wait, in ns-2's way of counting.
#[test]
fn a_burst_fills_the_queue() {
    let limits = [
        (drop_tail(4), 1 + 3),
        (QueueSpec::drop_tail(None, Some(4), None, None), 1 + 4),
        (QueueSpec::drop_tail(None, None, Some(Buffer::bytes(4000)), None), 4),
        (QueueSpec::drop_tail(None, None, None, Some(Buffer::bytes(4000))), 1 + 4),
        (drop_tail(10), 10),
        (drop_tail(9), 9),
    ];
    for (queue, admitted) in limits {
        let mut links = duplex(0, 1, 0.01).to_vec();
        links[0].queue = queue.clone();
        let outcome =
            run(&Scenario { stop: Stop::At(Time::from_secs(0.009)), ..scenario(2, links, transfer(1, 10, 10)) });
        assert_eq!(outcome.links[0].drops, 10 - admitted, "{queue:?}");
    }
}

/// Of routes with equally many links the one whose first differing link stands first in the file is taken.
#[test]
fn ties_between_routes_go_by_the_order_of_the_file() {
    // 0 to 3 by way of 1 or 2; by way of 4 and 5 it is longer.
    let detour = [duplex(0, 4, 0.0), duplex(4, 5, 0.0), duplex(5, 3, 0.0)].concat();
    let upper = [duplex(0, 1, 0.0), duplex(1, 3, 0.0)].concat();
    let lower = [duplex(0, 2, 0.0), duplex(2, 3, 0.0)].concat();
    for (links, used) in
        [([detour.clone(), upper.clone(), lower.clone()].concat(), 1), ([detour, lower, upper].concat(), 2)]
    {
        let outcome = run(&scenario(6, links, transfer(3, 3, 3)));
        for link in &outcome.links {
            let on_it = link.from == format!("n{used}") || link.to == format!("n{used}");
            assert_eq!(link.packets, if on_it { 3 } else { 0 }, "{} -> {}", link.from, link.to);
        }
    }
}

/// Parallel links between the same nodes: the first of the file carries everything.
#[test]
fn the_first_of_parallel_links_is_used() {
    let outcome = run(&scenario(2, [duplex(0, 1, 0.0), duplex(0, 1, 0.0)].concat(), transfer(1, 3, 3)));
    assert_eq!(outcome.links.iter().map(|link| link.packets).collect::<Vec<_>>(), [3, 3, 0, 0]);
}

/// `stop = { at = T }`: what is due at T and was decided during the run does not happen; what was decided before it, a
/// flow's start, does. A moment later both have.
#[test]
fn the_end_comes_before_what_falls_on_it() {
    let links = duplex(0, 1, 0.0).to_vec();
    let until = |at: f64, start: f64| {
        let flow = FlowSpec { start: Time::from_secs(start), ..transfer(1, 2, 2) };
        run(&Scenario { stop: Stop::At(Time::from_secs(at)), ..scenario(2, links.clone(), flow) })
    };
    let outcome = until(0.001, 0.0);
    assert_eq!(outcome.end_s, 0.001);
    assert_eq!(events(&outcome.packets, 0), [(Enqueue, 0, 0.0), (Dequeue, 0, 0.0), (Enqueue, 1, 0.0)]);
    assert_eq!((outcome.links[0].packets, outcome.links[0].utilisation), (1, 1.0));
    assert_eq!(until(0.001 + 1e-9, 0.0).links[0].packets, 2);
    let at_once = until(0.001, 0.001);
    assert_eq!((at_once.flows[0].segments_sent, at_once.links[0].packets, at_once.links[0].utilisation), (2, 1, 0.0));
    assert_eq!(until(0.001, 0.001 + 1e-9).flows[0].segments_sent, 0);
}

/// `flows-complete`: the run ends with the ACK that finishes the last flow, or at `at_most`, with that flow unfinished.
#[test]
fn a_run_ends_with_its_last_flow() {
    let links = duplex(0, 1, 0.0).to_vec();
    let until = |at_most: f64| {
        let stop = Stop::FlowsComplete { at_most: Time::from_secs(at_most) };
        run(&Scenario { stop, ..scenario(2, links.clone(), transfer(1, 2, 2)) })
    };
    // Two segments of 1 ms, the last one's ACK of 0.04 ms.
    let outcome = until(100.0);
    assert_eq!((outcome.end_s, outcome.flows[0].finished_s), (0.00204, Some(0.00204)));
    assert!(!until(0.00204).flows[0].completed, "at_most comes before what falls on it");
    assert!(until(0.00204 + 1e-9).flows[0].completed);
    assert_eq!(until(0.001).end_s, 0.001);
}

/// Repeated transfers: each on a connection of its own, `think` after the last one's end. Packets that the old one left
/// in the network mean nothing to the new one, though their numbers would fit.
#[test]
fn late_packets_of_an_old_connection_are_ignored() {
    // The timer runs out at 0.3 s, before the first ACK is back at 0.5 s: segment 0 is sent twice, and its second copy
    // arrives, and is answered, when the next transfer is under way.
    let links = duplex(0, 1, 0.25).to_vec();
    let mut flow = transfer(1, 4, 4);
    let mut sender = (*flow.sender).clone();
    sender.initial_rto = Time::from_secs(0.3);
    flow.sender = Arc::new(sender);
    flow.repeat = Some(Repeat { times: 3, think: Time::from_secs(0.01), think_to: Time::from_secs(0.01) });
    let outcome = run(&scenario(2, links, flow));
    assert_eq!(outcome.flows.iter().map(|flow| flow.name.as_str()).collect::<Vec<_>>(), ["f", "f#2", "f#3"]);
    for flow in &outcome.flows {
        assert!(flow.completed);
        assert_eq!((flow.bytes, flow.timeouts), (4000, 1), "{}", flow.name);
        assert!(flow.acks_received >= 4 && flow.acks_received <= flow.acks_sent);
    }
    // Late packets did arrive: data of one connection at the receiver of the next.
    let mut starts = outcome.flows.iter().filter_map(|flow| flow.start_s);
    let second = starts.nth(1).expect("three transfers");
    let late = |row: &&PacketRow| row.event == Deliver && row.transfer == 0 && row.time_s > second;
    assert!(outcome.packets.iter().filter(late).count() > 0);
    // Each transfer starts `think` after the end of the one before, and none ends sooner than a first one would.
    for pair in outcome.flows.windows(2) {
        let gap = pair[1].start_s.expect("started") - pair[0].finished_s.expect("finished");
        assert!((gap - 0.01).abs() < 1e-12);
        assert!(pair[1].completion_s >= Some(0.5));
    }
}

/// A page: three files that begin when the text has come, all again after a pause that begins with the last one's end.
#[test]
fn flows_begin_at_the_ends_of_those_they_follow() {
    let links = duplex(0, 1, 0.01).to_vec();
    let mut text = transfer(1, 4, 4);
    text.count = 2;
    text.stagger = Time::from_secs(0.5);
    text.repeat = Some(Repeat { times: 3, think: Time::from_secs(0.1), think_to: Time::from_secs(0.2) });
    let mut files = transfer(1, 9, 2);
    (files.name, files.count, files.after, files.repeat) = ("file".to_owned(), 4, Some(0), text.repeat);
    let mut last = transfer(1, 1, 1);
    (last.name, last.count, last.after, last.repeat) = ("last".to_owned(), 4, Some(1), text.repeat);
    (last.start, last.stagger) = (Time::from_secs(0.02), Time::from_secs(0.01));
    let all = Scenario { flows: vec![text.clone(), files.clone(), last], ..scenario(2, links.clone(), text.clone()) };
    let outcome = run(&all);
    assert_eq!(outcome.flows.len(), 3 * (2 + 4 + 4));
    assert!(outcome.flows.iter().all(|row| row.completed));
    let row = |name: String| outcome.flows.iter().find(|row| row.name == name).expect("there is such a row");
    for round in 1..=3 {
        let named = |name: &str| row(if round == 1 { name.to_owned() } else { format!("{name}#{round}") });
        let end = |name: &str| named(name).finished_s.expect("finished");
        for page in 0..2 {
            let mut ends = f64::MIN;
            for file in [page, page + 2] {
                assert_eq!(named(&format!("file{file}")).start_s, Some(end(&format!("f{page}"))));
                let start = named(&format!("last{file}")).start_s.expect("started");
                let due = end(&format!("file{file}")) + 0.02 + 0.01 * f64::from(file);
                assert!((start - due).abs() < 1e-12);
                ends = ends.max(end(&format!("last{file}")));
            }
            if round < 3 {
                let again = row(format!("f{page}#{}", round + 1)).start_s.expect("started");
                assert!((0.1..0.2).contains(&(again - ends)), "{again} {ends}");
            }
        }
    }
    // Where the first ends too late, what follows it has no start.
    let cut = Scenario { stop: Stop::At(Time::from_secs(0.001)), ..all };
    let rows = run(&cut).flows;
    assert_eq!(rows.iter().map(|row| row.start_s).collect::<Vec<_>>()[..3], [Some(0.0), Some(0.5), None]);
    assert!(rows.iter().all(|row| !row.completed));
}

/// A loss list counts what its model sees, from 0, on the packets of its direction only.
#[test]
fn loss_lists_count_what_they_see() {
    let lost = |list: Vec<u64>, only: Option<LossTarget>| {
        let mut links = duplex(0, 1, 0.01).to_vec();
        links[0].loss = Some(LossSpec { list: Some(list), only, ..LossSpec::default() });
        let mut flow = transfer(1, 20, 4);
        let sender = acklab_tcp::rules::SenderRules { recovery: named("newreno"), ..(*flow.sender).clone() };
        flow.sender = Arc::new(sender);
        let outcome = run(&scenario(2, links, flow));
        let lost = outcome.packets.iter().filter(|row| row.event == Lose);
        lost.map(|row| (row.link, seq(row))).collect::<Vec<_>>()
    };
    assert_eq!(lost(vec![5, 3, 5], None), [(0, 3), (0, 5)]);
    assert_eq!(lost(vec![5], Some(LossTarget::Data)), [(0, 5)]);
    assert_eq!(lost(vec![0, 1, 2], Some(LossTarget::Acks)), []);
}

/// A pipe crossed twice has one queue and one transmitter for both passes (ledger veno.m.dummynet).
#[test]
fn both_passes_of_a_pipe_share_its_transmitter() {
    let mut links = duplex(0, 1, 0.01).to_vec();
    links[0].crossings = 2;
    let outcome = run(&scenario(2, links, transfer(1, 15, 15)));
    let times = |event| {
        let rows = outcome.packets.iter().filter(move |row| row.link == 0 && row.event == event);
        rows.map(|row| ((row.time_s * 1e3).round() as u64, seq(row))).collect::<Vec<_>>()
    };
    // 15 packets of 1 ms at once: the first is back at the pipe after 11 ms, behind the three that still wait.
    let served = times(Dequeue);
    assert_eq!(served[..15], (0..15).map(|k| (k, k)).collect::<Vec<_>>());
    assert_eq!(served[15..], (0..15).map(|k| (15 + k, k)).collect::<Vec<_>>());
    assert_eq!(times(Deliver)[15], (26, 0));
    assert_eq!((outcome.links[0].packets, outcome.flows[0].segments_sent), (30, 15));
}
