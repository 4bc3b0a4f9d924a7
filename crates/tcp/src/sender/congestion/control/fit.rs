//! Which recovery and which pacing a control can run with.

use super::Needs;
use crate::rules::{Pacing, SenderRules, Variants};

/// Why a control called `name`, with these declarations, does not fit `rules`: the rule at fault, and what is wrong.
pub fn misfits(rules: &SenderRules, name: &str, needs: Needs, owns_window: bool) -> Vec<(&'static str, String)> {
    let recovery = rules.recovery.name();
    let mut found = Vec::new();
    if owns_window && !rules.recovery.leaves_window() {
        found.push((
            "control",
            format!("is \"{name}\", which needs recovery = \"rack\"; the recovery is \"{recovery}\""),
        ));
    } else if needs == Needs::Deliveries && !rules.recovery.reports() {
        let what = "which needs a recovery that reports losses: \"rfc6675\", \"fack\", \"rack\" or \"rfc9002\"";
        found.push(("control", format!("is \"{name}\", {what}; the recovery is \"{recovery}\"")));
    }
    if needs == Needs::Deliveries && rules.pacing != (Pacing::Off {}) {
        found.push(("pacing", format!("is on, but control = \"{name}\" paces by itself; must be \"off\"")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Stack, named};

    #[test]
    fn losses_come_from_four_recoveries_and_one_leaves_the_window() {
        let fits = |recovery: &str, owns| {
            let rules = SenderRules { recovery: named(recovery), ..Stack::Rfc.sender() };
            misfits(&rules, "own", Needs::Deliveries, owns).is_empty()
        };
        let all = ["tahoe", "reno", "newreno", "sack", "rfc6675", "fack", "rack", "rfc9002"];
        let of = |owns| all.into_iter().filter(|recovery| fits(recovery, owns)).collect::<Vec<_>>();
        assert_eq!(of(false), ["rfc6675", "fack", "rack", "rfc9002"]);
        assert_eq!(of(true), ["rack"]);
        let paced = SenderRules { pacing: Pacing::Spread { share: 1.0, burst: 1 }, ..Stack::Linux.sender() };
        let (key, what) = misfits(&paced, "own", Needs::Deliveries, true).remove(0);
        assert_eq!((key, what.as_str()), ("pacing", "is on, but control = \"own\" paces by itself; must be \"off\""));
    }
}
