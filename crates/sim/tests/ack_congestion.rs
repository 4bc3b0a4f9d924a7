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

/// Section 2 of smartacking: marks of the data's own way, of a queue that drops only where it is full. 5 Mb/s and 40 ms hold 25 packets.
fn forward(window: u32, ack: &str) -> Outcome {
    let text = format!(
        "stop.at = '20s'
        [[link]]
        between = ['S', 'R']
        rate = '5Mbps'
        delay = '20ms'
        queue = {{ kind = 'codel', packets = 31, target = '100s', interval = '100s', ce_threshold = '24ms' }}
        [[flow]]
        from = 'S'
        to = 'R'
        sender = {{ stack = 'ns2-1998', recovery = 'newreno', window = {window}, packet = 1000 }}
        receiver = {{ stack = 'ns2-1998', ack = {ack} }}"
    );
    Simulation::new(parse_toml(&text, "t").expect("a scenario").into()).run()
}

#[test]
fn marks_on_data_make_acks_fewer_and_leave_the_window() {
    // 20 packets wait, 32 ms: all are marked, and d is half of the window, 22. Five wait: none is.
    for (window, least, most) in [(45, 0.045, 0.055), (30, 0.99, 1.0)] {
        let acc = &forward(window, "{ policy = 'acc-delivered' }").flows[0];
        let share = acc.acks_sent as f64 / acc.segments_sent as f64;
        assert!((least..=most).contains(&share), "window {window}: {share} ACKs a segment");
        assert_eq!((acc.retransmits, acc.timeouts), (0, 0));
        assert_eq!((acc.marks_received > 0, acc.marks_counted), (window == 45, 0), "the sender is told none");
        let every = &forward(window, "{ policy = 'every' }").flows[0];
        assert!(every.acks_sent as f64 > 0.98 * every.segments_sent as f64);
    }
}
