//! What must hold for every text, and the loop that tries texts.

use std::panic::{AssertUnwindSafe, catch_unwind};

use acklab_scenario::{Format, Overrides, disagreement, expanded_toml, parse, parse_bytes, parse_with, schema};
use serde_json::Value;

use super::corpus::{BY_HAND, made_up};
use super::mutate::{Rng, mutate};

/// The state of a search.
pub struct Fuzz {
    rng: Rng,
    schema: Value,
    corpus: Vec<String>,
    /// Texts tried.
    pub texts: u64,
    /// Texts that were scenarios.
    pub good: u64,
}

impl Fuzz {
    pub fn new(seed: u64) -> Fuzz {
        let corpus = BY_HAND.iter().map(|&text| text.to_owned()).collect();
        Fuzz { rng: Rng(seed), schema: schema(), corpus, texts: 0, good: 0 }
    }

    /// Tries one made-up and one mutated text.
    pub fn step(&mut self) {
        let made = made_up(&self.schema, &mut self.rng).to_string();
        self.tried(made.as_bytes());
        let text = if self.rng.once_in(8) { &made } else { self.rng.pick(&self.corpus) }.clone();
        let other = self.rng.pick(&self.corpus).clone();
        let mutant = mutate(&text, &other, &mut self.rng);
        // What is still a scenario is a start for more; one leaves for it once there are many.
        if self.tried(&mutant) && mutant.len() < 20_000 {
            let place = self.rng.below(2000);
            let text = String::from_utf8_lossy(&mutant).into_owned();
            match self.corpus.get_mut(BY_HAND.len() + place) {
                Some(old) => *old = text,
                None => self.corpus.push(text),
            }
        }
    }

    /// Whether `bytes` are a scenario.
    fn tried(&mut self, bytes: &[u8]) -> bool {
        self.texts += 1;
        let mut scenario = false;
        for format in [Format::Toml, Format::Json] {
            match catch_unwind(AssertUnwindSafe(|| holds(bytes, format))) {
                Ok(Ok(good)) => scenario |= good,
                Ok(Err(why)) => panic!("{why}, as {format:?}:\n{}", String::from_utf8_lossy(bytes)),
                Err(_) => panic!("a panic, as {format:?}:\n{}", String::from_utf8_lossy(bytes)),
            }
        }
        self.good += u64::from(scenario);
        scenario
    }
}

/// Whether `bytes` are a scenario, or what does not hold for them.
pub fn holds(bytes: &[u8], format: Format) -> Result<bool, String> {
    let read = parse_bytes(bytes, "file", format);
    let mut overrides = Overrides { seed: Some(1), ..Default::default() };
    let _ = overrides.set("flow.0.sender.window=20");
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = parse_with(text, "file", format, &overrides);
        if let Some(why) = disagreement(text, format) {
            return Err(why);
        }
    }
    match read {
        Ok(scenario) => {
            let long = expanded_toml(&scenario);
            match parse(&long, "long", Format::Toml) {
                Ok(again) if again == scenario => Ok(true),
                Ok(_) => Err(format!("written out it reads differently:\n{long}")),
                Err(error) => Err(format!("written out it is refused ({error}):\n{long}")),
            }
        }
        Err(error) => {
            let said = error.to_string();
            let well_said = said.starts_with("file") && said.lines().count() <= 2 && said.len() < 10_000;
            if well_said { Ok(false) } else { Err(format!("it is badly said:\n{said}")) }
        }
    }
}
