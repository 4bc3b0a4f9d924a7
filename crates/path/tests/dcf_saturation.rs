//! Saturated stations beside Bianchi's model (ledger divack.m.dcf). The numbers of the model are those of
//! `acklab.models.dcf`, which `tests/python/test_dcf_model.py` keeps equal.

mod medium;

use acklab_packet::{Bytes, Rate, Time};
use acklab_path::medium::{Dcf, DcfSpec};
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
#[test]
fn probe() {
    let text = include_str!("medium/saturation.csv");
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (case, n, model) = (cells[0], cells[1].parse::<u32>().unwrap(), cells[2].parse::<f64>().unwrap());
        let rts = case.ends_with("rts");
        let (spec, size) = if case.starts_with("bianchi") { (bianchi(rts), 1023) } else { (DcfSpec { rts_threshold: rts.then_some(Bytes::new(0)), ..DcfSpec::default() }, 1500) };
        let got = saturate(&spec, n, size, 2, 60.0, 1).bps;
        let frozen = saturate(&DcfSpec { busy_slot_counts: Some(false), ..spec.clone() }, n, size, 2, 60.0, 1).bps;
        println!("{case} {n} {model:.0} {got:.0} {:.2}% frozen {:.2}%", 100.0 * (got / model - 1.0), 100.0 * (frozen / model - 1.0));
    }
}
