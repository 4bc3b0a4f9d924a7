//! Stages in whole transfers: every byte arrives, every ACK is accounted for, clones and expansions are the same, and each
//! stage buys what it is for.

mod world;

use acklab_path::stage::StageSpec;
use acklab_scenario::spec::Scenario;
use acklab_scenario::{expanded_toml, parse_toml};
use acklab_sim::Simulation;
use acklab_sim::outcome::{Outcome, PacketEvent};
use proptest::prelude::*;
use world::{World, for_all, run, stages, text, world};

fn scenario(forward: &str, back: &str, flow: &str) -> Scenario {
    let text = format!(
        "stop = {{ when = 'flows-complete', at_most = '1000s' }}\nrecord.packets = true\n\
         [[link]]\nbetween = ['S', 'G']\nrate = '100Mbps'\ndelay = '1ms'\n\
         [[link]]\nbetween = ['G', 'R']\nrate = '10Mbps'\ndelay = '20ms'\n{forward}\nback = {{ {back} }}\n\
         [[flow]]\nfrom = 'S'\nto = 'R'\n{flow}\n"
    );
    parse_toml(&text, "t").unwrap_or_else(|error| panic!("{error}"))
}

const EVERY: &str = "receiver.ack = { policy = 'every' }\nsize = { segments = 2000 }\nsender = { window = 100 }";

#[test]
fn compressed_acks_take_the_bytes_of_compressed_acks() {
    let slow = "rate = '20kbps'";
    let plain = run(&scenario("", slow, EVERY));
    let stage = "rate = '20kbps', stages = [{ kind = 'header-compression', size = '5B' }]";
    let compressed = run(&scenario("", stage, EVERY));
    // The SYN ACK and the first ACK go whole; there is no duplicate.
    let back = &compressed.links[3];
    assert_eq!((back.packets, back.bytes), (2001, 40 + 40 + 1999 * 5));
    // 20 kb/s carry 62 whole ACKs a second, and 500 of 5 bytes.
    let times = [&plain, &compressed].map(|outcome| outcome.flows[0].completion_s.expect("completed"));
    assert!(times[0] > 30.0 && times[1] < times[0] / 6.0, "{times:?}");
    // Beyond the wire they are whole again.
    assert_eq!(compressed.links[1].bytes, 2001 * 40);
    let flow = &compressed.flows[0];
    assert_eq!((flow.acks_sent, flow.acks_received, flow.acks_created), (2001, 2001, 0));
}

#[test]
fn a_loss_on_the_wire_costs_what_follows_until_a_whole_header() {
    let back = |repair: &str| {
        format!(
            "rate = '1Mbps', loss = {{ list = [500], where = 'after-queue' }}, \
             stages = [{{ kind = 'header-compression', repair = '{repair}' }}]"
        )
    };
    let [none, request] = ["none", "request"].map(|repair| run(&scenario("", &back(repair), EVERY)));
    // Without repair the whole window's ACKs are lost, and the sender times out.
    assert_eq!((none.flows[0].timeouts, none.links[3].lost > 50), (1, true), "{:?}", none.links[3]);
    assert_eq!(request.flows[0].timeouts, 0);
    assert!((10..60).contains(&request.links[3].lost), "{}", request.links[3].lost);
    for outcome in [none, request] {
        assert_eq!(outcome.flows[0].acks_sent, outcome.flows[0].acks_received + outcome.links[3].lost);
    }
}

/// A stretch ACK for each 32 segments, in slow start from one segment.
const STRETCH: &str = "receiver.ack = { policy = 'delayed', segments = 16, timer = '40ms' }\nsize = { segments = 400 }\n\
                       sender = { credit = { kind = 'ack-counting' } }";

#[test]
fn reconstruction_lets_a_window_grow_as_with_every_ack() {
    let with = |stages: &str, flow: &str| run(&scenario("", &format!("stages = [{stages}]"), flow));
    let [stretch, again] = ["", "{ kind = 'ack-reconstruction', step = 1 }"].map(|stages| with(stages, STRETCH));
    let every = with("", &STRETCH.replace("'delayed', segments = 16, timer = '40ms'", "'every'"));
    let time = |outcome: &Outcome| outcome.flows[0].completion_s.expect("completed");
    let times = [time(&every), time(&again), time(&stretch)];
    assert!(times[0] < times[1] && times[1] < times[2], "{times:?}");
    let flow = &again.flows[0];
    assert!(flow.acks_created > 100);
    assert_eq!(flow.acks_sent + flow.acks_created, flow.acks_received);
}

const BYTES: &str =
    "size = { bytes = '500kB' }\nsender = { sequence = 'bytes', credit = { kind = 'ack-counting' }, min_rto = '1s' }";

#[test]
fn a_proxy_opens_the_window_faster() {
    let [plain, split] = ["", "{ kind = 'rbscp', pieces = 4 }"]
        .map(|stages| run(&scenario("", &format!("delay = '250ms', stages = [{stages}]"), BYTES)));
    let time = |outcome: &Outcome| outcome.flows[0].completion_s.expect("completed");
    assert!(time(&split) < 0.8 * time(&plain), "{} {}", time(&split), time(&plain));
    let flow = &split.flows[0];
    assert_eq!(flow.acks_sent + flow.acks_created, flow.acks_received);
}

/// A download over a link whose uplink carries 156 ACKs a second; the box stands before that uplink.
#[test]
fn a_thinned_uplink_carries_the_download() {
    let with = |stages: &str| {
        let text = format!(
            "stop = {{ when = 'flows-complete', at_most = '100s' }}\nrecord.packets = true\n\
             [[link]]\nbetween = ['S', 'G']\nrate = '10Mbps'\ndelay = '10ms'\nqueue = {{ kind = 'drop-tail', packets = 200 }}\n\
             back = {{ rate = '50kbps' }}\n\
             [[link]]\nbetween = ['G', 'R']\nrate = '100Mbps'\ndelay = '1ms'\nback = {{ stages = [{stages}] }}\n\
             [[flow]]\nfrom = 'S'\nto = 'R'\nsize = {{ segments = 5000 }}\nsender = {{ window = 100 }}\n\
             receiver.ack = {{ policy = 'delayed' }}\n"
        );
        run(&parse_toml(&text, "t").unwrap_or_else(|error| panic!("{error}")))
    };
    let [plain, thinned] = ["", "{ kind = 'thin', every = 8, hold = '20ms' }"].map(with);
    let [slow, fast] = [&plain, &thinned].map(|outcome| outcome.flows[0].completion_s.expect("completed"));
    // 2500 ACKs take 16 s there; 5000 segments take 6 s on the way down.
    assert!((16.0..16.1).contains(&slow) && (6.0..6.5).contains(&fast), "{slow} {fast}");
    let (flow, lan) = (&thinned.flows[0], &thinned.links[3]);
    assert_eq!((lan.from.as_str(), lan.filtered, lan.thinned), ("R", 0, flow.acks_filtered));
    let removed = thinned.packets.iter().filter(|row| row.link == 3 && row.event == PacketEvent::Filter).count();
    assert_eq!(removed as u64, lan.thinned);
    // One of eight, and what `hold` lets go.
    let kept = flow.acks_received as f64 / flow.acks_sent as f64;
    assert!((0.125..0.135).contains(&kept), "{kept}");
    assert_eq!(flow.acks_sent, flow.acks_received + flow.acks_filtered);
    assert_eq!(thinned.links[1].packets, flow.acks_received);
}

#[test]
fn a_base_station_splits_after_a_timeout_only() {
    // A whole window, and the first that the timer sends again.
    let lost: Vec<String> = (60..104).map(|number| number.to_string()).collect();
    let forward = format!("loss = {{ list = [{}] }}", lost.join(", "));
    let [plain, split] = ["", "{ kind = 'spack', pieces = 8, timer = '1s' }"]
        .map(|stages| run(&scenario(&forward, &format!("stages = [{stages}]"), BYTES)));
    assert!(plain.flows[0].timeouts > 0);
    let created = split.flows[0].acks_created;
    assert!(created > 0 && created <= 7 * split.flows[0].timeouts, "{created}");
    let clean = run(&scenario("", "stages = [{ kind = 'spack' }]", BYTES));
    assert_eq!((clean.flows[0].timeouts, clean.flows[0].acks_created), (0, 0));
}

/// A random network with stages on each direction of its links.
fn staged() -> impl Strategy<Value = World> {
    (world(), proptest::collection::vec(stages(), 16)).prop_map(|(World(mut scenario), stages)| {
        for (link, stages) in scenario.links.iter_mut().zip(stages.into_iter().cycle()) {
            link.stages = stages;
        }
        World(scenario)
    })
}

/// Whether this event ends at the packet's destination.
fn arrives(scenario: &Scenario, outcome: &Outcome, row: &acklab_sim::outcome::PacketRow) -> bool {
    let flow = &outcome.flows[row.transfer as usize];
    let end = if row.packet.is_data() { &flow.to } else { &flow.from };
    row.event == PacketEvent::Deliver && scenario.nodes[scenario.links[row.link as usize].to as usize] == *end
}

#[test]
fn acks_sent_and_created_are_received_removed_or_on_their_way() {
    for_all(150, staged(), |World(scenario)| {
        let outcome = run(&scenario);
        for (transfer, flow) in outcome.flows.iter().enumerate() {
            let removed = flow.acks_dropped + flow.acks_filtered;
            prop_assert!(flow.acks_sent + flow.acks_created >= flow.acks_received + removed, "{:?}", flow);
            let delivered =
                outcome.packets.iter().filter(|row| row.transfer as usize == transfer && row.packet.is_ack());
            let delivered = delivered.filter(|row| arrives(&scenario, &outcome, row)).count() as u64;
            prop_assert!(flow.acks_received <= delivered);
            if flow.completed {
                prop_assert!(flow.bytes > 0);
            }
        }
        for (index, row) in outcome.links.iter().enumerate() {
            let events = |event| {
                let mine = outcome.packets.iter().filter(move |row| row.link as usize == index && row.event == event);
                mine.map(|row| u64::from(row.packet.size))
            };
            prop_assert_eq!(row.packets, events(PacketEvent::Dequeue).count() as u64);
            prop_assert_eq!(row.lost, events(PacketEvent::Lose).count() as u64);
            prop_assert_eq!(row.filtered + row.thinned, events(PacketEvent::Filter).count() as u64);
            let whole: u64 = events(PacketEvent::Dequeue).sum();
            let compressed =
                scenario.links[index].stages.iter().any(|stage| matches!(stage, StageSpec::HeaderCompression(_)));
            prop_assert!(row.bytes == whole || compressed && row.bytes < whole);
        }
        Ok(())
    });
}

#[test]
fn a_clone_goes_on_to_the_same_bytes_and_the_expansion_reads_back() {
    for_all(60, (staged(), 0.0..1.0), |(World(scenario), share)| {
        let whole = run(&scenario);
        let mut warm = Simulation::new(scenario.clone().into());
        warm.run_until(acklab_packet::Time::from_secs(share * whole.end_s)).expect("it goes on");
        let mut branch = warm.clone();
        prop_assert_eq!(text(&warm.run()), text(&whole));
        prop_assert_eq!(text(&branch.run()), text(&whole));
        Ok(())
    });
    let listed =
        scenario("stages = [{ kind = 'rbscp', pieces = 3 }]", "stages = [{ kind = 'header-compression' }]", EVERY);
    assert_eq!(parse_toml(&expanded_toml(&listed), "t").expect("a scenario"), listed);
}
