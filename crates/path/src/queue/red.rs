//! Random early detection (Floyd and Jacobson 1993), as ns-2 computes it (docs/oracle/NS2-SEMANTICS.md section 2;
//! ledger allman1998.m.red).

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store::{Room, Store};
use super::{Backlog, Queue, QueueParams, Removal, Scheduler, Service};
use crate::Carried;
use crate::ack_filter::{self, FilterSpec};
use crate::random::{self, Random};
use crate::values::{Checked, at_least, bytes, must, number, yes};

// Thresholds are in packets; the defaults are those of 1998 (packets, not gentle, waiting).
/// Random early detection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedParams {
    /// Whole capacity in packets, the one in service included.
    #[serde(default = "number::<u64, 41>")]
    #[schemars(range(min = 2))]
    #[schemars(extend("neutral" = { "value": 1_000_000_000 }))]
    pub packets: u64,
    /// Average queue at which dropping begins.
    #[serde(default = "number::<f64, 7>")]
    pub min: f64,
    /// Average queue at which everything is dropped, or, when gentle, at which the drop probability is `max_p`.
    #[serde(default = "number::<f64, 21>")]
    pub max: f64,
    /// Weight of a new length in the average.
    #[serde(default = "weight")]
    pub weight: f64,
    /// Drop probability at `max`.
    #[serde(default = "max_p")]
    pub max_p: f64,
    /// Whether the drop probability rises from `max_p` to 1 between `max` and twice `max`.
    #[serde(default)]
    pub gentle: bool,
    /// Whether a drop waits until 1/p packets have passed since the last one, which spaces drops more evenly.
    #[serde(default = "yes")]
    pub wait: bool,
    /// Size of a typical packet: ages the average while the link is idle, and is the unit of byte mode.
    #[serde(default = "bytes::<1000>")]
    pub mean_packet: Bytes,
    /// Whether the queue is measured in bytes, in units of `mean_packet`.
    #[serde(default)]
    pub count_bytes: bool,
    /// Whether a large packet is more likely to be dropped than a small one.
    #[serde(default)]
    pub weigh_bytes: bool,
    /// Whether a packet that would be dropped early is marked instead, if its sender understands marks.
    #[serde(default)]
    pub ecn: bool,
    /// Which waiting packet is next; the average is of all, whichever is served.
    #[serde(default, skip_serializing_if = "crate::values::is_default")]
    pub scheduler: Scheduler,
    /// Which waiting ACKs an arriving one erases; none when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterSpec>,
    /// Draws as ns-2 does after `seed N` instead of from the run's named stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// With `seed`: draws that others have taken before the first of this queue.
    #[serde(default)]
    pub skip: u64,
}

impl QueueParams for RedParams {
    fn check(&mut self, _: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        at_least(2, "packets", self.packets)?;
        let min = self.min.is_finite() && self.min >= 0.0;
        must(min, "min", "must be a number of packets, 0 or more", self.min)?;
        let max = self.max.is_finite() && self.max >= self.min;
        must(max, "max", "must be a number, not below min", self.max)?;
        // Aging an idle queue's average takes a step per packet it could have carried, until the average is nothing.
        must((1e-4..=1.0).contains(&self.weight), "weight", "must be from 0.0001 to 1", self.weight)?;
        random::check_seed(self.seed)?;
        must(self.max_p > 0.0 && self.max_p <= 1.0, "max_p", "must be above 0 and at most 1", self.max_p)?;
        must(self.mean_packet.get() > 0, "mean_packet", "must be at least 1B", 0)?;
        let skip = self.skip == 0 || self.seed.is_some();
        must(skip, "skip", "counts draws of ns-2's stream; must be 0 without a `seed`", self.skip)?;
        must(self.skip <= 10_000_000, "skip", "must be at most 10000000", self.skip)
    }
}

fn weight() -> f64 {
    0.002
}
fn max_p() -> f64 {
    0.1
}
/// A RED queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Red<P> {
    control: Control,
    store: Store<P>,
}

/// RED's decision on an arrival, and what it follows from.
#[derive(Clone, Debug, PartialEq)]
struct Control {
    params: RedParams,
    random: Random,
    /// Typical packets a second the link can carry.
    packets_per_second: f64,
    /// Thresholds in the unit in which the queue is measured.
    min: f64,
    max: f64,
    limit: u64,
    slope: f64,
    offset: f64,
    average: f64,
    /// Arrivals, and their bytes, since the last drop.
    count: u64,
    count_bytes: u64,
    /// Whether the average was above `min` at the last arrival.
    above: bool,
    /// Whether the first arrival after the last departure is still to come.
    idle: bool,
}

impl<P: Carried> Red<P> {
    /// A queue before a link of `rate`.
    pub fn new(params: &RedParams, rate: Rate, random: impl FnOnce() -> Random) -> Red<P> {
        let mut random = params.seed.map_or_else(random, Random::ns2);
        if params.seed.is_some() {
            (0..params.skip).for_each(|_| _ = random.uniform());
        }
        let mean = params.mean_packet.get() as f64;
        let unit = if params.count_bytes { mean } else { 1.0 };
        let (min, max) = (params.min * unit, params.max * unit);
        let span = if max == min { 1.0 } else { max - min };
        let control = Control {
            random,
            packets_per_second: rate.bps() / (8.0 * mean),
            min,
            max,
            limit: params.packets.saturating_sub(1).saturating_mul(unit as u64),
            slope: 1.0 / span,
            offset: -min / span,
            average: 0.0,
            count: 0,
            count_bytes: 0,
            above: false,
            idle: true,
            params: params.clone(),
        };
        Red { control, store: Store::scheduled(1, params.filter, params.scheduler, rate) }
    }
}

impl Control {
    /// Ages the average by what the link could have carried while idle, and takes in the present length.
    fn update_average(&mut self, length: u64, service: Service, now: Time) {
        let keep = 1.0 - self.params.weight;
        if let (true, Service::Idle(since)) = (self.idle, service) {
            let missed = (self.packets_per_second * (now - since).secs()) as u64;
            self.average = aged(self.average, keep, missed);
        }
        self.idle = false;
        self.average *= keep;
        self.average += self.params.weight * length as f64;
    }

    /// Drop probability for the average alone.
    fn base_probability(&self) -> f64 {
        let max_p = self.params.max_p;
        let p = if self.average < self.max {
            (self.slope * self.average + self.offset) * max_p
        } else if self.params.gentle {
            (1.0 - max_p) / self.max * self.average + (2.0 * max_p - 1.0)
        } else {
            1.0
        };
        p.min(1.0)
    }

    /// The same, adjusted so that drops are spaced uniformly instead of geometrically.
    fn probability(&self, size: u32) -> f64 {
        let mean = self.params.mean_packet.get();
        let count = if self.params.weigh_bytes { (self.count_bytes / mean) as f64 } else { self.count as f64 };
        let mut p = self.base_probability();
        p = match (count * p, self.params.wait) {
            (passed, true) if passed < 1.0 => 0.0,
            (passed, true) if passed < 2.0 => p / (2.0 - passed),
            (passed, false) if passed < 1.0 => p / (1.0 - passed),
            _ => 1.0,
        };
        if self.params.weigh_bytes && p < 1.0 {
            p = p * f64::from(size) / mean as f64;
        }
        p.min(1.0)
    }

    fn restart_count(&mut self) {
        self.count = 0;
        self.count_bytes = 0;
    }

    /// Whether the arrival is dropped by chance; it may be marked instead.
    fn drops_early<P: Carried>(&mut self, packet: &mut P) -> bool {
        let p = self.probability(packet.wire_bytes());
        if self.random.uniform() > p {
            return false;
        }
        self.restart_count();
        !(self.params.ecn && packet.mark())
    }

    /// Why an arrival is dropped, if it is.
    fn refuses<P: Carried>(&mut self, packet: &mut P, room: Room, service: Service, now: Time) -> Option<Removal> {
        let length = if self.params.count_bytes { room.bytes } else { room.packets };
        self.update_average(length, service, now);
        let size = packet.wire_bytes();
        self.count += 1;
        self.count_bytes += u64::from(size);
        let certain = if self.params.gentle { 2.0 * self.max } else { self.max };
        let (mut forced, mut early) = (length >= self.limit, false);
        if self.average >= self.min && length > 1 {
            if self.average >= certain {
                forced = true;
            } else if !self.above {
                self.above = true;
                self.count = 1;
                self.count_bytes = u64::from(size);
            } else {
                early = self.drops_early(packet);
            }
        } else {
            self.above = false;
        }
        if forced {
            self.restart_count();
        }
        (forced || early).then_some(if length >= self.limit { Removal::Full } else { Removal::Early })
    }
}

/// What is left of `average` after `times` arrivals at an empty queue, each of which keeps the share `keep`. The
/// products are computed one by one, as in ns-2, so that the last bit is the same.
fn aged(mut average: f64, keep: f64, times: u64) -> f64 {
    for _ in 0..times {
        // Too little for any sum to notice. Products of such numbers are slow, and rounding keeps them from ever being 0, so that
        // an hour's pause of a fast link would take minutes.
        if average < f64::MIN_POSITIVE {
            break;
        }
        average *= keep;
    }
    average
}

impl<P: Carried> Queue<P> for Red<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        let control = &mut self.control;
        self.store.admit(0, packet, now, removed, |packet, room| control.refuses(packet, room, service, now));
    }

    fn dequeue(&mut self, now: Time, _: &mut Vec<(P, Removal)>) -> Option<P> {
        let (_, packet) = self.store.pop(0, now)?;
        self.control.idle = self.store.held().packets == 0;
        Some(packet)
    }

    #[inline]
    fn held(&self) -> Backlog {
        self.store.held()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_pause_ages_the_average_until_nothing_is_left_and_no_longer() {
        let keep = 1.0 - 0.002;
        let one_by_one = (0..300_000).fold(9.0, |left, _| left * keep);
        assert_eq!(aged(9.0, keep, 300_000).to_bits(), one_by_one.to_bits());
        // The least weight a scenario may give; as many packets as no loop would end with.
        for keep in [keep, 1.0 - 0.0001] {
            let left = aged(9.0, keep, u64::MAX);
            assert!(left < f64::MIN_POSITIVE, "{left}");
            assert_eq!(left + 0.0001, 0.0001);
        }
        assert_eq!((aged(9.0, 0.0, 1), aged(9.0, 0.0, 0)), (0.0, 9.0));
    }
}
