//! Parameters of an algorithm that a program supplies: any keys, plain values.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Values by name, as the scenario has them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Value>")]
pub struct Parameters(pub BTreeMap<String, Value>);

impl TryFrom<BTreeMap<String, Value>> for Parameters {
    type Error = String;

    /// Null is refused, because TOML cannot express it.
    fn try_from(values: BTreeMap<String, Value>) -> Result<Parameters, String> {
        let null = values.iter().find(|(_, value)| value.is_null());
        null.map_or(Ok(()), |(key, _)| Err(format!("`{key}` is null; leave the key out"))).map(|()| Parameters(values))
    }
}

impl JsonSchema for Parameters {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Parameters".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": {} })
    }
}
