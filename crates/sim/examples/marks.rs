//! One scenario a line in; out, for its first flow, each segment that its receiver gets (1 if its header has a congestion mark or the
//! echo of one) and each ACK that leaves (how many segments it newly covers): `line<TAB>time<TAB>segment|ack<TAB>number`.
use std::io::{BufRead, Write};

use acklab_packet::{AckNotice, Body, Ecn};
use acklab_sim::Simulation;
use acklab_sim::outcome::PacketEvent;

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (number, line) in (1..).zip(std::io::stdin().lock().lines()) {
        let line = line.expect("standard input is readable text");
        let scenario = acklab_scenario::parse_json(&line, "").expect("a scenario");
        let outcome = Simulation::new(scenario.into()).run();
        let to = &outcome.flows[0].to;
        let of = |end: &str, first: bool| {
            let names = outcome.links.iter().map(|link| (link.from.as_str(), link.to.as_str()));
            names.map(|link| if first { link.0 == end } else { link.1 == end }).collect::<Vec<_>>()
        };
        let (last, first) = (of(to, false), of(to, true));
        let mut acked = 0;
        for row in outcome.packets.iter().filter(|row| row.packet.flow == 0) {
            let (time, link) = (row.time_s, row.link as usize);
            match &row.packet.body {
                Body::Data(segment) if row.event == PacketEvent::Deliver && last[link] => {
                    let marked = segment.ecn == Ecn::Ce || segment.notice == AckNotice::MARKED;
                    writeln!(out, "{number}\t{time}\tsegment\t{}", u8::from(marked))
                }
                Body::Ack(ack) if row.event == PacketEvent::Enqueue && first[link] && ack.ack > acked => {
                    let covers = ack.ack - std::mem::replace(&mut acked, ack.ack);
                    writeln!(out, "{number}\t{time}\tack\t{covers}")
                }
                _ => Ok(()),
            }
            .expect("standard output is writable");
        }
    }
}
