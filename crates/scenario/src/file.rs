//! The file's tables, one struct each, as written: names instead of indices, and what may be left out left out.
//!
//! These types are also the source of the JSON Schema, so their docstrings are written for who writes scenarios.

use std::fmt;

use acklab_packet::{Bytes, Rate, Time};
use acklab_path::spec::{LossSpec, QueueSpec};
use acklab_path::stage::StageSpec;
use schemars::JsonSchema;
use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::spec::Source;

use super::tables::{ReceiverTable, SenderTable, StackTables};
use super::topology::Topology;
use super::wlan::WlanTable;

/// A network experiment: links, flows over them, and when to stop.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "acklab scenario")]
pub(super) struct File {
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

/// A duplex link.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkTable {
    /// The two nodes; the forward direction is from the first to the second.
    #[serde(deserialize_with = "two_names")]
    pub between: [String; 2],
    /// Serialisation rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Time,
    /// Queue before the transmitter; drop-tail with 1000 packets where left out.
    pub queue: Option<QueueSpec>,
    /// Losses of the forward direction.
    pub loss: Option<LossSpec>,
    /// How often a packet passes loss model, queue, transmitter and delay before it moves on: 2 as a pipe of dummynet that
    /// matches a forwarded packet coming in and going out, where both passes share queue and transmitter.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 16))]
    pub crossings: u16,
    /// What stands at the forward direction's far end, in the order in which packets pass it, and header compression over its wire.
    #[serde(default)]
    pub stages: Vec<StageSpec>,
    /// In what the return direction differs.
    pub back: Option<BackTable>,
}

pub(super) fn once() -> u16 {
    1
}

/// Exactly two texts (an array's own reader may leave a third unread).
fn two_names<'de, D: Deserializer<'de>>(input: D) -> Result<[String; 2], D::Error> {
    struct Two;
    impl<'de> Visitor<'de> for Two {
        type Value = [String; 2];
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of two node names")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<[String; 2], A::Error> {
            match (names.next_element()?, names.next_element()?, names.next_element::<IgnoredAny>()?) {
                (Some(a), Some(b), None) => Ok([a, b]),
                _ => Err(A::Error::custom("not two node names")),
            }
        }
    }
    input.deserialize_seq(Two)
}

/// The return direction of a link; what is left out is as forward, except losses and stages.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BackTable {
    /// Serialisation rate.
    pub rate: Option<Rate>,
    /// Propagation delay.
    pub delay: Option<Time>,
    /// Queue before the transmitter.
    pub queue: Option<QueueSpec>,
    /// Losses of the return direction.
    pub loss: Option<LossSpec>,
    /// How often a packet passes it.
    #[schemars(range(min = 1, max = 16))]
    pub crossings: Option<u16>,
    /// What stands at its far end, in the order in which packets pass it, and header compression over its wire.
    pub stages: Vec<StageSpec>,
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
