//! Where mutation starts: the beginnings of captures of Linux and of the simulator, plain and packed.

use std::io::Write;
use std::path::Path;

use acklab_tap::{Capture, Format, LinkEnd};

/// Bytes of each: a few dozen packets.
const MOST: usize = 6000;

/// Losses of data and ACKs, SACK, timestamps, ECN and accurate ECN, delayed ACKs, keep-alives, a FIN and a second transfer.
const SIMULATED: &str = r#"
    link = [
        { between = ["S", "G"], rate = "10Mbps", delay = "1ms", loss = { list = [4], where = "after-queue" } },
        { between = ["G", "R"], rate = "1Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 8 },
          loss = { list = [9] }, back = { loss = { list = [4] } } },
    ]
    flow = [
        { from = "S", to = "R", size = { bytes = "20kB" }, sender = { fin = true, ecn = true }, repeat = { times = 2, think = "50ms" } },
        { from = "R", to = "S", size = { bytes = "5kB" }, sender = { ecn = true, accurate_ecn = true },
          receiver = { accecn_option = "always", ack = { policy = "smart", interval = "20ms" } } },
    ]
    record = { packets = true }
"#;

/// Captures in every format and packing.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut plain = simulated();
    plain.extend(kernels());
    let mut seeds = Vec::new();
    for (number, bytes) in plain.iter().enumerate() {
        seeds.push(bytes.clone());
        seeds.push(match number % 3 {
            0 => gzip(bytes),
            1 => lz4(bytes),
            _ => ruzstd::encoding::compress_to_vec(&bytes[..], ruzstd::encoding::CompressionLevel::Fastest),
        });
    }
    let (head, tail) = plain[0].split_at(700);
    seeds.push([gzip(head), gzip(tail)].concat());
    seeds
}

fn simulated() -> Vec<Vec<u8>> {
    let scenario = acklab_scenario::parse_toml(SIMULATED, "corpus").expect("a scenario");
    let outcome = acklab_sim::Simulation::new(scenario.clone().into()).run();
    let capture = |format: Format, end: &str, snap_length: u32| {
        let capture = Capture::new(&scenario, &outcome).expect("packets were recorded").format(format);
        let mut bytes = Vec::new();
        let end = LinkEnd::find(&outcome, end).expect("an end");
        capture.snap_length(snap_length).write(end, &mut bytes).expect("memory takes it");
        bytes.truncate(MOST);
        bytes
    };
    vec![
        capture(Format::Pcap, "S->G@S", 80),
        capture(Format::PcapNg, "S->G@S", 96),
        capture(Format::PcapNg, "G->R@R", 65_535),
    ]
}

/// Those of the repository's tests; none where the crate stands alone.
fn kernels() -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/capture/kernel");
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "pcap"));
    files.sort();
    let beginning = |mut bytes: Vec<u8>| {
        bytes.truncate(MOST);
        bytes
    };
    files.iter().flat_map(std::fs::read).map(beginning).collect()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes it")
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}
