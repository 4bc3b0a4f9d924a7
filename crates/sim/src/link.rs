//! One direction of a link: loss model, queue, transmitter, propagation.

use std::collections::VecDeque;

use acklab_packet::{Packet, Rate, Time};
use acklab_path::Carried;
use acklab_path::loss::Loss;
use acklab_path::queue::{AnyQueue, Queue, Service};
use acklab_path::random::Random;
use acklab_path::spec::LinkSpec;

use crate::event::Due;

/// A link direction and everything on it.
#[derive(Clone, Debug)]
pub struct Link {
    rate: Rate,
    delay: Time,
    pub(crate) queue: AnyQueue<Packet>,
    pub(crate) loss: Option<Loss>,
    /// When the transmitter is free; in the past when idle.
    pub(crate) free: Due,
    /// Size of the packet in service, or of the last one.
    in_service: u32,
    /// Whether the heap holds this link's [`crate::event::Event::Free`].
    pub(crate) free_queued: bool,
    /// Packets propagating, in order of arrival.
    pub(crate) in_flight: VecDeque<(Due, Packet)>,
    /// The last packet size serialised and its times: serialisation, and serialisation plus propagation.
    last_size: u32,
    last_times: (Time, Time),
    pub(crate) stats: LinkStats,
}

/// What a link direction counts. Times and integrals are in seconds and packet-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct LinkStats {
    pub packets: u64,
    pub bytes: u64,
    pub drops: u64,
    pub lost: u64,
    pub filtered: u64,
    pub busy: f64,
    pub queue_integral: f64,
    pub queue_since: f64,
    pub queue_max: u64,
}

impl LinkStats {
    /// The queue was `waiting` packets long since the last call; accounts for the time until `now`.
    #[inline]
    pub fn integrate(&mut self, waiting: usize, now: Time) {
        self.queue_integral += waiting as f64 * (now.secs() - self.queue_since);
        self.queue_since = now.secs();
    }
}

impl Link {
    /// The link direction `spec` describes; `random` gives its component of that name a stream.
    pub fn new(spec: &LinkSpec, random: impl Fn(&str) -> Random) -> Link {
        Link {
            rate: spec.rate,
            delay: spec.delay,
            queue: AnyQueue::new(&spec.queue, spec.rate, || random("queue")),
            loss: spec.loss.as_ref().map(|loss| Loss::new(loss, || random("loss"))),
            free: Due::START,
            in_service: 0,
            free_queued: false,
            in_flight: VecDeque::new(),
            last_size: 0,
            last_times: (Time::ZERO, Time::ZERO),
            stats: LinkStats::default(),
        }
    }

    /// What the transmitter does at the event due `current`.
    #[inline]
    pub fn service(&self, current: Due) -> Service {
        if self.free > current { Service::Busy(self.in_service) } else { Service::Idle(self.free.time()) }
    }

    /// Takes `packet` into service: its time on the wire, and when it would arrive, both counted from now.
    #[inline]
    pub fn serve(&mut self, packet: &Packet) -> (Time, Time) {
        let size = packet.wire_bytes();
        if size != self.last_size {
            self.last_size = size;
            let transmission = self.rate.transmission(size);
            self.last_times = (transmission, transmission + self.delay);
        }
        self.in_service = size;
        self.stats.packets += 1;
        self.stats.bytes += u64::from(size);
        self.stats.busy += self.last_times.0.secs();
        self.last_times
    }

    /// Waiting packets averaged over time, from 0 to `end`.
    pub fn mean_queue(&self, end: Time) -> f64 {
        let mut stats = self.stats;
        stats.integrate(self.queue.len(), end);
        if end > Time::ZERO { stats.queue_integral / end.secs() } else { 0.0 }
    }

    /// Share of the time up to `end` during which the transmitter was busy.
    pub fn utilisation(&self, end: Time) -> f64 {
        // A packet still in service has been counted whole.
        let unserved = (self.free.time().secs() - end.secs()).max(0.0);
        if end > Time::ZERO { ((self.stats.busy - unserved) / end.secs()).max(0.0) } else { 0.0 }
    }
}
