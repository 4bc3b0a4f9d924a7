//! Reordering, and how much longer than a round trip RACK therefore waits (RFC 8985 sections 3.3.2 and 6.2;
//! `tcp_check_sack_reordering` in net/ipv4/tcp_input.c and `tcp_rack_update_reo_wnd` in net/ipv4/tcp_recovery.c).

use acklab_packet::{Seq, Time};

/// Recoveries without a DSACK after which the reordering window is its usual again.
const PERSIST: u32 = 16;
/// Largest degree (`tcp_max_reordering`).
const MOST: u64 = 300;

/// What is known of reordering. In Linux's form it has a degree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reordering {
    pub seen: bool,
    /// Segments by which one was overtaken, if that was more than usual (`reordering`).
    degree: u64,
    /// `RACK.reo_wnd_mult`, `RACK.reo_wnd_persist`, `RACK.dsack_round`.
    multiple: u32,
    persist: u32,
    round: Option<Seq>,
    /// A DSACK waits to widen the window (`dsack_seen`), and when one last did.
    pending: bool,
    widened: Time,
}

impl Default for Reordering {
    fn default() -> Reordering {
        let (round, widened) = (None, Time::ZERO);
        Reordering { seen: false, degree: 0, multiple: 1, persist: PERSIST, round, pending: false, widened }
    }
}

impl Reordering {
    /// Segments reported above a hole that do not yet show a loss: at least `usual`.
    pub fn degree(&self, usual: u32) -> u32 {
        (self.degree as u32).max(usual)
    }

    /// A segment that was sent once arrives, and begins `units` below the end of what has arrived.
    pub fn overtaken(&mut self, units: u64, mss: u32, usual: u32) {
        let mss = u64::from(mss);
        if units > u64::from(self.degree(usual)) * mss {
            self.degree = units.div_ceil(mss).min(MOST);
        }
        self.seen = true;
    }

    /// A timeout after reports that showed no loss: the degree was taken for too large (`tcp_enter_loss`).
    pub fn overestimated(&mut self) {
        self.degree = 0;
    }

    /// An ACK that reports a duplicate (DSACK, RFC 2883) widens the reordering window, once a round trip.
    pub fn on_dsack(&mut self, snd_una: Seq, snd_nxt: Seq, dsack: bool) {
        if self.round.is_some_and(|round| snd_una >= round) {
            self.round = None;
        }
        if dsack && self.round.is_none() {
            self.round = Some(snd_nxt);
            self.widen();
        }
    }

    /// In Linux's form: a DSACK of a retransmission, not of a probe, after reordering.
    pub fn expect_wider(&mut self) {
        self.pending |= self.seen;
    }

    /// In Linux's form: of what an ACK delivers, the segment sent last left at `newest`.
    pub fn on_delivery(&mut self, newest: Time, now: Time) {
        self.pending &= newest >= self.widened;
        if std::mem::take(&mut self.pending) {
            self.widened = now;
            self.widen();
        } else if self.persist == 0 {
            self.multiple = 1;
        }
    }

    fn widen(&mut self) {
        self.multiple = (self.multiple + 1).min(255);
        self.persist = PERSIST;
    }

    /// A fast or RTO recovery ends.
    pub fn on_exit(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiple = 1;
        }
    }

    /// DSACKs have undone a reduction.
    pub fn on_undo(&mut self) {
        self.persist = (self.persist + 1).min(PERSIST);
    }

    /// `RACK_update_reo_wnd`: how long, in seconds, a segment may be overtaken before it is lost. `impatient`: in recovery,
    /// or with as many segments reported as duplicate ACKs would signal a loss; without reordering so far it then is 0.
    pub fn window(&self, impatient: bool, min_rtt: f64, srtt: f64) -> f64 {
        if !self.seen && impatient {
            return 0.0;
        }
        (f64::from(self.multiple) * min_rtt / 4.0).min(srtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, expected: f64) -> bool {
        (got - expected).abs() < 1e-12
    }

    #[test]
    fn the_reordering_window_grows_with_dsacks_and_returns_after_16_recoveries() {
        let mut state = Reordering::default();
        assert!(near(state.window(false, 0.08, 1.0), 0.02) && state.window(true, 0.08, 1.0) == 0.0);
        state.seen = true;
        assert!(near(state.window(true, 0.08, 1.0), 0.02), "a quarter of the least round trip");
        state.on_dsack(5, 20, true);
        state.on_dsack(10, 20, true);
        assert!(near(state.window(true, 0.08, 1.0), 0.04), "once a round trip");
        state.on_dsack(20, 40, true);
        assert!(
            near(state.window(true, 0.08, 1.0), 0.06) && near(state.window(true, 0.08, 0.05), 0.05),
            "no more than SRTT"
        );
        (0..15).for_each(|_| state.on_exit());
        assert!(near(state.window(true, 0.08, 1.0), 0.06));
        state.on_exit();
        assert!(near(state.window(true, 0.08, 1.0), 0.02));
    }

    #[test]
    fn linux_widens_after_reordering_only_and_once_for_what_left_since() {
        let (mut state, at) = (Reordering::default(), Time::from_secs);
        let widen = |state: &mut Reordering, newest, now| {
            state.expect_wider();
            state.on_delivery(at(newest), at(now));
            state.window(true, 0.08, 1.0)
        };
        widen(&mut state, 1.0, 1.1);
        state.seen = true;
        assert!(near(widen(&mut state, 1.1, 1.2), 0.04), "the first came before any reordering");
        assert!(near(widen(&mut state, 1.15, 1.25), 0.04), "left before the last");
        assert!(near(widen(&mut state, 1.2, 1.3), 0.06));
    }

    #[test]
    fn the_degree_is_the_longest_distance_in_segments() {
        let mut state = Reordering::default();
        state.overtaken(300, 100, 3);
        assert_eq!((state.seen, state.degree(3)), (true, 3));
        state.overtaken(650, 100, 3);
        state.overtaken(500, 100, 3);
        assert_eq!(state.degree(3), 7);
        state.overtaken(1_000_000, 100, 3);
        assert_eq!(state.degree(3), 300);
        state.overestimated();
        assert_eq!(state.degree(3), 3);
    }
}
