//! How much may wait, written as a size or as a time at a rate.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use acklab_packet::{Bytes, Rate, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::values::{Checked, Wrong, quoted};

/// Most bytes of a buffer, however it is written.
const MAX_BYTES: u64 = 9_000_000_000_000_000;

/// How much may wait: so many bytes, or what a link sends in a time.
///
/// ```
/// use acklab_packet::Rate;
/// use acklab_path::Buffer;
/// let buffer: Buffer = "40ms".parse().unwrap();
/// assert_eq!(buffer.at(Rate::from_bps(50e6)).get(), 250_000);
/// assert_eq!("250kB".parse::<Buffer>().unwrap().at(Rate::from_bps(1e6)).get(), 250_000);
/// assert!("40".parse::<Buffer>().unwrap_err().contains("a time as \"40ms\""));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Buffer {
    /// A size, written `"250kB"`.
    Size(Bytes),
    /// What the link sends in a time, written `"40ms"`.
    Time(Time),
}

impl Buffer {
    /// So many bytes.
    pub const fn bytes(bytes: u64) -> Buffer {
        Buffer::Size(Bytes::new(bytes))
    }

    /// In bytes, before a link of `rate`: a time to the nearest byte.
    pub fn at(self, rate: Rate) -> Bytes {
        match self {
            Buffer::Size(bytes) => bytes,
            Buffer::Time(time) => Bytes::new((time.secs() * rate.bps() / 8.0).round() as u64),
        }
    }

    /// Makes bytes of a time, at the link's `rate`. `key` is the buffer's.
    pub(crate) fn count(&mut self, key: &str, rate: Option<Rate>) -> Checked {
        let Buffer::Time(time) = *self else { return Ok(()) };
        let wrong = |what: &str| Err(Wrong::at(key, what).given(quoted(time)));
        let Some(rate) = rate else {
            return wrong("must be a size such as \"200kB\": a wireless medium has no rate by which a time is counted");
        };
        // No rate in the messages: what the return direction takes over is wrong once.
        match self.at(rate).get() {
            0 => wrong("must be at least the time that the link needs for a byte"),
            bytes if bytes > MAX_BYTES => wrong("must be at most 9 PB at the link's rate"),
            bytes => {
                *self = Buffer::bytes(bytes);
                Ok(())
            }
        }
    }
}

impl FromStr for Buffer {
    type Err = String;

    fn from_str(text: &str) -> Result<Buffer, String> {
        const TIMES: [&str; 5] = ["s", "ms", "us", "ns", "min"];
        let unit = text.trim_start_matches(|c: char| !c.is_alphabetic()).trim();
        let time = text.parse::<Time>();
        if let Ok(time) = time {
            return Ok(Buffer::Time(time));
        }
        match (time, text.parse::<Bytes>()) {
            (_, Ok(bytes)) => Ok(Buffer::Size(bytes)),
            (Err(error), _) if TIMES.iter().any(|name| name.eq_ignore_ascii_case(unit)) => {
                Err(format!("{error}, or a size as \"200kB\""))
            }
            (_, Err(error)) => Err(format!("{error}, or a time as \"40ms\"")),
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Buffer::Size(bytes) => bytes.fmt(f),
            Buffer::Time(time) => time.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for Buffer {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Buffer, D::Error> {
        struct Text;
        impl serde::de::Visitor<'_> for Text {
            type Value = Buffer;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"200kB\", or a time such as \"40ms\"")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Buffer, E> {
                text.parse().map_err(E::custom)
            }
        }
        input.deserialize_str(Text)
    }
}

impl Serialize for Buffer {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

impl JsonSchema for Buffer {
    fn schema_name() -> Cow<'static, str> {
        "Buffer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let pattern = |schema: Schema| schema.as_value()["pattern"].as_str().unwrap_or_default().to_owned();
        let (size, time) = (pattern(Bytes::json_schema(generator)), pattern(Time::json_schema(generator)));
        json_schema!({
            "type": "string",
            "description": "a size such as \"200kB\", or a time such as \"40ms\" at the link's rate",
            "pattern": format!("{size}|{time}"),
        })
    }
}
