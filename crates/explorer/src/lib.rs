//! From a scenario's text to a run's summary and the columns of its charts, as bytes.
//!
//! The page `explorer.html` runs this in a browser. The simulation itself is in [`acklab_sim`]; this crate
//! turns its records into the columns of the charts. `python/acklab/report/contents.py` does the same for report pages.

mod blocks;
mod charts;
mod journeys;
mod progress;
mod senders;

use std::sync::Arc;

use acklab_scenario::spec::{Record, Scenario};
use acklab_scenario::{Format, ScenarioError, decoded, parse};
use acklab_sim::{CannotGoOn, Simulation, json};

/// The scenario's name in error messages.
pub const FILE: &str = "scenario";

/// Most recorded rows of a run: some 100 MB, which a browser on a telephone can hold.
pub const MAX_ROWS: usize = 1_000_000;

/// Events between two checks of the number of rows.
const SLICE: usize = 4096;

/// Why there is no run.
#[derive(Debug)]
pub struct Refusal {
    /// Exit status: 2 for a bad scenario, 1 for a failed run.
    pub status: u8,
    /// The reason, in the words of `acklab run`.
    pub why: String,
}

impl From<ScenarioError> for Refusal {
    fn from(error: ScenarioError) -> Refusal {
        Refusal { status: 2, why: error.to_string() }
    }
}

impl From<CannotGoOn> for Refusal {
    fn from(why: CannotGoOn) -> Refusal {
        Refusal { status: 1, why: format!("the run failed: {why}") }
    }
}

/// Runs a scenario in TOML or JSON with everything recorded.
///
/// Returns a line of JSON with the summary of `acklab run --json`, and a line of JSON that describes the charts' tables.
/// The columns follow from the next multiple of 8 bytes, as little-endian doubles.
///
/// # Errors
/// The text is no scenario, or the run failed or became too long to draw.
pub fn run(text: &[u8]) -> Result<Vec<u8>, Refusal> {
    let text = decoded(text, FILE)?;
    let scenario = parse(text, FILE, Format::of(FILE, text))?;
    let scenario = Scenario { record: Record { series: true, queue: true, packets: true }, ..scenario };
    let mut simulation = Simulation::try_new(Arc::new(scenario))?;
    while !simulation.run_some(SLICE)? {
        if simulation.recorded() > MAX_ROWS {
            let now = simulation.now().secs();
            let why = format!(
                "the page keeps at most {MAX_ROWS} rows of a run, and this run had more after {now:.3} s; \
                 `acklab run` has no such limit"
            );
            return Err(Refusal { status: 1, why });
        }
    }
    let outcome = simulation.give();
    let mut out = json(&outcome, Record::default());
    out.push(b'\n');
    charts::write(&outcome, &mut out);
    Ok(out)
}
