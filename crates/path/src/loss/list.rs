//! Losses by number.

use acklab_packet::Time;

use super::{LossModel, LossParams};
use crate::PacketView;
use crate::random::Random;
use crate::values::Checked;

/// The packets of a list are lost.
#[derive(Clone, Debug)]
pub struct ByNumber {
    /// Ascending numbers still to come, latest first.
    ahead: Vec<u64>,
}

impl LossParams for Vec<u64> {
    fn check(&mut self) -> Checked {
        self.sort_unstable();
        self.dedup();
        Ok(())
    }
}

impl ByNumber {
    /// The model with these numbers, in any order.
    pub fn new(list: &[u64], _: impl FnOnce() -> Random) -> ByNumber {
        let mut ahead = list.to_vec();
        ahead.sort_unstable_by(|a, b| b.cmp(a));
        ahead.dedup();
        ByNumber { ahead }
    }
}

impl LossModel for ByNumber {
    #[inline]
    fn takes(&mut self, packet: &PacketView, _: Time) -> bool {
        let hit = self.ahead.last() == Some(&packet.number);
        if hit {
            self.ahead.pop();
        }
        hit
    }
}
