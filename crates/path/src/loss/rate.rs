//! Losses with a probability, independent of each other.

use acklab_packet::Time;

use super::LossModel;
use crate::PacketView;
use crate::random::Random;
use crate::values::{Checked, probability};

/// Each packet is lost with the same probability.
#[derive(Clone, Debug)]
pub struct ByRate {
    rate: f64,
    random: Random,
}

impl ByRate {
    pub(super) fn check(rate: &mut f64) -> Checked {
        probability("", *rate)
    }

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
