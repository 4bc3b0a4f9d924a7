//! Flows that follow others: a page's files after its text.

use acklab_packet::Time;
use acklab_scenario::spec::Scenario;

use super::Simulation;
use crate::event::Event;
use crate::flow::Flow;

/// Which flows follow which. A *round* is one transfer of a flow that follows none, and all transfers that follow it.
#[derive(Clone, Debug)]
pub(super) struct Trees {
    /// Of each flow those that follow it, in the scenario's order.
    followers: Vec<Vec<u32>>,
    /// Of each flow the one that begins its round.
    first: Vec<u32>,
    /// Of each flow that begins a round, how many of its transfers have not ended.
    open: Vec<u32>,
}

impl Trees {
    /// None where no flow follows another.
    pub fn new(scenario: &Scenario, flows: &[Flow]) -> Option<Box<Trees>> {
        scenario.flows.iter().find(|spec| spec.after.is_some())?;
        let counts = scenario.flows.iter().map(|spec| spec.count);
        let starts: Vec<u32> = counts.scan(0, |next, count| Some(std::mem::replace(next, *next + count))).collect();
        let mut trees =
            Trees { followers: vec![Vec::new(); flows.len()], first: Vec::new(), open: vec![1; flows.len()] };
        for (id, flow) in (0..).zip(flows) {
            let leader = scenario.flows[flow.spec as usize]
                .after
                .map(|table| starts[table as usize] + flow.member % scenario.flows[table as usize].count);
            // A leader is listed above, so it has been here before.
            trees.first.push(leader.map_or(id, |leader| trees.first[leader as usize]));
            if let Some(leader) = leader {
                trees.followers[leader as usize].push(id);
            }
        }
        Some(Box::new(trees))
    }
}

impl Simulation {
    /// A transfer has ended, and those that follow it are due. If it was the last of its round: the flow that began this.
    pub(super) fn follow(&mut self, id: u32) -> Option<u32> {
        let Some(mut trees) = self.trees.take() else { return Some(id) };
        let connection = self.flows[id as usize].connection;
        for &follower in &trees.followers[id as usize] {
            let flow = &self.flows[follower as usize];
            let spec = &self.scenario.flows[flow.spec as usize];
            let after = spec.start.secs() + f64::from(flow.member) * spec.stagger.secs();
            let start = self.net.now() + Time::from_secs(after);
            if flow.connection < connection {
                self.reopen(follower, start);
            }
            self.flows[follower as usize].start = start;
            self.net.schedule(start, Event::Start(follower));
        }
        let first = trees.first[id as usize];
        let open = &mut trees.open[first as usize];
        *open += trees.followers[id as usize].len() as u32;
        *open -= 1;
        let complete = *open == 0;
        if complete {
            *open = 1;
        }
        self.trees = Some(trees);
        complete.then_some(first)
    }
}
