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
