//! Formats beside pcap 2.4 and pcapng, and odd ones of these: the same packets come out.

mod common;

use acklab_capture::Reader;

use acklab_tap::Format;
use common::{LOSSY, file, frames, run};

fn plain() -> Vec<u8> {
    let (scenario, outcome) = run(LOSSY);
    file(&scenario, &outcome, Format::Pcap, "S->G@S")
}

/// Records of a pcap file: header of 16 bytes, and data.
fn records(bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    let (mut rest, mut found) = (&bytes[24..], Vec::new());
    while !rest.is_empty() {
        let kept = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        found.push((&rest[..16], &rest[16..16 + kept]));
        rest = &rest[16 + kept..];
    }
    found
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn lengths_may_be_exchanged_before_version_2_3() {
    let bytes = plain();
    let cut: Vec<u8> = [&bytes[..24], &[]].concat();
    for (minor, exchange) in [(2_u8, true), (3, true), (3, false), (4, false)] {
        let mut old = cut.clone();
        old[6] = minor;
        for (head, data) in records(&bytes) {
            let lengths = if exchange {
                [&head[12..16], &40_u32.to_le_bytes()[..]]
            } else {
                [&40_u32.to_le_bytes()[..], &head[12..16]]
            };
            old.extend([&head[..8], lengths[0], lengths[1], &data[..40]].concat());
        }
        let expected: Vec<_> =
            frames(&bytes).into_iter().map(|(time, length, data)| (time, length, data[..40].to_vec())).collect();
        assert_eq!(frames(&old), expected, "2.{minor}");
    }
}

#[test]
fn records_may_have_eight_bytes_more() {
    let bytes = plain();
    let mut patched = [&0xa1b2_cd34_u32.to_le_bytes()[..], &bytes[4..24]].concat();
    for (head, data) in records(&bytes) {
        let micros = (word(head, 4) / 1000).to_le_bytes();
        patched.extend([&head[..4], &micros, &head[8..], &[7; 8], data].concat());
    }
    assert_eq!(frames(&patched).len(), frames(&bytes).len());
    assert_eq!(frames(&patched)[9].2, frames(&bytes)[9].2);
}

#[test]
fn snoop_is_read() {
    let bytes = plain();
    let mut snoop = [&b"snoop\0\0\0"[..], &2_u32.to_be_bytes(), &4_u32.to_be_bytes()].concat();
    for (head, data) in records(&bytes) {
        let padded = data.len().next_multiple_of(4);
        let words = [word(head, 12), data.len() as u32, 24 + padded as u32, 0, word(head, 0), word(head, 4) / 1000];
        words.iter().for_each(|word| snoop.extend(word.to_be_bytes()));
        snoop.extend(data);
        snoop.resize(snoop.len() + padded - data.len(), 0);
    }
    let coarse = |frames: Vec<common::Frame>| {
        frames.into_iter().map(|(time, n, data)| (time / 1000, n, data)).collect::<Vec<_>>()
    };
    assert_eq!(coarse(frames(&snoop)), coarse(frames(&bytes)));
    assert_eq!(Reader::new(&snoop[..]).unwrap().interfaces()[0].link_type, 1);
    for end in 0..200 {
        let _ = Reader::new(&snoop[..end]).map(|mut reader| while let Ok(Some(_)) = reader.next() {});
    }
}

#[test]
fn times_beyond_the_year_2262_are_read() {
    let (scenario, outcome) = run(LOSSY);
    let mut bytes = file(&scenario, &outcome, Format::PcapNg, "S->G@S");
    let packet = bytes.windows(4).position(|four| four == [6, 0, 0, 0]).expect("a packet block");
    bytes[packet + 12..packet + 20].fill(0xff);
    let first = Reader::new(&bytes[..]).unwrap().next().unwrap().expect("a packet").time_ns;
    assert_eq!(first, i128::from(u64::MAX));
}
