//! Pauses: a path that stands still for a while, and loses nothing.
//!
//! A radio link does so during a handover, or while its own layer repairs a frame. The round trip that a sender
//! measures leaps, and so timeouts become spurious (RFC 5682 section 1).

use std::collections::VecDeque;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Passing, Reissue, Stage, StageParams};
use crate::random::Random;
use crate::values::{Checked, Wrong, some_time};

/// The path stands still for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseParams {
    /// When pauses begin.
    pub at: Vec<Time>,
    /// How long each of them lasts.
    pub length: Time,
}

impl StageParams for PauseParams {
    fn check(&mut self) -> Checked {
        some_time("length", self.length)?;
        self.at.sort_unstable();
        if self.at.is_empty() {
            return Err(Wrong::at("at", "names no pause; write for instance [\"5s\"]"));
        }
        match self.at.windows(2).find(|pair| pair[1] < pair[0] + self.length) {
            None => Ok(()),
            Some(pair) => {
                let what = format!("has a pause begin at {} that one of {} is not over", pair[1], self.length);
                Err(Wrong::at("at", what))
            }
        }
    }
}

/// The stage of [`PauseParams`].
#[derive(Clone, Debug)]
pub struct Pause<P> {
    length: Time,
    /// The beginnings of those that are not over, in order.
    ahead: VecDeque<Time>,
    held: Vec<Passing<P>>,
}

impl<P> Pause<P> {
    /// A path at time 0. The pauses must be in order and apart.
    pub fn new(params: &PauseParams, _: impl FnOnce() -> Random) -> Pause<P> {
        Pause { length: params.length, ahead: params.at.iter().copied().collect(), held: Vec::new() }
    }

    /// The end of the present or next pause.
    fn end(&self) -> Option<Time> {
        self.ahead.front().map(|&begins| begins + self.length)
    }
}

impl<P: Reissue> Stage<P> for Pause<P> {
    fn arrive(&mut self, passing: Passing<P>, now: Time, out: &mut Vec<Passing<P>>) {
        self.wake(now, out);
        let paused = self.ahead.front().is_some_and(|&begins| begins <= now);
        if paused { self.held.push(passing) } else { out.push(passing) }
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Passing<P>>) {
        while self.end().is_some_and(|end| end <= now) {
            self.ahead.pop_front();
            out.append(&mut self.held);
        }
    }

    fn held(&self) -> usize {
        self.held.len()
    }

    fn next(&self) -> Option<Time> {
        if self.held.is_empty() { None } else { self.end() }
    }
}
