//! What a pcapng file says about itself, beside its packets.

use std::fmt::Write;

use acklab_scenario::spec::Scenario;
use acklab_sim::Outcome;

use crate::conversation::{Conversation, address, ports};
use crate::{EPOCH_S, LinkEnd};

/// Most flows listed by name.
const LISTED: usize = 100;

/// The rules a reader of the file needs, in short; the crate's documentation has them at length.
const RULES: &str = "\
Payloads are zeros. Numbers begin at 0 with the SYN; without one (ns2-1998), data begin at 1 all the same. A stack that \
counts segments moves `packet` bytes with each. IPv4 lengths are those of headers, options and payload as they stand \
here; the simulator's own packet sizes, which set the times, follow the stack's rules and may differ (see the \
interface statistics for both sums). Timestamps tick in milliseconds, alike on every host.";

/// Texts and names of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Notes {
    /// The experiment, and how to read the file.
    pub section: String,
    /// The link end's name.
    pub name: String,
    /// The link end in words.
    pub description: String,
    /// The conversations.
    pub comment: String,
    /// The node's address.
    pub address: [u8; 4],
    /// The rate at which the node sends.
    pub speed_bps: u64,
    /// Addresses of nodes, and their names.
    pub hosts: Vec<([u8; 4], String)>,
}

impl Notes {
    /// What to say of a capture at `end`; `talks` are the scenario's flow tables.
    pub fn new(scenario: &Scenario, outcome: &Outcome, end: LinkEnd, talks: &[Conversation]) -> Notes {
        let (out, back) = (&outcome.links[end.outgoing()], &outcome.links[end.incoming()]);
        let node = scenario.links.get(end.outgoing()).map_or(0, |link| link.from);
        let named = |name: &String| !name.is_empty() && !name.contains('\0');
        let hosts = scenario.nodes.iter().zip(0..).filter(|(name, _)| named(name));
        let (rate, delay) = (out.rate_bps, out.delay_s);
        Notes {
            section: format!(
                "Simulated by acklab: {:?}, seed {}. The instant t s of the simulation stands as {EPOCH_S} + t s. \
                 {RULES}",
                scenario.title, scenario.seed,
            ),
            name: end.name(outcome),
            description: format!(
                "node {}: its end of the link with {} (sends at {rate} bit/s, {delay} s away; receives at {} bit/s)",
                out.from, out.to, back.rate_bps,
            ),
            comment: conversations(scenario, talks),
            address: address(node),
            speed_bps: rate.clamp(0.0, u64::MAX as f64) as u64,
            hosts: hosts.map(|(name, node)| (address(node), name.clone())).collect(),
        }
    }
}

/// One line a flow: who talks to whom, and by which rules.
fn conversations(scenario: &Scenario, talks: &[Conversation]) -> String {
    let flows = total_flows(scenario);
    let mut text = String::from("Flows, with the ports of their first connection:");
    let members =
        scenario.flows.iter().zip(talks).flat_map(|(flow, talk)| (0..flow.count).map(move |k| (flow, talk, k)));
    for (index, (flow, talk, member)) in members.enumerate() {
        if index == LISTED {
            let _ = write!(text, "\nand {} more", flows - LISTED as u64);
            break;
        }
        let number = if flow.count > 1 { member.to_string() } else { String::new() };
        let (from, to) = ports(index as u32, 0, flows);
        let dotted = |[a, b, c, d]: [u8; 4]| format!("{a}.{b}.{c}.{d}");
        let _ = write!(
            text,
            "\n{}{number}: {} {}:{from} > {} {}:{to}, {} bytes a unit, {}",
            flow.name,
            scenario.nodes[flow.from as usize],
            dotted(talk.sender),
            scenario.nodes[flow.to as usize],
            dotted(talk.receiver),
            talk.unit,
            if talk.syn { "SYN" } else { "no SYN" },
        );
    }
    text
}

/// Flows, each member counted.
pub fn total_flows(scenario: &Scenario) -> u64 {
    scenario.flows.iter().map(|flow| u64::from(flow.count)).sum()
}
