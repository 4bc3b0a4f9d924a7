//! A link driven by hand departs as the simulator's does, to the last bit.

use acklab_live::hops::{Hops, Travelling};
use acklab_packet::Time;
use acklab_path::direction::Direction;
use acklab_path::stage::Reissue;
use acklab_path::{Bare, Carried};
use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::PacketEvent;

/// A packet that is a number and a size, on the way of flow 0; of 40 bytes it is an ACK.
#[derive(Clone, Copy, Debug)]
struct Numbered(Bare, u32);

impl Carried for Numbered {
    fn wire_bytes(&self) -> u32 {
        self.0.wire_bytes()
    }
    fn is_ack(&self) -> bool {
        self.0.size == 40
    }
    fn has_payload(&self) -> bool {
        !self.is_ack()
    }
    fn connection(&self) -> u64 {
        0
    }
    fn plain_ack(&self) -> Option<u64> {
        self.is_ack().then_some(self.0.number)
    }
    fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        std::iter::empty()
    }
    fn timestamps(&self) -> (u64, u64) {
        (0, 0)
    }
    fn congestion(&self) -> u8 {
        0
    }
    fn unknown_options(&self) -> bool {
        false
    }
    fn mark(&mut self) -> bool {
        false
    }
}

impl Reissue for Numbered {
    fn reissued(&self, _: u64) -> Numbered {
        *self
    }
    fn units(&self) -> Option<std::ops::Range<u64>> {
        None
    }
}

impl Travelling for Numbered {
    fn flow(&self) -> u32 {
        0
    }
    fn hop(&mut self) -> &mut u32 {
        &mut self.1
    }
}

/// Sends, at each instant at which the simulator offered a packet to the first link, one of the same size over the same
/// links by hand, waking them `late` seconds after each instant; both must deliver the same at the same instants.
fn same(links: &str, flow: &str, late: f64) {
    let text = format!(
        "seed = 7\nstop.at = '20s'\n{links}\n[[flow]]\nfrom = 'S'\nto = 'R'\n{flow}\n[record]\npackets = true\n"
    );
    let scenario = std::sync::Arc::new(parse_toml(&text, "t").unwrap());
    let outcome = Simulation::new(scenario.clone()).run();
    let route: Vec<usize> = acklab_sim::route(&scenario, scenario.flows[0].from, scenario.flows[0].to)
        .unwrap()
        .into_iter()
        .map(|link| link as usize)
        .collect();
    let link = |&link: &usize| {
        let spec = &scenario.links[link];
        Direction::new(spec, |part| scenario.link_stream(spec, part))
    };
    let mut way: Hops<Numbered> = Hops::new(route.iter().map(link).collect(), vec![(0..route.len()).collect()]);
    let (first, last) = (route[0], route[route.len() - 1]);
    let rows = |link: usize, event| {
        outcome
            .packets
            .iter()
            .filter(move |row| row.link as usize == link && row.event == event && row.packet.is_data())
    };
    let (mut arrived, mut gone, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let mut take = |way: &mut Hops<Numbered>| {
        way.take_arrived(&mut arrived);
        all.extend(arrived.drain(..).map(|(at, packet)| (at.secs(), packet.0.size)));
    };
    let mut woken = 0.0_f64;
    for (number, row) in (0..).zip(rows(first, PacketEvent::Enqueue)) {
        // Real time is only ever looked at too late; what is computed must not depend on it.
        while let Some(due) = way.next().filter(|due| due.secs().max(woken) + late < row.time_s) {
            woken = due.secs().max(woken) + late;
            way.advance(Time::from_secs(woken), &mut gone);
            take(&mut way);
        }
        let now = Time::from_secs(row.time_s);
        way.advance(now, &mut gone);
        way.offer(Numbered(Bare { size: row.packet.size, number }, 0), now, &mut gone);
        take(&mut way);
    }
    // The simulator ends before what is due at the end itself.
    way.advance(Time::from_secs(20.0_f64.next_down()), &mut gone);
    take(&mut way);
    all.retain(|&(at, _)| at < 20.0);
    let expected: Vec<(f64, u32)> = rows(last, PacketEvent::Deliver).map(|row| (row.time_s, row.packet.size)).collect();
    assert!(expected.len() > 1000, "a test of something: {}", expected.len());
    let differ = all.iter().zip(&expected).position(|(ours, theirs)| ours != theirs);
    assert_eq!((differ, all.len()), (None, expected.len()), "{:?}", differ.map(|at| (all[at], expected[at])));
    for (place, &link) in route.iter().enumerate() {
        let (counts, row) = (way.links()[place].link().counts, &outcome.links[link]);
        assert_eq!((counts.drops, counts.lost, counts.queue_max), (row.drops, row.lost, row.max_queue_packets));
        let done = way.links()[place].done();
        assert_eq!((done.reordered, done.duplicated, done.thinned), (row.reordered, row.duplicated, row.thinned));
        let mean = way.links()[place].mean_queue(Time::from_secs(20.0));
        assert!((mean - row.mean_queue_packets).abs() < 1e-9, "{mean} {}", row.mean_queue_packets);
    }
}

const ONE: &str = "[[link]]\nbetween = ['S', 'R']\nrate = '1.5Mbps'\ndelay = '20ms'\n";

/// A transfer, clocked by its ACKs.
const TCP: &str = "size = 'unlimited'\nsender = { window = 60 }";
/// Datagrams, which never arrive at the very instant at which a service ends: what comes first then is the simulator's rule
/// alone, and no two real packets do.
const UDP: &str = "source = { kind = 'udp', rate = '1.83Mbps', on = '1.1s', off = '0.3s', spans = 'exponential' }";

#[test]
fn over_a_drop_tail_queue() {
    same(&format!("{ONE}queue = {{ kind = 'drop-tail', packets = 22 }}"), TCP, 0.0);
    same(&format!("{ONE}queue = {{ kind = 'drop-tail', packets = 22 }}"), TCP, 0.0037);
}

#[test]
fn over_red_and_with_random_losses() {
    let red = "queue = { kind = 'red', packets = 40, min = 5, max = 15 }\n";
    same(&format!("{ONE}{red}loss = {{ rate = 0.005 }}"), UDP, 0.002);
    same(&format!("{ONE}loss = {{ rate = 0.005, where = 'after-queue' }}"), UDP, 0.0);
}

#[test]
fn over_three_hops() {
    let hops = "[[link]]\nbetween = ['S', 'A']\nrate = '10Mbps'\ndelay = '2ms'\n\
                [[link]]\nbetween = ['A', 'B']\nrate = '1.5Mbps'\ndelay = '20ms'\nqueue = { kind = 'drop-tail', packets = 12 }\n\
                [[link]]\nbetween = ['B', 'R']\nrate = '3Mbps'\ndelay = '1ms'\n";
    same(hops, TCP, 0.001);
}

#[test]
fn through_stages() {
    let held = "{ kind = 'reorder', rate = 0.05, by = '25ms' }";
    let few = "{ kind = 'reorder', rate = 0.05, by = '1s', overtaken = 3 }";
    let jitter = "{ kind = 'jitter', mean = '10ms', distribution = 'pareto', order = 'free' }";
    let copies = "{ kind = 'duplicate', rate = 0.05, after = '11ms' }";
    let pause = "{ kind = 'pause', at = ['2s', '5s'], length = '700ms' }";
    for stages in
        [held.to_owned(), format!("{few}, {copies}"), format!("{jitter}, {pause}"), format!("{pause}, {held}")]
    {
        same(&format!("{ONE}stages = [{stages}]\n"), UDP, 0.003);
    }
    let hops = "[[link]]\nbetween = ['S', 'A']\nrate = '10Mbps'\ndelay = '2ms'\nstages = [{ kind = 'reorder', rate = 0.1, by = '9ms' }]\n\
                [[link]]\nbetween = ['A', 'R']\nrate = '1.5Mbps'\ndelay = '20ms'\nstages = [{ kind = 'duplicate', rate = 0.1 }]\n";
    same(hops, UDP, 0.001);
}

#[test]
fn a_thinned_ack_is_gone_and_counted() {
    let text = format!(
        "stop.at = '1s'\n{ONE}stages = [{{ kind = 'thin', every = 3, hold = '50ms' }}]\n[[flow]]\nfrom = 'S'\nto = 'R'\n{TCP}\n"
    );
    let scenario = parse_toml(&text, "t").unwrap();
    let link = Direction::new(&scenario.links[0], |part| scenario.link_stream(&scenario.links[0], part));
    let (mut way, mut gone, mut arrived) = (Hops::new(vec![link], vec![vec![0]]), Vec::new(), Vec::new());
    for number in 1..=5 {
        let now = Time::from_secs(0.001 * number as f64);
        way.advance(now, &mut gone);
        way.offer(Numbered(Bare { size: 40, number }, 0), now, &mut gone);
    }
    way.advance(Time::from_secs(1.0), &mut gone);
    way.take_arrived(&mut arrived);
    let arrived: Vec<_> = arrived.iter().map(|(at, packet)| (packet.0.number, (at.secs() * 1e3).round())).collect();
    // 4 is the third behind the first; 5 waits for 50 ms.
    assert_eq!(arrived, [(1, 21.0), (4, 24.0), (5, 75.0)]);
    let gone: Vec<_> = gone.iter().map(|(packet, reason)| (packet.0.number, *reason)).collect();
    assert_eq!(gone, [2, 3].map(|number| (number, acklab_path::queue::Removal::Filtered)));
    assert_eq!(way.links()[0].done().thinned, 2);
}

/// Packets that wait for grants, are sent in parts, and are sent again depart at the same times.
#[test]
fn request_grant_uplinks_depart_as_the_simulators_do() {
    for rate in [
        "{ kind = 'docsis', rate = '1.5Mbps', channel = '6Mbps', backoff = 2 }",
        "{ kind = 'docsis', rate = '1.5Mbps', requests = 'burst', burst = '900B', proactive = '200kbps' }",
        "{ kind = 'docsis', rate = '1.5Mbps', requests = 'packet' }",
        "{ kind = 'lte', rate = '1.5Mbps', bler = 0.2 }",
        "{ kind = 'nr', rate = '1.5Mbps', bler = 0.2 }",
        "{ kind = 'pon', rate = '1.5Mbps', fixed = '100kbps' }",
    ] {
        let link = |queue: &str| {
            format!("[[link]]\nbetween = ['S', 'R']\nrate = {rate}\ndelay = '20ms'\nqueue = {{ kind = {queue} }}\n")
        };
        same(&link("'drop-tail', packets = 12"), UDP, 0.0);
        same(&link("'fq-codel'"), UDP, 0.0);
    }
}
