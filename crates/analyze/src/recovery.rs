//! Retransmissions by their cause, the initial window, and how long the window was closed.

use crate::numbers::span_s;
use crate::thresholds::{DUPLICATES, FIRST_WINDOW_SHARE, MIN_RTO_S};

/// What a direction's sender did about losses, as far as it shows here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recovery {
    /// Recoveries that duplicate ACKs or SACK blocks began (RFC 5681 section 3.2, RFC 6675).
    pub fast: u64,
    /// Segments resent after a silence, when neither had come (RFC 6298).
    pub timeouts: u64,
    /// Duplicate ACKs in a row, and whether a SACK block came since something new was acknowledged.
    duplicates: u64,
    reported: bool,
    /// Where the present recovery ends.
    until: Option<u64>,
    last_data: Option<i64>,
    /// When the first data passed, and what passed within a round trip from then on.
    first_data: Option<i64>,
    pub first_window: u64,
    /// Since when the window is closed, and nanoseconds for which it was.
    closed: Option<i64>,
    pub closed_ns: i64,
}

impl Recovery {
    /// Payload passes; `again` if it had passed before, or fills a gap. `next` is one past the highest number.
    pub fn on_data(&mut self, payload: u32, again: bool, next: u64, round_trip: Option<f64>, now: i64) {
        let silence = self.last_data.replace(now).map_or(0.0, |last| span_s(last, now));
        let first = *self.first_data.get_or_insert(now);
        if !again && round_trip.is_some_and(|secs| span_s(first, now) <= FIRST_WINDOW_SHARE * secs) {
            self.first_window += u64::from(payload);
        }
        if !again || self.until.is_some() {
            return;
        }
        if self.duplicates >= DUPLICATES || self.reported {
            self.fast += 1;
            self.until = Some(next);
        } else if silence >= MIN_RTO_S {
            self.timeouts += 1;
        }
    }

    /// An ACK repeats the one before, or reports something beyond a gap.
    pub fn on_duplicate(&mut self, sacks: u8) {
        self.duplicates += 1;
        self.reported |= sacks > 0;
    }

    /// Everything below `ack` is acknowledged.
    pub fn on_new(&mut self, ack: u64) {
        (self.duplicates, self.reported) = (0, false);
        self.until = self.until.filter(|until| ack < *until);
    }

    /// The receiver's window is `bytes`.
    pub fn on_window(&mut self, bytes: u64, now: i64) {
        match (self.closed, bytes) {
            (None, 0) => self.closed = Some(now),
            (Some(since), 1..) => {
                self.closed_ns = self.closed_ns.saturating_add(now.saturating_sub(since));
                self.closed = None;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn duplicates_begin_one_recovery_and_silence_a_timeout() {
        let mut recovery = Recovery::default();
        recovery.on_data(1000, false, 5000, Some(0.1), 0);
        (0..3).for_each(|_| recovery.on_duplicate(0));
        recovery.on_data(1000, true, 5000, Some(0.1), 50 * MS);
        recovery.on_data(1000, true, 5000, Some(0.1), 51 * MS);
        assert_eq!((recovery.fast, recovery.timeouts), (1, 0), "both are of one recovery");
        recovery.on_new(5000);
        recovery.on_data(1000, true, 6000, Some(0.1), 150 * MS);
        assert_eq!((recovery.fast, recovery.timeouts), (1, 0), "no cause is known");
        recovery.on_data(1000, true, 6000, Some(0.1), 950 * MS);
        assert_eq!((recovery.fast, recovery.timeouts, recovery.first_window), (1, 1, 1000));
    }

    #[test]
    fn a_window_is_closed_until_it_opens() {
        let mut recovery = Recovery::default();
        for (bytes, at) in [(9, 0), (0, 10), (0, 20), (5, 35), (0, 50), (1, 51)] {
            recovery.on_window(bytes, at);
        }
        assert_eq!(recovery.closed_ns, 26);
    }
}
