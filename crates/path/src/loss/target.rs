//! Where and of which packets a loss model takes some.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;

/// The place on a link at which packets are lost.
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
    /// Returns whether `only` means this packet; without it, all are meant.
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
