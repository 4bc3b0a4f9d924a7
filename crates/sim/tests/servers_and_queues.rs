//! Rates that vary, and queues that drop on departure, in whole runs.

use std::sync::Arc;

use acklab_scenario::parse_toml;
use acklab_sim::outcome::LinkRow;
use acklab_sim::{Outcome, Simulation};

/// A transfer from S to R over a 10 Mb/s link and one with these keys.
fn run(link: &str, rest: &str) -> Outcome {
    let text = format!(
        "seed = 3\nstop.at = '20s'\n[[link]]\nbetween = ['S', 'G']\nrate = '10Mbps'\ndelay = '2ms'\n\
         [[link]]\nbetween = ['G', 'R']\ndelay = '20ms'\n{link}\n\
         [[flow]]\nfrom = 'S'\nto = 'R'\nsize = 'unlimited'\n{rest}\n"
    );
    Simulation::new(Arc::new(parse_toml(&text, "t").expect("a scenario"))).run()
}

const ONE: &str = "rate = { kind = 'table', rows = [['0s', '1.5Mbps']] }\nback = { rate = '1.5Mbps' }\n";

/// A table of one row is that rate: with the same events, at the same times, to the last bit.
#[test]
fn a_table_of_one_rate_is_that_rate() {
    for queue in ["queue = { kind = 'drop-tail', packets = 22 }", "queue = { kind = 'red', packets = 40 }"] {
        let [table, constant] = [ONE, "rate = '1.5Mbps'\n"].map(|rate| run(&format!("{rate}{queue}"), ""));
        assert_eq!(table.flows, constant.flows);
        for (one, two) in table.links.iter().zip(&constant.links) {
            assert!((one.utilisation - two.utilisation).abs() < 1e-9);
            let equal = LinkRow { utilisation: two.utilisation, ..one.clone() };
            assert_eq!(equal, *two);
        }
        assert!(constant.links[2].drops > 0 && constant.links[2].packets > 2000, "{:?}", constant.links[2]);
    }
}

/// CUBIC and DCTCP share a link behind two queues: each has its part, no packet of DCTCP's is dropped, and its round trip is the link's
/// 20 ms, its own serialisation and little more, while CUBIC waits for about the target of 15 ms.
#[test]
fn two_queues_share_a_link_and_one_is_short() {
    let text = "seed = 3\nstop.at = '20s'\n[[link]]\nbetween = ['S', 'R']\nrate = '40Mbps'\ndelay = '10ms'\nqueue = { kind = 'dual-pi2' }\n\
        [[flow]]\nname = 'cubic'\nfrom = 'S'\nto = 'R'\nsender = { stack = 'linux' }\nreceiver = { stack = 'linux' }\n\
        [[flow]]\nname = 'scalable'\nfrom = 'S'\nto = 'R'\nsender = { stack = 'linux', control = 'dctcp', ect1 = true }\n\
        receiver = { stack = 'linux' }\n";
    let run = Simulation::new(Arc::new(parse_toml(text, "t").expect("a scenario"))).run();
    let [cubic, scalable] = [&run.flows[0], &run.flows[1]];
    assert!(run.links[0].utilisation > 0.98, "{}", run.links[0].utilisation);
    assert!(
        (0.4..2.5).contains(&(cubic.goodput_bps / scalable.goodput_bps)),
        "{} {}",
        cubic.goodput_bps,
        scalable.goodput_bps
    );
    assert!(cubic.retransmits > 0 && scalable.retransmits == 0);
    let [waits, short] = [cubic, scalable].map(|flow| flow.mean_rtt_s.expect("round trips") * 1e3);
    assert!(short < 23.0 && (30.0..40.0).contains(&waits), "{short} {waits}");
    let wrong = text.replace("control = 'dctcp', ect1 = true", "ect1 = true");
    let error = parse_toml(&wrong, "t").expect_err("no marks").to_string();
    assert!(error.contains("flow[1].sender.ect1: is true, but ecn = false"), "{error}");
}

/// Half the time nothing is served, so half as much arrives; the server is busy throughout, because packets wait for the pause
/// to end.
#[test]
fn a_link_that_pauses_carries_what_the_table_allows() {
    let rows = "rate = { kind = 'table', rows = [['0s', '1.5Mbps'], ['50ms', '0bps']], every = '100ms' }\n";
    let outcome =
        run(&format!("{rows}back = {{ rate = '1.5Mbps' }}\nqueue = {{ kind = 'drop-tail', packets = 50 }}"), "");
    let link = &outcome.links[2];
    let mbps = 8e-6 * link.bytes as f64 / 20.0;
    assert!((0.70..=0.75).contains(&mbps) && link.utilisation > 0.95, "{mbps} Mb/s, {link:?}");
    assert_eq!((link.rate_bps, outcome.links[3].rate_bps), (1.5e6, 1.5e6));
}

/// A window of 100 segments would fill a buffer of 100 packets, about half a second. CoDel keeps a standing queue away.
#[test]
fn codel_keeps_the_queue_short_and_the_link_busy() {
    let queue =
        |kind: &str| run(&format!("rate = '1.5Mbps'\nqueue = {{ {kind} }}"), "sender = { window = 200, ecn = true }\n");
    let [tail, codel, marking] = [
        "kind = 'drop-tail', packets = 100",
        "kind = 'codel', packets = 100",
        "kind = 'codel', packets = 100, ecn = true",
    ]
    .map(queue);
    let of =
        |outcome: &Outcome| (outcome.links[2].mean_queue_packets, outcome.links[2].utilisation, outcome.links[2].drops);
    let (long, short, marked) = (of(&tail), of(&codel), of(&marking));
    assert!(long.0 > 30.0 && short.0 < 3.0 && marked.0 < 3.0, "{long:?} {short:?} {marked:?}");
    assert!(short.1 > 0.85 && marked.1 > 0.85 && short.2 > 5, "{short:?} {marked:?}");
    assert_eq!((marked.2, marking.flows[0].retransmits), (0, 0), "packets are marked instead");
}

/// The shaper of 1 Mb/s is below the link's 10 Mb/s: packets wait in CAKE, and each takes its overhead.
#[test]
fn cake_shapes_below_the_rate_of_its_link() {
    let kind = "kind = 'cake', bandwidth = '1Mbps', overhead = 100, mpu = '64B'";
    let outcome = run(&format!("rate = '10Mbps'\nqueue = {{ {kind} }}"), "sender = { window = 200, ecn = true }\n");
    let (link, flow) = (&outcome.links[2], &outcome.flows[0]);
    let mbps = 8e-6 * link.bytes as f64 / 20.0;
    // 1500 of every 1600 bytes are packets.
    assert!((0.90..=0.9376).contains(&mbps), "{mbps} Mb/s");
    assert!(link.mean_queue_packets < 8.0 && link.utilisation < 0.1 && flow.retransmits == 0, "{link:?} {flow:?}");
}

/// A host with one flow beside a host with four gets more than a fifth of the link if hosts share it: as much as its Reno takes.
#[test]
fn cake_shares_between_hosts_and_prefers_voice() {
    let share = |isolation: &str| {
        let text = format!(
            "stop.at = '20s'\n[[link]]\nbetween = ['A', 'G']\nrate = '10Mbps'\ndelay = '2ms'\n\
             [[link]]\nbetween = ['B', 'G']\nrate = '10Mbps'\ndelay = '2ms'\n\
             [[link]]\nbetween = ['G', 'R']\nrate = '2Mbps'\ndelay = '20ms'\n\
             queue = {{ kind = 'cake', isolation = '{isolation}' }}\n\
             [[flow]]\nfrom = 'A'\nto = 'R'\ncount = 4\n[[flow]]\nfrom = 'B'\nto = 'R'\n\
             [[flow]]\nname = 'voice'\nfrom = 'A'\nto = 'R'\ndscp = 46\nreceiver.ack = 'every'\n\
             source = {{ kind = 'telnet', mean = '50ms', write = '200B' }}\n"
        );
        let outcome = Simulation::new(Arc::new(parse_toml(&text, "t").expect("a scenario"))).run();
        let rates: Vec<f64> = outcome.flows.iter().map(|flow| flow.goodput_bps).collect();
        let delay = outcome.flows[5].mean_rtt_s.expect("samples");
        (rates[..4].iter().sum::<f64>() / rates[4], delay)
    };
    let (hosts, flows) = (share("dual-srchost"), share("flows"));
    assert!(hosts.0 < 3.0 && flows.0 > 3.5, "{hosts:?} {flows:?}");
    assert!(hosts.1 < 0.06, "voice takes 44 ms and a packet's service: {hosts:?}");
}

/// An opportunity every two milliseconds is 6 Mb/s.
#[test]
fn a_trace_and_a_bucket_carry_their_rates() {
    let rates = [
        "{ kind = 'mahimahi', milliseconds = [2, 4, 6] }",
        "{ kind = 'token-bucket', mean = '6Mbps', burst = '3kB', peak = '1Gbps' }",
    ];
    for rate in rates {
        let outcome = run(
            &format!("rate = {rate}\nback = {{ rate = '10Mbps' }}\nqueue = {{ kind = 'drop-tail', packets = 60 }}"),
            "",
        );
        let mbps = 8e-6 * outcome.links[2].bytes as f64 / 20.0;
        assert!((5.7..=6.001).contains(&mbps), "{rate}: {mbps} Mb/s");
    }
}
