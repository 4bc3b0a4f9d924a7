//! A link direction with what it carries: the link, its wire, and the stages at its far end.
//!
//! It owns no clock: the same calls at the same times give the same departures.

use std::collections::VecDeque;

use acklab_packet::Time;
use serde::{Deserialize, Serialize};

use crate::link::{Link, LinkSpec, Totals};
use crate::queue::Removal;
use crate::random::Random;
use crate::stage::{Chain, Done, Passing, Reissue};

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

/// A link direction and what is on it.
#[derive(Debug)]
pub struct Direction<P> {
    link: Link<P>,
    /// Packets wait that only an arrival sets free.
    stuck: bool,
    /// Packets on the wire and their times of arrival, in order: the wire is first in, first out.
    wire: VecDeque<(Time, P)>,
    stages: Option<Box<FarEnd<P>>>,
    lengths: Vec<QueueLength>,
}

/// The stages at a far end.
#[derive(Debug)]
struct FarEnd<P> {
    chain: Chain<P>,
    /// Packets that leave the stages during one call; empty between calls.
    out: Vec<Passing<P>>,
    /// Packets that have left the stages, with their times.
    left: VecDeque<Arrival<P>>,
}

/// A packet at the far end of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival<P> {
    /// When it got there.
    pub at: Time,
    /// The packet.
    pub packet: P,
    /// True if a stage created it.
    pub made: bool,
    /// True if a stage removed it: it does not go on.
    pub removed: bool,
}

impl<P: Reissue> FarEnd<P> {
    fn note(&mut self, at: Time) {
        let arrival = |Passing { packet, made, removed, .. }| Arrival { at, packet, made, removed };
        self.left.extend(self.out.drain(..).map(arrival));
    }
}

impl<P: Reissue> Direction<P> {
    /// The direction `spec` describes; `random` gives its component of that name a stream.
    pub fn new(spec: &LinkSpec, random: impl Fn(&str) -> Random) -> Direction<P> {
        let mut link = Link::new(spec, &random);
        link.never_book();
        Direction {
            link,
            stuck: false,
            wire: VecDeque::new(),
            stages: Chain::new(&spec.stages, &random)
                .map(|chain| Box::new(FarEnd { chain, out: Vec::new(), left: VecDeque::new() })),
            lengths: Vec::new(),
        }
    }

    /// When something happens next by itself: the end of a service or a grant that a packet waits for, an arrival, or a stage.
    pub fn next(&self) -> Option<Time> {
        let service = (self.link.waiting() > 0 && !self.stuck).then_some(self.link.until());
        let arrival = self.wire.front().map(|(at, _)| *at);
        let released = self.stages.as_ref().and_then(|stages| stages.chain.next());
        [service, arrival, released].into_iter().flatten().min()
    }

    /// A packet comes to the link at `now`; all that was due before has happened. Packets that will not arrive go to
    /// `gone`.
    pub fn offer(&mut self, packet: P, now: Time, gone: &mut Vec<(P, Removal)>) {
        self.serve(now, gone);
        let next = self.link.offer(packet, self.link.until() <= now, now, gone);
        self.proceed(next, now, gone);
    }

    /// Begins the services that could begin up to `now`, each when the one before it ended.
    pub fn serve(&mut self, now: Time, gone: &mut Vec<(P, Removal)>) {
        while self.link.until() <= now && self.link.waiting() > 0 && !self.stuck {
            let at = self.link.until();
            let next = self.link.next_packet(at, gone);
            self.proceed(next, at, gone);
        }
    }

    /// The queue has changed, and `next` is to be served.
    fn proceed(&mut self, next: Option<P>, now: Time, gone: &mut Vec<(P, Removal)>) {
        let held = self.link.held();
        let (packets, bytes) = (held.packets as u32, held.bytes);
        if self.lengths.last().map_or(0, |last| last.packets) != packets {
            self.lengths.push(QueueLength { time_s: now.secs(), packets, bytes });
        }
        self.stuck = next.is_none() && self.link.until() <= now;
        let Some(packet) = next else { return };
        let served = self.link.serve(&packet, now);
        if served.lost {
            gone.push((packet, Removal::Lost));
        } else {
            self.wire.push_back((served.arrives, packet));
        }
    }

    /// The packet that leaves the far end next, or that a stage removes, if it does so up to `now`, and when.
    pub fn arrival(&mut self, now: Time) -> Option<Arrival<P>> {
        let due = |wire: &VecDeque<(Time, P)>| wire.front().map(|(at, _)| *at).filter(|at| *at <= now);
        let Some(stages) = &mut self.stages else {
            due(&self.wire)?;
            return self.wire.pop_front().map(|(at, packet)| Arrival { at, packet, made: false, removed: false });
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

    /// The link.
    pub fn link(&self) -> &Link<P> {
        &self.link
    }

    /// Packets and bytes that have entered service.
    pub fn totals(&self) -> Totals {
        self.link.sizes.totals()
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
        self.link.counts.mean_queue(self.link.waiting(), end)
    }

    /// Share of the time up to `end` during which it was busy.
    pub fn utilisation(&self, end: Time) -> f64 {
        self.link.utilisation(self.totals().bytes, self.link.until(), end)
    }
}
