//! Packets of nodes that are not the simulator's.

use std::sync::Arc;

use acklab_packet::{Body, Ecn, Packet, Segment, Time};
use acklab_path::queue::Removal;
use acklab_sim::{Left, Simulation};

const LINK: &str =
    "record.packets = true\nstop.at = '1s'\n[[link]]\nbetween = ['S', 'R']\nrate = '8Mbps'\ndelay = '10ms'\n";

fn simulation(text: &str) -> Simulation {
    let scenario = acklab_scenario::parse_toml(text, "t").unwrap_or_else(|error| panic!("{error}"));
    Simulation::with_outside(Arc::new(scenario)).unwrap_or_else(|why| panic!("{why}"))
}

fn packet(flow: u32, seq: u64) -> Packet {
    let segment = Segment { seq, len: 960, ecn: Ecn::Ect, ..Segment::default() };
    Packet { flow, size: 1000, connection: 0, place: 0, body: Body::Data(segment) }
}

/// Everything due up to `until` happens; what has left the network.
fn left(simulation: &mut Simulation, until: f64) -> Vec<Left> {
    let (mut all, mut some) = (Vec::new(), Vec::new());
    while simulation.due().is_some_and(|due| due.secs() <= until) {
        simulation.run_some(1).expect("it goes on");
        simulation.take_left(&mut some);
        all.append(&mut some);
    }
    all
}

#[test]
fn a_packet_arrives_when_the_path_says() {
    let mut simulation = simulation(&format!("{LINK}[[program]]\nat = 'S'\nrun = 'x'\n"));
    let opened = simulation.open_stream("udp S:1>R:2", [0, 1], 0).expect("a link");
    for seq in 0..3 {
        assert_eq!(simulation.offer(packet(opened.flow, seq), Time::from_secs(0.1)).secs(), 0.1);
    }
    let arrivals: Vec<_> = left(&mut simulation, 0.5).iter().map(|left| (left.at.secs(), left.removal)).collect();
    // A millisecond each for the transmitter, ten for the wire.
    let expected = [0.111, 0.112, 0.113];
    assert!(
        arrivals.iter().zip(expected).all(|((at, gone), due)| (at - due).abs() < 1e-12 && gone.is_none()),
        "{arrivals:?}"
    );
    assert_eq!(arrivals.len(), 3);
    let outcome = simulation.outcome();
    assert_eq!((outcome.flows[opened.row as usize].name.as_str(), outcome.links[0].packets), ("udp S:1>R:2", 3));
    assert_eq!(outcome.packets.len(), 9, "enqueue, dequeue, deliver of each");
}

#[test]
fn a_simulated_flow_and_an_outside_one_share_the_queue() {
    let flow = "[[flow]]\nfrom = 'S'\nto = 'R'\nsize = { segments = 300 }\n";
    let alone = simulation(&format!("{LINK}{flow}")).run().flows[0].completion_s;
    let mut simulation = simulation(&format!("{LINK}{flow}"));
    let opened = simulation.open_stream("udp S:1>R:2", [0, 1], 0).expect("a link");
    let mut arrived = 0;
    for number in 0..200_u32 {
        let at = 0.002 * f64::from(number);
        arrived += left(&mut simulation, at).len();
        simulation.offer(packet(opened.flow, number.into()), Time::from_secs(at));
    }
    arrived += left(&mut simulation, 1.0).len();
    let outcome = simulation.outcome();
    assert_eq!((arrived, simulation.ended()), (200, true));
    assert!(outcome.flows[0].completion_s > alone, "{:?} is not later than {alone:?}", outcome.flows[0].completion_s);
}

#[test]
fn what_the_queue_drops_and_the_loss_model_takes_is_told() {
    let lossy = LINK.replace(
        "delay = '10ms'",
        "delay = '10ms'\nqueue = { kind = 'drop-tail', waiting = 2 }\nloss = { list = [1] }",
    );
    let mut simulation = simulation(&format!("{lossy}[[program]]\nat = 'S'\nrun = 'x'\n"));
    let opened = simulation.open_stream("udp S:1>R:2", [0, 1], 0).expect("a link");
    (0..6).for_each(|seq| _ = simulation.offer(packet(opened.flow, seq), Time::from_secs(0.1)));
    let mut some = Vec::new();
    simulation.take_left(&mut some);
    let mut all = std::mem::take(&mut some);
    all.extend(left(&mut simulation, 0.5));
    let count = |wanted: Option<Removal>| all.iter().filter(|left| left.removal == wanted).count();
    assert_eq!(count(Some(Removal::Lost)), 1);
    assert_eq!(all.len(), 6);
    assert!(count(Some(Removal::Full)) >= 2 && count(None) >= 2, "{all:?}");
}

#[test]
fn a_simulation_alone_refuses_programs_and_routes_that_are_not_there() {
    let scenario =
        acklab_scenario::parse_toml(&format!("{LINK}[[program]]\nat = 'S'\nrun = 'x'\n"), "t").expect("a scenario");
    let why = Simulation::try_new(Arc::new(scenario)).expect_err("programs").to_string();
    assert!(why.contains("--allow-programs"), "{why}");
    let apart = "[[link]]\nbetween = ['A', 'B']\nrate = '8Mbps'\ndelay = '10ms'\n[[program]]\nat = 'A'\nrun = 'x'\n";
    assert!(simulation(&format!("{LINK}{apart}")).open_stream("tcp S:1>A:2", [0, 2], 0).is_err());
}

/// Two hosts send more than CAKE lets through: packets of each stream that arrive between 1 s and 3 s.
fn shares(isolation: &str, streams: &[([u32; 2], u8)]) -> Vec<usize> {
    let queue = format!("{{ kind = 'cake', bandwidth = '8Mbps', isolation = '{isolation}' }}");
    let fast = "rate = '1Gbps'\ndelay = '1ms'\nqueue = { kind = 'drop-tail', packets = 10000 }\n";
    let mut simulation = simulation(&format!(
        "stop.at = '3s'\n[[link]]\nbetween = ['A', 'X']\n{fast}[[link]]\nbetween = ['B', 'X']\n{fast}\
         [[link]]\nbetween = ['X', 'R']\nrate = '100Mbps'\ndelay = '1ms'\nqueue = {queue}\n\
         [[program]]\nat = 'A'\nrun = 'x'\n"
    ));
    let name = |node: &str| simulation.scenario().nodes.iter().position(|it| it == node).expect("a node") as u32;
    let nodes = ["A", "B", "R"].map(name);
    let flows: Vec<u32> = (0..)
        .zip(streams)
        .map(|(number, &([from, to], dscp))| {
            let ends = [nodes[from as usize], nodes[to as usize]];
            simulation.open_stream(&format!("udp {number}"), ends, dscp).expect("links").flow
        })
        .collect();
    let mut arrived = vec![0; flows.len()];
    for number in 0..3000_u64 {
        let at = number as f64 * 1e-3;
        for one in left(&mut simulation, at) {
            if one.removal.is_none() && one.at.secs() > 1.0 {
                arrived[flows.iter().position(|&flow| flow == one.packet.flow).expect("a stream")] += 1;
            }
        }
        for &flow in &flows {
            simulation.offer(packet(flow, number), Time::from_secs(at));
        }
    }
    arrived
}

#[test]
fn cake_shares_between_the_hosts_of_outside_packets() {
    let streams = [([0, 2], 0), ([1, 2], 0), ([1, 2], 0), ([1, 2], 0)];
    let total = |arrived: &[usize]| arrived.iter().sum::<usize>() as f64;
    let flows = shares("flows", &streams);
    assert!((flows[0] as f64 / total(&flows) - 0.25).abs() < 0.01, "a quarter each: {flows:?}");
    let hosts = shares("dual-srchost", &streams);
    assert!((hosts[0] as f64 / total(&hosts) - 0.5).abs() < 0.02, "half for each host: {hosts:?}");
    // All go to one host, which has more flows than either source.
    for isolation in ["dual-dsthost", "triple-isolate"] {
        let one = shares(isolation, &streams);
        assert!((one[0] as f64 / total(&one) - 0.25).abs() < 0.01, "{isolation}: one host gets all of it: {one:?}");
    }
}

#[test]
fn cake_sorts_outside_packets_into_tins() {
    // Two flows that each ask for the whole rate, one with the code point of Bulk (CS1), which has a sixteenth.
    let arrived = shares("flows", &[([0, 2], 0), ([1, 2], 8)]);
    let share = arrived[1] as f64 / arrived.iter().sum::<usize>() as f64;
    assert!((share - 1.0 / 16.0).abs() < 0.02, "{arrived:?}");
}
