//! The analysis of captures: the policy that made a capture is named, from either end.

mod common;

use acklab_analyze::{ConnectionRow, POLICIES};
use acklab_tap::Format;
use common::{Frame, file, frames, rows, run};

/// A bulk transfer to a receiver of this policy, through 5 Mbit/s with a queue that overflows; `back` is the direction back.
fn bulk(ack: &str, sender: &str, back: &str) -> String {
    format!(
        r#"
        stop = {{ when = "flows-complete", at_most = "200s" }}
        link = [
            {{ between = ["S", "G"], rate = "100Mbps", delay = "2ms" }},
            {{ between = ["G", "R"], rate = "5Mbps", delay = "20ms", queue = {{ kind = "drop-tail", packets = 60 }}{back} }},
        ]
        flow = [{{ from = "S", to = "R", size = {{ segments = 600 }}, sender = {{ packet = 1000{sender} }},
                  receiver = {{ ack = {ack} }} }}]
        record = {{ packets = true }}
        "#
    )
}

/// The direction of the data, as seen at both ends.
fn at_both_ends(text: &str) -> [ConnectionRow; 2] {
    let (scenario, outcome) = run(text);
    ["S->G@S", "G->R@R"].map(|end| {
        let found = rows(&frames(&file(&scenario, &outcome, Format::PcapNg, end)));
        assert_eq!(found.len(), 1, "one connection, one direction");
        found.into_iter().next().unwrap()
    })
}

/// What made the capture, and what the analysis must call it: policy, and its number of segments.
const MADE: [(&str, &str, Option<u64>); 17] = [
    ("{ policy = 'every' }", "every", Some(1)),
    ("{ policy = 'delayed', timer = '100ms' }", "delayed", Some(2)),
    ("{ policy = 'delayed', timer = '100ms', segments = 4 }", "delayed", Some(4)),
    ("{ policy = 'delayed', timer = '200ms', heartbeat = true }", "delayed", Some(2)),
    ("{ policy = 'daass', phase = 'oracle', timer = '100ms' }", "quick-then-delayed", Some(2)),
    ("{ policy = 'linux', autotune = false }", "quick-then-delayed", Some(2)),
    ("{ policy = 'divide', pieces = 16 }", "divided", None),
    ("{ policy = 'divide', pieces = 8, segments = 2 }", "divided", None),
    ("{ policy = 'divide', pieces = 16, when = 'slow-start' }", "divided", None),
    ("{ policy = 'restore', pieces = 8, target = 200, start = '100ms' }", "divided", None),
    ("{ policy = 'spoof', duplicates = 3 }", "spoofed", None),
    ("{ policy = 'optimistic', ahead = 8 }", "optimistic", None),
    ("{ policy = 'smart' }", "varying", None),
    ("{ policy = 'smart', rtt = 'timestamps' }", "varying", None),
    ("{ policy = 'smart', extended = true }", "varying", None),
    ("{ policy = 'periodic', beta = 4 }", "periodic", None),
    ("{ policy = 'acc', d_max = 8 }", "every", Some(1)), // no ACK is marked, so that it acknowledges each
];

#[test]
fn the_policy_that_made_a_capture_is_named_from_either_end() {
    for (ack, name, every) in MADE {
        // A receiver can only restore a window it is told.
        let sender = if ack.contains("restore") { ", carry_window = true" } else { "" };
        for (row, vantage) in at_both_ends(&bulk(ack, sender, "")).into_iter().zip(["sender", "receiver"]) {
            assert_eq!((row.policy.as_str(), row.vantage.as_str()), (name, vantage), "{ack}: {row:?}");
            assert_eq!((row.ack_every, row.policy_why.is_empty()), (every, name != "optimistic"), "{ack}: {row:?}");
            assert_eq!(row.ack_period_s.is_some(), name == "periodic", "{ack}: {row:?}");
            assert!(POLICIES.contains(&row.policy.as_str()) && row.policy_evidence > 0);
        }
    }
}

/// What a kernel did and what the policy `linux` does on the same path has the same findings; only counts differ.
#[test]
fn a_linux_receiver_is_described_like_linux() {
    let findings = |row: &ConnectionRow| {
        (row.policy.clone(), row.policy_why.clone(), row.ack_every, row.quick_segments > Some(0), row.quick_again > 0)
    };
    let captured = |path: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        rows(&frames(&std::fs::read(path).unwrap())).into_iter().next().unwrap()
    };
    let simulated = |path: &str, source: &str, rules: &str| {
        let (scenario, outcome) = run(&format!(
            r#"
            stop = {{ when = "flows-complete", at_most = "6s" }}
            link = [{{ between = ["S", "R"], {path} }}]
            flow = [{{ from = "S", to = "R", {source}, sender = {{ packet = 1448, initial_window = 10, window = 45 }},
                      receiver = {{ ack = {{ policy = "linux", {rules} }} }} }}]
            record = {{ packets = true }}
            "#
        ));
        rows(&frames(&file(&scenario, &outcome, Format::PcapNg, "S->R@R"))).into_iter().next().unwrap()
    };
    let (fast, asleep) = (r#"rate = "1Gbps", delay = "10ms""#, "low_water = 60000");
    let t1 = r#"rate = "1.5Mbps", delay = "50ms", queue = { kind = "drop-tail", packets = 60 }"#;
    // Without the kernels' losses: where the simulated sender sends too much again, the receiver is quick again.
    for (kernel, row) in [
        ("../../tests/capture/kernel/asleep-receiver.pcap", simulated(fast, r#"size = { bytes = "120kB" }"#, asleep)),
        (
            "../tap/tests/live/t1.pcap",
            simulated(t1, r#"size = { bytes = "500kB" }"#, "window = 44, buffer = 112, autotune = false"),
        ),
    ] {
        let kernel = captured(kernel);
        assert_eq!(findings(&kernel), findings(&row), "{kernel:?} / {row:?}");
    }
}

#[test]
fn a_policy_that_follows_its_sender_is_seen_to_do_so() {
    // Tahoe starts slowly after each loss, and DAASS acknowledges each segment meanwhile.
    let tahoe = bulk("{ policy = 'daass', phase = 'oracle', timer = '100ms' }", ", recovery = 'tahoe'", "");
    for row in at_both_ends(&tahoe.replace("packets = 60", "packets = 20").replace("600", "1500")) {
        assert_eq!((row.policy.as_str(), row.ack_every), ("by-phase", Some(2)), "{row:?}");
        assert_eq!((row.quick_again, row.quick_after_loss), (1, 1), "{row:?}");
    }
    // Marked ACKs double the segments an ACK covers. The queue also drops some, at first: in a short run too many.
    let marks = ", back = { rate = '100kbps', queue = { kind = 'red', packets = 60, min = 5, max = 15, ecn = true } }";
    let acc = bulk("{ policy = 'acc', d_max = 8 }", ", ecn = true", marks);
    for row in at_both_ends(&acc.replace("600", "6000")) {
        assert_eq!((row.policy.as_str(), row.ect_acks > 0), ("varying", true), "{row:?}");
        assert!(row.later_echoes > 0);
    }
    for row in at_both_ends(&acc) {
        assert!(["thinned", "varying", "quick-then-delayed"].contains(&row.policy.as_str()), "{row:?}");
    }
}

#[test]
fn filtered_acks_are_called_thinned_where_something_tells() {
    let slow = |filter: &str| {
        format!(", back = {{ rate = '20kbps', queue = {{ kind = 'drop-tail', packets = 100, filter = {filter} }} }}")
    };
    let one = "{ kind = 'static', threshold = 1 }";
    for (ack, filter) in [("every", one), ("delayed", one), ("delayed", "{ kind = 'cake' }")] {
        for row in at_both_ends(&bulk(&format!("{{ policy = '{ack}' }}"), "", &slow(filter))) {
            // The filter stands at the receiver's own interface, where nothing is ever called thinned.
            let expected = if row.vantage == "sender" { "thinned" } else { "varying periodic" };
            assert!(expected.contains(&row.policy), "{filter}: {row:?}");
        }
    }
    let [row, _] = at_both_ends(&bulk("{ policy = 'delayed' }", ", timestamps = false", &slow(one)));
    assert_eq!(row.policy, "thinned", "without timestamps the identifications tell: {row:?}");
}

/// A segment now and then: each waits for the timer.
#[test]
fn the_timer_is_what_lone_segments_wait_for() {
    for (timer, expected) in [("40ms", 0.040), ("100ms", 0.1), ("500ms", 0.5)] {
        let found = at_both_ends(&format!(
            r#"
            stop.at = "60s"
            link = [{{ between = ["S", "G"], rate = "1Mbps", delay = "2ms" }}, {{ between = ["G", "R"], rate = "1Mbps", delay = "20ms" }}]
            flow = [{{ from = "S", to = "R", source = {{ kind = "telnet", mean = "1s", write = "500B" }},
                      receiver = {{ ack = {{ policy = "delayed", timer = "{timer}" }} }} }}]
            record = {{ packets = true }}
            "#
        ));
        for row in found {
            assert_eq!(row.policy, "delayed", "{row:?}");
            let timer = row.timer_s.expect("a timer");
            assert!((timer / expected - 1.0).abs() < 0.06, "{timer}, at the {}", row.vantage);
        }
    }
}

/// ACKs that wait for each other on the direction back: of four that leave together, two are third or later in a row.
#[test]
fn acks_closer_than_their_segments_are_compressed() {
    let (scenario, outcome) = run(&bulk("{ policy = 'every' }", ", window = 20", ""));
    let plain = frames(&file(&scenario, &outcome, Format::PcapNg, "G->R@R"));
    assert_eq!(rows(&plain)[0].compressed_acks, Some(0));
    let (mut held, mut bunched) = (Vec::new(), Vec::new());
    for (time, length, data) in plain {
        if data[12..16] == [10, 0, 0, 3] {
            held.push((time, length, data));
        } else {
            bunched.push((time, length, data));
        }
        if held.len() == 4 {
            let release = held[3].0;
            bunched.extend(held.drain(..).map(|(_, length, data)| (release, length, data)));
        }
    }
    let row = &rows(&bunched)[0];
    assert!(
        row.compressed_acks.is_some_and(|n| n.abs_diff(row.new_acks / 2) <= 2),
        "{:?} of {}",
        row.compressed_acks,
        row.new_acks
    );
}

/// Karn's rule: no sample is longer than the path and its full queue, though segments are lost and sent again.
#[test]
fn what_was_sent_again_times_nothing() {
    for stamps in ["true", "false"] {
        let [row, _] = at_both_ends(&bulk("{ policy = 'every' }", &format!(", timestamps = {stamps}"), ""));
        assert!(row.resent > 20 && row.rtt_samples > 100);
        let most = row.rtt_max_s.expect("samples");
        assert!(most < 0.0442 + 60.0 * 0.001664, "{most} s, timestamps {stamps}");
    }
}

#[test]
fn too_little_is_said_to_be_too_little() {
    let [row, _] = at_both_ends(&bulk("{ policy = 'every' }", "", "").replace("600", "5"));
    assert_eq!(row.policy, "undecided");
    assert_eq!((row.policy_why.as_str(), row.policy_evidence, row.policy_of), ("few-acks", 5, 12));
}

/// Two segments in one packet, as TSO leaves them: counted as two, and said.
#[test]
fn packets_put_together_from_several_segments_are_seen_through() {
    let (scenario, outcome) = run(&bulk("{ policy = 'delayed' }", ", window = 20", ""));
    let plain = frames(&file(&scenario, &outcome, Format::PcapNg, "S->G@S"));
    let mut merged: Vec<Frame> = Vec::new();
    let mut expected = 0;
    for (time, length, data) in plain.clone() {
        if let Some((_, whole, last)) = merged.last_mut() {
            let payload = |length: u32| length.saturating_sub(52);
            let (from, to) = (&last[24..28], &data[24..28]);
            let step =
                u32::from_be_bytes(to.try_into().unwrap()).wrapping_sub(u32::from_be_bytes(from.try_into().unwrap()));
            if payload(*whole) == 988 && payload(length) == 988 && step == 988 && last[12..16] == data[12..16] {
                *whole += 988; // 1000 less the timestamps
                last.extend([0; 988]);
                let total = *whole as u16;
                last[2..4].copy_from_slice(&total.to_be_bytes());
                expected += 1;
                continue;
            }
        }
        merged.push((time, length, data));
    }
    assert!(expected > 100);
    let (one, two) = (&rows(&plain)[0], &rows(&merged)[0]);
    assert_eq!((two.offloaded, two.segments, two.bytes), (expected, one.segments, one.bytes));
    assert_eq!((two.policy.as_str(), two.ack_every), ("delayed", Some(2)), "{two:?}");
    assert_eq!(one.offloaded, 0);
}
