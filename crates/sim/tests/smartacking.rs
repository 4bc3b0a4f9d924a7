//! Smartacking, periodic ACKs, keep-alives and datagrams in whole runs, over the paths of the smartacking paper.

use acklab_packet::{Body, Probe};
use acklab_scenario::parse_toml;
use acklab_sim::outcome::{FlowRow, PacketEvent};
use acklab_sim::{Outcome, Simulation};

/// The 1-0 configuration: one way 50 ms, a bottleneck of `mbps` with half a bandwidth-delay product before it.
fn one_zero(mbps: u32, ack: &str, sender: &str, receiver: &str) -> Outcome {
    let window = if sender.contains("window") { "" } else { "window = 100000," };
    let waiting = mbps * 100 / 16;
    let text = format!(
        r#"
        link = [
            {{ between = ["S", "A"], rate = "1Gbps", delay = "5ms" }},
            {{ between = ["A", "B"], rate = "{mbps}Mbps", delay = "40ms", queue = {{ kind = "drop-tail", waiting = {waiting} }} }},
            {{ between = ["B", "R"], rate = "1Gbps", delay = "5ms" }},
        ]
        [[flow]]
        from = "S"
        to = "R"
        size = {{ segments = 4000 }}
        sender = {{ stack = "ns2-1998", recovery = "newreno", {window} min_rto = "1s", {sender} }}
        receiver = {{ ack = {ack}, {receiver} }}
        [record]
        packets = true
        series = true
        "#
    );
    let scenario = parse_toml(&text, "smartacking.toml").unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(scenario.into()).run()
}

const DELAYED: &str = r#"{ policy = "delayed", timer = "200ms" }"#;
const SMART: &str = r#"{ policy = "smart" }"#;

fn flow(outcome: &Outcome) -> &FlowRow {
    &outcome.flows[0]
}

/// When probes leave the receiver, and when their answers are back there.
fn probes(outcome: &Outcome) -> (Vec<f64>, Vec<f64>) {
    let of = |wanted: bool, event: PacketEvent, hop: u32| {
        let rows = outcome.packets.iter().filter(move |row| row.event == event && row.packet.place == hop);
        let rows =
            rows.filter(move |row| matches!(row.packet.body, Body::Probe(Probe { reply, .. }) if reply == wanted));
        rows.map(|row| row.time_s).collect()
    };
    (of(false, PacketEvent::Enqueue, 0), of(true, PacketEvent::Deliver, 2))
}

#[test]
fn smartacking_fills_the_path_without_a_timeout_and_with_few_acks() {
    let (smart, delayed) = (one_zero(9, SMART, "", ""), one_zero(9, DELAYED, "", ""));
    let (smart, delayed) = (flow(&smart), flow(&delayed));
    assert_eq!((smart.timeouts, delayed.timeouts), (0, 1));
    assert!(smart.retransmits <= 10 && delayed.retransmits > 100, "{} {}", smart.retransmits, delayed.retransmits);
    assert!(smart.completion_s.unwrap() < 0.6 * delayed.completion_s.unwrap());
}

#[test]
fn a_full_link_is_acknowledged_rarely_and_an_empty_one_segment_by_segment() {
    let outcome = one_zero(5, SMART, "", "");
    let share = |from: f64, to: f64| {
        let count = |ack: bool| {
            let rows = outcome.packets.iter().filter(|row| (from..to).contains(&row.time_s));
            rows.filter(|row| row.event == PacketEvent::Deliver && row.packet.place == 2 && row.packet.is_ack() == ack)
                .count() as f64
        };
        count(true) / count(false)
    };
    // From 1 s to 3 s the window grows towards the bandwidth-delay product after a loss; from 5 s on the link is full.
    assert!(share(1.0, 3.0) > 0.95, "{}", share(1.0, 3.0));
    assert!(share(5.0, 6.5) < 0.3, "{}", share(5.0, 6.5));
}

#[test]
fn keep_alives_are_packets_once_a_second_and_answered_at_once() {
    let outcome = one_zero(9, SMART, "", "");
    let (asked, answered) = probes(&outcome);
    assert!(asked.len() >= 4 && asked.len() - answered.len() <= 1, "{asked:?} {answered:?}");
    for (pair, back) in asked.windows(2).zip(&answered) {
        assert!((1.0..1.05).contains(&(pair[1] - pair[0])), "{pair:?}");
        assert!(back - pair[0] >= 0.1 && back - pair[0] < 0.2, "100 ms and what the queues add");
    }
    let (none, _) = probes(&one_zero(9, r#"{ policy = "smart", rtt = "timestamps" }"#, "", ""));
    assert!(none.is_empty());
    let (first, _) = probes(&one_zero(9, r#"{ policy = "smart", rtt = "fixed" }"#, "", ""));
    assert_eq!(first.len(), 1);
}

#[test]
fn an_observer_beside_a_policy_changes_nothing_and_follows_the_window() {
    let plain = one_zero(5, DELAYED, "", "");
    let observed = one_zero(5, DELAYED, "", "estimate = \"timestamps\"");
    assert_eq!(format!("{:?}", plain.flows), format!("{:?}", observed.flows));
    assert!(plain.series.iter().all(|row| row.cwnd_estimate_segments.is_nan()));
    let rows = observed.series.iter().filter(|row| row.time_s > 4.0);
    let errors: Vec<f64> =
        rows.map(|row| (row.cwnd_estimate_segments - row.cwnd_segments).abs() / row.cwnd_segments).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean < 0.15, "{mean}");
}

#[test]
fn what_the_sender_tells_is_what_it_has() {
    let outcome = one_zero(5, r#"{ policy = "smart", rtt = "sender", window = "sender" }"#, "", "");
    let told = outcome.packets.iter().filter_map(|row| match row.packet.body {
        Body::Data(segment) if row.event == PacketEvent::Deliver && row.packet.place == 2 => Some(segment),
        _ => None,
    });
    assert!(told.clone().all(|segment| segment.window >= 1.0));
    assert!(told.clone().filter(|segment| segment.srtt > 0.0).all(|segment| (0.1..0.5).contains(&segment.srtt)));
    assert!(probes(&outcome).0.is_empty());
    let untold = one_zero(5, SMART, "", "");
    let silent = untold.packets.iter().all(|row| match row.packet.body {
        Body::Data(segment) => segment.window == 0.0 && segment.srtt == 0.0,
        _ => true,
    });
    assert!(silent, "nothing is told where nobody asks");
}

#[test]
fn periodic_acks_are_four_a_round_trip() {
    let outcome = one_zero(9, r#"{ policy = "periodic", beta = 4 }"#, "window = 60", "");
    let row = flow(&outcome);
    let round_trips = row.completion_s.unwrap() / row.min_rtt_s.unwrap();
    let least = row.acks_sent as f64 / round_trips;
    assert!((3.0..=4.2).contains(&least), "{least}");
    assert_eq!(row.retransmits, 0);
}

/// Ledger smartacking.sec4.udp: at 5 Mb/s, half of it is 312.5 datagrams of 1000 B a second, for 5 s, then none for 5 s.
#[test]
fn datagrams_come_at_their_rate_and_in_spans() {
    let text = r#"
        stop.at = "20s"
        link = [{ between = ["S", "R"], rate = "5Mbps", delay = "20ms" }]
        flow = [{ from = "S", to = "R", source = { kind = "udp", rate = "2.5Mbps", off = "5s" } }]
        record = { packets = true }
    "#;
    let outcome = Simulation::new(parse_toml(text, "udp.toml").unwrap().into()).run();
    let row = flow(&outcome);
    assert_eq!((row.segments_sent, row.bytes, row.acks_sent), (2 * 1563, 2 * 1_563_000, 0));
    assert!(!row.completed && (row.goodput_bps - 1.25e6).abs() < 1e3, "{}", row.goodput_bps);
    let sent = |from: f64, to: f64| {
        let rows = outcome.packets.iter().filter(|row| row.event == PacketEvent::Enqueue);
        rows.filter(|row| (from..to).contains(&row.time_s)).count()
    };
    assert_eq!([sent(0.0, 5.0), sent(5.0, 10.0), sent(10.0, 15.0), sent(15.0, 20.0)], [1563, 0, 1563, 0]);
}
