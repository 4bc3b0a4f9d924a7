//! Proportional rate reduction (RFC 6937, and RFC 9937, which replaces it; names in comments are theirs): how much a recovery
//! may send for each ACK. What is in flight then falls to ssthresh over a round trip instead of at once.
//!
//! While more than ssthresh is in flight, ssthresh / RecoverFS of what is delivered is sent. With less, after heavy losses, a
//! bound limits how fast the flight grows back to ssthresh. It is what was delivered (CRB), or a segment more than that with
//! each ACK (SSRB).

use super::super::Core;
use super::CaState;
use crate::rules::FackWindow;

/// The sums of one recovery, in sequence units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) struct Prr {
    /// `RecoverFS`; 0 while no reduction is on.
    flight: u64,
    /// `prr_delivered` and `prr_out`.
    delivered: u64,
    out: u64,
}

/// Deliveries that an ACK shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) struct Delivered {
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

/// An ACK within a recovery, as proportional rate reduction reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sender) struct Follow {
    pub delivery: Delivered,
    /// Units in flight.
    pub pipe: u64,
    /// True if it showed more losses.
    pub losses: bool,
}

impl Prr {
    /// True if a reduction is on.
    pub fn is_on(&self) -> bool {
        self.flight > 0
    }

    /// Counts units that leave, new or again.
    pub fn sent(&mut self, units: u64) {
        self.out += units;
    }

    /// Ends the reduction without setting the window.
    pub fn forget(&mut self) {
        *self = Prr::default();
    }
}

impl Core {
    /// Begins the reduction of a recovery with an ACK, or a timer, that brought `delivery`; ssthresh is set, and `window` was cwnd.
    pub(in crate::sender) fn begin_prr(&mut self, window: f64, delivery: Delivered) {
        let flight = match self.rules.recovery.window() {
            _ if self.control_owns_window() => 0,
            FackWindow::AtOnce | FackWindow::RateHalving => 0,
            // RFC 6937 section 3: FlightSize.
            FackWindow::PrrCrb | FackWindow::PrrSsrb => self.seq.flight_size().max(1),
            // `tcp_init_cwnd_reduction` (net/ipv4/tcp_input.c).
            FackWindow::PrrLinux => (window as u64).max(1),
            // RFC 9937 section 6.1: what will be counted as delivered in this recovery: not what was reported before it, but
            // what this ACK reports and covers.
            FackWindow::Prr => (self.seq.flight_size() + delivery.units).saturating_sub(delivery.reported).max(1),
        };
        self.extras.prr = Prr { flight, ..Prr::default() };
    }

    /// Applies the reduction to an ACK in recovery, also the one that begins it (RFC 6937 section 3; RFC 9937 section 6.2). Sets
    /// cwnd to what is in flight, `pipe`, plus what may leave now. `losses`: the ACK showed more losses.
    pub(in crate::sender) fn follow_prr(&mut self, Follow { delivery, pipe, losses }: Follow) {
        let (mss, ssthresh, window) =
            (u64::from(self.seq.mss), self.cc.threshold() as u64, self.rules.recovery.window());
        let prr = &mut self.extras.prr;
        // RFC 9937: an ACK that delivers nothing leaves the window. The first segment goes whatever a bound says.
        if !prr.is_on() || (delivery.units == 0 && prr.out > 0) {
            return;
        }
        prr.delivered += delivery.units;
        let units = if window == FackWindow::PrrLinux {
            prr.window_in_segments(delivery, (pipe, ssthresh, mss), losses)
        } else {
            prr.window(window, delivery, (pipe, ssthresh, mss), losses)
        };
        // Never below a segment, as everywhere: with less in flight no ACK would come that could open it.
        self.cc.windows.cwnd = units.max(mss) as f64;
    }

    /// True if a reduction is on.
    pub(in crate::sender) fn follows_prr(&self) -> bool {
        self.extras.prr.is_on()
    }

    /// Ends a recovery, and its reduction.
    pub(in crate::sender) fn end_recovery(&mut self) {
        if self.cc.state == CaState::Recovery {
            self.leave_recovery();
        }
        self.end_prr();
    }

    /// Ends the reduction. Sets cwnd to ssthresh, which it has nearly reached. Returns whether a reduction was on.
    pub(in crate::sender) fn end_prr(&mut self) -> bool {
        let on = std::mem::take(&mut self.extras.prr).is_on();
        if on {
            self.cc.windows.cwnd = self.cc.threshold();
        }
        on
    }
}

impl Prr {
    /// The window in units, by the bound that `form` sets.
    fn window(
        &self,
        form: FackWindow,
        delivery: Delivered,
        (pipe, ssthresh, mss): (u64, u64, u64),
        losses: bool,
    ) -> u64 {
        let balance = self.delivered.saturating_sub(self.out);
        let sending = if pipe > ssthresh {
            let share = u128::from(self.delivered) * u128::from(ssthresh);
            (share.div_ceil(u128::from(self.flight)) as u64).saturating_sub(self.out)
        } else {
            let bound = match form {
                FackWindow::PrrCrb => balance,
                FackWindow::PrrSsrb => balance.max(delivery.units) + mss,
                // Only while all goes well: the cumulative ACK advances, and no further loss shows (`SafeACK`).
                _ => balance.max(delivery.units) + if delivery.covered > 0 && !losses { mss } else { 0 },
            };
            bound.min(ssthresh - pipe)
        };
        pipe + if self.out == 0 { sending.max(mss) } else { sending }
    }

    /// The same as Linux counts: in whole segments, of which a share makes the next (`tcp_cwnd_reduction` in
    /// net/ipv4/tcp_input.c).
    fn window_in_segments(&self, delivery: Delivered, (pipe, ssthresh, mss): (u64, u64, u64), losses: bool) -> u64 {
        let of = |units: u64| units.div_ceil(mss);
        let (pipe, ssthresh) = (of(pipe), ssthresh / mss);
        let (delivered, out, newly) = (of(self.delivered), of(self.out), of(delivery.units));
        let sending = if pipe > ssthresh {
            (delivered * ssthresh).div_ceil(of(self.flight)).saturating_sub(out)
        } else {
            let bound = delivered.saturating_sub(out).max(newly);
            (bound + u64::from(delivery.covered > 0 && !losses)).min(ssthresh - pipe)
        };
        (pipe + sending.max(u64::from(self.out == 0))) * mss
    }
}
