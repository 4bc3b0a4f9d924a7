//! What the test programs start from; none of them takes all of it.
#![allow(dead_code)]

use acklab_capture::Reader;

use acklab_scenario::spec::Scenario;
use acklab_sim::Outcome;
use acklab_tap::{Capture, Format, LinkEnd};

/// A run with losses of segments and ACKs, SACK, timestamps, delayed ACKs, a FIN and a second transfer.
pub const LOSSY: &str = r#"
    title = "lossy"
    link = [
        { between = ["S", "G"], rate = "10Mbps", delay = "1ms", loss = { list = [12], where = "after-queue" } },
        { between = ["G", "R"], rate = "1Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 8 },
          loss = { list = [7, 20] }, back = { loss = { list = [4, 9] } } },
    ]
    flow = [{ name = "f", from = "S", to = "R", size = { bytes = "40kB" }, sender = { fin = true },
              repeat = { times = 2, think = "50ms" } }]
    record = { packets = true }
"#;

/// Runs a scenario.
pub fn run(text: &str) -> (Scenario, Outcome) {
    let scenario = acklab_scenario::parse_toml(text, "test").expect("a scenario");
    let outcome = acklab_sim::Simulation::new(scenario.clone().into()).run();
    (scenario, outcome)
}

/// The capture taken at `end`, as a file's bytes.
pub fn file(scenario: &Scenario, outcome: &Outcome, format: Format, end: &str) -> Vec<u8> {
    let capture = Capture::new(scenario, outcome).expect("packets were recorded").format(format);
    let mut bytes = Vec::new();
    capture.write(LinkEnd::find(outcome, end).expect("an end"), &mut bytes).expect("memory takes it");
    bytes
}

/// A packet of a capture: instant, whole length, bytes kept.
pub type Frame = (i64, u32, Vec<u8>);

/// Those of a file.
pub fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut reader = Reader::new(bytes).unwrap();
    let mut frames = Vec::new();
    while let Some(record) = reader.next().unwrap() {
        frames.push((record.time_ns as i64, record.length, record.data.to_vec()));
    }
    frames
}
