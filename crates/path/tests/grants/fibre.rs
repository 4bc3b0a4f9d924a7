//! A passive optical network (G.984.3), worked out by hand. A frame of 125 us carries 1000 bytes of the service, in 8 us.

use acklab_path::spec::LinkSpec;

use crate::driver::{TAIL, arrivals, drive, ends, saturated, spec};

fn onu(rest: &str) -> LinkSpec {
    spec(&r#"{ "kind": "pon", "rate": "64Mbps", "line": "1Gbps" KEYS }"#.replace("KEYS", rest), TAIL)
}

/// The report at 1 ms is answered by the cycle at 2 ms: half a millisecond has passed before it.
#[test]
fn a_packet_waits_for_report_and_allocation() {
    assert_eq!(ends(&onu(""), &[(0.3, 1000)]), [2.008]);
    assert_eq!(arrivals(&onu(""), &[(0.3, 1000)]), [12.008]);
    // At the report itself.
    assert_eq!(ends(&onu(""), &[(1.0, 1000)]), [2.008]);
    // A response of 1.1 ms misses the cycle at 2 ms. Cycles of 500 us: report at 0.5, answer at 1.
    assert_eq!(ends(&onu(r#", "response": "1.1ms""#), &[(0.3, 1000)]), [3.008]);
    assert_eq!(ends(&onu(r#", "cycle": "500us""#), &[(0.3, 1000)]), [1.008]);
}

/// Frames are 125 us apart: 2500 bytes take three. What comes at 1.2 ms is in the next report.
#[test]
fn a_report_is_answered_over_frames() {
    let packets = [(0.3, 1000), (0.4, 1000), (0.5, 500), (1.2, 500)];
    assert_eq!(ends(&onu(""), &packets), [2.008, 2.133, 2.254, 3.004]);
    // The second packet of 1500 bytes begins in the second frame, after 500 of the first packet, and ends in the third.
    assert_eq!(ends(&onu(""), &[(0.3, 1500), (0.3, 1500)]), [2.129, 2.258]);
}

/// A quarter of a frame is allocated without a report.
#[test]
fn fixed_bandwidth_needs_no_report() {
    assert_eq!(ends(&onu(r#", "fixed": "16Mbps""#), &[(0.3, 250)]), [0.377]);
    assert_eq!(ends(&onu(r#", "fixed": "16Mbps""#), &[(0.3, 500)]), [0.502]);
}

/// ACKs that come evenly over a cycle leave in one burst.
#[test]
fn acks_leave_in_bursts() {
    let acks: Vec<(f64, u32)> = (0..1000).map(|i| (f64::from(i) * 0.1, 64)).collect();
    let ends = ends(&onu(""), &acks);
    let gaps: Vec<f64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let close = gaps.iter().filter(|gap| (**gap - 0.000512).abs() < 1e-6).count();
    let far = gaps.iter().filter(|gap| (**gap - (1.0 - 9.0 * 0.000512)).abs() < 1e-5).count();
    assert!(close >= 895 && far >= 98, "{close} {far}");
}

#[test]
fn saturated_it_carries_its_rate() {
    for rest in ["", r#", "cycle": "125us", "response": "0s""#, r#", "fixed": "32Mbps""#] {
        let carried = saturated(&onu(rest), 1500, 2.0) / 1e6;
        assert!((carried - 64.0).abs() < 0.7, "{rest}: {carried} Mb/s");
    }
    assert!(drive(&onu(""), &[(0.3, 1000)], 1.0).utilisation < 2e-4);
}
