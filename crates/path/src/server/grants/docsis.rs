//! A cable modem's upstream (CableLabs CM-SP-MULPIv3.1, upstream bandwidth allocation).
//!
//! The CMTS describes each interval of the upstream in a MAP, which it sends some time ahead. A modem with data sends a
//! request in a request region, after a random number of opportunities. It gets its grant in the first MAP that the
//! CMTS makes after it has the request. A grant's burst may carry the next request (piggybacking). Before DOCSIS 3.0
//! one request was outstanding at a time; with continuous concatenation and fragmentation several may be.
//!
//! Low Latency DOCSIS adds grants without a request (proactive grant service).
//!
//! Left out: collisions of requests (the modem is alone), minislots and FEC, which round a grant up, bonding, priorities.

use acklab_packet::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Habit, Nanos, Piggyback, Timing, Unit, capacity, duration};
use crate::random::Random;
use crate::server::{ServerParams, check_rate};
use crate::values::{Checked, micros, must, number, quoted, within, yes};

/// What a request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Requests {
    /// One packet (DOCSIS 1.0, or 1.1 to 2.0 with concatenation off).
    Packet,
    /// All that waits, at most `burst` bytes; one request at a time (concatenation and fragmentation, DOCSIS 1.1 to 2.0).
    Burst,
    /// All that waits and was not requested; several at a time (continuous concatenation, DOCSIS 3.0 and 3.1).
    #[default]
    Continuous,
}

/// A cable modem's upstream: requests, MAPs and grants (DOCSIS).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocsisSpec {
    /// Rate that full grants add up to: the service's.
    pub rate: Rate,
    /// Rate of a burst: the channel's, at least `rate`. Left out, `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Rate>,
    /// Time that a MAP describes; 200 us to 100 ms. Every interval begins with requests and has at most one grant.
    #[serde(default = "micros::<2000>")]
    pub map_interval: Time,
    /// Time from a request to the beginning of the first interval whose MAP can answer it; 0 s to 1 s. It is the sum of
    /// the delays of the request, the CMTS, the MAP and the modem.
    #[serde(default = "micros::<4000>")]
    pub map_advance: Time,
    /// Requests wait for a random number of opportunities, from 0 to 2 to this power, less 1 (Data Backoff Start); 0 to 15.
    #[serde(default)]
    #[schemars(range(max = 15))]
    pub backoff: u32,
    /// Opportunities for requests in an interval, evenly spaced; 1 to 100.
    #[serde(default = "number::<u32, 1>")]
    #[schemars(range(min = 1, max = 100))]
    pub opportunities: u32,
    /// What a request asks for.
    #[serde(default)]
    pub requests: Requests,
    /// The most that one grant covers, and one request before DOCSIS 3.0 (Maximum Concatenated Burst); at least 64 B. Left
    /// out, a grant covers what `rate` carries in an interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Bytes>,
    /// Whether a burst carries a request for what remains.
    #[serde(default = "yes")]
    pub piggyback: bool,
    /// Rate granted without requests, in each interval (proactive grant service); at most `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proactive: Option<Rate>,
}

impl ServerParams for DocsisSpec {
    fn rate(&self) -> Rate {
        self.rate
    }

    fn check(&mut self) -> Checked {
        let (interval, advance) = (self.map_interval.secs(), self.map_advance.secs());
        let allowed = (0.0002..=0.1).contains(&interval);
        must(allowed, "map_interval", "must be from 200us to 100ms", quoted(self.map_interval))?;
        let what = "must carry at least a byte in a `map_interval`";
        must(self.capacity() > 0, "rate", what, quoted(self.rate))?;
        if let Some(channel) = self.channel {
            must(channel >= self.rate, "channel", "must be at least `rate`", quoted(channel))?;
        }
        let allowed = (0.0..=1.0).contains(&advance);
        must(allowed, "map_advance", "must be from 0s to 1s", quoted(self.map_advance))?;
        within(0, 15, "backoff", self.backoff)?;
        within(1, 100, "opportunities", self.opportunities)?;
        if let Some(burst) = self.burst {
            must(burst.get() >= 64, "burst", "must be at least 64B", quoted(burst))?;
        }
        if let Some(rate) = self.proactive {
            let several = self.requests != Requests::Packet;
            must(several, "proactive", "needs `requests` other than \"packet\"", quoted(rate))?;
            let allowed = rate <= self.rate && capacity(rate, duration(self.map_interval)) > 0;
            let what = "must carry a byte in a `map_interval`, and be at most `rate`";
            must(allowed, "proactive", what, quoted(rate))?;
        }
        self.channel.map_or_else(|| check_rate("rate", self.rate), |channel| check_rate("channel", channel))
    }
}

impl DocsisSpec {
    fn capacity(&self) -> u64 {
        capacity(self.rate, duration(self.map_interval))
    }

    pub(super) fn habit(&self) -> Habit {
        let (unit, most) = match self.requests {
            Requests::Packet => (Unit::Packets, 1),
            _ => (Unit::Bytes, self.burst.map_or(self.capacity(), |burst| burst.get().min(self.capacity()))),
        };
        Habit {
            unit,
            most,
            first: None,
            largest: match self.requests {
                Requests::Packet => 1,
                Requests::Burst => self.burst.map_or(u64::MAX, Bytes::get),
                Requests::Continuous => u64::MAX,
            },
            piggyback: match self.requests {
                _ if !self.piggyback => Piggyback::Never,
                Requests::Continuous => Piggyback::Always,
                Requests::Packet | Requests::Burst => Piggyback::Alone,
            },
            several: self.requests == Requests::Continuous,
            unasked: self.proactive.map_or(0, |rate| capacity(rate, duration(self.map_interval))),
            rate: self.rate.bps() / 8.0,
        }
    }
}

/// A cable modem's times: a slot is an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Docsis {
    interval: Nanos,
    advance: Nanos,
    opportunities: u64,
    /// Opportunities among which a request chooses.
    window: u64,
    channel: Rate,
    random: Random,
}

impl Docsis {
    pub(super) fn new(spec: &DocsisSpec, random: Random) -> Docsis {
        Docsis {
            interval: duration(spec.map_interval),
            advance: duration(spec.map_advance),
            opportunities: u64::from(spec.opportunities),
            window: 1 << spec.backoff,
            channel: spec.channel.unwrap_or(spec.rate),
            random,
        }
    }
}

impl Timing for Docsis {
    fn begins(&self, slot: u64) -> Nanos {
        slot * self.interval
    }

    fn usable(&self, slot: u64) -> u64 {
        slot
    }

    fn slot_at(&self, at: Nanos) -> u64 {
        at.div_ceil(self.interval)
    }

    fn asks(&mut self, at: Nanos) -> Nanos {
        let deferred = match self.window {
            1 => 0,
            window => (self.random.uniform() * window as f64) as u64,
        };
        let each = self.opportunities;
        let when = |number: u64| number / each * self.interval + number % each * self.interval / each;
        let mut number = at / self.interval * each + at % self.interval * each / self.interval;
        while when(number) < at {
            number += 1;
        }
        when(number + deferred.min(self.window - 1))
    }

    fn answers(&self, at: Nanos) -> u64 {
        self.slot_at(at + self.advance)
    }

    fn lasts(&self, bytes: u32) -> Time {
        self.channel.transmission(bytes)
    }
}
