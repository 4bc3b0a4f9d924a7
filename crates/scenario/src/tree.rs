//! A scenario's text as a tree of values: for overrides, and to find out what is wrong with a text.
//!
//! The tree is `serde_json`'s whatever the text's format. What it cannot hold (NaN, infinities, dates, a key twice)
//! is refused here, by its path.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::Format;
use super::error::Problem;
use super::path::Path;

/// The text's tree, or why it has no tree.
pub(super) fn read(text: &str, format: Format) -> Result<Value, Problem> {
    let problem = RefCell::new(None);
    let node = Node { path: &Path::Root, problem: &problem };
    let syntax = match format {
        Format::Json => {
            let mut input = serde_json::Deserializer::from_str(text);
            let tree = node.deserialize(&mut input).and_then(|tree| input.end().map(|()| tree));
            tree.map_err(|error| json_syntax(text, &error))
        }
        Format::Toml => toml::Deserializer::parse(text)
            .and_then(|input| node.deserialize(input))
            .map_err(|error| toml_syntax(text, &error)),
    };
    syntax.map_err(|syntax| problem.into_inner().unwrap_or(syntax))
}

fn toml_syntax(text: &str, error: &toml::de::Error) -> Problem {
    let at = error.span().map_or(0, |span| span.start);
    let problem = Problem::in_text(text, at, error.message());
    match unquoted(text, at) {
        Some(value) => Problem { what: format!("`{value}` has no quotes; write \"{value}\""), ..problem },
        None => problem,
    }
}

/// A quantity or word that stands where TOML wants quotes, from byte `at` on.
fn unquoted(text: &str, at: usize) -> Option<&str> {
    let line_start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text[line_start..].lines().next()?;
    let before = line.get(..at - line_start)?;
    let start = before.rfind(['=', '[', ',']).map_or(0, |sign| sign + 1);
    let value = line[start..].split([',', ']', '}', '#']).next()?.trim();
    let written = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_' | '/' | ' ');
    let quantity = value.starts_with(|c: char| c.is_ascii_digit()) && value.ends_with(char::is_alphabetic);
    let word = value.starts_with(|c: char| c.is_ascii_alphabetic()) && !value.contains(' ');
    (before.contains('=') && value.chars().all(written) && (quantity || word)).then_some(value)
}

fn json_syntax(text: &str, error: &serde_json::Error) -> Problem {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = error.to_string();
    let what = what.strip_suffix(&place).unwrap_or(&what);
    let what = format!("not valid JSON: {what}");
    Problem { line_column: Some((error.line(), error.column())), ..Problem::in_text(text, 0, what) }
}

/// Reads one value; a problem with a path goes to `problem` and beats the error serde makes of it.
#[derive(Clone, Copy)]
struct Node<'a> {
    path: &'a Path<'a>,
    problem: &'a RefCell<Option<Problem>>,
}

impl Node<'_> {
    fn fail<E: Error>(&self, problem: Problem) -> E {
        let error = E::custom(&problem.what);
        self.problem.replace(Some(problem));
        error
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        Err(self.fail(Problem::at(self.path, "is more than 64 bits hold").given(value)))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        Err(self.fail(Problem::at(self.path, "is more than 64 bits hold").given(value)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        match Number::from_f64(value) {
            Some(number) => Ok(Value::Number(number)),
            None => Err(self.fail(Problem::at(self.path, "is not a finite number").given(value))),
        }
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Node { path: &self.path.index(list.len()), ..self })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if key.starts_with("$__toml_private") {
                let problem = Problem::at(self.path, "is a date; no key of a scenario takes one");
                return Err(self.fail(problem.given(entries.next_value::<String>()?)));
            }
            let path = self.path.key(&key);
            if map.contains_key(&key) {
                return Err(self.fail(Problem::at(path, "given twice")));
            }
            let value = entries.next_value_seed(Node { path: &path, ..self })?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_without_quotes_are_named() {
        for (text, value) in [
            ("rate = 1.5Mbps", "1.5Mbps"),
            ("seed = 1\ndelay = 50 ms # one way", "50 ms"),
            ("stop = { at = 10s }", "10s"),
            ("between = [S, R]", "S"),
            ("recovery = sack", "sack"),
        ] {
            let problem = read(text, Format::Toml).unwrap_err();
            assert_eq!(problem.what, format!("`{value}` has no quotes; write \"{value}\""), "{text}");
        }
        for text in ["rate = ", "rate = 1.5.6", "= 3", "[link", "rate = \"1Mbps"] {
            assert!(!read(text, Format::Toml).unwrap_err().what.contains("quotes; write"), "{text}");
        }
    }
}
