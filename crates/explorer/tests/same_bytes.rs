//! The program in WebAssembly gives the bytes of the native one: summaries, and the columns of charts.
//!
//! Skipped without the compiled program (`make explorer`) or without node.

#[path = "../../sim/tests/world/mod.rs"]
mod world;

use std::cell::RefCell;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use acklab_scenario::spec::{Record, Scenario};
use acklab_scenario::{expanded_toml, parse_toml};
use acklab_sim::{Simulation, json};
use world::{World, for_all, world};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Status and output of each of these texts, in WebAssembly.
fn in_wasm(program: &Path, texts: &[String]) -> Option<Vec<(u32, Vec<u8>)>> {
    let texts_file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explorer-texts.json");
    std::fs::write(&texts_file, serde_json::to_vec(texts).expect("texts")).expect("a place for texts");
    let run = Command::new("node")
        .arg(Path::new(ROOT).join("crates/explorer/tests/run.mjs"))
        .arg(program)
        .arg(Path::new(ROOT).join("python/acklab/report/assets/wasi.js"))
        .stdin(File::open(&texts_file).expect("the texts"))
        .stderr(Stdio::inherit())
        .output();
    let Ok(run) = run else {
        eprintln!("no node: not compared with WebAssembly");
        return None;
    };
    assert!(run.status.success(), "node failed");
    let mut rest = run.stdout.as_slice();
    let mut answers = Vec::new();
    while let Some((head, tail)) = rest.split_at_checked(8) {
        let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let (bytes, tail) = tail.split_at(number(4) as usize);
        answers.push((number(0), bytes.to_vec()));
        rest = tail;
    }
    Some(answers)
}

#[test]
fn a_thousand_random_scenarios_give_the_same_bytes_in_webassembly() {
    let program = Path::new(ROOT).join("target/wasm32-wasip1/browser/explorer.wasm");
    if !program.exists() {
        return eprintln!("no {}: make explorer", program.display());
    }
    // Two links between the same nodes cannot be written, so some of what is drawn is left out.
    let drawn = RefCell::new(Vec::new());
    for_all(1800, world(), |World(scenario)| {
        let text = expanded_toml(&scenario);
        if drawn.borrow().len() < 1000 && parse_toml(&text, "scenario").is_ok() {
            drawn.borrow_mut().push(text);
        }
        Ok(())
    });
    let texts = drawn.into_inner();
    assert_eq!(texts.len(), 1000);
    let Some(answers) = in_wasm(&program, &texts) else { return };
    assert_eq!(answers.len(), texts.len());
    for (number, (text, (status, bytes))) in texts.iter().zip(answers).enumerate() {
        match acklab_explorer::run(text.as_bytes()) {
            Ok(native) => assert!(
                status == 0 && native == bytes,
                "another result in WebAssembly (built from other sources? make explorer):\n{text}"
            ),
            Err(refusal) => panic!("{}:\n{text}", refusal.why),
        }
        // The summary is the one of a run that records nothing; `sim` has tests of this.
        if number % 10 > 0 {
            continue;
        }
        let scenario = parse_toml(text, "scenario").expect("it has just run");
        let scenario = Scenario { record: Record::default(), ..scenario };
        let summary = json(&Simulation::new(Arc::new(scenario)).run(), Record::default());
        assert!(bytes.starts_with(&summary) && bytes[summary.len()] == b'\n', "{text}");
    }
}
