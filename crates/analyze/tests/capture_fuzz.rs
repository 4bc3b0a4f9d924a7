//! No bytes make the reader or the analysis panic, or contradict itself: a short run of the fuzzer in
//! `examples/fuzz_capture`.

#[path = "../examples/fuzz_capture/check.rs"]
mod check;
#[path = "../examples/fuzz_capture/corpus.rs"]
mod corpus;
#[path = "../examples/fuzz_capture/mutate.rs"]
mod mutate;

use std::time::{Duration, Instant};

#[test]
fn four_seconds_of_fuzzing_find_nothing() {
    for seed in corpus::seeds() {
        assert_eq!(check::holds(&seed), Ok(true));
    }
    let mut fuzz = check::Fuzz::new(1);
    let end = Instant::now() + Duration::from_secs(4);
    while Instant::now() < end {
        fuzz.step();
    }
    println!("{} files, {} of them captures", fuzz.files, fuzz.good);
    assert!(fuzz.good > 0);
}
