//! One scenario a line in, one summary a line out: the simulator without its Python front, for profilers.
use std::io::{BufRead, Write};

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (number, line) in (1..).zip(std::io::stdin().lock().lines()) {
        let line = line.expect("standard input is readable text");
        let mut answer = match acklab_scenario::parse_json(&line, "") {
            Ok(scenario) => serde_json::to_vec(&acklab_sim::Simulation::new(scenario.into()).run()),
            Err(error) => serde_json::to_vec(&serde_json::json!({ "error": error.in_line(number).to_string() })),
        }
        .expect("memory takes every number and text");
        answer.push(b'\n');
        out.write_all(&answer).expect("standard output is writable");
    }
}
