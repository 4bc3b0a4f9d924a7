//! Where the keys of a scenario stand in its text. Only a text with an error is read for this.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;
use toml::de::{DeTable, DeValue};

use super::error::{Problem, Problems};
use super::overrides::steps;
use super::path::Path;
use super::{Format, readable};

/// Byte offsets of a table's keys, or of a list's entries, and of all that is below them.
#[derive(Debug, Default)]
pub(super) struct Places {
    at: usize,
    keys: HashMap<String, Places>,
    entries: Vec<Places>,
}

impl Places {
    /// Those of a text; none of a text that cannot be read.
    pub fn of(text: &str, format: Format) -> Places {
        match format {
            Format::Json => Places::json(text, text, 0),
            Format::Toml => DeTable::parse(text).map_or_else(|_| Places::default(), |top| Places::table(top.get_ref())),
        }
    }

    fn table(table: &DeTable<'_>) -> Places {
        let below = table.iter().map(|(key, value)| {
            (key.get_ref().to_string(), Places { at: key.span().start, ..Places::toml(value.get_ref()) })
        });
        Places { keys: below.collect(), ..Places::default() }
    }

    fn toml(value: &DeValue<'_>) -> Places {
        match value {
            DeValue::Table(table) => Places::table(table),
            DeValue::Array(list) => {
                let entry = |entry: &toml::Spanned<DeValue<'_>>| Places {
                    at: entry.span().start,
                    ..Places::toml(entry.get_ref())
                };
                Places { entries: list.iter().map(entry).collect(), ..Places::default() }
            }
            _ => Places::default(),
        }
    }

    /// Of `value`, a part of `text`, whose key or entry is at byte `at`.
    fn json(text: &str, value: &str, at: usize) -> Places {
        let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        if let Ok(table) = serde_json::from_str::<HashMap<Cow<'_, str>, &RawValue>>(value) {
            let below = table.into_iter().map(|(key, value)| {
                let start = offset(value.get());
                let before = text[..start].trim_end().trim_end_matches(':').trim_end();
                let quoted = serde_json::Value::from(key.as_ref()).to_string();
                let at = if before.ends_with(&quoted) { before.len() - quoted.len() } else { start };
                (key.into_owned(), Places::json(text, value.get(), at))
            });
            return Places { at, keys: below.collect(), ..Places::default() };
        }
        let list = serde_json::from_str::<Vec<&RawValue>>(value).unwrap_or_default();
        let entries = list.into_iter().map(|entry| Places::json(text, entry.get(), offset(entry.get())));
        Places { at, entries: entries.collect(), ..Places::default() }
    }

    fn at(&self, path: &Path<'_>) -> Option<&Places> {
        match path {
            Path::Root => Some(self),
            Path::Key(parent, key) => self.at(parent)?.keys.get(*key),
            Path::Index(parent, index) => self.at(parent)?.entries.get(*index),
        }
    }

    /// What orders a table's keys as they stand in the text; keys that are not in it come last.
    pub fn order(&self, path: &Path<'_>) -> usize {
        self.at(path).map_or(usize::MAX, |place| place.at)
    }

    /// The byte offset of the key at `path`, such as `flow[0].sender.window`, or of the table that lacks it. A key of
    /// the text may itself be a path.
    fn offset(&self, path: &str) -> Option<usize> {
        let steps: Vec<String> = steps(path).ok()?.into_iter().map(|step| step.text).collect();
        let (mut place, mut done) = (self, 0);
        while done < steps.len() {
            let (next, length) = (done + 1..=steps.len())
                .rev()
                .find_map(|end| Some((place.keys.get(&steps[done..end].join("."))?, end - done)))
                .or_else(|| Some((place.entries.get(steps[done].parse::<usize>().ok()?)?, 1)))?;
            (place, done) = (next, done + length);
        }
        Some(place.at)
    }

    /// The byte offset of the key at `path`, or of the nearest table above it.
    fn nearest(&self, path: &str) -> Option<usize> {
        let parents = path.char_indices().rev().filter(|(_, sign)| matches!(sign, '.' | '['));
        std::iter::once(path.len()).chain(parents.map(|(at, _)| at)).find_map(|end| self.offset(&path[..end]))
    }

    /// Of several problems the first in the text; those without a place come last.
    pub fn first(&self, problems: Problems) -> Problem {
        let place = |problem: &Problem| self.nearest(&problem.path).unwrap_or(usize::MAX);
        problems.0.into_iter().min_by_key(place).unwrap_or_default()
    }

    /// The problem with line and column of its key in `text`. A text of one line has no place that the key does not
    /// tell.
    pub fn put_into(&self, problem: Problem, text: &str) -> Problem {
        let known = problem.line_column.is_some() || problem.path.is_empty() || !text.trim().contains('\n');
        let offset = if known { None } else { self.nearest(&problem.path) };
        let line_column = offset.and_then(|at| Problem::in_text(text, at, "").line_column);
        Problem { line_column: problem.line_column.or(line_column), ..problem }
    }
}

/// Line and column, from 1, of the key at `path` in a TOML or JSON text, or of the nearest table above it.
///
/// ```
/// use acklab_scenario::{Format, place};
/// let text = "seeds = 3\n[vary]\n\"link.0.rate\" = []";
/// assert_eq!(place(text, Format::Toml, "vary.link.0.rate"), Some((3, 1)));
/// assert_eq!(place(text, Format::Toml, "vary.missing"), Some((2, 2)));
/// assert_eq!(place(text, Format::Toml, "missing"), None);
/// ```
pub fn place(text: &str, format: Format, path: &str) -> Option<(usize, usize)> {
    let text = readable(text).ok()?;
    Places::of(text, format).put_into(Problem::at(path, ""), text).line_column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_both_formats() {
        let toml = "seed = 1\n[[flow]]\nfrom = 'S'\n[[flow]]\nsender = { a = 1,\n  \"b\" = [1, 2] }\nsender2.c = 1";
        let json = "{\"seed\": 1,\n \"flow\": [{\"from\": 1},\n  {\"sender\" : {\"a\": 1, \"b\":[1,\n2]}}]}";
        for (format, text, path, place_told) in [
            (Format::Toml, toml, "seed", (1, 1)),
            (Format::Toml, toml, "flow[0].from", (3, 1)),
            (Format::Toml, toml, "flow[1]", (4, 1)),
            (Format::Toml, toml, "flow[1].sender.b[1]", (6, 13)),
            (Format::Toml, toml, "flow[1].sender.window", (5, 1)),
            (Format::Toml, toml, "flow[1].sender2.c", (7, 9)),
            (Format::Json, json, "flow[0].from", (2, 12)),
            (Format::Json, json, "flow[1].sender.b[1]", (4, 1)),
            (Format::Json, json, "flow[1].sender.x", (3, 4)),
        ] {
            assert_eq!(place(text, format, path), Some(place_told), "{path}");
        }
        assert_eq!(place("seed = 1", Format::Toml, "seed"), None, "a text of one line");
    }
}
