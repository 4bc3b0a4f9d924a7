//! The tables of a scenario file as written: with names instead of indices, and without defaults.
//!
//! The JSON Schema is made from these types, so their docstrings are for authors of scenarios.

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::spec::Source;

use super::expect::ExpectTable;
use super::link::LinkTable;
use super::program::ProgramTable;
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
    /// Title of the experiment, for people.
    #[serde(default)]
    pub title: String,
    /// Seed of every random stream, together with the name of the component that draws from it.
    #[serde(default = "one")]
    pub seed: u64,
    /// When the run ends. If left out: when every flow has finished, at 1000 s at the latest.
    #[serde(default)]
    pub stop: StopTable,
    /// Mean time that a host takes for each packet that arrives, before its stack has it. Each is drawn uniformly from 0 to twice the
    /// mean, and packets stay in order. Hosts are the ends of flows and the nodes of programs. Real hosts take some microseconds.
    #[serde(default)]
    pub processing: Time,
    /// A common network, which expands to links. They come before those of the file.
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
    /// Programs on a Linux at a node each; `acklab run --virtual --allow-programs` runs them.
    #[serde(default)]
    pub program: Vec<ProgramTable>,
    /// What is expected of the run; where it is not so, `acklab run` says it and ends with exit code 1.
    #[serde(default)]
    pub expect: Vec<ExpectTable>,
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
    /// Condition on which the run ends.
    pub when: Option<When>,
    /// Latest end of a run that waits for its flows.
    pub at_most: Option<Time>,
    /// Instant at which the run ends, whether or not flows have finished.
    pub at: Option<Time>,
}

/// Condition on which a run may end.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum When {
    /// Every flow has finished.
    FlowsComplete,
}

/// A transfer, or several that are alike.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("neutral" = { "by": "absent" }))]
pub(super) struct FlowTable {
    /// Unique name. If left out: `flow0`, `flow1`, ... by place in the file. Several flows are called name0, name1, ...
    pub name: Option<String>,
    /// Node of the sender.
    pub from: String,
    /// Node of the receiver.
    pub to: String,
    /// Name of a flow listed above. Each transfer starts when a transfer of that flow is complete: a page's files after its text. Where that
    /// flow repeats, these repeat with it. Its next transfer then waits for their ends, too. `count` must be a multiple of that flow's.
    pub after: Option<String>,
    /// When the (first) transfer starts. With `after`: how long after the end of the other.
    #[serde(default)]
    pub start: Time,
    /// How much is sent.
    #[serde(default)]
    #[schemars(extend("default" = "unlimited"))]
    pub size: SizeEntry,
    /// Number of flows that this table describes.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u64,
    /// Time between the starts of two of them: the k-th starts at start + k * stagger.
    #[serde(default)]
    pub stagger: Time,
    /// DiffServ code point of its packets, from 0 to 63: a CAKE queue sorts them by it.
    #[serde(default)]
    #[schemars(range(max = 63))]
    pub dscp: u8,
    /// Application that writes at random times. `size` is then ignored.
    pub source: Option<Source>,
    /// Repetition of the transfer after it has finished.
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
    /// Number of full segments.
    #[serde(rename = "segments")]
    Segments(#[schemars(range(min = 1))] u64),
    /// Number of payload bytes.
    #[serde(rename = "bytes")]
    Bytes(Bytes),
    /// Payload bytes, drawn for each transfer uniformly between two bounds.
    #[serde(rename = "uniform")]
    Uniform([Bytes; 2]),
    /// Payload bytes, drawn for each transfer from a Pareto distribution: files of the web.
    #[serde(rename = "pareto")]
    Pareto(ParetoTable),
    /// No end: the flow sends until the run ends.
    #[default]
    #[serde(rename = "unlimited")]
    Unlimited,
}

/// Payload bytes from a Pareto distribution that is cut. The share of transfers above `x` bytes falls with x^-shape.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParetoTable {
    /// Fewest bytes.
    pub least: Bytes,
    /// Most bytes.
    pub most: Bytes,
    /// Shape, from 0.01 to 100. Files of the web have about 1.1 (Crovella and Bestavros 1997).
    #[schemars(range(min = 0.01, max = 100))]
    pub shape: f64,
}

/// A transfer that starts again, each time on a new connection.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RepeatTable {
    /// Transfers in all.
    #[schemars(range(min = 1))]
    pub times: u32,
    /// Pause between the end of a transfer and the start of the next.
    #[serde(default)]
    pub think: Time,
    /// Longest pause. Each pause is drawn uniformly from `think` to `think_to`. If left out, each is `think`.
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
