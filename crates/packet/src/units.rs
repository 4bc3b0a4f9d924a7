//! Units, written with their unit and never guessed: `"1.5Mbps"`, `"45ms"`, `"200kB"`.
//!
//! A decimal prefix shifts the decimal point before the one conversion to binary, so `"45ms"` is the double nearest
//! 0.045: the same value another program gets that reads `0.045`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Sub};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A sequence number, counted from 0 in the connection's *sequence units*.
///
/// A unit is one byte, or, in the papers' segment-counting world, one whole segment. SYN and FIN occupy one unit
/// each (RFC 9293 section 3.4). 64 bits never wrap here; captures truncate to the wire's 32.
pub type Seq = u64;

/// Why a text is not a quantity: says what was given and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError(String);

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnitError {}

/// A unit's spelling and its power of ten.
type Units = &'static [(&'static str, i32)];

/// Other spellings of units, as `tc`, iperf and people write them, and the spelling here.
const ALSO_WRITTEN: [(&str, &str); 30] = [
    ("bit", "bps"),
    ("bit/s", "bps"),
    ("b/s", "bps"),
    ("kbit", "kbps"),
    ("kbit/s", "kbps"),
    ("kb/s", "kbps"),
    ("Kbps", "kbps"),
    ("Mbit", "Mbps"),
    ("Mbit/s", "Mbps"),
    ("Mb/s", "Mbps"),
    ("Gbit", "Gbps"),
    ("Gbit/s", "Gbps"),
    // A bit has no thousandth, so `tc` takes these in either case.
    ("Kbit", "kbps"),
    ("Kbit/s", "kbps"),
    ("mbit", "Mbps"),
    ("mbit/s", "Mbps"),
    ("gbit", "Gbps"),
    ("gbit/s", "Gbps"),
    ("Gb/s", "Gbps"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("msec", "ms"),
    ("usec", "us"),
    ("\u{b5}s", "us"),
    ("\u{3bc}s", "us"),
    ("nsec", "ns"),
    ("bytes", "B"),
    ("KB", "kB"),
];

/// The spelling here of a unit.
fn canonical(unit: &str) -> &str {
    ALSO_WRITTEN.iter().find(|(there, _)| *there == unit).map_or(unit, |(_, here)| here)
}

/// Splits `text` into number and unit and converts once; `example` ends every error.
fn parse(text: &str, what: &str, units: Units, example: &str) -> Result<f64, UnitError> {
    if let Some(value) = plain(text, units) {
        return Ok(value);
    }
    let text = text.trim();
    let fail = |why: &str| Err(UnitError(format!("`{text}` {why}; write {what} as {example}")));
    let split = text.find(|c: char| c.is_alphabetic() && !is_exponent(text, c)).unwrap_or(text.len());
    let (number, unit) = (text[..split].trim(), text[split..].trim());
    if unit.is_empty() {
        return fail("has no unit");
    }
    let Some(&(_, shift)) = units.iter().find(|(name, _)| *name == canonical(unit)) else {
        // "5Mbs" is "5Mbps" with a letter left out, and "5M" with all of them.
        let letters = |name: &str| name.replace(['p', '/'], "");
        let prefix = |name: &str| name.strip_suffix("bps").is_some_and(|prefix| prefix.eq_ignore_ascii_case(unit));
        let near = units.iter().find(|(name, _)| letters(name).eq_ignore_ascii_case(&letters(unit)) || prefix(name));
        let known: Vec<_> = units.iter().map(|(name, _)| *name).collect();
        let is_rate = known.contains(&"Mbps");
        let also = if is_rate { "; also Mbit, Mb/s" } else { "" };
        let help = match near {
            // `tc` counts megabytes by `mbps`, and others write them `MB/s`.
            Some((name, _)) if is_rate && (unit.contains('B') || unit.starts_with(['m', 'g'])) => {
                format!(
                    "; did you mean `{name}`? It counts bits; if `{unit}` is of bytes, as in tc, write 8 times as many"
                )
            }
            Some((name, _)) => format!("; did you mean `{name}`?"),
            None => format!(" (known: {}{also})", known.join(", ")),
        };
        let missing = if number.is_empty() { "no number and " } else { "" };
        return fail(&format!("has {missing}an unknown unit `{unit}`{help}"));
    };
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.parse::<i32>().ok()),
        None => (number, Some(0)),
    };
    let value = exponent.and_then(|e| decimal(mantissa, e.saturating_add(shift)));
    match value {
        Some(v) if v.is_finite() && v.is_sign_positive() => Ok(v),
        Some(v) if v.is_finite() => fail("is negative"),
        _ => fail("is not a number with a unit"),
    }
}

/// The double nearest to `mantissa` times ten to the `exponent`, where the mantissa is a plain decimal number.
fn decimal(mantissa: &str, exponent: i32) -> Option<f64> {
    let plain = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    short(mantissa, exponent).or_else(|| format!("{mantissa}e{exponent}").parse().ok())
}

/// The value of a text such as `1.5Mbps`, a short number right before its unit; `None` for any other, right or wrong.
fn plain(text: &str, units: Units) -> Option<f64> {
    let (number, unit) = text.split_at(text.bytes().position(|byte| byte.is_ascii_alphabetic())?);
    let &(_, shift) = units.iter().find(|(name, _)| *name == unit)?;
    short(number, shift)
}

/// [`decimal`] of short numbers, as people write them. Up to 15 digits and a power of ten up to 22 are doubles without
/// error, so their product or quotient is rounded once, and to the nearest.
fn short(mantissa: &str, exponent: i32) -> Option<f64> {
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ];
    let (mut value, mut digits, mut point) = (0_u64, 0, None);
    for byte in mantissa.bytes() {
        match byte {
            b'0'..=b'9' if digits < 15 => {
                value = 10 * value + u64::from(byte - b'0');
                digits += 1;
            }
            b'.' if point.is_none() => point = Some(digits),
            _ => return None,
        }
    }
    let behind_point = point.map_or(0, |before| digits - before);
    let power = exponent.saturating_sub(behind_point);
    let factor = POWERS.get(power.unsigned_abs() as usize).filter(|_| digits > 0)?;
    Some(if power < 0 { value as f64 / factor } else { value as f64 * factor })
}

/// An `e` right between digits (`1e6bps`) belongs to the number.
fn is_exponent(text: &str, c: char) -> bool {
    let Some(at) = text.find(c) else { return false };
    matches!(c, 'e' | 'E')
        && text[..at].ends_with(|d: char| d.is_ascii_digit() || d == '.')
        && text[at + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '-' || d == '+')
}

/// An instant or a span of virtual time, in seconds.
///
/// A double on purpose: additions in one documented order give the same bits on every machine. In ns-2's order
/// they give the same bits as ns-2, which decides ties between events by them (docs/architecture.md, "Time").
///
/// ```
/// use acklab_packet::Time;
/// let rtt: Time = "45ms".parse().unwrap();
/// assert_eq!(rtt.secs(), 0.045);
/// assert!("45".parse::<Time>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Time(f64);

impl Time {
    /// The instant 0, or no time at all.
    pub const ZERO: Time = Time(0.0);
    /// Later than every instant a simulation reaches.
    pub const NEVER: Time = Time(f64::INFINITY);
    /// A minute is no power of ten: it is read apart, and stands here for the list of what is known.
    const UNITS: Units = &[("s", 0), ("ms", -3), ("us", -6), ("ns", -9), ("min", 0)];

    /// From seconds; any finite value at least 0 is meaningful.
    #[inline]
    pub const fn from_secs(secs: f64) -> Time {
        Time(secs)
    }

    /// In seconds.
    #[inline]
    pub const fn secs(self) -> f64 {
        self.0
    }

    /// Total order of non-negative times, as an integer (positive doubles order like their bits).
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0.to_bits()
    }
}

impl Eq for Time {}

#[allow(clippy::derive_ord_xor_partial_ord)]
impl Ord for Time {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Add for Time {
    type Output = Time;
    #[inline]
    fn add(self, other: Time) -> Time {
        Time(self.0 + other.0)
    }
}

impl Sub for Time {
    type Output = Time;
    #[inline]
    fn sub(self, other: Time) -> Time {
        Time(self.0 - other.0)
    }
}

/// A link's rate, in bits per second.
///
/// ```
/// use acklab_packet::Rate;
/// assert_eq!("1.5Mbps".parse::<Rate>().unwrap().bps(), 1.5e6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    const UNITS: Units = &[("bps", 0), ("kbps", 3), ("Mbps", 6), ("Gbps", 9)];

    /// From bits per second; positive and finite.
    pub const fn from_bps(bps: f64) -> Rate {
        Rate(bps)
    }

    /// In bits per second.
    #[inline]
    pub const fn bps(self) -> f64 {
        self.0
    }

    /// Time to serialise `size` bytes: 8 size / rate, multiplied before it is divided, as ns-2 does.
    #[inline]
    pub fn transmission(self, size: u32) -> Time {
        Time(8.0 * f64::from(size) / self.0)
    }
}

/// A number of bytes; 1 kB is 1000 bytes, 1 KiB is 1024.
///
/// ```
/// use acklab_packet::Bytes;
/// assert_eq!("200kB".parse::<Bytes>().unwrap().get(), 200_000);
/// assert_eq!("64KiB".parse::<Bytes>().unwrap().get(), 65_536);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(u64);

impl Bytes {
    const UNITS: Units = &[("B", 0), ("kB", 3), ("MB", 6), ("GB", 9), ("KiB", 0), ("MiB", 0), ("GiB", 0)];

    /// From a count.
    pub const fn new(bytes: u64) -> Bytes {
        Bytes(bytes)
    }

    /// The count.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl std::str::FromStr for Time {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let secs = match text.trim().strip_suffix("min") {
            Some(minutes) => parse(&format!("{minutes}s"), "a time", Self::UNITS, Self::EXAMPLE)? * 60.0,
            None => parse(text, "a time", Self::UNITS, Self::EXAMPLE)?,
        };
        // Sums and multiples of times stay finite, and a clock's double can hold them.
        match secs {
            secs if secs <= 1e12 => Ok(Time(secs)),
            _ => Err(UnitError(format!("`{text}` is longer than 1e12 s"))),
        }
    }
}

impl std::str::FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match parse(text, "a rate", Self::UNITS, Self::EXAMPLE)? {
            bps if bps > 0.0 => Ok(Rate(bps)),
            _ => Err(UnitError(format!("`{text}` is not positive; write a rate as {}", Self::EXAMPLE))),
        }
    }
}

impl std::str::FromStr for Bytes {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let value = parse(text, "a size", Self::UNITS, Self::EXAMPLE)?;
        let binary = match text.trim().trim_start_matches(|c: char| !c.is_alphabetic()) {
            "KiB" => 1024.0,
            "MiB" => 1024.0 * 1024.0,
            "GiB" => 1024.0 * 1024.0 * 1024.0,
            _ => 1.0,
        };
        match value * binary {
            bytes if bytes.fract() == 0.0 && bytes <= 9e15 => Ok(Bytes(bytes as u64)),
            bytes if bytes > 9e15 => Err(UnitError(format!("`{text}` is more than 9 PB"))),
            _ => Err(UnitError(format!("`{text}` is not a whole number of bytes"))),
        }
    }
}

/// `FromStr`, `Display` round trip and serde as a string, for each unit type.
macro_rules! text_unit {
    ($type:ident, $what:literal, $example:literal, $pattern:literal, $show:expr) => {
        impl $type {
            const EXAMPLE: &'static str = $example;
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let show: fn(&$type, &mut fmt::Formatter<'_>) -> fmt::Result = $show;
                show(self, f)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                struct Text;
                impl serde::de::Visitor<'_> for Text {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str(concat!($what, " such as ", $example))
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                input.deserialize_str(Text)
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                output.collect_str(self)
            }
        }
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "description": concat!($what, " such as ", $example), "pattern": $pattern })
            }
        }
    };
}

text_unit!(
    Time,
    "a time",
    "\"100ms\"",
    r"^[0-9.eE+-]+ *(s|ms|us|ns|min|secs?|seconds?|[mun]sec|[\u00b5\u03bc]s)$",
    |t, f| write!(f, "{}s", t.0)
);
text_unit!(
    Rate,
    "a rate",
    "\"1.5Mbps\"",
    r"^[0-9.eE+-]+ *(bps|[kKMG]bps|[kKmMgG]?bit(/s)?|[kMG]?b/s)$",
    |r, f| write!(f, "{}bps", r.0)
);
text_unit!(Bytes, "a size", "\"200kB\"", r"^[0-9.eE+-]+ *(B|bytes|[kK]B|MB|GB|KiB|MiB|GiB)$", |b, f| write!(
    f,
    "{}B",
    b.0
));

#[cfg(test)]
mod tests;
