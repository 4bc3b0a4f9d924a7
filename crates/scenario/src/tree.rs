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

/// The text's tree, or why it is none.
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
            .map_err(|error| Problem::in_text(text, error.span().map_or(0, |span| span.start), error.message())),
    };
    syntax.map_err(|syntax| problem.into_inner().unwrap_or(syntax))
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
