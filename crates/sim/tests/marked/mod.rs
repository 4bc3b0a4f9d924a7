//! A path whose packets are marked, and the counts of one flow over it: what tests of accurate ECN and of QUIC's counts share.

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::Outcome;

/// A stage that marks a tenth of the data.
pub const TENTH: &str = "{ kind = 'mark', rate = 0.1, only = 'data' }";
/// A stage that lets one of 16 ACKs pass, whatever it says.
pub const THIN: &str = "{ kind = 'thin', every = 16, hold = '20ms', blind = true }";

/// A flow at 20 Mb/s and 20 ms of round trip: `forth` lists the stages of the data's way, `link` has more keys of the link.
pub fn run(seconds: u32, forth: &str, link: &str, sender: &str, receiver: &str) -> Outcome {
    let text = format!(
        "stop.at = '{seconds}s'
        [[link]]
        between = ['S', 'R']
        rate = '20Mbps'
        delay = '10ms'
        stages = [{forth}]
        {link}
        [[flow]]
        from = 'S'
        to = 'R'
        sender = {{ {sender} }}
        receiver = {{ {receiver} }}"
    );
    Simulation::new(parse_toml(&text, "t").unwrap().into()).run()
}

/// Counted marks, and marks that came.
pub fn marks(outcome: &Outcome) -> (u64, u64) {
    (outcome.flows[0].marks_counted, outcome.flows[0].marks_received)
}
