//! A recovery has its name in its own file and in the rules; other code asks what it declares.

use std::fs;
use std::path::{Path, PathBuf};

/// Rooms that may name a recovery. The last reads one parameter of one, to report that a kernel has its own.
const ROOMS: [&str; 3] = ["tcp/src/rules/", "tcp/src/sender/recovery/", "live/src/ignored.rs"];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn no_other_room_names_a_recovery() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).unwrap().flatten() {
        sources(&entry.path().join("src"), &mut files);
    }
    let mut named = Vec::new();
    let mut in_rooms = 0;
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let count = code.filter(|line| line.contains("RecoveryKind::")).count();
        let place = path.strip_prefix(crates).unwrap().to_string_lossy().replace('\\', "/");
        if ROOMS.iter().any(|room| place.starts_with(room)) {
            in_rooms += count;
        } else if count > 0 {
            named.push(place);
        }
    }
    assert!(in_rooms > 10, "the search finds names where they are");
    assert!(named.is_empty(), "{named:?}");
}

/// A recovery marks the flight record, and answers with values: it has no sender to change.
#[test]
fn no_recovery_changes_its_sender() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sender/recovery"), &mut files);
    assert!(files.len() > 10);
    let changes = |path: &&PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        ["&mut Core", "&mut SequenceSpace", "&mut Congestion", "SenderWire"].iter().any(|name| text.contains(name))
    };
    assert_eq!(files.iter().find(changes), None);
}
