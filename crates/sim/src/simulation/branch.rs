//! Branches: one warm-up for many experiments.

use std::fmt;
use std::sync::Arc;

use super::Simulation;
use super::build::reads_shared_phase;
use crate::flow;
use acklab_scenario::spec::{FlowSpec, Scenario, Size};

/// Why a simulation cannot go on under another scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotABranch(String);

impl fmt::Display for NotABranch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotABranch {}

impl Simulation {
    /// A clone that goes on under another scenario, to the same bytes as that scenario run from its beginning.
    ///
    /// The two may differ in the sender's and receiver's rules and the fixed size of flows that have not sent anything yet,
    /// and in title.
    ///
    /// ```
    /// # use acklab_packet::Time;
    /// # let text = |policy: &str| format!(r#"
    /// #   link = [{{ between = ["S", "R"], rate = "1Mbps", delay = "10ms" }}]
    /// #   flow = [{{ from = "S", to = "R", size = {{ segments = 500 }} }},
    /// #           {{ from = "S", to = "R", size = {{ segments = 50 }}, start = "1s",
    /// #              receiver = {{ ack = {{ policy = "{policy}" }} }} }}]
    /// # "#);
    /// # let parse = |policy| acklab_scenario::parse_toml(&text(policy), "example.toml").map(std::sync::Arc::new);
    /// let (delayed, every) = (parse("delayed")?, parse("every")?); // they differ in the second flow's ACK policy
    /// let mut warm = acklab_sim::Simulation::new(delayed);
    /// warm.run_until(Time::from_secs(1.0))?;
    /// let mut branch = warm.branch(every.clone()).unwrap();
    /// assert_eq!(branch.run(), acklab_sim::Simulation::new(every).run());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// They differ in something that has already played a part, or in what is not a flow's rules.
    pub fn branch(&self, scenario: Arc<Scenario>) -> Result<Simulation, NotABranch> {
        let Scenario { title, flows, .. } = &*self.scenario;
        let rest = Scenario { title: title.clone(), flows: flows.clone(), ..(*scenario).clone() };
        if rest != *self.scenario {
            return Err(NotABranch("the scenarios differ in more than flows".to_owned()));
        }
        if flows.len() != scenario.flows.len() {
            return Err(NotABranch("the scenarios have different numbers of flow tables".to_owned()));
        }
        let mut changed = Vec::with_capacity(flows.len());
        for (old, new) in flows.iter().zip(&scenario.flows) {
            let (sender, receiver, custom) = (old.sender.clone(), old.receiver.clone(), old.custom.clone());
            let size = if fixed(old.size) && fixed(new.size) { old.size } else { new.size };
            let rules = FlowSpec { sender, receiver, custom, size, ..new.clone() };
            if rules != *old {
                let what = format!(
                    "flow {} differs in more than its sender's and receiver's rules and a fixed size",
                    old.name
                );
                return Err(NotABranch(what));
            }
            if old != new && new.size.drawn().is_some() {
                return Err(NotABranch(format!("flow {} has drawn its size already", new.name)));
            }
            changed.push(old != new);
        }
        let shares = |flows: &[FlowSpec]| flows.iter().any(reads_shared_phase);
        if shares(flows) != shares(&scenario.flows) {
            return Err(NotABranch("a phase that all flows share is shared from the beginning".to_owned()));
        }
        let mut branch = self.clone();
        for flow in &mut branch.flows {
            let table = &scenario.flows[flow.spec as usize];
            if !changed[flow.spec as usize] {
                continue;
            }
            if flow.connection > 0 || flow.sender.counters().segments_sent > 0 {
                return Err(NotABranch(format!("flow {} has begun; its rules cannot change", table.name)));
            }
            let member = flow.member;
            flow.adopt(table, |what| flow::stream(scenario.seed, table, member, what));
        }
        branch.scenario = scenario;
        Ok(branch)
    }
}

/// Whether a size is known before the flow begins, and ends it.
fn fixed(size: Size) -> bool {
    matches!(size, Size::Segments(_) | Size::Bytes(_))
}
