//! What limits a direction, as far as its account may be believed.

use acklab_table::Value;

use crate::direction::Direction;
use crate::limits::{ALL, Limit};
use crate::policy;
use crate::thresholds::{LIMIT_SHARE, MAX_LACKING, MIN_LIMITED, MIN_LIMITED_S, MIN_TICKS};

/// The account of a direction.
#[derive(Clone, Debug)]
pub struct Limited<'a> {
    direction: &'a Direction,
    /// Why nothing follows.
    unknown: Option<&'static str>,
    short: bool,
}

impl<'a> Limited<'a> {
    /// Returns that of `direction`, whose account is finished, by a clock of `tick` seconds; `path` is the least round trip.
    pub fn of(direction: &'a Direction, tick: f64, two_series: bool, path: Option<f64>) -> Limited<'a> {
        let limits = &direction.limits;
        let total = limits.spans.total() as f64 * 1e-9;
        let short = direction.counts.segments < MIN_LIMITED || total < MIN_LIMITED_S.max(MIN_TICKS * tick);
        let reasons = [
            (two_series, "two-series"),
            (direction.acks.counts.packets == 0, "no-acks"),
            (direction.counts.bytes == 0, "no-data"),
            (policy::lacks(direction, MAX_LACKING), "lacks-data"),
            (limits.beyond as f64 > MAX_LACKING * direction.counts.bytes as f64, "lacks-acks"),
            (!limits.placed && path.is_some(), "distance-late"),
            (!limits.placed, "no-distance"),
            (path.is_some_and(|path| path < MIN_TICKS * tick), "coarse-clock"),
        ];
        let unknown = reasons.into_iter().find_map(|(holds, why)| holds.then_some(why));
        Limited { direction, unknown, short }
    }

    /// Seconds of a part, if they may be believed.
    pub fn known(&self, ns: i64) -> Option<f64> {
        self.unknown.is_none().then_some(ns as f64 * 1e-9)
    }

    /// Seconds with a cause.
    pub fn seconds(&self, limit: Limit) -> Option<f64> {
        self.known(self.direction.limits.spans.of(limit))
    }

    /// The cause of more than half of the time, in a word, or why there is none.
    pub fn name(&self) -> &'static str {
        let spans = &self.direction.limits.spans;
        let most = |limit: &Limit| spans.of(*limit) as f64 > LIMIT_SHARE * spans.total().max(1) as f64;
        match (self.unknown, self.short, ALL.into_iter().find(most)) {
            (Some(_), ..) => "unknown",
            (_, true, _) => "short",
            (.., Some(limit)) => limit.word(),
            (.., None) => "mixed",
        }
    }

    /// Why nothing follows, in a word; empty if something does.
    pub fn why(&self) -> &'static str {
        self.unknown.unwrap_or_default()
    }
}
