//! DCTCP (RFC 8257) over a queue that marks above a threshold: the queue stays there, and the link stays busy.

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::Outcome;

fn run(control: &str) -> Outcome {
    let text = format!(
        "stop.at = '3s'
        [[link]]
        between = ['S', 'R']
        rate = '100Mbps'
        delay = '1ms'
        queue = {{ kind = 'red', packets = 200, min = 10.0, max = 70.0, weight = 1.0, max_p = 1.0, ecn = true }}
        [[flow]]
        from = 'S'
        to = 'R'
        count = 2
        sender = {{ stack = 'rfc', control = '{control}', ecn = true }}
        receiver = {{ stack = 'rfc' }}"
    );
    Simulation::new(parse_toml(&text, "t").unwrap().into()).run()
}

#[test]
fn the_queue_stays_short_and_the_link_busy() {
    let (dctcp, reno) = (run("dctcp"), run("reno"));
    let (queue, busy) = (dctcp.links[0].mean_queue_packets, dctcp.links[0].utilisation);
    assert!(dctcp.links[0].drops == 0 && (10.0..20.0).contains(&queue), "{queue}");
    assert!(busy > 0.99 && busy > reno.links[0].utilisation, "{busy}, reno {}", reno.links[0].utilisation);
    let shares = [0, 1].map(|flow| dctcp.flows[flow].goodput_bps);
    assert!((0.8..1.25).contains(&(shares[0] / shares[1])), "{shares:?}");
}

#[test]
fn it_wants_marks() {
    let text = "stop.at = '1s'\n[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n[[flow]]\nfrom = 'S'\nto = 'R'\n";
    let with = |sender: &str| parse_toml(&format!("{text}sender = {{ control = 'dctcp'{sender} }}"), "t");
    let flows = with("").unwrap().flows;
    assert!(flows[0].sender.ecn && flows[0].receiver.echo_each_mark);
    let error = with(", ecn = false").unwrap_err().to_string();
    assert!(
        error.contains("flow[0].sender.ecn: is false, but control = \"dctcp\" needs marks; must be true"),
        "{error}"
    );
}
