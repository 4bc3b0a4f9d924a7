//! Controls against numbers from outside: response functions of periodic losses, the rate of a link.
//!
//! One flow over a path without a queue, with every n-th packet lost: then the mean window is a formula of n, and the rate
//! is that window each round trip.

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;

/// Mean segments per round trip of a flow that loses every `period`-th segment, over 20 losses after the first `settled`.
fn mean_window(control: &str, period: u64, settled: u64, rtt: f64) -> f64 {
    let losses = 20;
    let list: Vec<String> = (1..=losses + settled).map(|k| (k * period).to_string()).collect();
    let rtt_ms = rtt * 1e3;
    let run = |segments: u64| {
        let text = format!(
            "stop.at_most = '100000s'\n[[link]]\nbetween = ['S', 'R']\nrate = '100Gbps'\ndelay = '{}ms'\n\
             queue = {{ kind = 'drop-tail', packets = 1000000 }}\nloss = {{ list = [{}], where = 'after-queue' }}\n\
             [[flow]]\nfrom = 'S'\nto = 'R'\nsize = {{ segments = {segments} }}\n\
             sender = {{ stack = 'ns2-2.35', recovery = 'sack', control = {control}, window = 1000000, initial_ssthresh = 50, \
             syn = false }}\nreceiver = {{ stack = 'ns2-2.35', ack = {{ policy = 'every' }} }}\n",
            rtt_ms / 2.0,
            list.join(", ")
        );
        let outcome = Simulation::new(parse_toml(&text, "law").unwrap().into()).run();
        let flow = &outcome.flows[0];
        assert_eq!(flow.timeouts, 0, "{control}, every {period}");
        flow.completion_s.unwrap()
    };
    // Both end right after a loss was repaired and as much again, so that whole periods lie between.
    let (from, to) = (settled * period + period / 2, (settled + losses) * period + period / 2);
    (to - from) as f64 / (run(to) - run(from)) * rtt
}

/// AIMD (1, b): W = sqrt ((2 - b) / (2 b p)). Half gives sqrt (3/2) (Mathis et al. 1997), a fifth sqrt (9/2): sqrt 3 apart,
/// which is what Veno can gain over Reno at most (ledger veno.fig3.72).
#[test]
fn the_square_root_law_and_venos_limit() {
    for period in [1_000_u64, 4_000] {
        let root = (period as f64).sqrt();
        let reno = mean_window("'reno'", period, 4, 0.1) / root;
        let veno = mean_window("'veno'", period, 4, 0.1) / root;
        // A little less: the round trip of each recovery does not count towards growth.
        assert!((0.94..1.0).contains(&(reno / 1.5_f64.sqrt())), "every {period}: Reno {reno}");
        assert!((0.94..1.0).contains(&(veno / 4.5_f64.sqrt())), "every {period}: Veno {veno}");
        assert!((veno / reno / 3.0_f64.sqrt() - 1.0).abs() < 0.03, "every {period}: {}", veno / reno);
    }
}

/// RFC 9438 section 5.1, equation 5: AVG_W = (C (3 + beta) / (4 (1 - beta)))^(1/4) RTT^(3/4) / p^(3/4), which leaves fast
/// convergence out. The window comes to it slowly; with fast convergence it stays a tenth lower.
#[test]
fn cubics_response_function() {
    let rtt = 0.2;
    for period in [1_000_u64, 2_000] {
        let control = |fast| format!("{{ kind = 'cubic', reno_friendly = false, fast_convergence = {fast} }}");
        let expected = f64::powf(0.4 * 3.7 / 1.2, 0.25) * f64::powf(rtt, 0.75) * f64::powf(period as f64, 0.75);
        let mean = mean_window(&control(false), period, 100, rtt);
        assert!((mean / expected - 1.0).abs() < 0.03, "every {period}: {mean}, by the formula {expected}");
        let fast = mean_window(&control(true), period, 100, rtt);
        assert!((0.87..0.95).contains(&(fast / expected)), "every {period}: {fast} with fast convergence");
    }
}

/// The recorded series of one flow over 4 Mb/s and 100 ms, 60 packets of buffer, no loss but the queue's.
fn over_a_buffer(control: &str) -> Vec<acklab_sim::outcome::SeriesRow> {
    let text = format!(
        "stop.at = '60s'\n[[link]]\nbetween = ['S', 'R']\nrate = '4Mbps'\ndelay = '50ms'\n\
         queue = {{ kind = 'drop-tail', packets = 60 }}\n\
         [[flow]]\nfrom = 'S'\nto = 'R'\nsender = {{ stack = 'ns2-2.35', recovery = 'sack', control = '{control}', window = 10000 }}\n\
         receiver = {{ stack = 'ns2-2.35', ack = {{ policy = 'every' }} }}\n[record]\nseries = true\n"
    );
    Simulation::new(parse_toml(&text, "law").unwrap().into()).run().series
}

/// Westwood+ is left with what the path carries without a queue: 4 Mb/s * 102 ms / 1040 bytes = 49 segments, of a window
/// twice as large.
#[test]
fn westwood_finds_the_pipe() {
    let series = over_a_buffer("westwood");
    let cuts = series.windows(2).filter(|w| w[1].cwnd_segments < 0.7 * w[0].cwnd_segments && w[1].cwnd_segments > 2.0);
    let left: Vec<f64> = cuts.filter(|w| w[0].time_s > 10.0).map(|w| w[1].cwnd_segments).collect();
    assert!(left.len() >= 2 && left.iter().all(|cwnd| (cwnd / 49.0 - 1.0).abs() < 0.05), "{left:?}");
}

/// Vegas keeps between two and four segments in the queue, and so loses none: the window is the pipe and two to four.
#[test]
fn vegas_stays_between_its_thresholds() {
    let series = over_a_buffer("vegas");
    let late: Vec<_> = series.iter().filter(|row| row.time_s > 20.0).collect();
    assert!(late.len() > 100);
    for row in late {
        assert!((50.0..=54.5).contains(&row.cwnd_segments), "{} at {}", row.cwnd_segments, row.time_s);
        assert!(row.backlog_segments.is_some_and(|backlog| (1.9..=4.1).contains(&backlog)), "{row:?}");
        assert!(row.base_rtt_s.is_some_and(|rtt| (rtt - 0.10216).abs() < 1e-4), "{row:?}");
    }
}
