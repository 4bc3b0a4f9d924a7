//! One direction of a link in virtual time: the simulator's loss models and queues, a transmitter, a wire, and the stages at its
//! far end.
//!
//! It owns no clock: the same calls at the same times give the same departures, whoever makes them.

use std::collections::VecDeque;

use acklab_packet::{Rate, Time};
use acklab_path::loss::Loss;
use acklab_path::queue::{AnyQueue, Queue, Removal, Service};
use acklab_path::random::Random;
use acklab_path::spec::{LinkSpec, LossPlace};
use acklab_path::stage::{Chain, Done, Passing, Reissue};
use serde::{Deserialize, Serialize};

/// What became of a packet that will not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The queue dropped it.
    Dropped,
    /// An ACK filter removed it.
    Filtered,
    /// The loss model took it.
    Lost,
}

/// A queue's length right after it changed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueLength {
    /// When, in seconds of the run.
    pub time_s: f64,
    /// Packets waiting, the one in service not counted.
    pub packets: u32,
    /// Bytes waiting.
    pub bytes: u64,
}

/// What a link direction counts, as in the simulator's table of links.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct LinkCounts {
    pub packets: u64,
    pub bytes: u64,
    pub drops: u64,
    pub lost: u64,
    pub filtered: u64,
    pub max_queue_packets: u64,
    /// Packets times seconds, up to the last change.
    queue_integral: f64,
    queue_since: f64,
    /// Seconds of service begun.
    busy: f64,
}

/// A link direction and what is on it.
#[derive(Debug)]
pub struct Link<P> {
    rate: Rate,
    delay: Time,
    queue: AnyQueue<P>,
    loss: Option<Loss>,
    /// The end of service; in the past when idle.
    free: Time,
    in_service: u32,
    /// What is on the wire, with its arrival: in order, because each leaves after the one before.
    wire: VecDeque<(Time, P)>,
    stages: Option<Box<FarEnd<P>>>,
    counts: LinkCounts,
    lengths: Vec<QueueLength>,
    removed: Vec<(P, Removal)>,
}

/// The stages at a far end.
#[derive(Debug)]
struct FarEnd<P> {
    chain: Chain<P>,
    /// What leaves them in one go; empty between calls.
    out: Vec<Passing<P>>,
    /// What has left them, and when.
    left: VecDeque<Arrival<P>>,
}

/// A packet at the far end of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival<P> {
    /// When it got there.
    pub at: Time,
    /// The packet.
    pub packet: P,
    /// Whether a stage made it.
    pub made: bool,
}

impl<P: Reissue> FarEnd<P> {
    fn note(&mut self, at: Time) {
        self.left.extend(self.out.drain(..).map(|Passing { packet, made, .. }| Arrival { at, packet, made }));
    }
}

impl<P: Reissue> Link<P> {
    /// The direction `spec` describes; `random` gives its component of that name a stream.
    pub fn new(spec: &LinkSpec, random: impl Fn(&str) -> Random) -> Link<P> {
        Link {
            rate: spec.rate,
            delay: spec.delay,
            queue: AnyQueue::new(&spec.queue, spec.rate, || random("queue")),
            loss: spec.loss.as_ref().map(|loss| Loss::new(loss, || random("loss"))),
            free: Time::ZERO,
            in_service: 0,
            wire: VecDeque::new(),
            stages: Chain::new(&spec.stages, &random)
                .map(|chain| Box::new(FarEnd { chain, out: Vec::new(), left: VecDeque::new() })),
            counts: LinkCounts::default(),
            lengths: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// When something happens next by itself: the end of a service that another packet waits for, an arrival, or a stage.
    pub fn next(&self) -> Option<Time> {
        let service = (!self.queue.is_empty()).then_some(self.free);
        let arrival = self.wire.front().map(|(at, _)| *at);
        let released = self.stages.as_ref().and_then(|stages| stages.chain.next());
        [service, arrival, released].into_iter().flatten().min()
    }

    /// A packet comes to the link at `now`; all that was due before has happened. Packets that will not arrive go to
    /// `gone`.
    pub fn offer(&mut self, packet: P, now: Time, gone: &mut Vec<(P, Fate)>) {
        self.serve(now, gone);
        if let Some(loss) = &mut self.loss
            && loss.takes(&packet, LossPlace::BeforeQueue, now)
        {
            self.counts.lost += 1;
            return gone.push((packet, Fate::Lost));
        }
        if now < self.free {
            self.enqueue(packet, Service::Busy(self.in_service), now, gone);
        } else if self.queue.lets_pass(&packet) {
            self.transmit(packet, now, gone);
        } else {
            self.enqueue(packet, Service::Idle(self.free), now, gone);
            self.serve_one(now, gone);
        }
    }

    /// Begins the services that could begin up to `now`, each when the one before it ended.
    pub fn serve(&mut self, now: Time, gone: &mut Vec<(P, Fate)>) {
        while self.free <= now && !self.queue.is_empty() && self.serve_one(self.free, gone) {}
    }

    /// The packet that leaves the far end next, if it does so up to `now`, and when.
    pub fn arrival(&mut self, now: Time) -> Option<Arrival<P>> {
        let due = |wire: &VecDeque<(Time, P)>| wire.front().map(|(at, _)| *at).filter(|at| *at <= now);
        let Some(stages) = &mut self.stages else {
            due(&self.wire)?;
            return self.wire.pop_front().map(|(at, packet)| Arrival { at, packet, made: false });
        };
        while stages.left.is_empty() {
            let released = stages.chain.next().filter(|at| *at <= now);
            match (released, due(&self.wire)) {
                (None, None) => return None,
                (Some(at), arrives) if arrives.is_none_or(|arrives| at <= arrives) => {
                    stages.chain.wake(at, &mut stages.out);
                    stages.note(at);
                }
                _ => {
                    let (at, packet) = self.wire.pop_front()?;
                    stages.chain.arrive(packet, at, &mut stages.out);
                    stages.note(at);
                }
            }
        }
        stages.left.pop_front()
    }

    fn enqueue(&mut self, packet: P, service: Service, now: Time, gone: &mut Vec<(P, Fate)>) {
        self.integrate(now);
        self.queue.enqueue(packet, service, now, &mut self.removed);
        self.counts.max_queue_packets = self.counts.max_queue_packets.max(self.queue.len() as u64);
        for (packet, reason) in self.removed.drain(..) {
            let (count, fate) = match reason {
                Removal::Dropped => (&mut self.counts.drops, Fate::Dropped),
                Removal::Filtered => (&mut self.counts.filtered, Fate::Filtered),
            };
            *count += 1;
            gone.push((packet, fate));
        }
        self.note_length(now);
    }

    /// Takes the next waiting packet into service; whether there was one.
    fn serve_one(&mut self, at: Time, gone: &mut Vec<(P, Fate)>) -> bool {
        self.integrate(at);
        let Some(packet) = self.queue.dequeue(at) else { return false };
        self.note_length(at);
        self.transmit(packet, at, gone);
        true
    }

    /// In the simulator's order of additions: arrival at now + (serialisation + delay).
    fn transmit(&mut self, packet: P, now: Time, gone: &mut Vec<(P, Fate)>) {
        let bytes = packet.wire_bytes();
        let serialisation = self.rate.transmission(bytes);
        let arrival = now + (serialisation + self.delay);
        self.free = now + serialisation;
        self.in_service = bytes;
        self.counts.packets += 1;
        self.counts.bytes += u64::from(bytes);
        self.counts.busy += serialisation.secs();
        if let Some(loss) = &mut self.loss
            && loss.takes(&packet, LossPlace::AfterQueue, now)
        {
            self.counts.lost += 1;
            return gone.push((packet, Fate::Lost));
        }
        self.wire.push_back((arrival, packet));
    }

    fn integrate(&mut self, now: Time) {
        self.counts.queue_integral += self.queue.len() as f64 * (now.secs() - self.counts.queue_since);
        self.counts.queue_since = now.secs();
    }

    fn note_length(&mut self, now: Time) {
        let (packets, bytes) = (self.queue.len() as u32, self.queue.bytes());
        if self.lengths.last().map_or(0, |last| last.packets) != packets {
            self.lengths.push(QueueLength { time_s: now.secs(), packets, bytes });
        }
    }

    /// What it counted.
    pub fn counts(&self) -> &LinkCounts {
        &self.counts
    }

    /// What the stages at its far end did.
    pub fn done(&self) -> Done {
        self.stages.as_ref().map(|stages| stages.chain.done()).unwrap_or_default()
    }

    /// The queue's length at each change; the record is the caller's from here on.
    pub fn take_lengths(&mut self) -> Vec<QueueLength> {
        std::mem::take(&mut self.lengths)
    }

    /// Waiting packets averaged over time, from 0 to `end`.
    pub fn mean_queue(&self, end: Time) -> f64 {
        let rest = self.queue.len() as f64 * (end.secs() - self.counts.queue_since).max(0.0);
        if end > Time::ZERO { (self.counts.queue_integral + rest) / end.secs() } else { 0.0 }
    }

    /// Share of the time up to `end` during which it was busy.
    pub fn utilisation(&self, end: Time) -> f64 {
        let unserved = (self.free.secs() - end.secs()).max(0.0);
        if end > Time::ZERO { ((self.counts.busy - unserved) / end.secs()).max(0.0) } else { 0.0 }
    }
}
