//! The reader on files that are not quite captures: it answers or refuses, never panics, and always ends.

mod common;

use acklab_capture::{ReadError, Reader};

use acklab_tap::Format;
use common::{LOSSY, file, run};

/// Reads to the end or to the first error; how many packets there were.
fn drain(bytes: &[u8]) -> Result<usize, ReadError> {
    let mut reader = Reader::new(bytes)?;
    let mut packets = 0;
    while let Some(record) = reader.next()? {
        assert!(record.data.len() <= bytes.len());
        packets += 1;
        assert!(packets <= bytes.len(), "more packets than bytes");
    }
    Ok(packets)
}

/// The beginnings of a file in each format: a few packets, cut after a whole one by what the reader told.
fn samples() -> Vec<Vec<u8>> {
    let (scenario, outcome) = run(LOSSY);
    Format::ALL.map(|format| file(&scenario, &outcome, format, "G->R@G")).into()
}

#[test]
fn every_prefix_is_read_or_refused() {
    for bytes in samples() {
        let all = drain(&bytes).unwrap();
        let mut before = 0;
        for end in 0..bytes.len().min(6000) {
            match drain(&bytes[..end]) {
                Ok(packets) => {
                    assert!(packets >= before);
                    before = packets;
                }
                Err(ReadError::Truncated { at }) => assert_eq!(at, end as u64),
                Err(ReadError::Empty) => assert_eq!(end, 0),
                Err(ReadError::Unknown) => assert!((1..4).contains(&end)),
                Err(error) => panic!("{error} in the first {end} bytes"),
            }
        }
        assert!(before > 3 && before < all);
    }
}

#[test]
fn no_byte_can_make_it_panic() {
    for bytes in samples() {
        let mut bytes = bytes[..bytes.len().min(4000)].to_vec();
        for at in 0..bytes.len() {
            let before = bytes[at];
            for value in [0, 1, 0x7f, 0x80, 0xff, before ^ 0x40, before.wrapping_add(1)] {
                bytes[at] = value;
                let _ = drain(&bytes);
            }
            bytes[at] = before;
        }
    }
}

#[test]
fn the_other_byte_order_reads_alike() {
    let (scenario, outcome) = run(LOSSY);
    let bytes = file(&scenario, &outcome, Format::Pcap, "S->G@S");
    let mut swapped = bytes.clone();
    let swap = |word: &mut [u8]| word.reverse();
    for at in [0, 8, 12, 16, 20] {
        swap(&mut swapped[at..at + 4]);
    }
    for at in [4, 6] {
        swap(&mut swapped[at..at + 2]);
    }
    let mut at = 24;
    while at < bytes.len() {
        let kept = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        swapped[at..at + 16].chunks_exact_mut(4).for_each(swap);
        at += 16 + kept;
    }
    let (mut little, mut big) = (Reader::new(&bytes[..]).unwrap(), Reader::new(&swapped[..]).unwrap());
    assert_eq!(little.interfaces(), big.interfaces());
    while let Some(record) = little.next().unwrap() {
        assert_eq!(Some(record), big.next().unwrap());
    }
    assert!(big.next().unwrap().is_none());
}
