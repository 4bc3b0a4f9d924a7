//! Packets of no bytes, which a sender without a header sends as the ACK of a SYN's answer: they wait, are lost and are recorded
//! as others.

use std::sync::Arc;

use acklab_scenario::parse_toml;
use acklab_scenario::spec::{Record, Scenario};
use acklab_sim::outcome::PacketEvent;
use acklab_sim::{Outcome, Simulation};

/// Eight flows over one link with these further keys; what is recorded is left out.
fn scenario(link: &str) -> Scenario {
    let text = format!(
        "stop = {{ at = '5s' }}
         link = [{{ between = ['S', 'R'], rate = '10Mbps', delay = '10ms', {link} }}]
         flow = [{{ from = 'S', to = 'R', count = 8, stagger = '100ms', sender = {{ stack = 'linux', header = 0 }} }}]"
    );
    parse_toml(&text, "no-bytes.toml").expect("a scenario")
}

fn run(scenario: &Scenario, record: Record) -> Outcome {
    Simulation::new(Arc::new(Scenario { record, ..scenario.clone() })).run()
}

/// On links of every kind, recording changes nothing.
#[test]
fn recording_changes_nothing() {
    let links = [
        "",
        "queue = { kind = 'drop-tail', bytes = '20kB' }",
        "queue = { kind = 'red' }",
        "queue = { kind = 'codel' }",
        "queue = { kind = 'fq-codel' }",
        "queue = { kind = 'cake' }",
        "loss = { rate = 0.01 }",
        "stages = [{ kind = 'duplicate', rate = 0.01 }]",
        "stages = [{ kind = 'header-compression' }]",
        "back = { rate = '1Mbps' }",
    ];
    for link in links {
        let scenario = scenario(link);
        let plain = run(&scenario, Record::default());
        for record in [
            Record { queue: true, ..Record::default() },
            Record { packets: true, ..Record::default() },
            Record { series: true, ..Record::default() },
        ] {
            let recorded = run(&scenario, record);
            assert_eq!((&plain.flows, &plain.links), (&recorded.flows, &recorded.links), "{link}");
        }
    }
}

/// The ACK of the SYN's answer is the second packet of a connection: it is enqueued, taken and delivered.
#[test]
fn they_are_on_the_link_and_can_be_lost() {
    let of_none = |link: &str, event: PacketEvent| {
        let outcome = run(&scenario(link), Record { packets: true, ..Record::default() });
        let rows = outcome.packets.iter().filter(|row| row.link == 0 && row.packet.size == 0 && row.event == event);
        rows.count()
    };
    for event in [PacketEvent::Enqueue, PacketEvent::Dequeue, PacketEvent::Deliver] {
        assert_eq!(of_none("", event), 8, "{event:?}");
    }
    assert_eq!(of_none("loss = { list = [1] }", PacketEvent::Lose), 1);
    assert_eq!(run(&scenario("loss = { list = [1] }"), Record::default()).links[0].lost, 1);
}

/// A terminal that asks for bytes asks for one: time does not stand still, and the packet does not wait for others.
#[test]
fn they_get_a_grant() {
    for rate in [
        "kind = 'docsis', rate = '10Mbps'",
        "kind = 'lte', rate = '10Mbps'",
        "kind = 'nr', rate = '10Mbps'",
        "kind = 'pon', rate = '10Mbps'",
    ] {
        let text = format!(
            "stop = {{ at = '5s' }}
             link = [{{ between = ['S', 'R'], rate = {{ {rate} }}, delay = '10ms' }}]
             flow = [{{ from = 'S', to = 'R', size.segments = 1, sender = {{ stack = 'linux', header = 0 }} }}]"
        );
        let scenario = parse_toml(&text, "granted.toml").expect("a scenario");
        let outcome = run(&scenario, Record { packets: true, ..Record::default() });
        let delivered = outcome.packets.iter().filter(|row| row.packet.size == 0 && row.event == PacketEvent::Deliver);
        assert!(delivered.count() > 0 && outcome.flows[0].completed, "{rate}");
    }
}
