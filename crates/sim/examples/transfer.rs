//! How long does a stack take to send so many bytes over a path? `transfer STACK BYTES RATE DELAY QUEUE`, such as
//! `transfer linux 1MB 20Mbps 20ms 100`.

use acklab_sim::Simulation;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let of = |place: usize, otherwise: &str| given.get(place).cloned().unwrap_or(otherwise.into());
    let text = format!(
        r#"
        stop = {{ when = "flows-complete", at_most = "1000s" }}
        [[link]]
        between = ["S", "R"]
        rate = "{}"
        delay = "{}"
        queue = {{ kind = "drop-tail", packets = {} }}
        [[flow]]
        from = "S"
        to = "R"
        size = {{ bytes = "{}" }}
        sender.stack = "{}"
        receiver.stack = "{}"
        "#,
        of(2, "20Mbps"),
        of(3, "20ms"),
        of(4, "100"),
        of(1, "1MB"),
        of(0, "rfc"),
        of(0, "rfc"),
    );
    let scenario = acklab_scenario::parse_toml(&text, "arguments").unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(2);
    });
    let outcome = Simulation::new(scenario.into()).run();
    let flow = &outcome.flows[0];
    println!("{:?} s, {} retransmissions, {} ACKs", flow.completion_s, flow.retransmits, flow.acks_sent);
}
