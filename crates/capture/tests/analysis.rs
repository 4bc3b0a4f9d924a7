//! The analysis of captures: the policy that made a capture is named, from either end; and the numbers do not depend on
//! how packets are wrapped, numbered, cut or ordered.

mod common;

use acklab_capture::analyze::{Analysis, ConnectionRow, POLICIES};
use acklab_capture::{Format, Reader};
use common::{LOSSY, file, run};

/// A packet of a capture: instant, whole length, bytes kept.
type Frame = (i64, u32, Vec<u8>);

fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut reader = Reader::new(bytes).unwrap();
    let mut frames = Vec::new();
    while let Some(record) = reader.next().unwrap() {
        frames.push((record.time_ns, record.length, record.data.to_vec()));
    }
    frames
}

fn analysed(link_type: u32, frames: &[Frame]) -> Analysis {
    let mut analysis = Analysis::with_packets();
    for (time_ns, length, data) in frames {
        analysis.on_packet(link_type, data, *length, *time_ns);
    }
    analysis
}

fn rows(frames: &[Frame]) -> Vec<ConnectionRow> {
    analysed(101, frames).connections()
}

/// A bulk transfer to a receiver of this policy, through 5 Mbit/s with a queue that overflows; `back` is the way back.
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
        assert_eq!(found.len(), 1, "one connection, one way");
        found.into_iter().next().unwrap()
    })
}

/// What made the capture, and what the analysis must call it.
const MADE: [(&str, &str, &str); 17] = [
    ("{ policy = 'every' }", "every", "at once"),
    ("{ policy = 'delayed', timer = '100ms' }", "delayed", "every 2nd segment"),
    ("{ policy = 'delayed', timer = '100ms', segments = 4 }", "delayed", "every 4th segment"),
    ("{ policy = 'delayed', timer = '200ms', heartbeat = true }", "delayed", "every 2nd segment"),
    ("{ policy = 'daass', phase = 'oracle', timer = '100ms' }", "quick-then-delayed", "quick ACKs for the first"),
    ("{ policy = 'linux', autotune = false }", "quick-then-delayed", "quick ACKs for the first 2"),
    ("{ policy = 'divide', pieces = 16 }", "divided", "end inside a segment"),
    ("{ policy = 'divide', pieces = 8, segments = 2 }", "divided", "end inside a segment"),
    ("{ policy = 'divide', pieces = 16, when = 'slow-start' }", "divided", "end inside a segment"),
    ("{ policy = 'restore', pieces = 8, target = 200, start = '100ms' }", "divided", "end inside a segment"),
    ("{ policy = 'spoof', duplicates = 3 }", "spoofed", "no segment has called for"),
    ("{ policy = 'optimistic', ahead = 8 }", "optimistic", "before they arrive"),
    ("{ policy = 'smart' }", "varying", "No sign of ACKs lost"),
    ("{ policy = 'smart', rtt = 'timestamps' }", "varying", "No sign of ACKs lost"),
    ("{ policy = 'smart', extended = true }", "varying", "No sign of ACKs lost"),
    ("{ policy = 'periodic', beta = 4 }", "periodic", "about every 1"),
    ("{ policy = 'acc', d_max = 8 }", "every", "at once"), // no ACK is marked, so that it acknowledges each
];

#[test]
fn the_policy_that_made_a_capture_is_named_from_either_end() {
    for (ack, name, words) in MADE {
        // A receiver can only restore a window it is told.
        let sender = if ack.contains("restore") { ", tell_window = true" } else { "" };
        for (row, vantage) in at_both_ends(&bulk(ack, sender, "")).into_iter().zip(["sender", "receiver"]) {
            assert_eq!((row.policy.as_str(), row.vantage.as_str()), (name, vantage), "{ack}: {}", row.finding);
            assert!(row.finding.contains(words), "{ack}: {}", row.finding);
            assert!(POLICIES.contains(&row.policy.as_str()));
        }
    }
}

/// What a kernel did and what the policy `linux` does on the same path is told in the same words; only numbers differ.
#[test]
fn a_linux_receiver_is_described_like_linux() {
    let words = |row: &ConnectionRow| {
        let finding: String = row.finding.chars().filter(|c| !c.is_ascii_digit()).collect();
        (row.policy.clone(), finding.split(". ").next().map(str::to_owned))
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
            "tests/live/t1.pcap",
            simulated(t1, r#"size = { bytes = "500kB" }"#, "window = 44, buffer = 112, autotune = false"),
        ),
    ] {
        let kernel = captured(kernel);
        assert_eq!(words(&kernel), words(&row), "{} / {}", kernel.finding, row.finding);
    }
}

#[test]
fn a_policy_that_follows_its_sender_is_seen_to_do_so() {
    // Tahoe starts slowly after each loss, and DAASS acknowledges each segment meanwhile.
    let tahoe = bulk("{ policy = 'daass', phase = 'oracle', timer = '100ms' }", ", recovery = 'tahoe'", "");
    for row in at_both_ends(&tahoe.replace("packets = 60", "packets = 20").replace("600", "1500")) {
        assert_eq!((row.policy.as_str(), row.ack_every), ("by-phase", Some(2)), "{}", row.finding);
        assert!(
            row.finding.contains("quick again 1 time") && row.finding.contains("1 after a loss"),
            "{}",
            row.finding
        );
    }
    // Marked ACKs double the segments an ACK covers. The queue also drops some, at first: in a short run too many.
    let marks = ", back = { rate = '100kbps', queue = { kind = 'red', packets = 60, min = 5, max = 15, ecn = true } }";
    let acc = bulk("{ policy = 'acc', d_max = 8 }", ", ecn = true", marks);
    for row in at_both_ends(&acc.replace("600", "6000")) {
        assert_eq!((row.policy.as_str(), row.ect_acks > 0), ("varying", true), "{}", row.finding);
        assert!(row.later_echoes > 0);
    }
    for row in at_both_ends(&acc) {
        assert_eq!(row.policy, "thinned", "{}", row.finding);
    }
}

#[test]
fn filtered_acks_are_called_thinned_where_their_timestamps_tell() {
    let slow = |filter: &str| {
        format!(", back = {{ rate = '20kbps', queue = {{ kind = 'drop-tail', packets = 100, filter = {filter} }} }}")
    };
    let one = "{ kind = 'static', threshold = 1 }";
    for (ack, filter) in [("every", one), ("delayed", one), ("delayed", "{ kind = 'cake' }")] {
        for row in at_both_ends(&bulk(&format!("{{ policy = '{ack}' }}"), "", &slow(filter))) {
            assert_eq!(row.policy, "thinned", "{filter}: {}", row.finding);
        }
    }
    let [row, _] = at_both_ends(&bulk("{ policy = 'delayed' }", ", timestamps = false", &slow(one)));
    assert!(["varying", "periodic"].contains(&row.policy.as_str()), "{}", row.finding);
    assert!(row.finding.contains("without timestamps that is not to be told"), "{}", row.finding);
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
            assert_eq!(row.policy, "delayed", "{}", row.finding);
            let timer = row.timer_s.expect("a timer");
            assert!((timer / expected - 1.0).abs() < 0.06, "{timer}, at the {}", row.vantage);
        }
    }
}

/// ACKs that wait for each other on the way back: of four that leave together, two are third or later in a row.
#[test]
fn acks_closer_than_their_segments_are_compressed() {
    let (scenario, outcome) = run(&bulk("{ policy = 'every' }", ", window = 20", ""));
    let plain = frames(&file(&scenario, &outcome, Format::PcapNg, "G->R@R"));
    assert_eq!(rows(&plain)[0].compressed_acks, 0);
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
    assert!(row.compressed_acks.abs_diff(row.new_acks / 2) <= 2, "{} of {}", row.compressed_acks, row.new_acks);
    assert!(row.finding.contains("ACKs come compressed"), "{}", row.finding);
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
    assert!(row.finding.starts_with("Not decidable, because only 5 ACKs"), "{}", row.finding);
}

fn lossy() -> Vec<Frame> {
    let (scenario, outcome) = run(LOSSY);
    frames(&file(&scenario, &outcome, Format::PcapNg, "S->G@S"))
}

#[test]
fn link_headers_change_nothing() {
    let plain = lossy();
    let expected = rows(&plain);
    assert_eq!(expected.len(), 2, "two transfers");
    assert!(expected.iter().any(|row| row.resent > 0 && row.duplicate_acks > 0 && row.sack_acks > 0));
    let ethernet = [&[0; 12][..], &[8, 0]].concat();
    let tagged = [&[0; 12][..], &[0x81, 0, 0, 7, 8, 0]].concat();
    let cooked = [&[0; 14][..], &[8, 0]].concat();
    let newer = [&[8, 0][..], &[0; 18]].concat();
    for (link_type, head) in
        [(1, ethernet), (1, tagged), (113, cooked), (276, newer), (0, vec![2, 0, 0, 0]), (228, vec![])]
    {
        let wrap = |(time, length, data): &Frame| {
            // Frames are padded to Ethernet's least length: that is no payload.
            let mut frame = [&head[..], data].concat();
            frame.resize(frame.len().max(60), 0);
            (*time, (*length + head.len() as u32).max(60), frame)
        };
        let wrapped: Vec<Frame> = plain.iter().map(wrap).collect();
        assert_eq!(analysed(link_type, &wrapped).connections(), expected, "link type {link_type}");
    }
}

/// Cuts IPv4 packets into parts of at most `most` bytes beside their headers (RFC 791 section 3.2).
fn fragmented(frames: &[Frame], most: usize) -> Vec<Vec<Frame>> {
    let parts = |(number, (time, length, data)): (usize, &Frame)| {
        let (header, body) = data.split_at(20);
        let count = (*length as usize - 20).div_ceil(most);
        let one = |at: usize| {
            let kept = &body[(at * most).min(body.len())..((at + 1) * most).min(body.len())];
            let mut bytes = [header, kept].concat();
            let size = most.min(*length as usize - 20 - at * most) + 20;
            bytes[2..4].copy_from_slice(&(size as u16).to_be_bytes());
            bytes[4..6].copy_from_slice(&(number as u16).to_be_bytes());
            let more = if at + 1 < count { 0x2000 } else { 0 };
            bytes[6..8].copy_from_slice(&(more | (at * most / 8) as u16).to_be_bytes());
            (*time, size as u32, bytes)
        };
        (0..count).map(one).collect()
    };
    frames.iter().enumerate().map(parts).collect()
}

#[test]
fn packets_in_parts_are_put_together_in_whatever_order_the_parts_come() {
    let plain = lossy();
    let mut expected = plain.clone();
    // Both ways are numbered as one.
    for (number, (_, _, data)) in expected.iter_mut().enumerate() {
        data[4..6].copy_from_slice(&(number as u16).to_be_bytes());
        data[6..8].fill(0);
    }
    let expected = rows(&expected);
    for most in [8, 24, 400] {
        let parts = fragmented(&plain, most);
        let whole = parts.iter().filter(|parts| parts.len() > 1).count() as u64;
        let forward = parts.concat();
        let backward: Vec<Frame> = parts.iter().flat_map(|parts| parts.iter().rev().cloned()).collect();
        let twice: Vec<Frame> = parts
            .iter()
            .flat_map(|parts| match &parts[..] {
                [first, rest @ ..] if !rest.is_empty() => [&parts[..1], std::slice::from_ref(first), rest].concat(),
                _ => parts.clone(),
            })
            .collect();
        for (frames, order) in [(forward, "forward"), (backward, "backward"), (twice, "the first twice")] {
            let analysis = analysed(101, &frames);
            assert_eq!(analysis.connections(), expected, "{most} bytes a part, {order}");
            let census = analysis.census();
            assert_eq!((census.reassembled, census.overlapping, census.tcp), (whole, 0, plain.len() as u64), "{order}");
            assert_eq!(census.fragments, census.packets - (plain.len() as u64 - whole), "{order}");
        }
    }
    // Parts that overlap are nobody's: a byte more at the end of each first part.
    let mut parts = fragmented(&plain, 24);
    let whole = parts.iter().filter(|parts| parts.len() > 1).count() as u64;
    for first in parts.iter_mut().filter(|parts| parts.len() > 1).map(|parts| &mut parts[0]) {
        (first.1, first.2[3]) = (first.1 + 8, first.2[3] + 8);
        first.2.extend([0; 8]);
    }
    let analysis = analysed(101, &parts.concat());
    assert_eq!((analysis.census().overlapping, analysis.census().reassembled), (whole, 0));
    assert_eq!(analysis.connections().iter().map(|row| row.bytes).sum::<u64>(), 0);
}

/// Changes a 32-bit number at `at` of a raw IPv4 packet's TCP header.
fn add(data: &mut [u8], at: usize, offset: u32) {
    let number = u32::from_be_bytes(data[20 + at..24 + at].try_into().unwrap());
    data[20 + at..24 + at].copy_from_slice(&number.wrapping_add(offset).to_be_bytes());
}

#[test]
fn sequence_numbers_may_wrap() {
    let plain = lossy();
    for offset in [u32::MAX - 3, u32::MAX - 20_000, 1 << 31, (1 << 31) - 9_000] {
        let mut moved = plain.clone();
        for (_, _, data) in &mut moved {
            let data_way = data[12..16] == [10, 0, 0, 1];
            add(data, if data_way { 4 } else { 8 }, offset);
            let header = usize::from(data[32] >> 4) * 4;
            let mut at = 20;
            while !data_way && at + 1 < header {
                let (kind, length) = (data[20 + at], usize::from(data[21 + at]));
                match kind {
                    1 => at += 1,
                    5 => {
                        (at + 2..at + length).step_by(4).for_each(|block| add(data, block, offset));
                        at += length;
                    }
                    _ => at += length.max(2),
                }
            }
        }
        assert_eq!(rows(&moved), rows(&plain), "offset {offset}");
    }
}

#[test]
fn cut_packets_say_as_much_as_whole_ones() {
    let plain = lossy();
    let cut = |kept: usize| plain.iter().map(|(t, n, data)| (*t, *n, data[..kept.min(data.len())].to_vec())).collect();
    let long: Vec<Frame> = cut(80);
    assert_eq!(rows(&long), rows(&plain));
    let short: Vec<Frame> = cut(39);
    let analysis = analysed(101, &short);
    assert_eq!((analysis.census().cut, analysis.connections().len()), (plain.len() as u64, 0));
}

#[test]
fn a_capture_may_begin_in_the_middle_or_be_out_of_order_in_time() {
    let plain = lossy();
    let late = rows(&plain[30..60]);
    let whole = rows(&plain);
    assert!(!late[0].handshake && whole[0].handshake);
    assert_eq!((late[0].segment_bytes, late[0].acks_of_unseen), (whole[0].segment_bytes, 0));
    let mut disturbed = plain.clone();
    let (first, last) = (disturbed[0].0, disturbed[plain.len() - 1].0);
    disturbed[20].0 = first - 1_000_000_000;
    disturbed[40].0 = i64::MIN;
    disturbed[plain.len() - 1].0 = i64::MAX;
    let analysis = analysed(101, &disturbed);
    assert_eq!(analysis.census().backward, 2);
    let same = |row: &ConnectionRow| (row.bytes, row.resent, row.duplicate_acks, row.acked_bytes);
    assert_eq!(analysis.connections().iter().map(same).collect::<Vec<_>>(), whole.iter().map(same).collect::<Vec<_>>());
    assert!(last > first);
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
    assert_eq!((two.policy.as_str(), two.ack_every), ("delayed", Some(2)), "{}", two.finding);
    assert!(two.finding.contains("TSO or GRO"), "{}", two.finding);
    assert_eq!(one.offloaded, 0);
}

#[test]
fn a_file_that_breaks_off_counts_up_to_there() {
    let (scenario, outcome) = run(LOSSY);
    let bytes = file(&scenario, &outcome, Format::Pcap, "S->G@S");
    let mut analysis = Analysis::default();
    assert!(analysis.read(&mut Reader::new(&bytes[..bytes.len() - 7]).unwrap(), |_| true).unwrap());
    assert!(analysis.census().broken_off);
    assert_eq!(analysis.census().packets as usize, frames(&bytes).len() - 1);
    assert!(analysis.packets().is_none(), "nobody asked for every packet");
}

/// Bytes of any kind, as packets and as files.
#[test]
fn nothing_panics_whatever_the_bytes_are() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let plain = lossy();
    for _ in 0..300 {
        let mut analysis = Analysis::with_packets();
        for (time, length, data) in &plain {
            let (mut time, mut length, mut data) = (*time, *length, data.clone());
            for _ in 0..draw(4) {
                match draw(6) {
                    0 => data.truncate(draw(data.len() + 1)),
                    1 => time = [i64::MIN, i64::MAX, 0, -1, time.saturating_sub(5_000_000_000)][draw(5)],
                    2 => length = [0, 1, u32::MAX, 70_000][draw(4)],
                    3 if data.len() > 44 => add(&mut data, [4, 8][draw(2)], [1 << 31, 1 << 30, 5, u32::MAX][draw(4)]),
                    4 if data.len() > 34 => data[33] = draw(256) as u8, // flags
                    _ if !data.is_empty() => {
                        let at = draw(data.len());
                        data[at] = draw(256) as u8;
                    }
                    _ => {}
                }
            }
            let link_type = if draw(30) == 0 { [0, 1, 113, 276, 228, 147][draw(6)] } else { 101 };
            analysis.on_packet(link_type, &data, length, time);
        }
        for row in analysis.connections() {
            assert!(row.new_acks <= row.acks && row.resent + row.late <= row.data_packets, "{row:?}");
        }
    }
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..draw(120)).map(|_| draw(256) as u8).collect();
        let mut analysis = Analysis::with_packets();
        analysis.on_packet([0, 1, 101, 113, 276, 229][draw(6)], &bytes, draw(200) as u32, draw(1 << 30) as i64);
    }
}
