//! Any bytes as a capture: reader and analysis neither panic nor contradict themselves.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/analyze/examples/fuzz_capture/check.rs"]
#[allow(dead_code)]
mod check;
#[path = "../../crates/analyze/examples/fuzz_capture/consistent.rs"]
mod consistent;
#[path = "../../crates/analyze/examples/fuzz_capture/corpus.rs"]
#[allow(dead_code)]
mod corpus;
#[path = "../../crates/analyze/examples/fuzz_capture/mutate.rs"]
#[allow(dead_code)]
mod mutate;

fuzz_target!(|bytes: &[u8]| {
    check::holds(bytes).unwrap();
});
