//! The same experiment is the same to the last bit: run again, on any number of threads, cloned on the way, in pieces,
//! watched or not, and beside strangers.

mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acklab_packet::Time;
use acklab_path::spec::LinkSpec;
use acklab_scenario::spec::{FlowSpec, Record, Scenario, Stop};
use acklab_sim::{Outcome, Simulation};
use proptest::prelude::*;
use world::{ALL, World, for_all, is_fair, run, text, world};

fn assert_same(one: &Outcome, two: &Outcome) -> Result<(), TestCaseError> {
    // Texts of many rows: say which part differs, not both in full.
    let parts = |outcome: &Outcome| {
        let Outcome { flows, links, series, queue, packets, end_s, .. } = outcome;
        [format!("{end_s}"), format!("{flows:?}"), format!("{links:?}"), format!("{series:?}"), format!("{queue:?}")]
            .into_iter()
            .chain([format!("{packets:?}")])
            .collect::<Vec<_>>()
    };
    for (name, (a, b)) in
        ["end", "flows", "links", "series", "queue", "packets"].iter().zip(parts(one).iter().zip(parts(two)))
    {
        prop_assert!(*a == b, "{name} differ");
    }
    Ok(())
}

#[test]
fn twice_is_the_same_twice() {
    for_all(60, world(), |World(scenario)| assert_same(&run(&scenario), &run(&scenario)));
}

/// The same bytes on 1, 2 and 8 threads, whatever runs beside.
#[test]
fn threads_change_nothing() {
    let outcomes_on = |threads: usize, scenarios: &[Scenario]| {
        let next = AtomicUsize::new(0);
        let mut outcomes = vec![String::new(); scenarios.len()];
        let done: Vec<Vec<(usize, String)>> = std::thread::scope(|scope| {
            let worker = || {
                let mut mine = Vec::new();
                while let Some((index, scenario)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    scenarios.get(index).map(|scenario| (index, scenario))
                } {
                    mine.push((index, text(&run(scenario))));
                }
                mine
            };
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
            handles.into_iter().map(|handle| handle.join().expect("no panic")).collect()
        });
        for (index, outcome) in done.into_iter().flatten() {
            outcomes[index] = outcome;
        }
        outcomes
    };
    for_all(2, prop::collection::vec(world(), 24), |worlds| {
        let scenarios: Vec<_> = worlds.into_iter().map(|World(scenario)| scenario).collect();
        let alone = outcomes_on(1, &scenarios);
        prop_assert!(alone == outcomes_on(2, &scenarios), "two threads differ from one");
        prop_assert!(alone == outcomes_on(8, &scenarios), "eight threads differ from one");
        Ok(())
    });
}

/// A clone at a random instant goes on as the original does, and both as a run without a stop; so does a run in pieces.
#[test]
fn clones_and_pieces_go_on_the_same() {
    for_all(80, (world(), 0.0..1.0, 1_usize..500), |(World(scenario), part, events)| {
        let whole = run(&scenario);
        let mut first = Simulation::new(Arc::new(scenario.clone()));
        first.run_until(Time::from_secs(part * whole.end_s)).expect("it goes on");
        prop_assert!(first.now().secs() <= part * whole.end_s);
        let mut second = first.clone();
        assert_same(&whole, &first.run())?;
        assert_same(&whole, &second.run())?;
        let mut pieces = Simulation::new(Arc::new(scenario));
        while !pieces.run_some(events).expect("it goes on") {}
        prop_assert!(pieces.ended());
        assert_same(&whole, &pieces.outcome())
    });
}

/// Rows that leave a run while it goes on are, together, the rows of a run that keeps them; whatever had been decided ahead.
#[test]
fn rows_given_away_are_those_kept() {
    for_all(80, (world(), 0..200_usize, 1_usize..500), |(World(scenario), ahead, events)| {
        let whole = run(&scenario);
        let mut giving = Simulation::new(Arc::new(scenario));
        giving.run_some(ahead).unwrap();
        giving.commit();
        let mut given = Outcome::default();
        loop {
            let ended = giving.run_some(events);
            let piece = giving.give();
            prop_assert!(giving.recorded() == 0);
            given.series.extend(piece.series);
            given.queue.extend(piece.queue);
            given.packets.extend(piece.packets);
            if ended.unwrap() {
                let Outcome { series, queue, packets, .. } = given;
                return assert_same(&whole, &Outcome { series, queue, packets, ..piece });
            }
        }
    });
}

/// A network of plain links whose numbers are round, so that much happens at the same time: rates in Mb/s of the slow link and
/// of the others, delays in ms, packets in the slow queue, and for each flow whether it runs backwards, when it starts in
/// tenths of a second, how many segments it sends and how many of them an ACK answers.
fn round() -> impl Strategy<Value = String> {
    let flow = (any::<bool>(), 0..3_u32, 1..300_u32, 1..3_u32);
    let links =
        (prop::sample::select(vec![1, 2, 5, 10]), prop::sample::select(vec![1, 5, 10, 100]), 0..4_u32, 0..10_u32);
    (links, 2..30_u32, prop::collection::vec(flow, 1..6)).prop_map(|((slow, fast, near, far), queue, flows)| {
        let mut text = format!(
            "stop = {{ when = \"flows-complete\", at_most = \"30s\" }}\n[[link]]\nbetween = [\"A\", \"B\"]\n\
             rate = \"{slow}Mbps\"\ndelay = \"{far}ms\"\nqueue = {{ kind = \"drop-tail\", packets = {queue} }}\n"
        );
        for (k, (back, start, segments, each)) in flows.into_iter().enumerate() {
            for (end, at) in [("S", "A"), ("R", "B")] {
                text += &format!("[[link]]\nbetween = [\"{end}{k}\", \"{at}\"]\nrate = \"{fast}Mbps\"\ndelay = \"{near}ms\"\n");
            }
            let (from, to) = if back { ("R", "S") } else { ("S", "R") };
            text += &format!(
                "[[flow]]\nfrom = \"{from}{k}\"\nto = \"{to}{k}\"\nstart = \"{}ms\"\nsize = {{ segments = {segments} }}\n\
                 sender = {{ stack = \"ns2-2.35\" }}\n\
                 receiver = {{ stack = \"ns2-2.35\", ack = {{ policy = \"delayed\", segments = {each} }} }}\n",
                start * 100
            );
        }
        text
    })
}

/// Hops decided ahead come out as they do event by event, or are taken back.
#[test]
fn deciding_ahead_changes_nothing() {
    let kept = AtomicUsize::new(0);
    let all = AtomicUsize::new(0);
    for_all(400, round(), |text| {
        let scenario = Arc::new(acklab_scenario::parse_toml(&text, "round.toml").expect("a scenario"));
        let mut ahead = Simulation::new(scenario.clone());
        let outcome = ahead.run();
        kept.fetch_add(ahead.decides_ahead().into(), Ordering::Relaxed);
        all.fetch_add(1, Ordering::Relaxed);
        let mut event_by_event = Simulation::new(scenario);
        event_by_event.run_until(Time::ZERO).expect("it goes on");
        prop_assert!(!event_by_event.decides_ahead());
        assert_same(&event_by_event.run(), &outcome)
    });
    let (kept, all) = (kept.into_inner(), all.into_inner());
    assert!(kept > all / 10 && kept < all, "both ways are tried: {kept} of {all} decided ahead to their end");
}

/// Recording changes what is told, not what happens; and each record is the same alone as with the others.
#[test]
fn watching_changes_nothing() {
    for_all(80, (world(), any::<[bool; 3]>()), |(World(scenario), [series, queue, packets])| {
        let watched = run(&scenario);
        let part = run(&Scenario { record: Record { series, queue, packets }, ..scenario.clone() });
        let chosen = Outcome {
            series: if series { watched.series.clone() } else { Vec::new() },
            queue: if queue { watched.queue.clone() } else { Vec::new() },
            packets: if packets { watched.packets.clone() } else { Vec::new() },
            ..watched
        };
        assert_same(&chosen, &part)
    });
}

/// A second network that shares no node with the first leaves every row of the first as it was: streams of random draws
/// belong to links and flows by name, and ties between events that do not meet do not matter.
#[test]
fn strangers_change_nothing() {
    for_all(80, (world(), world()), |(World(mut scenario), World(other))| {
        // Whoever finishes last must not end the run for the others.
        scenario.stop = Stop::At(Time::from_secs(5.0));
        let alone = run(&scenario);
        let (nodes, links) = (scenario.nodes.len() as u32, scenario.links.len());
        let mut both = scenario.clone();
        both.nodes.extend(other.nodes.iter().map(|name| format!("other {name}")));
        both.links.extend(other.links.iter().map(|link| LinkSpec {
            from: link.from + nodes,
            to: link.to + nodes,
            ..link.clone()
        }));
        both.flows.extend(other.flows.iter().map(|flow| FlowSpec {
            name: format!("other {}", flow.name),
            from: flow.from + nodes,
            to: flow.to + nodes,
            ..flow.clone()
        }));
        let beside = run(&both);
        prop_assert!(text_of_links(&alone, links) == text_of_links(&beside, links), "links differ");
        // Rows of repetitions come after the first rows of all: match them by name.
        for row in &alone.flows {
            let same = beside.flows.iter().find(|other| other.name == row.name);
            prop_assert_eq!(same, Some(row));
        }
        Ok(())
    });
}

fn text_of_links(outcome: &Outcome, first: usize) -> String {
    format!("{:?}", &outcome.links[..first])
}

/// Adding a flow and its link moves nobody's luck: on a path of its own, first in the file or last, it changes no other
/// row.
#[test]
fn a_further_flow_elsewhere_changes_nothing() {
    for_all(60, (world(), any::<bool>()), |(World(mut scenario), first)| {
        scenario.stop = Stop::At(Time::from_secs(5.0));
        scenario.record = ALL;
        // Queues that hash flows know them by their place in the file.
        let first = first && !scenario.links.iter().any(|link| is_fair(&link.queue));
        let alone = run(&scenario);
        let mut both = scenario.clone();
        let node = both.nodes.len() as u32;
        both.nodes.extend(["x".to_owned(), "y".to_owned()]);
        for (from, to) in [(node, node + 1), (node + 1, node)] {
            let place = if first { 0 } else { both.links.len() };
            both.links.insert(place, LinkSpec { from, to, loss: None, ..scenario.links[0].clone() });
        }
        let sender = scenario.flows[0].clone();
        let further = FlowSpec { name: "further".to_owned(), from: node, to: node + 1, repeat: None, ..sender };
        both.flows.insert(if first { 0 } else { both.flows.len() }, further);
        let beside = run(&both);
        for row in &alone.flows {
            prop_assert_eq!(beside.flows.iter().find(|other| other.name == row.name), Some(row));
        }
        Ok(())
    });
}
