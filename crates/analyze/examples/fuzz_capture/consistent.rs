//! A policy's sentence beside the counts that it names.

use acklab_analyze::ConnectionRow;

/// A policy's sentence is not contradicted by the counts that it names: `12 of 15 ACKs`, or `of 15 ACKs 12 cover 2`.
pub fn consistent(row: &ConnectionRow) -> bool {
    let first = row.finding.split(". ").next().unwrap_or_default();
    let words: Vec<&str> = first.split([' ', ';', ',', ':', '(', ')']).filter(|word| !word.is_empty()).collect();
    let number = |place: usize| words.get(place).and_then(|word| word.parse::<u64>().ok());
    let before = |what: &str| words.iter().position(|word| *word == what).and_then(|at| number(at.checked_sub(1)?));
    let most = |n: u64, of: u64| 10 * n >= 8 * of;
    let acks = (0..words.len()).find(|&at| words[at] == "of" && words.get(at + 2) == Some(&"ACKs"));
    let part = acks.and_then(|at| Some((number(at.checked_sub(1)?)?, number(at + 1)?)));
    let covering: Vec<u64> =
        (1..words.len()).filter(|&at| words[at] == "cover").filter_map(|at| number(at - 1)).collect();
    match row.policy.as_str() {
        // A number that most have would be a fixed one.
        "varying" => acks.and_then(|at| number(at + 1)).is_some_and(|all| {
            all >= 12 && covering.iter().sum::<u64>() <= all && covering.iter().all(|&n| !most(n, all))
        }),
        "every" if !first.contains("batches") => part.is_some_and(|(n, of)| most(n, of) && of <= row.plain_acks),
        "delayed" | "quick-then-delayed" | "by-phase" if !first.contains("batches") => {
            part.is_some_and(|(n, of)| most(n, of) && of >= 12 && of <= row.plain_acks)
        }
        "every" | "delayed" => part.is_some_and(|(n, of)| 2 * n >= of && n >= 12),
        // Only what is less than needed is too little.
        "undecided" if first.contains("outside quick phases, ") => words
            .iter()
            .position(|word| word.starts_with("ACK"))
            .and_then(|at| number(at - 1).zip(before("are")))
            .is_some_and(|(few, needed)| few < needed),
        // A number that few have needs no reason why it is no rule.
        "undecided" if !covering.is_empty() => {
            acks.and_then(|at| number(at + 1)).is_none_or(|all| covering.iter().any(|&n| most(n, all)))
        }
        _ => true,
    }
}
