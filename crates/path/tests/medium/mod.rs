//! A driver for a medium by itself: stations that always have a frame.
#![allow(dead_code)]

use acklab_packet::{Rate, Time};
use acklab_path::Bare;
use acklab_path::queue::AnyQueue;
use acklab_path::random::Random;
use acklab_path::server::{AirStats, Dcf, DcfParams, DcfSpec, Fate, Frame};
use acklab_path::spec::QueueSpec;

/// A medium, its clock, and what has left it.
#[derive(Clone, Debug)]
pub struct World {
    pub dcf: Dcf<Bare>,
    pub now: Time,
    pub offered: u64,
    pub out: Vec<(Frame<Bare>, Fate)>,
    pub removed: Vec<Frame<Bare>>,
}

impl World {
    /// `stations`, each with one port and room for `waiting` packets.
    pub fn new(spec: &DcfSpec, stations: u32, waiting: u64, seed: u64) -> World {
        assert_eq!(DcfParams::check(spec), None);
        let queue = QueueSpec::drop_tail(None, Some(waiting), None, None);
        let station = |id: u32| {
            let random = |what: &str| Random::named(seed, &format!("{what} {id}"));
            (AnyQueue::new(&queue, Rate::from_bps(1e6), || random("queue")), random("backoff"), random("air"))
        };
        let dcf = Dcf::new(DcfParams::new(spec), (0..stations).map(station).collect(), (0..stations).collect());
        World { dcf, now: Time::ZERO, offered: 0, out: Vec::new(), removed: Vec::new() }
    }

    pub fn offer(&mut self, port: u32, size: u32) {
        let packet = Bare { size, number: self.offered };
        self.offered += 1;
        let before = self.out.len();
        self.dcf.offer(port, packet, self.now, &mut self.out);
        let removed = self.out.extract_if(before.., |(_, fate)| matches!(fate, Fate::Removed(_)));
        self.removed.extend(removed.map(|(frame, _)| frame));
    }

    /// Wakes it once; false if it wants nothing.
    pub fn step(&mut self) -> bool {
        let Some(next) = self.dcf.next() else { return false };
        assert!(next.secs() >= self.now.secs() - 1e-12, "woken in the past: {next} before {}", self.now);
        self.now = next.max(self.now);
        self.dcf.wake(self.now, &mut self.out);
        true
    }
}

/// What saturated stations got through.
pub struct Saturated {
    pub bps: f64,
    pub stats: Vec<AirStats>,
}

/// `stations` with always `backlog` packets of `size` each, for `secs` after a tenth of it to settle.
pub fn saturate(spec: &DcfSpec, stations: u32, size: u32, backlog: u64, secs: f64, seed: u64) -> Saturated {
    let mut world = World::new(spec, stations, backlog, seed);
    for port in 0..stations {
        (0..backlog).for_each(|_| world.offer(port, size));
    }
    let (mut bytes, begin) = (0u64, secs / 10.0);
    while world.now.secs() < begin + secs && world.step() {
        for (frame, fate) in std::mem::take(&mut world.out) {
            if fate == Fate::Delivered && world.now.secs() >= begin {
                bytes += u64::from(frame.packet.size);
            }
            world.offer(frame.port, size);
        }
    }
    assert!(world.removed.is_empty());
    let stats = (0..stations).map(|port| world.dcf.stats(port)).collect();
    Saturated { bps: 8.0 * bytes as f64 / (world.now.secs() - begin), stats }
}
