//! Reordering: some packets are held back while others pass them (RFC 4737 section 3: late ones are the reordered ones).
//!
//! As on real paths it is the exception: most packets take the usual way, a few a longer one, or one past a slower part of a
//! router. The packet waits `by`, or, with `overtaken`, only until so many have passed it. Those held leave in the order in
//! which they came.

use std::collections::VecDeque;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::{Passing, Reissue, Stage, StageParams};
use crate::loss::LossTarget;
use crate::random::Random;
use crate::values::{Checked, chosen, some_time, within};

/// Some packets are held back, and others overtake them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReorderParams {
    /// Each packet is held back with this probability, independently; 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rate: Option<f64>,
    /// The packets held back, counted from 0 over what the stage sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<u64>>,
    /// For how long a packet is held back, at most.
    pub by: Time,
    /// A packet leaves earlier, right behind the last of so many that have passed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub overtaken: Option<u32>,
    /// Which packets the stage sees and counts; all when left out. Others pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<LossTarget>,
}

#[derive(Clone, Debug)]
struct Held<P> {
    passing: Passing<P>,
    due: Time,
    /// How many have still to pass it.
    ahead: u32,
}

impl StageParams for ReorderParams {
    fn check(&mut self) -> Checked {
        chosen(self.rate, &mut self.list)?;
        some_time("by", self.by)?;
        within(1, u32::MAX.into(), "overtaken", self.overtaken.unwrap_or(1))
    }
}

/// The stage of [`ReorderParams`].
#[derive(Clone, Debug)]
pub struct Reorder<P> {
    choice: Choice,
    by: Time,
    overtaken: u32,
    /// In order: an earlier one is due earlier, and no fewer have passed it.
    held: VecDeque<Held<P>>,
}

impl<P> Reorder<P> {
    /// A stage that has seen nothing; `random` is its stream.
    pub fn new(params: &ReorderParams, random: impl FnOnce() -> Random) -> Reorder<P> {
        let ReorderParams { rate, list, by, overtaken, only } = params;
        let choice = Choice::new(*rate, list, *only, random);
        Reorder { choice, by: *by, overtaken: overtaken.unwrap_or(u32::MAX), held: VecDeque::new() }
    }

    fn release(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        while self.held.front().is_some_and(|first| first.due <= now || first.ahead == 0)
            && let Some(first) = self.held.pop_front()
        {
            out.push(first.passing);
        }
    }
}

impl<P: Reissue> Stage<P> for Reorder<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        self.release(now, out);
        if self.choice.takes(&passing.packet, now) {
            return self.held.push_back(Held { passing, due: now + self.by, ahead: self.overtaken });
        }
        out.push(passing);
        self.held.iter_mut().for_each(|held| held.ahead = held.ahead.saturating_sub(1));
        self.release(now, out);
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        self.release(now, out);
    }

    fn held(&self) -> usize {
        self.held.len()
    }

    fn next(&self) -> Option<Time> {
        self.held.front().map(|first| first.due)
    }
}
