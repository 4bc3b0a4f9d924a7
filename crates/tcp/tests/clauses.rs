//! What RFCs require, and where: each line of `clauses.txt` names a file and a test that are there, and what comments cite is listed.

use std::collections::{BTreeMap, BTreeSet};
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

/// The lines of the list that say something.
fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("clauses.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The RFC that a heading names.
fn named(line: &str) -> Option<u32> {
    line.strip_prefix("RFC ").map(|heading| heading.split(' ').next().unwrap().parse().unwrap())
}

/// The list; a heading names the RFC of the lines below it.
fn clauses() -> Vec<Clause> {
    let mut rfc = 0;
    let mut clauses = Vec::new();
    for line in lines() {
        if let Some(heading) = named(line) {
            rfc = heading;
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

/// The tests of a file: functions without arguments that the harness runs.
fn tests(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    let pairs = lines.clone().zip(lines.skip(1)).filter(|(above, _)| *above == "#[test]");
    pairs.filter_map(|(_, line)| line.strip_prefix("fn ")?.strip_suffix("() {"))
}

#[test]
fn what_is_met_has_a_file_and_a_test() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = [sources(&home.join("src")), sources(&home.join("tests"))].concat();
    let tests: BTreeSet<&str> = sources.iter().flat_map(|(_, text)| tests(text)).collect();
    let mut met = BTreeSet::new();
    for Clause { rfc, section, file, evidence } in clauses() {
        if ["no", "-"].contains(&file) {
            assert!(evidence.contains(' '), "RFC {rfc} section {section}: a reason");
            continue;
        }
        assert!(home.join("src").join(file).is_file(), "RFC {rfc} section {section}: no file src/{file}");
        assert!(tests.contains(evidence), "RFC {rfc} section {section}: no test {evidence}");
        met.insert(rfc);
    }
    assert_eq!(met, lines().filter_map(named).collect(), "the RFCs of which a requirement is met, and those named");
}

#[test]
fn a_function_that_no_harness_runs_is_no_test() {
    let text = "#[test]\nfn one() {\n}\nfn two() {\n}\n    #[test]\n    fn three() {\n";
    assert_eq!(tests(text).collect::<Vec<_>>(), ["one", "three"]);
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
