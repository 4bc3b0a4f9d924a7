//! A cable modem (CM-SP-MULPIv3.1), worked out by hand. An interval has 2000 bytes, of which 1000 take half a millisecond.

use acklab_packet::{Ack, Body, Packet, Time};
use acklab_path::link::Link;
use acklab_path::random::Random;
use acklab_path::spec::LinkSpec;

use crate::driver::{TAIL, arrivals, drive, ends, saturated, spec};

fn modem(rest: &str) -> LinkSpec {
    let rate = r#"{ "kind": "docsis", "rate": "8Mbps", "channel": "16Mbps" KEYS }"#.replace("KEYS", rest);
    spec(&rate, TAIL)
}

/// Request at 2 ms, the begin of an interval; 4 ms later, at 6 ms, is the first interval that can answer it.
#[test]
fn a_packet_waits_for_request_and_grant() {
    assert_eq!(ends(&modem(""), &[(0.5, 1000)]), [6.5]);
    assert_eq!(arrivals(&modem(""), &[(0.5, 1000)]), [16.5]);
    // At the begin of an interval it can be requested at once.
    assert_eq!(ends(&modem(""), &[(2.0, 1000)]), [6.5]);
    // 4.1 ms later the interval at 6 ms is too early.
    assert_eq!(ends(&modem(r#", "map_advance": "4.1ms""#), &[(0.5, 1000)]), [8.5]);
    // Hours later, the same.
    assert_eq!(ends(&modem(r#", "map_interval": "1ms""#), &[(9_000.5, 1000)]), [9_005.5]);
}

/// The first two are requested at 2 ms. The third comes while that request is unanswered.
#[test]
fn what_a_request_covers_depends_on_the_generation() {
    let packets = [(0.5, 1000), (1.0, 1000), (3.0, 1000)];
    // Continuous: a second request at 4 ms.
    assert_eq!(ends(&modem(""), &packets), [6.5, 7.0, 8.5]);
    // One request at a time: the third's goes with the burst at 6 ms, and is answered at 10 ms.
    assert_eq!(ends(&modem(r#", "requests": "burst""#), &packets), [6.5, 7.0, 10.5]);
    // One packet a request: 6, 10, 14 ms.
    assert_eq!(ends(&modem(r#", "requests": "packet""#), &packets), [6.5, 10.5, 14.5]);
}

/// An interval has 2000 bytes: 3000 are granted in two intervals, and the packet is sent in two parts.
#[test]
fn a_packet_larger_than_a_grant_is_sent_in_parts() {
    let driven = drive(&modem(""), &[(0.5, 3000), (0.6, 500)], 1.0);
    // The second part begins at 8 ms; the other packet follows in the same grant.
    assert_eq!(driven.departures, [(0, 8.0, 8.5, 18.5), (1, 8.5, 8.75, 18.75)]);
    // Ended between the parts: both wait.
    assert_eq!(drive(&modem(""), &[(0.5, 3000), (0.6, 500)], 0.007).waiting, 2);
    // Bursts of at most 500 bytes: two of four intervals go to each kilobyte.
    assert_eq!(ends(&modem(r#", "burst": "500B""#), &[(0.5, 1000), (0.5, 1000)]), [8.25, 12.25]);
}

/// Packets that wait for a grant count as waiting.
#[test]
fn a_limit_holds_while_packets_wait_for_a_grant() {
    let packets: Vec<(f64, u32)> = (0..10).map(|i| (0.1 * f64::from(i), 500)).collect();
    for (limit, kept) in
        [(r#""waiting": 3"#, 3), (r#""packets": 4"#, 3), (r#""bytes": "2kB""#, 4), (r#""waiting_bytes": "1kB""#, 2)]
    {
        let queue = format!(r#"{{ "kind": "drop-tail", {limit} }}"#);
        let driven =
            drive(&LinkSpec { queue: serde_json::from_str(&queue).expect("a queue"), ..modem("") }, &packets, 1.0);
        assert_eq!((driven.departures.len(), driven.removed.len()), (kept, 10 - kept), "{limit}");
    }
}

/// The queue sees what waits: of ten ACKs that wait for a grant a filter keeps the last.
#[test]
fn a_filter_erases_acks_that_wait_for_a_grant() {
    let queue = r#"{ "kind": "drop-tail", "packets": 50, "filter": { "kind": "static", "threshold": 1 } }"#;
    let spec = LinkSpec { queue: serde_json::from_str(queue).expect("a queue"), ..modem("") };
    let mut link: Link<Packet> = Link::new(&spec, |_| Random::stream(7));
    let (mut gone, mut sent) = (Vec::new(), Vec::new());
    for number in 1..=10_u64 {
        let body = Body::Ack(Ack { ack: number, ..Ack::default() });
        let packet = Packet { flow: 0, size: 64, connection: 0, place: 0, body };
        let now = Time::from_secs(0.0001 * number as f64);
        assert!(link.offer(packet, link.until() <= now, now, &mut gone).is_none());
    }
    while link.waiting() > 0 {
        let now = link.until();
        sent.extend(link.next_packet(now, &mut gone).map(|packet| (packet.body, now)));
    }
    assert_eq!((sent.len(), gone.len()), (1, 9));
    // The request went at 2 ms, and the grant is at 6.
    assert!(matches!(&sent[0], (Body::Ack(ack), at) if ack.ack == 10 && *at == Time::from_secs(0.006)), "{sent:?}");
}

/// Without waiting for a request: 1000 bytes in each interval.
#[test]
fn proactive_grants_need_no_request() {
    let modem = modem(r#", "proactive": "4Mbps", "map_interval": "2ms""#);
    assert_eq!(ends(&modem, &[(0.5, 1000)]), [2.5]);
    // The second is requested with the first burst; before the answer at 6 ms the interval at 4 ms comes unasked.
    assert_eq!(ends(&modem, &[(0.5, 1000), (0.6, 1000), (0.7, 1000)]), [2.5, 4.5, 6.5]);
    assert_eq!(ends(&modem, &[(9_000.5, 1000)]), [9_002.5]);
}

/// A window of four opportunities, two an interval: the request goes at 1, 2, 3 or 4 ms, so the grant is at 6 or 8 ms.
#[test]
fn a_backoff_defers_the_request() {
    let modem = modem(r#", "backoff": 2, "opportunities": 2"#);
    let packets: Vec<(f64, u32)> = (0..200).map(|i| (f64::from(i) * 20.0 + 0.5, 1000)).collect();
    let after: Vec<f64> = ends(&modem, &packets).iter().zip(&packets).map(|(end, at)| end - at.0).collect();
    let count = |wait: f64| after.iter().filter(|one| (**one - wait).abs() < 1e-6).count();
    let (six, eight) = (count(6.0), count(8.0));
    assert_eq!(six + eight, 200, "{after:?}");
    assert!((70..=130).contains(&six), "{six} of 200 requests went at 1 or 2 ms");
}

/// ACKs that come evenly leave in bunches, an interval apart.
#[test]
fn acks_leave_in_bunches() {
    let acks: Vec<(f64, u32)> = (0..1000).map(|i| (f64::from(i) * 0.2, 64)).collect();
    let ends = ends(&modem(""), &acks);
    let gaps: Vec<f64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Ten in an interval: nine gaps of 64 bytes at 16 Mb/s, then the rest of the 2 ms.
    let close = gaps.iter().filter(|gap| (**gap - 0.032).abs() < 1e-6).count();
    let far = gaps.iter().filter(|gap| (**gap - (2.0 - 9.0 * 0.032)).abs() < 1e-6).count();
    assert!(close >= 890 && far >= 98 && close + far >= 997, "{close} {far} of {}", gaps.len());
}

#[test]
fn saturated_it_carries_its_rate() {
    // One request at a time for bursts of 2000 bytes: one burst each 4 ms.
    let cases = [
        ("", 8.0),
        (r#", "burst": "1500B""#, 6.0),
        (r#", "requests": "burst""#, 8.0),
        (r#", "requests": "burst", "burst": "2kB""#, 4.0),
    ];
    for (rest, mbps) in cases {
        let carried = saturated(&modem(rest), 1500, 20.0) / 1e6;
        assert!((carried - mbps).abs() < 0.02 * mbps, "{rest}: {carried} Mb/s");
    }
    // One packet each 4 ms, the time from a burst to its answer.
    let carried = saturated(&modem(r#", "requests": "packet""#), 1500, 20.0) / 1e6;
    assert!((carried - 3.0).abs() < 0.06, "{carried} Mb/s");
}
