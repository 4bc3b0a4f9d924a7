//! ACK congestion control over a slow way back: marks of its RED queue reach the receiver through the sender
//! (ledger smartacking.m.acc).

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::Outcome;

fn run(queue: &str, ack: &str) -> Outcome {
    let text = format!(
        "stop.at = '20s'\n[[link]]\nbetween = ['S', 'R']\nrate = '10Mbps'\ndelay = '20ms'\n\
         back = {{ rate = '50kbps', queue = {queue} }}\n\
         [[flow]]\nfrom = 'S'\nto = 'R'\nsender = {{ window = 60 }}\nreceiver = {{ ack = {ack} }}\n"
    );
    Simulation::new(parse_toml(&text, "t").expect("a scenario").into()).run()
}

const RED: &str = "{ kind = 'red', packets = 60, min = 5.0, max = 15.0, ecn = true }";

#[test]
fn marks_on_acks_make_them_fewer() {
    let acc = run(RED, "{ policy = 'acc' }");
    let every = run(RED, "{ policy = 'every' }");
    let per_segment = |outcome: &Outcome| outcome.flows[0].acks_sent as f64 / outcome.flows[0].segments_sent as f64;
    assert!(per_segment(&every) > 0.95, "{}", per_segment(&every));
    assert!(per_segment(&acc) < 0.5, "{}", per_segment(&acc));
    assert!(acc.links[1].mean_queue_packets < every.links[1].mean_queue_packets);
    assert!(acc.flows[0].goodput_bps > every.flows[0].goodput_bps);
}

#[test]
fn without_marks_every_segment_is_acknowledged() {
    let outcome = run("{ kind = 'drop-tail', packets = 1000 }", "{ policy = 'acc' }");
    let unanswered = outcome.flows[0].segments_sent - outcome.links[0].drops - outcome.flows[0].acks_sent;
    assert!(unanswered <= 60, "{unanswered}: more than a window");
}
