//! A policer: an arrival for which a bucket has too few tokens is dropped (RFC 2697 section 1 in its simplest form, as Linux's
//! `police` action). What conforms waits in a drop-tail queue.

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store::Store;
use super::{Backlog, Limit, Queue, QueueParams, Removal, Service};
use crate::Carried;
use crate::ack_filter::{self, FilterSpec};
use crate::random::Random;
use crate::server::token_bucket::Bucket;
use crate::values::{Checked, at_least, must, number, quoted};

/// Drops what exceeds a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicerParams {
    /// Rate at which tokens come, from 1 bps.
    pub mean: Rate,
    /// Bytes for which there are tokens at most, and at first; at least 1 B.
    pub burst: Bytes,
    /// Whole capacity of the queue behind it in packets, the one in service included; at least 2.
    #[serde(default = "number::<u64, 1000>")]
    #[schemars(range(min = 2))]
    #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
    pub packets: u64,
    /// Which ACKs in the queue behind it an arriving one erases; none when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterSpec>,
}

impl QueueParams for PolicerParams {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        must(self.mean.bps() >= 1.0, "mean", "must be at least 1bps", quoted(self.mean))?;
        at_least(2, "packets", self.packets)?;
        must(self.burst.get() > 0, "burst", "must be at least 1B", quoted(self.burst))
    }
}

/// A policer and the queue behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Policer<P> {
    bucket: Bucket,
    limit: Limit,
    behind: Store<P>,
}

impl<P: Carried> Policer<P> {
    /// The policer with these parameters before a link of `rate`; its bucket is full.
    pub fn new(params: &PolicerParams, rate: Rate, _: impl FnOnce() -> Random) -> Policer<P> {
        Policer {
            bucket: Bucket::new(params.mean, params.burst),
            limit: Limit::Packets(params.packets),
            behind: Store::new(1, params.filter, rate),
        }
    }
}

impl<P: Carried> Queue<P> for Policer<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        if self.bucket.takes(packet.wire_bytes(), now) {
            let (limit, size) = (self.limit, u64::from(packet.wire_bytes()));
            self.behind.admit(0, packet, now, removed, |_, room| limit.refuses(size, room, service));
        } else {
            removed.push((packet, Removal::Early));
        }
    }

    fn dequeue(&mut self, now: Time, _: &mut Vec<(P, Removal)>) -> Option<P> {
        Some(self.behind.pop(0, now)?.1)
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.behind.held()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bare;

    /// 1 MB/s: a byte each microsecond, and 2500 at first.
    #[test]
    fn what_exceeds_the_rate_is_dropped() {
        let params = PolicerParams { mean: Rate::from_bps(8e6), burst: Bytes::new(2500), packets: 100, filter: None };
        let (mut queue, mut removed) = (Policer::new(&params, Rate::from_bps(1e9), || Random::stream(0)), Vec::new());
        for (number, ms) in [0.0, 0.0, 0.0, 0.4, 0.6, 5.0, 5.0, 5.0].into_iter().enumerate() {
            let packet = Bare { size: 1000, number: number as u64 };
            queue.enqueue(packet, Service::Busy(1000), Time::from_secs(ms / 1000.0), &mut removed);
        }
        let dropped: Vec<u64> = removed.iter().map(|(packet, _)| packet.number).collect();
        // 500 are left after two; 400 more at 0.4 ms are not enough, 600 at 0.6 ms are; at 5 ms it is full.
        assert_eq!(dropped, [2, 3, 7]);
    }
}
