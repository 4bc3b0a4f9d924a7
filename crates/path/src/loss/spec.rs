//! Losses as a scenario writes them.

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;

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
#[schemars(extend("neutral" = { "by": "absent" }))]
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
