//! A link's rate as a scenario writes it.

use acklab_packet::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::VaryingRate;
use crate::values::{Checked, must, quoted};

/// The parameters that all varying rates share, as a scenario writes them.
pub trait ServerParams {
    /// The one number of a link's row: of rates that differ the largest, of a recorded link the mean.
    fn rate(&self) -> Rate;
    /// The rate by which a buffer written as a time is counted.
    fn of_buffers(&self) -> Rate {
        self.rate()
    }
    /// Says what is wrong.
    fn check(&mut self) -> Checked {
        Ok(())
    }
}

/// Refuses a rate at which a transmission takes longer than any run, or less than a clock's double can tell.
pub fn check_rate(key: &str, rate: Rate) -> Checked {
    must((1.0..=1e15).contains(&rate.bps()), key, "must be from 1bps to 1e6Gbps", quoted(rate))
}

/// A link's rate, as written under `rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RateSpec {
    /// Always the same, such as `"1.5Mbps"`.
    Constant(Rate),
    /// As a table says.
    Varying(VaryingRate),
}

impl RateSpec {
    /// The rate by which a buffer written as a time is counted ([`ServerParams::of_buffers`]).
    pub fn of_buffers(&self) -> Rate {
        match self {
            RateSpec::Constant(rate) => *rate,
            RateSpec::Varying(varying) => varying.of_buffers(),
        }
    }

    /// [`ServerParams::rate`], and how it varies.
    pub fn parts(self) -> (Rate, Option<VaryingRate>) {
        match self {
            RateSpec::Constant(rate) => (rate, None),
            RateSpec::Varying(varying) => (varying.rate(), Some(varying)),
        }
    }
}
