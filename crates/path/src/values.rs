//! The values of a part's parameters: what is wrong with them, and which need not be written.

use std::fmt::Display;

use acklab_packet::{Bytes, Time};

/// A mistake in the parameters of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The key, below the parameters' own; empty if no single key is wrong.
    pub key: String,
    /// The values that are allowed.
    pub what: String,
    /// The value, as a scenario writes it.
    pub given: Option<String>,
}

/// The result of a check of parameters.
pub type Checked = Result<(), Wrong>;

impl Wrong {
    /// `what` is wrong with `key`.
    pub fn at(key: impl Into<String>, what: impl Into<String>) -> Wrong {
        Wrong { key: key.into(), what: what.into(), given: None }
    }

    /// Shows the value.
    pub fn given(self, value: impl Display) -> Wrong {
        Wrong { given: Some(value.to_string()), ..self }
    }

    /// The same of parameters that stand under `key`.
    pub fn below(self, key: &str) -> Wrong {
        let dot = if self.key.is_empty() { "" } else { "." };
        Wrong { key: format!("{key}{dot}{}", self.key), ..self }
    }
}

/// Refuses `key` with the value `given` unless it is `allowed`; `what` says what would be.
pub(crate) fn must(allowed: bool, key: &str, what: &str, given: impl Display) -> Checked {
    if allowed { Ok(()) } else { Err(Wrong::at(key, what).given(given)) }
}

/// Refuses a number below `least`.
pub(crate) fn at_least(least: u64, key: &str, value: u64) -> Checked {
    must(value >= least, key, &format!("must be at least {least}"), value)
}

/// Refuses a number outside a range.
pub(crate) fn within(least: u64, most: u64, key: &str, value: impl Into<u64>) -> Checked {
    let value = value.into();
    must((least..=most).contains(&value), key, &format!("must be from {least} to {most}"), value)
}

/// Refuses no time.
pub(crate) fn some_time(key: &str, time: Time) -> Checked {
    must(time > Time::ZERO, key, "must be longer than 0s", quoted(time))
}

/// One of a rate and a list, by which packets are chosen; the list sorted, each number once.
pub(crate) fn chosen(rate: Option<f64>, list: &mut Option<Vec<u64>>) -> Checked {
    match (rate, list) {
        (Some(_), Some(_)) => Err(Wrong::at("", "has both `rate` and `list`; give one of them")),
        (None, None) => Err(Wrong::at("", "has neither `rate` nor `list`; write rate = 0.01, or list = [15, 19]")),
        (Some(rate), None) => probability("rate", rate),
        (None, Some(list)) => {
            sort(list);
            Ok(())
        }
    }
}

/// Refuses what is no probability.
pub(crate) fn probability(key: &str, value: f64) -> Checked {
    must((0.0..=1.0).contains(&value), key, "must be a probability from 0 to 1", value)
}

/// Sorts the numbers of packets, each once.
pub(crate) fn sort(list: &mut Vec<u64>) {
    list.sort_unstable();
    list.dedup();
}

/// A value that a scenario writes as a text, as messages show it.
pub(crate) fn quoted(value: impl Display) -> String {
    format!("\"{value}\"")
}

/// For serde's `default`: a number, bytes, a time in microseconds, `true`.
pub(crate) fn number<T: From<u32>, const N: u32>() -> T {
    T::from(N)
}

pub(crate) fn bytes<const N: u64>() -> Bytes {
    Bytes::new(N)
}

pub(crate) fn micros<const N: u32>() -> Time {
    Time::from_secs(f64::from(N) / 1e6)
}

pub(crate) fn yes() -> bool {
    true
}

/// For serde's `skip_serializing_if`.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Declares how a scenario writes the parts of one seam: an enumeration with a variant for the parameters of each kind, and one for
/// a program's own. It derefs to what all parameters have in common.
macro_rules! kinds {
    ($(#[$about:meta])* pub enum $spec:ident as $common:path { $($name:ident($params:ty),)+ } $(or $own:ty)?) => {
        $(#[$about])*
        #[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
        #[allow(missing_docs)]
        pub enum $spec {
            $($name($params),)+
            $(/// A program's own (`crates/path/tests/own.rs`); no file can say it.
            #[serde(skip)]
            Custom($own),)?
        }

        impl std::ops::Deref for $spec {
            type Target = dyn $common;
            fn deref(&self) -> &Self::Target {
                match self {
                    $($spec::$name(params) => params,)+
                    $($spec::Custom(own) => own as &$own,)?
                }
            }
        }

        impl std::ops::DerefMut for $spec {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $($spec::$name(params) => params,)+
                    $($spec::Custom(own) => own as &mut $own,)?
                }
            }
        }
    };
}
pub(crate) use kinds;
