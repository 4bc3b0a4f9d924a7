//! From the file's tables to the checked [`Scenario`].

use std::collections::HashMap;
use std::sync::Arc;

use acklab_packet::Time;
use acklab_path::queue::FlowClass;
use acklab_path::spec::LinkSpec;

use super::after;
use super::error::{Problem, Problems, not_a_name};
use super::expect;
use super::file::{File, FlowTable, StopTable, When};
use super::hosts;
use super::limits::{LATEST, MOST_FLOWS, MOST_LINKS, MOST_LISTED, MOST_TRANSFERS, too_many_at_start};
use super::link::LinkTable;
use super::network::{Key, Network, Origin};
use super::program;
use super::source;
use super::stacks::{Stacks, shared};
use super::topology::Topology;
use super::wlan;
use crate::spec::{Custom, FlowSpec, Record, Repeat, Scenario, Source, Stop};

/// How long a run waits for its flows where the file does not say.
const AT_MOST: Time = Time::from_secs(1000.0);

/// Checks everything that serde cannot, and refers to nodes by index. A mistake is not followed by what it alone causes.
pub(super) fn resolve(file: File) -> Result<Scenario, Problems> {
    let mut found = Problems::default();
    let scenario = checked(file, &mut found).unwrap_or_else(|problem| found.note(Err(problem)));
    scenario.filter(|_| found.0.is_empty()).ok_or(found)
}

fn checked(file: File, found: &mut Problems) -> Result<Option<Scenario>, Problem> {
    let File { _schema, title, seed, stop, processing, topology, link, wlan, flow, program, expect, stack, record } =
        file;
    let stacks = found.note(Stacks::new(stack));
    let (wlans, origins) = (found.note(wlan::checked(wlan)), found.note(links(topology, link)));
    let whole = wlans.is_some() && origins.is_some();
    let (wlans, mut origins) = (wlans.unwrap_or_default(), origins.unwrap_or_default());
    let wired = origins.len();
    origins.extend(wlans.iter().enumerate().flat_map(|(index, wlan)| wlan.links(index)));
    if origins.is_empty() && whole {
        let help = "give at least one [[link]] (between, rate, delay), a [topology], or a [[wlan]] (ap, stations)";
        return Err(Problem::at("link", "missing").help(help));
    }
    if origins.len() > MOST_LINKS {
        return Err(Problem::at("link", format!("there are {} links in all; at most {MOST_LINKS}", origins.len())));
    }
    let mut network = Network::new(origins, whole, found);
    let media = found.note(wlan::media(wlans, 2 * wired as u32, &network)).unwrap_or_default();
    let flows = match flow.is_empty() && !program.is_empty() {
        true => Some(Vec::new()),
        false => flows(flow, &mut network, stacks.as_ref(), found),
    };
    let programs = program::checked(program, &mut network, flows.as_deref().unwrap_or(&[]))?;
    let stop = end(&stop, flows.as_deref().filter(|_| programs.is_empty()))?;
    // What is wrong with a flow is told first.
    let expect = match &flows {
        Some(flows) => expect::checked(expect, &network, flows, stop)?,
        None => Vec::new(),
    };
    let Network { nodes, mut links, .. } = network;
    classify(&mut links, flows.as_deref().unwrap_or(&[]));
    hosts::process(&mut links, processing, flows.as_deref().unwrap_or(&[]), &programs);
    let record = Record { series: record.series, queue: record.queue, packets: record.packets };
    Ok(flows.map(|flows| Scenario { title, seed, stop, nodes, links, media, flows, programs, expect, record }))
}

/// Tells queues with classes the hosts and code points of the flows.
fn classify(links: &mut [LinkSpec], flows: &[FlowSpec]) {
    let mut classes: Option<Arc<[FlowClass]>> = None;
    for link in links {
        let Some(told) = link.queue.classes() else { continue };
        let class =
            |flow: &FlowSpec| FlowClass { source: flow.from, destination: flow.to, dscp: flow.dscp, one_way: false };
        let all = || flows.iter().flat_map(|flow| vec![class(flow); flow.count as usize]).collect();
        *told = Arc::clone(classes.get_or_insert_with(all));
    }
}

fn links(topology: Option<Topology>, links: Vec<LinkTable>) -> Result<Vec<Origin>, Problem> {
    let expanded = topology.map_or(Ok(Vec::new()), Topology::expand)?;
    let expanded = expanded.into_iter().map(|(key, link)| Origin { link, key: Key::Topology(key) });
    let links = links.into_iter().enumerate().map(|(index, link)| Origin { link, key: Key::Link(index) });
    Ok(expanded.chain(links).collect())
}

/// Counts of flows and transfers in the tables read so far.
#[derive(Default)]
struct Totals {
    flows: u64,
    transfers: u64,
    writes: u64,
    at_start: f64,
}

impl Totals {
    /// Counts the transfers of a table; what is wrong if they are too many.
    fn transfers(&mut self, count: u64, times: Option<u32>, key: &str) -> Result<(), Problem> {
        let transfers = times.map_or(1, u64::from);
        self.transfers += transfers.saturating_mul(count);
        if transfers > u64::from(u16::MAX) || self.transfers > MOST_TRANSFERS {
            let what = format!("makes {transfers} transfers of each flow; at most 65535, and {MOST_TRANSFERS} in all");
            return Err(Problem::at(key, what).given(transfers));
        }
        Ok(())
    }
}

/// The flows, if nothing is wrong with any.
fn flows(
    tables: Vec<FlowTable>,
    network: &mut Network,
    stacks: Option<&Stacks>,
    found: &mut Problems,
) -> Option<Vec<FlowSpec>> {
    if tables.is_empty() {
        return found.note(Err(Problem::at("flow", "missing").help("give at least one [[flow]] (from, to)")));
    }
    let (mut flows, many): (Vec<FlowSpec>, usize) = (Vec::with_capacity(tables.len()), tables.len());
    let mut totals = Totals::default();
    for (index, table) in tables.into_iter().enumerate() {
        let ends = found.note(ends(index, &table, network));
        let counted = found.note(counted(index, &table, &mut totals));
        let rules = stacks.and_then(|stacks| stacks.rules(index, &table.sender, &table.receiver, found));
        let sourced = found.note(source::sourced(index, &table));
        let packet = rules.as_ref().map_or(1, |(sender, _)| sender.packet);
        let at = |(key, what): (&str, String)| Problem::at(format_args!("flow[{index}].{key}"), what);
        let size = found.note(source::size(table.size, packet).map_err(at));
        // What another table's mistake alone causes is not told.
        let after = if flows.len() == index { found.note(after::checked(index, &table, size, &flows)) } else { None };
        let (Some((from, to)), Some(name), Some((sender, receiver)), Some(()), Some(size), Some(after)) =
            (ends, counted, rules, sourced, size, after)
        else {
            continue;
        };
        let led = after.map(|leader: u32| flows[leader as usize].repeat);
        let times = led.flatten().map(|repeat| repeat.times - 1);
        if times.is_some()
            && found.note(totals.transfers(table.count, times, &format!("flow[{index}].after"))).is_none()
        {
            continue;
        }
        if table.source.is_some() && sender.fin {
            let what = "is true, but an application that writes now and then never ends".to_owned();
            found.0.push(at(("sender.fin", what)));
        }
        if let Some(what) =
            too_many_at_start(table.count, &sender, size, &mut totals.at_start).filter(|_| table.source.is_none())
        {
            found.0.push(at(("sender.initial_window", what)));
        }
        let last = flows.last();
        let sender = shared(sender, last.map(|flow| &flow.sender));
        let receiver = shared(receiver, last.map(|flow| &flow.receiver));
        flows.push(FlowSpec {
            name,
            from,
            to,
            after,
            start: table.start,
            count: table.count as u32,
            stagger: table.stagger,
            dscp: table.dscp,
            size,
            source: table.source,
            repeat: led.unwrap_or_else(|| {
                table.repeat.map(|repeat| Repeat {
                    times: repeat.times,
                    think: repeat.think,
                    think_to: repeat.think_to.unwrap_or(repeat.think),
                })
            }),
            sender,
            receiver,
            custom: Custom::default(),
        });
    }
    if flows.len() < many {
        return None;
    }
    found.note(distinct_names(&flows)).map(|()| flows)
}

/// The nodes of a flow.
fn ends(index: usize, table: &FlowTable, network: &mut Network) -> Result<(u32, u32), Problem> {
    let to_path = format!("flow[{index}].to");
    let from = network.find(&table.from, format_args!("flow[{index}].from"))?;
    let to = network.find(&table.to, &to_path)?;
    if table.from == table.to {
        return Err(Problem::at(to_path, "is the sender's own node").given_text(&table.to));
    }
    if !network.connected(from, to) {
        let what = format!("no links lead there from `{}`", table.from);
        return Err(Problem::at(to_path, what).given_text(&table.to));
    }
    Ok((from, to))
}

/// The flow's name, after its count and its repetitions are checked.
fn counted(index: usize, table: &FlowTable, totals: &mut Totals) -> Result<String, Problem> {
    let at = |key: &str| format!("flow[{index}].{key}");
    if table.count == 0 {
        return Err(Problem::at(at("count"), "must be at least 1").given(0));
    }
    if table.dscp > 63 {
        return Err(Problem::at(at("dscp"), "must be from 0 to 63").given(table.dscp));
    }
    totals.flows = totals.flows.saturating_add(table.count);
    if totals.flows > MOST_FLOWS {
        let what = format!("makes {} flows in all; at most {MOST_FLOWS}", totals.flows);
        return Err(Problem::at(at("count"), what).given(table.count));
    }
    if table.repeat.is_some_and(|repeat| repeat.times == 0) {
        return Err(Problem::at(at("repeat.times"), "must be at least 1; it counts the transfers in all").given(0));
    }
    totals.transfers(table.count, table.repeat.map(|repeat| repeat.times), &at("repeat.times"))?;
    if let Some(Source::Listed(spec)) = &table.source {
        totals.writes = totals.writes.saturating_add((spec.writes.len() as u64).saturating_mul(table.count));
        if totals.writes > MOST_LISTED {
            let what = format!("makes {} listed writes in all; at most {MOST_LISTED}", totals.writes);
            return Err(Problem::at(at("count"), what).given(table.count));
        }
    }
    if let Some(repeat) = table.repeat
        && let Some(longest) = repeat.think_to
        && longest < repeat.think
    {
        let what = format!("is less than think = {}; it is the longest pause", repeat.think);
        return Err(Problem::at(at("repeat.think_to"), what).given_text(longest.to_string()));
    }
    let name = table.name.clone().unwrap_or_else(|| format!("flow{index}"));
    match not_a_name(&name) {
        Some(what) => Err(Problem::at(at("name"), what).given_text(name)),
        None => Ok(name),
    }
}

/// Every flow has a name of its own, those that a table with a `count` makes included.
fn distinct_names(flows: &[FlowSpec]) -> Result<(), Problem> {
    if flows.len() == 1 {
        return Ok(());
    }
    let clash = |index: usize, earlier: usize| {
        let what = format!("flow[{earlier}] has this name too (several of one table are called name0, name1, ...)");
        Problem::at(format_args!("flow[{index}].name"), what).given_text(&flows[index].name)
    };
    let mut tables: HashMap<&str, usize> = HashMap::with_capacity(flows.len());
    for (index, flow) in flows.iter().enumerate() {
        if let Some(earlier) = tables.insert(&flow.name, index) {
            return Err(clash(index, earlier));
        }
    }
    for (index, flow) in flows.iter().enumerate() {
        // As `prefix` followed by the number that another table counts up to; of several flows the first decides.
        let first = if flow.count > 1 { format!("{}0", flow.name) } else { flow.name.clone() };
        for at in (1..flow.name.len()).rev().take_while(|&at| flow.name.as_bytes()[at].is_ascii_digit()) {
            let (prefix, number) = first.split_at(at);
            let counted = number == "0" || !number.starts_with('0');
            let other = tables.get(prefix).filter(|&&other| flows[other].count > 1 && counted);
            let Some(&other) = other else { continue };
            if number.parse().is_ok_and(|number: u32| number < flows[other].count) {
                return Err(clash(index.max(other), index.min(other)));
            }
        }
    }
    Ok(())
}

/// When the run ends, which must be after something could happen; of what depends on flows nothing is said without them.
fn end(table: &StopTable, flows: Option<&[FlowSpec]>) -> Result<Stop, Problem> {
    let StopTable { when, at_most, at } = *table;
    let (key, stop, last) = match (at, when, at_most) {
        (Some(at), None, None) => ("stop.at", Stop::At(at), at),
        (Some(_), ..) => {
            let what = "give either `at`, or `when` with `at_most`";
            return Err(Problem::at("stop", what));
        }
        (None, Some(When::FlowsComplete) | None, at_most) => {
            let unlimited = |flow: &FlowSpec| !flow.finite();
            let endless = flows.is_some_and(|flows| flows.iter().all(unlimited));
            if endless && at_most.is_none() {
                let what = "waits for flows to complete, but every flow is unlimited";
                return Err(Problem::at("stop", what).help("write stop = { at = \"60s\" }, or give a flow a size"));
            }
            let at_most = at_most.unwrap_or(AT_MOST);
            ("stop.at_most", Stop::FlowsComplete { at_most }, at_most)
        }
    };
    if last == Time::ZERO {
        return Err(Problem::at(key, "must be after 0s").given_text(last));
    }
    if last > LATEST {
        return Err(Problem::at(key, format!("must be at most {LATEST}")).given_text(last));
    }
    if flows.is_some_and(|flows| flows.iter().all(|flow| flow.after.is_some() || flow.start >= last)) {
        return Err(Problem::at(key, "ends the run before any flow starts").given_text(last));
    }
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use crate::parse_toml;
    use crate::spec::Stop;

    const LINK: &str = "[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n";

    #[test]
    fn names_are_compared_as_the_flows_will_be_called() {
        // Names and counts of flows, and whether they are all different.
        for (flows, different) in [
            (&[("f", 1), ("g", 1)] as &[_], true),
            (&[("f", 3), ("f3", 1)], true),
            (&[("f", 4), ("f3", 1)], false),
            (&[("f3", 1), ("f", 4)], false),
            (&[("f", 4), ("f03", 1)], true),
            (&[("f", 1), ("f0", 1)], true),
            (&[("f", 10), ("f1", 2)], true),
            (&[("f", 11), ("f1", 2)], false), // f10 is both the 11th f and the first f1
            (&[("f", 101), ("f1", 1), ("f10", 2)], false),
            (&[("1", 3), ("11", 1)], false),
        ] {
            let tables = flows
                .iter()
                .map(|(name, count)| format!("[[flow]]\nfrom = 'S'\nto = 'R'\nname = '{name}'\ncount = {count}\n"));
            let text = format!("stop.at = '1s'\n{LINK}{}", tables.collect::<String>());
            assert_eq!(parse_toml(&text, "t").is_ok(), different, "{flows:?}");
        }
    }

    #[test]
    fn a_run_waits_for_its_flows_unless_it_is_told_when_to_stop() {
        let stop = |stop: &str, size: &str| {
            parse_toml(&format!("{stop}\n{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\n{size}"), "t").map(|read| read.stop)
        };
        let finite = "size = { segments = 3 }";
        let at_most = |secs| Stop::FlowsComplete { at_most: acklab_packet::Time::from_secs(secs) };
        assert_eq!(stop("", finite), Ok(at_most(1000.0)));
        assert_eq!(stop("stop.when = 'flows-complete'", finite), Ok(at_most(1000.0)));
        assert_eq!(stop("stop.at_most = '9s'", ""), Ok(at_most(9.0)));
        assert!(stop("", "").is_err());
    }
}
