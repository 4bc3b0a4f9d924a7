//! The many small rules in which TCP stacks differ, as data.
//!
//! A *stack* is a named table of these rules ([`Stack`]); a scenario may override any of them by name. The machines
//! read the table and fork on nothing else: there is one copy of every rule's code.

/// Functions that give a parameter's default, as serde wants them.
macro_rules! defaults {
    ($($name:ident: $type:ty = $value:expr;)+) => { $(fn $name() -> $type { $value })+ };
}

mod acks;
mod choices;
mod control;
mod credits;
mod division;
mod estimates;
mod linux;
mod parameters;
mod receiver;
mod sender;
mod stack;

pub use acks::*;
pub use choices::*;
pub use control::*;
pub use credits::*;
pub use division::*;
pub use estimates::*;
pub use parameters::Parameters;
pub use receiver::{ReceiverPatch, ReceiverRules};
pub use sender::{SenderPatch, SenderRules};
pub use stack::Stack;

/// One row of a rule table, for the reference documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleRow {
    /// The key a scenario uses.
    pub name: &'static str,
    /// What the rule decides, from its docstring.
    pub doc: &'static str,
    /// The table's value, as shown to people.
    pub value: String,
}

/// A rule with a value its table does not allow.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfRange {
    /// The key a scenario uses.
    pub name: &'static str,
    /// What was given.
    pub value: String,
    /// The range allowed, both ends included.
    pub allowed: &'static str,
}

/// A table of rules, the same table with every rule optional (what a scenario overrides), and its documentation.
///
/// A number may be followed by the values a scenario may give it: `dup_thresh: u32 [1..=1_000_000]`.
macro_rules! rule_table {
    ($(#[$meta:meta])* $rules:ident, $patch:ident {
        $($(#[doc = $doc:literal])+ $name:ident : $type:ty $([$min:literal ..= $max:literal])?,)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $rules { $($(#[doc = $doc])+ pub $name: $type,)+ }

        #[doc = concat!("Overrides for [`", stringify!($rules), "`]: what is `None` keeps the stack's value.")]
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $patch { $(
            $(#[doc = $doc])+
            #[serde(skip_serializing_if = "Option::is_none")]
            $(#[schemars(range(min = $min, max = $max))])?
            pub $name: Option<$type>,
        )+ }

        impl $patch {
            /// Every rule's name, in the table's order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The patch that fixes every rule at its value in `rules`.
            pub fn complete(rules: &$rules) -> $patch {
                $patch { $($name: Some(rules.$name.clone()),)+ }
            }

            /// Writes every overridden rule into `rules`.
            pub fn apply(&self, rules: &mut $rules) {
                $(if let Some(value) = &self.$name { rules.$name = value.clone(); })+
            }

            /// Takes over from `other` what this patch leaves open.
            pub fn or(&mut self, other: &$patch) {
                $(if self.$name.is_none() { self.$name.clone_from(&other.$name); })+
            }

            /// Reads the value that follows the key `name` of a table in which the rules stand among other keys;
            /// false, with nothing read, where no rule has that name.
            pub fn read<'de, A: serde::de::MapAccess<'de>>(&mut self, name: &str, table: &mut A) -> Result<bool, A::Error> {
                match name {
                    $(stringify!($name) => {
                        if self.$name.is_some() {
                            return Err(serde::de::Error::duplicate_field(stringify!($name)));
                        }
                        self.$name = table.next_value()?;
                    })+
                    _ => return Ok(false),
                }
                Ok(true)
            }

            /// The first rule whose value is not among those its table allows.
            pub fn out_of_range(&self) -> Option<crate::rules::OutOfRange> {
                $($(if let Some(value) = self.$name {
                    if !(f64::from($min)..=f64::from($max)).contains(&f64::from(value)) {
                        let (value, allowed) = (value.to_string(), concat!($min, " to ", $max));
                        return Some(crate::rules::OutOfRange { name: stringify!($name), value, allowed });
                    }
                })?)+
                None
            }
        }

        impl $rules {
            /// The table, row by row, as the documentation prints it.
            pub fn rows(&self) -> Vec<crate::rules::RuleRow> {
                vec![$(crate::rules::RuleRow {
                    name: stringify!($name),
                    doc: concat!($($doc),+).trim_ascii_start(),
                    value: crate::rules::Shown::shown(&self.$name),
                }),+]
            }
        }
    };
}
use rule_table;

/// How a rule's value is shown in tables.
trait Shown {
    fn shown(&self) -> String;
}

macro_rules! shown_by_display {
    ($($type:ty),+) => { $(impl Shown for $type { fn shown(&self) -> String { self.to_string() } })+ };
}
shown_by_display!(bool, u32, f64, acklab_packet::Time);
