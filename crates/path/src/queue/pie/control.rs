//! PIE's controller: the probability of a drop, from the delay of what departs (RFC 8033 sections 4 and 5, appendix A).

use acklab_packet::Time;

use crate::Carried;
use crate::queue::fair::draw;
use crate::random::Random;
use crate::values::{Checked, must, quoted};

/// Declares the parameters of a queue with PIE's controller: its own, with their defaults, and the controller's.
macro_rules! with_controller {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $key:ident: $type:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$doc])* pub $key: $type,)*
            /// Delay that the controller aims at; more than 0.
            pub target: acklab_packet::Time,
            /// Time between two updates of the probability; from 1 ms to 10 s.
            pub update: acklab_packet::Time,
            /// Weight of the delay's distance from `target`, per second; from 0 to 100.
            pub alpha: f64,
            /// Weight of the delay's change, per second; from 0 to 100.
            pub beta: f64,
            /// How long nothing is dropped after the queue was empty and the probability 0.
            pub burst: acklab_packet::Time,
            /// While less than two packets of this size wait, nothing is dropped; also the unit of `byte_mode`; at least 1 B.
            pub max_packet: acklab_packet::Bytes,
            /// Whether a small packet is less likely to be dropped than a large one.
            pub byte_mode: bool,
            /// Whether a packet that would be dropped is marked instead, if its sender understands marks.
            pub ecn: bool,
            /// With `ecn`: above this probability packets are dropped all the same; from 0 to 1.
            pub mark_below: f64,
            /// Bound of the probability; more than 0, at most 256. Linux has none below 256.
            pub max_p: f64,
            /// Which waiting ACKs an arriving one erases; none when left out.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub filter: Option<$crate::ack_filter::FilterSpec>,
        }

        impl Default for $name {
            fn default() -> $name {
                $name {
                    $($key: $default,)*
                    target: acklab_packet::Time::from_secs(0.015),
                    update: acklab_packet::Time::from_secs(0.015),
                    alpha: 0.125,
                    beta: 1.25,
                    burst: acklab_packet::Time::from_secs(0.15),
                    max_packet: acklab_packet::Bytes::new(1500),
                    byte_mode: false,
                    ecn: false,
                    mark_below: 0.1,
                    max_p: 1.0,
                    filter: None,
                }
            }
        }

        impl $name {
            fn rules(&self) -> $crate::queue::pie::control::Rules {
                $crate::queue::pie::control::Rules {
                    target: self.target.secs(),
                    update: self.update.secs(),
                    alpha: self.alpha,
                    beta: self.beta,
                    burst: self.burst.secs(),
                    max_packet: self.max_packet.get(),
                    byte_mode: self.byte_mode,
                    ecn: self.ecn,
                    mark_below: self.mark_below,
                    max_p: self.max_p,
                }
            }
        }
    };
}
pub(crate) use with_controller;

/// What PIE goes by, in seconds and bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    pub target: f64,
    pub update: f64,
    pub alpha: f64,
    pub beta: f64,
    pub burst: f64,
    pub max_packet: u64,
    pub byte_mode: bool,
    pub ecn: bool,
    pub mark_below: f64,
    pub max_p: f64,
}

impl Rules {
    /// Checks the controller's keys.
    pub fn check(&self) -> Checked {
        let time = |secs: f64| quoted(Time::from_secs(secs));
        let target = self.target > 0.0 && self.target <= 100.0;
        must(target, "target", "must be more than 0s and at most 100s", time(self.target))?;
        must((0.001..=10.0).contains(&self.update), "update", "must be from 1ms to 10s", time(self.update))?;
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            must((0.0..=100.0).contains(&value), name, "must be from 0 to 100", value)?;
        }
        must(self.max_packet > 0, "max_packet", "must be at least 1B", quoted("0B"))?;
        let max_p = self.max_p > 0.0 && self.max_p <= 256.0;
        must(max_p, "max_p", "must be more than 0 and at most 256", self.max_p)?;
        must((0.0..=1.0).contains(&self.mark_below), "mark_below", "must be from 0 to 1", self.mark_below)
    }
}

/// When the probability is updated: at a fixed pace, computed as soon as a packet comes or goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    first: f64,
    /// Updates since `first`.
    count: f64,
    every: f64,
}

impl Clock {
    pub fn new(every: Time) -> Clock {
        Clock { first: every.secs(), count: 0.0, every: every.secs() }
    }

    pub fn first_at(&mut self, time: Time) {
        self.first = time.secs();
    }

    /// Makes the updates that are due `now`; `update` is told when, and says whether another one would change nothing.
    pub fn catch_up(&mut self, now: Time, mut update: impl FnMut(Time) -> bool) {
        loop {
            let then = self.first + self.count * self.every;
            if then > now.secs() {
                return;
            }
            self.count += 1.0;
            if update(Time::from_secs(then)) {
                self.count = self.count.max(((now.secs() - self.first) / self.every).floor());
            }
        }
    }
}

/// The factor of a change of the probability, by its size (RFC 8033 section 4.2); `large` from 0.1 on.
pub fn tuned(probability: f64, large: f64) -> f64 {
    let mut factor = if probability < 0.1 { 0.5 } else { large };
    let mut bound = 0.01;
    while bound >= 1e-6 * 0.999 && probability < bound {
        factor /= 4.0;
        bound /= 10.0;
    }
    factor
}

/// The probability of a drop, and what it follows from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chance {
    probability: f64,
    /// What the packets since the last drop add up to: between 0.85 and 8.5 the drop is a matter of chance.
    sum: f64,
    delay: f64,
    delay_before: f64,
    burst: f64,
    /// When a packet departed last.
    departure: Option<f64>,
}

impl Chance {
    pub fn new(rules: &Rules) -> Chance {
        Chance { burst: rules.burst, ..Chance::default() }
    }

    /// Whether an update would change nothing while no packet comes.
    pub fn rests(&self) -> bool {
        self.probability == 0.0 && self.delay == 0.0 && self.delay_before == 0.0
    }

    /// Whether an arrival is dropped (RFC 8033 section 4.1; de-randomized as in section 5.4). It may be marked instead.
    pub fn drops<P: Carried>(&mut self, rules: &Rules, packet: &mut P, bytes: u64, random: &mut Random) -> bool {
        let low = self.delay < rules.target / 2.0 && self.probability < 0.2;
        if self.burst > 0.0 || low || bytes < 2 * rules.max_packet {
            return false;
        }
        let mut probability = self.probability;
        let size = u64::from(packet.wire_bytes());
        if rules.byte_mode && size <= rules.max_packet {
            probability *= size as f64 / rules.max_packet as f64;
        }
        self.sum = if probability == 0.0 { 0.0 } else { self.sum + probability };
        if self.sum < 0.85 {
            return false;
        }
        if self.sum < 8.5 {
            if f64::from(draw(random)) / 4_294_967_296.0 >= probability {
                return false;
            }
            self.sum = 0.0;
        }
        !(rules.ecn && self.probability <= rules.mark_below && packet.mark())
    }

    /// An arrival was dropped.
    pub fn dropped(&mut self) {
        self.sum = 0.0;
    }

    /// A packet departs, and leaves so many bytes behind.
    pub fn departed(&mut self, arrival: Time, now: Time, bytes: u64) {
        self.delay = if bytes > 0 { (now - arrival).secs() } else { 0.0 };
        if let Some(before) = self.departure.replace(now.secs()) {
            self.burst = (self.burst - (now.secs() - before)).max(0.0);
        }
    }

    /// An update of the probability (section 4.2), scaled by its own size (section 5.2).
    pub fn update(&mut self, rules: &Rules, bytes: u64) {
        let change = rules.alpha * (self.delay - rules.target) + rules.beta * (self.delay - self.delay_before);
        let mut change = tuned(self.probability, 1.0) * change;
        if self.probability >= 0.1 {
            change = change.min(0.02);
        }
        if self.delay > 0.25 {
            change += 0.02;
        }
        self.probability = (self.probability + change).clamp(0.0, rules.max_p);
        if self.delay == 0.0 && self.delay_before == 0.0 && bytes == 0 {
            self.probability -= self.probability / 64.0;
        }
        let half = rules.target / 2.0;
        if self.delay < half && self.delay_before < half && self.probability == 0.0 {
            (self.burst, self.sum, self.departure) = (rules.burst, 0.0, None);
        }
        self.delay_before = self.delay;
    }
}
