//! The error of a run that cannot go on.

use std::fmt;

/// Why a run cannot go on, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotGoOn(String);

impl CannotGoOn {
    pub(crate) fn new(why: String) -> CannotGoOn {
        CannotGoOn(why)
    }
}

impl fmt::Display for CannotGoOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CannotGoOn {}
