//! Saturated stations beside Bianchi's model (ledger divack.m.dcf). The numbers of the model are those of
//! `acklab_studies.dcf`, which `tests/python/test_dcf_model.py` keeps equal.

mod medium;

use acklab_packet::{Bytes, Rate, Time};
use acklab_path::server::DcfSpec;
use medium::saturate;

fn us(us: f64) -> Option<Time> {
    Some(Time::from_secs(us * 1e-6))
}

/// Bianchi's channel and assumptions: DIFS after everything, attempts without end, every slot counts.
fn bianchi(rts: bool) -> DcfSpec {
    DcfSpec {
        rate: Some(Rate::from_bps(1e6)),
        basic_rate: Some(Rate::from_bps(1e6)),
        plcp: us(128.0),
        basic_plcp: us(128.0),
        slot: us(50.0),
        sifs: us(28.0),
        difs: us(128.0),
        eifs: us(128.0),
        ack_timeout: us(0.0),
        cw_min: Some(31),
        cw_max: Some(255),
        short_retries: Some(0),
        long_retries: Some(0),
        rts_threshold: rts.then_some(Bytes::new(0)),
        header: Some(Bytes::new(34)),
        busy_slot_counts: Some(true),
        ..DcfSpec::default()
    }
}

/// The model's cases: name, stations, throughput.
fn model() -> impl Iterator<Item = (&'static str, u32, f64)> {
    include_str!("medium/saturation.csv").lines().skip(1).map(|line| {
        let mut cells = line.split(',');
        let mut cell = || cells.next().unwrap();
        (cell(), cell().parse().unwrap(), cell().parse().unwrap())
    })
}

/// How far the simulation is from the model at most, over the model's cases whose name begins so.
fn farthest(prefix: &str, size: u32, spec: impl Fn(bool) -> DcfSpec) -> f64 {
    let cases = model().filter(|(case, ..)| case.starts_with(prefix));
    let apart = cases.map(|(case, stations, bps)| {
        let got = saturate(&spec(case.ends_with("rts")), stations, size, 2, 40.0, 1).bps;
        println!("{case} {stations}: {got:.0} beside {bps:.0}, {:+.2} %", 100.0 * (got / bps - 1.0));
        (got / bps - 1.0).abs()
    });
    apart.fold(0.0, f64::max)
}

#[test]
fn under_bianchis_assumptions_as_his_model() {
    assert!(farthest("bianchi", 1023, bianchi) < 0.012);
}

/// The standard does not count the slot in which another transmits, which the model does: a little more idle time.
#[test]
fn with_the_standards_backoff_close_to_his_model() {
    let frozen = |rts| DcfSpec { busy_slot_counts: Some(false), ..bianchi(rts) };
    assert!(farthest("bianchi", 1023, frozen) < 0.03);
}

#[test]
fn the_standard_with_retries_and_eifs_as_the_model_with_finite_retries() {
    let standard = |rts: bool| DcfSpec { rts_threshold: rts.then_some(Bytes::new(0)), ..DcfSpec::default() };
    assert!(farthest("802.11b", 1500, standard) < 0.012);
}
