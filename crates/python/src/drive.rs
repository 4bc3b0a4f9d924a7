//! Running a simulation in slices, so that whoever waits for it can stop it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use acklab_packet::Time;
use acklab_scenario::spec::Scenario;
use acklab_sim::Simulation;

/// Events between two looks around: a fraction of a millisecond.
const SLICE: usize = 4096;

/// Runs `simulation` to its end, asking `go_on` between slices; whether it got there.
pub(crate) fn to_end(simulation: &mut Simulation, go_on: impl FnMut() -> bool) -> bool {
    to_rows(simulation, usize::MAX, go_on)
}

/// Runs `simulation` until it holds `rows` recorded rows or has ended; whether it got there.
pub(crate) fn to_rows(simulation: &mut Simulation, rows: usize, mut go_on: impl FnMut() -> bool) -> bool {
    while !simulation.run_some(SLICE) && simulation.recorded() < rows {
        if !go_on() {
            return false;
        }
    }
    true
}

/// Runs `simulation` until `until` or its end, asking `go_on` between slices of equal virtual time; whether it got
/// there.
pub(crate) fn until(simulation: &mut Simulation, until: Time, mut go_on: impl FnMut() -> bool) -> bool {
    const SLICES: u32 = 1000;
    let (start, span) = (simulation.now(), until - simulation.now());
    for slice in 1..SLICES {
        let share = f64::from(slice) / f64::from(SLICES);
        simulation.run_until(start + Time::from_secs(share * span.secs()));
        if simulation.ended() || !go_on() {
            return simulation.ended();
        }
    }
    simulation.run_until(until);
    true
}

/// What a panic inside `run` said. The simulator is not meant to panic; if it does, it is the run that fails.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    // What was half-changed when the panic came is dropped with the closure or never used again.
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| said(&*panic))
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "unknown panic".to_owned())
}

/// A new simulation of `scenario`; what a panic said where there is none.
pub(crate) fn build(scenario: Scenario) -> Result<Simulation, String> {
    caught(|| Simulation::new(Arc::new(scenario)))
}
