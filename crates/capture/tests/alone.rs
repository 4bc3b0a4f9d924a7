//! A capture is read and analysed without the simulator.

/// The crates of this repository that a manifest's `[dependencies]` name.
fn needs(manifest: &str) -> Vec<&str> {
    let table = manifest.split_once("\n[dependencies]\n").expect("dependencies").1;
    let lines = table.lines().take_while(|line| !line.starts_with('['));
    lines.filter(|line| line.starts_with("acklab-")).filter_map(|line| line.split(['.', ' ']).next()).collect()
}

#[test]
fn reading_and_analysing_need_no_simulator() {
    assert_eq!(needs(include_str!("../Cargo.toml")), [""; 0]);
    let analysis = needs(include_str!("../../analyze/Cargo.toml"));
    assert_eq!(analysis, ["acklab-capture", "acklab-packet", "acklab-table", "acklab-tcp"]);
    for manifest in [include_str!("../../packet/Cargo.toml"), include_str!("../../tcp/Cargo.toml")] {
        assert!(needs(manifest).iter().all(|name| ["acklab-packet", "acklab-table"].contains(name)));
    }
}
