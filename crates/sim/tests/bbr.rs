//! BBR over clean paths: start-up, the product in flight, the least round trip every ten seconds, pacing, luck.

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::{Outcome, PacketEvent, SeriesRow};

/// 10 Mb/s, 40 ms and a queue that never overflows: with an ACK for each of 1448 bytes, 833 segments a second, of which 33.3
/// fill the path.
fn run(stop: &str, record: &str) -> Outcome {
    let text = format!(
        "stop.at = '{stop}'\n[[link]]\nbetween = ['S', 'R']\nrate = '10Mbps'\ndelay = '20ms'\n\
         queue = {{ kind = 'drop-tail', packets = 1000 }}\n[[flow]]\nfrom = 'S'\nto = 'R'\n\
         sender = {{ stack = 'linux', control = 'bbr' }}\nreceiver = {{ stack = 'linux', ack = {{ policy = 'every' }} }}\n\
         [record]\n{record} = true\n"
    );
    Simulation::new(parse_toml(&text, "bbr").unwrap().into()).run()
}

/// Rows from one time to another.
fn between(series: &[SeriesRow], from: f64, to: f64) -> impl Iterator<Item = &SeriesRow> {
    series.iter().filter(move |row| (from..to).contains(&row.time_s))
}

#[test]
fn one_product_in_flight_at_the_rate_of_the_path() {
    let outcome = run("9s", "series");
    let flow = &outcome.flows[0];
    assert_eq!((flow.retransmits, flow.timeouts), (0, 0));
    // 1448 of 1500 bytes are payload, and a hundredth is left unused; a tenth of a second goes by at the start.
    let share = flow.goodput_bps / 10e6 * 1500.0 / 1448.0;
    assert!((0.965..0.995).contains(&share), "{share}");
    let series = &outcome.series;
    // Start-up fills the path and nearly two products of queue; from then on there are one, and two in the window.
    let most = series.iter().map(|row| row.flight_segments).fold(0.0, f64::max);
    assert!((80.0..115.0).contains(&most), "{most}");
    let late: Vec<f64> = between(series, 2.0, 9.0).map(|row| row.flight_segments).collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    // A product, 34 whole segments, and the room for three bursts of two down to which a cycle drains.
    assert!((36.0..=42.0).contains(&mean), "{mean}");
    for row in between(series, 2.0, 9.0) {
        assert!((72.0..80.0).contains(&row.cwnd_segments), "{} at {}", row.cwnd_segments, row.time_s);
        assert!(row.base_rtt_s.is_some_and(|rtt| (rtt - 0.04).abs() < 0.0015), "{row:?}");
    }
}

#[test]
fn every_ten_seconds_four_segments_for_a_fifth_of_a_second() {
    let outcome = run("35s", "series");
    let low: Vec<f64> = outcome.series.iter().filter(|row| row.cwnd_segments == 4.0).map(|row| row.time_s).collect();
    let mut times: Vec<(f64, f64)> = Vec::new();
    for time in low {
        match times.last_mut() {
            Some((_, last)) if time - *last < 1.0 => *last = time,
            _ => times.push((time, time)),
        }
    }
    assert_eq!(times.len(), 3, "{times:?}");
    for (start, end) in &times {
        // Two fifths of a round trip until four are in flight, 200 ms, and the round trip in which that is over.
        assert!((0.2..0.32).contains(&(end - start)), "{times:?}");
    }
    // Ten seconds from when the round trip was last as short as the least, which is until the queue is back.
    assert!(times.windows(2).all(|pair| (10.2..10.8).contains(&(pair[1].0 - pair[0].0))), "{times:?}");
}

#[test]
fn ten_segments_at_once_then_paced() {
    let outcome = run("2s", "packets");
    let sent: Vec<f64> = outcome
        .packets
        .iter()
        .filter(|row| row.event == PacketEvent::Enqueue && row.packet.size == 1500)
        .map(|row| row.time_s)
        .collect();
    assert!(sent[..10].iter().all(|&time| time == sent[0]) && sent[10] > sent[0]);
    // The first ACK of data brings room for one more; from the handshake's round trip, 2/ln 2 windows of ten in 40 ms less 1 %.
    let rate = 739.0 / 256.0 * 0.99 * 10.0 / 0.040_064;
    let gaps: Vec<f64> = sent[10..20].windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|&gap| gap > 0.5 / rate - 1e-9), "{gaps:?}, 1/rate {}", 1.0 / rate);
    // In the steady state no two leave closer than at five quarters of the path's rate.
    let late: Vec<f64> = sent.iter().copied().filter(|&time| time > 1.0).collect();
    let least = late.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::min);
    assert!((least * 833.3 * 1.25 * 0.99 - 1.0).abs() < 0.05, "{least}");
}

#[test]
fn phases_are_drawn_from_a_stream_of_the_flows_own() {
    let one = |name: &str, seed: u64| {
        let text = format!(
            "seed = {seed}\nstop.at = '4s'\n[[link]]\nbetween = ['S', 'R']\nrate = '10Mbps'\ndelay = '20ms'\n\
             queue = {{ kind = 'drop-tail', packets = 1000 }}\n[[flow]]\nname = '{name}'\nfrom = 'S'\nto = 'R'\n\
             sender = {{ stack = 'linux', control = 'bbr' }}\n[record]\nseries = true\n"
        );
        let outcome = Simulation::new(parse_toml(&text, "bbr").unwrap().into()).run();
        outcome.series.iter().map(|row| row.time_s.to_bits()).collect::<Vec<_>>()
    };
    assert!(one("f", 1) == one("f", 1));
    let others = [one("f", 2), one("f", 3), one("g", 1), one("h", 1)];
    assert!(others.iter().any(|other| *other != one("f", 1)));
}
