//! The stages of a far end with a clock and packets, for tests.
#![allow(dead_code)]

use std::ops::Range;

use acklab_packet::Time;
use acklab_path::Carried;
use acklab_path::random::Random;
use acklab_path::stage::{Chain, Passing, Reissue, StageSpec};

use crate::packets::{Tcp, ack, data};

/// A packet of the tests, and the units it carries if it is a segment.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen(pub Tcp, pub Option<Range<u64>>);

impl Carried for Seen {
    fn wire_bytes(&self) -> u32 {
        self.0.wire_bytes()
    }
    fn is_ack(&self) -> bool {
        self.0.is_ack()
    }
    fn has_payload(&self) -> bool {
        self.0.has_payload()
    }
    fn connection(&self) -> u64 {
        self.0.connection()
    }
    fn plain_ack(&self) -> Option<u64> {
        self.0.plain_ack()
    }
    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.sack_blocks()
    }
    fn timestamps(&self) -> (u64, u64) {
        self.0.timestamps()
    }
    fn congestion(&self) -> u8 {
        self.0.congestion()
    }
    fn unknown_options(&self) -> bool {
        self.0.unknown_options()
    }
    fn mark(&mut self) -> bool {
        false
    }
}

impl Reissue for Seen {
    fn reissued(&self, number: u64) -> Seen {
        Seen(Tcp { ack: Some(number), sack: Vec::new(), ..self.0.clone() }, None)
    }
    fn units(&self) -> Option<Range<u64>> {
        self.1.clone()
    }
    /// Its first timestamp counts milliseconds.
    fn stamped(&self) -> Time {
        at(self.0.stamps.0 as f64 / 1000.0)
    }
    fn ends_write(&self) -> bool {
        self.0.pushed
    }
}

pub fn number(connection: u64, number: u64) -> Seen {
    Seen(ack(connection, number), None)
}

pub fn segment(connection: u64, units: Range<u64>) -> Seen {
    Seen(data(connection, 0), Some(units))
}

pub fn selective(connection: u64, number: u64) -> Seen {
    Seen(Tcp { sack: vec![(number + 5, number + 9)], ..ack(connection, number) }, None)
}

pub fn at(secs: f64) -> Time {
    Time::from_secs(secs)
}

pub fn specs(json: serde_json::Value) -> Vec<StageSpec> {
    serde_json::from_value(json).expect("stages")
}

/// A far end with its clock: runs wake-ups as they fall due, and keeps what left it.
pub struct End {
    pub chain: Chain<Seen>,
    pub left: Vec<(f64, Passing<Seen>)>,
}

impl End {
    pub fn new(json: serde_json::Value) -> End {
        let chain = Chain::new(&specs(json), |part| Random::named(1, part));
        End { chain: chain.expect("stages of a far end"), left: Vec::new() }
    }

    pub fn until(&mut self, now: f64) {
        while let Some(due) = self.chain.next().filter(|due| *due <= at(now)) {
            let mut out = Vec::new();
            self.chain.wake(due, &mut out);
            self.left.extend(out.into_iter().map(|passing| (due.secs(), passing)));
        }
    }

    pub fn arrive(&mut self, now: f64, packet: Seen) {
        self.until(now);
        let mut out = Vec::new();
        self.chain.arrive(packet, at(now), &mut out);
        self.left.extend(out.into_iter().map(|passing| (now, passing)));
    }

    /// A packet arrives that entered the wire at `entered`, at an instant at which something is due.
    pub fn meet(&mut self, now: f64, entered: f64, packet: Seen) {
        let mut out = Vec::new();
        self.chain.precede(at(entered), at(now), &mut out);
        self.chain.arrive(packet, at(now), &mut out);
        self.left.extend(out.into_iter().map(|passing| (now, passing)));
    }

    /// When which numbers left since the last call, with a star if they were made here, a minus if they were removed.
    pub fn told(&mut self) -> String {
        let told = |(time, passing): (f64, Passing<Seen>)| {
            let star = if passing.removed {
                "-"
            } else if passing.made {
                "*"
            } else {
                ""
            };
            format!(
                "{:.0}:{}{star}",
                1000.0 * time,
                passing.packet.plain_ack().map_or("data".into(), |n| n.to_string())
            )
        };
        self.left.drain(..).map(told).collect::<Vec<_>>().join(" ")
    }
}
