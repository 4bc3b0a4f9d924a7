//! The table of a duplex link, and what its return direction overrides.

use std::fmt;

use acklab_packet::Time;
use acklab_path::spec::{LossSpec, QueueSpec, RateSpec};
use acklab_path::stage::StageSpec;
use schemars::JsonSchema;
use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A duplex link.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkTable {
    /// The two nodes; the forward direction is from the first to the second.
    #[serde(deserialize_with = "two_names")]
    pub between: [String; 2],
    /// Serialisation rate.
    #[schemars(extend("neutral" = { "by": "none" }))]
    pub rate: RateSpec,
    /// Propagation delay.
    #[schemars(extend("neutral" = { "by": "none" }))]
    pub delay: Time,
    /// Queue before the transmitter; drop-tail with 1000 packets where left out.
    pub queue: Option<QueueSpec>,
    /// Losses of the forward direction.
    pub loss: Option<LossSpec>,
    /// How often a packet passes loss model, queue, transmitter and delay before it moves on. It is 2 as a pipe of dummynet that
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
    #[schemars(extend("neutral" = { "by": "none" }))]
    pub rate: Option<RateSpec>,
    /// Propagation delay.
    #[schemars(extend("neutral" = { "by": "none" }))]
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
