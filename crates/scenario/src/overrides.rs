//! `--set path=value`: single values replaced before a scenario is read.

use acklab_tcp::rules::{ReceiverPatch, SenderPatch};
use serde_json::{Map, Value, json};

use super::error::Problem;
use super::path::{Path, bare_or_quoted};
use super::suggest::listed;
use super::{Format, tree};

/// What is changed in a scenario before it is read.
///
/// ```
/// use acklab_scenario::{Format, Overrides, parse_with};
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
    /// Adds `path=value`. The value is read as TOML (`20`, `true`, `{ rate = 0.01 }`), and as text where it is no TOML
    /// (`10Mbps`, `sack`).
    ///
    /// # Errors
    /// The assignment has no `=`, or no path before it.
    pub fn set(&mut self, assignment: &str) -> Result<(), super::ScenarioError> {
        match split(assignment) {
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
            let value = read_value(value).map_err(|what| Problem::at(path, what).given(value))?;
            assign(tree, path, value)?;
        }
        if let (Some(seed), Value::Object(top)) = (self.seed, tree) {
            top.insert("seed".to_owned(), seed.into());
        }
        Ok(())
    }
}

/// The TOML value `text` is, or else the text, unless it begins like a table or a list.
fn read_value(text: &str) -> Result<Value, String> {
    match tree::read(&format!("value = {text}"), Format::Toml) {
        Ok(Value::Object(mut map)) if map.len() == 1 => Ok(map.remove("value").unwrap_or_default()),
        _ if text.starts_with(['{', '[']) => {
            Err("is no TOML; texts in it stand in quotes, such as {policy=\"every\"} (and all of it in others, for the shell)".into())
        }
        _ => Ok(text.into()),
    }
}

/// `path` and `value` of `path=value`; an equals sign in quotes is part of a name.
fn split(assignment: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let sign = assignment.char_indices().find(|&(_, sign)| {
        quoted ^= sign == '"';
        sign == '=' && !quoted
    });
    // A quote that is never closed hides the sign; the path says what is wrong with it.
    let at = sign.map_or_else(|| assignment.find('='), |(at, _)| Some(at))?;
    Some((&assignment[..at], &assignment[at + 1..]))
}

/// A step of a path, and whether it stood in quotes.
#[derive(Debug, PartialEq)]
pub(super) struct Step {
    pub text: String,
    quoted: bool,
}

impl Step {
    /// Which entry of a list is meant: the one of that place or, for what is no number or stands in quotes, of that
    /// name. A link's name is the two nodes it is between, either first: `S->G`.
    fn entry(&self, list: &[Value]) -> Option<usize> {
        let place = self.text.parse().ok().filter(|&at: &usize| at < list.len() && !self.quoted);
        place.or_else(|| list.iter().position(|entry| self.names(entry)))
    }

    fn names(&self, entry: &Value) -> bool {
        if let Some(name) = entry.get("name").and_then(Value::as_str) {
            return name == self.text;
        }
        let node = |at| entry.get("between").and_then(|nodes: &Value| nodes.get(at)).and_then(Value::as_str);
        match (node(0), node(1), self.text.split_once("->")) {
            (Some(one), Some(other), Some(ends)) => ends == (one, other) || ends == (other, one),
            _ => false,
        }
    }
}

/// "its entries are `0` to `2`, or by name: `f`, `g`, `h`" of a list.
fn entries(list: &[Value]) -> String {
    let node = |entry: &Value, at| Some(entry.get("between")?.get(at)?.as_str()?.to_owned());
    let name = |entry: &Value| match entry.get("name").and_then(Value::as_str) {
        Some(name) => Some(bare_or_quoted(name)),
        None => Some(format!("{}->{}", node(entry, 0)?, node(entry, 1)?)),
    };
    let numbers = match list.len() {
        0 => return "it has no entries".to_owned(),
        1 => "its only entry is `0`".to_owned(),
        count => format!("its entries are `0` to `{}`", count - 1),
    };
    let names: Vec<String> = list.iter().filter_map(name).collect();
    if names.is_empty() {
        numbers
    } else {
        format!("{numbers}, or by name: {}", listed(names.iter().map(String::as_str)))
    }
}

/// The key that names the variant of a rule with variants.
fn tag(rule: &str) -> Option<&'static str> {
    SenderPatch::tag(rule).or_else(|| ReceiverPatch::tag(rule))
}

/// Sets what stands at `path`; tables on the way to it are made.
fn assign(tree: &mut Value, path: &str, value: Value) -> Result<(), Problem> {
    let steps = steps(path)?;
    let mut place = tree;
    for (depth, step) in steps.iter().enumerate() {
        let here = || steps[..depth].iter().map(|step| bare_or_quoted(&step.text)).collect::<Vec<_>>().join(".");
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        // The name of a variant stands for a table.
        let rule = depth.checked_sub(1).and_then(|above| tag(&steps[above].text));
        if let (Value::String(name), Some(tag)) = (&*place, rule) {
            *place = json!({ tag: name });
        }
        place = match place {
            Value::Object(map) => map.entry(step.text.as_str()).or_insert(Value::Null),
            Value::Array(list) => {
                let known = entries(list);
                match step.entry(list).and_then(|index| list.get_mut(index)) {
                    Some(entry) => entry,
                    None => {
                        let what = format!("`{}` has no entry `{}` to set", here(), step.text);
                        return Err(Problem::at(path, what).help(known));
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

/// Splits `flow.0.sender`, `flow[0].sender` or `flow."a.b".sender` into its steps.
pub(super) fn steps(path: &str) -> Result<Vec<Step>, Problem> {
    let wrong = |what: &str| Err(Problem::at(Path::Root, format!("`{path}` {what}")));
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (text, after, quoted) = match rest.strip_prefix('"') {
            Some(inside) => match inside.split_once('"') {
                Some((text, after)) if after.is_empty() || after.starts_with(['.', '[', ']']) => (text, after, true),
                Some(_) => return wrong("is no path: after a name in quotes comes a dot, as in flow.\"a.b\".sender"),
                None => return wrong("is no path: a quote is not closed"),
            },
            None => {
                let (text, after) = rest.split_at(rest.find(['.', '[', ']']).unwrap_or(rest.len()));
                (text.trim(), after, false)
            }
        };
        steps.push(Step { text: text.to_owned(), quoted });
        let after = after.strip_prefix(']').unwrap_or(after);
        rest = after.strip_prefix(['.', '[']).unwrap_or(after);
        if rest.is_empty() && after.len() > rest.len() {
            steps.push(Step { text: String::new(), quoted: false });
        }
    }
    if steps.is_empty() || steps.len() > 20 || steps.iter().any(|step| step.text.is_empty()) {
        return wrong("is no path; write it as flow.0.sender.window");
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
            let found: Vec<String> = steps(path).unwrap().into_iter().map(|step| step.text).collect();
            assert_eq!(found, ["a", "0", "b"], "{path}");
        }
        for path in ["", ".", "a..b", "a.", ".a", "a.\"b", "a.\"b\"c"] {
            assert!(steps(path).is_err(), "{path}");
        }
    }

    #[test]
    fn what_stands_in_quotes_is_a_name() {
        let flows = json!({ "flow": [{ "name": "a.b=c" }, { "name": "0" }, { "name": "x" }] });
        let windows = |assignment: &str| {
            let mut overrides = Overrides::default();
            overrides.set(assignment).unwrap();
            let mut tree = flows.clone();
            overrides.apply(&mut tree).map(|()| {
                let flows = tree["flow"].as_array().unwrap().clone();
                flows.iter().position(|flow| flow.get("window") == Some(&json!(4))).unwrap()
            })
        };
        assert_eq!(windows("flow.\"a.b=c\".window=4"), Ok(0));
        assert_eq!(windows("flow[\"a.b=c\"].window=4"), Ok(0));
        assert_eq!(windows("flow.0.window=4"), Ok(0), "a bare number is a place");
        assert_eq!(windows("flow.\"0\".window=4"), Ok(1), "a quoted one is a name");
        assert_eq!(windows("flow.x.window=4"), Ok(2));
        for (assignment, part) in [
            ("flow.\"a.b.window=4", "a quote is not closed"),
            ("flow.\"a\"b.window=4", "after a name in quotes"),
            ("flow.a.b=c.window=4", "no entry `a`"),
            ("flow.\"2\".window=4", "no entry `2`"),
        ] {
            assert!(windows(assignment).unwrap_err().what.contains(part), "{assignment}");
        }
    }

    #[test]
    fn a_link_is_called_by_its_nodes() {
        let links = json!({ "link": [{ "between": ["S", "G"] }, { "between": ["G", "R.1"] }] });
        for (path, place) in [("link.S->G.rate", 0), ("link.G->S.rate", 0), ("link.\"R.1->G\".rate", 1)] {
            let mut tree = links.clone();
            assign(&mut tree, path, json!("1Mbps")).unwrap();
            assert_eq!(tree["link"][place]["rate"], "1Mbps", "{path}");
        }
        assert!(assign(&mut links.clone(), "link.S->R.rate", json!(1)).is_err());
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
            assert_eq!(read_value(text), Ok(value), "{text}");
        }
        for text in ["{policy=every}", "[1, 2", "{ policy = 'every'"] {
            assert!(read_value(text).unwrap_err().contains("stand in quotes"), "{text}");
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
