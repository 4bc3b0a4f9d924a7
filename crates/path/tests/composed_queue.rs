//! Filter, drop policy and scheduler on sequences worked by hand.

mod packets;

use acklab_packet::{Rate, Time};
use acklab_path::Buffer;
use acklab_path::ack_filter::{CakeParams, DelayedParams, FilterSpec, StaticParams};
use acklab_path::queue::{Composed, DropPolicy, DropTailParams, Queue, Red, RedParams, Removal, Scheduler, Service};
use acklab_path::random::Random;
use packets::{Tcp, ack, data};

const BUSY: Service = Service::Busy(40);

struct Bench {
    queue: Composed<Tcp>,
    removed: Vec<(Tcp, Removal)>,
}

fn composed(params: &DropTailParams) -> Composed<Tcp> {
    Composed::new(params, Rate::from_bps(1e5), || Random::stream(1))
}

impl Bench {
    /// A 100 kb/s link with these parts and room for `waiting` packets.
    fn new(waiting: u64, filter: Option<FilterSpec>, drop: DropPolicy, scheduler: Scheduler) -> Bench {
        let params = DropTailParams { waiting: Some(waiting), filter, drop, scheduler, ..DropTailParams::default() };
        Bench { queue: composed(&params), removed: Vec::new() }
    }

    fn filtering(filter: FilterSpec) -> Bench {
        Bench::new(1000, Some(filter), DropPolicy::Tail, Scheduler::Fifo)
    }

    fn arrive(&mut self, packet: Tcp, secs: f64) {
        self.queue.enqueue(packet, BUSY, Time::from_secs(secs), &mut self.removed);
    }

    /// ACKs (connection, number) arrive in this order.
    fn acks(&mut self, acks: &[(u64, u64)]) {
        acks.iter().for_each(|&(connection, number)| self.arrive(ack(connection, number), 0.0));
    }

    /// What was removed for that reason, as (connection, number); data has none.
    fn gone(&self, reason: Removal) -> Vec<(u64, Option<u64>)> {
        let gone = self.removed.iter().filter(|(_, why)| *why == reason);
        gone.map(|(packet, _)| (packet.connection, packet.ack)).collect()
    }

    /// What leaves until the queue is empty.
    fn rest(&mut self) -> Vec<(u64, Option<u64>)> {
        let left = std::iter::from_fn(|| self.queue.dequeue(Time::ZERO, &mut self.removed));
        let left: Vec<_> = left.map(|packet| (packet.connection, packet.ack)).collect();
        assert_eq!((self.queue.len(), self.queue.bytes()), (0, 0));
        left
    }
}

fn fixed(threshold: u64) -> StaticParams {
    let text = format!("{{\"threshold\": {threshold}}}");
    serde_json::from_str(&text).expect("parameters")
}

fn delayed(text: &str) -> FilterSpec {
    FilterSpec::Delayed(serde_json::from_str::<DelayedParams>(text).expect("parameters"))
}

fn some(acks: &[(u64, u64)]) -> Vec<(u64, Option<u64>)> {
    acks.iter().map(|&(connection, number)| (connection, Some(number))).collect()
}

#[test]
fn threshold_acks_of_a_connection_wait_and_the_oldest_are_erased() {
    let mut bench = Bench::filtering(FilterSpec::Static(fixed(2)));
    bench.acks(&[(1, 10), (1, 11), (2, 5), (1, 12), (1, 13)]);
    bench.arrive(data(1, 0), 0.0);
    bench.acks(&[(1, 14)]);
    assert_eq!(bench.gone(Removal::Filtered), some(&[(1, 10), (1, 11), (1, 12)]));
    assert_eq!(bench.gone(Removal::Full), []);
    assert_eq!(bench.rest(), [(2, Some(5)), (1, Some(13)), (1, None), (1, Some(14))]);
}

#[test]
fn classic_filtering_leaves_the_newest_at_the_tail_or_in_the_slot() {
    let arrivals = [(1, 10), (2, 5), (1, 11), (3, 7), (1, 12), (2, 6)];
    let mut tail = Bench::filtering(FilterSpec::Static(fixed(1)));
    tail.acks(&arrivals);
    assert_eq!(tail.rest(), some(&[(3, 7), (1, 12), (2, 6)]));
    let place = serde_json::from_str("\"slot\"").expect("a place");
    let mut slot = Bench::filtering(FilterSpec::Static(StaticParams { place, ..fixed(1) }));
    slot.acks(&arrivals);
    assert_eq!(slot.rest(), some(&[(1, 12), (2, 6), (3, 7)]), "nobody is overtaken");
}

#[test]
fn by_number_duplicates_stay_until_a_higher_number_comes() {
    let older = serde_json::from_str("\"number\"").expect("an order");
    let mut bench = Bench::filtering(FilterSpec::Static(StaticParams { older, ..fixed(1) }));
    bench.acks(&[(1, 10), (1, 11), (1, 11), (1, 11)]);
    assert_eq!(bench.gone(Removal::Filtered), some(&[(1, 10)]));
    bench.acks(&[(1, 12)]);
    assert_eq!(bench.rest(), some(&[(1, 12)]));
}

#[test]
fn an_arrival_that_takes_a_place_needs_no_room_but_in_ns2() {
    let mut bench = Bench::new(2, Some(FilterSpec::Static(fixed(1))), DropPolicy::Tail, Scheduler::Fifo);
    bench.acks(&[(1, 10), (2, 5), (1, 11), (3, 7)]);
    assert_eq!((bench.gone(Removal::Filtered), bench.gone(Removal::Full)), (some(&[(1, 10)]), some(&[(3, 7)])));
    let params = StaticParams { room_first: true, ..fixed(1) };
    let mut ns2 = Bench::new(2, Some(FilterSpec::Static(params)), DropPolicy::Tail, Scheduler::Fifo);
    ns2.acks(&[(1, 10), (2, 5), (1, 11)]);
    assert_eq!((ns2.gone(Removal::Filtered), ns2.gone(Removal::Full)), (vec![], some(&[(1, 11)])));
}

#[test]
fn an_ack_that_would_not_fit_anyway_erases_nothing() {
    let (waiting_bytes, filter) = (Some(Buffer::bytes(80)), Some(FilterSpec::Static(fixed(1))));
    let mut queue = composed(&DropTailParams { waiting_bytes, filter, ..DropTailParams::default() });
    let mut removed = Vec::new();
    for packet in [ack(1, 10), ack(2, 5), Tcp { size: 60, ..ack(1, 11) }] {
        queue.enqueue(packet, BUSY, Time::ZERO, &mut removed);
    }
    assert_eq!(removed.iter().map(|(packet, why)| (packet.ack, *why)).collect::<Vec<_>>(), [(Some(11), Removal::Full)]);
    assert_eq!(queue.len(), 2);
}

#[test]
fn round_robin_takes_one_of_each_in_turn() {
    let mut bench = Bench::new(1000, None, DropPolicy::Tail, Scheduler::RoundRobin);
    bench.acks(&[(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2)]);
    let two: Vec<_> = (0..2)
        .filter_map(|_| bench.queue.dequeue(Time::ZERO, &mut bench.removed))
        .map(|packet| packet.connection)
        .collect();
    assert_eq!(two, [1, 2]);
    // The second has had its turn and comes back: behind the third and the first.
    bench.acks(&[(2, 2), (4, 1)]);
    assert_eq!(bench.rest(), some(&[(3, 1), (1, 2), (2, 2), (4, 1), (3, 2), (1, 3)]));
}

#[test]
fn round_robin_behind_red() {
    let params: RedParams = serde_json::from_str(r#"{"scheduler": "round-robin"}"#).expect("parameters");
    let mut red = Red::new(&params, Rate::from_bps(1e5), || Random::stream(1));
    let mut removed = Vec::new();
    for (connection, number) in [(1, 1), (1, 2), (2, 1), (1, 3), (2, 2)] {
        red.enqueue(ack(connection, number), BUSY, Time::ZERO, &mut removed);
    }
    assert_eq!((red.len(), red.bytes(), removed.len()), (5, 200, 0));
    let left: Vec<_> =
        std::iter::from_fn(|| red.dequeue(Time::ZERO, &mut removed)).map(|packet| packet.connection).collect();
    assert_eq!((left, red.bytes()), (vec![1, 2, 1, 2, 1], 0));
}

#[test]
fn filtering_does_not_cost_a_connection_its_turn() {
    let mut bench = Bench::new(1000, Some(FilterSpec::Static(fixed(1))), DropPolicy::Tail, Scheduler::RoundRobin);
    bench.acks(&[(1, 1), (2, 1), (3, 1), (1, 2)]);
    assert_eq!(bench.rest(), some(&[(1, 2), (2, 1), (3, 1)]));
}

#[test]
fn acks_first() {
    let mut bench = Bench::new(1000, None, DropPolicy::Tail, Scheduler::AcksFirst);
    bench.arrive(data(1, 0), 0.0);
    bench.acks(&[(2, 1)]);
    bench.arrive(data(1, 1), 0.0);
    bench.acks(&[(2, 2)]);
    assert_eq!(bench.rest(), [(2, Some(1)), (2, Some(2)), (1, None), (1, None)]);
}

#[test]
fn who_makes_room() {
    let full = [(7, 1), (3, 1), (3, 2), (5, 1), (5, 2)];
    let dropped = |drop| {
        let mut bench = Bench::new(5, None, drop, Scheduler::Fifo);
        bench.acks(&full);
        bench.acks(&[(9, 1)]);
        bench.gone(Removal::Full)
    };
    assert_eq!(dropped(DropPolicy::Tail), some(&[(9, 1)]));
    assert_eq!(dropped(DropPolicy::Front), some(&[(7, 1)]));
    assert_eq!(dropped(DropPolicy::LongestFront), some(&[(3, 1)]), "of the two longest, the one numbered lowest");
    assert_eq!(dropped(DropPolicy::TailWhenFiltering), some(&[(3, 1)]), "no filter never filters");
    let mut filtering =
        Bench::new(5, Some(FilterSpec::Static(fixed(9))), DropPolicy::TailWhenFiltering, Scheduler::Fifo);
    filtering.acks(&full);
    filtering.acks(&[(9, 1)]);
    assert_eq!(filtering.gone(Removal::Full), some(&[(9, 1)]));
}

#[test]
fn the_fastest_connection_that_waits_makes_room() {
    let mut bench = Bench::new(3, None, DropPolicy::FastestOldest, Scheduler::Fifo);
    // Three departures of connection 8, two of 4, one of 6.
    for (i, connection) in [8, 8, 8, 4, 4, 6].into_iter().enumerate() {
        let now = 0.01 * i as f64;
        bench.arrive(ack(connection, i as u64), now);
        bench.queue.dequeue(Time::from_secs(now), &mut bench.removed);
    }
    for (connection, number) in [(6, 10), (4, 11), (4, 12)] {
        bench.arrive(ack(connection, number), 0.1);
    }
    bench.arrive(ack(6, 13), 0.1);
    assert_eq!(bench.gone(Removal::Full), some(&[(4, 11)]), "connection 8 was faster, but has nothing waiting");
    bench.arrive(ack(8, 14), 0.1);
    bench.arrive(ack(8, 15), 0.1);
    assert_eq!(bench.gone(Removal::Full)[1..], some(&[(4, 12), (8, 14)]));
}

/// Arrivals of one connection every 3.2 ms, each served at once while another waits: a link kept full.
fn saturate(bench: &mut Bench, connection: u64, from: f64, packets: usize) {
    for i in 0..packets {
        let now = from + 0.0032 * i as f64;
        bench.arrive(ack(connection, i as u64), now);
        bench.queue.dequeue(Time::from_secs(now), &mut bench.removed);
    }
}

#[test]
fn delayed_filtering_waits_until_nine_tenths_of_the_link_are_used() {
    for rate in ["tsw", "presence"] {
        let mut bench = Bench::filtering(delayed(&format!("{{\"rate\": \"{rate}\"}}")));
        bench.acks(&[(1, 0), (1, 0)]);
        // Rate over the link's tends to 1 with time constant 0.2 s: 0.9 after about 0.46 s, 144 packets.
        saturate(&mut bench, 1, 0.0, 130);
        assert_eq!(bench.gone(Removal::Filtered), [], "{rate}");
        saturate(&mut bench, 1, 0.416, 30);
        assert!(!bench.gone(Removal::Filtered).is_empty(), "{rate}");
    }
}

#[test]
fn hysteresis_keeps_filtering_down_to_the_lower_share() {
    for (release, expected) in [(0.9, 0), (0.5, 1)] {
        let mut bench = Bench::filtering(delayed(&format!("{{\"release\": {release}}}")));
        saturate(&mut bench, 1, 0.0, 400);
        // One packet after a pause of 0.1 s: the estimate falls to about two thirds.
        bench.arrive(ack(1, 500), 1.38);
        bench.queue.dequeue(Time::from_secs(1.38), &mut bench.removed);
        bench.acks(&[(1, 501), (1, 502)]);
        assert_eq!(bench.gone(Removal::Filtered).len(), expected, "release at {release}");
    }
}

#[test]
fn the_printed_presence_listing_filters_at_once() {
    let mut bench = Bench::filtering(delayed("{\"rate\": \"presence-literal\"}"));
    bench.acks(&[(1, 0), (1, 1), (1, 2)]);
    assert!(!bench.gone(Removal::Filtered).is_empty(), "events a second are above any share");
}

#[test]
fn per_connection_only_those_above_their_fair_share_are_filtered() {
    let mut bench = Bench::filtering(delayed("{\"per\": \"connection\"}"));
    // Connection 1 sends three of four packets, connection 2 one.
    for i in 0..2000_u64 {
        let now = 0.0032 * i as f64;
        bench.arrive(ack(if i % 4 == 0 { 2 } else { 1 }, i), now);
        bench.queue.dequeue(Time::from_secs(now), &mut bench.removed);
    }
    assert_eq!(bench.queue.waiting().flows().active(), 2);
    bench.arrive(ack(1, 3000), 6.4);
    bench.arrive(ack(1, 3001), 6.4);
    bench.arrive(ack(2, 3000), 6.4);
    bench.arrive(ack(2, 3001), 6.4);
    assert_eq!(bench.gone(Removal::Filtered), some(&[(1, 3000)]));
    // A third that has only just come halves nobody's rate, but everybody's share.
    bench.arrive(ack(3, 1), 6.4);
    assert_eq!(bench.queue.waiting().flows().active(), 3);
}

#[test]
fn cake_keeps_two_and_gives_no_news_away() {
    let cake = |aggressive| Bench::filtering(FilterSpec::Cake(CakeParams { aggressive }));
    let numbers = [(1, 10), (1, 11), (1, 12), (1, 13)];
    let mut bench = cake(false);
    bench.acks(&numbers);
    assert_eq!(bench.rest(), some(&[(1, 12), (1, 13)]));
    let mut bench = cake(true);
    bench.acks(&numbers);
    assert_eq!(bench.rest(), some(&[(1, 13)]));

    let sacked = |blocks: &[(u64, u64)]| Tcp { sack: blocks.to_vec(), ..ack(1, 10) };
    let kept = |aggressive: bool, packets: &[Tcp]| {
        let mut bench = cake(aggressive);
        packets.iter().for_each(|packet| bench.arrive(packet.clone(), 0.0));
        bench.removed.iter().map(|(packet, _)| packet.clone()).collect::<Vec<_>>()
    };
    assert_eq!(kept(true, &[ack(1, 10), ack(1, 10), ack(1, 10)]), [], "duplicates that say nothing else");
    let (one, two) = (sacked(&[(12, 13)]), sacked(&[(12, 14)]));
    assert_eq!(kept(true, &[one.clone(), two.clone()]), vec![one.clone()], "the second says more");
    assert_eq!(kept(true, &[two, one.clone()]), [], "the second says less");
    assert_eq!(kept(true, &[one, ack(1, 11)]), [], "nobody repeats the block");
    let duplicate = sacked(&[(5, 6)]);
    assert_eq!(kept(true, &[duplicate.clone(), Tcp { ack: Some(11), ..duplicate }]), [], "a report of a duplicate");
    let late = Tcp { stamps: (7, 0), ..ack(1, 10) };
    assert_eq!(kept(true, &[late, ack(1, 11)]), [], "a newer timestamp");
    let odd = Tcp { unknown_options: true, ..ack(1, 10) };
    assert_eq!(kept(true, &[odd, ack(1, 11)]), [], "an option it does not know");
    let echo = Tcp { congestion: 1, ..ack(1, 11) };
    assert_eq!(
        kept(true, &[ack(1, 10), echo.clone(), ack(1, 12), ack(1, 13)]),
        [ack(1, 12)],
        "the change of the echo stays"
    );
    assert_eq!(kept(false, &[ack(1, 10), echo, ack(1, 12), ack(1, 13)]), []);
}

/// Random drop: every place goes about as often, and what is drawn does not depend on how often places were used.
#[test]
fn random_drop_takes_any_of_those_that_wait() {
    let mut bench = Bench::new(4, None, DropPolicy::Random, Scheduler::Fifo);
    bench.acks(&(0..4000).map(|number| (1, number)).collect::<Vec<_>>());
    let gone = bench.gone(Removal::Full);
    assert_eq!((gone.len(), bench.queue.len()), (3996, 4));
    // The age of what goes: of four, each arrival later is one older. Uniform draws give 4 * (3/4)^k.
    let aged =
        |age: u64| gone.iter().zip(4_u64..).filter(|((_, number), came)| number.unwrap_or(0) + age == *came).count();
    for (age, expected) in [(1, 1000.0), (2, 750.0), (3, 562.0), (4, 422.0)] {
        let share = aged(age) as f64 / expected;
        assert!((share - 1.0).abs() < 0.12, "{age}: {} of {expected}", aged(age));
    }
    assert_eq!(bench.rest().len(), 4);
}
