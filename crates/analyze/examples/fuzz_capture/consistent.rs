//! A policy beside the counts that are its evidence.

use acklab_analyze::ConnectionRow;

/// Its evidence does not contradict a policy.
pub fn consistent(row: &ConnectionRow) -> bool {
    let (n, of) = (row.policy_evidence, row.policy_of);
    let most = 10 * n >= 8 * of;
    match (row.policy.as_str(), row.policy_why.as_str()) {
        ("every" | "delayed", "batches") => 2 * n >= of && n >= 12,
        ("every", _) => most && of <= row.plain_acks,
        ("delayed" | "quick-then-delayed" | "by-phase", _) => most && of >= 12 && of <= row.plain_acks,
        // A number that most have would be a fixed one.
        ("varying", _) => of >= 12 && n <= of && !most,
        // Only what is less than needed is too little.
        ("undecided", "few-acks" | "few-outside-quick") => n < of,
        // A number that few have needs no reason why it is no rule.
        ("undecided", "acks-missing" | "as-it-comes" | "waits" | "others" | "coarse-clock") => most,
        ("undecided", why) => !why.is_empty(),
        _ => true,
    }
}
