//! Logs of a simulated flow, read by another's parser: Cloudflare's crate `qlog`.
//!
//! `tests/python/test_qlog.py` compares the files with what is written today.

use std::fs::File;
use std::io::BufReader;

use qlog::events::EventData;
use qlog::events::quic::QuicFrame;
use qlog::reader::{Event, QlogSeqReader};

/// The events of a file, each of a type that the parser knows.
fn events(name: &str) -> Vec<EventData> {
    let path = format!("{}/../../tests/data/qlog/{name}", env!("CARGO_MANIFEST_DIR"));
    let reader = QlogSeqReader::new(Box::new(BufReader::new(File::open(path).unwrap()))).unwrap();
    assert_eq!(reader.qlog.file_schema, "urn:ietf:params:qlog:file:sequential");
    reader
        .map(|event| match event {
            Event::Qlog(event) => event.data,
            Event::Json(event) => panic!("not of the schema: {event:?}"),
        })
        .collect()
}

fn records(name: &str) -> usize {
    let path = format!("{}/../../tests/data/qlog/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().lines().count() - 1
}

#[test]
fn another_parser_reads_every_event() {
    for name in ["f.sender.sqlog", "f.receiver.sqlog"] {
        assert_eq!(events(name).len(), records(name), "{name}");
    }
}

#[test]
fn both_ends_have_the_same_acks() {
    let acks = |name: &str| -> Vec<_> {
        events(name)
            .into_iter()
            .filter_map(|event| match event {
                EventData::QuicPacketSent(packet) => packet.frames,
                EventData::QuicPacketReceived(packet) => packet.frames,
                _ => None,
            })
            .flatten()
            .filter(|frame| matches!(frame, QuicFrame::Ack { .. }))
            .collect()
    };
    let sent = acks("f.receiver.sqlog");
    assert!(sent.len() > 5);
    assert_eq!(sent, acks("f.sender.sqlog"));
}
