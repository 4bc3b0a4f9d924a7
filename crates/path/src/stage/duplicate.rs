//! Duplication: some packets arrive twice.

use std::collections::VecDeque;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::{Passing, Reissue, Stage, StageParams};
use crate::loss::LossTarget;
use crate::random::Random;
use crate::values::{Checked, chosen, is_default};

/// Some packets arrive twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DuplicateParams {
    /// Each packet is doubled with this probability, independently; 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rate: Option<f64>,
    /// The packets doubled, counted from 0 over what the stage sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<u64>>,
    /// How long after the packet its copy leaves; right behind it when left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub after: Time,
    /// Which packets the stage sees and counts; all when left out. Others pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<LossTarget>,
}

impl StageParams for DuplicateParams {
    fn check(&mut self) -> Checked {
        chosen(self.rate, &mut self.list)
    }

    fn copies(&self) -> f64 {
        1.0 + self.rate.unwrap_or(1.0)
    }
}

/// The stage of [`DuplicateParams`].
#[derive(Clone, Debug)]
pub struct Duplicate<P> {
    choice: Choice,
    after: Time,
    copies: VecDeque<(Time, P)>,
    made: u64,
}

impl<P> Duplicate<P> {
    /// A stage that has seen nothing; `random` is its stream.
    pub fn new(params: &DuplicateParams, random: impl FnOnce() -> Random) -> Duplicate<P> {
        let DuplicateParams { rate, list, after, only } = params;
        let choice = Choice::new(*rate, list, *only, random);
        Duplicate { choice, after: *after, copies: VecDeque::new(), made: 0 }
    }
}

impl<P: Reissue> Stage<P> for Duplicate<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        self.wake(now, out);
        if self.choice.takes(&passing.packet, now) {
            self.copies.push_back((now + self.after, passing.packet.clone()));
        }
        out.push(passing);
        self.wake(now, out);
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        while self.copies.front().is_some_and(|(due, _)| *due <= now)
            && let Some((_, copy)) = self.copies.pop_front()
        {
            self.made += 1;
            out.push(Passing::made(copy));
        }
    }

    fn held(&self) -> usize {
        self.copies.len()
    }

    fn next(&self) -> Option<Time> {
        self.copies.front().map(|(due, _)| *due)
    }

    fn duplicated(&self) -> u64 {
        self.made
    }
}
