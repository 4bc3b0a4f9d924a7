//! From links between names to link directions between indices, checked.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;

use acklab_packet::Rate;
use acklab_path::server::{VaryingRate, check_rate};
use acklab_path::spec::{LinkSpec, LossSpec, QueueSpec, RateSpec};

use super::error::{Problem, Problems, not_a_name};
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
        let queue =
            rate.as_ref().and_then(|_| found.note(checked_queue(queue, format_args!("{key}{back}.queue"), Some(at))));
        let loss = found.note(part.loss.map(|loss| checked_loss(loss, format_args!("{key}{back}.loss"))).transpose());
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

fn checked_rate(mut rate: RateSpec, key: Key, back: &str) -> Result<(Rate, Option<VaryingRate>), Problem> {
    let checked = match &mut rate {
        RateSpec::Constant(rate) => check_rate("", *rate),
        RateSpec::Varying(varying) => varying.check(),
    };
    checked.map_err(|wrong| Problem::below(format_args!("{key}{back}.rate"), wrong))?;
    Ok(rate.parts())
}

fn checked_crossings(crossings: u16, key: Key, back: &str) -> Result<u16, Problem> {
    match crossings {
        1..=16 => Ok(crossings),
        _ => Err(Problem::at(format_args!("{key}{back}.crossings"), "must be from 1 to 16").given(crossings)),
    }
}

/// A queue that stands at `path`, before a link of `rate` or a medium without one.
pub(super) fn checked_queue(
    mut queue: QueueSpec,
    path: impl Display,
    rate: Option<Rate>,
) -> Result<QueueSpec, Problem> {
    queue.check(rate).map_err(|wrong| Problem::below(path, wrong))?;
    Ok(queue)
}

fn checked_loss(mut loss: LossSpec, path: impl Display) -> Result<LossSpec, Problem> {
    loss.check().map_err(|wrong| Problem::below(path, wrong))?;
    Ok(loss)
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
        assert_eq!(back.queue, QueueSpec::drop_tail(None, Some(7), None, None));
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

    /// 40 ms at 1 Mb/s are 5,000 bytes. A direction counts its own rate, a token bucket its mean, grants what they carry, and a table its
    /// largest rate.
    #[test]
    fn a_buffer_in_time_is_counted_at_the_rate_of_its_direction() {
        let buffers = |link: &str| {
            let text = format!(
                "stop.at = '1s'\n[[link]]\nbetween = ['S', 'R']\ndelay = '1ms'\n{link}\n[[flow]]\nfrom = 'S'\nto = 'R'\n"
            );
            let mut scenario = parse_toml(&text, "t").unwrap();
            let [there, back] = scenario.links.as_mut_slice() else { panic!("{:?}", scenario.links) };
            [there, back].map(|link| link.queue.buffer().map(|buffer| buffer.to_string()).unwrap_or_default())
        };
        let plain = "queue = { kind = 'drop-tail', bytes = '40ms' }";
        assert_eq!(buffers(&format!("rate = '1Mbps'\n{plain}\nback = {{ rate = '500kbps' }}")), ["5000B", "2500B"]);
        for (rate, bytes) in [
            ("{ kind = 'token-bucket', mean = '1Mbps', burst = '9kB', peak = '1Gbps' }", "5000B"),
            ("{ kind = 'docsis', rate = '1Mbps', channel = '100Mbps' }", "5000B"),
            ("{ kind = 'pon', rate = '1Mbps', line = '1.24416Gbps' }", "5000B"),
            ("{ kind = 'table', rows = [['0s', '2Mbps'], ['1s', '0bps']], every = '2s' }", "10000B"),
        ] {
            assert_eq!(buffers(&format!("rate = {rate}\n{plain}")), [bytes, bytes], "{rate}");
        }
        let pie = "queue = { kind = 'docsis-pie', buffer = '40ms' }";
        assert_eq!(buffers(&format!("rate = '1Mbps'\n{pie}")), ["5000B", "5000B"]);
        let waiting = "queue = { kind = 'drop-tail', waiting_bytes = '40ms' }";
        assert_eq!(buffers(&format!("rate = '8kbps'\n{waiting}")), ["40B", "40B"]);
    }
}
