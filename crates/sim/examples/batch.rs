//! One scenario a line in, one summary a line out: the simulator without its Python front, for profilers.
use std::io::{BufRead, Write};

use acklab_sim::json::Value;

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut answer = Vec::new();
    for (number, line) in (1..).zip(std::io::stdin().lock().lines()) {
        let line = line.expect("standard input is readable text");
        answer.clear();
        match acklab_sim::scenario::parse_json(&line, "") {
            Ok(scenario) => {
                acklab_sim::Simulation::new(scenario.into()).run().write(&mut answer);
            }
            Err(error) => acklab_sim::json::object!(&mut answer, { error: error.in_line(number).to_string() }),
        };
        answer.push(b'\n');
        out.write_all(&answer).expect("standard output is writable");
    }
}
