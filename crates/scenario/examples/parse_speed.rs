//! How long reading a scenario takes: `cargo run --release -p acklab-scenario --example parse_speed`.

use std::hint::black_box;
use std::time::Instant;

use acklab_scenario::{Format, Overrides, expanded_toml, parse, parse_with};

/// A line such as a batch gives, about 1 kB.
const LINE: &str = r#"{"title": "Allman 1998, one Reno transfer over a T1", "seed": 1, "stop": {"when": "flows-complete", "at_most": "3000s"}, "link": [{"between": ["S", "G"], "rate": "10000000bps", "delay": "0.002s", "queue": {"kind": "drop-tail", "packets": 100000}, "back": {}}, {"between": ["G", "R"], "rate": "1500000bps", "delay": "0.048s", "queue": {"kind": "drop-tail", "packets": 22}, "back": {"rate": "1500000bps", "queue": {"kind": "drop-tail", "packets": 100000}}, "loss": {"list": [15, 19]}}], "flow": [{"name": "f", "from": "S", "to": "R", "start": "0s", "size": {"segments": 200}, "sender": {"stack": "ns2-1998", "recovery": "reno", "control": "reno", "credit": {"kind": "ack-counting"}, "packet": 1000, "window": 40, "rtt_filter": {"phase": "0.0312s"}, "second_fast_retransmit": "unless-timeout"}, "receiver": {"stack": "ns2-1998", "ack": {"policy": "delayed", "timer": "100ms", "segments": 2, "heartbeat": true, "phase": "0.03s"}, "ack_size": 40}}]}"#;

fn main() {
    let short = parse(LINE, "line", Format::Json).expect("a good line");
    let long = expanded_toml(&short);
    let bad = LINE.replace("window", "windw");
    let none = Overrides::default();
    let mut window = Overrides::default();
    window.set("flow.0.sender.window=20").expect("a good assignment");
    for (what, text, format, overrides) in [
        ("JSON line", LINE, Format::Json, &none),
        ("JSON line with one --set", LINE, Format::Json, &window),
        ("JSON line with an error", &bad, Format::Json, &none),
        ("expanded TOML", &long, Format::Toml, &none),
    ] {
        // The best of several rounds: what the machine can do when nothing else disturbs it.
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            let rounds = 2000;
            let start = Instant::now();
            for _ in 0..rounds {
                let _ = black_box(parse_with(black_box(text), "line", format, overrides));
            }
            best = best.min(start.elapsed().as_secs_f64() / f64::from(rounds));
        }
        println!("{what}, {} bytes: {:.0} ns", text.len(), best * 1e9);
    }
}
