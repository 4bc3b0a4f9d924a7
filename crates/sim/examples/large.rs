//! Many flows over a tree of access links: `large [FLOWS] [LEAVES] [SECONDS] [text]`; its set-up, memory and processor time.
//!
//! A server behind 100 Gb/s, a hundred aggregation links of 10 Gb/s, access links of 10 to 100 Mb/s. Each access link has as many
//! endless downloads. They start over the first second. `text` prints the scenario.

use std::fmt::Write;

use acklab_sim::Simulation;

/// Aggregation links.
const MIDDLE: usize = 100;
/// Events between two looks at the clock.
const SOME: usize = 1 << 16;

fn text(flows: usize, leaves: usize, seconds: f64) -> String {
    let mut text = format!("stop = {{ at = '{seconds}s' }}\n");
    let mut link = |from: &str, to: &str, rate: f64, delay: f64, packets: usize| {
        let queue = format!("{{ kind = 'drop-tail', packets = {packets} }}");
        writeln!(
            text,
            "[[link]]\nbetween = ['{from}', '{to}']\nrate = '{rate}Mbps'\ndelay = '{delay}ms'\nqueue = {queue}"
        )
        .expect("a text takes more");
    };
    link("server", "core", 100_000.0, 5.0, 100_000);
    for middle in 0..MIDDLE.min(leaves) {
        link("core", &format!("m{middle}"), 10_000.0, 2.0, 10_000);
    }
    for leaf in 0..leaves {
        // Evenly over 10 to 100 Mb/s, delays of 1 to 20 ms.
        let share = (leaf as f64 * 0.618_033_988_749_894_9).fract();
        let (rate, delay) = ((10.0 + 90.0 * share).round(), (10.0 * (1.0 + 19.0 * (1.0 - share))).round() / 10.0);
        link(&format!("m{}", leaf % MIDDLE), &format!("a{leaf}"), rate, delay, 200);
    }
    for leaf in 0..leaves {
        // Spread over the first second, the flows of a link too.
        let (start, count) = (leaf as f64 / leaves as f64 / 100.0, flows / leaves);
        let stagger = 0.99 / count as f64;
        let flow = format!("[[flow]]\nname = 'f{leaf}-'\nfrom = 'server'\nto = 'a{leaf}'\ncount = {count}\n");
        write!(text, "{flow}start = '{start:.9}s'\nstagger = '{stagger:.9}s'\nsender = {{ stack = 'linux' }}\n")
            .expect("a text takes more");
    }
    text
}

/// Processor seconds of this process.
fn spent() -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    told.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).map_or(f64::NAN, |it| it / 1e9)
}

/// Memory that this process has in use, in bytes.
fn resident() -> f64 {
    let told = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    told.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).map_or(f64::NAN, |pages| 4096.0 * pages)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: f64| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (flows, leaves, seconds) = (number(0, 10_000.0) as usize, number(1, 100.0) as usize, number(2, 2.0));
    let text = text(flows, leaves, seconds);
    if args.iter().any(|arg| arg == "text") {
        print!("{text}");
        return;
    }
    let (begun, before) = (spent(), resident());
    let scenario = acklab_scenario::parse_toml(&text, "large").expect("a scenario");
    let (parsed, after_text) = (spent(), resident());
    let mut simulation = Simulation::new(scenario.into());
    let (built, holds) = (spent(), resident());
    let per_flow = |bytes: f64| bytes / flows as f64;
    println!(
        "{flows} flows, {leaves} access links: text of {:.1} MB read in {:.2} s, built in {:.2} s",
        text.len() as f64 / 1e6,
        parsed - begun,
        built - parsed
    );
    println!(
        "memory: scenario {:.0} MB, simulation {:.0} B a flow",
        (after_text - before) / 1e6,
        per_flow(holds - after_text)
    );
    // Some events at a time: `run_until` would decide every hop by an event of its own.
    let (mut last, mut next, mut events) = (spent(), seconds / 4.0, 0_u64);
    while !simulation.run_some(SOME).expect("it goes on") {
        events += SOME as u64;
        let now = simulation.now().secs();
        if now >= next {
            println!("to {now:5.2} s: {:6.2} s, {:5.0} B a flow", spent() - last, per_flow(resident() - after_text));
            (last, next) = (spent(), next + seconds / 4.0);
        }
    }
    let (all, peak, ended) = (spent() - built, resident(), spent());
    let outcome = simulation.outcome();
    let acked = outcome.flows.iter().map(|flow| flow.segments_acked).sum::<u64>();
    let (drops, core) = (outcome.links.iter().map(|link| link.drops).sum::<u64>(), &outcome.links[0]);
    println!(
        "tables in {:.2} s; {acked} segments acked, {drops} drops, {:.3} of the core used",
        spent() - ended,
        core.utilisation
    );
    let each = 1e9 * all / acked as f64;
    println!("{all:.2} s for {seconds} s, {events} events, {each:.0} ns a segment, {:.0} MB at the end", peak / 1e6);
}
