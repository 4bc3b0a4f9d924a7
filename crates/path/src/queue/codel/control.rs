//! CoDel's decision on a packet that leaves, over any store of packets (RFC 8289 sections 5.5 and 5.6).

use acklab_packet::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Carried;
use crate::queue::Removal;
use crate::values::{Checked, must, quoted};

/// How the times between drops are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// The interval by the square root of the drops (RFC 8289 section 5.3).
    #[default]
    Rfc8289,
    /// As Linux does: times in units of 1.024 us, and one step of Newton's method for the root, in 16 bits. After the first
    /// drop the second follows in half an interval, where the RFC waits 0.71 of one.
    Linux,
}

impl Law {
    /// A time in the law's unit.
    fn ticks(self, time: Time) -> f64 {
        match self {
            Law::Rfc8289 => time.secs(),
            Law::Linux => ((time.secs() * 1e9).round() / 1024.0).floor(),
        }
    }
}

/// What CoDel goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    law: Law,
    target: f64,
    interval: f64,
    max_packet: u64,
    ecn: bool,
    ce_threshold: Option<f64>,
}

impl Rules {
    /// The rules with these parameters.
    pub fn new(law: Law, times: (Time, Time, Option<Time>), max_packet: Bytes, ecn: bool) -> Rules {
        let (target, interval) = (law.ticks(times.0), law.ticks(times.1));
        let ce_threshold = times.2.map(|time| law.ticks(time));
        Rules { law, target, interval, max_packet: max_packet.get(), ecn, ce_threshold }
    }
}

/// Checks CoDel's keys.
pub(crate) fn check((target, interval): (Time, Time), max_packet: Bytes) -> Checked {
    must((0.001..=100.0).contains(&interval.secs()), "interval", "must be from 1ms to 100s", quoted(interval))?;
    let allowed = target.secs() > 0.0 && target <= interval;
    must(allowed, "target", "must be more than 0s and at most `interval`", quoted(target))?;
    must(max_packet.get() > 0, "max_packet", "must be at least 1B", quoted(max_packet))
}

/// CoDel's state. Times are in the law's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Control {
    /// When packets will have waited too long for an interval; none while the last one has not.
    first_above: Option<f64>,
    dropping: bool,
    drop_next: f64,
    /// Drops since dropping began, and what they began with.
    count: u32,
    last_count: u32,
    /// The reciprocal of the count's root, as a fraction of 2^16.
    root: u16,
    /// How long the last packet had waited.
    waited: f64,
}

impl Control {
    /// Others were dropped: the next drop of a series comes sooner.
    pub fn add_drops(&mut self, drops: u32) {
        self.count = self.count.wrapping_add(drops);
    }

    /// The packet in front, and whether it may be dropped (section 5.6). `pop` gives a packet, its arrival, and the bytes
    /// that wait behind it.
    fn front<P>(
        &mut self,
        rules: &Rules,
        now: f64,
        pop: &mut impl FnMut() -> Option<(Time, P, u64)>,
    ) -> (Option<P>, bool) {
        let Some((arrival, packet, behind)) = pop() else {
            self.first_above = None;
            return (None, false);
        };
        self.waited = now - rules.law.ticks(arrival);
        if self.waited < rules.target || behind <= rules.max_packet {
            self.first_above = None;
            return (Some(packet), false);
        }
        let may_drop = match (self.first_above, rules.law) {
            (None, _) => false,
            (Some(first), Law::Rfc8289) => now >= first,
            (Some(first), Law::Linux) => now > first,
        };
        self.first_above.get_or_insert(now + rules.interval);
        (Some(packet), may_drop)
    }

    /// One step of Newton's method for the reciprocal root of the count.
    fn step(&mut self) {
        let root = u64::from(self.root) << 16;
        let value = (3_u64 << 32).wrapping_sub(u64::from(self.count).wrapping_mul((root * root) >> 32)) >> 2;
        self.root = (value.wrapping_mul(root) >> 31 >> 16) as u16;
    }

    /// The time of the next drop, after `count` of them (section 5.5).
    fn next_drop(&self, rules: &Rules, since: f64) -> f64 {
        since
            + match rules.law {
                Law::Rfc8289 => rules.interval / f64::from(self.count).sqrt(),
                Law::Linux => (rules.interval * f64::from(self.root) / 65536.0).floor(),
            }
    }

    /// The next packet (section 5.5); those before it that are dropped go to `removed`. A marked packet is served: it counts as
    /// the drop that was due.
    pub fn dequeue<P: Carried>(
        &mut self,
        rules: &Rules,
        now: Time,
        removed: &mut Vec<(P, Removal)>,
        mut pop: impl FnMut() -> Option<(Time, P, u64)>,
    ) -> Option<P> {
        let now = rules.law.ticks(now);
        let (mut packet, mut may_drop) = self.front(rules, now, &mut pop);
        let mut marks = |packet: &mut Option<P>| {
            let marked = rules.ecn && packet.as_mut().is_some_and(P::mark);
            removed.extend((!marked).then(|| packet.take().map(|packet| (packet, Removal::Early))).flatten());
            marked
        };
        if !self.dropping {
            if may_drop {
                if !marks(&mut packet) {
                    packet = self.front(rules, now, &mut pop).0;
                }
                self.dropping = true;
                // Soon after the last time, the rate of drops that was enough then is the one to begin with.
                let drops = self.count.wrapping_sub(self.last_count);
                if drops > 1 && now - self.drop_next < 16.0 * rules.interval {
                    self.count = drops;
                    self.step();
                } else {
                    (self.count, self.root) = (1, u16::MAX);
                }
                self.last_count = self.count;
                self.drop_next = self.next_drop(rules, now);
            }
        } else {
            self.dropping = may_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                self.step();
                let marked = marks(&mut packet);
                if !marked {
                    (packet, may_drop) = self.front(rules, now, &mut pop);
                    self.dropping = may_drop;
                }
                if self.dropping {
                    self.drop_next = self.next_drop(rules, self.drop_next);
                }
                if marked {
                    break;
                }
            }
        }
        if rules.ce_threshold.is_some_and(|threshold| self.waited > threshold) {
            packet.as_mut().map(P::mark);
        }
        packet
    }
}
