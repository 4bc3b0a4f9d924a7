//! Looks for bytes on which reading a capture or analysing it misbehaves, for as many seconds as its argument says:
//! `cargo run --release -p acklab-analyze --example fuzz_capture -- 600 [SEED]`; or writes what it starts from into a
//! directory, for the fuzzer that follows coverage: `… --example fuzz_capture -- fuzz/corpus/capture`.
//!
//! It mutates captures of kernels and simulations, packed and not; `check.rs` has what must hold for all bytes.

mod check;
mod consistent;
mod corpus;
mod mutate;

use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next().unwrap_or_else(|| "10".to_owned());
    let Ok(seconds) = first.parse() else {
        std::fs::create_dir_all(&first)?;
        for (number, seed) in corpus::seeds().into_iter().enumerate() {
            std::fs::write(format!("{first}/{number:02}"), seed)?;
        }
        return Ok(());
    };
    let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut fuzz = check::Fuzz::new(seed);
    while Instant::now() < end {
        for _ in 0..100 {
            fuzz.step();
        }
    }
    println!("seed {seed}, {seconds} s: {} files, {} of them captures, nothing found", fuzz.files, fuzz.good);
    Ok(())
}
