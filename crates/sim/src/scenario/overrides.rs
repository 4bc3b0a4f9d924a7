//! `--set path=value`: single values replaced before a scenario is read.

use serde_json::{Map, Value};

use super::error::Problem;
use super::path::Path;
use super::{Format, tree};

/// What is changed in a scenario before it is read.
///
/// ```
/// use acklab_sim::scenario::{Format, Overrides, parse_with};
/// let text = r#"
///     stop = { at = "1s" }
///     [[link]]
///     between = ["S", "R"]
///     rate = "10Mbps"
///     delay = "5ms"
///     [[flow]]
///     name = "bulk"
///     from = "S"
///     to = "R"
/// "#;
/// let mut overrides = Overrides { seed: Some(7), ..Overrides::default() };
/// overrides.set("flow.0.sender.dup_thresh=5").unwrap(); // by place in the file
/// overrides.set("flow.bulk.start=20ms").unwrap(); // by name
/// let scenario = parse_with(text, "bulk.toml", Format::Toml, &overrides).unwrap();
/// assert_eq!((scenario.seed, scenario.flows[0].sender.dup_thresh), (7, 5));
/// assert_eq!(scenario.flows[0].start.secs(), 0.02);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// The scenario's seed.
    pub seed: Option<u64>,
    /// Paths and their values, in order.
    pub values: Vec<(String, String)>,
}

impl Overrides {
    /// Adds `path=value`. The value is read as TOML (`20`, `true`, `{ rate = 0.01 }`), and as text where it is none
    /// (`10Mbps`, `sack`).
    ///
    /// # Errors
    /// The assignment has no `=`, or no path before it.
    pub fn set(&mut self, assignment: &str) -> Result<(), super::ScenarioError> {
        match assignment.split_once('=') {
            Some((path, value)) if !path.trim().is_empty() => {
                self.values.push((path.trim().to_owned(), value.trim().to_owned()));
                Ok(())
            }
            _ => {
                let what = format!("`{assignment}` sets nothing; write path=value, such as flow.0.sender.window=20");
                Err(super::ScenarioError::new("--set", Problem { what, ..Problem::default() }))
            }
        }
    }

    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.seed.is_none() && self.values.is_empty()
    }

    /// Writes the changes into a scenario's tree.
    pub(super) fn apply(&self, tree: &mut Value) -> Result<(), Problem> {
        for (path, value) in &self.values {
            assign(tree, path, read_value(value))?;
        }
        if let (Some(seed), Value::Object(top)) = (self.seed, tree) {
            top.insert("seed".to_owned(), seed.into());
        }
        Ok(())
    }
}

/// The TOML value `text` is, or else the text.
fn read_value(text: &str) -> Value {
    match tree::read(&format!("value = {text}"), Format::Toml) {
        Ok(Value::Object(mut map)) if map.len() == 1 => map.remove("value").unwrap_or_default(),
        _ => text.into(),
    }
}

/// Sets what stands at `path`; tables on the way to it are made.
fn assign(tree: &mut Value, path: &str, value: Value) -> Result<(), Problem> {
    let steps = steps(path)?;
    let mut place = tree;
    for (depth, step) in steps.iter().enumerate() {
        let here = || steps[..depth].join(".");
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        place = match place {
            Value::Object(map) => map.entry(step.as_str()).or_insert(Value::Null),
            Value::Array(list) => {
                let entries = list.len();
                let by_name = || list.iter().position(|entry| entry.get("name").and_then(Value::as_str) == Some(step));
                match step.parse().ok().or_else(by_name).and_then(|index| list.get_mut(index)) {
                    Some(entry) => entry,
                    None => {
                        let what = format!("`{}` has no entry `{step}` to set", here());
                        return Err(Problem::at(path, what).help(format!("it has {entries}, counted from 0 or named")));
                    }
                }
            }
            other => {
                let what = format!("`{}` is {other}, and has no keys to set", here());
                return Err(Problem::at(path, what).help("set it as a whole, such as flow.0.size={segments=100}"));
            }
        };
    }
    *place = value;
    Ok(())
}

/// Splits `flow.0.sender`, `flow[0].sender` or `stack."a.b".tick` into its steps.
fn steps(path: &str) -> Result<Vec<String>, Problem> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(['.', '[', ']']).unwrap_or(rest.len())),
        };
        steps.push(step.trim().to_owned());
        let after = after.strip_prefix(']').unwrap_or(after);
        rest = after.strip_prefix(['.', '[']).unwrap_or(after);
        if rest.is_empty() && after.len() > rest.len() {
            steps.push(String::new());
        }
    }
    if steps.is_empty() || steps.len() > 20 || steps.iter().any(String::is_empty) {
        let what = "is no path; write it as flow.0.sender.window";
        return Err(Problem::at(Path::Root, format!("`{path}` {what}")));
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_come_with_dots_brackets_and_quotes() {
        for path in ["a.0.b", "a[0].b", "\"a\".0.b", "a[0]b"] {
            assert_eq!(steps(path).unwrap(), ["a", "0", "b"], "{path}");
        }
        for path in ["", ".", "a..b", "a.", ".a"] {
            assert!(steps(path).is_err(), "{path}");
        }
    }

    #[test]
    fn values_are_toml_or_text() {
        for (text, value) in [
            ("20", json!(20)),
            ("0.5", json!(0.5)),
            ("true", json!(true)),
            ("'20'", json!("20")),
            ("10Mbps", json!("10Mbps")),
            ("{ list = [1, 2] }", json!({ "list": [1, 2] })),
            ("1\nseed = 2", json!("1\nseed = 2")),
            ("nan", json!("nan")),
            ("", json!("")),
        ] {
            assert_eq!(read_value(text), value, "{text}");
        }
    }

    #[test]
    fn tables_on_the_way_are_made_and_lists_are_entered() {
        let mut tree = json!({ "flow": [{ "name": "a" }, { "name": "b" }] });
        assign(&mut tree, "flow.b.sender.tick", json!("1ms")).unwrap();
        assign(&mut tree, "flow.0.name", json!("c")).unwrap();
        assert_eq!(tree, json!({ "flow": [{ "name": "c" }, { "name": "b", "sender": { "tick": "1ms" } }] }));
        for (path, part) in
            [("flow.2.name", "no entry `2`"), ("flow.c.name.x", "has no keys"), ("flow.z.x", "no entry `z`")]
        {
            let problem = assign(&mut tree.clone(), path, json!(1)).unwrap_err();
            assert!(problem.what.contains(part), "{problem:?}");
        }
    }
}
