//! What RFCs require, and where: each line of `clauses.txt` names a file and a test that are there, and what comments cite is listed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A line of the list.
struct Clause {
    rfc: u32,
    section: &'static str,
    file: &'static str,
    /// Name of a test, or why there is none.
    evidence: &'static str,
}

/// The list; a heading names the RFC of the lines below it.
fn clauses() -> Vec<Clause> {
    let mut rfc = 0;
    let mut clauses = Vec::new();
    for line in include_str!("clauses.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix("RFC ") {
            rfc = heading.split(' ').next().unwrap().parse().unwrap();
            continue;
        }
        let Ok([section, level, what, file, evidence]): Result<[&str; 5], _> =
            line.split(" | ").collect::<Vec<_>>().try_into()
        else {
            panic!("five columns: {line}");
        };
        assert!(["MUST", "MUST NOT", "SHOULD"].contains(&level) && !what.is_empty() && !evidence.is_empty(), "{line}");
        clauses.push(Clause { rfc, section, file, evidence });
    }
    clauses
}

/// The Rust files below a folder, with their texts.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut texts = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            texts.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            texts.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
    texts
}

#[test]
fn what_is_met_has_a_file_and_a_test() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = [sources(&home.join("src")), sources(&home.join("tests"))].concat();
    for Clause { rfc, section, file, evidence } in clauses() {
        if ["no", "-"].contains(&file) {
            assert!(evidence.contains(' '), "RFC {rfc} section {section}: a reason");
            continue;
        }
        assert!(home.join("src").join(file).is_file(), "RFC {rfc} section {section}: no file src/{file}");
        let test = format!("fn {evidence}() {{");
        let tested = tests.iter().any(|(_, text)| text.contains(&test));
        assert!(tested, "RFC {rfc} section {section}: no test {evidence}");
    }
}

/// `RFC N section S` in a comment, of an RFC that is listed, has a line with that section.
#[test]
fn what_comments_cite_is_listed() {
    let mut sections: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    clauses().iter().for_each(|clause| sections.entry(clause.rfc).or_default().push(clause.section));
    let mut cited = 0;
    for (path, text) in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for (rfc, listed) in &sections {
            let citation = format!("RFC {rfc} section ");
            for rest in text.split(&citation).skip(1) {
                let section = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap();
                let section = section.trim_end_matches('.');
                assert!(listed.contains(&section), "{}: {citation}{section} is not listed", path.display());
                cited += 1;
            }
        }
    }
    assert!(cited > 20, "citations are found where they are");
}
