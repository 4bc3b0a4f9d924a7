//! Reading scenarios never panics, what is read can be written out and read again, and reader and schema agree:
//! a short run of the fuzzer in `examples/fuzz_scenario`.

#[path = "../examples/fuzz_scenario/check.rs"]
mod check;
#[path = "../examples/fuzz_scenario/corpus.rs"]
mod corpus;
#[path = "../examples/fuzz_scenario/mutate.rs"]
mod mutate;

use std::time::{Duration, Instant};

#[test]
fn two_seconds_of_fuzzing_find_nothing() {
    for text in corpus::BY_HAND {
        let format = acklab_scenario::Format::of("", text.trim_start());
        assert_eq!(check::holds(text.as_bytes(), format), Ok(true), "{text}");
    }
    let mut fuzz = check::Fuzz::new(1);
    let end = Instant::now() + Duration::from_secs(2);
    while Instant::now() < end {
        fuzz.step();
    }
    println!("{} texts, {} of them scenarios", fuzz.texts, fuzz.good);
    assert!(fuzz.good > 0);
}
