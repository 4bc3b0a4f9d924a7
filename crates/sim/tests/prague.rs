//! Prague over a queue that marks ECT(1) early (RFC 9332), beside CUBIC and beside itself.

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::Outcome;
use acklab_tcp::rules::{Marks, RecoveryKind, RecoveryWindow, Stack, Variants};

fn run(stack: &str, recovery: &str, rest: &str) -> Outcome {
    let text = format!(
        "seed = 3
        stop.at = '20s'
        [[link]]
        between = ['S', 'R']
        rate = '40Mbps'
        delay = '10ms'
        queue = {{ kind = 'dual-pi2' }}
        [[flow]]
        name = 'prague'
        from = 'S'
        to = 'R'
        sender = {{ stack = '{stack}', control = 'prague', recovery = '{recovery}' }}
        receiver = {{ stack = 'linux' }}
        {rest}"
    );
    Simulation::new(parse_toml(&text, "t").unwrap().into()).run()
}

/// The round trip is 20 ms, and the link's own serialisation. Each has its part, and only CUBIC waits for the queue's target.
#[test]
fn beside_cubic_it_has_its_part_and_no_queue() {
    let cubic = "[[flow]]\nname = 'cubic'\nfrom = 'S'\nto = 'R'\nsender.stack = 'linux'\nreceiver.stack = 'linux'";
    let outcome = run("linux", "rack", cubic);
    let [prague, cubic] = [&outcome.flows[0], &outcome.flows[1]];
    assert!(outcome.links[0].utilisation > 0.97, "{}", outcome.links[0].utilisation);
    let ratio = cubic.goodput_bps / prague.goodput_bps;
    assert!((0.4..2.5).contains(&ratio), "{ratio}");
    let [short, waits] = [prague, cubic].map(|flow| flow.mean_rtt_s.unwrap() * 1e3);
    assert!(prague.retransmits == 0 && short < 23.0 && waits > 28.0, "{short} {waits}");
}

/// Alone, over each recovery that reports losses: the link is busy, and the queue short.
#[test]
fn every_recovery_that_reports_losses_carries_it() {
    for (stack, recovery) in [("rfc", "rfc6675"), ("rfc", "fack"), ("rfc", "rack"), ("linux", "rack")] {
        let outcome = run(stack, recovery, "");
        let (flow, link) = (&outcome.flows[0], &outcome.links[0]);
        assert!(link.utilisation > 0.9 && flow.retransmits == 0, "{recovery}: {}", link.utilisation);
        assert!(flow.mean_rtt_s.unwrap() < 0.0225, "{recovery}: {:?}", flow.mean_rtt_s);
    }
    let refused = "[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n[[flow]]\nfrom = 'S'\nto = 'R'\n\
        sender = { control = 'prague', recovery = 'newreno' }";
    let why = parse_toml(refused, "t").unwrap_err().to_string();
    assert!(why.contains("flow[0].sender.control: is \"prague\", which needs a recovery that reports losses"), "{why}");
}

/// Round trips of 5 and 20 ms share the link about evenly, because both count as 25 ms.
#[test]
fn a_short_round_trip_leaves_the_longer_one_its_part() {
    let text = |control: &str| {
        let link =
            |a, b, delay: &str| format!("[[link]]\nbetween = ['{a}', '{b}']\nrate = '1Gbps'\ndelay = '{delay}'\n");
        let flow = |from| {
            format!(
                "[[flow]]\nname = '{from}'\nfrom = '{from}'\nto = 'R'\n\
                sender = {{ stack = 'linux', control = '{control}', ect1 = true }}\nreceiver.stack = 'linux'\n"
            )
        };
        let middle = "[[link]]\nbetween = ['M', 'R']\nrate = '40Mbps'\ndelay = '1ms'\nqueue = { kind = 'dual-pi2' }\n";
        let ends = [link("S", "M", "1.5ms"), link("L", "M", "9ms"), flow("S"), flow("L")].concat();
        format!("seed = 1\nstop.at = '30s'\n{middle}{ends}")
    };
    let ratio = |control: &str| {
        let outcome = Simulation::new(parse_toml(&text(control), "t").unwrap().into()).run();
        outcome.flows[0].goodput_bps / outcome.flows[1].goodput_bps
    };
    let (prague, dctcp) = (ratio("prague"), ratio("dctcp"));
    assert!((0.5..2.0).contains(&prague) && dctcp > 1.5 * prague, "Prague {prague}, DCTCP {dctcp}");
}

/// On Linux its windows fall without proportional rate reduction, for losses and for marks, unless a flow says otherwise. DCTCP keeps what
/// the stack has.
#[test]
fn linux_keeps_it_from_proportional_rate_reduction() {
    let recovery = |stack: &str, rest: &str| {
        let path = "[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n[[flow]]\nfrom = 'S'\nto = 'R'\n";
        let text = format!("stop.at = '1s'\n{path}sender = {{ stack = '{stack}', {rest} }}");
        parse_toml(&text, "t").unwrap().flows[0].sender.recovery
    };
    let linux = Stack::Linux.sender().recovery;
    let with = |window: RecoveryWindow, marks: Marks| linux.with("window", window).with("marks", marks);
    let kept = with(RecoveryWindow::AtOnce, Marks::AtOnce);
    for (stack, rest, expected) in [
        ("linux", "control = 'prague'", kept),
        ("linux-6.1", "control = 'prague', recovery = 'rack'", kept),
        ("linux", "control = 'prague', recovery.marks = 'prr'", with(RecoveryWindow::AtOnce, Marks::Prr)),
        ("linux", "control = 'prague', recovery.window = 'prr'", with(RecoveryWindow::Prr, Marks::AtOnce)),
        ("linux", "control = 'dctcp'", linux),
    ] {
        assert_eq!(recovery(stack, rest), expected, "{stack}: {rest}");
    }
    assert!(matches!(linux, RecoveryKind::Rack { window: RecoveryWindow::PrrLinux, marks: Marks::Prr, .. }));
}
