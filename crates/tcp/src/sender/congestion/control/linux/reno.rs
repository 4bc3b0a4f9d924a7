//! Reno as Linux computes it (net/ipv4/tcp_cong.c).

use super::super::{CongestionControl, Needs, Reduced, Signal, Window};
use super::{Counted, whole};

/// The segments counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reno(Counted);

impl CongestionControl for Reno {
    fn needs(&self) -> Needs {
        Needs::Credit
    }

    fn grow(&mut self, credit: f64, window: &mut Window) {
        self.0.reno(whole(credit, window), window);
    }

    /// `tcp_reno_ssthresh`.
    fn on_congestion(&mut self, signal: Signal, in_use: f64, window: &Window) -> Reduced {
        if signal != Signal::Idle {
            self.0 = Counted::default();
        }
        Reduced::to((whole(in_use, window) / 2).max(2) as f64 * window.mss)
    }
}
