//! The file's tables, one struct each, as written: names instead of indices, and what may be left out left out.
//!
//! These types are also the source of the JSON Schema, so their docstrings are written for who writes scenarios.

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::spec::Source;

use super::link::LinkTable;
use super::tables::{ReceiverTable, SenderTable, StackTables};
use super::topology::Topology;
use super::wlan::WlanTable;

/// A network experiment: links, flows over them, and when to stop.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "acklab scenario")]
pub(super) struct File {
    /// Where an editor finds this schema; not read.
    #[serde(default, rename = "$schema")]
    pub _schema: String,
    /// What the experiment is, for people.
    #[serde(default)]
    pub title: String,
    /// Names every random stream, together with the component that draws from it.
    #[serde(default = "one")]
    pub seed: u64,
    /// When the run ends; once every flow has finished, and at 1000 s in any case, where left out.
    #[serde(default)]
    pub stop: StopTable,
    /// A whole network in a few words; expands to links, which come before those of the file.
    pub topology: Option<Topology>,
    /// The network: duplex links.
    #[serde(default)]
    pub link: Vec<LinkTable>,
    /// 802.11 networks; their links come after the others.
    #[serde(default)]
    pub wlan: Vec<WlanTable>,
    /// The transfers.
    #[serde(default)]
    pub flow: Vec<FlowTable>,
    /// Stacks derived from others by overriding rules, by name.
    #[serde(default)]
    pub stack: StackTables,
    /// What is recorded besides the summary.
    #[serde(default)]
    pub record: RecordTable,
}

fn one() -> u64 {
    1
}

/// When the run ends: `{ when = "flows-complete", at_most = "1000s" }` or `{ at = "60s" }`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct StopTable {
    /// As soon as this is so.
    pub when: Option<When>,
    /// Latest end of a run that waits for its flows.
    pub at_most: Option<Time>,
    /// At this instant, whatever the flows do.
    pub at: Option<Time>,
}

/// What a run may wait for.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum When {
    /// Every flow has finished.
    FlowsComplete,
}

/// A transfer, or several alike.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FlowTable {
    /// Unique; `flow0`, `flow1`, ... by place in the file where left out. Several are called name0, name1, ...
    pub name: Option<String>,
    /// Node of the sender.
    pub from: String,
    /// Node of the receiver.
    pub to: String,
    /// When the (first) transfer starts.
    #[serde(default)]
    pub start: Time,
    /// How much is sent.
    #[serde(default)]
    #[schemars(extend("default" = "unlimited"))]
    pub size: SizeEntry,
    /// For how many flows this table stands.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u64,
    /// The k-th of several starts at start + k * stagger.
    #[serde(default)]
    pub stagger: Time,
    /// An application that writes now and then; `size` then plays no part.
    pub source: Option<Source>,
    /// Whether the transfer starts again after it has finished.
    pub repeat: Option<RepeatTable>,
    /// The sender's stack, and rules that override it.
    #[serde(default)]
    pub sender: SenderTable,
    /// The receiver's stack, and rules that override it.
    #[serde(default)]
    pub receiver: ReceiverTable,
}

/// How much a flow sends.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub(super) enum SizeEntry {
    /// That many full segments.
    #[serde(rename = "segments")]
    Segments(#[schemars(range(min = 1))] u64),
    /// That many payload bytes.
    #[serde(rename = "bytes")]
    Bytes(Bytes),
    /// Payload bytes drawn anew for each transfer, uniformly between two ends.
    #[serde(rename = "uniform")]
    Uniform([Bytes; 2]),
    /// Until the run ends.
    #[default]
    #[serde(rename = "unlimited")]
    Unlimited,
}

/// A transfer that starts again, each time on a new connection.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RepeatTable {
    /// Transfers in all.
    #[schemars(range(min = 1))]
    pub times: u32,
    /// Pause between the end of one and the start of the next.
    #[serde(default)]
    pub think: Time,
    /// Longest pause: each is drawn uniformly from `think` to here. Left out, all are `think`.
    pub think_to: Option<Time>,
}

/// What a run records besides its summary.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RecordTable {
    /// The senders' state at each change.
    pub series: bool,
    /// Each queue's length at each change.
    pub queue: bool,
    /// Every packet event on every link.
    pub packets: bool,
}
