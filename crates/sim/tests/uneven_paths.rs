//! Whole transfers over paths that reorder, delay unevenly, duplicate and pause: everything arrives, and the counters tell what
//! the packets did.

mod world;

use acklab_scenario::spec::Scenario;
use acklab_scenario::{expanded_toml, parse_toml};
use acklab_sim::outcome::{Outcome, PacketEvent, PacketRow};
use proptest::prelude::*;
use proptest::sample::select;
use world::{for_all, run};

fn scenario(forward: &str, back: &str, flow: &str) -> Scenario {
    let text = format!(
        "stop = {{ when = 'flows-complete', at_most = '20000s' }}\nrecord.packets = true\n\
         [[link]]\nbetween = ['S', 'R']\nrate = '5Mbps'\ndelay = '20ms'\n{forward}\nback = {{ {back} }}\n\
         [[flow]]\nfrom = 'S'\nto = 'R'\n{flow}\n"
    );
    parse_toml(&text, "t").unwrap_or_else(|error| panic!("{error}"))
}

fn events(outcome: &Outcome, link: u32, event: PacketEvent) -> impl Iterator<Item = &PacketRow> {
    outcome.packets.iter().filter(move |row| row.link == link && row.event == event)
}

const LONG: &str = "size = { segments = 3000 }\nsender = { stack = 'linux', fin = false }";

#[test]
fn what_is_held_back_arrives_late_by_what_the_scenario_says() {
    let plain = run(&scenario("", "", LONG));
    let held = run(&scenario("stages = [{ kind = 'reorder', list = [3, 1000], by = '15ms' }]", "", LONG));
    assert_eq!((plain.links[0].reordered, held.links[0].reordered), (0, 2));
    // Both lists are the same up to the first held back: the path's third segment, which nothing the sender does precedes.
    let third = |outcome: &Outcome| {
        let sent = events(outcome, 0, PacketEvent::Enqueue).nth(3).expect("a segment").packet.body;
        events(outcome, 0, PacketEvent::Deliver).find(|row| row.packet.body == sent).expect("delivered").time_s
    };
    assert!((third(&held) - third(&plain) - 0.015).abs() < 1e-9);
}

#[test]
fn reordering_makes_a_sender_without_defences_retransmit_for_nothing() {
    let stage = "stages = [{ kind = 'reorder', rate = 0.02, by = '15ms', only = 'payload' }]";
    let flow = |rules: &str| format!("size = {{ segments = 3000 }}\nsender = {{ fin = false, {rules} }}");
    let row = |rules: &str| run(&scenario(stage, "", &flow(rules))).flows[0].clone();
    let newreno = row("recovery = 'newreno', window = 60");
    let rack = row("recovery = { kind = 'rack', undo = 'both' }, window = 60");
    assert!(newreno.retransmits > 20 && newreno.timeouts == 0, "{newreno:?}");
    assert!(newreno.undone == 0 && rack.undone > 0 && rack.undone <= rack.window_cuts, "{rack:?}");
    // RACK learns how far packets overtake each other, and takes back what it did before.
    assert!(rack.retransmits < newreno.retransmits / 3, "{rack:?}");
    assert!(rack.completion_s < newreno.completion_s);
}

#[test]
fn a_pause_longer_than_the_timer_makes_it_fire_for_nothing() {
    let paused = run(&scenario("stages = [{ kind = 'pause', at = ['2s'], length = '900ms' }]", "", LONG));
    let flow = &paused.flows[0];
    assert!(flow.timeouts > 0 && flow.retransmits > 0 && paused.links[0].lost + paused.links[0].drops == 0, "{flow:?}");
    let gap = |outcome: &Outcome| {
        let times: Vec<f64> = events(outcome, 0, PacketEvent::Deliver).map(|row| row.time_s).collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
    };
    assert!((0.85..0.91).contains(&gap(&paused)), "{}", gap(&paused));
    // F-RTO finds it out. A flow that loses what its window is reduced for takes nothing back.
    assert_eq!((flow.timeouts, flow.undone), (1, 1), "{flow:?}");
    let lossy = run(&scenario("loss = { rate = 0.02 }", "", LONG));
    assert!(lossy.flows[0].window_cuts > 0 && lossy.flows[0].undone == 0, "{:?}", lossy.flows[0]);
}

#[test]
fn duplicates_cost_acks_and_nothing_else() {
    let flow =
        "size = { segments = 2000 }\nsender = { stack = 'rfc', window = 40 }\nreceiver.ack = { policy = 'every' }";
    let [plain, double] = ["", "stages = [{ kind = 'duplicate', rate = 1.0, only = 'payload' }]"]
        .map(|forward| run(&scenario(forward, "", flow)));
    assert_eq!(double.links[0].duplicated, 2000);
    assert_eq!(double.flows[0].acks_sent, plain.flows[0].acks_sent + 2000);
    // A copy's ACK is a duplicate ACK, but never three in a row.
    assert_eq!((double.flows[0].retransmits, double.flows[0].timeouts), (0, 0));
}

/// Stages of one direction, in the file's words.
fn stages() -> impl Strategy<Value = String> {
    let all = [
        "{ kind = 'reorder', rate = 0.05, by = '25ms' }",
        "{ kind = 'reorder', rate = 0.2, by = '900ms', overtaken = 4 }",
        "{ kind = 'jitter', mean = '10ms', distribution = 'pareto', most = '500ms' }",
        "{ kind = 'jitter', mean = '15ms', order = 'free' }",
        "{ kind = 'duplicate', rate = 0.1 }",
        "{ kind = 'duplicate', rate = 0.1, after = '300ms' }",
        "{ kind = 'pause', at = ['400ms', '3s'], length = '1200ms' }",
        "{ kind = 'thin', every = 3, hold = '15ms' }",
    ];
    // A host that merges segments is the last of them.
    let last = select(vec![
        "",
        ", { kind = 'gro', coalesce = '3ms' }",
        ", { kind = 'gro', coalesce = '0s', flush_timeout = '5ms' }",
    ]);
    (proptest::collection::vec(select(all.to_vec()), 1..4), last)
        .prop_map(|(stages, last)| format!("{}{last}", stages.join(", ")))
}

fn conversation() -> impl Strategy<Value = (String, String)> {
    let stack = select(vec!["ns2-1998", "ns2-2.35", "rfc", "linux"]);
    let recovery = select(vec!["tahoe", "reno", "newreno", "sack", "rfc6675", "fack", "rack"]);
    let policy = select(vec![
        "policy = 'every'",
        "policy = 'delayed'",
        "policy = 'delayed', segments = 4, heartbeat = true",
        "policy = 'daass', phase = 'oracle'",
        "policy = 'divide', pieces = 3",
        "policy = 'smart', rtt = 'fixed'",
        "policy = 'periodic', beta = 4.0, rtt = 'fixed'",
        "policy = 'linux'",
        "policy = 'quic'",
    ]);
    let loss = select(vec!["", "loss = { rate = 0.02 }", "loss = { rate = 0.05, where = 'after-queue' }"]);
    (stack, recovery, policy, [stages(), stages()], [loss.clone(), loss], 0..1000_u32).prop_map(
        |(stack, recovery, policy, [there, back], [lost, lost_back], seed)| {
            let comma = if lost_back.is_empty() { "" } else { ", " };
            let text = format!(
                "seed = {seed}\nrecord.packets = true\nstop = {{ when = 'flows-complete', at_most = '20000s' }}\n\
                 [[link]]\nbetween = ['S', 'R']\nrate = '5Mbps'\ndelay = '20ms'\n{lost}\nstages = [{there}]\n\
                 back = {{ stages = [{back}]{comma}{lost_back} }}\n\
                 [[flow]]\nfrom = 'S'\nto = 'R'\nsize = {{ segments = 120 }}\nsender = {{ stack = '{stack}', recovery = '{recovery}' }}\n\
                 receiver.ack = {{ {policy} }}\n"
            );
            (format!("{stack} {recovery} {policy}"), text)
        },
    )
}

#[test]
fn everything_arrives_whatever_the_path_does_with_every_recovery_and_policy() {
    for_all(300, conversation(), |(what, text)| {
        let scenario = parse_toml(&text, "t").unwrap_or_else(|error| panic!("{what}: {error}"));
        prop_assert_eq!(&parse_toml(&expanded_toml(&scenario), "t").expect("a scenario"), &scenario);
        let outcome = run(&scenario);
        let flow = &outcome.flows[0];
        let packet = u64::from(scenario.flows[0].sender.packet);
        prop_assert!(flow.completed, "{what}: {flow:?}");
        prop_assert!(
            flow.bytes.is_multiple_of(120) && (packet - 60..=packet).contains(&(flow.bytes / 120)),
            "{what}: {flow:?}"
        );
        for (link, row) in (0..).zip(&outcome.links) {
            let count = |event| events(&outcome, link, event).count() as u64;
            let after = scenario.links[link as usize]
                .loss
                .as_ref()
                .is_some_and(|loss| loss.r#where == acklab_path::spec::LossPlace::AfterQueue);
            // The run ends with packets on the wire, or held; one that came before the end is told of only behind the stages.
            let sent = count(PacketEvent::Dequeue) - if after { row.lost } else { 0 };
            prop_assert_eq!(count(PacketEvent::Filter), row.thinned);
            prop_assert!(count(PacketEvent::Deliver) + row.thinned <= sent + row.duplicated);
            prop_assert!(row.reordered + row.duplicated <= count(PacketEvent::Deliver));
        }
        Ok(())
    });
}
