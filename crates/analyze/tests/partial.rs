//! Captures that have seen only a part, or some of it twice: what is missing is said, and nothing is made up.

mod common;

use acklab_analyze::{Analysis, ConnectionRow, Tunnel};
use acklab_capture::Reader;
use acklab_tap::Format;
use common::{LOSSY, file, run};

/// A packet of a capture: instant, whole length, bytes kept.
type Frame = (i64, u32, Vec<u8>);

/// An undisturbed transfer of 100 segments, as seen at one of its ends.
fn transfer(end: &str) -> Vec<Frame> {
    let (scenario, outcome) = run(r#"
        link = [{ between = ["S", "R"], rate = "5Mbps", delay = "20ms" }]
        flow = [{ from = "S", to = "R", size = { segments = 100 }, sender = { packet = 1000 } }]
        record = { packets = true }
    "#);
    frames(&file(&scenario, &outcome, Format::PcapNg, end))
}

fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut reader = Reader::new(bytes).unwrap();
    let mut frames = Vec::new();
    while let Some(record) = reader.next().unwrap() {
        frames.push((record.time_ns as i64, record.length, record.data.to_vec()));
    }
    frames
}

fn analysed<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> Analysis {
    let mut analysis = Analysis::default();
    frames.into_iter().for_each(|(time, length, data)| analysis.on_packet(101, data, *length, *time));
    analysis
}

fn only<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> ConnectionRow {
    let rows = analysed(frames).connections();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.into_iter().next().unwrap()
}

/// Whether the data's sender sent it.
fn is_data((_, _, packet): &&Frame) -> bool {
    packet[12..16] == [10, 0, 0, 1]
}

#[test]
fn one_direction_alone_is_said_to_be_alone() {
    let both = transfer("S->R@S");
    let whole = only(&both);
    let data = only(both.iter().filter(is_data));
    assert_eq!((data.bytes, data.acks, data.max_flight_bytes), (whole.bytes, 0, 0));
    assert_eq!((data.policy.as_str(), data.policy_why.as_str(), data.policy_evidence), ("undecided", "few-acks", 0));
    assert_eq!((data.limit.as_str(), data.limit_why.as_str()), ("unknown", "no-acks"));
    let acks = only(both.iter().filter(|frame| !is_data(frame)));
    assert_eq!((acks.bytes, acks.acks, acks.segment_bytes), (0, whole.acks, whole.segment_bytes));
    let (one, two) = (acks.segments_per_ack.unwrap(), whole.segments_per_ack.unwrap());
    assert!((one / two - 1.0).abs() < 0.02, "the SYN-ACK tells the size: {one}, {two}");
    assert_eq!((acks.limit.as_str(), acks.limit_why.as_str()), ("unknown", "no-data"));
    let later = only(both.iter().filter(|frame| !is_data(frame)).skip(1));
    assert_eq!(later.segments_per_ack, None, "nothing tells how large segments are");
}

/// Data beyond every window that passed: the receiver cannot be what they wait for.
#[test]
fn data_beyond_the_window_say_nothing_of_it() {
    let (scenario, outcome) = run(r#"
        link = [{ between = ["S", "R"], rate = "50Mbps", delay = "20ms" }]
        flow = [{ from = "S", to = "R", size = { segments = 400 }, sender = { packet = 1000, window = 10 } }]
        record = { packets = true }
    "#);
    let both = frames(&file(&scenario, &outcome, Format::PcapNg, "S->R@S"));
    assert_eq!(only(&both).limit, "receiver-window");
    let acks = both.iter().filter(|frame| !is_data(frame)).count();
    let mut seen = 0;
    let few = both.iter().filter(|frame| {
        seen += usize::from(!is_data(frame));
        is_data(frame) || seen <= 2 || seen == acks
    });
    let row = only(few);
    assert_eq!((row.limit.as_str(), row.window_limited_s), ("unknown", None), "{row:?}");
    assert_eq!(row.limit_why, "lacks-acks");
}

/// A download of which only the client's packets passed: its request, and the ACKs of what it got.
#[test]
fn acks_of_data_that_never_pass_have_a_row_beside_a_request() {
    let mut both = transfer("S->R@R");
    let request = both.iter().position(|frame| !is_data(&frame)).unwrap() + 2;
    let (_, length, packet) = both.iter_mut().filter(|frame| !is_data(&&**frame)).nth(1).unwrap();
    packet.extend([0; 50]);
    *length += 50;
    packet[2..4].copy_from_slice(&(*length as u16).to_be_bytes());
    assert!(request < both.len());
    let rows = analysed(both.iter().filter(|frame| !is_data(frame))).connections();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows.iter().any(|row| row.bytes == 50));
    assert!(rows.iter().any(|row| row.bytes == 0 && row.acked_bytes > 90_000));
}

#[test]
fn delays_far_from_the_receiver_are_not_called_its_own() {
    let (scenario, outcome) = run(r#"
        link = [{ between = ["S", "G"], rate = "5Mbps", delay = "20ms" }, { between = ["G", "R"], rate = "50Mbps", delay = "2ms" }]
        flow = [{ from = "S", to = "R", size = { segments = 100 } }]
        record = { packets = true }
    "#);
    let at = |end: &str| only(&frames(&file(&scenario, &outcome, Format::PcapNg, end)));
    let (far, near) = (at("S->G@G"), at("G->R@R"));
    assert_eq!((far.vantage.as_str(), near.vantage.as_str()), ("receiver", "receiver"));
    assert!(far.receiver_rtt_min_s > Some(0.004) && near.receiver_rtt_min_s < Some(0.001), "{far:?} {near:?}");
}

#[test]
fn gaps_that_fill_are_told() {
    let (scenario, outcome) = run(LOSSY);
    let row = &analysed(&frames(&file(&scenario, &outcome, Format::PcapNg, "G->R@R"))).connections()[0];
    assert!(row.late > 1, "{row:?}");
}

/// Each packet at two interfaces of a router, where its TTL is another.
#[test]
fn packets_captured_twice_are_told_from_retransmissions() {
    let once = transfer("S->R@S");
    let again = |(time, length, data): &Frame| {
        let mut data = data.clone();
        data[8] -= 1; // TTL
        (time + 40_000, *length, data)
    };
    let twice: Vec<Frame> = once.iter().flat_map(|frame| [frame.clone(), again(frame)]).collect();
    assert_eq!(only(&once).copies, 0);
    let row = only(&twice);
    assert_eq!(row.copies as usize, once.len());
    // A retransmission has a number of its own.
    let (scenario, outcome) = run(LOSSY);
    let lossy = frames(&file(&scenario, &outcome, Format::PcapNg, "S->G@S"));
    let rows = analysed(&lossy).connections();
    assert!(rows.iter().any(|row| row.resent > 0) && rows.iter().all(|row| row.copies == 0));
}

#[test]
fn what_a_short_snap_length_cuts_is_counted() {
    let plain = transfer("S->R@S");
    let cut: Vec<Frame> = plain.iter().map(|(time, length, data)| (*time, *length, data[..42].to_vec())).collect();
    let analysis = analysed(&cut);
    assert_eq!(analysis.census().options_cut as usize, plain.len());
    assert_eq!(analysed(&plain).census().options_cut, 0);
    let mut disturbed = plain.clone();
    disturbed[50].0 -= 3_000_000_000;
    let census = analysed(&disturbed).census().clone();
    assert_eq!((census.backward, census.clock_steps), (0, 1));
    disturbed[50].0 = plain[49].0 - 300_000_000;
    let census = analysed(&disturbed).census().clone();
    assert_eq!((census.backward, census.backward_max_ns, census.clock_steps), (1, 300_000_000, 0));
}

/// A handshake of which each packet passes twice times nothing.
#[test]
fn a_handshake_that_passed_twice_is_no_missing_one() {
    let (scenario, outcome) = run(r#"
        link = [{ between = ["S", "R"], rate = "5Mbps", delay = "20ms" }]
        flow = [{ from = "S", to = "R", size = { segments = 100 }, sender = { timestamps = false } }]
        record = { packets = true }
    "#);
    let once = frames(&file(&scenario, &outcome, Format::PcapNg, "S->R@S"));
    let twice: Vec<Frame> = once.iter().flat_map(|frame| [frame.clone(), frame.clone()]).collect();
    let legs = |row: ConnectionRow| (row.vantage, row.sender_rtt_min_s.is_some());
    assert_eq!((legs(only(&twice)).1, legs(only(&once)).1), (false, true));
}

/// What a tunnel carries is what is analysed.
#[test]
fn tunnels_are_opened_and_named() {
    let plain = transfer("S->R@S");
    let expected = analysed(&plain).connections();
    let outer = |protocol: u8, head: &[u8]| {
        let wrapped: Vec<Frame> = plain
            .iter()
            .map(|(time, length, data)| {
                let whole = 20 + head.len() + *length as usize;
                let mut ip = vec![0x45, 0, (whole >> 8) as u8, whole as u8, 0, 0, 0, 0, 64, protocol, 0, 0];
                ip.extend([172, 16, 0, 1, 172, 16, 0, 2]);
                (*time, whole as u32, [&ip[..], head, &data[..]].concat())
            })
            .collect();
        analysed(&wrapped)
    };
    let mac = [&[0; 12][..], &[8, 0]].concat();
    let heads: [(u8, Vec<u8>, Tunnel); 5] = [
        (4, vec![], Tunnel::Ip),
        (47, vec![0, 0, 8, 0], Tunnel::Gre),
        (47, [&[0x10, 0, 0x88, 0xbe, 0, 0, 0, 1][..], &[0; 8], &mac].concat(), Tunnel::Erspan),
        (17, [&[9, 9, 0x12, 0xb5, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 1, 0][..], &mac].concat(), Tunnel::Vxlan),
        (17, vec![8, 0x68, 8, 0x68, 0, 0, 0, 0, 0x30, 255, 0, 0, 0, 0, 0, 1], Tunnel::Gtp),
    ];
    for (protocol, head, tunnel) in heads {
        let analysis = outer(protocol, &head);
        assert_eq!(analysis.connections(), expected, "{tunnel:?}");
        assert_eq!(analysis.census().tunnels, [(tunnel, plain.len() as u64)].into());
    }
}

/// A capture as a file's bytes, of times that are not in order.
fn recorded(frames: &[Frame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut capture = acklab_capture::RawPcap::new(&mut bytes, 65_535).unwrap();
    for (time, length, data) in frames {
        capture.packet(*time as u64, data, *length).unwrap();
    }
    capture.finish().unwrap();
    bytes
}

#[test]
fn one_wrong_time_changes_nothing_and_a_clock_set_back_little() {
    let plain = transfer("S->R@S");
    let read = |frames: &[Frame]| {
        let mut analysis = Analysis::default();
        analysis.read(&mut Reader::new(&recorded(frames)[..]).unwrap(), |_| true).unwrap();
        analysis
    };
    let expected = read(&plain).connections();
    let mut wild = plain.clone();
    wild[31].0 += 1_000_000_000_000_000_000;
    let analysis = read(&wild);
    assert_eq!(analysis.census().wild_times, 1);
    assert_eq!(
        (analysis.connections()[0].policy.clone(), analysis.connections()[0].duration_s),
        (expected[0].policy.clone(), expected[0].duration_s)
    );
    let mut set = plain.clone();
    set.iter_mut().skip(40).for_each(|frame| frame.0 -= 100_000_000_000);
    let analysis = read(&set);
    assert_eq!((analysis.census().clock_steps, analysis.census().wild_times), (1, 0));
    assert!((analysis.connections()[0].duration_s / expected[0].duration_s - 1.0).abs() < 0.1);
}

/// Two thousand million bytes are not acknowledged where a hundred thousand passed.
#[test]
fn an_ack_of_an_older_connection_is_left_out() {
    let plain = transfer("S->R@S");
    let expected = analysed(&plain).connections();
    let mut disturbed = plain.clone();
    let at = plain.iter().rposition(|frame| frame.2[12..16] == [10, 0, 0, 2]).unwrap();
    let mut old = plain[at].clone();
    old.2[28..32].copy_from_slice(&2_094_168_062_u32.to_be_bytes());
    disturbed.insert(at, old);
    let found = analysed(&disturbed).connections();
    assert_eq!((found[0].wild_acks, found[0].acked_bytes, found[0].acks_of_unseen), (1, expected[0].acked_bytes, 0));
}
