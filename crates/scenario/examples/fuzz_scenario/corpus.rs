//! Where mutation starts: scenarios written by hand, and scenarios made up from the schema.

use serde_json::{Map, Value};

use super::mutate::Rng;

pub const BY_HAND: &[&str] = &[
    r#"
title = "by hand"
seed = 7
stop = { when = "flows-complete", at_most = "100s" }
[[link]]
between = ["S", "G"]
rate = "10Mbps"
delay = "2ms"
queue = { kind = "drop-tail", packets = 22 }
loss = { rate = 0.01, seed = 3, only = "data" }
back = { rate = "1Mbps", loss = { list = [3, 1], where = "after-queue" } }
[[link]]
between = ["G", "R"]
rate = "1.5Mbps"
delay = "48ms"
queue = { kind = "drop-tail", waiting_bytes = "64KiB" }
[[flow]]
name = "f"
from = "S"
to = "R"
size = { segments = 200 }
count = 3
stagger = "10ms"
repeat = { times = 2, think = "1s" }
sender = { stack = "mine", recovery = "sack", window = 40 }
receiver = { ack = { policy = "delayed", timer = "100ms", segments = 2 }, sack = false }
[[flow]]
from = "R"
to = "S"
size = { bytes = "200kB" }
[stack.mine]
base = "other"
tick = "10ms"
[stack.other]
base = "ns2-1998"
ack_size = 60
[record]
series = true
"#,
    r#"
stop = { at = "60s" }
[topology]
kind = "dumbbell"
pairs = 3
bottleneck = { rate = "1.5Mbps", delay = "48ms", loss = { rate = 0.1 } }
access = { rate = "10Mbps", delay = "1ms" }
access_right = { rate = "10Mbps", delay = "1us", back = { delay = "3us" } }
[[flow]]
from = "S0"
to = "R2"
"#,
    r#"
stop.at = "60s"
topology = { kind = "parking-lot", hops = 2, hop = { rate = "1Mbps", delay = "1ms" }, access = { rate = "1Gbps", delay = "0s" } }
flow = [{ from = "S", to = "R" }, { from = "X0", to = "Y0", start = "1min" }]
"#,
    r#"{"stop": {"at": "9s"}, "topology": {"kind": "asymmetric", "down": {"rate": "8Mbps", "delay": "5ms"},
 "up": {"rate": "128kbps"}, "server": {"rate": "1Gbps", "delay": "10ms"}},
 "flow": [{"from": "S", "to": "C", "sender": {"stack": "ns2-2.35", "window": "64kB", "credit": {"kind": "rfc5681"}}}]}"#,
];

/// A scenario made up from the schema: its form is right, and its values go together often enough.
pub fn made_up(schema: &Value, rng: &mut Rng) -> Value {
    let mut scenario = value(schema, schema, "", rng);
    let Value::Object(top) = &mut scenario else { return scenario };
    for needed in ["link", "flow"] {
        top.entry(needed).or_insert_with(|| value(schema, &schema["properties"][needed], needed, rng));
    }
    top.entry("stop").or_insert_with(|| serde_json::json!({ "at": "64s" }));
    // A chain of links, and flows along it; now and then nodes are left as they fell.
    let mut ends = vec![];
    for (at, link) in top["link"].as_array_mut().into_iter().flatten().enumerate() {
        if !rng.once_in(20) {
            link["between"] = serde_json::json!([format!("N{at}"), format!("N{}", at + 1)]);
            ends = vec![format!("N{}", rng.below(at + 1)), format!("N{}", at + 1)];
        }
    }
    if rng.once_in(2) {
        ends.reverse();
    }
    let mut names: Vec<String> = vec![];
    for (at, flow) in top["flow"].as_array_mut().into_iter().flatten().enumerate() {
        if let ([from, to], false) = (ends.as_slice(), rng.once_in(20)) {
            (flow["from"], flow["to"]) = (from.as_str().into(), to.as_str().into());
        }
        if flow.get("after").is_some() && !names.is_empty() {
            flow["after"] = rng.pick(&names).as_str().into();
        }
        names.push(flow["name"].as_str().map_or_else(|| format!("flow{at}"), str::to_owned));
    }
    for program in top.get_mut("program").and_then(Value::as_array_mut).into_iter().flatten() {
        program["at"] = ends.first().map_or("A", String::as_str).into();
        if program.get("kernel").is_some() {
            program["kernel"] = "7.3".into();
        }
    }
    for expect in top.get_mut("expect").and_then(Value::as_array_mut).into_iter().flatten() {
        let link = expect.get("link").is_some();
        if expect.get("within").is_some() {
            expect["within"] = serde_json::json!([rng.below(3), 3]);
        }
        let subject = if link { ends.join("->") } else { rng.pick(&names).clone() };
        expect[if link { "link" } else { "flow" }] = subject.into();
        expect["what"] = (*rng.pick(if link { &["drops"] } else { &["goodput_bps", "cwnd_segments"] })).into();
    }
    scenario
}

/// A value the schema allows; `key` is what it stands under.
fn value(root: &Value, schema: &Value, key: &str, rng: &mut Rng) -> Value {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let number = *rng.pick(&["1", "2", "25e-1", "64", "300", "1e3"]);
        let unit = match target {
            "#/$defs/Time" => rng.pick(&["s", "ms", "us", "ns", "min"]),
            "#/$defs/Rate" => rng.pick(&["bps", "kbps", "Mbps", "Gbps"]),
            "#/$defs/Bytes" => rng.pick(&["kB", "MB", "KiB"]),
            _ => return value(root, root.pointer(&target[1..]).unwrap_or(&Value::Null), key, rng),
        };
        return format!("{number}{unit}").into();
    }
    if let Some(choices) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array) {
        return value(root, rng.pick(choices), key, rng);
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    let limit = |name| schema.get(name).and_then(Value::as_u64);
    match schema["type"].as_str().unwrap_or_default() {
        "object" => table(root, schema, rng),
        "array" => {
            let length = limit("minItems").unwrap_or(1 + rng.below(3) as u64);
            (0..length).map(|_| value(root, &schema["items"], key, rng)).collect()
        }
        "integer" => {
            let least = limit("minimum").unwrap_or(0);
            let room = if matches!(key, "pairs" | "hops") { 4 } else { *rng.pick(&[3, 300, 3_000_000]) };
            (least + rng.below(room) as u64).min(limit("maximum").unwrap_or(u64::MAX)).into()
        }
        "number" => {
            let least = schema.get("minimum").and_then(Value::as_f64).unwrap_or(0.0);
            (least + rng.below(5) as f64 / 4.0).min(schema.get("maximum").and_then(Value::as_f64).unwrap_or(1e9)).into()
        }
        "boolean" => rng.once_in(2).into(),
        _ => match key {
            "stack" | "base" => (*rng.pick(&["rfc", "ns2-1998", "ns2-2.35", "a", "b"])).into(),
            "between" | "from" | "to" => (*rng.pick(&["A", "B", "C", "S", "R"])).into(),
            _ => format!("{key}{}", rng.below(50)).into(),
        },
    }
}

/// Keys of which a table usually may have one.
const EXCLUSIVE: &[&[&str]] = &[
    &["rate", "list"],
    &["list", "seed"],
    &["at", "when"],
    &["at", "at_most"],
    &["packets", "waiting", "bytes", "waiting_bytes"],
];

fn table(root: &Value, schema: &Value, rng: &mut Rng) -> Value {
    let mut table = Map::new();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let keys = schema.get("properties").and_then(Value::as_object);
    // Many rules at once seldom go together.
    let rare = keys.map_or(1, |keys| 2 + keys.len() / 3);
    for (key, schema) in keys.into_iter().flatten() {
        if required.contains(&key.as_str()) || rng.once_in(rare) {
            table.insert(key.clone(), value(root, schema, key, rng));
        }
    }
    for group in EXCLUSIVE {
        let both = |key: &&&str| table.contains_key(**key);
        let given: Vec<&str> = group.iter().filter(both).copied().collect();
        if given.len() > 1
            && keys.is_some_and(|keys| group.iter().all(|key| keys.contains_key(*key)))
            && !rng.once_in(20)
        {
            let keep = *rng.pick(&given);
            table.retain(|key, _| key == keep || !group.contains(&key.as_str()));
        }
    }
    if keys.is_some_and(|keys| keys.contains_key("list")) && !table.contains_key("list") {
        table.insert("rate".to_owned(), 0.25.into());
    }
    if schema["additionalProperties"].is_object() {
        for name in ["a", "b"].into_iter().take(rng.below(3)) {
            table.insert(name.to_owned(), value(root, &schema["additionalProperties"], name, rng));
        }
    }
    Value::Object(table)
}
