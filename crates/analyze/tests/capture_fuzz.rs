//! No bytes make the reader or the analysis panic, or contradict itself: a short run of the fuzzer in
//! `examples/fuzz_capture`.

#[path = "../examples/fuzz_capture/check.rs"]
mod check;
#[path = "../examples/fuzz_capture/consistent.rs"]
mod consistent;
#[path = "../examples/fuzz_capture/corpus.rs"]
mod corpus;
#[path = "../examples/fuzz_capture/mutate.rs"]
mod mutate;

/// Captures tried; 100,000 with `ACKLAB_LONG`.
fn most() -> u64 {
    if std::env::var_os("ACKLAB_LONG").is_some() { 100_000 } else { 3_000 }
}

#[test]
fn fuzzing_finds_nothing() {
    for seed in corpus::seeds() {
        assert_eq!(check::holds(&seed), Ok(true));
    }
    let mut fuzz = check::Fuzz::new(1);
    while fuzz.files < most() {
        fuzz.step();
    }
    println!("{} files, {} of them captures", fuzz.files, fuzz.good);
    assert!(fuzz.good > fuzz.files / 4);
}
