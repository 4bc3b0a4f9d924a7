//! The recorded flight: what an ACK reports above a gap is no longer in flight (RFC 9002 section 2, `bytes_in_flight`; RFC 6675, `pipe`).

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::SeriesRow;

/// A transfer of 5 MB over 50 Mb/s and 50 ms, of which 0.3 % of the packets are lost at random.
fn series(sender: &str, receiver: &str, seed: u64) -> Vec<SeriesRow> {
    let text = format!(
        "seed = {seed}\nstop = {{ when = 'flows-complete', at_most = '100s' }}\n[[link]]\nbetween = ['S', 'R']\nrate = '50Mbps'\n\
         delay = '25ms'\nqueue = {{ kind = 'drop-tail', packets = 250 }}\nloss.rate = 0.003\n[[flow]]\nfrom = 'S'\nto = 'R'\n\
         size.bytes = '5MB'\nsender = {{ {sender}, window = '30MB' }}\nreceiver = {{ {receiver} }}\n[record]\nseries = true\n"
    );
    Simulation::new(parse_toml(&text, "in flight").unwrap().into()).run().series
}

#[test]
fn the_flight_grows_only_within_the_window() {
    let stacks = [
        ("stack = 'quic'", "stack = 'quic', ack = { policy = 'quic' }"),
        ("stack = 'linux'", "stack = 'linux'"),
        ("stack = 'rfc', recovery = 'rfc6675'", "stack = 'rfc'"),
    ];
    for (sender, receiver) in stacks {
        for seed in 1..=2 {
            let rows = series(sender, receiver, seed);
            assert!(
                rows.windows(2).any(|pair| pair[1].cwnd_segments < 0.8 * pair[0].cwnd_segments),
                "{sender}: no reduction"
            );
            for pair in rows.windows(2) {
                let [before, after] = pair else { unreachable!() };
                // A reduced window may be below what is on its way, which then only falls.
                let most = after.cwnd_segments.max(before.flight_segments) + 1.0;
                assert!(after.flight_segments <= most, "{sender}, seed {seed}: {after:?} after {before:?}");
            }
        }
    }
}
