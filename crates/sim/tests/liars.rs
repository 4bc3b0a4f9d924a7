//! Receivers that lie beside honest ones, and the senders' defences: the table of `docs/howto/division.md` on a small scale.

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;

/// Share of what arrives in 8 s that arrives at the first of two flows, whose receiver has `lie` too.
fn share(queue: &str, sender: &str, receiver: &str, lie: &str) -> f64 {
    let links = "SA TA BQ BR".split(' ').map(|ends| {
        let (from, to) = ends.split_at(1);
        format!("[[link]]\nbetween = ['{from}', '{to}']\nrate = '1Gbps'\ndelay = '0.5ms'\n")
    });
    let flows = [("S", "Q", "0s", lie), ("T", "R", "50ms", "")].map(|(from, to, start, lie)| {
        format!(
            "[[flow]]\nfrom = '{from}'\nto = '{to}'\nstart = '{start}'\nsize = 'unlimited'\nsender = {{ {sender} }}
            receiver = {{ {receiver} {lie} }}\n"
        )
    });
    let text = format!(
        "stop.at = '8s'\n[[link]]\nbetween = ['A', 'B']\nrate = '20Mbps'\ndelay = '9ms'\nqueue = {{ {queue} }}\n{}{}",
        links.collect::<String>(),
        flows.concat()
    );
    let outcome = Simulation::new(parse_toml(&text, "t").unwrap().into()).run();
    let came = |to: &str| outcome.links.iter().find(|link| link.to == to).unwrap().bytes as f64;
    came("Q") / (came("Q") + came("R"))
}

const BUFFER: &str = "kind = 'drop-tail', packets = 66";

#[test]
fn hidden_marks() {
    let dual = "kind = 'dual-pi2'";
    for (sender, receiver) in
        [("stack = 'rfc', accurate_ecn = true", "stack = 'rfc'"), ("stack = 'quic', pacing = 'off'", "stack = 'quic'")]
    {
        let sender = format!("{sender}, ecn = true, control = 'prague'");
        let tests = format!("{sender}, test_marks = 100");
        let lying = share(dual, &sender, receiver, ", marks_told = 0.0");
        let found = share(dual, &tests, receiver, ", marks_told = 0.0");
        let honest = share(dual, &tests, receiver, "");
        assert!(lying > 0.8 && found < 0.65 && (0.4..0.6).contains(&honest), "{sender}: {lying} {found} {honest}");
    }
}

/// A DSACK of each segment that came only once: every reduction is taken back.
#[test]
fn false_dsacks() {
    let sender = |undo| format!("stack = 'rfc', recovery = {{ kind = 'rfc6675', undo = '{undo}' }}");
    let gain = |undo| share(BUFFER, &sender(undo), "stack = 'rfc', dsack = true", ", false_dsacks = true");
    let honest = share(BUFFER, &sender("dsack"), "stack = 'rfc', dsack = true", "");
    let (believed, not) = (gain("dsack"), gain("timestamps"));
    assert!(believed > honest + 0.1 && (not - honest).abs() < 0.1, "{believed} {not} {honest}");
}

/// RFC 9000 section 21.4.
#[test]
fn optimistic_ranges() {
    let quic = "stack = 'quic'";
    let ahead = ", ack = { policy = 'quic', ahead = 20 }";
    let (lying, found) = (share(BUFFER, quic, quic, ahead), share(BUFFER, "stack = 'quic', skip = 50", quic, ahead));
    assert!(lying > 0.95 && found < 0.3, "{lying} {found}");
    // The numbers that are left out are nothing to an honest receiver.
    let (honest, skipping) = (share(BUFFER, quic, quic, ""), share(BUFFER, "stack = 'quic', skip = 50", quic, ""));
    assert!((honest - skipping).abs() < 0.2, "{honest} {skipping}");
}
