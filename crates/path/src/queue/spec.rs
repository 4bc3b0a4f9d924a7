//! A queue as a scenario writes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DropPolicy, Scheduler};
use crate::Buffer;
use crate::ack_filter::FilterSpec;
use crate::values::is_default;

/// A queue and its discipline, as written under `queue`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("neutral" = { "by": "drop-tail" }))]
pub enum QueueSpec {
    /// A limited buffer; unless told otherwise first in, first out, and an arrival that finds no room is dropped. At
    /// most one limit; `packets = 1000` without any.
    DropTail {
        /// Whole capacity in packets, the one in service included (ns-2's `queue-limit`; 1 admits nothing, as in ns-2).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
        packets: Option<u64>,
        /// Packets that may wait, the one in service not counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
        waiting: Option<u64>,
        /// Whole capacity in bytes, the packet in service included; or as the time for which the link sends them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("neutral" = { "value": "1000GB" }))]
        bytes: Option<Buffer>,
        /// Bytes that may wait, the packet in service not counted; or as the time for which the link sends them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("neutral" = { "value": "1000GB" }))]
        waiting_bytes: Option<Buffer>,
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
    Red(super::red::RedParams),
    /// Drops by how long packets have waited (CoDel, RFC 8289).
    Codel(super::codel::CodelParams),
    /// A queue for each hash of a connection, with CoDel in each (FQ-CoDel, RFC 8290).
    FqCodel(super::fq_codel::FqCodelParams),
    /// Drops arrivals with a probability that a controller of the delay sets (PIE, RFC 8033).
    Pie(super::pie::PieParams),
    /// PIE of a cable modem, which knows the delay from its shaper (DOCSIS-PIE, RFC 8034).
    DocsisPie(super::docsis_pie::DocsisPieParams),
    /// A queue for senders that answer many marks, one for the others, and one controller for both (DualPI2, RFC 9332).
    #[serde(rename = "dual-pi2")]
    DualPi2(super::dual_pi2::DualPi2Params),
    /// A queue for each hash of a connection, with PIE in each (FQ-PIE, as in Linux).
    FqPie(super::fq_pie::FqPieParams),
    /// Drops by how long packets have waited, and more when the queue overflows (COBALT: CoDel and BLUE).
    Cobalt(super::cobalt::CobaltParams),
    /// A queue for each hash of a connection, with COBALT in each (FQ-COBALT).
    FqCobalt(super::fq_cobalt::FqCobaltParams),
    /// A shaper, tins, fairness between hosts and flows, COBALT and an ACK filter (CAKE, as in Linux).
    Cake(super::cake::CakeQueueParams),
    /// Drops what exceeds a token bucket.
    Policer(super::policer::PolicerParams),
    /// A program's own (`examples/custom`); no file can say it.
    #[serde(skip)]
    Custom(super::custom::OwnQueue),
}

impl QueueSpec {
    /// The queue a link has when the scenario names none.
    pub const DEFAULT: QueueSpec = QueueSpec::drop_tail(Some(1000), None, None, None);

    /// A plain drop-tail queue with these limits.
    pub const fn drop_tail(
        packets: Option<u64>,
        waiting: Option<u64>,
        bytes: Option<Buffer>,
        waiting_bytes: Option<Buffer>,
    ) -> QueueSpec {
        let (drop, scheduler) = (DropPolicy::Tail, Scheduler::Fifo);
        QueueSpec::DropTail { packets, waiting, bytes, waiting_bytes, filter: None, drop, scheduler }
    }

    /// Its limits in bytes, as they are written.
    pub fn buffers(&mut self) -> impl Iterator<Item = (&'static str, &mut Buffer)> {
        let found = match self {
            QueueSpec::DropTail { bytes, waiting_bytes, .. } => [
                bytes.as_mut().map(|buffer| ("bytes", buffer)),
                waiting_bytes.as_mut().map(|buffer| ("waiting_bytes", buffer)),
            ],
            QueueSpec::DocsisPie(params) => [Some(("buffer", &mut params.buffer)), None],
            _ => [None, None],
        };
        found.into_iter().flatten()
    }

    /// Its ACK filter, if it has one. CAKE's own is a key of CAKE, and a program's queue has none.
    pub fn filter(&self) -> Option<&FilterSpec> {
        match self {
            QueueSpec::DropTail { filter, .. } => filter.as_ref(),
            QueueSpec::Red(params) => params.filter.as_ref(),
            QueueSpec::Codel(params) => params.filter.as_ref(),
            QueueSpec::FqCodel(params) => params.filter.as_ref(),
            QueueSpec::Pie(params) => params.filter.as_ref(),
            QueueSpec::DocsisPie(params) => params.filter.as_ref(),
            QueueSpec::DualPi2(params) => params.filter.as_ref(),
            QueueSpec::FqPie(params) => params.filter.as_ref(),
            QueueSpec::Cobalt(params) => params.filter.as_ref(),
            QueueSpec::FqCobalt(params) => params.filter.as_ref(),
            QueueSpec::Policer(params) => params.filter.as_ref(),
            QueueSpec::Cake(_) | QueueSpec::Custom(_) => None,
        }
    }
}
