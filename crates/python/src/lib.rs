//! The Python extension module `acklab._core`: scenarios in, tables and JSON out.
//!
//! Thin on purpose. What a scenario means is `acklab-sim`'s; what people see is the Python package's.
#![forbid(unsafe_code)]

mod analyze;
mod batch;
mod capture;
mod capture_input;
mod drive;
mod endpoints;
mod errors;
mod input;
mod journal;
mod live;
mod own;
mod pool;
mod programs;
mod simulation;
mod table;
mod tables;
mod template;

use acklab_analyze::{AckRow, ConnectionRow, LimitRow, SegmentRow, ThroughputRow};
use acklab_sim::outcome::{FlowRow, LinkRow, PacketRow, QueueRow, SeriesRow};
use pyo3::prelude::*;

/// The simulator behind the `acklab` package.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::analyze::{AnalysisResult, analyze};
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::capture::{capture, capture_all, link_ends};
    #[pymodule_export]
    use super::endpoints::Endpoints;
    #[pymodule_export]
    use super::errors::{CaptureError, RunError, ScenarioError};
    #[pymodule_export]
    use super::live::{LiveError, LivePlan, LiveResult, live_probe};
    #[pymodule_export]
    use super::own::{AckEvent, Arrival, Departure, Emission, LostSegment, Window};
    #[pymodule_export]
    use super::programs::Programs;
    #[pymodule_export]
    use super::simulation::{RunResult, Simulation};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::template::Template;
    #[pymodule_export]
    use super::{columns, decoded, expanded, file_names, place, schema, stacks, too_deep};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("MOST_CONNECTIONS", acklab_analyze::thresholds::MAX_CONNECTIONS)?;
        module.add("MOST_ROWS", acklab_analyze::thresholds::MAX_ROWS)?;
        module.add("NEAR_S", acklab_analyze::thresholds::NEAR_S)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The scenario as TOML, every shorthand and default written out.
#[pyfunction]
#[pyo3(signature = (text, *, file = "scenario", sets = Vec::new(), seed = None))]
fn expanded(text: input::Text, file: &str, sets: Vec<String>, seed: Option<u64>) -> PyResult<String> {
    let scenario = text.parse(file, &input::overrides(&sets, seed)?).map_err(errors::scenario)?;
    Ok(acklab_scenario::expanded_toml(&scenario))
}

/// The text of a file, which has to be UTF-8.
#[pyfunction]
fn decoded(text: input::Text, file: &str) -> PyResult<String> {
    text.decoded(file).map(str::to_owned).map_err(errors::scenario)
}

/// Line and column of the key at `path` in a TOML text, or of the nearest table above it.
#[pyfunction]
fn place(text: &str, path: &str) -> Option<(usize, usize)> {
    acklab_scenario::place(text, acklab_scenario::Format::Toml, path)
}

/// What is wrong with a text that is nested too deep; none if it is not.
#[pyfunction]
fn too_deep(text: &str) -> Option<String> {
    acklab_scenario::too_deep(text).map(|(_, what)| what)
}

/// A file's name for each of these names, no two the same.
#[pyfunction]
fn file_names(names: Vec<String>) -> Vec<String> {
    acklab_scenario::file_names(&names)
}

/// The JSON Schema of a scenario, as JSON.
#[pyfunction]
fn schema() -> String {
    acklab_scenario::schema().to_string()
}

/// Every rule of every stack, as a JSON list of `{"side", "rule", "about", "values": [[stack, value], ...]}`.
#[pyfunction]
fn stacks() -> String {
    serde_json::json!(acklab_scenario::stack_table()).to_string()
}

/// Returns the declaration of each column of a table of a run or an analysis, each a dict; empty for an unknown table.
#[pyfunction]
fn columns(table: &str) -> Vec<tables::Declared> {
    match table {
        "flows" => tables::declared::<FlowRow>(),
        "links" => tables::declared::<LinkRow>(),
        "series" => tables::declared::<SeriesRow>(),
        "queue" => tables::declared::<QueueRow>(),
        "packets" => tables::declared::<PacketRow>(),
        "connections" => tables::declared::<ConnectionRow>(),
        "acks" => tables::declared::<AckRow>(),
        "segments" => tables::declared::<SegmentRow>(),
        "throughput" => tables::declared::<ThroughputRow>(),
        "limits" => tables::declared::<LimitRow>(),
        _ => Vec::new(),
    }
}
