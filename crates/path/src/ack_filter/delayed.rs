//! Delayed filtering: none until the slow link is used up, then all of a connection's waiting ACKs
//! (ledger ackfilter.m.delayed_single, ackfilter.m.delayed_aggregate, ackfilter.m.delayed_perconn).

use acklab_packet::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fixed::{Eraser, Older, Slot, check_place};
use super::{AckFilter, Decision, Destroys, FilterParams};
use crate::Carried;
use crate::values::{Checked, Wrong, must, some_time};
use crate::waiting::{Load, Measures, Presence, Tsw, Waiting};

/// How a link's use is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateKind {
    /// The rate at which packets leave over a sliding window of time, against the link's rate.
    #[default]
    Tsw,
    /// The share of time during which packets wait: needs no rate of the link.
    Presence,
    /// The paper's listing of the same, which counts events: above any share at once.
    PresenceLiteral,
}

/// Whose use decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// All connections' together.
    #[default]
    Link,
    /// Each connection's own, against its fair share of the link; needs `rate` `tsw`.
    Connection,
}

/// Erases a connection's waiting ACKs, but only while the link, or the connection's share of it, is used up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelayedParams {
    /// How use is estimated.
    #[serde(default)]
    pub rate: RateKind,
    /// Whose use decides.
    #[serde(default)]
    pub per: Per,
    /// Window of the estimator, about a round trip.
    #[serde(default = "window")]
    pub window: Time,
    /// Filtering begins when this share is reached: of the link, or, per connection, when a connection's rate exceeds
    /// this share of the link divided by the number of active connections. 0.9 of the link, 1 per connection; at 1 a
    /// connection alone on the link is hardly ever filtered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Filtering ends below this share; as `share` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<f64>,
    /// Per connection: one without waiting packets is active until its rate is below this share of the link.
    #[serde(default = "floor")]
    pub floor: f64,
    /// Where an ACK is put whose elders were erased.
    #[serde(default)]
    pub place: Slot,
    /// Which waiting ACKs are older than the arrival.
    #[serde(default)]
    pub older: Older,
    /// Whether ACKs with news of their own are left alone: duplicates, SACK blocks, timestamps, ECN echoes.
    #[serde(default)]
    pub conservative: bool,
}

impl DelayedParams {
    /// The estimator's window when none is given.
    pub const WINDOW: Time = Time::from_secs(0.2);
    /// The share of the link below which an idle connection is not active, when none is given.
    pub const FLOOR: f64 = 0.01;

    /// Where filtering begins.
    pub fn begins(&self) -> f64 {
        self.share.unwrap_or(if self.per == Per::Link { 0.9 } else { 1.0 })
    }
}

impl FilterParams for DelayedParams {
    fn check(&self) -> Checked {
        let share = |key, value: f64, most: f64| {
            must(value > 0.0 && value <= most, key, &format!("must be above 0 and at most {most}"), value)
        };
        let begins = self.begins();
        some_time("window", self.window)?;
        if self.per == Per::Connection && self.rate != RateKind::Tsw {
            let what = "is known of the link only; `per = \"connection\"` needs `rate = \"tsw\"`";
            return Err(Wrong::at("rate", what));
        }
        // Per connection 2 is twice the fair share, and so on; of a link no one has more than all.
        share("share", begins, if self.per == Per::Link { 1.0 } else { 1000.0 })?;
        share("release", self.release.unwrap_or(begins), begins)?;
        must(self.floor >= 0.0 && self.floor < 1.0, "floor", "must be at least 0 and below 1", self.floor)?;
        check_place(self.place, self.older, self.conservative)
    }
}

fn window() -> Time {
    DelayedParams::WINDOW
}

fn floor() -> f64 {
    DelayedParams::FLOOR
}

/// Delayed filtering.
#[derive(Clone, Debug, PartialEq)]
pub struct Delayed {
    params: DelayedParams,
    share: f64,
    release: f64,
    eraser: Eraser,
    /// Whether the last ACK to arrive was filtered.
    filtering: bool,
    /// Per connection: the generation, at each slot of the flow table, that is being filtered.
    filtered: Vec<u64>,
    capacity: Rate,
}

impl Delayed {
    /// The filter with these parameters.
    pub fn new(params: &DelayedParams, rate: Rate) -> Delayed {
        let &DelayedParams { place, older, conservative, .. } = params;
        let share = params.begins();
        Delayed {
            share,
            release: params.release.unwrap_or(share),
            eraser: Eraser { place, older, room_first: false, conservative },
            filtering: false,
            filtered: Vec::new(),
            capacity: rate,
            params: *params,
        }
    }

    /// Whether the link is used up.
    fn link_is_full(&mut self, load: f64) -> bool {
        load >= if self.filtering { self.release } else { self.share }
    }

    /// Whether the connection at `flow` uses up its fair share.
    fn has_its_share<P: Carried>(&mut self, flow: u32, waiting: &Waiting<P>) -> bool {
        let flows = waiting.flows();
        if self.filtered.len() <= flow as usize {
            self.filtered.resize(flow as usize + 1, 0);
        }
        let generation = flows.generation(flow);
        let share = if self.filtered[flow as usize] == generation { self.release } else { self.share };
        let active = flows.active().max(1) as f64;
        let full = 8.0 * flows.rate(flow) > share * self.capacity.bps() / active;
        self.filtered[flow as usize] = if full { generation } else { 0 };
        full
    }
}

impl<P: Carried> AckFilter<P> for Delayed {
    fn on_ack(&mut self, packet: &P, flow: u32, waiting: &Waiting<P>, decision: &mut Decision) {
        self.filtering = match self.params.per {
            Per::Link => self.link_is_full(waiting.flows().load()),
            Per::Connection => self.has_its_share(flow, waiting),
        };
        if self.filtering {
            self.eraser.erase(1, packet, flow, waiting, decision);
        }
    }

    fn filtering(&self) -> bool {
        self.filtering
    }

    fn may_destroy(&self) -> Destroys {
        self.eraser.may_destroy()
    }

    fn measures(&self) -> Measures {
        let window = self.params.window;
        let load = match self.params.rate {
            RateKind::Tsw => Load::Tsw(Tsw::new(window), self.capacity),
            RateKind::Presence => Load::Presence(Presence::new(window, false)),
            RateKind::PresenceLiteral => Load::Presence(Presence::new(window, true)),
        };
        match self.params.per {
            Per::Link => Measures { load: Some(load), ..Measures::default() },
            Per::Connection => {
                Measures { rates: Some((window, self.params.floor * self.capacity.bps() / 8.0)), ..Measures::default() }
            }
        }
    }

    fn takes_place(&self) -> bool {
        self.eraser.place == Slot::Slot
    }
}
