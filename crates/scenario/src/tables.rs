//! Tables that mix rules with other keys: a flow's `sender` and `receiver`, and `[stack.NAME]`.
//!
//! serde's `flatten` neither refuses unknown keys nor is fast; these tables offer each key to the rule tables in turn.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use acklab_tcp::rules::{ReceiverPatch, SenderPatch, Stack};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Value, json};

/// A flow's `sender`.
#[derive(Clone, Debug, Default)]
pub(super) struct SenderTable {
    pub stack: Option<String>,
    pub rules: SenderPatch,
}

/// A flow's `receiver`.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiverTable {
    pub stack: Option<String>,
    pub rules: ReceiverPatch,
}

/// One `[stack.NAME]`: rules of both sides.
#[derive(Clone, Debug, Default)]
pub(super) struct StackTable {
    pub base: Option<String>,
    pub sender: SenderPatch,
    pub receiver: ReceiverPatch,
}

/// All of `[stack]`, in file order; a name may stand twice in JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct StackTables(pub Vec<(String, StackTable)>);

/// A table that takes its keys one by one.
trait Mixed: Default {
    /// Reads the value of `key`; false where the table has no such key.
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error>;
}

impl Mixed for SenderTable {
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        if key == "stack" { once(&mut self.stack, "stack", map) } else { self.rules.read(key, map) }
    }
}

impl Mixed for ReceiverTable {
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        if key == "stack" { once(&mut self.stack, "stack", map) } else { self.rules.read(key, map) }
    }
}

impl Mixed for StackTable {
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        if key == "base" {
            return once(&mut self.base, "base", map);
        }
        Ok(self.sender.read(key, map)? || self.receiver.read(key, map)?)
    }
}

impl Mixed for StackTables {
    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        self.0.push((key.to_owned(), map.next_value()?));
        Ok(true)
    }
}

/// Reads a key that may stand once.
fn once<'de, A: MapAccess<'de>>(place: &mut Option<String>, key: &'static str, map: &mut A) -> Result<bool, A::Error> {
    if place.is_some() {
        return Err(A::Error::duplicate_field(key));
    }
    *place = map.next_value()?;
    Ok(true)
}

struct Keys<T>(PhantomData<T>);

impl<'de, T: Mixed> Visitor<'de> for Keys<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut table = T::default();
        while let Some(Key(key)) = map.next_key()? {
            if !table.read(&key, &mut map)? {
                return Err(A::Error::unknown_field(&key, &[]));
            }
        }
        Ok(table)
    }
}

/// A key, borrowed from the text where it stands there unescaped.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E: Error>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        input.deserialize_str(Text)
    }
}

macro_rules! deserialize_mixed {
    ($($table:ty),+) => { $(
        impl<'de> Deserialize<'de> for $table {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                input.deserialize_map(Keys(PhantomData))
            }
        }
    )+ };
}
deserialize_mixed!(SenderTable, ReceiverTable, StackTable, StackTables);

/// The schema of rule tables together with one more key, which comes first.
fn with_key(key: &str, about: &str, default: Option<&str>, tables: &[Schema]) -> Schema {
    let mut properties = serde_json::Map::new();
    let mut entry = json!({ "type": "string", "description": about });
    if let Some(default) = default {
        entry["default"] = default.into();
    }
    properties.insert(key.to_owned(), entry);
    for table in tables {
        if let Some(Value::Object(rules)) = table.get("properties") {
            properties.extend(rules.clone());
        }
    }
    let mut schema = json_schema!({ "type": "object", "additionalProperties": false });
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

macro_rules! schema {
    ($table:ty, $name:literal, $make:expr) => {
        impl JsonSchema for $table {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let make: fn(&mut SchemaGenerator) -> Schema = $make;
                make(generator)
            }
        }
    };
}

/// The stacks that a scenario can name.
fn names() -> String {
    let built_in = Stack::ALL.map(|stack| format!("\"{}\"", stack.name())).join(", ");
    format!("{built_in}, or a [stack.NAME] of this file")
}

schema!(SenderTable, "SenderTable", |generator| {
    let about = format!("Stack the other rules are taken from: {}.", names());
    with_key("stack", &about, Some("rfc"), &[SenderPatch::json_schema(generator)])
});

schema!(ReceiverTable, "ReceiverTable", |generator| {
    let about = format!("Stack the other rules are taken from: {}; the sender's where left out.", names());
    with_key("stack", &about, None, &[ReceiverPatch::json_schema(generator)])
});

schema!(StackTable, "StackTable", |generator| {
    let about = format!("Stack this one is derived from: {}.", names());
    let tables = [SenderPatch::json_schema(generator), ReceiverPatch::json_schema(generator)];
    with_key("base", &about, Some("rfc"), &tables)
});

schema!(StackTables, "StackTables", |generator| {
    let table = generator.subschema_for::<StackTable>();
    json_schema!({ "type": "object", "additionalProperties": table })
});
