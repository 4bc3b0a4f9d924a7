//! Static shortest-path routes: fewest links, ties to the link listed first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use acklab_packet::Rate;
use acklab_path::link::Link;
use acklab_path::spec::LinkSpec;

use crate::error::CannotGoOn;
use crate::hop::Hop;
use acklab_scenario::spec::Scenario;

/// A place on a route: before one of its links, or at its end. The place one link further is one more.
pub type Place = u32;

/// Stands behind the last link of a route.
const END: u32 = u32::MAX;

/// Most places on all routes together.
const MOST_PLACES: usize = 64 << 20;

/// All routes in use, each pair of nodes once.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// Route by route, each closed by [`END`].
    links: Vec<u32>,
    known: BTreeMap<(u32, u32), Place>,
    /// That of the last route, which others from the same node go on with: a server may have routes to every other node.
    search: Option<Search>,
}

/// A breadth-first search from a node, as far as it went.
#[derive(Clone, Debug)]
struct Search {
    from: u32,
    /// For each node the link by which it is reached first.
    reached_by: Vec<u32>,
    ahead: VecDeque<u32>,
}

impl Search {
    fn new(from: u32, nodes: usize) -> Search {
        Search { from, reached_by: vec![u32::MAX; nodes], ahead: VecDeque::from([from]) }
    }

    /// Goes on until `to` is reached, or everything is.
    fn up_to(&mut self, to: u32, links: &[LinkSpec], leaving: &Leaving) -> &[u32] {
        while self.reached_by[to as usize] == u32::MAX && to != self.from {
            let Some(node) = self.ahead.pop_front() else { break };
            for &link in leaving.of(node) {
                let next = links[link as usize].to;
                if next != self.from && self.reached_by[next as usize] == u32::MAX {
                    self.reached_by[next as usize] = link;
                    self.ahead.push_back(next);
                }
            }
        }
        &self.reached_by
    }
}

impl Routes {
    /// Whether all routes so far, the last one of flow `name`, are short enough.
    pub fn fit(&self, name: &str) -> Result<(), CannotGoOn> {
        match self.links.len() {
            places if places <= MOST_PLACES => Ok(()),
            places => Err(CannotGoOn::new(format!(
                "the routes up to those of flow `{name}` cross {places} links in all; at most {MOST_PLACES}"
            ))),
        }
    }

    /// The link that follows, `None` at the route's end.
    #[inline]
    pub fn link(&self, place: Place) -> Option<u32> {
        let link = self.links[place as usize];
        (link != END).then_some(link)
    }

    /// Pairs the links of which the second gets packets from the first alone, on the routes with these beginnings.
    pub fn pair(&self, starts: impl Iterator<Item = Place>, hops: &mut [Hop]) {
        // For each link the one before it: none so far, one, or several (or the beginning of a route).
        let mut before = vec![None; hops.len()];
        for start in starts.collect::<BTreeSet<Place>>() {
            let mut last = END;
            for link in (start..).map_while(|place| self.link(place)) {
                let before = &mut before[link as usize];
                *before = Some(if before.is_none_or(|known| known == last) { last } else { END });
                last = link;
            }
        }
        // What the first lets pass, the second must, too; behind a faster first, packets would mostly wait for the second.
        let first_of = |link: u32| {
            let first = before[link as usize].filter(|&first| first != END && first != link)?;
            let (one, two) = (&hops[first as usize].link, &hops[link as usize].link);
            let rate = |link: &Link<_>| link.constant().map_or(0.0, Rate::bps);
            (rate(one) <= rate(two) && one.books() && one.books_below() <= two.books_below()).then_some(first)
        };
        // A second is no first: its packets reach the next link by events of their own. So of a chain every second link is one.
        let mut second: Vec<Option<bool>> = vec![None; hops.len()];
        let mut chain = Vec::new();
        for link in 0..hops.len() as u32 {
            // Up to a link that is decided on, or that has no first; then back.
            let unknown = |&link: &u32| first_of(link).filter(|_| second[link as usize].is_none());
            chain.extend(std::iter::successors(Some(link), unknown));
            let mut last: Option<bool> = None;
            while let Some(link) = chain.pop() {
                last = second[link as usize].or(Some(last.is_some_and(|first_is_second| !first_is_second)));
                second[link as usize] = last;
            }
        }
        let seconds: Vec<u32> =
            (0..).zip(second).filter(|(_, second)| *second == Some(true)).map(|(link, _)| link).collect();
        for link in seconds {
            if let Some(first) = before[link as usize] {
                hops[first as usize].first = true;
                hops[link as usize].second = true;
            }
        }
    }

    /// Where the route between two nodes begins, `None` if there is none; `behind[l]` has the stages at the far end of link
    /// `l`, as a place on routes.
    pub fn find(
        &mut self,
        from: u32,
        to: u32,
        links: &[LinkSpec],
        leaving: &Leaving,
        behind: &[Option<u32>],
    ) -> Option<Place> {
        if let Some(&place) = self.known.get(&(from, to)) {
            return Some(place);
        }
        if self.search.as_ref().is_none_or(|search| search.from != from) {
            self.search = Some(Search::new(from, leaving.nodes()));
        }
        let reached_by = self.search.as_mut()?.up_to(to, links, leaving);
        let start = self.links.len();
        let mut node = to;
        while node != from {
            let link = *reached_by.get(node as usize).filter(|&&link| link != u32::MAX)?;
            self.links.extend(behind[link as usize]);
            // A pipe crossed twice stands twice on the way (ledger veno.m.dummynet).
            self.links.extend(std::iter::repeat_n(link, usize::from(links[link as usize].crossings)));
            node = links[link as usize].from;
        }
        self.links[start..].reverse();
        self.links.push(END);
        let place = u32::try_from(start).ok()?;
        self.known.insert((from, to), place);
        Some(place)
    }
}

/// The link directions that packets from one node of `scenario` to another cross, in order and as indices; one crossed twice
/// stands twice. `None` if there is no way.
pub fn route(scenario: &Scenario, from: u32, to: u32) -> Option<Vec<u32>> {
    let leaving = leaving(scenario.nodes.len(), &scenario.links);
    let mut routes = Routes::default();
    let start = routes.find(from, to, &scenario.links, &leaving, &vec![None; scenario.links.len()])?;
    Some((start..).map_while(|place| routes.link(place)).collect())
}

/// For each node, the links that leave it, in file order.
#[derive(Debug)]
pub struct Leaving {
    /// Node by node.
    links: Vec<u32>,
    /// Where each node's end; they begin where those of the node before it end.
    ends: Vec<usize>,
}

impl Leaving {
    fn nodes(&self) -> usize {
        self.ends.len()
    }

    fn of(&self, node: u32) -> &[u32] {
        let begin = node.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.links[begin..self.ends[node as usize]]
    }
}

/// The links that leave each of so many nodes.
pub fn leaving(nodes: usize, links: &[LinkSpec]) -> Leaving {
    let mut ends = vec![0; nodes];
    for link in links {
        ends[link.from as usize] += 1;
    }
    let mut begin = 0;
    for end in &mut ends {
        // For now where the node's links begin: each that is filed moves it on.
        (*end, begin) = (begin, begin + *end);
    }
    let mut leaving = Leaving { links: vec![0; links.len()], ends };
    for (index, link) in links.iter().enumerate() {
        let place = &mut leaving.ends[link.from as usize];
        leaving.links[*place] = index as u32;
        *place += 1;
    }
    leaving
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In whatever order routes are asked for, they are those of separate searches.
    #[test]
    fn a_search_that_goes_on_finds_the_same_routes() {
        // A ring with chords: ties between routes of as many links.
        let nodes = 24_u32;
        let chords = (0..nodes).map(|node| (node, (node * 7 + 3) % nodes)).filter(|(one, other)| one < other);
        let pairs = (0..nodes).map(|node| (node, (node + 1) % nodes)).chain(chords);
        let links =
            pairs.map(|(one, other)| format!("{{ between = ['{one}', '{other}'], rate = '1Mbps', delay = '1ms' }}"));
        let links = links.collect::<Vec<_>>().join(", ");
        let text = format!("stop = {{ at = '1s' }}\nlink = [{links}]\nflow = [{{ from = '0', to = '1' }}]\n");
        let scenario = acklab_scenario::parse_toml(&text, "ring").expect("a scenario");
        let leaving = leaving(scenario.nodes.len(), &scenario.links);
        let (mut shared, behind) = (Routes::default(), vec![None; scenario.links.len()]);
        for from in 0..nodes {
            for to in (0..nodes).map(|step| (5 * step + from) % nodes) {
                let start = shared.find(from, to, &scenario.links, &leaving, &behind).expect("the ring connects them");
                let found: Vec<u32> = (start..).map_while(|place| shared.link(place)).collect();
                assert_eq!(route(&scenario, from, to), Some(found), "{from} to {to}");
            }
        }
    }
}
