//! Losses by number.

use acklab_packet::Time;

use super::LossModel;
use crate::PacketView;
use crate::random::Random;
use crate::values::{Checked, sort};

/// The packets of a list are lost.
#[derive(Clone, Debug)]
pub struct ByNumber {
    /// Ascending numbers still to come, latest first.
    ahead: Vec<u64>,
}

impl ByNumber {
    pub(super) fn check(list: &mut Vec<u64>) -> Checked {
        sort(list);
        Ok(())
    }

    /// The model with these numbers, in any order.
    pub fn new(list: &[u64], _: impl FnOnce() -> Random) -> ByNumber {
        let mut ahead = list.to_vec();
        sort(&mut ahead);
        ahead.reverse();
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
