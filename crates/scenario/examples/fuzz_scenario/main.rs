//! Looks for texts on which reading a scenario misbehaves, for as many seconds as its argument says:
//! `cargo run --release -p acklab-scenario --example fuzz_scenario -- 600 [SEED]`.
//!
//! It mutates good and bad scenarios and makes new ones from the schema; `check.rs` has what must hold for every text.

mod check;
mod corpus;
mod mutate;

use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let seconds = arguments.next().and_then(Result::ok).unwrap_or(10);
    let seed = arguments.next().and_then(Result::ok).unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut fuzz = check::Fuzz::new(seed);
    while Instant::now() < end {
        for _ in 0..100 {
            fuzz.step();
        }
    }
    println!("seed {seed}, {seconds} s: {} texts, {} of them scenarios, nothing found", fuzz.texts, fuzz.good);
}
