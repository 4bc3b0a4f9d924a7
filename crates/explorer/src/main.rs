//! The explorer's program: a scenario on standard input, its run on standard output ([`acklab_explorer::run`]).
//!
//! Compiled for WASI, it needs of its host two files and an exit status, and so no unsafe code. Exit status as of
//! `acklab run`: 2 for a bad scenario, 1 for a run that failed, the reason on standard error.

use std::io::{Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut text = Vec::new();
    if let Err(error) = std::io::stdin().read_to_end(&mut text) {
        return failed(1, &error.to_string());
    }
    match acklab_explorer::run(&text) {
        Ok(run) => match std::io::stdout().write_all(&run) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(1, &error.to_string()),
        },
        Err(refusal) => failed(refusal.status, &refusal.why),
    }
}

fn failed(status: u8, why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(status)
}
