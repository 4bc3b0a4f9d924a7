//! Who is told what, and what an ACK is worth, in whole runs over the path of Allman 1998 (Figure 1).

use acklab_packet::Body;
use acklab_scenario::parse_toml;
use acklab_sim::outcome::{FlowRow, PacketEvent};
use acklab_sim::{Outcome, Simulation};

/// S - G - R at 1.5 Mb/s and 100 ms, `queue` packets at G; ns-1.4's rules.
fn path(queue: &str, flows: &str, more: &str) -> Outcome {
    let text = format!(
        r#"{more}
        link = [
            {{ between = ["S", "G"], rate = "10Mbps", delay = "2ms" }},
            {{ between = ["G", "R"], rate = "1.5Mbps", delay = "48ms", queue = {queue}, back = {{ queue = {{ kind = "drop-tail", packets = 1000 }} }} }},
        ]
        {flows}"#
    );
    let scenario = parse_toml(&text, "mechanisms.toml").unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(scenario.into()).run()
}

const CLOCK: &str = r#"min_rto = "1s", initial_rto = "6s", tick = "100ms", rtt_filter.phase = "0.055588071586372367s""#;

/// A transfer of 1000-byte segments with the receiver's `ack` and the sender's further `rules`.
fn transfer(name: &str, start: &str, segments: u32, ack: &str, rules: &str) -> String {
    format!(
        r#"
        [[flow]]
        name = "{name}"
        from = "S"
        to = "R"
        start = "{start}"
        size = {{ segments = {segments} }}
        sender = {{ stack = "ns2-1998", packet = 1000, window = 40, {CLOCK}, {rules} }}
        receiver = {{ stack = "ns2-1998", ack_size = 40, ack = {ack} }}
        "#
    )
}

const AMPLE: &str = r#"{ kind = "drop-tail", packets = 100 }"#;
const DELAYED: &str = r#"{ policy = "delayed", timer = "100ms" }"#;

fn daass(phase: &str) -> String {
    format!(r#"{{ policy = "daass", phase = "{phase}", timer = "100ms" }}"#)
}

fn one(queue: &str, flow: &str) -> FlowRow {
    path(queue, flow, "").flows.swap_remove(0)
}

/// When a flow's first ACK reaches its sender, after its start.
fn first_ack(outcome: &Outcome, flow: u32, start: f64) -> f64 {
    let row = outcome.packets.iter().find(|row| {
        row.packet.flow == flow && !row.packet.is_data() && row.event == PacketEvent::Deliver && row.link == 1
    });
    row.expect("an ACK arrives").time_s - start
}

/// Ledger allman1998.m.daass: a flag that a growing window raises is down when the first segment arrives, so its ACK waits for
/// the timer, and everything else happens as with the oracle, that much later. One flag for everybody begins in slow start.
#[test]
fn a_flag_of_growth_costs_a_lonely_transfer_one_timer() {
    let time = |phase: &str| one(AMPLE, &transfer("f", "0s", 30, &daass(phase), "")).completion_s.expect("it ends");
    let late = ["growth", "shared"].map(|phase| time(phase) - time("oracle"));
    assert!((late[0] - 0.1).abs() < 1e-9 && late[1].abs() < 1e-9, "{late:?}");
}

/// While one transfer is in slow start, another's first segment is answered at once; when the first is past it, the
/// flag says so to a newcomer, too, which the oracle would not.
#[test]
fn a_shared_flag_is_any_senders() {
    let firsts = |phase: &str| {
        let flows = ["0s", "0.25s", "5s"]
            .map(|start| transfer(start, start, if start == "0s" { 900 } else { 5 }, &daass(phase), ""));
        let outcome = path(AMPLE, &flows.concat(), "record = { packets = true }\n");
        [first_ack(&outcome, 0, 0.0), first_ack(&outcome, 1, 0.25), first_ack(&outcome, 2, 5.0)]
    };
    let [oracle, shared] = ["oracle", "shared"].map(firsts);
    assert!((shared[0] - oracle[0]).abs() < 1e-9, "it begins in slow start: {shared:?} {oracle:?}");
    assert!((shared[1] - oracle[1]).abs() < 0.02, "the first is in slow start: {shared:?} {oracle:?}");
    assert!(shared[2] - oracle[2] > 0.08, "the first is past it: {shared:?} {oracle:?}");
}

/// Rows of ns-2 (tests/oracle/data/h_mechanisms.csv): seconds until the last ACK, segments sent, timeouts, ACKs.
#[test]
fn rows_of_ns2() {
    let rows = ROWS.iter().map(|&(mechanism, recovery, queue, segments, wanted)| {
        let (ack, credit) = match mechanism {
            "daass" => (daass("oracle"), r#""ack-counting""#.to_owned()),
            "ubc" => (DELAYED.to_owned(), r#""ubc", growth = "all-then-one""#.to_owned()),
            _ => (DELAYED.to_owned(), r#""lbc", limit = 2, growth = "all-then-one""#.to_owned()),
        };
        let rules = format!(r#"recovery = "{recovery}", credit = {{ kind = {credit} }}"#);
        let queue_spec = format!(r#"{{ kind = "drop-tail", packets = {queue} }}"#);
        let row = one(&queue_spec, &transfer("f", "0s", segments, &ack, &rules));
        let found = (row.completion_s.expect("it ends"), row.segments_sent, row.timeouts, row.acks_received);
        (format!("{mechanism} {recovery} {queue} {segments}"), found, wanted)
    });
    for (name, found, wanted) in rows {
        assert_eq!(found, wanted, "{name}");
    }
}

/// A row's parameters and results.
type Row = (&'static str, &'static str, u32, u32, (f64, u64, u64, u64));

/// Mechanism, recovery, queue, segments, (time, sent, timeouts, ACKs).
const ROWS: [Row; 9] = [
    ("daass", "reno", 9, 75, (2.425_877_333_333_331_4, 98, 1, 87)),
    ("daass", "sack", 9, 75, (0.920_797_866_666_665_9, 85, 0, 75)),
    ("daass", "sack", 21, 55, (0.860_938_666_666_666_1, 55, 0, 52)),
    ("daass", "sack", 21, 75, (0.967_605_333_333_332_1, 75, 0, 62)),
    ("daass", "reno", 21, 95, (1.016_650_666_666_665_3, 96, 0, 79)),
    ("ubc", "reno", 6, 95, (6.312_042_666_666_660_5, 133, 3, 83)),
    ("ubc", "reno", 21, 95, (1.095_605_333_333_331_5, 95, 0, 48)),
    ("lbc", "reno", 9, 75, (2.536_543_999_999_999, 92, 1, 62)),
    ("lbc", "reno", 21, 45, (0.828_938_666_666_666_5, 45, 0, 23)),
];

const FOURTH: &str = r#"{ policy = "delayed", timer = "100ms", segments = 4 }"#;

/// cwnd over time, in segments, each value once, of a transfer with an ACK for every fourth segment; packets `lost` are.
fn windows(credit: &str, lost: &str) -> Vec<f64> {
    let rules = format!("initial_window = 4, credit = {credit}");
    let queue = format!("{AMPLE}, loss = {{ list = [{lost}] }}");
    let outcome = path(&queue, &transfer("f", "0s", 100, FOURTH, &rules), "record = { series = true }\n");
    let mut windows: Vec<f64> = outcome.series.iter().map(|row| row.cwnd_segments).collect();
    windows.dedup();
    windows
}

/// RFC 3465 section 2.2 with an ACK for every fourth segment: the window grows by at most L segments an ACK.
#[test]
fn abc_grows_by_at_most_its_limit() {
    let start = |limit: u32| windows(&format!(r#"{{ kind = "abc", limit = {limit} }}"#), "")[..4].to_vec();
    assert_eq!(start(1), [4.0, 5.0, 6.0, 7.0]);
    assert_eq!(start(2), [4.0, 6.0, 8.0, 10.0]);
}

/// RFC 3465 section 2.3: in a slow start that follows a timeout L is 1. SABC keeps its own (ledger smartacking.m.sabc).
#[test]
fn abc_is_careful_after_a_timeout_and_sabc_is_not() {
    // The whole second flight is lost, so that only the timer repairs it; what it held is sent again, four at a time.
    let after = |kind: &str| {
        let windows = windows(&format!(r#"{{ kind = "{kind}", limit = 2 }}"#), "4, 5, 6, 7, 8, 9");
        let cut = windows.iter().position(|&w| w == 1.0).expect("a timeout");
        windows[cut..cut + 3].to_vec()
    };
    assert_eq!(after("abc"), [1.0, 2.0, 3.0]);
    assert_eq!(after("sabc"), [1.0, 2.0, 4.0]);
}

/// Ledger smartacking.m.pacing: a window is spread over that fraction of the round trip.
#[test]
fn paced_segments_are_a_fraction_of_the_round_trip_apart() {
    let gap = |fraction: f64| {
        let flow = transfer(
            "f",
            "0s",
            100,
            r#"{ policy = "every" }"#,
            &format!("pacing = {{ kind = 'spread', share = {fraction} }}"),
        );
        // Ten segments a round trip are less than the path carries.
        let outcome = path(AMPLE, &flow.replace("window = 40", "window = 10"), "record = { packets = true }\n");
        let left = outcome.packets.iter().filter(|row| row.link == 0 && row.event == PacketEvent::Enqueue);
        let sent: Vec<f64> = left.map(|row| row.time_s).collect();
        let mut gaps: Vec<f64> = sent[50..].windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_by(f64::total_cmp);
        gaps[gaps.len() / 2]
    };
    let (half, whole) = (gap(0.5), gap(1.0));
    // Ten segments in a round trip of 106 ms, or in half of one and what the bottleneck's own 5.3 ms leave of it.
    assert!((whole - 0.0106).abs() < 0.001, "{whole}");
    assert!((0.0053..0.0075).contains(&half), "{half}");
}

/// Ledger allman1998.m.telnet: a keystroke is one byte, and becomes one segment of one byte.
#[test]
fn a_keystroke_is_as_large_as_it_says() {
    let session = |write: &str| {
        let flow = format!(
            r#"
            [[flow]]
            from = "S"
            to = "R"
            source = {{ kind = "telnet", pauses = "tcplib", write = "{write}" }}
            sender = {{ stack = "ns2-1998", packet = 1000, sequence = "bytes" }}
            receiver = {{ stack = "ns2-1998", ack = {DELAYED} }}
            "#
        );
        let outcome = path(AMPLE, &flow, "stop = { at = \"60s\" }\n");
        outcome.flows[0].bytes as f64
    };
    let (one, ten) = (session("1B"), session("10B"));
    assert!(one > 10.0 && (ten / one - 10.0).abs() < 0.5, "{one} {ten}");
}

/// The last of three writes of 200 bytes leaves 600 ms after the first, and completes the flow.
#[test]
fn equal_writes_complete_with_the_last() {
    let flow = |stack: &str| {
        format!(
            r#"
            [[flow]]
            from = "S"
            to = "R"
            source = {{ kind = "writes", write = "200B", every = "300ms", times = 3 }}
            sender = {{ stack = "{stack}" }}
            "#
        )
    };
    for (stack, bytes) in [("rfc", 600), ("linux", 600), ("ns2-2.35", 3000)] {
        let row = &path(AMPLE, &flow(stack), "").flows[0];
        assert_eq!((row.completed, row.bytes, row.segments_sent - row.syns_sent), (true, bytes, 3), "{stack}");
        let (last, finished) = (row.last_data_s.unwrap(), row.finished_s.unwrap());
        assert!(finished > 0.6 && last < 0.8, "{stack}: {last} {finished}");
    }
}

/// Listed writes leave when they are due, from the flow's start, and the last one completes the flow.
#[test]
fn listed_writes_leave_at_their_times() {
    let flow = r#"
        [[flow]]
        from = "S"
        to = "R"
        start = "1s"
        source = { kind = "listed", writes = [["0s", "100B"], ["0.5s", "300B"], ["0.5s", "50B"], ["2s", "7B"]] }
        sender = { stack = "rfc" }
        "#;
    let outcome = path(AMPLE, flow, "record = { packets = true }");
    let row = &outcome.flows[0];
    assert_eq!((row.completed, row.bytes), (true, 457));
    let left = |row: &&acklab_sim::outcome::PacketRow| {
        row.packet.is_data() && row.event == PacketEvent::Enqueue && row.link == 0
    };
    let mut times: Vec<f64> = outcome.packets.iter().filter(left).map(|row| row.time_s).collect();
    times.retain(|&time| time > 1.1);
    // The first write waits for the handshake.
    assert!(times.iter().any(|&time| (time - 1.5).abs() < 1e-9), "{times:?}");
    assert!(times.iter().any(|&time| (time - 3.0).abs() < 1e-9), "{times:?}");
}

/// Segments that are left out are each flow's own luck: two equal flows that never meet leave out different ones, and
/// neither a further flow nor a connection before this one changes that.
#[test]
fn every_flow_leaves_out_segments_of_its_own() {
    let run = |flows: &[&str], repeat: &str| {
        let flow = |name: &&str| {
            format!(
                r#"
                [[link]]
                between = ["S{name}", "R{name}"]
                rate = "1Mbps"
                delay = "10ms"
                [[flow]]
                name = "{name}"
                from = "S{name}"
                to = "R{name}"
                size = {{ segments = 300 }}
                {repeat}
                sender = {{ stack = "rfc", skip = 10 }}
                "#
            )
        };
        let text = flows.iter().map(flow).collect::<String>() + "[record]\npackets = true\n";
        let scenario = parse_toml(&text, "skip.toml").unwrap_or_else(|error| panic!("{error}\n{text}"));
        Simulation::new(scenario.into()).run()
    };
    // Numbers of the segments that were sent after all, in each connection of the flow.
    let resent = |outcome: &Outcome, flow: u32| {
        let mut connections = vec![Vec::new(); 2];
        for row in outcome.packets.iter().filter(|row| row.packet.flow == flow && row.event == PacketEvent::Enqueue) {
            if let Body::Data(segment) = row.packet.body
                && segment.retransmit
            {
                connections[usize::from(row.packet.connection)].push(segment.seq);
            }
        }
        connections
    };
    let both = run(&["a", "b"], "");
    let [a, b] = [0, 1].map(|flow| resent(&both, flow).swap_remove(0));
    assert!(a.len() > 5 && b.len() > 5 && a != b, "{a:?} {b:?}");
    assert_eq!(resent(&run(&["b"], ""), 0)[0], b);
    // A second connection goes on with the draws, instead of beginning again.
    let again = resent(&run(&["b"], r#"repeat = { times = 2, think = "1s" }"#), 0);
    assert!(again[0] == b && again[1] != b, "{again:?}");
}
