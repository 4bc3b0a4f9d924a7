//! A connection's numbers are its own: alone, after others, between others and later they are the same.

use std::path::Path;

use super::*;
use serde_json::Value;

#[path = "../../tap/tests/common/mod.rs"]
mod simulated;

/// Link type, time, length and bytes.
type Packet = (u32, i128, u32, Vec<u8>);

/// A segment of another connection, between hosts of its own.
const FOREIGN: [u8; 40] = [
    0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 172, 16, 7, 1, 172, 16, 7, 2, 0, 7, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0x50,
    16, 9, 9, 0, 0, 0, 0,
];

/// The captures that the tests have, those of a directory that `ACKLAB_CAPTURES` names, and both ends of simulated paths.
fn files(paths: u32) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders =
        ["examples/captures", "tests/capture/kernel", "crates/tap/tests/live"].map(|folder| root.join(folder));
    let folders = folders.into_iter().chain(std::env::var_os("ACKLAB_CAPTURES").map(Into::into));
    let entries = folders.flat_map(std::fs::read_dir).flatten().flatten();
    let mut files: Vec<_> = entries.flat_map(|entry| std::fs::read(entry.path())).collect();
    for k in 0..paths {
        let (rate, delay) = (format!("{}Mbps", 1 + 7 * (k % 5)), format!("{}ms", 2 + 11 * (k % 7)));
        let back = format!(r#"flow = [{{ from = "R", to = "S", start = "{k}ms", size = {{ bytes = "30kB" }} }}, "#);
        let text = simulated::LOSSY.replace("1Mbps", &rate).replace("20ms", &delay).replace("flow = [", &back);
        let (scenario, outcome) = simulated::run(&text);
        let ends = ["S->G@S", "G->R@R"];
        files.extend(ends.map(|end| simulated::file(&scenario, &outcome, acklab_tap::Format::PcapNg, end)));
    }
    files
}

/// The analysis of packets, and the connection of each; none for a part of a segment.
fn analysed<'a>(packets: impl IntoIterator<Item = &'a Packet>) -> (Analysis, Vec<Option<usize>>) {
    let mut analysis = Analysis::with_packets();
    let owner = |(link, time_ns, length, data): &Packet| {
        let before: Vec<u64> = analysis.connections.iter().map(|connection| connection.packets).collect();
        analysis.on_packet(*link, data, *length, *time_ns);
        (0..analysis.connections.len()).find(|&at| before.get(at) != Some(&analysis.connections[at].packets))
    };
    let owners = packets.into_iter().map(owner).collect();
    (analysis, owners)
}

/// What the identifications of its hosts' other connections tell.
const IDENTIFIED: [&str; 9] = [
    "missing_acks",
    "policy",
    "policy_why",
    "policy_evidence",
    "policy_of",
    "ack_every",
    "timer_s",
    "timer_low_s",
    "timer_high_s",
];

/// All of its tables' rows of a connection, with times from its first packet on.
fn numbers(analysis: &Analysis, connection: usize) -> Vec<Value> {
    let packets = analysis.packets().unwrap();
    let (rows, bins, spans) = (analysis.connections(), analysis.throughput(), analysis.limits());
    let tables = serde_json::json!([rows, bins, spans, packets.acks, packets.segments]);
    let start = analysis.connections[connection].first_ns as f64;
    let rows = tables.as_array().unwrap().iter().flat_map(|rows| rows.as_array().unwrap().clone());
    let mut rows: Vec<_> = rows.filter(|row| row["connection"] == connection).collect();
    for row in rows.iter_mut().map(|row| row.as_object_mut().unwrap()) {
        row.retain(|name, _| name != "connection" && !name.ends_with("frame"));
        for (_, time) in row.iter_mut().filter(|(name, _)| ["start_s", "end_s", "time_s"].contains(&name.as_str())) {
            *time = (time.as_f64().unwrap() * 1e9 - start).round().into();
        }
    }
    rows
}

#[test]
fn other_connections_and_the_files_beginning_change_no_number() {
    let mut directions = 0;
    for file in files(if std::env::var_os("ACKLAB_LONG").is_some() { 220 } else { 12 }) {
        let Ok(mut reader) = Reader::new(&file[..]) else { continue };
        let mut packets = Vec::<Packet>::new();
        while let Ok(Some(record)) = reader.next() {
            packets.push((record.link_type, record.time_ns, record.length, record.data.to_vec()));
        }
        let (whole, owners) = analysed(&packets);
        for index in 0..whole.connections.len() {
            let own = owners.iter().zip(&packets).filter(|(owner, _)| owner.is_none_or(|owner| owner == index));
            let own: Vec<Packet> = own.map(|(_, packet)| packet.clone()).collect();
            let foreign = |time_ns| (101, time_ns, 40, FOREIGN.to_vec());
            let after = [&[foreign(own[0].1 - 33_000_000_000)], &own[..]].concat();
            let between = after.iter().flat_map(|packet| [packet.clone(), foreign(packet.1 + 400_000_000)]);
            let between: Vec<Packet> = between.collect();
            let mut later = own.clone();
            later.iter_mut().for_each(|packet| packet.1 += 1 << 60);
            let alone = analysed(&own).0;
            let others = [(after, 1), (between, 1), (later, 0)].map(|(packets, place)| (analysed(&packets).0, place));
            for (other, place) in others.iter().map(|(other, place)| (other, *place)).chain([(&whole, index)]) {
                // More packets tell more of a coarse clock.
                if other.census.resolution_ns == alone.census.resolution_ns {
                    let (mut expected, mut rows) = (numbers(&alone, 0), numbers(other, place));
                    for (row, same) in expected.iter_mut().zip(&mut rows) {
                        let identified = std::ptr::eq(other, &whole) && row["missing_acks"] != same["missing_acks"];
                        for name in IDENTIFIED.iter().filter(|_| identified) {
                            (row[*name], same[*name]) = (Value::Null, Value::Null);
                        }
                    }
                    assert_eq!(expected, rows);
                }
            }
            directions += alone.connections().len();
        }
    }
    println!("{directions} directions");
    assert!(directions >= 60, "{directions} directions");
}
