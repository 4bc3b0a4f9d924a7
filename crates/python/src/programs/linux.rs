//! What Linux alone has.

use std::net::{Ipv4Addr, Ipv6Addr};

use acklab_live::clock::Clock;
use acklab_live::lateness::refusal;
use acklab_live::nodes::frame;
use acklab_live::nodes::machine::Start;
use acklab_live::nodes::run::drive;
use acklab_live::nodes::traffic::{Traffic, refused};
use acklab_live::nodes::wall::{self, Card};
use acklab_live::sys::{Fence, copied};

use super::*;
use crate::live::{attempted, places, told};

/// The addresses of a node, as texts.
pub(super) fn addresses(node: u32) -> [String; 2] {
    [Ipv4Addr::from(frame::address(node)).to_string(), Ipv6Addr::from(frame::address6(node)).to_string()]
}

/// Whether packets of programs cross all links.
fn crossed(scenario: &Scenario) -> PyResult<()> {
    match refused(scenario) {
        Some(why) => Err(told(&format!("a stage of a link {why}: no program's packets cross it"))),
        None => Ok(()),
    }
}

/// The scenario's node of that name.
fn node(scenario: &Scenario, name: &str) -> PyResult<u32> {
    let found = scenario.nodes.iter().zip(0..).find_map(|(known, node)| (known == name).then_some(node));
    found.ok_or_else(|| told(&format!("there is no node {name}")))
}

pub(super) fn run_live(
    py: Python<'_>,
    scenario: &Arc<Scenario>,
    places: Vec<Place>,
    begin_ns: u64,
    captures: Option<PathBuf>,
    late_s: f64,
    urgent: bool,
) -> PyResult<(RunResult, String)> {
    crossed(scenario)?;
    let copied = |descriptor| copied(descriptor).map_err(PyErr::from);
    let (mut nodes, mut cards) = (Vec::new(), Vec::new());
    for (name, card, done) in places {
        nodes.push(node(scenario, &name)?);
        cards.push(Card::tap(copied(card)?, copied(done)?));
    }
    let (finished, refused, lateness) = attempted(py, |go_on| {
        let traffic = Traffic::new(scenario, nodes, captures.as_deref())?;
        let went = wall::drive(traffic, cards, Clock::from_monotonic(begin_ns), urgent, go_on)?;
        Ok((went.network.finish(), went.refused, went.lateness))
    })?;
    let (outcome, streams, astray) = finished;
    let why: Vec<_> = [lateness.too_late(late_s), refusal(refused)].into_iter().flatten().collect();
    let besides = json!({
        "streams": streams, "astray": astray, "overrun": refused, "kernel": acklab_live::run::kernel(), "lateness": lateness,
        "valid": why.is_empty(), "why": why,
    });
    Ok((RunResult::new(outcome, scenario.clone()), besides.to_string()))
}

pub(super) fn run(
    py: Python<'_>,
    scenario: &Arc<Scenario>,
    kernels: Vec<Kernel>,
    directory: PathBuf,
    captures: Option<PathBuf>,
    patience_s: f64,
) -> PyResult<(RunResult, String)> {
    crossed(scenario)?;
    let (mut nodes, mut starts) = (Vec::new(), Vec::new());
    for (name, command, environment, read, write) in kernels {
        nodes.push(node(scenario, &name)?);
        starts.push(Start { command, environment, fence: Some(Fence { read, write }) });
    }
    let places = places(directory, patience_s)?;
    let (finished, ended, grants, overrun) = attempted(py, |go_on| {
        let traffic = Traffic::new(scenario, nodes, captures.as_deref())?;
        let went = drive(traffic, &starts, &places, go_on)?;
        Ok((went.network.finish(), went.ended, went.grants, went.overrun))
    })?;
    let (outcome, streams, astray) = finished;
    let besides =
        json!({ "streams": streams, "kernels": ended, "grants": grants, "overrun": overrun, "astray": astray });
    Ok((RunResult::new(outcome, scenario.clone()), besides.to_string()))
}
