//! Runs a scenario and captures every link's two ends: `capture SCENARIO.toml DIRECTORY [pcap|pcapng]`.
//!
//! Also prints the run's summary as JSON: what `acklab run --json --out DIRECTORY --capture all` does, without Python.
use std::error::Error;
use std::path::Path;

use acklab_tap::{Capture, Format, LinkEnd};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, directory, rest @ ..] = &arguments[..] else {
        return Err("usage: capture SCENARIO.toml DIRECTORY [pcap|pcapng]".into());
    };
    let format = match rest.first() {
        Some(name) => Format::ALL.into_iter().find(|format| format.name() == name).ok_or("no such format")?,
        None => Format::default(),
    };
    let mut scenario = acklab_scenario::parse_toml(&std::fs::read_to_string(file)?, file)?;
    scenario.record.packets = true;
    let outcome = acklab_sim::Simulation::new(scenario.clone().into()).run();
    std::fs::create_dir_all(directory)?;
    let capture = Capture::new(&scenario, &outcome)?.format(format);
    capture.write_files(&LinkEnd::all(&outcome), Path::new(directory), || true)?;
    println!("{}", serde_json::to_string(&outcome)?);
    Ok(())
}
