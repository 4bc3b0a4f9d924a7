//! Requests how often to acknowledge over whole paths: TCP's option and QUIC's frame, receivers that do not take them, and
//! middleboxes that remove them.

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::Outcome;

/// 2,000 segments at 50 Mb/s with stages on the way of the data and of the ACKs.
fn run(forth: &str, back: &str, sender: &str, receiver: &str) -> Outcome {
    let text = format!(
        "stop.at = '20s'
        record = {{ packets = true }}
        [[link]]
        between = ['S', 'R']
        rate = '50Mbps'
        delay = '10ms'
        {forth}
        back = {{ {back} }}
        [[flow]]
        from = 'S'
        to = 'R'
        size = {{ segments = 2000 }}
        sender = {{ {sender} }}
        receiver = {{ {receiver} }}"
    );
    Simulation::new(parse_toml(&text, "t").unwrap().into()).run()
}

const EIGHT: &str = "stack = 'rfc', credit = { kind = 'ubc' }, ack_request = { kind = 'on', segments = 8 }";
const TAKES: &str = "stack = 'rfc', ack = { policy = 'requested' }";
const STRIPS: &str = "stages = [{ kind = 'bleach', request = true }]";

fn acks(outcome: &Outcome) -> u64 {
    assert!(outcome.flows[0].completed);
    outcome.flows[0].acks_sent
}

#[test]
fn the_receiver_acknowledges_as_requested() {
    // 250 for 2,000 segments, a few for the handshake and while eight are more than half of the window.
    assert!((250..262).contains(&acks(&run("", "", EIGHT, TAKES))));
    let twice = EIGHT.replace("segments = 8", "segments = 16");
    assert!((125..140).contains(&acks(&run("", "", &twice, TAKES))));
    let slow = EIGHT.replace("segments = 8", "segments = 8, slow_start = 1");
    // No loss ends slow start here.
    assert!(acks(&run("", "", &slow, TAKES)) > 1990);
}

#[test]
fn by_the_window() {
    let quarter = "stack = 'rfc', control = 'fixed', initial_window = 80, ack_request = { kind = 'on', segments = 127, window_share = 0.25 }";
    assert!((100..104).contains(&acks(&run("", "", quarter, TAKES))));
}

#[test]
fn a_receiver_or_a_path_that_does_not_know_the_option_acknowledges_as_before() {
    let plain = acks(&run("", "", "stack = 'rfc', credit = { kind = 'ubc' }", "stack = 'rfc'"));
    assert!((1000..1010).contains(&plain));
    assert_eq!(acks(&run("", "", EIGHT, "stack = 'rfc'")), plain, "a receiver without the option");
    let timer = "stack = 'rfc', ack = { policy = 'requested', most = 2 }";
    assert_eq!(acks(&run("", "", EIGHT, timer)), plain, "one that takes no more than two");
    for (forth, back) in [(STRIPS, ""), ("", STRIPS), (STRIPS, STRIPS)] {
        assert_eq!(acks(&run(forth, back, EIGHT, TAKES)), plain, "forth: {forth}, back: {back}");
    }
}

#[test]
fn a_path_that_begins_to_strip_keeps_what_was_requested() {
    // The SYN, and the first request for five of the ten segments, pass.
    let late = "stages = [{ kind = 'bleach', request = true, after = 2 }]";
    assert!((400..410).contains(&acks(&run(late, "", EIGHT, TAKES))));
}

#[test]
fn a_lost_request_comes_with_the_retransmission() {
    // A window of ten that nothing moves: the only request, for five, is lost with the first segment.
    let fixed = "stack = 'rfc', control = 'fixed', ack_request = { kind = 'on', tail = false }";
    let whole = acks(&run("", "", fixed, TAKES));
    assert!((400..404).contains(&whole), "{whole}");
    let lost = acks(&run("loss = { list = [2], only = 'data' }", "", fixed, TAKES));
    assert!((400..420).contains(&lost), "{lost}");
}

#[test]
fn quic_has_the_same_requests() {
    let sender = EIGHT.replace("'rfc'", "'quic'");
    let quic = acks(&run("", "", &sender, "stack = 'quic'"));
    assert!((250..270).contains(&quic), "{quic}");
    let refused = acks(&run("", STRIPS, &sender, "stack = 'quic'"));
    assert!((1000..1030).contains(&refused), "{refused}");
}
