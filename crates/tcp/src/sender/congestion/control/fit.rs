//! Which recovery and which pacing a control can run with.

use super::Needs;
use crate::rules::{Pacing, SenderRules, Variants};

/// Why a control called `name`, with these declarations, does not fit `rules`: the rule at fault, and what is wrong.
pub fn misfits(rules: &SenderRules, name: &str, needs: Needs, owns_window: bool) -> Vec<(&'static str, String)> {
    let recovery = rules.recovery.name();
    let mut found = Vec::new();
    if (owns_window || needs >= Needs::Deliveries) && !rules.recovery.reports() {
        let what = "which needs a recovery that reports losses: \"rfc6675\", \"fack\", \"rack\" or \"rfc9002\"";
        found.push(("control", format!("is \"{name}\", {what}; the recovery is \"{recovery}\"")));
    }
    if needs == Needs::Losses && rules.recovery.reports() && !rules.recovery.judges_segments() {
        let what = "which needs a recovery that judges each segment: \"rack\" or \"rfc9002\"";
        found.push(("control", format!("is \"{name}\", {what}; the recovery is \"{recovery}\"")));
    }
    if needs >= Needs::Deliveries && rules.pacing != (Pacing::Off {}) {
        found.push(("pacing", format!("is on, but control = \"{name}\" paces by itself; must be \"off\"")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Stack, named};

    #[test]
    fn four_recoveries_report_losses_and_leave_the_window() {
        let fits = |recovery: &str, needs, owns| {
            let rules = SenderRules { recovery: named(recovery), ..Stack::Rfc.sender() };
            misfits(&rules, "own", needs, owns).is_empty()
        };
        let all = ["tahoe", "reno", "newreno", "sack", "rfc6675", "fack", "rack", "rfc9002"];
        let of = |needs, owns| all.into_iter().filter(|recovery| fits(recovery, needs, owns)).collect::<Vec<_>>();
        for (needs, owns) in [(Needs::Deliveries, false), (Needs::Deliveries, true), (Needs::RoundTrips, true)] {
            assert_eq!(of(needs, owns), ["rfc6675", "fack", "rack", "rfc9002"]);
        }
        assert_eq!(of(Needs::RoundTrips, false), all);
        let paced = SenderRules {
            pacing: Pacing::Spread { share: 1.0, burst: 1, round_trip: crate::rules::PacedTrip::Least },
            ..Stack::Linux.sender()
        };
        let (key, what) = misfits(&paced, "own", Needs::Deliveries, true).remove(0);
        assert_eq!((key, what.as_str()), ("pacing", "is on, but control = \"own\" paces by itself; must be \"off\""));
    }
}
