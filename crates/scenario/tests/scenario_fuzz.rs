//! Reading scenarios never panics, what is read can be written out and read again, and reader and schema agree:
//! a short run of the fuzzer in `examples/fuzz_scenario`.

#[path = "../examples/fuzz_scenario/check.rs"]
mod check;
#[path = "../examples/fuzz_scenario/corpus.rs"]
mod corpus;
#[path = "../examples/fuzz_scenario/mutate.rs"]
mod mutate;

use std::collections::BTreeSet;

use acklab_scenario::{Format, parse, schema};
use serde_json::Value;

#[test]
fn scenarios_written_out_read_the_same() {
    for text in corpus::BY_HAND {
        assert_eq!(check::holds(text.as_bytes(), Format::of("", text.trim_start())), Ok(true), "{text}");
    }
    let mut fuzz = check::Fuzz::new(1);
    (0..1_000).for_each(|_| fuzz.step());
    println!("{} texts, {} of them scenarios", fuzz.texts, fuzz.good);
}

/// The keys of a value's tables, without the places in lists: `flow.repeat.times`.
fn keys(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(table) => table.iter().for_each(|(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            keys(value, &path, into);
            into.insert(path);
        }),
        Value::Array(list) => list.iter().for_each(|value| keys(value, path, into)),
        _ => {}
    }
}

#[test]
fn the_scenarios_drawn_have_every_table() {
    let (schema, mut rng, mut drawn) = (schema(), mutate::Rng(1), BTreeSet::new());
    let mut good = 0;
    for _ in 0..20_000 {
        let scenario = corpus::made_up(&schema, &mut rng);
        if parse(&scenario.to_string(), "drawn", Format::Json).is_ok() {
            good += 1;
            keys(&scenario, "", &mut drawn);
        }
    }
    println!("{good} scenarios");
    let table = |prefix: &str, name: &str| {
        let of = schema.pointer(&format!("{name}/properties")).and_then(Value::as_object).expect(name);
        of.keys().map(|key| format!("{prefix}{key}")).collect::<Vec<_>>()
    };
    let missing: Vec<String> = [
        ("", ""),
        ("flow.", "/$defs/FlowTable"),
        ("flow.repeat.", "/$defs/RepeatTable"),
        ("link.", "/$defs/LinkTable"),
        ("wlan.", "/$defs/WlanTable"),
        ("program.", "/$defs/ProgramTable"),
        ("expect.", "/$defs/ExpectTable"),
        ("stop.", "/$defs/StopTable"),
        ("record.", "/$defs/RecordTable"),
    ]
    .iter()
    .flat_map(|(prefix, name)| table(prefix, name))
    .filter(|key| !drawn.contains(key))
    .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
