//! The analysis of captures: its numbers do not depend on how packets are wrapped, numbered, cut, put in parts or ordered, and no
//! bytes make it panic.

mod common;

use acklab_analyze::{Analysis, ConnectionRow};
use acklab_capture::Reader;
use acklab_tap::Format;
use common::{Frame, LOSSY, analysed, file, frames, rows, run};

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
    // Both directions are numbered as one.
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
    assert_eq!((analysis.census().backward, analysis.census().clock_steps), (0, 2));
    let same = |row: &ConnectionRow| (row.bytes, row.resent, row.duplicate_acks, row.acked_bytes);
    assert_eq!(analysis.connections().iter().map(same).collect::<Vec<_>>(), whole.iter().map(same).collect::<Vec<_>>());
    assert!(last > first);
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
