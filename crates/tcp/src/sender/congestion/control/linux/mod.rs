//! Congestion controls as Linux computes them, in whole segments, ticks and microseconds.

mod cubic;
mod dctcp;
mod reno;
mod vegas;
mod veno;
mod westwood;

pub use cubic::Cubic;
pub use dctcp::Dctcp;
pub use reno::Reno;
pub use vegas::Vegas;
pub use veno::Veno;
pub use westwood::Westwood;

use acklab_packet::Time;

use super::Window;

/// The kernel's clock: a tick in seconds, and its phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ticks {
    tick: f64,
    phase: f64,
}

impl Ticks {
    /// A clock with this tick, or of a millisecond where there is none.
    pub fn new((tick, phase): (Time, Time)) -> Ticks {
        Ticks { tick: if tick > Time::ZERO { tick.secs() } else { 0.001 }, phase: phase.secs() }
    }

    /// Ticks until `at` (`tcp_jiffies32`).
    fn at(self, at: Time) -> i64 {
        ((at.secs() + self.phase) / self.tick + 1e-6).floor() as i64
    }

    /// Ticks in a second (`HZ`).
    fn hz(self) -> i64 {
        (1.0 / self.tick).round() as i64
    }

    /// Ticks in which `micros` fit (`usecs_to_jiffies`).
    fn within(self, micros: i64) -> i64 {
        (micros * self.hz() + 999_999) / 1_000_000
    }
}

fn micros(secs: f64) -> i64 {
    (secs * 1e6 + 1e-3).floor() as i64
}

/// Whole segments in `units`.
fn whole(units: f64, window: &Window) -> u64 {
    (units / window.mss + 1e-6) as u64
}

/// Segments acknowledged, counted until they grow the window (`snd_cwnd_cnt`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counted(u64);

impl Counted {
    /// `tcp_cong_avoid_ai`: by how many segments the window grows if `per` of them make one.
    fn add(&mut self, acked: u64, per: u64) -> u64 {
        let per = per.max(1);
        let mut grown = u64::from(self.0 >= per);
        if grown > 0 {
            self.0 = 0;
        }
        self.0 += acked;
        grown += self.0 / per;
        self.0 %= per;
        grown
    }

    /// `tcp_reno_cong_avoid`.
    fn reno(&mut self, acked: u64, window: &mut Window) {
        let acked = slow_start(acked, window);
        if acked > 0 {
            let cwnd = whole(window.cwnd, window);
            window.cwnd += self.add(acked, cwnd) as f64 * window.mss;
        }
    }
}

/// Round-trip samples in microseconds, one more than measured (`tcp_vegas_pkts_acked`, `tcp_veno_pkts_acked`).
#[derive(Clone, Copy, Debug, PartialEq)]
struct RoundTrips {
    /// The least of all, and of this round trip.
    base: i64,
    least: i64,
    /// Samples of this round trip.
    count: u32,
}

impl RoundTrips {
    /// Before any sample.
    const NONE: RoundTrips = RoundTrips { base: i64::MAX, least: i64::MAX, count: 0 };

    fn note(&mut self, rtt: Option<f64>) {
        if let Some(rtt) = rtt.map(|rtt| micros(rtt) + 1) {
            (self.base, self.least) = (self.base.min(rtt), self.least.min(rtt));
            self.count += 1;
        }
    }

    /// True if this round trip has too few samples for an estimate of the queue.
    fn too_few(&self) -> bool {
        self.count <= 2
    }
}

/// `tcp_slow_start`: the segments that are left when the window has reached ssthresh.
fn slow_start(acked: u64, window: &mut Window) -> u64 {
    if !window.in_slow_start() {
        return acked;
    }
    let to = (window.cwnd + acked as f64 * window.mss).min(window.ssthresh.max(window.cwnd));
    let grown = whole(to - window.cwnd, window);
    window.cwnd = to;
    acked - grown
}
