//! A scenario written out in full: no shorthand, every default spelled out.

use std::fmt::Write;

use acklab_path::spec::{LinkSpec, QueueSpec};
use acklab_tcp::rules::{ReceiverPatch, SenderPatch};
use serde::Serialize;
use serde_json::{Value, json};

use super::path::bare_or_quoted;
use crate::spec::{ExpectSpec, FlowSpec, MediumSpec, ProgramSpec, Scenario, Size, Stop, Subject, Test};

/// The scenario as TOML: shorthands expanded to links, every default and every rule of each stack spelled out.
/// Read again, it gives an equal scenario.
///
/// Links are written in pairs, forward and back, as the parser makes them.
///
/// ```
/// use acklab_scenario::{expanded_toml, parse_toml};
/// let short = r#"
///     [topology]
///     kind = "dumbbell"
///     bottleneck = { rate = "1.5Mbps", delay = "48ms" }
///     access = { rate = "10Mbps", delay = "1ms" }
///     [[flow]]
///     from = "S0"
///     to = "R0"
///     size = { segments = 100 }
/// "#;
/// let scenario = parse_toml(short, "short.toml").unwrap();
/// let long = expanded_toml(&scenario);
/// assert!(long.contains("between = [\"G1\", \"G2\"]"));
/// assert_eq!(parse_toml(&long, "long.toml").unwrap(), scenario);
/// ```
pub fn expanded_toml(scenario: &Scenario) -> String {
    let mut text = String::new();
    let top = [
        ("title", json!(scenario.title)),
        ("seed", json!(scenario.seed)),
        ("stop", stop(scenario.stop)),
        (
            "record",
            json!({
                "series": scenario.record.series,
                "queue": scenario.record.queue,
                "packets": scenario.record.packets,
            }),
        ),
    ];
    entries(&mut text, top);
    let wired =
        scenario.media.first().and_then(|medium| medium.links.first()).map_or(scenario.links.len(), |&at| at as usize);
    for pair in scenario.links[..wired].chunks(2) {
        text += "\n[[link]]\n";
        for (key, value) in link(pair, &scenario.nodes) {
            let of = match key {
                "queue" => pair.first(),
                "back" => pair.get(1),
                _ => None,
            };
            entry(&mut text, key, &value, &of.and_then(in_time).unwrap_or_default());
        }
    }
    for medium in &scenario.media {
        text += "\n[[wlan]]\n";
        entries(&mut text, wlan(medium, &scenario.nodes));
    }
    for each in &scenario.flows {
        text += "\n[[flow]]\n";
        entries(&mut text, flow(each, scenario));
        text += "\n[flow.sender]\n";
        entries(&mut text, rules(&SenderPatch::complete(&each.sender), SenderPatch::NAMES));
        text += "\n[flow.receiver]\n";
        entries(&mut text, rules(&ReceiverPatch::complete(&each.receiver), ReceiverPatch::NAMES));
    }
    for program in &scenario.programs {
        text += "\n[[program]]\n";
        entries(&mut text, program_entries(program, &scenario.nodes));
    }
    for expect in &scenario.expect {
        text += "\n[[expect]]\n";
        entries(&mut text, expect_entries(expect, scenario));
    }
    text
}

fn expect_entries(expect: &ExpectSpec, scenario: &Scenario) -> Entries {
    let mut entries = vec![match &expect.subject {
        Subject::Flow { name, .. } => ("flow", json!(name)),
        Subject::Link(index) => {
            let link = &scenario.links[*index as usize];
            let [from, to] = [link.from, link.to].map(|node| &scenario.nodes[node as usize]);
            ("link", json!(format!("{from}->{to}")))
        }
    }];
    entries.extend(expect.at.map(|at| ("at", json!(at))));
    entries.push(("what", json!(expect.what)));
    entries.push(match &expect.test {
        Test::Above(least) => ("above", json!(least)),
        Test::Below(most) => ("below", json!(most)),
        Test::Equals(number) => ("equals", json!(number)),
        Test::Within(low, high) => ("within", json!([low, high])),
        Test::Is(word) => ("equals", word.parse::<bool>().map_or_else(|_| json!(word), |truth| json!(truth))),
    });
    entries
}

fn program_entries(program: &ProgramSpec, nodes: &[String]) -> Entries {
    let mut entries = vec![
        ("at", json!(nodes[program.at as usize])),
        ("run", json!(program.run)),
        ("start", json!(program.start)),
        ("environment", json!(program.environment)),
    ];
    entries.extend(program.stop.map(|stop| ("stop", json!(stop))));
    entries.extend(program.ready.as_ref().map(|ready| ("ready", json!(ready))));
    entries.extend(program.kernel.as_ref().map(|kernel| ("kernel", json!(kernel))));
    entries
}

fn stop(stop: Stop) -> Value {
    match stop {
        Stop::FlowsComplete { at_most } => json!({ "when": "flows-complete", "at_most": at_most }),
        Stop::At(at) => json!({ "at": at }),
    }
}

/// A comment that says for how long a link sends what its queue has room for.
fn in_time(link: &LinkSpec) -> Option<String> {
    let rate = link.of_buffers();
    let ms = 8e3 * link.queue.buffer()?.at(rate).get() as f64 / rate.bps();
    // Four digits.
    let ms = format!("{ms:.3e}").parse::<f64>().unwrap_or(ms);
    Some(format!("  # queue: {ms} ms at {rate}"))
}

type Entries = Vec<(&'static str, Value)>;

fn link(pair: &[LinkSpec], nodes: &[String]) -> Entries {
    let forward = &pair[0];
    let mut entries = vec![("between", json!([nodes[forward.from as usize], nodes[forward.to as usize]]))];
    // Left out where it is 1 in both directions; the return direction would take the other's.
    let crossings = |link: &LinkSpec| {
        let said = pair.iter().any(|link| link.crossings != 1);
        said.then(|| ("crossings", json!(link.crossings)))
    };
    entries.extend(direction(forward));
    entries.extend(crossings(forward));
    if let Some(back) = pair.get(1) {
        let table = direction(back).into_iter().chain(crossings(back));
        entries.push(("back", table.map(|(key, value)| (key.to_owned(), value)).collect()));
    }
    entries
}

fn direction(link: &LinkSpec) -> Entries {
    let mut entries = vec![
        ("rate", link.varying.as_ref().map_or(json!(link.rate), |varying| json!(varying))),
        ("delay", json!(link.delay)),
        ("queue", json!(link.queue)),
    ];
    entries.extend(link.loss.as_ref().map(|loss| ("loss", json!(loss))));
    entries.extend((!link.stages.is_empty()).then(|| ("stages", json!(link.stages))));
    entries
}

fn wlan(medium: &MediumSpec, nodes: &[String]) -> Entries {
    let mut queues: Vec<(&String, &QueueSpec)> = Vec::new();
    queues.extend(medium.stations.iter().map(|(node, queue)| (&nodes[*node as usize], queue)));
    let (ap, stations) = (&queues[0], &queues[1..]);
    vec![
        ("name", json!(medium.name)),
        ("ap", json!(ap.0)),
        ("stations", stations.iter().map(|(node, _)| json!(node)).collect()),
        ("queue", json!(stations[0].1)),
        ("ap_queue", json!(ap.1)),
        ("mac", json!(medium.mac)),
    ]
}

fn flow(flow: &FlowSpec, Scenario { nodes, flows, .. }: &Scenario) -> Entries {
    let mut entries = vec![
        ("name", json!(flow.name)),
        ("from", json!(nodes[flow.from as usize])),
        ("to", json!(nodes[flow.to as usize])),
        ("start", json!(flow.start)),
        (
            "size",
            match flow.size {
                Size::Segments(segments) => json!({ "segments": segments }),
                Size::Bytes(bytes) => json!({ "bytes": acklab_packet::Bytes::new(bytes) }),
                Size::Uniform { low, high } => json!({ "uniform": ([low, high].map(acklab_packet::Bytes::new)) }),
                Size::Pareto { low, high, shape } => {
                    let [least, most] = [low, high].map(acklab_packet::Bytes::new);
                    json!({ "pareto": { "least": least, "most": most, "shape": shape } })
                }
                Size::Unlimited => json!("unlimited"),
            },
        ),
        ("count", json!(flow.count)),
        ("stagger", json!(flow.stagger)),
    ];
    entries.extend(flow.after.map(|leader| ("after", json!(flows[leader as usize].name))));
    entries.extend((flow.dscp > 0).then(|| ("dscp", json!(flow.dscp))));
    entries.extend(flow.source.as_ref().map(|source| ("source", json!(source))));
    // What follows another flow repeats with it, and must not say it.
    entries.extend(flow.repeat.filter(|_| flow.after.is_none()).map(|repeat| {
        let mut table = json!({ "times": repeat.times, "think": repeat.think });
        if repeat.think_to > repeat.think {
            table["think_to"] = json!(repeat.think_to);
        }
        ("repeat", table)
    }));
    entries
}

/// A complete rule table, in its own order.
fn rules(patch: &impl Serialize, names: &'static [&'static str]) -> Entries {
    let mut table = json!(patch);
    names.iter().map(|&name| (name, table[name].take())).collect()
}

fn entries(text: &mut String, entries: impl IntoIterator<Item = (&'static str, Value)>) {
    for (key, value) in entries {
        entry(text, key, &value, "");
    }
}

/// A key and its value, and a comment behind it.
fn entry(text: &mut String, key: &str, value: &Value, comment: &str) {
    text.push_str(key);
    text.push_str(" = ");
    inline(text, value);
    text.push_str(comment);
    text.push('\n');
}

/// A value on one line, as TOML writes it. JSON's strings and numbers are TOML's too, but for one character.
fn inline(text: &mut String, value: &Value) {
    match value {
        Value::Object(table) if table.is_empty() => text.push_str("{}"),
        Value::Object(table) => {
            let mut separator = "{ ";
            for (key, value) in table {
                let _ = write!(text, "{separator}{} = ", bare_or_quoted(key));
                inline(text, value);
                separator = ", ";
            }
            text.push_str(" }");
        }
        Value::Array(list) => {
            text.push('[');
            for (at, value) in list.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { ", " });
                inline(text, value);
            }
            text.push(']');
        }
        Value::String(string) => text.push_str(&json!(string).to_string().replace('\u{7f}', "\\u007F")),
        other => {
            let _ = write!(text, "{other}");
        }
    }
}
