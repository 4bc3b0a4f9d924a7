//! A run as one JSON object: the summary, and the recorded tables as arrays of objects with the tables' column names.

use acklab_scenario::spec::Record;
use acklab_table::{Named, Names, Row};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::outcome::Outcome;

/// The summary of `outcome` and every table that `record` asks for, on one line of JSON.
///
/// # Panics
/// Never: memory takes every number and text.
pub fn json(outcome: &Outcome, record: Record) -> Vec<u8> {
    let recorded = record.series || record.queue || record.packets;
    let names = if recorded { outcome.names() } else { Names::default() };
    let mut out = Vec::with_capacity(ROW_BYTES * (outcome.flows.len() + outcome.links.len()));
    serde_json::to_writer(&mut out, &Run { outcome, record, names }).expect("memory takes every number and text");
    out
}

/// About the length of a row of the summary.
const ROW_BYTES: usize = 600;

struct Run<'a> {
    outcome: &'a Outcome,
    record: Record,
    names: Names,
}

impl Serialize for Run<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Run { outcome, record, names } = self;
        let mut run = to.serialize_map(None)?;
        run.serialize_entry("title", &outcome.title)?;
        run.serialize_entry("seed", &outcome.seed)?;
        run.serialize_entry("end_s", &outcome.end_s)?;
        run.serialize_entry("flows", &outcome.flows)?;
        run.serialize_entry("links", &outcome.links)?;
        if !outcome.checks.is_empty() {
            run.serialize_entry("checks", &outcome.checks)?;
        }
        if record.series {
            run.serialize_entry("series", &Rows(names, &outcome.series))?;
        }
        if record.queue {
            run.serialize_entry("queue", &Rows(names, &outcome.queue))?;
        }
        if record.packets {
            run.serialize_entry("packets", &Rows(names, &outcome.packets))?;
        }
        run.end()
    }
}

/// The rows of a recorded table.
struct Rows<'a, R>(&'a Names, &'a [R]);

impl<R: Row> Serialize for Rows<'_, R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.1.iter().map(|row| Named(self.0, row)))
    }
}
