//! Static shortest-path routes: fewest links, ties to the link listed first.

use std::collections::{HashMap, VecDeque};

use acklab_path::spec::LinkSpec;

/// A run of link indices inside [`Routes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    start: u32,
    len: u16,
}

/// All routes in use, each pair of nodes once.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    links: Vec<u32>,
    known: HashMap<(u32, u32), Route>,
}

impl Routes {
    /// The link at `hop` of a route, `None` past its end.
    #[inline]
    pub fn link(&self, route: Route, hop: u16) -> Option<u32> {
        (hop < route.len).then(|| self.links[route.start as usize + usize::from(hop)])
    }

    /// The route between two nodes, `None` if there is none; `leaving[n]` lists the links that leave node `n`.
    pub fn find(&mut self, from: u32, to: u32, links: &[LinkSpec], leaving: &[Vec<u32>]) -> Option<Route> {
        if let Some(&route) = self.known.get(&(from, to)) {
            return Some(route);
        }
        let mut reached_by = vec![u32::MAX; leaving.len()];
        let mut ahead = VecDeque::from([from]);
        while let Some(node) = ahead.pop_front() {
            if node == to {
                break;
            }
            for &link in &leaving[node as usize] {
                let next = links[link as usize].to;
                if next != from && reached_by[next as usize] == u32::MAX {
                    reached_by[next as usize] = link;
                    ahead.push_back(next);
                }
            }
        }
        let start = self.links.len();
        let mut node = to;
        while node != from {
            let link = *reached_by.get(node as usize).filter(|&&link| link != u32::MAX)?;
            // A pipe crossed twice stands twice on the way (ledger veno.m.dummynet).
            self.links.extend(std::iter::repeat_n(link, usize::from(links[link as usize].crossings)));
            node = links[link as usize].from;
        }
        self.links[start..].reverse();
        let route = Route { start: u32::try_from(start).ok()?, len: u16::try_from(self.links.len() - start).ok()? };
        self.known.insert((from, to), route);
        Some(route)
    }
}

/// For each node, the links that leave it, in file order.
pub fn leaving(nodes: usize, links: &[LinkSpec]) -> Vec<Vec<u32>> {
    let mut leaving = vec![Vec::new(); nodes];
    for (index, link) in links.iter().enumerate() {
        leaving[link.from as usize].push(index as u32);
    }
    leaving
}
