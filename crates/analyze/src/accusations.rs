//! What no receiver does that keeps to the standards, and what a path may have done to its ACKs.

use crate::direction::Direction;
use crate::finding::{Policy, View};
use crate::phrases::ms;
use crate::rule::shares;
use crate::thresholds::{AHEAD_S, LEAST_ACKS, LEAST_SPOOFED, UNUSUAL_LEAST, many};
use crate::vantage::Vantage;

/// Data pass that were acknowledged before, which a capture that lacks other data shows, too.
pub fn ahead(direction: &Direction, view: &View) -> Option<Policy> {
    let counts = &direction.acks.counts;
    // Over a tick, packets that a capture has swapped seem far apart.
    if many(counts.ahead, counts.new) && view.tick == 0.0 {
        let words = format!(
            "acknowledges data before they arrive: {} of {} ACKs came more than {} before the data passed",
            counts.ahead,
            counts.new,
            ms(AHEAD_S)
        );
        return Some(Policy::without_number("optimistic", words));
    }
    None
}

/// What else is proved to be unusual, or looks so and is not.
pub fn unusual(direction: &Direction, view: &View) -> Option<Policy> {
    let counts = &direction.acks.counts;
    let found = |name, words| Some(Policy::without_number(name, words));
    let all = counts.new + counts.duplicates;
    if many(counts.split, direction.counts.segments) {
        let words = format!(
            "divides ACKs: {} segments of at most {} bytes, which passed once, were acknowledged in parts; {} of {} ACKs end inside a segment",
            counts.split,
            direction.unit(),
            counts.divided,
            counts.new
        );
        return found("divided", words);
    }
    if many(counts.earlier_echoes, counts.new) {
        let words = format!(
            "acknowledges data before they arrive: {} of {} ACKs echo an earlier segment than the first they cover",
            counts.earlier_echoes, counts.new
        );
        return found("optimistic", words);
    }
    // Whatever the capture lacks, or has twice, may have called for a duplicate.
    let whole = view.copies == 0 && counts.of_unseen == 0 && direction.forgotten == 0;
    if whole
        && direction.counts.segments >= LEAST_SPOOFED
        && counts.unprompted >= LEAST_ACKS
        && many(counts.unprompted, all)
    {
        let words = format!(
            "sends duplicate ACKs that no segment has called for: {} of {all} ACKs, without SACK blocks, when each of {} segments had been answered",
            counts.unprompted, direction.counts.segments
        );
        return found("spoofed", words);
    }
    if direction.counts.segments >= LEAST_SPOOFED && many(counts.unexplained, all) {
        let words = format!(
            "not decidable, because {} of {all} ACKs are duplicates without a cause, which may be copies, or answer what the capture lacks",
            counts.unexplained
        );
        return found("undecided", words);
    }
    if many(counts.divided, counts.new) {
        let words = format!(
            "not decidable, because {} of {} ACKs end inside a packet that was resent or larger than a segment, or at the window's edge",
            counts.divided, counts.new
        );
        return found("undecided", words);
    }
    None
}

/// ACKs are missing in a number that matters; how that is known. Near the receiver nothing can have been taken out yet.
pub fn thinned(direction: &Direction, place: Vantage) -> Option<Policy> {
    let acks = &direction.acks;
    let counts = &acks.counts;
    if !matches!(place, Vantage::Sender | Vantage::Between) {
        return None;
    }
    let missing =
        acks.missing().filter(|&missing| acks.ids.explained >= UNUSUAL_LEAST && many(missing, counts.packets));
    let between = counts.later_echoes - counts.last_echoes;
    let how = match missing {
        Some(missing) => format!(
            "at least {missing} ACKs are missing beside the {} that passed (where an ACK covers more than two segments, a gap of fitting size in the receiver's IPv4 identifications goes with it, {} times)",
            counts.packets, acks.ids.explained
        ),
        None if many(between, counts.new) => format!(
            "{} of {} ACKs echo neither the first segment they cover nor the last, but one between, so that an ACK of those before it was lost or filtered",
            between, counts.new
        ),
        None => return None,
    };
    let words =
        format!("ACKs are thinned out before they come here: {how}; of those that came, {}", shares(&acks.holds.all));
    Some(Policy::without_number("thinned", words))
}
