//! Queues beside ns-3's queue discs (tests/oracle/ns3 has ns-3's side): docs/oracle/queues.md names each case that differs, with
//! its numbers and the reason.

mod judged;

use std::collections::BTreeMap;
use std::path::Path;

/// The rows of the page's tables: the words between the bars.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let lines = page.lines().filter(|line| line.starts_with('|'));
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// 12003 as `12,003`.
fn grouped(number: usize) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

/// `--nocapture` prints each case.
#[test]
fn packets_meet_the_same_fate_as_in_ns_3_but_where_the_page_says_why() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(home.join("docs/oracle/queues.md")).expect("the page");
    let rows = rows(&page);
    let folder = home.join("tests/oracle/ns3/queues");
    let mut paths: Vec<_> = folder.read_dir().expect("data").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    assert!(paths.len() >= 45, "{} cases", paths.len());
    let (mut equal_cases, mut wrong) = (BTreeMap::<String, (usize, usize)>::new(), Vec::new());
    let mut named: Vec<&str> = rows.iter().filter_map(|row| row[0].strip_prefix('`')?.strip_suffix('`')).collect();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().replace(".txt.gz", "");
        let (packets, equal, note) = judged::compare(&path);
        println!("{name:25} {packets:5} {equal:5} {note}");
        if equal < packets {
            let key = format!("`{name}`");
            let told = rows.iter().find(|row| row[0] == key).map(|row| (row[1], row[2]));
            let (all, same) = (grouped(packets), grouped(equal));
            if told != Some((all.as_str(), same.as_str())) {
                wrong.push(format!("{name}: {same} of {all}, first {note}; the page has {told:?}"));
            }
            named.retain(|other| **other != name);
        } else {
            let queue = ["fq-codel", "fq-cobalt", "fq-pie", "codel", "cobalt", "pie", "red", "tbf"];
            let family = queue.into_iter().find(|family| name.starts_with(family)).expect("a queue");
            let (cases, all) = equal_cases.entry(format!("ns-3 `{family}`")).or_default();
            (*cases, *all) = (*cases + 1, *all + packets);
        }
    }
    wrong.extend(
        named
            .into_iter()
            .filter(|name| name.contains('-') && folder.join(format!("{name}.txt.gz")).exists())
            .map(|name| format!("{name} is equal now, and the page says that it differs")),
    );
    let (cases, packets) = equal_cases.values().fold((0, 0), |sum, other| (sum.0 + other.0, sum.1 + other.1));
    let sentence = format!("in {cases} cases with {} packets, every packet", grouped(packets));
    wrong.extend((!page.contains(&sentence)).then(|| format!("the page does not say: {sentence}")));
    for (queue, (cases, packets)) in equal_cases {
        let row = vec![queue.clone(), cases.to_string(), grouped(packets)];
        if !rows.iter().any(|told| *told == row) {
            wrong.push(format!("the page has no row | {} |", row.join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
