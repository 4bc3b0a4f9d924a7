//! Queues beside Linux's queueing disciplines (tests/oracle/qdiscs has the kernel's side).

mod judged;

use std::path::Path;

/// `--nocapture` prints the table of docs/oracle/queues.md.
#[test]
fn packets_meet_the_same_fate_as_in_linux() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/qdiscs/data");
    let mut paths: Vec<_> = folder.read_dir().expect("data").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    assert!(paths.len() >= 35, "{} cases", paths.len());
    let mut differ = Vec::new();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().replace(".txt.gz", "");
        let (packets, equal, note) = judged::compare(&path);
        println!("{name:25} {packets:5} {equal:5} {note}");
        differ.extend((equal < packets).then(|| format!("{name}: {equal} of {packets}, first {note}")));
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
