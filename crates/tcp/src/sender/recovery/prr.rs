//! Proportional rate reduction (RFC 6937, and RFC 9937, which replaces it; names in comments are theirs): how much a recovery
//! may send for each ACK. What is in flight then falls to ssthresh over a round trip instead of at once.
//!
//! While more than ssthresh is in flight, ssthresh / RecoverFS of what is delivered is sent. With less, after heavy losses, a
//! bound limits how fast the flight grows back to ssthresh. It is what was delivered (CRB), or a segment more than that with
//! each ACK (SSRB).

use super::super::Core;
use crate::rules::FackWindow;

/// The sums of one recovery, in sequence units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Prr {
    /// `RecoverFS`; 0 while no reduction is on.
    flight: u64,
    /// `prr_delivered` and `prr_out`.
    delivered: u64,
    out: u64,
}

/// Deliveries that an ACK shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Delivered {
    /// Units covered or reported for the first time (`DeliveredData`), and those of them that were covered.
    pub units: u64,
    pub covered: u64,
    /// Units reported above the cumulative ACK by now.
    pub reported: u64,
}

impl Delivered {
    /// From what was acknowledged and reported before an ACK to what is now.
    pub fn between((una, reported): (u64, u64), (una_now, reported_now): (u64, u64)) -> Delivered {
        let covered = una_now - una;
        Delivered { units: (covered + reported_now).saturating_sub(reported), covered, reported: reported_now }
    }
}

impl Prr {
    /// A recovery begins with an ACK, or a timer, that brought `delivery`; ssthresh is set, and `window` was cwnd.
    pub fn begin(&mut self, core: &Core, window: f64, delivery: Delivered) {
        let flight = match core.rules.recovery.window() {
            _ if core.control_owns_window() => 0,
            FackWindow::AtOnce | FackWindow::RateHalving => 0,
            // RFC 6937 section 3: FlightSize.
            FackWindow::PrrCrb | FackWindow::PrrSsrb => core.seq.flight_size().max(1),
            // `tcp_init_cwnd_reduction` (net/ipv4/tcp_input.c).
            FackWindow::PrrLinux => (window as u64).max(1),
            // RFC 9937 section 6.1: what will be counted as delivered in this recovery: not what was reported before it, but
            // what this ACK reports and covers.
            FackWindow::Prr => (core.seq.flight_size() + delivery.units).saturating_sub(delivery.reported).max(1),
        };
        *self = Prr { flight, ..Prr::default() };
    }

    /// True if a reduction is on.
    pub fn on(&self) -> bool {
        self.flight > 0
    }

    /// Units leave, new or again.
    pub fn sent(&mut self, units: u64) {
        self.out += units;
    }

    /// An ACK in recovery, also the one that begins it (RFC 6937 section 3; RFC 9937 section 6.2). Sets cwnd to what is in
    /// flight, `pipe`, plus what may leave now. `losses`: whether the ACK showed more losses.
    pub fn on_ack(&mut self, core: &mut Core, delivery: Delivered, pipe: u64, losses: bool) {
        let mss = u64::from(core.seq.mss);
        // RFC 9937: an ACK that delivers nothing leaves the window. The first segment goes whatever a bound says.
        if !self.on() || (delivery.units == 0 && self.out > 0) {
            return;
        }
        self.delivered += delivery.units;
        if core.rules.recovery.window() == FackWindow::PrrLinux {
            return self.on_ack_in_segments(core, delivery, pipe, losses);
        }
        let ssthresh = core.cc.threshold() as u64;
        let balance = self.delivered.saturating_sub(self.out);
        let mut sending = if pipe > ssthresh {
            let share = u128::from(self.delivered) * u128::from(ssthresh);
            (share.div_ceil(u128::from(self.flight)) as u64).saturating_sub(self.out)
        } else {
            let bound = match core.rules.recovery.window() {
                FackWindow::PrrCrb => balance,
                FackWindow::PrrSsrb => balance.max(delivery.units) + mss,
                // Only while all goes well: the cumulative ACK advances, and no further loss shows (`SafeACK`).
                _ => balance.max(delivery.units) + if delivery.covered > 0 && !losses { mss } else { 0 },
            };
            bound.min(ssthresh - pipe)
        };
        if self.out == 0 {
            sending = sending.max(mss);
        }
        // Never below a segment, as everywhere: with less in flight no ACK would come that could open it.
        core.cc.set_cwnd(((pipe + sending) as f64).max(f64::from(core.seq.mss)));
    }

    /// The same as Linux counts: in whole segments, of which a share makes the next (`tcp_cwnd_reduction` in
    /// net/ipv4/tcp_input.c).
    fn on_ack_in_segments(&self, core: &mut Core, delivery: Delivered, pipe: u64, losses: bool) {
        let mss = u64::from(core.seq.mss);
        let of = |units: u64| units.div_ceil(mss);
        let (pipe, ssthresh) = (of(pipe), core.cc.threshold() as u64 / mss);
        let (delivered, out, newly) = (of(self.delivered), of(self.out), of(delivery.units));
        let sending = if pipe > ssthresh {
            (delivered * ssthresh).div_ceil(of(self.flight)).saturating_sub(out)
        } else {
            let bound = delivered.saturating_sub(out).max(newly);
            (bound + u64::from(delivery.covered > 0 && !losses)).min(ssthresh - pipe)
        };
        let sending = sending.max(u64::from(self.out == 0));
        core.cc.set_cwnd(((pipe + sending).max(1) * mss) as f64);
    }

    /// The recovery is over. Sets cwnd to ssthresh, which it has nearly reached. Returns whether a reduction was on.
    pub fn end(&mut self, core: &mut Core) -> bool {
        let on = std::mem::take(self).on();
        if on {
            core.cc.set_cwnd(core.cc.threshold());
        }
        on
    }

    /// The timer ran out, which sets the window by itself.
    pub fn forget(&mut self) {
        *self = Prr::default();
    }
}
