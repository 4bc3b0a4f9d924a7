//! Whole runs over 802.11 (ledger divack.m.dcf): sameness, branches, accounts, routes over the access point.

use std::sync::Arc;

use acklab_packet::Time;
use acklab_scenario::{expanded_toml, parse_toml};
use acklab_sim::Simulation;
use acklab_sim::outcome::{Outcome, PacketEvent};

/// A server behind the access point sends to `stations`; one sends to another.
fn text(stations: usize, mac: &str, seed: u64) -> String {
    let names: Vec<String> = (0..stations).map(|index| format!("'M{index}'")).collect();
    let flows: String = (0..stations)
        .map(|index| format!("[[flow]]\nfrom = 'W'\nto = 'M{index}'\nreceiver.ack.policy = 'every'\n"))
        .collect();
    format!(
        "seed = {seed}\nstop.at = '3s'\nrecord.packets = true\n[[link]]\nbetween = ['W', 'A']\nrate = '20Mbps'\n\
         delay = '5ms'\n[[wlan]]\nname = 'air'\nap = 'A'\nstations = [{}]\nmac = {mac}\n\
         {flows}[[flow]]\nname = 'across'\nfrom = 'M0'\nto = 'M1'\nsize = {{ segments = 300 }}\n",
        names.join(", ")
    )
}

fn run(text: &str) -> Outcome {
    Simulation::new(Arc::new(parse_toml(text, "t").unwrap())).run()
}

const MACS: [&str; 4] =
    ["{}", "{ rts_threshold = '0B' }", "{ phy = '802.11n' }", "{ frame_loss = 0.3, short_retries = 3 }"];

#[test]
fn the_same_again_and_a_branch_goes_on_as_the_original() {
    for mac in MACS {
        let text = text(3, mac, 7);
        let whole = run(&text);
        assert_eq!(whole, run(&text));
        let mut first = Simulation::new(Arc::new(parse_toml(&text, "t").unwrap()));
        first.run_until(Time::from_secs(1.0)).expect("it goes on");
        let mut branch = first.clone();
        assert_eq!(branch.run(), whole, "{mac}");
        assert_eq!(first.run(), whole, "{mac}");
        assert_ne!(whole.flows, run(&text.replace("seed = 7", "seed = 8")).flows, "{mac}");
    }
}

#[test]
fn every_packet_offered_to_the_air_is_accounted_for() {
    for mac in MACS {
        let outcome = run(&text(3, mac, 1));
        for (index, row) in outcome.links.iter().enumerate().skip(2) {
            let count = |event| {
                let of =
                    |packet: &&acklab_sim::outcome::PacketRow| packet.link == index as u32 && packet.event == event;
                outcome.packets.iter().filter(of).count() as u64
            };
            let (offered, arrived) = (count(PacketEvent::Enqueue), count(PacketEvent::Deliver));
            let inside = offered - arrived - count(PacketEvent::Drop) - count(PacketEvent::Lose);
            assert!(inside <= 51 + 64, "{mac}: {inside} inside");
            assert_eq!((count(PacketEvent::Drop), count(PacketEvent::Lose)), (row.drops, row.retry_drops), "{mac}");
            assert_eq!(row.packets, arrived + row.retry_drops);
            assert!(row.collisions <= row.attempts && row.retries <= row.attempts && row.attempts > 0, "{mac}");
            assert!(row.utilisation > 0.0 && row.utilisation < 1.0 && row.lost == 0, "{mac}");
        }
        // One frame is on the air at a time, or some that collide: not much more than all the time is used.
        let shares: f64 = outcome.links[2..].iter().map(|row| row.utilisation).sum();
        assert!(shares > 0.3 && shares < 1.1, "{mac}: {shares}");
        let across = outcome.flows.iter().find(|row| row.name == "across").unwrap();
        assert!(across.segments_acked > 0, "{mac}: over the access point");
    }
}

#[test]
fn written_out_it_is_the_same_experiment() {
    for mac in MACS {
        let scenario = parse_toml(&text(2, mac, 1), "t").unwrap();
        let long = expanded_toml(&scenario);
        assert!(long.contains("[[wlan]]") && long.contains("cw_max"), "{long}");
        assert_eq!(parse_toml(&long, "long").unwrap(), scenario);
    }
}

#[test]
fn another_station_that_keeps_silent_moves_nobodys_luck() {
    let two = text(2, "{}", 3);
    let three = two.replace("['M0', 'M1']", "['Z', 'M0', 'M1']");
    assert_eq!(run(&two).flows, run(&three).flows);
    assert_ne!(run(&two).flows, run(&two.replace("'air'", "'wind'")).flows);
}

#[test]
fn an_access_point_has_one_queue_for_all_its_stations() {
    let text = text(4, "{}", 1).replace("mac =", "ap_queue = { kind = 'drop-tail', waiting = 7 }\nmac =");
    let outcome = run(&text);
    let down: Vec<_> = outcome.links[2..].iter().filter(|row| row.from == "A").collect();
    assert!(down.iter().all(|row| row.max_queue_packets == 7 && row.mean_queue_packets == down[0].mean_queue_packets));
    assert!(down.iter().map(|row| row.drops).sum::<u64>() > 0);
}
