//! LTE's and NR's uplinks, worked out by hand. An LTE block has 1000 bytes: 8 Mb/s.

use acklab_path::spec::LinkSpec;

use crate::driver::{TAIL, arrivals, drive, saturated, spec};

fn lte(rest: &str) -> LinkSpec {
    spec(&r#"{ "kind": "lte", "rate": "8Mbps", "bler": 0 KEYS }"#.replace("KEYS", rest), TAIL)
}

fn nr(rest: &str) -> LinkSpec {
    spec(&r#"{ "kind": "nr", "rate": "8Mbps", "bler": 0 KEYS }"#.replace("KEYS", rest), TAIL)
}

/// When packets' services began, and when they arrived after a propagation of 10 ms.
fn sent(spec: &LinkSpec, packets: &[(f64, u32)]) -> Vec<(f64, f64)> {
    drive(spec, packets, 10.0).departures.iter().map(|one| (one.1, one.3)).collect()
}

/// TR 36.912, annex B.2: the request goes in subframe 10, 1 ms, decoding 3 ms, grant 1 ms, processing 3 ms: the block goes
/// in subframe 18, 1 ms, and is decoded for 3 ms: 22 ms.
#[test]
fn lte_answers_a_request_with_a_block_eight_milliseconds_later() {
    assert_eq!(sent(&lte(""), &[(0.5, 100)]), [(18.0, 32.0)]);
    // At the opportunity itself: 8 ms.
    assert_eq!(sent(&lte(""), &[(20.0, 100)]), [(28.0, 42.0)]);
    // Opportunities each millisecond: 1 ms and 8 ms.
    assert_eq!(sent(&lte(r#", "sr_period": "1ms""#), &[(0.5, 100)]), [(9.0, 23.0)]);
}

/// The first block has 100 bytes, and its report (BSR) is answered 8 ms later with blocks of 1000 bytes.
#[test]
fn the_rest_follows_after_the_report() {
    let packets = [(0.5, 100), (0.6, 600), (0.7, 900)];
    assert_eq!(sent(&lte(""), &packets), [(18.0, 32.0), (26.0, 40.0), (27.0, 41.0)]);
    // A larger first grant carries a part of the second packet, which ends with the report's.
    assert_eq!(sent(&lte(r#", "first": "600B""#), &packets), [(18.0, 32.0), (26.0, 40.0), (26.0, 40.0)]);
    // Data that comes while blocks go needs no request: at 26 ms the report has it, and it goes at 34.
    let later = [(0.5, 100), (0.6, 600), (25.0, 800)];
    assert_eq!(sent(&lte(""), &later), [(18.0, 32.0), (26.0, 40.0), (34.0, 48.0)]);
    // After the last report it takes a request: at 30 ms, answered at 38 with 100 bytes; the other 700 go at 46.
    let after = [(0.5, 100), (0.6, 600), (26.5, 800)];
    assert_eq!(sent(&lte(""), &after), [(18.0, 32.0), (26.0, 40.0), (46.0, 60.0)]);
}

/// Every block is sent twice: 8 ms later the subframe is the old block's, and packets arrive in order.
#[test]
fn a_block_is_sent_again_eight_milliseconds_later() {
    let twice = r#", "attempts": 2, "sr_period": "1ms", "first": "1kB""#;
    let keys = r#"{ "kind": "lte", "rate": "8Mbps", "bler": 0.999999999 KEYS }"#.replace("KEYS", twice);
    let spec = spec(&keys, TAIL);
    // Request at 1 ms, block at 9, again at 17, decoded at 21.
    assert_eq!(sent(&spec, &[(0.5, 1000)]), [(9.0, 31.0)]);
    // The report is decoded with the second attempt, at 17 ms, so the next block goes at 25 and again at 33.
    assert_eq!(sent(&spec, &[(0.5, 1000), (0.5, 1000)]), [(9.0, 31.0), (25.0, 47.0)]);
    // Half of the blocks are repetitions.
    let carried = saturated(&spec, 1000, 5.0) / 1e6;
    assert!((carried - 4.0).abs() < 0.1, "{carried} Mb/s");
}

/// A tenth of the blocks are sent again, and hold back what follows; the others arrive 4 ms after their subframe begins.
#[test]
fn what_follows_a_lost_block_arrives_with_it() {
    let keys = r#"{ "kind": "lte", "rate": "8Mbps", "bler": 0.1, "first": "1kB" }"#;
    let packets: Vec<(f64, u32)> = (0..4000).map(|i| (f64::from(i) * 1.5, 1000)).collect();
    let driven = drive(&spec(keys, TAIL), &packets, 10.0);
    let delays: Vec<f64> = driven.departures.iter().map(|one| one.3 - one.1 - 10.0).collect();
    assert_eq!(delays.len(), 4000);
    assert!(delays.iter().all(|delay| *delay >= 4.0 - 1e-6 && *delay <= 28.0 + 1e-6), "{delays:?}");
    let prompt = delays.iter().filter(|delay| (**delay - 4.0).abs() < 1e-6).count();
    // Without order 10 % would be late; behind one late block wait those of the next 8 ms.
    assert!((1200..3200).contains(&prompt), "{prompt} of 4000 were prompt");
    let order = driven.departures.windows(2).all(|pair| pair[0].3 <= pair[1].3);
    assert!(order, "packets arrive in order");
}

/// Slots of 0.5 ms in the pattern DDDSU: slots 4, 9, 14 ... carry. A request in slot 4 (2 ms) is decoded in slots 5 and 6;
/// slot 7 grants; two slots later, slot 9 (4.5 ms) carries.
#[test]
fn nr_waits_for_its_slots() {
    let each = r#", "sr_period": 5"#;
    // In slot 9 until 5 ms, decoded for two slots: 6 ms.
    assert_eq!(sent(&nr(each), &[(0.5, 100)]), [(4.5, 16.0)]);
    // Opportunities from slots 0, 10, 20 on: slots 4, 14, 24.
    assert_eq!(sent(&nr(""), &[(2.1, 100)]), [(9.5, 21.0)]);
    // A grant for the next slot from slot 7 on is for slot 9 too; from slot 9 on, if decoding takes four slots, for slot 14.
    assert_eq!(sent(&nr(r#", "sr_period": 5, "k2": 0"#), &[(0.5, 100)]), [(4.5, 16.0)]);
    // Slots 5 to 8 decode; slot 9 cannot grant, slot 10 can; two later is 12, so slot 14 (7 ms) carries.
    assert_eq!(sent(&nr(r#", "sr_period": 5, "decode": 4"#), &[(0.5, 100)]), [(7.0, 19.5)]);
    // Both directions at once, slots of 1 ms: request in slot 1, decoded in 2 and 3, grant in 4, block in 6, decoded in 7 and 8.
    let fdd = nr(r#", "pattern": "F", "numerology": 0, "sr_period": 1"#);
    assert_eq!(sent(&fdd, &[(0.5, 100)]), [(6.0, 19.0)]);
}

/// One slot of five carries: ACKs that come evenly arrive in bunches, 2.5 ms apart, those of a block at one time.
#[test]
fn acks_arrive_by_blocks() {
    let acks: Vec<(f64, u32)> = (0..1000).map(|i| (f64::from(i) * 0.5, 64)).collect();
    let times = arrivals(&nr(""), &acks);
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (zero, far) = (gaps.iter().filter(|gap| **gap < 1e-9).count(), gaps.iter().filter(|gap| **gap > 1e-9).count());
    assert!((790..=805).contains(&zero) && zero + far == 999, "{zero} {far}");
    assert!(gaps.iter().all(|gap| (gap / 2.5 - (gap / 2.5).round()).abs() < 1e-6), "{gaps:?}");
}

#[test]
fn saturated_they_carry_their_rates() {
    for spec in [lte(""), nr(""), nr(r#", "pattern": "F", "numerology": 2"#), nr(r#", "pattern": "DSUUD""#)] {
        let carried = saturated(&spec, 1500, 5.0) / 1e6;
        assert!((carried - 8.0).abs() < 0.1, "{:?}: {carried} Mb/s", spec.varying);
    }
    // A block is sent 1 + 0.1 + 0.01 + 0.001 times on average.
    let keys = r#"{ "kind": "lte", "rate": "8Mbps", "bler": 0.1 }"#;
    let carried = saturated(&self::spec(keys, TAIL), 1500, 10.0) / 1e6;
    assert!((carried - 8.0 / 1.111).abs() < 0.1, "{carried} Mb/s");
}
