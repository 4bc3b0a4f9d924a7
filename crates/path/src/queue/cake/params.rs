//! Parameters of CAKE; keys and defaults are those of tc-cake(8).

use std::sync::Arc;

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::classes::FlowClass;
use super::shaper::Cells;
use super::tins::TinMode;
use crate::queue::QueueParams;
use crate::values::{Checked, Wrong, must, quoted};

/// Between whom bandwidth is shared evenly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Flows.
    Flows,
    /// Source hosts, then flows.
    DualSrchost,
    /// Destination hosts, then flows.
    DualDsthost,
    /// Hosts of either side, whichever has more flows, then flows.
    #[default]
    TripleIsolate,
}

/// Which ACKs are erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckFiltering {
    /// None.
    #[default]
    Off,
    /// One of three that say the same: see `kind = "cake"` under `filter`.
    On,
    /// One of two.
    Aggressive,
}

/// A shaper, tins, fairness between hosts and flows, COBALT and an ACK filter (CAKE, as in Linux).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CakeQueueParams {
    /// Rate of the shaper, from 1 kbps; none when left out. Where it is below the link's rate, packets wait here and not
    /// behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Rate>,
    /// Bytes that the shaper adds to each packet, from -64 to 256.
    #[schemars(range(min = -64, max = 256))]
    pub overhead: i32,
    /// Least size of a packet in the shaper's account, its overhead included; at most 256 B.
    pub mpu: Bytes,
    /// Cells in which the shaper's link carries packets.
    pub cells: Cells,
    /// Into which tins packets are sorted.
    pub tins: TinMode,
    /// Between whom bandwidth is shared evenly.
    pub isolation: Isolation,
    /// The usual round trip: COBALT's interval, twenty times its target; from 1 ms to 100 s.
    pub rtt: Time,
    /// Memory that packets may take, counted as Linux does. When left out: 15,360,000 B, or, with a `bandwidth`, four times
    /// what it carries in an `rtt`, if that is less, and at least 4 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("neutral" = { "value": "1000GB" }))]
    pub memory: Option<Bytes>,
    /// Which ACKs are erased.
    #[schemars(extend("neutral" = { "value": "off" }))]
    pub ack_filter: AckFiltering,
    /// Size of the largest packet, from 1 B: no packet is dropped that waited shorter than four of them take.
    pub max_packet: Bytes,
    /// Hosts and code points of the run's flows, by index.
    #[serde(skip)]
    pub classes: Arc<[FlowClass]>,
}

impl Default for CakeQueueParams {
    fn default() -> CakeQueueParams {
        CakeQueueParams {
            bandwidth: None,
            overhead: 0,
            mpu: Bytes::new(0),
            cells: Cells::None,
            tins: TinMode::Diffserv3,
            isolation: Isolation::TripleIsolate,
            rtt: Time::from_secs(0.1),
            memory: None,
            ack_filter: AckFiltering::Off,
            max_packet: Bytes::new(1500),
            classes: Arc::new([]),
        }
    }
}

impl QueueParams for CakeQueueParams {
    fn check(&mut self, rate: Option<Rate>) -> Checked {
        let positive = |key, bytes: Bytes| must(bytes.get() > 0, key, "must be at least 1B", quoted("0B"));
        if let Some(bandwidth) = self.bandwidth {
            must(bandwidth.bps() >= 1000.0, "bandwidth", "must be at least 1kbps", quoted(bandwidth))?;
            if rate.is_none() {
                // A shaper needs a link that waits for it.
                return Err(Wrong::at("bandwidth", "shapes a link; a wireless medium has its own rate"));
            }
        }
        must((-64..=256).contains(&self.overhead), "overhead", "must be from -64 to 256", self.overhead)?;
        must(self.mpu.get() <= 256, "mpu", "must be at most 256B", quoted(self.mpu))?;
        must((0.001..=100.0).contains(&self.rtt.secs()), "rtt", "must be from 1ms to 100s", quoted(self.rtt))?;
        self.memory.map_or(Ok(()), |bytes| positive("memory", bytes))?;
        positive("max_packet", self.max_packet)
    }

    fn classes(&mut self) -> Option<&mut Arc<[FlowClass]>> {
        Some(&mut self.classes)
    }
}

impl CakeQueueParams {
    /// Bytes of memory that packets may take.
    pub(super) fn memory_limit(&self) -> u64 {
        let most = 10_240 * self.max_packet.get();
        let carried = |rate: Rate| ((rate.bps() / 8.0 * self.rtt.secs() * 4.0) as u64).max(4 << 20);
        self.memory.map_or_else(|| self.bandwidth.map_or(most, carried).min(most), Bytes::get)
    }
}
