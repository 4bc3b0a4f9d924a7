//! Compressed captures read like plain ones; what breaks off counts up to there, what is damaged is refused.

mod common;

use std::io::{self, Read, Write};

use acklab_capture::{Packing, ReadError, Reader};

use acklab_tap::Format;
use common::{LOSSY, file, run};
use flate2::Compression;
use flate2::write::GzEncoder;
use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fn plain() -> Vec<u8> {
    let (scenario, outcome) = run(LOSSY);
    file(&scenario, &outcome, Format::PcapNg, "G->R@G")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let info = FrameInfo::new().block_size(BlockSize::Max64KB).content_checksum(true).block_checksums(true);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// A program that compresses, and what it makes.
type Packer = (Packing, fn(&[u8]) -> Vec<u8>);
const PACKERS: [Packer; 3] = [(Packing::Gzip, gzip), (Packing::Zstd, zstd), (Packing::Lz4, lz4)];

/// Packets that the reader gives, and how it ends.
fn drain(input: impl Read) -> (Vec<Vec<u8>>, Result<(), ReadError>) {
    let mut packets = Vec::new();
    let mut reader = match Reader::new(input) {
        Ok(reader) => reader,
        Err(error) => return (packets, Err(error)),
    };
    loop {
        match reader.next() {
            Ok(Some(record)) => packets.push(record.data.to_vec()),
            Ok(None) => return (packets, Ok(())),
            Err(error) => return (packets, Err(error)),
        }
    }
}

fn whole(input: impl Read) -> Vec<Vec<u8>> {
    let (packets, end) = drain(input);
    end.unwrap();
    packets
}

/// The places of a file after its magic number: all where headers and checksums stand, and some between.
fn places(length: usize) -> impl Iterator<Item = usize> {
    (4..length).filter(move |at| *at < 40 || at + 20 > length || at % 31 == 0)
}

/// An input that gives a byte at a time, and is interrupted between.
struct Drops<'a>(&'a [u8], bool);

impl Read for Drops<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.by_ref().take(1).read(out) }
    }
}

#[test]
fn what_a_capture_is_compressed_with_changes_nothing() {
    let plain = plain();
    let expected = whole(&plain[..]);
    assert_eq!(Reader::new(&plain[..]).unwrap().packing(), None);
    for (packing, pack) in PACKERS {
        let packed = pack(&plain);
        assert!(packed.len() < plain.len() / 2);
        assert_eq!(Reader::new(&packed[..]).unwrap().packing(), Some(packing));
        assert_eq!(whole(&packed[..]), expected, "{packing}");
        assert_eq!(whole(Drops(&packed, false)), expected, "{packing}, a byte at a time");
    }
}

/// As `cat` of several compressed files, pigz and pzstd leave them; and with what tapes and downloads add.
#[test]
fn members_follow_each_other_and_padding_ends_them() {
    let plain = plain();
    let expected = whole(&plain[..]);
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"any"].concat();
    for (packing, pack) in PACKERS {
        for at in [1, 3, 100, plain.len() - 1] {
            let (head, tail) = plain.split_at(at);
            assert_eq!(whole(&[pack(head), pack(tail)].concat()[..]), expected, "{packing}, divided at {at}");
            assert_eq!(whole(&[pack(head), pack(b""), pack(tail), vec![0; 700]].concat()[..]), expected, "{packing}");
        }
        if packing != Packing::Gzip {
            let (head, tail) = plain.split_at(1000);
            let packed = [&skipped[..], &pack(head), &skipped, &skipped, &pack(tail), &skipped].concat();
            assert_eq!(whole(&packed[..]), expected, "{packing}, with frames to skip");
        }
    }
}

#[test]
fn every_prefix_counts_as_far_as_it_goes() {
    let plain = plain();
    let expected = whole(&plain[..]);
    for (packing, pack) in PACKERS {
        let packed = pack(&plain);
        let mut before = 0;
        for end in places(packed.len()) {
            let (packets, error) = drain(&packed[..end]);
            let error = error.expect_err("it breaks off");
            assert!(error.is_truncation() || matches!(error, ReadError::Truncated { .. }), "{packing}, {end}: {error}");
            assert!(packets.len() >= before && packets[..] == expected[..packets.len()], "{packing}, {end}");
            before = packets.len();
        }
        assert!(packing != Packing::Gzip || before == expected.len(), "only the checksum was missing");
    }
}

/// Blocks before the cut are given out, although the frame's window would hold them back.
#[test]
fn a_zstd_frame_cut_in_its_third_block_gives_the_first_two() {
    let mut noise = 1_u32;
    let mut payload = [0; 1000];
    let mut file = Vec::new();
    let mut capture = acklab_capture::RawPcap::new(&mut file, 65_535).unwrap();
    for time in 0..400 {
        payload.fill_with(|| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        });
        capture.packet(time, &payload, 1000).unwrap();
    }
    capture.finish().unwrap();
    let packed = zstd(&file);
    assert!(packed.len() > 300 << 10, "blocks have up to 128 KiB");
    let (packets, end) = drain(&packed[..300 << 10]);
    assert_eq!(packets.len(), ((2 << 17) - 24) / 1016);
    assert!(end.unwrap_err().is_truncation());
}

#[test]
fn damage_is_found_or_harmless() {
    let plain = plain();
    let expected = whole(&plain[..]);
    for (packing, pack) in PACKERS {
        let packed = pack(&plain);
        let mut refused = 0;
        for at in places(packed.len()) {
            let mut bytes = packed.clone();
            bytes[at] ^= 0x10;
            match drain(&bytes[..]) {
                (packets, Ok(())) => assert_eq!(packets, expected, "{packing}, byte {at}"),
                (_, Err(error)) => {
                    let said = error.to_string();
                    assert!(!said.contains('\n') && said.len() < 300, "{said}");
                    refused += 1;
                }
            }
        }
        assert!(refused > places(packed.len()).count() * 9 / 10, "{packing}: {refused} refused");
    }
}

#[test]
fn what_is_wrong_is_said_in_a_line() {
    let plain = plain();
    let mut checksum = gzip(&plain);
    let last = checksum.len();
    checksum[last - 8] ^= 1;
    let mut content = plain[..2000].to_vec();
    content[200..1000].fill(0xff);
    let cases: [(Vec<u8>, &str); 9] = [
        (vec![], "empty: not one byte"),
        (vec![0x1f, 0x8b, 8], "neither pcap, pcapng nor snoop"),
        (gzip(b""), "(in what gzip unpacks)"),
        (gzip(b"abc"), "neither pcap, pcapng nor snoop (in what gzip unpacks)"),
        (zstd(b"no capture"), "neither pcap, pcapng nor snoop (in what zstd unpacks)"),
        (gzip(&gzip(&plain)), "neither pcap, pcapng nor snoop (in what gzip unpacks)"),
        (b"BZh91AY&SY".to_vec(), "compressed by bzip2, which is not read: unpack it first"),
        (checksum, "its gzip data are damaged, "),
        (lz4(&content), "no capture at byte "),
    ];
    for (bytes, why) in cases {
        let said = drain(&bytes[..]).1.unwrap_err().to_string();
        assert!(said.contains(why), "{said}, not {why}");
    }
    let (_, end) = drain(gzip(&plain)[..500].chain(Fails));
    let Err(ReadError::Io(error)) = end else { panic!("{end:?}") };
    assert_eq!(error.to_string(), "the disk is gone");
}

/// An input that fails.
struct Fails;

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}
