//! What no receiver does that keeps to the standards, and what a path may have done to its ACKs.

use crate::direction::Direction;
use crate::finding::{Policy, View};
use crate::thresholds::{MIN_ACKS, MIN_SPOOFED, MIN_UNUSUAL, many};
use crate::vantage::Vantage;

/// Data pass that were acknowledged before, which a capture that lacks other data shows, too.
pub fn ahead(direction: &Direction, view: &View) -> Option<Policy> {
    let counts = &direction.acks.counts;
    // Over a tick, packets that a capture has swapped seem far apart.
    let shown = many(counts.ahead, counts.new) && view.tick == 0.0;
    shown.then(|| Policy::new("optimistic", "ahead", (counts.ahead, counts.new)))
}

/// What else is proved to be unusual, or looks so and is not.
pub fn unusual(direction: &Direction, view: &View) -> Option<Policy> {
    let counts = &direction.acks.counts;
    let (all, segments) = (counts.new + counts.duplicates, direction.counts.segments);
    // Whatever the capture lacks, or has twice, may have called for a duplicate.
    let whole = view.copies == 0 && counts.of_unseen == 0 && direction.forgotten == 0;
    let enough = segments >= MIN_SPOOFED;
    let forged = whole && enough && counts.unprompted >= MIN_ACKS;
    [
        (true, "divided", "", (counts.split, segments)),
        (true, "optimistic", "echoes", (counts.earlier_echoes, counts.new)),
        (forged, "spoofed", "", (counts.unprompted, all)),
        (enough, "undecided", "unexplained-duplicates", (counts.unexplained, all)),
        (true, "undecided", "partial-acks", (counts.divided, counts.new)),
    ]
    .into_iter()
    .find(|&(allowed, .., (n, of))| allowed && many(n, of))
    .map(|(_, name, why, evidence)| Policy::new(name, why, evidence))
}

/// ACKs are missing in a number that matters; how that is known. Near the receiver nothing can have been taken out yet.
pub fn thinned(direction: &Direction, place: Vantage) -> Option<Policy> {
    let acks = &direction.acks;
    let counts = &acks.counts;
    if !matches!(place, Vantage::Sender | Vantage::Between) {
        return None;
    }
    let missing = acks.missing().filter(|&missing| acks.ids.explained >= MIN_UNUSUAL && many(missing, counts.packets));
    let between = counts.later_echoes - counts.last_echoes;
    match missing {
        Some(missing) => Some(Policy::new("thinned", "identifications", (missing, counts.packets))),
        None => many(between, counts.new).then(|| Policy::new("thinned", "echoes", (between, counts.new))),
    }
}
