//! CoDel's control law, against numbers worked by hand (RFC 8289 sections 5.5 and 5.6).

use acklab_packet::{Body, Bytes, Ecn, Packet, Rate, Segment, Time};
use acklab_path::queue::{Codel, CodelParams, Queue, Removal, Service};
use acklab_path::random::Random;

/// A packet of 1000 bytes with that number; `ect`: it can be marked.
fn packet(number: u64, ect: bool) -> Packet {
    let ecn = if ect { Ecn::Ect } else { Ecn::NotEct };
    let body = Body::Data(Segment { seq: number, ecn, ..Segment::default() });
    Packet { flow: 0, size: 1000, connection: 0, place: 0, body }
}

fn number(packet: &Packet) -> (u64, bool) {
    match packet.body {
        Body::Data(segment) => (segment.seq, segment.ecn == Ecn::Ce),
        _ => unreachable!("only segments"),
    }
}

/// An interval of 99.9 ms, so that no departure on a whole millisecond falls on the very end of one.
fn params() -> CodelParams {
    CodelParams { interval: Time::from_secs(0.0999), ..CodelParams::default() }
}

/// A queue that `first` packets filled at once. Each millisecond one leaves it and another arrives.
struct Bench {
    queue: Codel<Packet>,
    ect: bool,
    ms: u32,
    arrived: u64,
    /// When each drop or mark was, in ms.
    signals: Vec<u32>,
    removed: Vec<(Packet, Removal)>,
}

impl Bench {
    fn new(params: CodelParams, ect: bool, first: u64) -> Bench {
        let mut bench = Bench {
            queue: Codel::new(&params, Rate::from_bps(1e9), || Random::stream(0)),
            ect,
            ms: 0,
            arrived: 0,
            signals: Vec::new(),
            removed: Vec::new(),
        };
        (0..first).for_each(|_| bench.arrive());
        bench
    }

    fn now(&self) -> Time {
        Time::from_secs(f64::from(self.ms) / 1000.0)
    }

    fn arrive(&mut self) {
        let now = self.now();
        self.queue.enqueue(packet(self.arrived, self.ect), Service::Busy(1000), now, &mut self.removed);
        self.arrived += 1;
    }

    /// `more`: how many arrive each millisecond.
    fn run(&mut self, until_ms: u32, more: impl Fn(u32) -> u32) {
        while self.ms < until_ms {
            self.ms += 1;
            let (now, before) = (self.now(), self.removed.len());
            let served = self.queue.dequeue(now, &mut self.removed);
            let marked = served.is_some_and(|packet| number(&packet).1);
            self.signals.extend((self.removed.len() > before || marked).then_some(self.ms));
            (0..more(self.ms)).for_each(|_| self.arrive());
        }
    }
}

/// Twenty packets wait all the time, so each waits about 20 ms and more than the target of 5 ms. Packets have waited too long
/// from the fifth millisecond on: the first drop is due an interval later, and each next one an interval / sqrt(n) after that.
#[test]
fn drops_come_closer_together_by_the_square_root_of_their_number() {
    let mut bench = Bench::new(params(), false, 20);
    // A dropped packet is replaced: what waits stays the same.
    bench.run(500, |ms| if [105, 205, 276, 334, 384, 428, 469].contains(&ms) { 2 } else { 1 });
    // Due at 105, and after 99.9, 70.64, 57.68, 49.95, 44.68 and 40.78 ms more: 204.9, 275.5, 333.2, 383.2, 427.8 and
    // 468.6 ms. Each is made at the next departure.
    assert_eq!(bench.signals, [105, 205, 276, 334, 384, 428, 469]);
    assert!(bench.removed.iter().all(|(_, reason)| *reason == Removal::Early));
    assert_eq!(number(&bench.removed[0].0).0, 104, "the packet in front, not the one that arrives");
}

/// One that has waited less ends it. Back soon, dropping goes on at the rate at which it ended.
#[test]
fn a_short_wait_ends_it_and_soon_after_it_begins_where_it_left_off() {
    let mut bench = Bench::new(params(), false, 20);
    bench.run(400, |ms| if [105, 205, 276, 334, 384].contains(&ms) { 2 } else { 1 });
    assert_eq!(bench.signals, [105, 205, 276, 334, 384]);
    // Nothing arrives: after 20 ms nothing waits.
    bench.run(450, |_| 0);
    assert_eq!((bench.queue.len(), bench.signals.len()), (0, 5));
    (0..20).for_each(|_| bench.arrive());
    bench.run(700, |_| 1);
    // Above from 455 on, dropping from 555 on: four drops since the first one before, so the next is due 99.9 / sqrt(4) ms later.
    assert_eq!(bench.signals[5..8], [555, 605, 650]);
}

/// What could fill the wire with one packet is never dropped from, however long it waits.
#[test]
fn a_queue_of_one_packet_is_left_alone() {
    let slow = |max_packet: u64| {
        let params = CodelParams { max_packet: Bytes::new(max_packet), ..params() };
        let mut bench = Bench::new(params, false, 0);
        for _ in 0..100 {
            bench.arrive();
            bench.arrive();
            bench.ms += 30;
            let now = bench.now();
            bench.queue.dequeue(now, &mut bench.removed);
            bench.ms += 30;
            let now = bench.now();
            bench.queue.dequeue(now, &mut bench.removed);
        }
        bench.removed.len()
    };
    assert_eq!(slow(1000), 0);
    assert_eq!(slow(999), 0, "the second packet waits alone, which counts as a wait below the target");
}

#[test]
fn packets_that_can_be_marked_are_marked_at_the_same_times() {
    let ecn = CodelParams { ecn: true, ..params() };
    let mut bench = Bench::new(ecn, true, 20);
    bench.run(400, |_| 1);
    assert_eq!((bench.signals.as_slice(), bench.removed.len()), ([105, 205, 276, 334, 384].as_slice(), 0));
    let mut bench = Bench::new(ecn, false, 20);
    bench.run(120, |_| 1);
    assert_eq!((bench.signals.as_slice(), bench.removed.len()), ([105].as_slice(), 1));
}

#[test]
fn an_arrival_that_finds_no_room_is_dropped() {
    let bench = Bench::new(CodelParams { packets: 10, ..params() }, false, 12);
    assert_eq!((bench.queue.len(), bench.removed.len()), (9, 3));
    assert!(bench.removed.iter().all(|(_, reason)| *reason == Removal::Full));
}
