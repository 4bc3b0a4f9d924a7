//! Losses that no queue causes: with a probability, in bursts, or from a list. None of them depends on how much passes,
//! but for bursts counted in packets.
//!
//! To add a model: a file here with its parameters, their `check` and the model ([`LossModel`]), its `mod`, and its line in
//! `losses!` below. A program's own needs neither ([`LossSpec::own`]).

mod gilbert_elliott;
mod list;
mod rate;
mod target;

pub use target::{LossPlace, LossTarget};

use std::fmt::Debug;

use acklab_packet::Time;
use dyn_clone::DynClone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::{Random, check_seed};
use crate::values::{Checked, Wrong};
use crate::{Carried, Own, PacketView};

/// Which packets are lost.
pub trait LossModel: Debug + Send + Sync + DynClone {
    /// Returns whether `packet` is lost, which comes to the link, or to its transmitter, `now`.
    fn takes(&mut self, packet: &PacketView, now: Time) -> bool;
}

impl<M: LossModel + 'static> From<M> for Own<dyn LossModel> {
    fn from(model: M) -> Self {
        Own(Box::new(model))
    }
}

/// Declares the models: under which key a scenario writes the parameters, with the sentence about it; and how each is made.
macro_rules! losses {
    ($($(#[$rule:meta])* $key:ident: $file:ident::$model:ident($params:ty), $about:literal;)+) => {
        $(pub use $file::*;)+

        #[doc = concat!("Losses of one link direction, as written under `loss`. Of ", $("`", stringify!($key), "`, ",)+
            "exactly one must be given.")]
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(extend("neutral" = { "by": "absent" }))]
        pub struct LossSpec {
            $(#[doc = $about]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            $(#[$rule])*
            pub $key: Option<$params>,)+
            /// A program's own model (`crates/path/tests/own.rs`); no file can say it.
            #[serde(skip)]
            pub own: Option<Own<dyn LossModel>>,
            /// Before the queue or after transmission.
            #[serde(default)]
            pub r#where: LossPlace,
            /// Which packets the model sees and counts; all when left out.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub only: Option<LossTarget>,
            /// Draws as ns-2 does after `seed N` (all six words of MRG32k3a equal N) instead of from the run's named stream.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(range(min = 1, max = 4_294_944_442_u32))]
            pub seed: Option<u32>,
        }

        impl LossSpec {
            /// Says what is wrong, and completes the model's parameters.
            pub fn check(&mut self) -> Checked {
                $(self.$key.iter_mut().try_for_each($model::check).map_err(|wrong| wrong.below(stringify!($key)))?;)+
                let models = [$((concat!("`", stringify!($key), "`"), self.$key.is_some()),)+ ("`own`", self.own.is_some())];
                one_of(&models)?;
                self.check_seed()
            }
        }

        /// The models, dispatched without `Box<dyn>`.
        #[derive(Clone, Debug)]
        enum Model {
            $($model($model),)+
            Custom(Own<dyn LossModel>),
        }

        impl Model {
            fn new(spec: &LossSpec, random: impl FnOnce() -> Random) -> Option<Model> {
                $(if let Some(params) = &spec.$key {
                    return Some(Model::$model($model::new(params, random)));
                })+
                spec.own.clone().map(Model::Custom)
            }

            /// Returns whether packet `number` is lost.
            #[inline]
            fn takes<P: Carried>(&mut self, number: u64, packet: &P, now: Time) -> bool {
                match self {
                    $(Model::$model(model) => model.takes(&PacketView::new(number, packet), now),)+
                    Model::Custom(own) => own.0.takes(&PacketView::new(number, packet), now),
                }
            }
        }
    };
}

losses! {
    #[schemars(range(min = 0.0, max = 1.0))]
    rate: rate::ByRate(f64), "Each packet is lost with this probability, independently; 0 to 1.";
    gilbert_elliott: gilbert_elliott::Bursts(GilbertElliott), "Losses in bursts, by a path that is now good, now bad.";
    list: list::ByNumber(Vec<u64>), "The packets lost, counted from 0 over what the model sees.";
}

/// Refuses no model, and more than one. The last is a program's own, which no file can name.
fn one_of(models: &[(&str, bool)]) -> Checked {
    let names = |models: &[(&str, bool)]| models.iter().map(|model| model.0).collect::<Vec<_>>().join(", ");
    let given: Vec<_> = models.iter().copied().filter(|model| model.1).collect();
    Err(Wrong::at(
        "",
        match given.as_slice() {
            [] => format!("names no model; give one of {}, such as rate = 0.01", names(&models[..models.len() - 1])),
            [_] => return Ok(()),
            [(one, _), (other, _)] => format!("has both {one} and {other}; give one of them"),
            more => format!("has {}; give one of them", names(more)),
        },
    ))
}

impl LossSpec {
    fn check_seed(&self) -> Checked {
        if self.seed.is_some() && self.rate.is_none() {
            let what = "seeds the draws of a `rate` as ns-2's; a `list` draws nothing, and ns-2 has no other model";
            return Err(Wrong::at("seed", what));
        }
        check_seed(self.seed)
    }
}

/// The losses of one link direction.
#[derive(Clone, Debug)]
pub struct Loss {
    place: LossPlace,
    only: Option<LossTarget>,
    /// Packets seen.
    seen: u64,
    model: Option<Model>,
}

impl Loss {
    /// The losses that `spec` describes; `random` is their stream unless the spec asks for ns-2's seeding.
    pub fn new(spec: &LossSpec, random: impl FnOnce() -> Random) -> Loss {
        let model = Model::new(spec, || spec.seed.map_or_else(random, Random::ns2));
        Loss { place: spec.r#where, only: spec.only, seen: 0, model }
    }

    /// Whether the model, if it stands at `place`, takes this packet, which comes to the link (or to its transmitter) `now`.
    #[inline]
    pub fn takes<P: Carried>(&mut self, packet: &P, place: LossPlace, now: Time) -> bool {
        if place != self.place || !LossTarget::includes(self.only, packet) {
            return false;
        }
        self.seen += 1;
        self.model.as_mut().is_some_and(|model| model.takes(self.seen - 1, packet, now))
    }
}
