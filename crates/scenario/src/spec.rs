//! A scenario, complete and checked: what a [`crate::Simulation`] is built from.
//!
//! The [crate] makes one from a file; a program may also fill it in directly.

use std::collections::BTreeMap;
use std::sync::Arc;

use acklab_packet::{Bytes, Rate, Time};
use acklab_path::random::Random;
use acklab_path::server::DcfSpec;
use acklab_path::spec::{LinkSpec, QueueSpec};
use acklab_tcp::receiver::policy::AckPolicy;
use acklab_tcp::rules::{AckPolicyKind, ControlKind, ReceiverRules, SenderRules};
use acklab_tcp::sender::control::{CongestionControl, misfits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::size::Size;

/// A whole experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// For people; may be empty.
    pub title: String,
    /// Names every random stream together with the component that draws from it.
    pub seed: u64,
    /// When the run ends.
    pub stop: Stop,
    /// Node names; links and flows refer to them by index.
    pub nodes: Vec<String>,
    /// Link directions in file order, each link's forward direction before its return direction.
    pub links: Vec<LinkSpec>,
    /// Media that several of the links share.
    pub media: Vec<MediumSpec>,
    /// Flows in file order.
    pub flows: Vec<FlowSpec>,
    /// Programs on kernels at its nodes, in file order.
    pub programs: Vec<ProgramSpec>,
    /// What is expected of the run, in file order.
    pub expect: Vec<ExpectSpec>,
    /// What is recorded besides the summary.
    pub record: Record,
}

impl Scenario {
    /// The random stream of a part (`loss`, `queue`) of a link direction. Named by the nodes, not by the place in the file:
    /// another link changes no other's stream.
    pub fn link_stream(&self, link: &LinkSpec, part: &str) -> Random {
        let [from, to] = [link.from, link.to].map(|node| self.nodes[node as usize].as_str());
        Random::named(self.seed, &format!("{part} {from}>{to}"))
    }
}

/// A program on a kernel at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSpec {
    /// Index of its node.
    pub at: u32,
    /// Its command line, for a shell.
    pub run: String,
    /// When it starts, at the earliest.
    pub start: Time,
    /// When it is stopped.
    pub stop: Option<Time>,
    /// How to see that it is ready, where others have to wait for that.
    pub ready: Option<Ready>,
    /// Environment variables.
    pub environment: BTreeMap<String, String>,
    /// The version of its node's kernel, such as 7.3.
    pub kernel: Option<String>,
}

/// How to see that a program is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ready {
    /// It listens at a port, of TCP or UDP.
    Listens,
    /// It listens at this port, of TCP or UDP.
    Port(#[schemars(range(min = 1))] u16),
    /// It prints a line that contains this text.
    Line(String),
}

/// What is expected of a flow or of a link direction.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectSpec {
    /// The flow or the link direction.
    pub subject: Subject,
    /// When it is read; at the end of the run if that is not said.
    pub at: Option<Time>,
    /// Name of the column.
    pub what: &'static str,
    /// The comparison that its cell has to pass.
    pub test: Test,
}

/// The subject of an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A transfer.
    Flow {
        /// Its name in the table `flows`.
        name: String,
        /// Index of the flow's table.
        table: u32,
        /// Which of that table's flows.
        member: u32,
    },
    /// A link direction, by its index.
    Link(u32),
}

/// What a number, or a word, has to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Greater than this.
    Above(f64),
    /// Less than this.
    Below(f64),
    /// This number.
    Equals(f64),
    /// From the first to the second.
    Within(f64, f64),
    /// This word; `true` and `false` are words, too.
    Is(String),
}

impl std::fmt::Display for Test {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Test::Above(least) => write!(f, "above {least}"),
            Test::Below(most) => write!(f, "below {most}"),
            Test::Equals(number) => number.fmt(f),
            Test::Within(low, high) => write!(f, "from {low} to {high}"),
            Test::Is(word) => word.fmt(f),
        }
    }
}

/// A medium that several link directions share.
#[derive(Clone, Debug, PartialEq)]
pub struct MediumSpec {
    /// Unique; with a node's, it names the streams of that node's station.
    pub name: String,
    /// Its rules, complete.
    pub mac: DcfSpec,
    /// Nodes, each once and the access point first, and their interface queues.
    pub stations: Vec<(u32, QueueSpec)>,
    /// The link directions on it, by index; in pairs, from the access point and back.
    pub links: Vec<u32>,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// As soon as every flow has finished, and at this instant in any case.
    FlowsComplete {
        /// Latest end.
        at_most: Time,
    },
    /// At this instant; what is due at that very instant, but was not decided before the run, does not happen.
    At(Time),
}

/// An application that decides when data is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Source {
    /// A person who types (ledger allman1998.m.telnet).
    Telnet {
        /// Mean of exponentially distributed pauses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<Time>,
        /// Without `mean`: distribution of the pauses; default `pareto`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pauses: Option<Pauses>,
        /// Payload bytes of each write; default one full segment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        write: Option<Bytes>,
    },
    /// A program that writes as much again and again; the flow completes with the last write.
    Writes(Writes),
    /// A program whose writes are listed, as a capture shows them; the flow completes with the last one.
    Listed(Listed),
    /// Datagrams without acknowledgments (UDP; ledger smartacking.m.onoff_udp).
    Udp(Datagrams),
}

/// Equal writes at equal intervals, the first one at the flow's start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Writes {
    /// Payload bytes of each write.
    pub write: Bytes,
    /// From one write to the next.
    pub every: Time,
    /// How many.
    #[schemars(range(min = 1))]
    pub times: u32,
}

/// Writes at given times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// Rows of a time from the flow's start and the payload bytes written then, such as `["1.5s", "20kB"]`. No row is earlier
    /// than the one before.
    pub writes: Vec<(Time, Bytes)>,
}

/// An on-off source that ignores congestion: its rate is constant while it is on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Datagrams {
    /// Sending rate during an on period, with headers.
    pub rate: Rate,
    /// Size of a datagram on the wire, with headers.
    #[serde(default = "thousand")]
    #[schemars(range(min = 28, max = 65535))]
    pub packet: u32,
    /// Length of an on period, or its mean.
    #[serde(default = "five_seconds")]
    pub on: Time,
    /// Length of an off period, or its mean; 0s has none.
    #[serde(default)]
    pub off: Time,
    /// Distribution of the lengths of on and off periods.
    #[serde(default)]
    pub spans: Spans,
    /// The first period.
    #[serde(default)]
    pub first: First,
}

fn thousand() -> u32 {
    1000
}

fn five_seconds() -> Time {
    Time::from_secs(5.0)
}

/// Lengths of the on and off periods of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spans {
    /// Constant.
    #[default]
    Constant,
    /// Exponentially distributed, with the given mean.
    Exponential,
}

/// The first period of an on-off source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum First {
    /// On: it begins to send.
    #[default]
    On,
    /// Off: it begins with a pause.
    Off,
}

/// Distribution of the pauses between keystrokes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pauses {
    /// Pareto of shape 0.9 from 0.12 s, cut at 50 s: 15 % exceed a second, the mean is 1.1 s.
    Pareto,
    /// Measured quantiles of ns-2's tcplib source: the mean is 1.1 s, the longest pause 210 s.
    Tcplib,
}

/// A transfer that starts again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeat {
    /// Transfers in all, at least 1.
    pub times: u32,
    /// Pause between the end of one and the start of the next.
    pub think: Time,
    /// Longest pause, at least `think`; each is drawn uniformly between the two.
    pub think_to: Time,
}

/// `count` like flows from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Unique name; the k-th of several is called `name` followed by k, from 0.
    pub name: String,
    /// Index of the sender's node.
    pub from: u32,
    /// Index of the receiver's node.
    pub to: u32,
    /// Index of a flow table above, if each transfer begins at the end of one of that table's: the k-th of `count` follows the
    /// k-th there, counted again and again. `repeat` is then that table's: it repeats when all that followed has ended.
    pub after: Option<u32>,
    /// When the first of them starts; of flows that follow others, how long after these.
    pub start: Time,
    /// How many, at least 1.
    pub count: u32,
    /// The k-th starts at `start` + k * `stagger`.
    pub stagger: Time,
    /// DiffServ code point of its packets, from 0 to 63.
    pub dscp: u8,
    /// How much each sends.
    pub size: Size,
    /// An application that writes now and then; `size` then plays no part, and only `writes` completes.
    pub source: Option<Source>,
    /// Whether the transfer is repeated.
    pub repeat: Option<Repeat>,
    /// The sender's rules, shared by all of them.
    pub sender: Arc<SenderRules>,
    /// The receiver's rules.
    pub receiver: Arc<ReceiverRules>,
    /// Algorithms that stand in for those that the rules name.
    pub custom: Custom,
}

impl FlowSpec {
    /// Whether what it sends has an end.
    pub fn finite(&self) -> bool {
        match self.source {
            None => self.size != Size::Unlimited,
            Some(Source::Writes(_) | Source::Listed(_)) => true,
            Some(Source::Telnet { .. } | Source::Udp(_)) => false,
        }
    }

    /// Key, among the flow's, of an algorithm that the program was to supply and has not.
    pub fn unsupplied(&self) -> Option<&'static str> {
        let policy = matches!(self.receiver.ack, AckPolicyKind::Python { .. }) && self.custom.policy.is_none();
        let control = matches!(self.sender.control, ControlKind::Python { .. }) && self.custom.control.is_none();
        policy.then_some("receiver.ack").or(control.then_some("sender.control"))
    }

    /// The sender's rule that does not fit the program's own control, and what is wrong. One in Python is checked when it is supplied.
    pub fn misfit(&self) -> Option<(&'static str, String)> {
        let python = matches!(self.sender.control, ControlKind::Python { .. });
        let control = self.custom.control.as_ref().filter(|_| !python)?;
        misfits(&self.sender, "custom", control.needs(), control.owns_window()).into_iter().next()
    }
}

/// A program's own algorithms (`examples/custom`). A scenario file can at most name them. Each connection starts with a copy.
#[derive(Clone, Debug, Default)]
pub struct Custom {
    /// The senders' congestion control.
    pub control: Option<Box<dyn CongestionControl>>,
    /// The receivers' ACK policy.
    pub policy: Option<Box<dyn AckPolicy>>,
}

impl PartialEq for Custom {
    /// Algorithms whose `Debug` output is the same are equal.
    fn eq(&self, other: &Custom) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

/// What a run records besides its summary; each costs nothing when off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The senders' state at each change.
    pub series: bool,
    /// Each queue's length at each change.
    pub queue: bool,
    /// Every packet event on every link.
    pub packets: bool,
}
