//! Results as JSON: what serde writes of them, byte for byte, for fewer instructions.
//!
//! A batch writes a hundred keys a run, all of them known: [`object!`](crate::json::object) quotes and separates them when
//! it is compiled. Values that are not plain are serde's work.

use serde::Serialize;

/// What is written as one value.
pub trait Value {
    /// Appends it to a text of JSON.
    fn write(&self, out: &mut Vec<u8>);
}

/// Writes an object of these fields, at least one, into a `&mut Vec<u8>`.
///
/// ```
/// use acklab_sim::json;
/// let mut out = Vec::new();
/// json::object!(&mut out, { size: 3_u64, name: "T1 \"new\"", loss: None::<f64> });
/// assert_eq!(out, br#"{"size":3,"name":"T1 \"new\"","loss":null}"#);
/// ```
#[doc(inline)]
pub use crate::__json_object as object;

#[doc(hidden)]
#[macro_export]
macro_rules! __json_object {
    ($out:expr, { $($name:ident: $value:expr),+ $(,)? }) => {{
        let out: &mut Vec<u8> = &mut *$out;
        let first = out.len();
        $(
            out.extend_from_slice(concat!(",\"", stringify!($name), "\":").as_bytes());
            $crate::json::Value::write(&$value, out);
        )+
        out[first] = b'{';
        out.push(b'}');
    }};
}

/// Has serde write a value.
fn serde(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("memory takes every number and text");
}

impl Value for f64 {
    fn write(&self, out: &mut Vec<u8>) {
        match self.to_bits() {
            0 => out.extend_from_slice(b"0.0"),
            _ => serde(self, out), // null where it is no number
        }
    }
}

impl Value for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            0..=9 => out.push(b'0' + *self as u8),
            _ => serde(self, out),
        }
    }
}

impl Value for u32 {
    fn write(&self, out: &mut Vec<u8>) {
        u64::from(*self).write(out);
    }
}

impl Value for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

impl Value for str {
    fn write(&self, out: &mut Vec<u8>) {
        serde(self, out);
    }
}

impl Value for String {
    fn write(&self, out: &mut Vec<u8>) {
        self.as_str().write(out);
    }
}

impl<T: Value + ?Sized> Value for &T {
    fn write(&self, out: &mut Vec<u8>) {
        (**self).write(out);
    }
}

impl<T: Value> Value for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.write(out),
            None => out.extend_from_slice(b"null"),
        }
    }
}

impl Value for (u64, u64) {
    fn write(&self, out: &mut Vec<u8>) {
        list([self.0, self.1], out);
    }
}

impl<T: Value> Value for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        list(self, out);
    }
}

/// Writes a list.
pub fn list<T: Value>(values: impl IntoIterator<Item = T>, out: &mut Vec<u8>) {
    let first = out.len();
    for value in values {
        out.push(b',');
        value.write(out);
    }
    match out.get_mut(first) {
        Some(comma) => *comma = b'[',
        None => out.push(b'['), // there was none
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways to write a value.
    fn both(value: &(impl Value + Serialize)) -> (String, String) {
        let mut out = Vec::new();
        value.write(&mut out);
        (String::from_utf8(out).unwrap(), serde_json::to_string(value).unwrap())
    }

    #[test]
    fn values_are_written_as_serde_writes_them() {
        let mut draw = 1_u64;
        for size in (0..64).cycle().take(10_000) {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let whole = draw >> size;
            let (ours, serdes) = both(&whole);
            assert_eq!(ours, serdes);
            for number in [f64::from_bits(whole), whole as f64, whole as f64 / 1000.0] {
                let (ours, serdes) = both(&vec![number, -number]);
                assert_eq!(ours, serdes);
            }
        }
        let odd = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX, 1e16, 1e-7];
        for (ours, serdes) in [
            both(&odd.to_vec()),
            both(&vec!["", "S", "a \"name\"", "\u{1}\n\\ \u{e9}\u{1f600}"]),
            both(&vec![Some(1_u32), None, Some(10)]),
            both(&vec![(1_u64, u64::MAX)]),
            both(&Vec::<f64>::new()),
            both(&vec![true, false]),
        ] {
            assert_eq!(ours, serdes);
        }
    }

    #[test]
    fn an_outcome_is_written_as_serde_writes_it() {
        let text = "stop.at = '2s'\nrecord.queue = true\n[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n\
                    [[flow]]\nfrom = 'S'\nto = 'R'\ncount = 2\nsize = { segments = 9 }\n\
                    [[flow]]\nfrom = 'R'\nto = 'S'\nsource = { kind = 'udp', rate = '1kbps' }\n";
        let scenario = crate::scenario::parse_toml(text, "t").unwrap();
        let outcome = crate::Simulation::new(scenario.into()).run();
        for outcome in [outcome, crate::Outcome::default()] {
            let (ours, serdes) = both(&outcome);
            assert_eq!(ours, serdes);
        }
    }
}
