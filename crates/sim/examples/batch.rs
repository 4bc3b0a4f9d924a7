//! One scenario a line in, one summary a line out: the simulator without its Python front, for profilers.
use std::io::{BufRead, Write};

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.expect("standard input is readable text");
        let answer = match acklab_sim::scenario::parse_json(&line, &format!("line {}", number + 1)) {
            Ok(scenario) => {
                let outcome = acklab_sim::Simulation::new(scenario.into()).run();
                serde_json::to_string(&outcome).expect("an outcome is plain data")
            }
            Err(error) => serde_json::json!({ "error": error.to_string() }).to_string(),
        };
        writeln!(out, "{answer}").expect("standard output is writable");
    }
}
