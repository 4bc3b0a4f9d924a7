//! Running a simulation in slices, so that a waiting caller can stop it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use acklab_packet::Time;
use acklab_scenario::spec::Scenario;
use acklab_sim::{CannotGoOn, Simulation};

/// Events between two looks around at most: a fraction of a millisecond.
const SLICE: usize = 4096;
/// A slice that took longer is followed by shorter ones: a single event may be much work.
const PATIENCE: Duration = Duration::from_millis(2);

/// Runs `simulation` to its end, asking `go_on` between slices; whether it got there.
pub(crate) fn to_end(simulation: &mut Simulation, go_on: impl FnMut() -> bool) -> Result<bool, CannotGoOn> {
    to_rows(simulation, usize::MAX, go_on)
}

/// Runs `simulation` until it holds `rows` recorded rows or has ended; whether it got there.
pub(crate) fn to_rows(
    simulation: &mut Simulation,
    rows: usize,
    go_on: impl FnMut() -> bool,
) -> Result<bool, CannotGoOn> {
    in_slices(|events| Ok(simulation.run_some(events)? || simulation.recorded() >= rows), go_on)
}

/// Runs `simulation` until `until` or its end, asking `go_on` between slices; whether it got there.
pub(crate) fn until(simulation: &mut Simulation, until: Time, go_on: impl FnMut() -> bool) -> Result<bool, CannotGoOn> {
    in_slices(|events| simulation.approach(until, events), go_on)
}

/// Calls `run` with numbers of events until it is done, or `go_on` is not for it; whether it is done.
fn in_slices(
    mut run: impl FnMut(usize) -> Result<bool, CannotGoOn>,
    mut go_on: impl FnMut() -> bool,
) -> Result<bool, CannotGoOn> {
    let mut slice = SLICE / 64;
    let mut began = Instant::now();
    while !run(slice)? {
        if !go_on() {
            return Ok(false);
        }
        let took = began.elapsed();
        slice = if took > PATIENCE { slice / 2 } else { slice * 2 }.clamp(1, SLICE);
        began = Instant::now();
    }
    Ok(true)
}

/// What a panic inside `run` said. The simulator is not meant to panic; if it does, it is the run that fails.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    // What was half-changed when the panic came is dropped with the closure or never used again.
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| said(&*panic))
}

/// What `run` gives; why it cannot go on, or what a panic inside it said.
pub(crate) fn attempted<T>(run: impl FnOnce() -> Result<T, CannotGoOn>) -> Result<T, String> {
    caught(run).and_then(|result| result.map_err(|why| why.to_string()))
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "unknown panic".to_owned())
}

/// A new simulation of `scenario`; why there is none, or what a panic said.
pub(crate) fn build(scenario: Scenario) -> Result<Simulation, String> {
    attempted(|| Simulation::try_new(Arc::new(scenario)))
}
