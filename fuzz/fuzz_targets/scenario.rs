//! Any bytes as a scenario: nothing panics, what is read can be written out and read again, reader and schema agree.
#![no_main]

use acklab_scenario::Format;
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/scenario/examples/fuzz_scenario/check.rs"]
#[allow(dead_code)]
mod check;
#[path = "../../crates/scenario/examples/fuzz_scenario/corpus.rs"]
#[allow(dead_code)]
mod corpus;
#[path = "../../crates/scenario/examples/fuzz_scenario/mutate.rs"]
#[allow(dead_code)]
mod mutate;

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Toml, Format::Json] {
        check::holds(bytes, format).unwrap();
    }
});
