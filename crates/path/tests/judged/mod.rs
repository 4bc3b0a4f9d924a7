//! A queue beside another's log: the same packets at the same times, and what became of each.
//!
//! A log's first line is JSON: the `queue` as a scenario writes it, the link's `rate`, the first update of a PIE. Each line after it
//! has a letter, the nanoseconds since the line before, and numbers: `A` an arrival (flow, bytes, ECN and more), `D` a departure
//! (packet, whether marked), `I` and `N` a request that found none. `x` names packets dropped then. Packets count from 1.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use acklab_packet::{Rate, Time};
use acklab_path::link::Link;
use acklab_path::queue::{AnyQueue, FlowClass, Queue, Service};
use acklab_path::random::Random;
use acklab_path::spec::{LinkSpec, QueueSpec, RateSpec};
use acklab_path::{Bare, Carried};

/// A TCP packet as the cases describe it.
#[derive(Clone, Debug, PartialEq)]
struct Tcp {
    number: usize,
    flow: u64,
    size: u32,
    ecn: u64,
    ack: Option<u64>,
    ece: u8,
    stamp: u64,
    sack: Vec<(u64, u64)>,
}

impl Carried for Tcp {
    fn wire_bytes(&self) -> u32 {
        self.size
    }
    fn is_ack(&self) -> bool {
        false // addresses are not exchanged: each flow's packets go one way
    }
    fn has_payload(&self) -> bool {
        self.ack.is_none()
    }
    fn connection(&self) -> u64 {
        self.flow << 16
    }
    fn plain_ack(&self) -> Option<u64> {
        self.ack
    }
    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sack.iter().copied()
    }
    fn timestamps(&self) -> (u64, u64) {
        (u64::from(self.stamp > 0) * 5, self.stamp)
    }
    fn low_latency(&self) -> bool {
        self.ecn & 1 == 1 // ECT(1) and CE
    }
    fn congestion(&self) -> u8 {
        self.ece
    }
    fn unknown_options(&self) -> bool {
        false
    }
    fn mark(&mut self) -> bool {
        let marks = self.ecn > 0;
        self.ecn = if marks { 3 } else { 0 };
        marks
    }
}

/// What became of a packet: the step of the log at which it left, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Waits,
    Dropped(usize),
    Served(usize, bool),
}

/// A line of a log: its kind, its numbers, the packets that are dropped then.
struct Line {
    kind: char,
    words: Vec<u64>,
    drops: Vec<usize>,
}

/// A log: its head, and its lines.
fn log(path: &Path) -> (serde_json::Value, Vec<Line>) {
    let file = std::fs::File::open(path).expect("a log");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("text");
    let (head, lines) = text.split_once('\n').expect("a head");
    let line = |line: &str| {
        let (kind, rest) = line.split_at(1);
        let mut parts = rest.split(" x ");
        let numbers = parts.next().unwrap_or("").split_whitespace();
        Line {
            kind: kind.chars().next().expect("a kind"),
            words: numbers.map(|word| word.parse().expect("a number")).collect(),
            drops: parts.map(|word| word.parse().expect("a number")).collect(),
        }
    };
    (serde_json::from_str(head).expect("JSON"), lines.lines().map(line).collect())
}

/// Packets of a case, and for how many the fates are equal; the first that differs.
pub fn compare(path: &Path) -> (usize, usize, String) {
    let (head, lines) = log(path);
    if head.get("server").is_some() {
        return compare_times(&head, &lines);
    }
    let mut spec: QueueSpec = serde_json::from_value(head["queue"].clone()).expect("a queue");
    if let QueueSpec::Cake(params) = &mut spec {
        let mut classes = vec![FlowClass::default(); 2000];
        for Line { words, .. } in lines.iter().filter(|line| line.kind == 'A') {
            let flow = words[1] as u32;
            let (source, destination) = (0x0a00_0001 + flow % 3, 0x0a01_0001 + flow / 3 % 5);
            classes[flow as usize] = FlowClass { source, destination, dscp: words[4] as u8, one_way: false };
        }
        params.classes = Arc::from(classes);
    }
    let rate = Rate::from_bps(head["rate"].as_f64().expect("a rate"));
    let mut queue: AnyQueue<Tcp> = AnyQueue::new(&spec, rate, || Random::stream(0));
    let seconds = |nanoseconds: u64| Time::from_secs(nanoseconds as f64 * 1e-9);
    let first = head["update_first"].as_u64().map(seconds);
    match (&mut queue, first) {
        (AnyQueue::Pie(pie), Some(time)) => pie.update_first_at(time),
        (AnyQueue::FqPie(pie), Some(time)) => pie.update_first_at(time),
        (AnyQueue::DualPi2(pie), Some(time)) => pie.update_first_at(time),
        _ => {}
    }
    let packets = lines.iter().filter(|line| line.kind == 'A').count();
    let (mut theirs, mut ours) = (vec![Fate::Waits; packets + 1], vec![Fate::Waits; packets + 1]);
    let (mut now, mut arrived, mut removed) = (0, 0, Vec::new());
    let mut service = Service::Idle(Time::ZERO);
    for (step, Line { kind, words, drops }) in lines.iter().enumerate() {
        now += words[0];
        let time = seconds(now);
        drops.iter().for_each(|&number| theirs[number] = Fate::Dropped(step));
        if *kind == 'A' {
            arrived += 1;
            let word = |place: usize| words.get(place).copied().unwrap_or(0);
            let (ack, ece, stamp) = (words.get(5).copied(), word(6) as u8, word(7));
            let sack = words.get(8..).unwrap_or(&[]).chunks(2).map(|block| (block[0], block[1])).collect();
            let packet =
                Tcp { number: arrived, flow: word(1), size: word(2) as u32, ecn: word(3), ack, ece, stamp, sack };
            queue.enqueue(packet, service, time, &mut removed);
        } else {
            if let Some(packet) = queue.dequeue(time, &mut removed) {
                ours[packet.number] = Fate::Served(step, packet.ecn == 3);
            }
            if *kind == 'D' {
                theirs[words[1] as usize] = Fate::Served(step, words[2] == 1);
            }
            service = if *kind == 'I' { Service::Idle(time) } else { Service::Busy(0) };
        }
        removed.drain(..).for_each(|(packet, _)| ours[packet.number] = Fate::Dropped(step));
    }
    let equal = (1..=packets).filter(|&number| theirs[number] == ours[number]).count();
    let differs = (1..=packets).filter(|&number| theirs[number] != ours[number]);
    let earliest = differs.min_by_key(|&number| {
        [theirs[number], ours[number]]
            .map(|fate| match fate {
                Fate::Waits => usize::MAX,
                Fate::Dropped(step) | Fate::Served(step, _) => step,
            })
            .into_iter()
            .min()
    });
    let first = earliest.map_or(String::new(), |n| format!("packet {n}: {:?}, ours {:?}", theirs[n], ours[n]));
    (packets, equal, first)
}

/// Packets of a case with a server, and for how many the times are equal at which they are taken into service and get their
/// tokens: to a microsecond, since Linux rounds what a packet costs and what the bucket holds.
fn compare_times(head: &serde_json::Value, lines: &[Line]) -> (usize, usize, String) {
    let rate: RateSpec = serde_json::from_value(head["server"].clone()).expect("a rate");
    let queue: QueueSpec = serde_json::from_value(head["queue"].clone()).expect("a queue");
    let (rate, varying) = rate.parts();
    let (delay, loss, stages) = (Time::ZERO, None, Vec::new());
    let spec = LinkSpec { from: 0, to: 1, rate, varying, delay, queue, loss, crossings: 1, stages };
    let mut link: Link<Bare> = Link::new(&spec, |_| Random::stream(0));
    let (mut now, mut removed, mut ours, mut theirs) = (0, Vec::new(), Vec::new(), Vec::new());
    let mut serve = |link: &mut Link<Bare>, packet: Bare, at: Time| {
        let ends = link.serve(&packet, at).ends;
        ours.push((ends - rate.transmission(packet.size)).secs());
    };
    for Line { kind, words, .. } in lines {
        now += words[0];
        let time = Time::from_secs(now as f64 * 1e-9);
        if *kind == 'D' {
            theirs.push(time.secs());
        }
        while link.until() < time && link.waiting() > 0 {
            let at = link.until();
            let next = link.next_packet(at, &mut removed);
            next.into_iter().for_each(|packet| serve(&mut link, packet, at));
        }
        if *kind == 'A' {
            let idle = link.until() <= time;
            let next = link.offer(Bare::of(words[2] as u32), idle, time, &mut removed);
            next.into_iter().for_each(|packet| serve(&mut link, packet, time));
        }
    }
    let equal = ours.iter().zip(&theirs).filter(|(one, two)| (*one - *two).abs() <= 1e-6).count();
    let worst = ours.iter().zip(&theirs).map(|(one, two)| (one - two).abs()).fold(0.0, f64::max);
    (theirs.len(), equal, format!("at most {:.0} ns apart", worst * 1e9))
}
