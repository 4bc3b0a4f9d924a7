//! A limited buffer of three parts: an ACK filter, a drop policy, a scheduler, over one view of what waits.
//!
//! An arriving ACK is shown to the filter first. If there is no room even without what the filter erases, the drop
//! policy makes some, or the arrival is dropped and nothing is erased (ledger ackfilter.m.drop_policies). No step looks
//! through the buffer: see [`Waiting`].

use acklab_packet::{Rate, Time};

use super::filtering::Filtering;
use super::{Backlog, DropPolicy, DropTailParams, Limit, Queue, Removal, Scheduler, Service};
use crate::Carried;
use crate::ack_filter::DelayedParams;
use crate::random::Random;
use crate::waiting::{Measures, Place, Waiting};

/// A queue made of parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed<P> {
    limit: Limit,
    filtering: Filtering,
    drop: DropPolicy,
    /// The random numbers of the drop policy.
    random: Option<Random>,
    scheduler: Scheduler,
    waiting: Waiting<P>,
}

impl<P: Carried> Composed<P> {
    /// A queue of these parts before a link of `rate`.
    pub fn new(params: &DropTailParams, rate: Rate, random: impl FnOnce() -> Random) -> Self {
        let &DropTailParams { drop, scheduler, .. } = params;
        let filtering = Filtering::new(params.filter.as_ref(), rate);
        let floor = DelayedParams::FLOOR * rate.bps() / 8.0;
        let rates = Measures { rates: Some((DelayedParams::WINDOW, floor)), ..Measures::default() };
        let measures = drop.measures(filtering.measures::<P>(), rates);
        Composed {
            limit: params.limit(rate),
            filtering,
            drop,
            random: drop.draws().then(random),
            scheduler,
            waiting: Waiting::new(measures, scheduler.classes()),
        }
    }

    /// What waits, and the flow table.
    pub fn waiting(&self) -> &Waiting<P> {
        &self.waiting
    }

    /// Whether the arrival will find room once what the filter names is erased; drops others to make some.
    fn makes_room(&mut self, size: u64, service: Service, removed: &mut Vec<(P, Removal)>) -> bool {
        let (erased, freed) = self.filtering.frees(&self.waiting);
        let (packets, bytes) = (self.waiting.len() - erased, self.waiting.bytes() - freed);
        if self.limit.admits(size, packets as u64, bytes, service.bytes()) {
            return true;
        }
        let filtering = self.filtering.filters::<P>();
        if self.drop == DropPolicy::Tail || self.drop == DropPolicy::TailWhenFiltering && filtering {
            return false;
        }
        // An arrival that would not even find room alone is dropped itself.
        if !self.limit.admits(size, 0, 0, service.bytes()) {
            return false;
        }
        self.filtering.erase(&mut self.waiting, |packet| removed.push((packet, Removal::Filtered)));
        while !self.limit.admits(size, self.waiting.len() as u64, self.waiting.bytes(), service.bytes()) {
            let Some(victim) = self.drop.victim(&self.waiting, filtering, self.random.as_mut()) else { return false };
            removed.push((self.waiting.remove(victim), Removal::Full));
        }
        true
    }
}

impl<P: Carried> Queue<P> for Composed<P> {
    fn enqueue(&mut self, packet: P, service: Service, now: Time, removed: &mut Vec<(P, Removal)>) {
        let flow = self.waiting.on_arrival(&packet, now);
        let size = u64::from(packet.wire_bytes());
        let (waiting, bytes) = (self.waiting.len() as u64, self.waiting.bytes());
        let full = !self.limit.admits(size, waiting, bytes, service.bytes());
        let class = self.scheduler.class(&packet);
        let mut place = Place::Tail;
        if !(full && self.filtering.needs_room_first::<P>()) {
            place = self.filtering.ask(&packet, (flow, class), &self.waiting);
        }
        let erases = self.filtering.erases();
        if !self.makes_room(size, service, removed) {
            self.filtering.withdraw();
            removed.push((packet, Removal::Full));
            return;
        }
        if self.filtering.erases() < erases {
            place = Place::Tail;
        }
        // In before those it replaces go: a connection does not lose its turn by it.
        self.waiting.insert(packet, flow, class, place);
        self.filtering.erase(&mut self.waiting, |packet| removed.push((packet, Removal::Filtered)));
        self.filtering.spare(&mut self.waiting);
    }

    #[inline]
    fn dequeue(&mut self, now: Time, _: &mut Vec<(P, Removal)>) -> Option<P> {
        let next = self.scheduler.next(&self.waiting)?;
        Some(self.waiting.serve(next, now))
    }

    #[inline]
    fn held(&self) -> Backlog {
        Backlog { packets: self.waiting.len() as u64, bytes: self.waiting.bytes() }
    }
}

#[cfg(test)]
mod tests {
    use acklab_packet::{Ack, Body, Packet};

    use super::*;

    /// Packets looked at for each arrival, at most, when `backlog` packets of `connections` wait.
    fn looks(spec: &str, drop: DropPolicy, connections: u32, backlog: u64) -> u64 {
        let filter = Some(serde_json::from_str(spec).expect("a filter"));
        let scheduler = Scheduler::RoundRobin;
        let params = DropTailParams { waiting: Some(backlog), filter, drop, scheduler, ..DropTailParams::default() };
        let mut queue: Composed<Packet> = Composed::new(&params, Rate::from_bps(1e5), || Random::stream(1));
        let mut removed = Vec::new();
        let mut most = 0;
        for i in 0..backlog + 2000 {
            let flow = i as u32 % connections;
            // Every third ACK repeats its number: some of what waits is never erased by the filters that spare.
            let ack = i / u64::from(connections) / 3 * 2;
            let packet =
                Packet { flow, size: 40, connection: 0, place: 0, body: Body::Ack(Ack { ack, ..Ack::default() }) };
            let before = queue.waiting.looks.get();
            queue.enqueue(packet, Service::Busy(40), Time::from_secs(0.001 * i as f64), &mut removed);
            if i % 4 == 0 {
                queue.dequeue(Time::from_secs(0.001 * i as f64), &mut removed);
            }
            if i >= backlog {
                most = most.max(queue.waiting.looks.get() - before);
            }
        }
        most
    }

    #[test]
    fn the_cost_of_an_arrival_does_not_grow_with_what_waits() {
        for spec in [
            r#"{"kind": "static", "threshold": 1000000}"#,
            r#"{"kind": "static", "threshold": 40, "conservative": true}"#,
            r#"{"kind": "delayed", "share": 1.0, "conservative": true}"#,
            r#"{"kind": "cake"}"#,
        ] {
            for drop in [DropPolicy::Tail, DropPolicy::LongestFront, DropPolicy::FastestOldest, DropPolicy::Random] {
                for connections in [1, 100] {
                    let [few, many] = [1000, 30_000].map(|backlog| looks(spec, drop, connections, backlog));
                    assert!(many <= 100 && many <= few.max(60), "{spec} {drop:?}: {few}, then {many}");
                }
            }
        }
    }
}
