//! Every packet is somewhere, and every number a run tells follows from what happened to packets.
//!
//! The recorded packet events are the ground truth here: link counters, flow counters, queue statistics and the order
//! of service are each computed from them anew and compared.

mod world;

use std::collections::VecDeque;

use acklab_packet::{Body, Ecn, Packet, Segment};
use acklab_path::queue::DropTailParams;
use acklab_path::spec::{LossPlace, QueueSpec};
use acklab_scenario::spec::Scenario;
use acklab_sim::Outcome;
use acklab_sim::outcome::{PacketEvent, PacketRow};
use proptest::prelude::*;
use world::{World, for_all, is_fair, run, world};

/// How often each event is among `rows`, in the order enqueue, dequeue, deliver, drop, lose, filter.
fn count<'a>(rows: impl Iterator<Item = &'a PacketRow>) -> [u64; 6] {
    let mut counts = [0; 6];
    for row in rows {
        counts[row.event as usize] += 1;
    }
    counts
}

fn data(packet: &Packet) -> Option<Segment> {
    match packet.body {
        Body::Data(segment) => Some(segment),
        Body::Ack(_) | Body::Probe(_) | Body::Datagram(_) => None,
    }
}

/// The link that a route leaves by: the last link of a packet's journey is the one that ends at its flow's far node.
fn arrives(scenario: &Scenario, outcome: &Outcome, row: &PacketRow) -> bool {
    let flow = &outcome.flows[row.transfer as usize];
    let end = if row.packet.is_data() { &flow.to } else { &flow.from };
    row.event == PacketEvent::Deliver && scenario.nodes[scenario.links[row.link as usize].to as usize] == *end
}

/// With links that pass each packet once, so that where it is says how far it has come.
fn crossed_once(mut scenario: Scenario) -> Scenario {
    scenario.links.iter_mut().for_each(|link| link.crossings = 1);
    scenario
}

#[test]
fn packets_offered_are_sent_dropped_lost_or_waiting() {
    for_all(150, world(), |World(scenario)| {
        let outcome = run(&scenario);
        for (index, (spec, row)) in scenario.links.iter().zip(&outcome.links).enumerate() {
            let events = || outcome.packets.iter().filter(|row| row.link as usize == index);
            let [offered, sent, delivered, dropped, lost, filtered] = count(events());
            prop_assert_eq!([row.packets, row.drops, row.lost, row.filtered], [sent, dropped, lost, filtered]);
            let after = spec.loss.as_ref().is_some_and(|loss| loss.r#where == LossPlace::AfterQueue);
            let waiting = offered - sent - dropped - filtered - if after { 0 } else { lost };
            let last = outcome.queue.iter().rfind(|row| row.link as usize == index);
            prop_assert_eq!(waiting, last.map_or(0, |row| u64::from(row.queue_packets)));
            let travelling = sent - delivered - if after { lost } else { 0 };
            prop_assert!(travelling <= sent);
            let bytes = events().filter(|row| row.event == PacketEvent::Dequeue).map(|row| u64::from(row.packet.size));
            prop_assert_eq!(row.bytes, bytes.sum::<u64>());
        }
        Ok(())
    });
}

/// First in, first out, or so for each flow; the transmitter serves one at a time, never rests while packets wait and no
/// shaper holds them back, and every arrival comes exactly its serialisation and delay later, added in that order.
#[test]
fn links_serve_in_order_and_never_rest() {
    for_all(100, world(), |World(scenario)| {
        let outcome = run(&scenario);
        for (index, spec) in scenario.links.iter().enumerate() {
            let (mut waiting, mut travelling) = (VecDeque::new(), VecDeque::new());
            let mut free = 0.0;
            let fair = is_fair(&spec.queue);
            let shaped = matches!(&spec.queue, QueueSpec::Cake(params) if params.bandwidth.is_some());
            let granted = spec.varying.is_some();
            for row in outcome.packets.iter().filter(|row| row.link as usize == index) {
                let service = spec.rate.transmission(row.packet.size);
                match row.event {
                    PacketEvent::Enqueue => waiting.push_back(*row),
                    PacketEvent::Drop | PacketEvent::Filter => {
                        let same = |other: &PacketRow| unmarked(&other.packet) == unmarked(&row.packet);
                        // Several packets may be equal: a filter erases the oldest; else the arrival, or the first on departure.
                        let arrival = row.event == PacketEvent::Drop
                            && waiting.back().is_some_and(|last| same(last) && last.time_s == row.time_s);
                        let position = if arrival { Some(waiting.len() - 1) } else { waiting.iter().position(same) };
                        known(position.and_then(|at| waiting.remove(at)), "dropped without having come")?;
                    }
                    PacketEvent::Dequeue => {
                        let since = waiting.front().map_or(0.0, |first: &PacketRow| first.time_s);
                        let name = |row: &PacketRow| (row.packet.flow, row.packet.connection);
                        let place = waiting.iter().position(|other| !fair || name(other) == name(row));
                        let head = known(place.and_then(|at| waiting.remove(at)), "served without having come")?;
                        prop_assert_eq!(unmarked(&head.packet), unmarked(&row.packet));
                        let due = f64::max(since, free);
                        let held_back = if granted { row.time_s >= since } else { shaped && row.time_s > due };
                        prop_assert!(row.time_s == due || held_back, "{} for {due}", row.time_s);
                        free = row.time_s + service.secs();
                        let span = if granted { spec.delay } else { service + spec.delay };
                        travelling.push_back((row.time_s + span.secs(), row.packet));
                    }
                    PacketEvent::Lose => match &spec.loss {
                        Some(loss) if loss.r#where == LossPlace::AfterQueue => drop(travelling.pop_back()),
                        _ => drop(waiting.pop_back()),
                    },
                    PacketEvent::Deliver => {
                        let (due, packet) = known(next_arrival(&mut travelling), "delivered without having been sent")?;
                        // Behind grants no arrival is early, and all are in order.
                        prop_assert!(row.time_s == due || granted && row.time_s > due, "{} for {due}", row.time_s);
                        prop_assert_eq!(row.packet, packet);
                    }
                }
            }
        }
        Ok(())
    });
}

/// The packet on a wire that arrives next: the first sent. A packet of no bytes can be one rounding earlier than the packet
/// before it, because `(a + b) + c` need not be `a + (b + c)`.
fn next_arrival(travelling: &mut VecDeque<(f64, Packet)>) -> Option<(f64, Packet)> {
    let ahead = travelling.iter().zip(travelling.iter().skip(1));
    let rounded = |((first, _), (next, packet)): (&(f64, Packet), &(f64, Packet))| {
        packet.size == 0 && next < first && first - next < 1e-12 * first
    };
    let overtaken = ahead.take_while(|pair| rounded(*pair)).count();
    travelling.remove(overtaken)
}

fn known<T>(found: Option<T>, otherwise: &'static str) -> Result<T, TestCaseError> {
    found.ok_or_else(|| TestCaseError::fail(otherwise))
}

/// The packet before RED may have marked it on its way in.
fn unmarked(packet: &Packet) -> Packet {
    let mut packet = *packet;
    if let Body::Data(segment) = &mut packet.body {
        segment.ecn = Ecn::NotEct;
    }
    packet
}

/// What a link delivers is offered to the next one at the same instant, up to the packet's destination.
#[test]
fn packets_cross_the_network_without_a_gap() {
    for_all(100, world(), |World(scenario)| {
        let scenario = crossed_once(scenario);
        let outcome = run(&scenario);
        let mut rows = outcome.packets.iter().peekable();
        while let Some(row) = rows.next() {
            if row.event != PacketEvent::Deliver || arrives(&scenario, &outcome, row) {
                continue;
            }
            let next = known(rows.peek(), "a packet vanishes between links")?;
            let node = scenario.links[row.link as usize].to;
            prop_assert_eq!((next.time_s, next.event), (row.time_s, PacketEvent::Enqueue));
            prop_assert_eq!(scenario.links[next.link as usize].from, node);
            prop_assert_eq!(Packet { place: 0, ..next.packet }, Packet { place: 0, ..row.packet });
            prop_assert_eq!(next.packet.place, row.packet.place + 1);
        }
        Ok(())
    });
}

/// Whether transfer `later` is the next of the same flow: `f`, `f#2`, `f#3` ...
fn follows(later: &str, earlier: &str) -> bool {
    let (name, number) = earlier.split_once('#').unwrap_or((earlier, "1"));
    later == format!("{name}#{}", number.parse::<u32>().expect("a number") + 1)
}

#[test]
fn flow_rows_count_what_the_packets_did() {
    for_all(150, world(), |World(scenario)| {
        let scenario = crossed_once(scenario);
        let outcome = run(&scenario);
        for (index, flow) in outcome.flows.iter().enumerate() {
            // A transfer that is repeated is told as it ended; what its packets do later is not counted.
            let again = outcome.flows.iter().any(|other| follows(&other.name, &flow.name));
            let end = flow.finished_s.filter(|_| again);
            // Other packets may have events at the instant of the ACK that ended it.
            let ends = |row: &PacketRow| {
                Some(row.time_s) == end
                    && row.transfer as usize == index
                    && row.packet.is_ack()
                    && arrives(&scenario, &outcome, row)
            };
            // A grant's block brings several at one instant: the last of them may come after the transfer's end.
            let blocks = scenario.links.iter().any(|link| link.varying.is_some());
            let first = outcome.packets.iter().position(ends).filter(|_| blocks);
            let until = outcome.packets.iter().rposition(ends).map_or(usize::MAX, |last| last + 1);
            let rows = || outcome.packets.iter().take(until).filter(|row| row.transfer as usize == index);
            let sends = || rows().filter(|row| row.event == PacketEvent::Enqueue && row.packet.place == 0);
            let segments = || sends().filter_map(|row| data(&row.packet));
            let datagrams = || sends().filter(|row| matches!(row.packet.body, Body::Datagram(_)));
            prop_assert_eq!(flow.segments_sent, (segments().count() + datagrams().count()) as u64);
            if datagrams().next().is_some() {
                let came = rows().filter(|row| row.packet.is_data() && arrives(&scenario, &outcome, row));
                prop_assert_eq!(flow.bytes, came.map(|row| u64::from(row.packet.size)).sum::<u64>());
                continue;
            }
            prop_assert_eq!(flow.syns_sent, segments().filter(|segment| segment.syn).count() as u64);
            prop_assert_eq!(flow.retransmits, segments().filter(|segment| segment.retransmit).count() as u64);
            let acks = |event| rows().filter(move |row| row.packet.is_ack() && row.event == event).count() as u64;
            prop_assert_eq!(flow.acks_sent, sends().filter(|row| row.packet.is_ack()).count() as u64);
            prop_assert_eq!(flow.acks_dropped, acks(PacketEvent::Drop) + acks(PacketEvent::Lose));
            let received = rows().filter(|row| row.packet.is_ack() && arrives(&scenario, &outcome, row));
            let received = received.count() as u64;
            let with_it = first
                .map_or(0, |first| outcome.packets[first..until].iter().filter(|row| ends(row)).count() as u64 - 1);
            prop_assert!(
                (received - with_it..=received).contains(&flow.acks_received),
                "{}: {} for {received}",
                &flow.name,
                flow.acks_received
            );
            let first =
                sends().filter(|row| data(&row.packet).is_some_and(|segment| !segment.syn)).map(|row| row.time_s);
            prop_assert_eq!(flow.first_data_s, first.clone().next());
            prop_assert_eq!(flow.completion_s, flow.finished_s.and_then(|end| first.clone().next().map(|t| end - t)));
        }
        Ok(())
    });
}

/// A queue never holds more than its limit, and never drops what it has room for.
#[test]
fn drop_tail_drops_when_full_and_only_then() {
    for_all(150, world(), |World(scenario)| {
        let outcome = run(&scenario);
        for (index, spec) in scenario.links.iter().enumerate() {
            let QueueSpec::DropTail(DropTailParams { packets, waiting, bytes, waiting_bytes, filter: None, .. }) =
                spec.queue
            else {
                continue;
            };
            let [bytes, waiting_bytes] = [bytes, waiting_bytes].map(|limit| limit.map(|limit| limit.at(spec.rate)));
            if spec.varying.is_some() {
                continue; // when a packet is in service depends on grants (crates/path/tests/grants)
            }
            let (mut queue, mut in_service) = (VecDeque::new(), (0.0, 0_u64));
            let mut rows = outcome.packets.iter().filter(|row| row.link as usize == index).peekable();
            while let Some(row) = rows.next() {
                let size = u64::from(row.packet.size);
                match row.event {
                    PacketEvent::Dequeue => {
                        queue.pop_front();
                        in_service = (row.time_s + spec.rate.transmission(row.packet.size).secs(), size);
                    }
                    PacketEvent::Enqueue => {
                        let next = rows.peek().map(|next| next.event);
                        let lost = next == Some(PacketEvent::Lose)
                            && spec.loss.as_ref().is_some_and(|loss| loss.r#where == LossPlace::BeforeQueue);
                        // A tie between an arrival and the end of service is decided elsewhere (tests/order.rs).
                        if lost || row.time_s == in_service.0 {
                            if !lost && next != Some(PacketEvent::Drop) {
                                queue.push_back(size);
                            }
                            continue;
                        }
                        let busy = row.time_s < in_service.0;
                        let held: u64 = queue.iter().sum();
                        let service = if busy { in_service.1 } else { 0 };
                        let room = match (packets, waiting, bytes, waiting_bytes) {
                            (_, Some(n), _, _) => !busy || (queue.len() as u64) < n,
                            (_, _, Some(limit), _) => held + service + size <= limit.get(),
                            (_, _, _, Some(limit)) => !busy || held + size <= limit.get(),
                            (n, ..) => queue.len() as u64 + 1 < n.unwrap_or(1000),
                        };
                        prop_assert_eq!(next != Some(PacketEvent::Drop), room, "{:?}", row);
                        if room {
                            queue.push_back(size);
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    });
}
