//! What holds for any request-grant uplink, any queue and any arrivals.

use acklab_path::spec::LinkSpec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::driver::{TAIL, drive, spec};

fn servers() -> impl Strategy<Value = String> {
    let docsis = (
        select(&["1Mbps", "8Mbps", "30.3Mbps"][..]),
        select(&["200us", "1ms", "2ms", "7ms"][..]),
        select(&["0s", "1.3ms", "4ms", "20ms"][..]),
        (0_u32..6, 1_u32..5),
        select(&["packet", "burst", "continuous", "continuous"][..]),
        any::<bool>(),
        select(&["", r#", "burst": "64B""#, r#", "burst": "1kB""#, r#", "channel": "100Mbps""#][..]),
        select(&["", "", r#", "proactive": "500kbps""#][..]),
    )
        .prop_map(|(rate, interval, advance, (backoff, chances), requests, piggyback, more, proactive)| {
            let proactive = if requests == "packet" { "" } else { proactive };
            format!(
                r#"{{ "kind": "docsis", "rate": "{rate}", "map_interval": "{interval}", "map_advance": "{advance}",
                "backoff": {backoff}, "opportunities": {chances}, "requests": "{requests}", "piggyback": {piggyback}
                {more} {proactive} }}"#
            )
        });
    let radio = (select(&["500kbps", "8Mbps", "77Mbps"][..]), 1_u64..2000, select(&[0.0, 0.1, 0.9][..]), 1_u32..8);
    let lte = (radio.clone(), 1_u32..=80).prop_map(|((rate, first, bler, attempts), period)| {
        format!(
            r#"{{ "kind": "lte", "rate": "{rate}", "sr_period": "{period}ms", "first": "{first}B", "bler": {bler},
            "attempts": {attempts} }}"#
        )
    });
    let nr = (radio, (0_u32..5, 1_u64..50, 0_u64..6, 0_u64..6), select(&["F", "DDDSU", "DSUUD", "DU", "UUS"][..]))
        .prop_map(|((rate, first, bler, attempts), (numerology, period, decode, k2), pattern)| {
            format!(
                r#"{{ "kind": "nr", "rate": "{rate}", "numerology": {numerology}, "pattern": "{pattern}",
                "sr_period": {period}, "decode": {decode}, "k2": {k2}, "first": "{first}B", "bler": {bler},
                "attempts": {attempts} }}"#
            )
        });
    let pon =
        (select(&["2Mbps", "50Mbps", "1Gbps"][..]), 1_u32..20, 0_u32..3000, select(&["", r#", "fixed": "1Mbps""#][..]))
            .prop_map(|(rate, frames, response, fixed)| {
                let cycle = 125 * frames;
                format!(
                    r#"{{ "kind": "pon", "rate": "{rate}", "cycle": "{cycle}us", "response": "{response}us" {fixed} }}"#
                )
            });
    prop_oneof![3 => docsis, 2 => lte, 2 => nr, 2 => pon]
}

fn queues() -> impl Strategy<Value = &'static str> {
    select(
        &[
            TAIL,
            r#"{ "kind": "drop-tail", "packets": 5 }"#,
            r#"{ "kind": "drop-tail", "bytes": "4kB" }"#,
            r#"{ "kind": "drop-tail", "packets": 40, "scheduler": "round-robin", "drop": "longest-front" }"#,
            r#"{ "kind": "red", "packets": 40 }"#,
            r#"{ "kind": "codel" }"#,
            r#"{ "kind": "fq-codel" }"#,
            r#"{ "kind": "pie" }"#,
            r#"{ "kind": "cake" }"#,
            r#"{ "kind": "cake", "bandwidth": "700kbps" }"#,
        ][..],
    )
}

/// Gaps in milliseconds, often none, often on the grid of slots, at times seconds; and sizes.
fn packets() -> impl Strategy<Value = Vec<(f64, u32)>> {
    let gap = prop_oneof![3 => Just(0.0), 3 => (0_u32..8).prop_map(f64::from), 3 => 0.0..3.0, 1 => 0.0..3000.0];
    let size = prop_oneof![2 => Just(1500_u32), 2 => Just(40_u32), 1 => Just(0_u32), 1 => 1_u32..9000];
    prop::collection::vec((gap, size), 1..120).prop_map(|packets| {
        let mut at = 0.0;
        packets.into_iter().map(|(gap, size)| (at += gap, (at, size)).1).collect()
    })
}

fn link() -> impl Strategy<Value = LinkSpec> {
    (servers(), queues()).prop_map(|(server, queue)| spec(&server, queue))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Every packet leaves, is removed or waits; services do not overlap; packets arrive in order; and the run ends.
    #[test]
    fn packets_are_conserved(link in link(), packets in packets(), end in 0.0..400.0) {
        let checked = link.varying.clone().map_or(Ok(()), |mut varying| varying.check());
        prop_assert_eq!(checked, Ok(()));
        let end = if end > 300.0 { 1e5 } else { end / 300.0 };
        let driven = drive(&link, &packets, end);
        let came = packets.iter().filter(|(at, _)| at / 1000.0 <= end).count();
        prop_assert_eq!(driven.departures.len() + driven.removed.len() + driven.waiting, came);
        prop_assert!(end < 1e5 || driven.waiting == 0, "{} wait after a day", driven.waiting);
        let apart = driven.departures.windows(2).all(|pair| pair[0].2 <= pair[1].1 + 1e-5 && pair[0].3 <= pair[1].3 + 1e-5);
        prop_assert!(apart, "{:?}", driven.departures);
        prop_assert!((0.0..=1.0).contains(&driven.utilisation), "{}", driven.utilisation);
        prop_assert_eq!(&drive(&link, &packets, end), &driven);
    }

    /// Over the time in which packets leave, no more goes than the rate carries, a slot and the first packet apart.
    #[test]
    fn no_more_goes_than_is_granted(server in servers(), packets in packets()) {
        let link = spec(&server, TAIL);
        let driven = drive(&link, &packets, 1e5);
        prop_assert_eq!(driven.departures.len(), packets.len());
        // One packet a request is granted whole, however long.
        if !server.contains("\"packet\"") {
            let bytes: u32 = packets.iter().map(|(_, size)| size).sum();
            let (first, last) = (driven.departures[0].1, driven.departures[packets.len() - 1].2);
            // The longest slot has 7 ms, and the longest pattern 5.
            let most = (last - first + 14.0) / 1000.0 * link.rate.bps() / 8.0 + f64::from(packets[0].1);
            prop_assert!(f64::from(bytes) <= most, "{bytes} bytes in {first} to {last} ms at {}", link.rate);
        }
    }
}
