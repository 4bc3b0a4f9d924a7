//! How busy a link is, as its queue can tell (ledger ackfilter.m.tsw_rate, ackfilter.m.presence).

use acklab_packet::Time;

/// The rate at which packets leave, over a sliding window of time (Clark and Fang 1998).
///
/// It changes only when a packet leaves: a link that falls idle keeps its estimate until the next departure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tsw {
    window: f64,
    rate: f64,
    last: f64,
}

impl Tsw {
    /// Rate 0 at time 0.
    pub fn new(window: Time) -> Tsw {
        Tsw { window: window.secs(), rate: 0.0, last: 0.0 }
    }

    /// A packet of `bytes` leaves the queue.
    #[inline]
    pub fn on_departure(&mut self, bytes: u32, now: Time) {
        let span = now.secs() - self.last + self.window;
        self.rate = (self.rate * self.window + f64::from(bytes)) / span;
        self.last = now.secs();
    }

    /// Bytes a second.
    #[inline]
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

/// The share of time during which packets wait: tells that a link is busy without knowing its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Presence {
    window: f64,
    rate: f64,
    last: f64,
    literal: bool,
}

impl Presence {
    /// Rate 0 at time 0. `literal` counts events as the paper's listing does, which gives events a second instead of
    /// a share of time: above any share at once (ledger ackfilter.m.presence).
    pub fn new(window: Time, literal: bool) -> Presence {
        Presence { window: window.secs(), rate: 0.0, last: 0.0, literal }
    }

    /// A packet arrives, or leaves; `waiting` says whether any has been waiting since the last event.
    #[inline]
    pub fn on_event(&mut self, departure: bool, waiting: bool, now: Time) {
        let since = now.secs() - self.last;
        let present = if self.literal { 1.0 } else { since };
        let seen = if departure && self.literal || waiting { present } else { 0.0 };
        self.rate = (self.rate * self.window + seen) / (self.window + since);
        self.last = now.secs();
    }

    /// The share, 0 to 1; events a second when literal.
    #[inline]
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    #[test]
    fn tsw_by_hand() {
        let mut tsw = Tsw::new(at(0.2));
        tsw.on_departure(40, at(0.1));
        assert_eq!(tsw.rate(), 40.0 / (0.1 + 0.2));
        tsw.on_departure(40, at(0.1));
        assert!((tsw.rate() - (40.0 / 0.3 + 40.0 / 0.2)).abs() < 1e-9, "at the same instant nothing decays");
        let before = tsw.rate();
        tsw.on_departure(60, at(0.5));
        assert!((tsw.rate() - (before * 0.2 + 60.0) / 0.6).abs() < 1e-9);
    }

    #[test]
    fn a_full_link_tends_to_its_rate_and_an_idle_one_keeps_the_estimate() {
        // 100 kb/s, 40-byte ACKs: one every 3.2 ms, 12500 bytes a second.
        let mut tsw = Tsw::new(at(0.2));
        for i in 0..2000 {
            tsw.on_departure(40, at(0.0032 * f64::from(i)));
        }
        assert!((tsw.rate() - 12_500.0).abs() < 0.5, "{}", tsw.rate());
        let frozen = tsw.rate();
        tsw.on_departure(40, at(0.0032 * 1999.0 + 1.8));
        assert!((tsw.rate() - (frozen * 0.2 + 40.0) / 2.0).abs() < 1e-9, "the gap weighs at the next departure");
    }

    #[test]
    fn presence_by_hand() {
        let mut presence = Presence::new(at(0.2), false);
        presence.on_event(false, false, at(1.0));
        assert_eq!(presence.rate(), 0.0);
        presence.on_event(true, true, at(1.2));
        assert!((presence.rate() - 0.5).abs() < 1e-12, "0.2 s of presence over 0.4 s");
        presence.on_event(false, false, at(1.3));
        assert!((presence.rate() - 0.5 * 0.2 / 0.3).abs() < 1e-12);
        for i in 0..1000 {
            presence.on_event(true, true, at(1.3 + 0.0032 * f64::from(i)));
        }
        assert!(presence.rate() > 0.999 && presence.rate() <= 1.0);
    }

    #[test]
    fn the_printed_listing_counts_events() {
        let mut literal = Presence::new(at(0.2), true);
        for i in 0..1000 {
            let now = at(0.0032 * f64::from(i));
            literal.on_event(false, true, now);
            literal.on_event(true, true, now);
        }
        assert!(
            (literal.rate() - 625.0).abs() < 10.0,
            "departures and arrivals a second, not a share: {}",
            literal.rate()
        );
    }
}
