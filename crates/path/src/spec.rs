//! How a scenario describes what stands on a path.

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;
use crate::ack_filter::FilterSpec;
use crate::queue::drop_policy::DropPolicy;
use crate::queue::scheduler::Scheduler;
use crate::server::VaryingRate;
use crate::stage::StageSpec;

/// A queue and its discipline, as written under `queue`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum QueueSpec {
    /// A limited buffer; unless told otherwise first in, first out, and an arrival that finds no room is dropped. At
    /// most one limit; `packets = 1000` without any.
    DropTail {
        /// Whole capacity in packets, the one in service included (ns-2's `queue-limit`; 1 admits nothing, as in ns-2).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        packets: Option<u64>,
        /// Packets that may wait, the one in service not counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waiting: Option<u64>,
        /// Whole capacity in bytes, the packet in service included.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<Bytes>,
        /// Bytes that may wait, the packet in service not counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waiting_bytes: Option<Bytes>,
        /// Which waiting ACKs an arriving one erases; none when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<FilterSpec>,
        /// Which packet goes when there is no room.
        #[serde(default, skip_serializing_if = "is_default")]
        drop: DropPolicy,
        /// Which waiting packet is next.
        #[serde(default, skip_serializing_if = "is_default")]
        scheduler: Scheduler,
    },
    /// Random early detection.
    Red(crate::queue::red::RedParams),
    /// Drops by how long packets have waited (CoDel, RFC 8289).
    Codel(crate::queue::codel::CodelParams),
    /// A queue for each hash of a connection, with CoDel in each (FQ-CoDel, RFC 8290).
    FqCodel(crate::queue::fq_codel::FqCodelParams),
    /// Drops arrivals with a probability that a controller of the delay sets (PIE, RFC 8033).
    Pie(crate::queue::pie::PieParams),
    /// PIE of a cable modem, which knows the delay from its shaper (DOCSIS-PIE, RFC 8034).
    DocsisPie(crate::queue::docsis_pie::DocsisPieParams),
    /// A queue for senders that answer many marks, one for the others, and one controller for both (DualPI2, RFC 9332).
    #[serde(rename = "dual-pi2")]
    DualPi2(crate::queue::dual_pi2::DualPi2Params),
    /// A queue for each hash of a connection, with PIE in each (FQ-PIE, as in Linux).
    FqPie(crate::queue::fq_pie::FqPieParams),
    /// Drops by how long packets have waited, and more when the queue overflows (COBALT: CoDel and BLUE).
    Cobalt(crate::queue::cobalt::CobaltParams),
    /// A queue for each hash of a connection, with COBALT in each (FQ-COBALT).
    FqCobalt(crate::queue::fq_cobalt::FqCobaltParams),
    /// A shaper, tins, fairness between hosts and flows, COBALT and an ACK filter (CAKE, as in Linux).
    Cake(crate::queue::cake::CakeQueueParams),
    /// Drops what exceeds a token bucket.
    Policer(crate::queue::policer::PolicerParams),
    /// A program's own (`examples/custom`); no file can say it.
    #[serde(skip)]
    Custom(crate::queue::custom::OwnQueue),
}

/// A value that a scenario writes as a text, as messages show it.
pub(crate) fn quoted(value: impl std::fmt::Display) -> String {
    format!("\"{value}\"")
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl QueueSpec {
    /// The queue a link has when the scenario names none.
    pub const DEFAULT: QueueSpec = QueueSpec::drop_tail(Some(1000), None, None, None);

    /// A plain drop-tail queue with these limits.
    pub const fn drop_tail(
        packets: Option<u64>,
        waiting: Option<u64>,
        bytes: Option<Bytes>,
        waiting_bytes: Option<Bytes>,
    ) -> QueueSpec {
        let (drop, scheduler) = (DropPolicy::Tail, Scheduler::Fifo);
        QueueSpec::DropTail { packets, waiting, bytes, waiting_bytes, filter: None, drop, scheduler }
    }
}

/// Where on a link packets are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossPlace {
    /// Before the queue: a lost packet uses neither buffer nor bandwidth (ns-2's `lossmodel`).
    #[default]
    BeforeQueue,
    /// After transmission: a lost packet has used both.
    AfterQueue,
}

/// Which packets a loss model sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossTarget {
    /// Segments, SYN and FIN included.
    Data,
    /// Segments that carry payload.
    Payload,
    /// ACKs.
    Acks,
}

impl LossTarget {
    /// Whether this packet is one that `only` means; all are when it is left out.
    #[inline]
    pub fn includes<P: Carried>(only: Option<LossTarget>, packet: &P) -> bool {
        match only {
            None => true,
            Some(LossTarget::Data) => !packet.is_ack(),
            Some(LossTarget::Payload) => packet.has_payload(),
            Some(LossTarget::Acks) => packet.is_ack(),
        }
    }
}

/// Losses of one link direction, as written under `loss`. Exactly one of `rate`, `gilbert_elliott` and `list` must be given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossSpec {
    /// Each packet is lost with this probability, independently; 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rate: Option<f64>,
    /// Losses in bursts, by a path that is now good, now bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gilbert_elliott: Option<GilbertElliott>,
    /// The packets lost, counted from 0 over what the model sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<u64>>,
    /// Before the queue or after transmission.
    #[serde(default)]
    pub r#where: LossPlace,
    /// Which packets the model sees and counts; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<LossTarget>,
    /// Draws as ns-2 does after `seed N` (all six words of MRG32k3a equal N) instead of from the run's named stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4_294_944_442_u32))]
    pub seed: Option<u32>,
}

/// A path that is now good, now bad, and loses with a probability of either state (Gilbert, Elliott). Its stays are
/// counted in packets, or in time: then the losses do not depend on the load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Mean stay in the good state: a number of packets, or a time such as `"2s"`.
    pub good: Stay,
    /// Mean stay in the bad state, in the same unit.
    pub bad: Stay,
    /// Loss probability in the good state.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_good: f64,
    /// Loss probability in the bad state.
    #[serde(default = "certain")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_bad: f64,
}

fn certain() -> f64 {
    1.0
}

/// The mean length of a stay in a state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Stay {
    /// That many packets, at least 1.
    Packets(f64),
    /// That long, written `"50ms"`.
    Time(Time),
}

impl Stay {
    /// In its own unit: packets or seconds.
    pub fn mean(&self) -> f64 {
        match self {
            Stay::Packets(packets) => *packets,
            Stay::Time(time) => time.secs(),
        }
    }
}

/// A link's rate, as written under `rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RateSpec {
    /// Always the same, such as `"1.5Mbps"`.
    Constant(Rate),
    /// As a table says.
    Varying(VaryingRate),
}

impl RateSpec {
    /// The largest rate (of a Mahimahi trace the mean), and how it varies.
    pub fn parts(self) -> (Rate, Option<VaryingRate>) {
        match self {
            RateSpec::Constant(rate) => (rate, None),
            RateSpec::Varying(varying) => (varying.rate(), Some(varying)),
        }
    }
}

/// One direction of a link, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Index of the node it leaves.
    pub from: u32,
    /// Index of the node it reaches.
    pub to: u32,
    /// Serialisation rate; the largest where it varies.
    pub rate: Rate,
    /// How the rate varies, if it does.
    pub varying: Option<VaryingRate>,
    /// Propagation delay.
    pub delay: Time,
    /// Queue before the transmitter.
    pub queue: QueueSpec,
    /// Loss model, if any.
    pub loss: Option<LossSpec>,
    /// How often a packet passes all of this before it moves on, at least 1.
    pub crossings: u16,
    /// Boxes at its far end, in the order in which packets pass them, and what encloses its wire.
    pub stages: Vec<StageSpec>,
}
