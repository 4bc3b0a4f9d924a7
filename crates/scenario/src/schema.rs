//! The scenario's description for editors and documentation.

use std::sync::LazyLock;

use acklab_tcp::rules::{RuleRow, Stack};
use schemars::transform::transform_subschemas;
use schemars::{Schema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::Value;

use super::file::File;

/// The JSON Schema of scenarios (draft 2020-12): every key with its meaning, and which values it may take.
///
/// ```
/// let schema = acklab_scenario::schema();
/// assert_eq!(schema["properties"]["seed"]["type"], "integer");
/// assert!(schema["$defs"]["SenderTable"]["properties"]["dup_thresh"]["description"].is_string());
/// ```
pub fn schema() -> Value {
    SCHEMA.clone()
}

pub(super) static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let generator = SchemaSettings::draft2020_12().with_transform(leave_out_null).into_generator();
    generator.into_root_schema_for::<File>().to_value()
});

/// Says "may be left out" by leaving it out of `required` only, not also as "may be null" (which no TOML can say).
fn leave_out_null(schema: &mut Schema) {
    transform_subschemas(&mut leave_out_null, schema);
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
        forms.retain(|form| form.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = forms.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            let object = schema.ensure_object();
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
}

/// One rule, and its value in every stack.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StackRow {
    /// `sender` or `receiver`.
    pub side: &'static str,
    /// The key a scenario uses; a parameter's stands behind its rule's, with a dot.
    pub rule: String,
    /// What the rule decides.
    pub about: &'static str,
    /// Stack and value, oldest stack first; empty where a stack's variant has no such parameter, or its default.
    pub values: Vec<(&'static str, String)>,
}

/// Every rule of every stack, in the order of the rule tables.
///
/// ```
/// let rows = acklab_scenario::stack_table();
/// let tick = rows.iter().find(|row| row.rule == "tick").unwrap();
/// assert_eq!(tick.values[0], ("ns2-1998", "0.1s".to_owned()));
/// ```
pub fn stack_table() -> Vec<StackRow> {
    let side = |side: &'static str, rows: fn(Stack) -> Vec<RuleRow>| {
        let tables = Stack::ALL.map(|stack| (stack.name(), rows(stack)));
        let rules = tables[0].1.len();
        (0..rules).flat_map(move |at| {
            let of = |rule: String, about, value: &dyn Fn(&RuleRow) -> String| StackRow {
                side,
                rule,
                about,
                values: tables.iter().map(|(stack, rows)| (*stack, value(&rows[at]))).collect(),
            };
            let whole = &tables[0].1[at];
            let mut found = vec![of(whole.name.to_owned(), whole.doc, &|row| row.value.clone())];
            for &(name, about, _) in tables.iter().flat_map(|(_, rows)| &rows[at].parameters) {
                let rule = format!("{}.{name}", whole.name);
                if found.iter().all(|row| row.rule != rule) {
                    let value =
                        |row: &RuleRow| row.parameters.iter().find(|one| one.0 == name).map(|one| one.2.clone());
                    found.push(of(rule, about, &|row| value(row).unwrap_or_default()));
                }
            }
            found
        })
    };
    let mut table: Vec<_> = side("sender", |stack| stack.sender().rows()).collect();
    table.extend(side("receiver", |stack| stack.receiver().rows()));
    // Not a rule of the stack: receivers of every stack follow their sender here.
    for row in table.iter_mut().filter(|row| row.rule == "sack") {
        row.values.iter_mut().for_each(|(_, value)| *value = "as the sender's recovery".to_owned());
    }
    table
}

/// [`stack_table`] as a Markdown table.
pub fn stack_table_markdown() -> String {
    let mut text = String::from("| side | rule |");
    Stack::ALL.iter().for_each(|stack| text += &format!(" {} |", stack.name()));
    text += " what it decides |\n|---|---|";
    text += &"---|".repeat(Stack::ALL.len() + 1);
    for row in stack_table() {
        text += &format!("\n| {} | `{}` |", row.side, row.rule);
        row.values.iter().for_each(|(_, value)| text += &format!(" {value} |"));
        text += &format!(" {} |", row.about);
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every schema below `value`, with the place where it stands.
    fn walk(value: &Value, place: String, visit: &mut impl FnMut(&str, &Value)) {
        visit(&place, value);
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| walk(value, format!("{place}/{key}"), visit)),
            Value::Array(list) => list.iter().for_each(|value| walk(value, format!("{place}/*"), visit)),
            _ => {}
        }
    }

    #[test]
    fn every_key_is_explained_and_every_table_closed() {
        walk(&schema(), String::new(), &mut |place, value| {
            let Some(properties) = value.get("properties").and_then(Value::as_object) else { return };
            for (key, schema) in properties {
                let explained = schema.get("description").is_some() || schema.get("const").is_some();
                // A form distinguished by its only key is explained as a whole.
                let only = properties.len() == 1 && value.get("description").is_some();
                assert!(explained || only, "{place}/{key}: {schema}");
            }
            assert_eq!(value["additionalProperties"], false, "{place}");
        });
    }

    #[test]
    fn no_null_is_left() {
        walk(&schema(), String::new(), &mut |place, value| assert!(!value.is_null() && value != "null", "{place}"));
    }

    #[test]
    fn a_neutral_value_is_a_value_or_a_way_to_make_one() {
        let mut found = 0;
        walk(&schema(), String::new(), &mut |place, value| {
            let Some(neutral) = value.get("neutral") else { return };
            let ways = ["absent", "mean", "drop-tail", "none"];
            let by = neutral["by"].as_str().is_some_and(|way| ways.contains(&way));
            assert!(
                neutral.as_object().is_some_and(|one| one.len() == 1) && (by || neutral.get("value").is_some()),
                "{place}"
            );
            found += 1;
        });
        assert!(found > 30, "{found}");
    }

    #[test]
    fn the_table_of_stacks_is_complete() {
        let rows = stack_table();
        let rules = acklab_tcp::rules::SenderPatch::NAMES.len() + acklab_tcp::rules::ReceiverPatch::NAMES.len();
        assert_eq!(rows.iter().filter(|row| !row.rule.contains('.')).count(), rules);
        assert!(rows.iter().all(|row| !row.about.is_empty() && row.values.len() == Stack::ALL.len()));
        assert_eq!(stack_table_markdown().lines().count(), rows.len() + 2);
    }
}
