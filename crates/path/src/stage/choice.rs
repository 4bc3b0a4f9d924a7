//! Which packets a stage does something to: a share of them, or those of a list, chosen as a loss model chooses.

use acklab_packet::Time;

use crate::Carried;
use crate::loss::Loss;
use crate::loss::{LossPlace, LossSpec, LossTarget};
use crate::random::Random;

/// Chooses packets.
#[derive(Clone, Debug)]
pub(super) struct Choice(Loss);

impl Choice {
    /// By `rate` or by `list`, among packets of the kind `only`.
    pub fn new(
        rate: Option<f64>,
        list: &Option<Vec<u64>>,
        only: Option<LossTarget>,
        random: impl FnOnce() -> Random,
    ) -> Choice {
        let spec = LossSpec { rate, list: list.clone(), only, ..LossSpec::default() };
        Choice(Loss::new(&spec, random))
    }

    /// Whether the packet is one of them.
    pub fn takes<P: Carried>(&mut self, packet: &P, now: Time) -> bool {
        self.0.takes(packet, LossPlace::BeforeQueue, now)
    }
}
