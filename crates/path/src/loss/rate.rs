//! Losses with a probability, independent of each other.

use acklab_packet::Time;

use super::{LossModel, LossParams};
use crate::PacketView;
use crate::random::Random;
use crate::values::{Checked, must};

/// Each packet is lost with the same probability.
#[derive(Clone, Debug)]
pub struct ByRate {
    rate: f64,
    random: Random,
}

impl LossParams for f64 {
    fn check(&mut self) -> Checked {
        must((0.0..=1.0).contains(self), "", "must be a probability from 0 to 1", *self)
    }
}

impl ByRate {
    /// The model with this probability.
    pub fn new(rate: &f64, random: impl FnOnce() -> Random) -> ByRate {
        ByRate { rate: *rate, random: random() }
    }
}

impl LossModel for ByRate {
    #[inline]
    fn takes(&mut self, _: &PacketView, _: Time) -> bool {
        self.random.uniform() < self.rate
    }
}
