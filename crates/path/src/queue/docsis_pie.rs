//! DOCSIS-PIE: PIE of a cable modem, which knows from its shaper how long its queue will take (RFC 8034).

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pie::control::{Clock, tuned};
use super::store::Store;
use super::{Backlog, Limit, Queue, QueueParams, Removal, Service};
use crate::ack_filter::{self, FilterSpec};
use crate::random::Random;
use crate::server::token_bucket::Bucket;
use crate::values::{Checked, micros, must, quoted};
use crate::{Buffer, Carried};

/// Constants of RFC 8034 appendix A.1.2, in seconds and bytes.
const A: f64 = 0.25;
const B: f64 = 2.5;
const INTERVAL: f64 = 0.016;
const BURST_RESET: f64 = 1.0;
const MAX_BURST: f64 = 0.142;
const MEAN_PACKET: f64 = 1024.0;
const MIN_PACKET: f64 = 64.0;
const PROB_LOW: f64 = 0.85;
const PROB_HIGH: f64 = 8.5;
const LATENCY_LOW: f64 = 0.005;
const LATENCY_HIGH: f64 = 0.2;

// RFC 8034 appendix A.1.1; it marks nothing (section 4.7).
/// PIE of a cable modem, which knows the delay from its shaper (DOCSIS-PIE, RFC 8034).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocsisPieParams {
    /// Bytes that may wait, the packet in service not counted, at least 1 B; or as the time for which the link sends them. Below a third of
    /// them nothing is dropped at first.
    #[schemars(extend("neutral" = { "value": "1000GB" }))]
    pub buffer: Buffer,
    /// Delay that the controller aims at: more than 0, at most 100 s.
    #[serde(default = "micros::<10_000>")]
    pub target: Time,
    /// Maximum Sustained Traffic Rate, from 1 bps; the link's rate when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<Rate>,
    /// Peak Traffic Rate, from `mean`; the link's rate when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<Rate>,
    /// Maximum Traffic Burst: bytes that may leave at `peak` after a pause. None when left out. Where the link is a token bucket, its
    /// `mean` and `burst` are to be the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Bytes>,
    /// Which waiting ACKs an arriving one erases; none when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterSpec>,
}

impl QueueParams for DocsisPieParams {
    fn check(&mut self, rate: Option<Rate>) -> Checked {
        ack_filter::check(self.filter)?;
        self.buffer.count("buffer", rate)?;
        must(self.buffer != Buffer::bytes(0), "buffer", "must be at least 1B", quoted("0B"))?;
        let target = self.target.secs() > 0.0 && self.target.secs() <= 100.0;
        must(target, "target", "must be more than 0s and at most 100s", quoted(self.target))?;
        let least = self.mean.map_or(1.0, Rate::bps);
        self.mean.map_or(Ok(()), |mean| must(least >= 1.0, "mean", "must be at least 1bps", quoted(mean)))?;
        self.peak.map_or(Ok(()), |peak| {
            must(peak.bps() >= least, "peak", "must be at least 1bps, and not less than `mean`", quoted(peak))
        })
    }

    fn buffer(&self) -> Option<Buffer> {
        Some(self.buffer)
    }
}

/// State of the burst protection (RFC 8034 section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// None is, until a third of the buffer is used.
    Inactive,
    /// One is, and then the burst protection begins.
    Quiescent,
    Active,
}

/// The controller: the probability of a drop, for a packet of 1,024 bytes, and what it follows from.
#[derive(Clone, Debug, PartialEq)]
struct Control {
    target: f64,
    buffer: u64,
    probability: f64,
    /// What the packets since the last drop add up to.
    sum: f64,
    delay_before: f64,
    protection: f64,
    quiet: f64,
    state: State,
}

impl Control {
    /// Whether an update would change nothing while no packet comes.
    fn rests(&self) -> bool {
        self.state == State::Inactive && self.probability == 0.0 && self.protection == 0.0 && self.delay_before == 0.0
    }

    /// An update after an interval, with a queue that will take `delay` seconds (appendix A.2).
    fn update(&mut self, delay: f64) {
        if self.protection > 0.0 {
            self.probability = 0.0;
            self.protection = (self.protection - INTERVAL).max(0.0);
        } else {
            let large = if self.probability < 1.0 {
                2.0
            } else if self.probability < 10.0 {
                8.0
            } else {
                32.0
            };
            let change = A * (delay - self.target) + B * (delay - self.delay_before);
            let change = change * tuned(self.probability, large);
            self.probability += if self.probability >= 0.1 { change.min(0.02) } else { change };
            if delay < LATENCY_LOW && self.delay_before < LATENCY_LOW {
                self.probability *= 0.98;
            } else if delay > LATENCY_HIGH {
                self.probability += 0.02;
            }
            self.probability = self.probability.clamp(0.0, PROB_LOW * MEAN_PACKET / MIN_PACKET);
        }
        let half = self.target / 2.0;
        let quiet = delay < half && self.delay_before < half && self.probability == 0.0 && self.protection == 0.0;
        match self.state {
            State::Active if quiet => (self.state, self.quiet) = (State::Quiescent, 0.0),
            State::Quiescent => {
                self.quiet = if quiet { self.quiet + INTERVAL } else { 0.0 };
                if self.quiet > BURST_RESET {
                    (self.state, self.quiet) = (State::Inactive, 0.0);
                }
            }
            State::Active | State::Inactive => {}
        }
        self.delay_before = delay;
    }

    /// Whether an arrival of `size` bytes that finds `bytes` waiting is dropped (appendix A.3).
    fn drops(&mut self, size: u32, bytes: u64, random: &mut Random) -> bool {
        if self.protection > 0.0 {
            return false;
        }
        if self.probability == 0.0 {
            self.sum = 0.0;
        }
        if self.state == State::Inactive {
            if bytes * 3 < self.buffer {
                return false;
            }
            self.state = State::Quiescent;
        }
        let probability = (self.probability * f64::from(size) / MEAN_PACKET).min(PROB_LOW);
        self.sum += probability;
        let short = self.delay_before < self.target / 2.0 && self.probability < 0.2;
        if short || bytes as f64 <= 2.0 * MEAN_PACKET || self.sum < PROB_LOW {
            return false;
        }
        if self.sum < PROB_HIGH && random.uniform() > probability {
            return false;
        }
        self.sum = 0.0;
        if self.state == State::Quiescent {
            (self.state, self.protection) = (State::Active, MAX_BURST);
        }
        true
    }
}

/// A DOCSIS-PIE queue.
#[derive(Clone, Debug, PartialEq)]
pub struct DocsisPie<P> {
    limit: Limit,
    store: Store<P>,
    /// Credit to send faster than `mean`.
    bucket: Bucket,
    /// Bytes per second.
    mean: f64,
    peak: f64,
    control: Control,
    clock: Clock,
    random: Random,
}

impl<P: Carried> DocsisPie<P> {
    /// An empty queue before a link of `rate`.
    pub fn new(params: &DocsisPieParams, rate: Rate, random: impl FnOnce() -> Random) -> DocsisPie<P> {
        let (mean, buffer) = (params.mean.unwrap_or(rate), params.buffer.at(rate).get());
        DocsisPie {
            limit: Limit::WaitingBytes(buffer),
            store: Store::new(1, params.filter, rate),
            bucket: Bucket::new(mean, params.burst.unwrap_or(Bytes::new(0))),
            mean: mean.bps() / 8.0,
            peak: params.peak.unwrap_or(rate).bps() / 8.0,
            control: Control {
                target: params.target.secs(),
                buffer,
                probability: 0.0,
                sum: 0.0,
                delay_before: 0.0,
                protection: 0.0,
                quiet: 0.0,
                state: State::Inactive,
            },
            clock: Clock::new(Time::from_secs(INTERVAL)),
            random: random(),
        }
    }

    fn catch_up(&mut self, now: Time) {
        let DocsisPie { control, bucket, store, mean, peak, .. } = self;
        let bytes = store.bytes();
        self.clock.catch_up(now, |then| {
            // What the bucket holds leaves at the peak rate, the rest at the mean rate.
            let fast = bucket.level(then).min(bytes as f64);
            control.update((bytes as f64 - fast) / *mean + fast / *peak);
            control.rests() && bytes == 0
        });
    }
}

impl<P: Carried> Queue<P> for DocsisPie<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        self.catch_up(now);
        let DocsisPie { limit, store, control, random, .. } = self;
        let size = packet.wire_bytes();
        store.admit(0, packet, now, removed, |_, room| {
            let full = limit.refuses(size.into(), room, service);
            if full.is_some() {
                control.sum = 0.0;
            }
            full.or_else(|| control.drops(size, room.bytes, random).then_some(Removal::Early))
        });
    }

    fn dequeue(&mut self, now: Time, _: &mut Vec<(P, Removal)>) -> Option<P> {
        self.catch_up(now);
        let (_, packet) = self.store.pop(0, now)?;
        self.bucket.wait(packet.wire_bytes(), now);
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
    use crate::Bare;

    /// 1 MB/s, and 4 MB/s for a burst.
    fn queue(burst: u64, buffer: u64) -> DocsisPie<Bare> {
        let mut text = serde_json::json!({ "buffer": format!("{buffer}B"), "mean": "8Mbps", "peak": "32Mbps" });
        if burst > 0 {
            text["burst"] = format!("{burst}B").into();
        }
        let mut params: DocsisPieParams = serde_json::from_value(text).expect("parameters");
        assert_eq!((params.check(None), params.target), (Ok(()), Time::from_secs(0.01)));
        DocsisPie::new(&params, Rate::from_bps(1e9), || Random::stream(0))
    }

    fn arrive(queue: &mut DocsisPie<Bare>, count: u32, size: u32, ms: f64) -> usize {
        let mut removed = Vec::new();
        for _ in 0..count {
            queue.enqueue(Bare::of(size), Service::Busy(size), Time::from_secs(ms / 1e3), &mut removed);
        }
        removed.len()
    }

    /// 20,000 bytes take 20 ms. The first update adds (0.25 * 0.010 + 2.5 * 0.020) / 2048, the next ones 0.0025 over 128.
    #[test]
    fn the_probability_follows_the_table_of_appendix_a_2() {
        let mut queue = queue(0, 1_000_000);
        arrive(&mut queue, 20, 1000, 0.0);
        let first = 0.0525 / 2048.0;
        let step = 0.0025 / 128.0;
        for (updates, expected) in [(1, first), (2, first + step), (4, first + 3.0 * step), (5, first + 4.0 * step)] {
            queue.catch_up(Time::from_secs(0.016 * f64::from(updates) + 0.001));
            assert!((queue.control.probability - expected).abs() < 1e-12, "{updates}: {}", queue.control.probability);
        }
    }

    /// By the size of the probability: what an update with 20 ms before and now adds, 0.0025 times its factor, at most 0.02 from 0.1 on.
    #[test]
    fn the_factor_of_a_change_grows_with_the_probability_beyond_1() {
        for (probability, factor) in [
            (0.5e-6, 1.0 / 2048.0),
            (0.5e-5, 1.0 / 512.0),
            (0.5e-4, 1.0 / 128.0),
            (0.5e-3, 1.0 / 32.0),
            (0.5e-2, 1.0 / 8.0),
            (0.05, 0.5),
            (0.5, 2.0),
            (5.0, 8.0),
            (11.0, 8.0),
        ] {
            let mut control = queue(0, 1).control;
            (control.probability, control.delay_before) = (probability, 0.02);
            control.update(0.02);
            let change = control.probability - probability;
            assert!((change - 0.0025 * factor).abs() < 1e-12, "{probability}: {change}");
        }
        // 0.0025 * 32 is more than 0.02; what falls is not bounded: from 20 ms to 6 ms, (-0.001 - 0.035) * 32.
        let mut control = queue(0, 1).control;
        (control.probability, control.delay_before) = (11.0, 0.02);
        control.update(0.006);
        assert!((control.probability - (11.0 - 1.152)).abs() < 1e-9);
    }

    /// Section 4.2: tokens leave at 4 MB/s, the rest at 1 MB/s. Section 4.5: below 5 ms the probability decays. Above 200 ms it climbs.
    #[test]
    fn the_delay_is_that_of_the_shaper_and_its_ends_are_special() {
        let mut one = queue(8000, 1_000_000);
        arrive(&mut one, 20, 1000, 0.0);
        one.catch_up(Time::from_secs(0.017));
        assert!((one.control.delay_before - 0.014).abs() < 1e-12, "12,000 at 1 MB/s and 8,000 at 4 MB/s");
        let mut control = queue(0, 1).control;
        (control.probability, control.delay_before) = (0.05, 0.004);
        control.update(0.004);
        assert!((control.probability - (0.05 - 0.0015 / 2.0) * 0.98).abs() < 1e-12);
        (control.probability, control.delay_before) = (0.5, 0.21);
        control.update(0.21);
        assert!((control.probability - 0.54).abs() < 1e-12);
        control.probability = 13.6;
        control.update(0.21);
        assert_eq!(control.probability, 13.6, "0.85 * 1024 / 64");
    }

    /// Section 4.3: nothing below a third, then one drop, then 142 ms without; after a second of quiet, a third again.
    #[test]
    fn one_drop_and_then_the_burst_is_protected() {
        let mut queue = queue(0, 90_000);
        queue.control.probability = 13.6;
        queue.control.delay_before = 0.03;
        assert_eq!((arrive(&mut queue, 30, 1000, 1.0), queue.control.state), (0, State::Inactive));
        assert_eq!(arrive(&mut queue, 20, 1000, 1.0), 1);
        assert_eq!((queue.control.state, queue.control.protection), (State::Active, 0.142));
        // Nine updates of 16 ms end it: at 144 ms.
        assert_eq!(arrive(&mut queue, 1, 1000, 143.0), 0);
        assert!(queue.control.protection > 0.0);
        queue.catch_up(Time::from_secs(0.1445));
        assert_eq!((queue.control.protection, queue.control.probability), (0.0, 0.0));
        while queue.dequeue(Time::from_secs(0.15), &mut Vec::new()).is_some() {}
        queue.catch_up(Time::from_secs(0.2));
        assert_eq!(queue.control.state, State::Quiescent);
        queue.catch_up(Time::from_secs(1.1));
        assert_eq!(queue.control.state, State::Quiescent);
        queue.catch_up(Time::from_secs(1.3));
        assert_eq!(queue.control.state, State::Inactive);
    }

    /// Section 4.4: packets of 64 bytes arrive at twice the rate, and half of them are dropped. The probability of 8
    /// that it names would do so alone. But appendix A.3 spares the packet after a drop while the scaled probability is
    /// below 0.85. So every other packet is dropped only near 0.85 * 16 = 13.6.
    #[test]
    fn a_flood_of_small_packets_is_halved() {
        let mut queue = queue(0, 200_000);
        let (mut drops, mut sum, mut arrivals) = (0, 0.0, 0_u32);
        for i in 0..2_000_000_u32 {
            let ms = f64::from(i) * 0.032;
            let dropped = arrive(&mut queue, 1, 64, ms);
            if i % 2 == 1 {
                queue.dequeue(Time::from_secs(ms / 1e3), &mut Vec::new());
            }
            if i >= 1_000_000 {
                (drops, sum, arrivals) = (drops + dropped, sum + queue.control.probability, arrivals + 1);
            }
        }
        let (share, mean) = (drops as f64 / f64::from(arrivals), sum / f64::from(arrivals));
        assert!((0.49..0.51).contains(&share), "{share}");
        assert!((13.4..13.6).contains(&mean), "{mean}");
    }
}
