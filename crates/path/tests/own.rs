//! Queues, servers, loss models and stages of a program's own, and a link that knows none by name.

use std::collections::{BTreeSet, VecDeque};

use acklab_packet::{Ack, Body, Packet, Rate, Time};
use acklab_path::link::Link;
use acklab_path::loss::{Loss, LossModel};
use acklab_path::queue::{Backlog, Discipline, Removal, Service};
use acklab_path::random::Random;
use acklab_path::server::{OwnServer, Server, ServerParams, Taken, VaryingRate};
use acklab_path::spec::{LinkSpec, LossPlace, LossSpec, LossTarget, QueueSpec, StageSpec};
use acklab_path::stage::{Chain, Done, Leaves, Middlebox};
use acklab_path::{Bare, Carried, PacketView};

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
    fn enqueue(&mut self, packet: PacketView, _: Service, _: Time, _: &mut Vec<(u64, Removal)>) {
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
    assert_eq!(server.clone().check(), Ok(()));
    let refused = OwnServer::new(Rate::from_bps(0.0), Slots::default()).check().expect_err("no packet ends");
    assert_eq!((refused.key.as_str(), refused.given.as_deref()), ("rate", Some("\"0bps\"")));
    let expected = [[10e3, 10.7e3, 11.7e3], [20e3, 20.4e3, 21.4e3], [30e3, 30.1e3, 31.1e3]];
    assert_eq!(services(QueueSpec::DEFAULT, Some(VaryingRate::Custom(server))), expected);
}

#[test]
fn a_queue_of_its_own_holds_packets_back() {
    let queue = Paced { waiting: VecDeque::new(), next: Time::from_secs(0.002) };
    let began: Vec<f64> = services(QueueSpec::Custom(queue.into()), None).iter().map(|times| times[0]).collect();
    assert_eq!(began, [2e3, 7e3, 12e3]);
}

/// Loses a connection's first packet of each size.
#[derive(Clone, Debug, Default)]
struct FirstOfSize(BTreeSet<(u64, u32)>);

impl LossModel for FirstOfSize {
    fn takes(&mut self, packet: &PacketView, _: Time) -> bool {
        self.0.insert((packet.connection, packet.bytes))
    }
}

#[test]
fn a_loss_model_of_its_own_sees_what_the_scenario_lets_it() {
    let lost = |only| {
        let spec = LossSpec { own: Some(FirstOfSize::default().into()), only, ..LossSpec::default() };
        assert_eq!(spec.clone().check(), Ok(()));
        let mut loss = Loss::new(&spec, || unreachable!("it draws nothing"));
        [700, 40, 700, 40, 500].map(|size| loss.takes(&Bare::of(size), LossPlace::BeforeQueue, Time::ZERO))
    };
    assert_eq!(lost(None), [true, true, false, false, true]);
    assert_eq!(lost(Some(LossTarget::Acks)), [false; 5]);
}

#[test]
fn a_loss_model_of_its_own_stands_alone() {
    let own = Some(FirstOfSize::default().into());
    let refused = |spec: LossSpec| LossSpec { own: own.clone(), ..spec }.check().expect_err("two models").what;
    let rate = LossSpec { rate: Some(0.1), ..LossSpec::default() };
    assert_eq!(refused(rate.clone()), "has both `rate` and `own`; give one of them");
    assert_eq!(refused(LossSpec { list: Some(vec![1]), ..rate }), "has `rate`, `list`, `own`; give one of them");
}

/// Lets packets go in pairs, the second first, the first twice; removes every fifth.
#[derive(Clone, Debug, Default)]
struct Pairs(Option<u64>);

impl Middlebox for Pairs {
    fn arrive(&mut self, packet: &PacketView, _: Time, out: &mut Vec<Leaves>) {
        match (packet.number % 5, self.0.take()) {
            (4, first) => {
                self.0 = first;
                out.push(Leaves::Removed(packet.number));
            }
            (_, None) => self.0 = Some(packet.number),
            (_, Some(first)) => {
                // 99 has not come, and stays away.
                let whole = [Leaves::Unchanged(packet.number), Leaves::Copy(first), Leaves::Marked(first)];
                out.extend(whole.into_iter().chain([Leaves::Copy(99), Leaves::Unchanged(first)]));
            }
        }
    }
}

#[test]
fn a_stage_of_its_own_holds_copies_and_removes() {
    let specs = [StageSpec::Custom(Pairs::default().into())];
    let mut chain: Chain<Packet> = Chain::new(&specs, |_| Random::stream(1)).expect("a stage");
    let mut out = Vec::new();
    for place in 0..5 {
        let body = Body::Ack(Ack { ack: place, ..Ack::default() });
        chain.arrive(Packet { flow: 0, size: 40, connection: 0, place: 0, body }, Time::ZERO, &mut out);
    }
    let told = out.iter().map(|passing| (passing.packet.plain_ack().unwrap_or(9), passing.made, passing.removed));
    let pair = |first| [(first + 1, false, false), (first, true, false), (first, false, false)];
    let expected: Vec<_> = pair(0).into_iter().chain(pair(2)).chain([(4, false, true)]).collect();
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!((chain.done(), chain.held()), (Done { reordered: 2, duplicated: 2, thinned: 1 }, 0));
}

/// The kinds of a seam, as the file lists them.
fn kinds<'f>(text: &'f str, list: &str) -> Vec<&'f str> {
    let body = text.split_once(&format!("\n{list}! {{\n")).expect("the list").1;
    let lines = body.lines().take_while(|line| !line.starts_with('}'));
    let names = lines.map(|line| line.split_once('(').expect("parameters").0.trim());
    names.map(|name| name.rsplit("::").next().unwrap_or(name)).collect()
}

/// A discipline is known by what it answers: whoever adds one changes no line of the link.
#[test]
fn the_link_names_no_discipline_and_no_server() {
    let mut names = vec!["DropTail", "Composed", "Constant", "Custom"];
    names.extend(kinds(include_str!("../src/queue/mod.rs"), "queues"));
    names.extend(kinds(include_str!("../src/server/mod.rs"), "servers"));
    assert!(names.len() > 15 && names.contains(&"Cake") && names.contains(&"Lte"), "{names:?}");
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/link")).expect("the folder");
    for file in files.map(|file| file.expect("a file").path()) {
        let text = std::fs::read_to_string(&file).expect("text");
        let code = text.lines().filter(|line| !line.trim().starts_with("//"));
        for word in code.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric())) {
            assert!(!names.contains(&word), "{}: {word}", file.display());
        }
    }
}
