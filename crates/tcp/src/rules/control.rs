//! Which congestion control, and its parameters.

use std::fmt;

use acklab_packet::Time;
use schemars::{JsonSchema, Schema};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::parameters::Parameters;

/// Congestion control: what credit, round trips and losses do to cwnd and ssthresh. A word alone stands for its
/// parameters' defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(transform = add_words)]
pub enum ControlKind {
    /// Slow start, additive increase, halving (RFC 5681).
    Reno {},
    /// Veno: additive increase at half the pace while more than `beta` segments are backlogged, and a loss that comes
    /// with no more than `alpha` backlogged takes a fifth of the window instead of half (Fu and Liew 2003).
    Veno {
        /// Backlog in segments up to which a loss counts as random.
        #[serde(default = "one")]
        alpha: f64,
        /// Backlog in segments above which only every other ACK grows the window.
        #[serde(default = "three")]
        beta: f64,
        /// How often the backlog is judged.
        #[serde(default)]
        estimate: VenoEstimate,
        /// What a loss before the first judgement does.
        #[serde(default)]
        first_loss: VenoFirstLoss,
        /// Since when the least round trip is taken.
        #[serde(default)]
        base_rtt: VenoBase,
        /// Granularity of the clock that times segments; `"0s"` is exact.
        #[serde(default = "millisecond")]
        clock: Time,
    },
    /// CUBIC (RFC 9438).
    Cubic {
        /// C: aggressiveness in segments per second cubed.
        #[serde(default = "two_fifths")]
        c: f64,
        /// What a loss leaves of the window.
        #[serde(default = "seven_tenths")]
        beta: f64,
        /// Whether a flow that lost before it was back at its last maximum lowers the next one (section 4.7).
        #[serde(default = "yes")]
        fast_convergence: bool,
        /// Whether it is at least as fast as Reno would be (section 4.3).
        #[serde(default = "yes")]
        reno_friendly: bool,
        /// Whether the Reno it keeps up with grows by a whole segment a round trip once it is back at the last maximum
        /// (section 4.3), or at 3 (1 - beta) / (1 + beta) of one for ever (Linux).
        #[serde(default = "yes")]
        alpha_rises: bool,
        /// Least growth in a round trip, as a share of the window, while no loss has shown a maximum (Linux has 0.05).
        #[serde(default)]
        seek: f64,
    },
    /// Westwood+: after a loss the window is the rate of ACKs times the least round trip (Grieco and Mascolo 2004).
    Westwood {
        /// Weight of the past in the filtered rate.
        #[serde(default = "nine_tenths")]
        gain: f64,
    },
    /// Vegas: keeps between `alpha` and `beta` segments backlogged (Brakmo, O'Malley and Peterson 1994).
    Vegas {
        /// Backlog in segments below which the window grows.
        #[serde(default = "two")]
        alpha: f64,
        /// Backlog in segments above which it shrinks.
        #[serde(default = "four")]
        beta: f64,
        /// Backlog in segments that ends slow start.
        #[serde(default = "one")]
        gamma: f64,
        /// How often the window moves.
        #[serde(default)]
        pace: VegasPace,
    },
    /// DCTCP: a mark takes half the share of bytes that were marked of late off the window (RFC 8257). It wants ACKs that echo each
    /// mark (`echo_each_mark`) and queues that mark early.
    Dctcp {
        /// g: weight of the newest window in that share.
        #[serde(default = "sixteenth")]
        gain: f64,
    },
    /// BBR, version 1, as Linux has it: sends at the largest rate at which segments were delivered in ten round trips, with about twice
    /// the product of that and the least round trip of ten seconds in flight (Cardwell and others 2016). It paces by itself and goes
    /// with `recovery = "rack"`; what an ACK is worth, and how a recovery reduces the window, it does not ask.
    Bbr {},
    /// A control in Python that the program passes to the run (`acklab.CongestionControl`).
    Python {
        /// Its name among those that are passed.
        name: String,
        /// Keyword arguments of its constructor.
        #[serde(default)]
        parameters: Parameters,
    },
}

/// How often Vegas moves its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VegasPace {
    /// Every round trip (the paper).
    #[default]
    EveryRtt,
    /// In effect every second one: the window is moved toward one more or less than what it was a round trip ago (kernels).
    SecondRtt,
}

/// How often Veno judges its backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VenoEstimate {
    /// Once a round trip, when the segment tagged for it is acknowledged (the paper).
    #[default]
    PerRtt,
    /// With every round-trip sample (kernels).
    PerAck,
}

/// What Veno does about a loss before its backlog was ever judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VenoFirstLoss {
    /// As Reno: half (the paper leaves start-up as Reno's; ledger veno.m.state_estimate).
    #[default]
    Half,
    /// By its flag, which says that no backlog was seen: four fifths.
    ByFlag,
}

/// Since when Veno takes the least round trip, by which it judges its backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VenoBase {
    /// The last loss (the paper): a queue that others keep full is soon taken for the path.
    #[default]
    SinceLoss,
    /// The beginning (kernels).
    Ever,
}

defaults! {
    one: f64 = 1.0;
    two: f64 = 2.0;
    three: f64 = 3.0;
    four: f64 = 4.0;
    two_fifths: f64 = 0.4;
    seven_tenths: f64 = 0.7;
    nine_tenths: f64 = 0.9;
    sixteenth: f64 = 0.0625;
    yes: bool = true;
    millisecond: Time = Time::from_secs(0.001);
}

impl ControlKind {
    /// Every algorithm with its defaults, by the word that stands for it.
    pub const ALL: [(&'static str, ControlKind); 7] = [
        ("reno", ControlKind::Reno {}),
        ("veno", ControlKind::VENO),
        ("cubic", ControlKind::CUBIC),
        ("westwood", ControlKind::Westwood { gain: 0.9 }),
        ("vegas", ControlKind::Vegas { alpha: 2.0, beta: 4.0, gamma: 1.0, pace: VegasPace::EveryRtt }),
        ("dctcp", ControlKind::Dctcp { gain: 0.0625 }),
        ("bbr", ControlKind::Bbr {}),
    ];

    /// RFC 9438's CUBIC.
    pub const CUBIC: ControlKind = ControlKind::Cubic {
        c: 0.4,
        beta: 0.7,
        fast_convergence: true,
        reno_friendly: true,
        alpha_rises: true,
        seek: 0.0,
    };

    /// The paper's Veno.
    pub const VENO: ControlKind = ControlKind::Veno {
        alpha: 1.0,
        beta: 3.0,
        estimate: VenoEstimate::PerRtt,
        first_loss: VenoFirstLoss::Half,
        base_rtt: VenoBase::SinceLoss,
        clock: Time::from_secs(0.001),
    };

    /// The word that stands for the algorithm.
    pub fn name(&self) -> &'static str {
        let same = |kind: &ControlKind| std::mem::discriminant(kind) == std::mem::discriminant(self);
        ControlKind::ALL.iter().find(|(_, kind)| same(kind)).map_or("python", |(word, _)| word)
    }

    /// Whether it says itself how many segments acknowledged make the window one larger, and takes them uncounted
    /// ([`CreditKind::SegmentCounter`](super::CreditKind::SegmentCounter)).
    pub fn counts_segments(&self) -> bool {
        matches!(self, ControlKind::Cubic { .. })
    }

    /// Whether HyStart is a part of it ([`SlowStart::HyStart`](super::SlowStart::HyStart)); the others' slow start is the standard's
    /// then.
    pub fn has_hystart(&self) -> bool {
        matches!(self, ControlKind::Cubic { .. })
    }

    /// Whether it sets window and pace by itself, from what the recovery learns of deliveries
    /// ([`Needs::Deliveries`](crate::sender::control::Needs::Deliveries)).
    pub fn owns_window(&self) -> bool {
        matches!(self, ControlKind::Bbr {})
    }

    /// Whether it goes by how many bytes are marked, and needs ECN.
    pub fn counts_marks(&self) -> bool {
        matches!(self, ControlKind::Dctcp { .. })
    }

    /// Whether it draws random numbers.
    pub fn draws(&self) -> bool {
        matches!(self, ControlKind::Bbr {})
    }

    fn has_defaults(&self) -> bool {
        ControlKind::ALL.iter().any(|(_, kind)| kind == self)
    }

    /// The first parameter with a value that makes no sense: its key among the sender's, the value, and what is allowed.
    pub fn out_of_range(&self) -> Option<(&'static str, f64, &'static str)> {
        let backlog = |key, value: f64| {
            (!(0.0..=1e6).contains(&value)).then_some((key, value, "a number of segments from 0 to 1000000"))
        };
        let share =
            |key, value: f64| (!(value > 0.0 && value < 1.0)).then_some((key, value, "a share, above 0 and below 1"));
        match *self {
            ControlKind::Reno {} | ControlKind::Bbr {} | ControlKind::Python { .. } => None,
            ControlKind::Veno { alpha, beta, clock, .. } => backlog("control.alpha", alpha)
                .or(backlog("control.beta", beta))
                .or((clock.secs() > 1.0).then_some(("control.clock", clock.secs(), "at most 1s"))),
            ControlKind::Cubic { c, beta, seek, .. } => {
                let wrong = !(1e-6..=1e6).contains(&c);
                wrong
                    .then_some(("control.c", c, "a number from 0.000001 to 1000000"))
                    .or(share("control.beta", beta))
                    .or((!(0.0..=1.0).contains(&seek)).then_some(("control.seek", seek, "a share from 0 to 1")))
            }
            ControlKind::Westwood { gain } | ControlKind::Dctcp { gain } => share("control.gain", gain),
            ControlKind::Vegas { alpha, beta, gamma, .. } => backlog("control.alpha", alpha)
                .or(backlog("control.beta", beta))
                .or(backlog("control.gamma", gamma))
                .or((alpha > beta).then_some(("control.alpha", alpha, "a number of segments not above `beta`"))),
        }
    }
}

/// In the schema: the words that stand for tables of defaults.
fn add_words(schema: &mut Schema) {
    if let Some(serde_json::Value::Array(forms)) = schema.get_mut("oneOf") {
        forms.extend(ControlKind::ALL.map(|(word, _)| {
            serde_json::json!({ "type": "string", "const": word, "description": format!("`{{ kind = \"{word}\" }}`.") })
        }));
    }
}

impl Shown for ControlKind {
    fn shown(&self) -> String {
        match self {
            ControlKind::Python { name, .. } => format!("python: {name}"),
            kind if kind.has_defaults() => kind.name().to_owned(),
            ControlKind::Veno { alpha, beta, .. } => format!("veno, alpha = {alpha}, beta = {beta}"),
            kind => format!("{}, not with its defaults", kind.name()),
        }
    }
}

impl Serialize for ControlKind {
    /// As short as it can be written.
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        if self.has_defaults() { output.serialize_str(self.name()) } else { ControlKind::serialize(self, output) }
    }
}

impl<'de> Deserialize<'de> for ControlKind {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<ControlKind, D::Error> {
        struct WordOrTable;
        impl<'de> Visitor<'de> for WordOrTable {
            type Value = ControlKind;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a congestion control such as \"veno\" or { kind = \"veno\", beta = 3 }")
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<ControlKind, E> {
                ControlKind::deserialize(MapDeserializer::new([("kind", word)].into_iter()))
            }
            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<ControlKind, A::Error> {
                ControlKind::deserialize(MapAccessDeserializer::new(table))
            }
        }
        input.deserialize_any(WordOrTable)
    }
}
