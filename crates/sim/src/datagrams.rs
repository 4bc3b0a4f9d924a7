//! Unresponsive traffic: datagrams at a constant rate, on for a while and off for a while (ledger
//! smartacking.m.onoff_udp).

use acklab_packet::Time;
use acklab_path::random::Random;

use acklab_scenario::spec::{Datagrams as Spec, First, Spans};

/// What wakes the source does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The number of the datagram to send now, if one is due.
    pub send: Option<u64>,
    /// When to wake it next.
    pub next: Time,
}

/// One source at work, and the count of what arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Datagrams {
    spec: Spec,
    random: Random,
    begin: Time,
    on: bool,
    /// Times it was switched since the beginning.
    switched: u64,
    next_switch: Time,
    next_send: Time,
    /// Datagrams sent, and those that arrived.
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// When the last one arrived.
    pub(crate) last_arrival: Time,
}

impl Datagrams {
    /// A source of that kind with its own stream of draws.
    pub fn new(spec: Spec, random: Random) -> Datagrams {
        Datagrams {
            spec,
            random,
            begin: Time::ZERO,
            on: false,
            switched: 0,
            next_switch: Time::ZERO,
            next_send: Time::ZERO,
            sent: 0,
            received: 0,
            last_arrival: Time::ZERO,
        }
    }

    /// Bytes of a datagram.
    pub fn bytes(&self) -> u32 {
        self.spec.packet
    }

    /// It starts.
    pub fn start(&mut self, now: Time) -> Turn {
        self.begin = now;
        self.on = self.spec.first == First::On || self.spec.off == Time::ZERO;
        (self.next_send, self.next_switch) = (now, self.switch_after(now));
        self.wake(now)
    }

    /// The instant has come that it asked for. A switch comes before a datagram due at the same instant, and the first
    /// datagram leaves as it is switched on.
    pub fn wake(&mut self, now: Time) -> Turn {
        while self.next_switch <= now {
            let at = self.next_switch;
            self.on = !self.on;
            self.switched += 1;
            self.next_switch = self.switch_after(at);
            self.next_send = at;
        }
        let mut send = None;
        if self.on && self.next_send <= now {
            send = Some(self.sent);
            self.sent += 1;
            self.next_send = now + Time::from_secs(8.0 * f64::from(self.spec.packet) / self.spec.rate.bps());
        }
        Turn { send, next: if self.on { self.next_send.min(self.next_switch) } else { self.next_switch } }
    }

    /// When the span that begins at `at` ends. Constant spans are counted from the beginning, not added up.
    fn switch_after(&mut self, at: Time) -> Time {
        let (on, off) = (self.spec.on.secs(), self.spec.off.secs());
        let (first, second) = if self.spec.first == First::On { (on, off) } else { (off, on) };
        if off == 0.0 {
            return Time::from_secs(f64::INFINITY);
        }
        match self.spec.spans {
            Spans::Constant => {
                let (pairs, odd) = (self.switched / 2, self.switched % 2 == 1);
                let span = pairs as f64 * (on + off) + if odd { first + second } else { first };
                self.begin + Time::from_secs(span)
            }
            Spans::Exponential => {
                let mean = if self.on { on } else { off };
                // libm in Rust, not the system's: its last digit must be the same everywhere.
                at + Time::from_secs(-mean * libm::log(self.random.uniform()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_packet::Rate;

    fn t(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    fn source(on: f64, off: f64, spans: Spans, first: First) -> Datagrams {
        let (on, off) = (t(on), t(off));
        // 4 datagrams a second.
        let spec = Spec { rate: Rate::from_bps(32_000.0), packet: 1000, on, off, spans, first };
        Datagrams::new(spec, Random::named(1, "source"))
    }

    /// When it sends, up to `until`.
    fn sends(source: &mut Datagrams, begin: f64, until: f64) -> Vec<f64> {
        let (mut now, mut turn, mut sent) = (t(begin), source.start(t(begin)), Vec::new());
        while now <= t(until) {
            sent.extend(turn.send.map(|_| now.secs()));
            now = turn.next;
            turn = source.wake(now);
        }
        sent
    }

    #[test]
    fn a_second_on_and_half_a_second_off() {
        let times = sends(&mut source(1.0, 0.5, Spans::Constant, First::On), 2.0, 4.5);
        assert_eq!(times, [2.0, 2.25, 2.5, 2.75, 3.5, 3.75, 4.0, 4.25], "none at 3.0, where it is switched off");
    }

    #[test]
    fn it_may_begin_off_and_may_never_be() {
        let times = sends(&mut source(0.5, 1.0, Spans::Constant, First::Off), 0.0, 3.0);
        assert_eq!(times, [1.0, 1.25, 2.5, 2.75]);
        let times = sends(&mut source(1.0, 0.0, Spans::Constant, First::On), 0.0, 2.0);
        assert_eq!(times.len(), 9);
    }

    #[test]
    fn exponential_spans_have_their_means() {
        let mut source = source(2.0, 6.0, Spans::Exponential, First::On);
        let sent = sends(&mut source, 0.0, 80_000.0).len() as f64;
        // Each on-span sends its first datagram at once: half a datagram more than its length says.
        let expected = 80_000.0 / 8.0 * (2.0 * 4.0 + 0.5);
        assert!((sent / expected - 1.0).abs() < 0.02, "{sent} of {expected}");
    }
}
