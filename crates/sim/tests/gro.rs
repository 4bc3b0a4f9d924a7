//! Receivers whose host merges segments (GRO): how many ACKs they send, and what stays as it was.

mod world;

use acklab_scenario::parse_toml;
use acklab_scenario::spec::Scenario;
use acklab_sim::outcome::{FlowRow, Outcome, PacketEvent};
use world::run;

/// 1 Gb/s, on which a full segment takes 12 us, and a window that never stands still.
fn scenario(stage: &str, policy: &str, more: &str) -> Scenario {
    let text = format!(
        "stop = {{ when = 'flows-complete', at_most = '100s' }}\nrecord.packets = true\n\
         [[link]]\nbetween = ['S', 'R']\nrate = '1Gbps'\ndelay = '1ms'\nstages = [{stage}]\n{more}\n\
         [[flow]]\nfrom = 'S'\nto = 'R'\nsize = {{ segments = 10000 }}\n\
         sender = {{ stack = 'linux', sequence = 'bytes', fin = false }}\nreceiver.ack = {{ {policy} }}\n"
    );
    parse_toml(&text, "t").unwrap_or_else(|error| panic!("{error}"))
}

fn flow(stage: &str, policy: &str) -> FlowRow {
    run(&scenario(stage, policy, "")).flows[0].clone()
}

/// Segments for each ACK, once the path is full: the numbers of the data that came between two ACKs in the second half.
fn per_ack(outcome: &Outcome) -> f64 {
    let acks: Vec<u64> = (outcome.packets.iter())
        .filter(|row| row.link == 1 && row.event == PacketEvent::Enqueue)
        .filter_map(|row| if let acklab_packet::Body::Ack(ack) = row.packet.body { Some(ack.ack) } else { None })
        .collect();
    let half = acks.partition_point(|ack| *ack < 5000 * 1460);
    (acks[acks.len() - 1] - acks[half]) as f64 / 1460.0 / (acks.len() - 1 - half) as f64
}

#[test]
fn a_run_of_two_segments_or_more_has_one_ack() {
    let gro = |us: u32| format!("{{ kind = 'gro', coalesce = '{us}us', timestamps = '0s' }}");
    for policy in ["policy = 'delayed', timer = '40ms'", "policy = 'linux'"] {
        let ratio = |stage: &str| per_ack(&run(&scenario(stage, policy, "")));
        // Without: every second. Within 50 us of the first come four more: five. Within 200 us, sixteen more.
        for (stage, expected) in [("", 2.0), (&gro(50), 5.0), (&gro(200), 17.0)] {
            let found = ratio(stage);
            assert!((found - expected).abs() < 0.05 * expected, "{policy} {stage}: {found}, not {expected}");
        }
    }
    // `every` acknowledges each arrival, and a run is one.
    let every = per_ack(&run(&scenario(&gro(50), "policy = 'every'", "")));
    assert!((every - 5.0).abs() < 0.25, "{every}");
}

#[test]
fn quic_packets_are_handed_over_together_and_stay_apart() {
    let quic = |stage: &str| flow(stage, "policy = 'quic'");
    let (plain, held) = (quic(""), quic("{ kind = 'gro' }"));
    assert!(
        plain.acks_sent > 5000 && held.acks_sent > 5000,
        "every second packet: {} {}",
        plain.acks_sent,
        held.acks_sent
    );
}

#[test]
fn a_router_that_merges_divides_again() {
    let text = |stages: &str| {
        format!(
            "stop = {{ when = 'flows-complete', at_most = '100s' }}\n\
             [[link]]\nbetween = ['S', 'G']\nrate = '1Gbps'\ndelay = '1ms'\nstages = [{stages}]\n\
             [[link]]\nbetween = ['G', 'R']\nrate = '1Gbps'\ndelay = '1ms'\n\
             [[flow]]\nfrom = 'S'\nto = 'R'\nsize = {{ segments = 1000 }}\n\
             sender = {{ fin = false }}\nreceiver.ack = {{ policy = 'every' }}\n"
        )
    };
    let outcome = run(&parse_toml(&text("{ kind = 'gro' }"), "t").expect("a scenario"));
    assert_eq!(outcome.flows[0].acks_sent, 1000 + 1, "one for each segment, and the SYN's");
}

#[test]
fn everything_is_counted_as_on_the_wire() {
    let outcome = run(&scenario("{ kind = 'gro' }", "policy = 'linux'", "loss = { list = [200, 201, 900, 3000] }"));
    let flow = &outcome.flows[0];
    assert!(flow.completed && flow.retransmits >= 4, "{flow:?}");
    let delivered = outcome.packets.iter().filter(|row| row.link == 0 && row.event == PacketEvent::Deliver);
    assert_eq!(delivered.count() as u64, outcome.links[0].packets);
    assert!(flow.acks_sent - flow.acks_received <= 1, "the last ACK may be on its way: {flow:?}");
}
