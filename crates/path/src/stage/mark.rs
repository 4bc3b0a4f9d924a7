//! Marks at a given share, whatever the load: some packets get the mark that an early queue would set (CE, RFC 3168).

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::{Passing, Reissue, Stage, StageParams};
use crate::loss::LossTarget;
use crate::random::Random;
use crate::values::{Checked, chosen};

/// Some packets are marked (CE), at a given share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkParams {
    /// Each packet is marked with this probability, independently; 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rate: Option<f64>,
    /// The packets marked, counted from 0 over what the stage sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<u64>>,
    /// Which packets the stage sees and counts; all when left out. Others pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<LossTarget>,
}

impl StageParams for MarkParams {
    fn check(&mut self) -> Checked {
        chosen(self.rate, &mut self.list)
    }
}

/// The stage of [`MarkParams`].
#[derive(Clone, Debug)]
pub struct Mark<P> {
    choice: Choice,
    packets: std::marker::PhantomData<P>,
}

impl<P> Mark<P> {
    /// A stage that has seen nothing; `random` is its stream.
    pub fn new(params: &MarkParams, random: impl FnOnce() -> Random) -> Mark<P> {
        let MarkParams { rate, list, only } = params;
        Mark { choice: Choice::new(*rate, list, *only, random), packets: std::marker::PhantomData }
    }
}

impl<P: Reissue> Stage<P> for Mark<P> {
    fn arrive(&mut self, mut passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        if self.choice.takes(&passing.packet, now) {
            passing.packet.mark();
        }
        out.push(passing);
    }
}
