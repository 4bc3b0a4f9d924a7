//! The receiver's policy, in a word and in a sentence with its evidence.

use crate::acks::Acks;
use crate::holds::{Holds, MANY};
use crate::thresholds::{
    LEAST_ACKS, LEAST_HELD, MOST_WEIGHT, QUICK_RUN, REST_SHARE, RULE_SHARE, SEQUENTIAL_SHARE, STEADY_SHARE,
    UNUSUAL_LEAST, UNUSUAL_SHARE,
};

/// What the ACKs of one direction amount to.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// A word for programs: one of [`NAMES`].
    pub name: &'static str,
    /// Segments an ACK waits for, where it is a fixed number.
    pub every: Option<u64>,
    /// Seconds after which a lone segment is acknowledged all the same, where that was seen.
    pub timer: Option<f64>,
    /// A sentence or two for people.
    pub words: String,
}

/// Every [`Policy::name`].
pub const NAMES: [&str; 11] = [
    "every",
    "delayed",
    "quick-then-delayed",
    "by-phase",
    "periodic",
    "varying",
    "divided",
    "spoofed",
    "optimistic",
    "thinned",
    "undecided",
];

/// Decides. What no receiver does that keeps to the standards comes first, then what the way may have done.
pub fn of(acks: &Acks) -> Policy {
    let holds = &acks.holds;
    unusual(acks).or_else(|| thinned(acks)).unwrap_or_else(|| {
        let count = holds.count();
        if count < LEAST_ACKS {
            let plain = if count == 0 { "no ACK".to_owned() } else { format!("only {}", plural(count, "ACK")) };
            let words = format!("not decidable, because {plain} of plain new data passed ({LEAST_ACKS} are needed)");
            return Policy { name: "undecided", every: None, timer: None, words };
        }
        let timer = timer(holds);
        fixed(holds, timer).or_else(|| periodic(holds, timer)).unwrap_or_else(|| varying(holds, timer))
    })
}

/// ACKs missing between those that passed, where their sender's identifications count its packets.
pub fn missing(acks: &Acks) -> Option<u64> {
    let ids = &acks.ids;
    let all = ids.near + ids.far;
    (all >= LEAST_ACKS && ids.near as f64 >= SEQUENTIAL_SHARE * all as f64).then_some(ids.missing)
}

/// So many that they matter.
pub fn many(n: u64, of: u64) -> bool {
    n >= UNUSUAL_LEAST && n as f64 >= UNUSUAL_SHARE * of as f64
}

fn unusual(acks: &Acks) -> Option<Policy> {
    let counts = &acks.counts;
    let found = |name, words| Some(Policy { name, every: None, timer: None, words });
    let all = counts.new + counts.duplicates;
    if many(counts.ahead, counts.new) {
        let words = format!("acknowledges data before they arrive: {} of {} ACKs", counts.ahead, counts.new);
        return found("optimistic", words);
    }
    if many(counts.divided, counts.new) {
        let words = format!("divides ACKs: {} of {} end inside a segment", counts.divided, counts.new);
        return found("divided", words);
    }
    if many(counts.earlier_echoes, counts.new) {
        let words = format!(
            "acknowledges data before they arrive: {} of {} ACKs echo an earlier segment than the first they cover",
            counts.earlier_echoes, counts.new
        );
        return found("optimistic", words);
    }
    if many(counts.unprompted, all) {
        let words = format!("sends duplicate ACKs that no segment has called for: {} of {all} ACKs", counts.unprompted);
        return found("spoofed", words);
    }
    None
}

/// ACKs are missing in a number that matters; how that is known.
fn thinned(acks: &Acks) -> Option<Policy> {
    let counts = &acks.counts;
    let missing = missing(acks).filter(|&missing| many(missing, counts.packets));
    let how = match missing {
        Some(missing) => format!(
            "{missing} of {} packets of the receiver did not pass here (gaps in their IPv4 identification)",
            missing + counts.packets
        ),
        None if many(counts.later_echoes, counts.new) => format!(
            "{} of {} ACKs echo a later segment than the first they cover, so that ACKs before them were lost or filtered",
            counts.later_echoes, counts.new
        ),
        None => return None,
    };
    let words =
        format!("ACKs are thinned out before they come here: {how}; of those that came, {}", shares(&acks.holds));
    Some(Policy { name: "thinned", every: None, timer: None, words })
}

/// A fixed number of segments an ACK, or the timer.
fn fixed(holds: &Holds, timer: Option<f64>) -> Option<Policy> {
    // An ACK of several segments weighs as much as several ACKs, but a host's single stall must not outweigh the rest.
    let weigh = |n: u64| n.min(MOST_WEIGHT);
    let share = |n: u64, of: u64| n as f64 / of.max(1) as f64;
    let total = (1..=MANY as u64).map(|n| weigh(n) * (at(&holds.at_once, n) + at(&holds.held, n))).sum::<u64>();
    let quick = holds.quick_later + if holds.lead >= QUICK_RUN { holds.lead } else { 0 };
    let rest = total - quick.min(total);
    let best = (2..MANY as u64).max_by_key(|&every| (every * at(&holds.at_once, every), std::cmp::Reverse(every)))?;
    let held = |weight: fn(u64) -> u64| (1..=best).map(|n| weight(n) * at(&holds.held, n)).sum::<u64>();
    let hits = weigh(best) * at(&holds.at_once, best) + held(|n| n.min(MOST_WEIGHT));
    let delayed = at(&holds.at_once, best) > 0 || at(&holds.held, 1) > 0;
    if delayed && share(hits, rest) >= RULE_SHARE && share(rest, total) >= REST_SHARE {
        let counts = (at(&holds.at_once, best) + held(|_| 1), holds.count() - quick.min(holds.count()));
        return Some(delayed_by(holds, best, counts, timer));
    }
    let singles = at(&holds.at_once, 1);
    (share(singles, total) >= RULE_SHARE).then(|| {
        let words = format!("acknowledges every segment, at once ({singles} of {} ACKs)", holds.count());
        Policy { name: "every", every: Some(1), timer: None, words }
    })
}

fn delayed_by(holds: &Holds, every: u64, (hits, rest): (u64, u64), timer: Option<f64>) -> Policy {
    let full = at(&holds.at_once, every) > 0;
    let mut words = if full { format!("delayed, every {} segment", ordinal(every)) } else { "delayed".to_owned() };
    match timer {
        Some(timer) => {
            let lone = plural(holds.held_single.count(), "lone segment");
            words += &format!(", timer ~{} ({lone} waited)", ms(timer));
        }
        None => words += ", no timer seen",
    }
    let lead = if holds.lead >= QUICK_RUN { holds.lead } else { 0 };
    let name = match (holds.phases, lead) {
        (1.., _) => "by-phase",
        (0, 1..) => "quick-then-delayed",
        (0, 0) => "delayed",
    };
    if holds.lead.max(holds.phases) >= QUICK_RUN {
        words += &format!("; {hits} of {rest} ACKs outside quick phases are so");
    } else {
        words += &format!("; {hits} of {rest} ACKs are so");
    }
    if lead > 0 {
        words += &format!("; quick ACKs for the first {lead} segments");
    }
    if holds.phases > 0 {
        let (again, segments) = (plural(holds.phases, "time"), holds.quick_later);
        words +=
            &format!("; quick again {again}, for {segments} segments, {} after a loss", holds.phases_after_disorder);
    }
    Policy { name, every: full.then_some(every), timer, words }
}

/// ACKs at equal intervals, whatever came in between.
fn periodic(holds: &Holds, timer: Option<f64>) -> Option<Policy> {
    let [early, middle, late] = [0.2, 0.5, 0.8].map(|share| holds.gaps.quantile(share));
    let (early, middle, late) = (early?, middle?, late?);
    (late - early <= STEADY_SHARE * middle && holds.of(3..=MANY) * 2 > holds.count()).then(|| {
        let words = format!("periodic, an ACK about every {}, whatever came; {}", ms(middle), shares(holds));
        Policy { name: "periodic", every: None, timer, words }
    })
}

fn varying(holds: &Holds, timer: Option<f64>) -> Policy {
    let words = format!("no fixed number of segments an ACK: {}", shares(holds));
    Policy { name: "varying", every: None, timer, words }
}

fn shares(holds: &Holds) -> String {
    let [one, two, more] = [1..=1, 2..=2, 3..=MANY].map(|range| holds.of(range));
    format!("{one} cover one segment, {two} two, {more} more")
}

/// Where most held ACKs of a single segment lie.
///
/// Their waiting was counted from the handshake's round trip, in which no full segment had to be serialised; where some
/// ACK was at once, the least delay of all says what that takes.
fn timer(holds: &Holds) -> Option<f64> {
    let held = &holds.held_single;
    let mode = (held.count() >= LEAST_HELD).then(|| held.mode_above(0.0)).flatten()?;
    Some(mode - holds.serialisation())
}

fn at(counts: &[u64], segments: u64) -> u64 {
    counts.get(segments as usize - 1).copied().unwrap_or(0)
}

fn ordinal(number: u64) -> String {
    match number {
        2 => "2nd".to_owned(),
        3 => "3rd".to_owned(),
        n => format!("{n}th"),
    }
}

/// `1 ACK`, `2 ACKs`.
pub fn plural(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A span with two or three digits.
pub fn ms(secs: f64) -> String {
    let ms = secs * 1e3;
    match ms {
        10.0.. => format!("{ms:.0} ms"),
        1.0.. => format!("{ms:.1} ms"),
        _ => format!("{:.0} µs", ms * 1e3),
    }
}
