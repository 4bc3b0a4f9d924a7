//! Byte counting: an ACK is worth what it newly covers, without a limit or with one (Allman 1998 section 2.4; ledger
//! allman1998.m.ubc, allman1998.m.lbc).

use super::{Covered, WindowCredit, Worth};
use crate::rules::Growth;

/// Unlimited (UBC) and limited (LBC) byte counting, in slow start and in congestion avoidance alike.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteCounting {
    /// Most segments an ACK is worth.
    pub limit: f64,
    /// The way in which the increment is applied.
    pub growth: Growth,
}

impl WindowCredit for ByteCounting {
    #[inline]
    fn worth(&mut self, ack: &Covered) -> Worth {
        let (units, mss) = (ack.acked.min(self.limit * ack.mss), ack.mss);
        match self.growth {
            Growth::Steps if units > mss => {
                let times = (units / mss).ceil() - 1.0;
                Worth { first: mss, then: (units - mss) / times, times: times as u32 }
            }
            Growth::AllThenOne if units > mss && !ack.slow_start => Worth { first: units - mss, then: mss, times: 1 },
            _ => Worth::whole(units),
        }
    }

    fn on_timeout(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_bounds_what_a_stretch_ack_is_worth() {
        let ack =
            |acked| Covered { acked, mss: 1000.0, cwnd: 8000.0, slow_start: true, after_timeout: false, all: false };
        let mut ubc = ByteCounting { limit: f64::INFINITY, growth: Growth::Whole };
        let mut lbc = ByteCounting { limit: 2.0, growth: Growth::Steps };
        assert_eq!(ubc.worth(&ack(7000.0)), Worth::whole(7000.0));
        assert_eq!(lbc.worth(&ack(7000.0)), Worth { first: 1000.0, then: 1000.0, times: 1 });
        assert_eq!(lbc.worth(&ack(10.0)), Worth::whole(10.0), "a small segment is worth its bytes");
    }
}
