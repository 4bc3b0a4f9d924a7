//! A recorded link: opportunities to deliver 1,500 bytes, at given milliseconds, over and over (Mahimahi's traces; Netravali
//! et al. 2015).
//!
//! Packets share an opportunity, and a packet may take several. One that finds nothing to deliver is lost.

use acklab_packet::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Server, ServerParams, Taken};
use crate::random::Random;
use crate::values::{Checked, Wrong, must};

/// Bytes of an opportunity.
const OPPORTUNITY: u32 = 1500;
/// Most of a trace's milliseconds: a day.
const LONGEST: u64 = 86_400_000;

/// Opportunities to deliver 1,500 bytes at given milliseconds (a Mahimahi trace).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MahimahiSpec {
    /// When there is an opportunity, in milliseconds: whole numbers that do not fall, from 0 to a day. The trace begins again at
    /// the last of them, which must be above 0.
    pub milliseconds: Vec<u64>,
}

impl MahimahiSpec {
    fn period(&self) -> u64 {
        self.milliseconds.last().copied().unwrap_or(0)
    }
}

impl ServerParams for MahimahiSpec {
    /// The mean.
    fn rate(&self) -> Rate {
        let bits = 8.0 * f64::from(OPPORTUNITY) * self.milliseconds.len() as f64;
        Rate::from_bps(bits * 1000.0 / self.period().max(1) as f64)
    }

    fn check(&mut self) -> Checked {
        let key = "milliseconds";
        if let Some(pair) = self.milliseconds.windows(2).find(|pair| pair[1] < pair[0]) {
            return Err(Wrong::at(key, "must not fall").given(format_args!("{}, {}", pair[0], pair[1])));
        }
        let (last, numbers) = (self.period(), format!("{} numbers", self.milliseconds.len()));
        must(last > 0, key, "must have a number above 0", numbers)?;
        must(last <= LONGEST, key, "must be at most 86400000", last)
    }
}

/// A server that follows a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Mahimahi {
    milliseconds: Vec<u64>,
    /// The next opportunity: how often the trace has begun again, and the place in it.
    cycle: u64,
    next: usize,
    /// What is left of the last one, and when that was.
    left: u32,
    at: f64,
    busy: f64,
}

impl Mahimahi {
    /// The server that `spec` describes.
    pub fn new(spec: &MahimahiSpec, _: impl FnOnce() -> Random) -> Mahimahi {
        Mahimahi { milliseconds: spec.milliseconds.clone(), cycle: 0, next: 0, left: 0, at: -1.0, busy: 0.0 }
    }

    fn period(&self) -> u64 {
        self.milliseconds[self.milliseconds.len() - 1]
    }

    /// When the next opportunity is, in seconds.
    fn when(&self) -> f64 {
        (self.cycle * self.period() + self.milliseconds[self.next]) as f64 / 1000.0
    }

    fn advance(&mut self) {
        self.next += 1;
        if self.next == self.milliseconds.len() {
            (self.next, self.cycle) = (0, self.cycle + 1);
        }
    }

    /// Passes opportunities that are over.
    fn skip_to(&mut self, now: f64) {
        // One cycle early: rounding must not skip an opportunity.
        let cycle = (now * 1000.0 / self.period() as f64).floor() as u64;
        if cycle > self.cycle + 1 {
            (self.cycle, self.next) = (cycle - 1, 0);
        }
        while self.when() < now {
            self.advance();
        }
    }
}

impl Server for Mahimahi {
    fn take(&mut self, bytes: u32, now: Time) -> Taken {
        let now = now.secs();
        if now > self.at {
            self.left = 0;
            self.skip_to(now);
        }
        let mut bytes = bytes;
        while bytes > self.left {
            bytes -= self.left;
            (self.left, self.at) = (OPPORTUNITY, self.when());
            self.advance();
        }
        self.left -= bytes;
        let lasts = (self.at - now).max(0.0);
        // The end, computed from the begin, must be that very time: what is left of the opportunity is for who comes then.
        self.at = now + lasts;
        self.busy += lasts;
        Time::from_secs(lasts).into()
    }

    fn busy(&self, _: u64) -> f64 {
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(server: &mut Mahimahi, bytes: u32, ms: f64) -> f64 {
        let now = Time::from_secs(ms / 1000.0);
        ((now + server.take(bytes, now).lasts).secs() * 1e6).round() / 1e3
    }

    fn server(milliseconds: &[u64]) -> Mahimahi {
        let mut spec = MahimahiSpec { milliseconds: milliseconds.to_vec() };
        assert_eq!(spec.check(), Ok(()));
        Mahimahi::new(&spec, || Random::stream(0))
    }

    /// Worked by hand from Mahimahi's description: two opportunities at 5 ms, one at 7 and one at 10, where it begins again.
    #[test]
    fn packets_leave_at_opportunities() {
        let mut server = server(&[5, 5, 7, 10]);
        assert_eq!(ends(&mut server, 1500, 0.0), 5.0);
        // 1000 of the second opportunity's bytes; the next packet takes the other 500, and 1000 at 7 ms.
        assert_eq!(ends(&mut server, 1000, 5.0), 5.0);
        assert_eq!(ends(&mut server, 1500, 5.0), 7.0);
        // 500 bytes are left then; at 8 ms they are lost.
        assert_eq!(ends(&mut server, 500, 7.0), 7.0);
        assert_eq!(ends(&mut server, 40, 8.0), 10.0);
        // It begins again at 10 ms: 15, 15, 17 and 20.
        assert_eq!(ends(&mut server, 1500, 10.5), 15.0);
        assert_eq!(ends(&mut server, 4500, 15.0), 20.0);
        // Hours later.
        assert_eq!(ends(&mut server, 1500, 36_000_000.0), 36_000_000.0);
        assert_eq!(ends(&mut server, 1500, 36_000_001.0), 36_000_005.0);
    }

    #[test]
    fn minutes_without_an_opportunity_pass() {
        let mut server = server(&[0, 1, 600_000]);
        assert_eq!(ends(&mut server, 3000, 0.0), 1.0);
        assert_eq!(ends(&mut server, 1500, 2.0), 600_000.0);
        // The last opportunity of one round and the first of the next are at the same time.
        assert_eq!(ends(&mut server, 1500, 600_000.0), 600_000.0);
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        let wrong = |milliseconds: &[u64]| {
            MahimahiSpec { milliseconds: milliseconds.to_vec() }.check().err().map(|wrong| wrong.what)
        };
        assert_eq!(wrong(&[]), Some("must have a number above 0".to_owned()));
        assert_eq!(wrong(&[0, 0]), Some("must have a number above 0".to_owned()));
        assert_eq!(wrong(&[0, 3, 2]), Some("must not fall".to_owned()));
        assert_eq!(wrong(&[1, 86_400_001]), Some("must be at most 86400000".to_owned()));
        assert_eq!(wrong(&[1]), None);
    }
}
