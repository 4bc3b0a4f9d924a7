//! ACK filters in whole transfers: what they erase is counted apart, and what they may destroy costs what it costs.

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::Outcome;

/// A window of six segments over a slow way back, the eleventh segment lost.
fn one_loss(filter: &str, receiver: &str) -> Outcome {
    let text = format!(
        "stop = {{ when = 'flows-complete', at_most = '100s' }}\n\
         [[link]]\nbetween = ['S', 'R']\nrate = '10Mbps'\ndelay = '20ms'\nloss = {{ list = [11] }}\n\
         back = {{ rate = '5kbps', queue = {{ kind = 'drop-tail', packets = 100{filter} }} }}\n\
         [[flow]]\nfrom = 'S'\nto = 'R'\nsize = {{ segments = 40 }}\n\
         sender = {{ stack = 'ns2-2.35', recovery = 'reno', window = 6, min_rto = '1s' }}\nreceiver = {{ stack = 'ns2-2.35'{receiver} }}\n"
    );
    Simulation::new(parse_toml(&text, "t").expect("a scenario").into()).run()
}

#[test]
fn erased_duplicates_cost_a_timeout() {
    let plain = one_loss("", "");
    assert_eq!((plain.flows[0].fast_retransmits, plain.flows[0].timeouts), (1, 0));
    let classic = one_loss(", filter = { kind = 'static', threshold = 1 }", "");
    assert_eq!((classic.flows[0].fast_retransmits, classic.flows[0].timeouts), (0, 1));
    let kept = one_loss(", filter = { kind = 'static', threshold = 1, conservative = true }", "");
    assert_eq!((kept.flows[0].fast_retransmits, kept.flows[0].timeouts), (1, 0));
    let time = |outcome: &Outcome| outcome.flows[0].completion_s.expect("completed");
    let times = [time(&plain), time(&kept), time(&classic)];
    assert!(times[1] <= times[0] && times[2] > times[0] + 0.5, "{times:?}");
}

#[test]
fn filtered_is_not_dropped() {
    let outcome = one_loss(", filter = { kind = 'static', threshold = 1 }", "");
    let (flow, back) = (&outcome.flows[0], &outcome.links[1]);
    assert!(back.filtered > 0);
    assert_eq!((back.drops, flow.acks_dropped), (0, 0));
    assert_eq!(back.filtered, flow.acks_filtered);
    assert_eq!(flow.acks_sent, flow.acks_received + flow.acks_filtered);
}
