//! Queues and servers of a program's own, and a link that knows none by name.

use std::collections::VecDeque;

use acklab_packet::{Rate, Time};
use acklab_path::Bare;
use acklab_path::link::Link;
use acklab_path::queue::{Backlog, Discipline, Removal, Service, Waiter};
use acklab_path::random::Random;
use acklab_path::server::{OwnServer, Server, Taken, VaryingRate};
use acklab_path::spec::{LinkSpec, QueueSpec};

const SLOT: f64 = 0.01;

/// Slots of 10 ms, each of which carries 1000 bytes if packets wait as it begins.
#[derive(Clone, Debug, Default)]
struct Slots {
    /// The slot in use, what is left of it, and the bytes sent.
    slot: u64,
    left: u32,
    sent: u64,
}

impl Server for Slots {
    fn take(&mut self, bytes: u32, _: Time) -> Taken {
        Time::from_secs(f64::from(bytes) * 1e-6).into()
    }

    fn busy(&self, _: u64) -> f64 {
        self.sent as f64 * 1e-6
    }

    fn grants(&self) -> bool {
        true
    }

    fn ready(&mut self, backlog: Backlog, now: Time) -> Option<Time> {
        let slot = (now.secs() / SLOT + 1e-9) as u64;
        if slot > self.slot && now.secs() <= slot as f64 * SLOT + 1e-9 && backlog.packets > 0 {
            (self.slot, self.left) = (slot, 1000);
        }
        let next = Time::from_secs((slot + 1) as f64 * SLOT);
        (backlog.packets > 0).then_some(if self.slot == slot && self.left > 0 { now } else { next })
    }

    fn reserve(&mut self, bytes: u32, _: Time) -> u32 {
        let part = bytes.min(self.left);
        self.left -= part;
        self.sent += u64::from(part);
        part
    }
}

/// First in, first out; a packet leaves 5 ms after the one before it at the earliest.
#[derive(Clone, Debug)]
struct Paced {
    waiting: VecDeque<u64>,
    next: Time,
}

impl Discipline for Paced {
    fn enqueue(&mut self, packet: Waiter, _: Service, _: Time, _: &mut Vec<(u64, Removal)>) {
        self.waiting.push_back(packet.number);
    }

    fn dequeue(&mut self, now: Time, _: &mut Vec<(u64, Removal)>) -> Option<(u64, bool)> {
        let next = (self.next <= now).then(|| self.waiting.pop_front())??;
        self.next = now + Time::from_secs(0.005);
        Some((next, false))
    }

    fn ready_at(&self, _: Time) -> Time {
        self.next
    }
}

/// Three packets of 700 bytes come at 1 ms: when each service begins, ends and arrives, in microseconds. Propagation takes 1 ms.
fn services(queue: QueueSpec, varying: Option<VaryingRate>) -> Vec<[f64; 3]> {
    let (rate, delay) = (Rate::from_bps(8e6), Time::from_secs(0.001));
    let spec = LinkSpec { from: 0, to: 1, rate, varying, delay, queue, loss: None, crossings: 1, stages: Vec::new() };
    let (mut link, mut gone): (Link<Bare>, _) = (Link::new(&spec, |_| Random::stream(1)), Vec::new());
    link.never_book();
    let (mut now, mut services) = (Time::from_secs(0.001), Vec::new());
    let mut come = [700; 3].into_iter();
    loop {
        let next = match come.next() {
            Some(bytes) => link.offer(Bare::of(bytes), link.until() <= now, now, &mut gone),
            None if link.waiting() == 0 => break,
            None => {
                assert!(link.until() >= now);
                now = link.until();
                link.next_packet(now, &mut gone)
            }
        };
        if let Some(packet) = next {
            let served = link.serve(&packet, now);
            services.push([now, served.ends, served.arrives].map(|at| (at.secs() * 1e6).round()));
        }
    }
    services
}

/// A slot carries what is left of a packet, then parts of the next: only the last part's service is the packet's.
#[test]
fn a_server_of_its_own_grants_and_takes_parts() {
    let server = OwnServer::new(Rate::from_bps(8e5), Slots::default());
    let expected = [[10e3, 10.7e3, 11.7e3], [20e3, 20.4e3, 21.4e3], [30e3, 30.1e3, 31.1e3]];
    assert_eq!(services(QueueSpec::DEFAULT, Some(VaryingRate::Custom(server))), expected);
}

#[test]
fn a_queue_of_its_own_holds_packets_back() {
    let queue = Paced { waiting: VecDeque::new(), next: Time::from_secs(0.002) };
    let began: Vec<f64> = services(QueueSpec::Custom(queue.into()), None).iter().map(|times| times[0]).collect();
    assert_eq!(began, [2e3, 7e3, 12e3]);
}

/// The variants of an enumeration, as the file writes them.
fn variants(text: &str, name: &str) -> Vec<String> {
    let body = text.split_once(&format!("pub enum {name}")).expect("the enumeration").1;
    let lines = body.lines().skip(1).take_while(|line| !line.starts_with('}'));
    let names = lines.filter_map(|line| line.trim().split_once('('));
    names.map(|(name, _)| name.to_owned()).filter(|name| !name.starts_with("//")).collect()
}

/// A discipline is known by what it answers: whoever adds one changes no line of the link.
#[test]
fn the_link_names_no_discipline_and_no_server() {
    let mut names = variants(include_str!("../src/queue/mod.rs"), "AnyQueue<P>");
    names.extend(variants(include_str!("../src/server/mod.rs"), "AnyServer"));
    assert!(names.len() > 15 && names.contains(&"Cake".to_owned()), "{names:?}");
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/link")).expect("the folder");
    for file in files.map(|file| file.expect("a file").path()) {
        let text = std::fs::read_to_string(&file).expect("text");
        let code = text.lines().filter(|line| !line.trim().starts_with("//"));
        for word in code.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric())) {
            assert!(!names.iter().any(|name| name == word), "{}: {word}", file.display());
        }
    }
}
