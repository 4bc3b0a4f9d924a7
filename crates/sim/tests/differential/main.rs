//! One experiment run in every way there is: as it is, recorded, in pieces, cloned, written out and read again. All ways end
//! with the same summary, to the last bit, and every average in it follows from the recorded rows.
//!
//! `ACKLAB_LONG=1` draws a hundred times as many experiments; `--nocapture` shows how many runs were compared.

#[path = "../../../tcp/tests/safety/draw.rs"]
#[allow(dead_code)]
mod draw;
mod edges;
#[path = "../../../tcp/tests/pair/mod.rs"]
#[allow(dead_code)]
mod pair;
#[path = "../../../tcp/tests/safety/policies.rs"]
mod policies;
#[path = "../world/mod.rs"]
mod world;

use std::cell::Cell;
use std::sync::Arc;

use acklab_packet::Time;
use acklab_scenario::spec::{Record, Scenario};
use acklab_scenario::{expanded_toml, parse_toml};
use acklab_sim::{Outcome, Simulation};
use edges::{edgy, ordinary};
use proptest::prelude::*;
use world::{ALL, World, for_all, recount, run};

/// Where a run is interrupted: shares of its length, and events between two looks.
type Cuts = (Vec<f64>, usize, [bool; 3]);

fn cuts() -> impl Strategy<Value = Cuts> {
    (prop::collection::vec(0.0..1.0, 1..4), 1_usize..400, any::<[bool; 3]>())
}

/// The rows of a summary as text, in which equal means equal to the last bit.
fn summary(outcome: &Outcome) -> Vec<String> {
    let flows = outcome.flows.iter().map(|row| format!("{row:?}"));
    let links = outcome.links.iter().map(|row| format!("{row:?}"));
    [format!("end {:?}", outcome.end_s)].into_iter().chain(flows).chain(links).collect()
}

/// Runs `scenario` in every way and compares; how many runs were compared with the plain one.
fn every_way(scenario: &Scenario, (shares, events, parts): &Cuts) -> Result<u64, TestCaseError> {
    let plain = Scenario { record: Record::default(), ..scenario.clone() };
    let whole = run(&plain);
    let expected = summary(&whole);
    let runs = Cell::new(0);
    let same = |how: &str, outcome: &Outcome| {
        runs.set(runs.get() + 1);
        let found = summary(outcome);
        prop_assert_eq!(expected.len(), found.len(), "{}", how);
        for (expected, found) in expected.iter().zip(&found) {
            prop_assert!(expected == found, "{how} it differs:\n{expected}\n{found}");
        }
        Ok(())
    };
    let mut event_by_event = Simulation::new(Arc::new(plain.clone()));
    event_by_event.run_until(Time::ZERO).expect("it goes on");
    same("event by event", &event_by_event.run())?;
    let recorded = run(&Scenario { record: ALL, ..plain.clone() });
    same("recorded", &recorded)?;
    recount::follows_from_rows(&plain, &recorded)?;
    let [series, queue, packets] = *parts;
    same("partly recorded", &run(&Scenario { record: Record { series, queue, packets }, ..plain.clone() }))?;

    let shared = Arc::new(plain.clone());
    let mut shares = shares.clone();
    shares.sort_by(f64::total_cmp);
    let (mut in_pieces, mut clones) = (Simulation::new(shared.clone()), Vec::new());
    for share in shares {
        in_pieces.run_until(Time::from_secs(share * whole.end_s)).expect("it goes on");
        recount::possible(&in_pieces.outcome())?;
        clones.push(in_pieces.clone());
    }
    same("in pieces of time", &in_pieces.run())?;
    clones.iter_mut().try_for_each(|clone| same("cloned between pieces of time", &clone.run()))?;

    let (mut in_pieces, mut clone) = (Simulation::new(shared.clone()), Simulation::new(shared));
    clone.run_some(*events).expect("it goes on");
    let mut copy = clone.clone();
    recount::possible(&copy.outcome())?;
    while !in_pieces.run_some(*events).expect("it goes on") {}
    same("in pieces of events", &in_pieces.outcome())?;
    same("cloned between events", &copy.run())?;
    same("after a clone was taken", &clone.run())?;

    let text = expanded_toml(&plain);
    let again = parse_toml(&text, "expanded").map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert!(again == plain, "written out it reads differently:\n{text}");
    same("written out and read again", &run(&again))?;
    Ok(runs.get())
}

fn all_ways(cases: u32, name: &str, worlds: impl Strategy<Value = World>) {
    let runs = Cell::new(0);
    for_all(cases, (worlds, cuts()), |(World(scenario), cuts)| {
        runs.set(runs.get() + every_way(&scenario, &cuts)?);
        Ok(())
    });
    println!("{name}: {} runs compared", runs.get());
}

#[test]
fn ordinary_networks_come_out_the_same_in_every_way() {
    all_ways(100, "ordinary", ordinary());
}

#[test]
fn networks_at_the_edges_come_out_the_same_in_every_way() {
    all_ways(400, "at the edges", edgy());
}
