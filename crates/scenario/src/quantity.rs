//! Quantities that a scenario writes as texts, read by the types that hold them.

use acklab_packet::{Bytes, Rate, Time};
use acklab_path::Buffer;
use serde_json::Value;

/// A quantity reads itself, and its own error is the best there is; a bare number is one without unit.
pub(super) fn unit(schema: &Value, value: &Value) -> Option<Result<(), String>> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    fn read<T: std::str::FromStr<Err: ToString>>(text: &str) -> Result<(), String> {
        text.parse::<T>().map(drop).map_err(|error| error.to_string())
    }
    match schema.get("$ref")?.as_str()? {
        "#/$defs/Time" => Some(read::<Time>(&text)),
        "#/$defs/Rate" => Some(read::<Rate>(&text)),
        "#/$defs/Bytes" => Some(read::<Bytes>(&text)),
        "#/$defs/Buffer" => Some(read::<Buffer>(&text)),
        _ => None,
    }
}
