//! The rules in which TCP stacks differ, as data.
//!
//! A *stack* is a named table of rules ([`Stack`]). A scenario may override each of them. The machines read the table and
//! nothing else, so each rule's code exists once. A rule with parameters is a choice between variants ([`Variants`]): a
//! parameter stands in the variant that reads it.

mod acks;
mod choices;
mod control;
mod credits;
mod division;
mod estimates;
mod parameters;
mod quic_stacks;
mod receiver;
mod recovery;
mod sender;
mod sending;
mod stack;
mod variants;

pub use acks::*;
pub use choices::*;
pub use control::*;
pub use credits::*;
pub use division::*;
pub use estimates::*;
pub use parameters::Parameters;
pub use receiver::{ReceiverPatch, ReceiverRules};
pub use recovery::*;
pub use sender::{SenderPatch, SenderRules};
pub use sending::*;
pub use stack::Stack;
pub use variants::{Patch, Preset, Rule, Variants, named};

/// One row of a rule table, for the reference documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleRow {
    /// The key a scenario uses.
    pub name: &'static str,
    /// What the rule decides, from its docstring.
    pub doc: &'static str,
    /// The table's value, as shown to people.
    pub value: String,
    /// Parameters that are not at their defaults: name, sentence, value.
    pub parameters: Vec<(&'static str, &'static str, String)>,
}

/// A rule, and a value that it cannot have.
pub type Wrong = (&'static str, serde_json::Value);

/// A table of rules, the same table with every rule optional (what a scenario overrides), and its documentation.
///
/// A number may be followed by the values a scenario may give it: `dup_thresh: u32 [1..=1_000_000]`. `#[neutral(value = ...)]` is the value
/// without the mechanism, `#[neutral(by = "none")]` says that there is none; both stand in the schema.
macro_rules! rule_table {
    ($(#[$meta:meta])* $rules:ident, $patch:ident {
        $($(#[doc = $doc:literal])+ $(#[neutral($how:ident = $neutral:expr)])? $name:ident : $type:ty $([$min:literal ..= $max:literal])?,)+
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
            $(#[schemars(extend("neutral" = { stringify!($how): $neutral }))])?
            pub $name: Option<<$type as crate::rules::Rule>::Given>,
        )+ }

        impl $patch {
            /// Every rule's name, in the table's order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The key that names the variant in a table of the rule `name`, if it has variants.
            pub fn tag(name: &str) -> Option<&'static str> {
                match name { $(stringify!($name) => <$type as crate::rules::Rule>::TAG,)+ _ => None }
            }

            /// The patch that gives every rule its value in `rules`.
            pub fn complete(rules: &$rules) -> $patch {
                $patch { $($name: Some(crate::rules::Rule::in_full(&rules.$name)),)+ }
            }

            /// Writes every overridden rule into `rules`.
            ///
            /// # Errors
            /// The first rule that results in a value outside its range, or with parameters that its variant does not have.
            pub fn apply(&self, rules: &mut $rules) -> Result<(), crate::rules::Wrong> {
                $(if let Some(given) = &self.$name {
                    crate::rules::Rule::take(&mut rules.$name, given).map_err(|wrong| (stringify!($name), wrong))?;
                })+
                $($(if !(f64::from($min)..=f64::from($max)).contains(&f64::from(rules.$name)) {
                    let value = serde_json::json!(rules.$name);
                    // JSON has no NaN.
                    let value = if value.is_null() { rules.$name.to_string().into() } else { value };
                    return Err((stringify!($name), value));
                })?)+
                Ok(())
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
        }

        impl $rules {
            /// The table, row by row, as the documentation prints it.
            pub fn rows(&self) -> Vec<crate::rules::RuleRow> {
                vec![$(crate::rules::RuleRow {
                    name: stringify!($name),
                    doc: concat!($($doc),+).trim_ascii_start(),
                    value: crate::rules::Shown::shown(&self.$name),
                    parameters: crate::rules::Shown::parameters(&self.$name),
                }),+]
            }
        }
    };
}
use rule_table;

/// How a rule's value is shown in tables.
trait Shown {
    fn shown(&self) -> String;
    /// Parameters that are not at their defaults: name, sentence, value.
    fn parameters(&self) -> Vec<(&'static str, &'static str, String)> {
        Vec::new()
    }
}

macro_rules! shown_by_display {
    ($($type:ty),+) => { $(impl Shown for $type { fn shown(&self) -> String { self.to_string() } })+ };
}
shown_by_display!(bool, u32, f64, acklab_packet::Time, String);

impl Shown for Parameters {
    fn shown(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

/// Rules whose value a scenario gives as a whole.
macro_rules! plain_rules {
    ($($type:ty),+) => { $(
        impl crate::rules::Rule for $type {
            type Given = $type;
            const TAG: Option<&'static str> = None;
            fn take(&mut self, given: &$type) -> Result<(), serde_json::Value> {
                *self = *given;
                Ok(())
            }
            fn in_full(&self) -> $type {
                *self
            }
        }
    )+ };
}
use plain_rules;
plain_rules!(bool, u32, f64, acklab_packet::Time);

impl SenderRules {
    /// True if the control itself counts acknowledged segments until the window grows; its credit
    /// ([`CreditKind::SegmentCounter`]) then counts none.
    pub fn counts_segments(&self) -> bool {
        use ControlKind::{Cubic, Dctcp, Reno, Vegas, Veno, Westwood};
        let linux = self.controls == Controls::Linux && self.credit == CreditKind::SegmentCounter {};
        match self.control {
            Cubic { .. } => true,
            Dctcp { form: DctcpForm::Stack, .. } | Reno { .. } | Vegas { .. } | Veno { .. } | Westwood { .. } => linux,
            _ => false,
        }
    }
}
