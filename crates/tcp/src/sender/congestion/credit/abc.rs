//! Appropriate byte counting (RFC 3465; ledger smartacking.m.abc).

use super::{Covered, WindowCredit, Worth};

/// Slow start: what an ACK covers, at most L segments. Congestion avoidance: one segment for each window acknowledged.
#[derive(Clone, Debug, PartialEq)]
pub struct Abc {
    limit: f64,
    limit_after_timeout: f64,
    /// Acknowledged in congestion avoidance since the window last grew ("bytes_acked", section 2.1).
    acked: f64,
}

impl Abc {
    /// L, and the L that holds until what was outstanding at a timeout is acknowledged (1 by section 2.3), in segments.
    pub fn new(limit: f64, limit_after_timeout: f64) -> Abc {
        Abc { limit, limit_after_timeout, acked: 0.0 }
    }
}

impl WindowCredit for Abc {
    #[inline]
    fn worth(&mut self, ack: &Covered) -> Worth {
        if ack.slow_start {
            self.acked = 0.0;
            let limit = if ack.after_timeout { self.limit_after_timeout } else { self.limit };
            return Worth::whole(ack.acked.min(limit * ack.mss));
        }
        self.acked += ack.acked;
        if self.acked < ack.cwnd {
            return Worth::whole(0.0);
        }
        self.acked -= ack.cwnd;
        // A whole window's credit is worth one segment in additive increase.
        Worth::whole(ack.cwnd)
    }

    fn on_timeout(&mut self) {
        self.acked = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_slow_start_and_a_window_in_congestion_avoidance() {
        let mut abc = Abc::new(2.0, 1.0);
        let ack = |acked, slow_start, after_timeout| Covered {
            acked,
            mss: 100.0,
            cwnd: 1000.0,
            slow_start,
            after_timeout,
            all: false,
        };
        assert_eq!(abc.worth(&ack(500.0, true, false)).first, 200.0);
        assert_eq!(abc.worth(&ack(500.0, true, true)).first, 100.0, "section 2.3: L = 1 after a timeout");
        let grown: f64 = (0..20).map(|_| abc.worth(&ack(100.0, false, false)).first).sum();
        assert_eq!(grown, 2000.0, "two windows acknowledged, two credits of a window");
    }
}
