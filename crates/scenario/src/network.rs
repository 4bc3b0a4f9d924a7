//! From links between names to link directions between indices, checked.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;

use acklab_packet::{Rate, Time};
use acklab_path::Buffer;
use acklab_path::queue::RedParams;
use acklab_path::server::VaryingRate;
use acklab_path::spec::{GilbertElliott, LinkSpec, LossSpec, QueueSpec, RateSpec, Stay};

use super::buffers;
use super::error::{Problem, Problems, not_a_name};
use super::filter;
use super::link::{BackTable, LinkTable};
use super::stage;
use super::suggest::{did_you_mean, listed};

/// A link, and the key of the file it comes from.
pub(super) struct Origin {
    pub link: LinkTable,
    pub key: Key,
}

/// Where a link stands in the file.
#[derive(Clone, Copy)]
pub(super) enum Key {
    /// `link[n]`
    Link(usize),
    /// A key of `[topology]`.
    Topology(&'static str),
    /// `wlan[n].stations[m]`
    Wlan(usize, usize),
}

impl Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Link(index) => write!(f, "link[{index}]"),
            Key::Topology(key) => f.write_str(key),
            Key::Wlan(wlan, station) => write!(f, "wlan[{wlan}].stations[{station}]"),
        }
    }
}

/// Nodes and link directions.
#[derive(Default)]
pub(super) struct Network {
    pub nodes: Vec<String>,
    pub links: Vec<LinkSpec>,
    index: BTreeMap<String, u32>,
    /// For each node one it is connected with; following these ends at the same node for all that are connected.
    joined: Vec<u32>,
    /// No link is missing for a mistake.
    whole: bool,
}

impl Network {
    /// Builds it link by link; not `whole` if some are missing.
    pub fn new(links: Vec<Origin>, whole: bool, found: &mut Problems) -> Network {
        let mut network = Network { whole, ..Network::default() };
        network.links.reserve(2 * links.len());
        let mut pairs = BTreeMap::new();
        for Origin { mut link, key } in links {
            match found.note(network.join(&mut link, key, &mut pairs)) {
                Some((from, to)) => network.links.extend(directions(link, key, from, to, found).into_iter().flatten()),
                None => network.whole = false,
            }
        }
        network
    }

    /// The two nodes of a link, now linked.
    fn join(
        &mut self,
        link: &mut LinkTable,
        key: Key,
        pairs: &mut BTreeMap<(u32, u32), Key>,
    ) -> Result<(u32, u32), Problem> {
        let [a, b] = std::mem::take(&mut link.between);
        if let Some((name, what)) = [&a, &b].into_iter().find_map(|name| Some((name, not_a_name(name)?))) {
            return Err(Problem::at(format_args!("{key}.between"), format!("a node's name {what}")).given_text(name));
        }
        if a == b {
            return Err(Problem::at(format_args!("{key}.between"), format!("links `{a}` with itself")));
        }
        let (from, to) = (self.node(a), self.node(b));
        if let Some(earlier) = pairs.insert((from.min(to), from.max(to)), key) {
            let [a, b] = [from, to].map(|node| &self.nodes[node as usize]);
            let what = format!("`{a}` and `{b}` are already linked by {earlier}");
            return Err(match key {
                Key::Wlan(..) => Problem::at(key, what).help("a station's only link with its access point is the air"),
                _ => Problem::at(format_args!("{key}.between"), what)
                    .help("give one link per pair; `back` describes its other direction"),
            });
        }
        let (root_a, root_b) = (self.root(from), self.root(to));
        self.joined[root_b as usize] = root_a;
        Ok((from, to))
    }

    /// The index of the node called `name`, new or known.
    fn node(&mut self, name: String) -> u32 {
        if let Some(&index) = self.index.get(&name) {
            return index;
        }
        let index = self.nodes.len() as u32;
        self.nodes.push(name.clone());
        self.joined.push(index);
        self.index.insert(name, index);
        index
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.joined[node as usize] != node {
            let over = self.joined[self.joined[node as usize] as usize];
            self.joined[node as usize] = over;
            node = over;
        }
        node
    }

    /// The index of a flow's node; any, if its link may be missing.
    pub fn find(&self, name: &str, path: impl std::fmt::Display) -> Result<u32, Problem> {
        self.index.get(name).copied().or_else(|| (!self.whole).then_some(0)).ok_or_else(|| {
            let nodes = || self.nodes.iter().map(String::as_str);
            let what = format!("no link has this node{}", did_you_mean(name, nodes()).unwrap_or_default());
            Problem::at(path, what).given_text(name).help(format!("nodes: {}", listed(nodes())))
        })
    }

    /// Whether links lead from one node to another.
    pub fn connected(&mut self, from: u32, to: u32) -> bool {
        !self.whole || self.root(from) == self.root(to)
    }
}

/// The two directions of a link, if nothing is wrong with any part.
fn directions(link: LinkTable, key: Key, from: u32, to: u32, all: &mut Problems) -> Option<[LinkSpec; 2]> {
    let mut found = Problems::default();
    let LinkTable { rate, delay, queue, loss, crossings, stages, back, .. } = link;
    let given = back.unwrap_or_default();
    let queue = queue.unwrap_or(QueueSpec::DEFAULT);
    let mut direction = |from, to, part: BackTable, back: &str, crossings: u16| {
        let rate = part.rate?;
        let at = rate.of_buffers();
        let rate = found.note(checked_rate(rate, key, back));
        let queue = part.queue?;
        // At a rate that is refused no buffer is counted.
        let queue = rate.as_ref().and_then(|_| found.note(checked_queue(queue, key, back, Some(at))));
        let loss = found.note(part.loss.map(|loss| checked_loss(loss, key, back)).transpose());
        let crossings = found.note(checked_crossings(crossings, key, back));
        let stages = found.note(stage::checked(part.stages, format_args!("{key}{back}.stages")));
        let (rate, varying) = rate?;
        Some(LinkSpec {
            from,
            to,
            rate,
            varying,
            delay: part.delay?,
            queue: queue?,
            loss: loss?,
            crossings: crossings?,
            stages: stages?,
        })
    };
    let back = BackTable {
        rate: given.rate.or_else(|| Some(rate.clone())),
        delay: given.delay.or(Some(delay)),
        queue: given.queue.or_else(|| Some(queue.clone())),
        ..given
    };
    let there =
        BackTable { rate: Some(rate), delay: Some(delay), queue: Some(queue), loss, stages, ..BackTable::default() };
    let back_crossings = back.crossings.unwrap_or(crossings);
    let there = direction(from, to, there, "", crossings);
    let back = direction(to, from, back, ".back", back_crossings);
    // What the return direction has from the other is wrong once.
    let mut told: HashSet<(String, String)> = HashSet::new();
    found.0.retain(|problem| told.insert((problem.path.replacen(".back.", ".", 1), problem.what.clone())));
    all.0.extend(found.0);
    Some([there?, back?])
}

fn checked_rate(rate: RateSpec, key: Key, back: &str) -> Result<(Rate, Option<VaryingRate>), Problem> {
    let path = format!("{key}{back}.rate");
    match &rate {
        RateSpec::Constant(rate) => _ = checked_rate_at(*rate, &path)?,
        RateSpec::Varying(varying) => checked_at(varying.out_of_range(), |name| format!("{path}.{name}"))?,
    }
    Ok(rate.parts())
}

/// Outside these a transmission takes longer than any run, or less than a clock's double can tell.
pub(super) fn checked_rate_at(rate: Rate, path: impl Display) -> Result<Rate, Problem> {
    match rate.bps() {
        bps if (1.0..=1e15).contains(&bps) => Ok(rate),
        _ => Err(Problem::at(path, "must be from 1bps to 1e6Gbps").given_text(rate)),
    }
}

fn checked_crossings(crossings: u16, key: Key, back: &str) -> Result<u16, Problem> {
    match crossings {
        1..=16 => Ok(crossings),
        _ => Err(Problem::at(format_args!("{key}{back}.crossings"), "must be from 1 to 16").given(crossings)),
    }
}

/// Exactly one limit, in bytes if not in packets: the default where none is given. `rate` counts buffers written as times.
pub(super) fn checked_queue(
    mut queue: QueueSpec,
    key: impl Display + Copy,
    back: &str,
    rate: Option<Rate>,
) -> Result<QueueSpec, Problem> {
    if let Some(filter) = queue.filter() {
        filter::checked(filter, format_args!("{key}{back}.queue.filter"))?;
    }
    buffers::count(&mut queue, format_args!("{key}{back}.queue"), rate)?;
    let (packets, waiting, bytes, waiting_bytes) = match &mut queue {
        QueueSpec::DropTail { packets, waiting, bytes, waiting_bytes, .. } => {
            if packets.is_none() && waiting.is_none() && bytes.is_none() && waiting_bytes.is_none() {
                *packets = Some(1000);
            }
            (*packets, *waiting, *bytes, *waiting_bytes)
        }
        QueueSpec::Codel(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::FqCodel(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::Pie(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::Cobalt(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::FqCobalt(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::DocsisPie(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::DualPi2(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::FqPie(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::Policer(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::Cake(params) => return checked_params(params.out_of_range(), key, back).map(|()| queue),
        QueueSpec::Red(red) => return checked_red(red, key, back).map(|()| queue),
        QueueSpec::Custom(_) => return Ok(queue),
    };
    let given = [
        packets.is_some().then_some("packets"),
        waiting.is_some().then_some("waiting"),
        bytes.is_some().then_some("bytes"),
        waiting_bytes.is_some().then_some("waiting_bytes"),
    ];
    let path = |limit: &str| format!("{key}{back}.queue{limit}");
    if given.iter().flatten().count() > 1 {
        let what = format!("has the limits {}; give one of them", listed(given.into_iter().flatten()));
        return Err(Problem::at(path(""), what));
    }
    if packets == Some(0) {
        return Err(Problem::at(path(".packets"), "must be at least 1").given(0));
    }
    if bytes == Some(Buffer::bytes(0)) {
        return Err(Problem::at(path(".bytes"), "must be at least 1B").given_text("0B"));
    }
    Ok(queue)
}

/// A queue's parameter that is out of range, if one is.
fn checked_params(wrong: Option<(&str, &str, String)>, key: impl Display, back: &str) -> Result<(), Problem> {
    checked_at(wrong, |name| format!("{key}{back}.queue.{name}"))
}

/// The parameter that is out of range, if one is.
fn checked_at(wrong: Option<(&str, &str, String)>, path: impl Fn(&str) -> String) -> Result<(), Problem> {
    wrong.map_or(Ok(()), |(name, what, given)| Err(Problem::at(path(name), what.to_owned()).given(given)))
}

/// Thresholds in order, probabilities that are some.
fn checked_red(red: &RedParams, key: impl Display, back: &str) -> Result<(), Problem> {
    let wrong = |name: &str, what: &str, given: f64| {
        Err(Problem::at(format_args!("{key}{back}.queue.{name}"), what.to_owned()).given(given))
    };
    let share = |value: f64| value > 0.0 && value <= 1.0;
    match red {
        _ if red.packets < 2 => wrong("packets", "must be at least 2", red.packets as f64),
        _ if !(red.min.is_finite() && red.min >= 0.0) => {
            wrong("min", "must be a number of packets, 0 or more", red.min)
        }
        _ if !(red.max.is_finite() && red.max >= red.min) => wrong("max", "must be a number, not below min", red.max),
        // Aging an idle queue's average takes a step per packet it could have carried, until the average is nothing.
        _ if !(1e-4..=1.0).contains(&red.weight) => wrong("weight", "must be from 0.0001 to 1", red.weight),
        _ if red.seed.is_some_and(|seed| !(1..=4_294_944_442).contains(&seed)) => {
            wrong("seed", "must be from 1 to 4294944442", red.seed.map_or(0.0, f64::from))
        }
        _ if !share(red.max_p) => wrong("max_p", "must be above 0 and at most 1", red.max_p),
        _ if red.mean_packet.get() == 0 => wrong("mean_packet", "must be at least 1B", 0.0),
        _ if red.skip > 0 && red.seed.is_none() => {
            wrong("skip", "counts draws of ns-2's stream; must be 0 without a `seed`", red.skip as f64)
        }
        _ if red.skip > 10_000_000 => wrong("skip", "must be at most 10000000", red.skip as f64),
        _ => Ok(()),
    }
}

/// Stays in one unit, long enough, and probabilities that are some.
fn checked_bursts(bursts: &GilbertElliott, path: impl Fn(&str) -> String) -> Result<(), Problem> {
    let path = |key: &str| path(&format!(".gilbert_elliott{key}"));
    for (key, stay) in [(".good", bursts.good), (".bad", bursts.bad)] {
        match stay {
            Stay::Packets(packets) if !(1.0..=1e15).contains(&packets) => {
                return Err(Problem::at(path(key), "must be a number of packets, at least 1").given(packets));
            }
            Stay::Time(time) if time < Time::from_secs(1e-4) => {
                return Err(Problem::at(path(key), "must be at least 0.1ms").given_text(time));
            }
            _ => {}
        }
    }
    if matches!(bursts.good, Stay::Packets(_)) != matches!(bursts.bad, Stay::Packets(_)) {
        let what = "counts one state in packets, the other in time; count both alike";
        return Err(Problem::at(path(""), what));
    }
    for (key, rate) in [(".loss_good", bursts.loss_good), (".loss_bad", bursts.loss_bad)] {
        if !(0.0..=1.0).contains(&rate) {
            return Err(Problem::at(path(key), "must be a probability from 0 to 1").given(rate));
        }
    }
    Ok(())
}

/// One of a rate, bursts and a list; the list sorted, each number once.
fn checked_loss(mut loss: LossSpec, key: Key, back: &str) -> Result<LossSpec, Problem> {
    let path = |key_below: &str| format!("{key}{back}.loss{key_below}");
    if let Some(bursts) = &loss.gilbert_elliott {
        checked_bursts(bursts, path)?;
        if loss.rate.is_some() || loss.list.is_some() {
            let what =
                "has `gilbert_elliott`, which says by itself what is lost, and `rate` or `list`; give one of them";
            return Err(Problem::at(path(""), what));
        }
    } else {
        stage::chosen(loss.rate, &mut loss.list, path(""))?;
    }
    match loss.seed {
        Some(_) if loss.rate.is_none() => Err(Problem::at(
            path(".seed"),
            "seeds the draws of a `rate` as ns-2's; a `list` draws nothing, and ns-2 has no `gilbert_elliott`",
        )),
        // All six words of MRG32k3a take this value; they may not be 0, and must be below both moduli.
        Some(seed) if !(1..=4_294_944_442).contains(&seed) => {
            Err(Problem::at(path(".seed"), "must be from 1 to 4294944442").given(seed))
        }
        _ => Ok(loss),
    }
}

#[cfg(test)]
mod tests {
    use acklab_path::spec::QueueSpec;

    use crate::parse_toml;

    #[test]
    fn a_way_back_is_as_the_way_there_but_for_what_it_says_and_for_losses() {
        let text = "stop.at = '1s'\n[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n\
                    queue = { kind = 'drop-tail', waiting = 7 }\nloss = { list = [4, 2, 4] }\nback = { rate = '2Mbps' }\n\
                    [[flow]]\nfrom = 'R'\nto = 'S'\n";
        let scenario = parse_toml(text, "t").unwrap();
        let [forward, back] = scenario.links.as_slice() else { panic!("{:?}", scenario.links) };
        assert_eq!((forward.from, forward.to, back.from, back.to), (0, 1, 1, 0));
        assert_eq!((forward.rate.bps(), back.rate.bps(), back.delay), (1e6, 2e6, forward.delay));
        assert!(matches!(back.queue, QueueSpec::DropTail { waiting: Some(7), packets: None, .. }));
        assert_eq!(forward.loss.as_ref().unwrap().list, Some(vec![2, 4]));
        assert_eq!(back.loss, None);
        assert_eq!((scenario.flows[0].from, scenario.flows[0].name.as_str()), (1, "flow0"));
    }

    #[test]
    fn a_queue_without_a_limit_has_the_default_one() {
        let link = |queue: &str| {
            let text = format!(
                "stop.at = '1s'\n[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n{queue}\n\
                 [[flow]]\nfrom = 'S'\nto = 'R'\n"
            );
            parse_toml(&text, "t").unwrap().links[0].queue.clone()
        };
        assert_eq!(link(""), QueueSpec::DEFAULT);
        assert_eq!(link("queue.kind = 'drop-tail'"), QueueSpec::DEFAULT);
    }
}
