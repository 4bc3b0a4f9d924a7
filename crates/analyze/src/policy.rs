//! The receiver's policy, in a word and in a sentence with its evidence.

use crate::acks::Acks;
use crate::direction::Direction;
use crate::holds::{Holds, MANY};
use crate::phrases::{ms, ordinal, plural, range};
use crate::thresholds::{
    AHEAD_S, FLOOR_SHARE, LEAST_ACKS, LEAST_HELD, LEAST_LONG, LEAST_NEXT, LEAST_OUTSIDE, LEAST_SPOOFED, MOST_WEIGHT,
    PLAIN_SHARE, QUICK_RUN, REST_SHARE, RULE_SHARE, STEADY_SHARE, STRETCH_SHARE, TIMER_RANGE, TIMER_SHARE, TIMER_WIDTH,
    UNEXPLAINED_SHARE, UNUSUAL_LEAST, UNUSUAL_SHARE,
};
use crate::vantage::Vantage;

/// What the ACKs of one direction amount to.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// A word for programs: one of [`NAMES`].
    pub name: &'static str,
    /// Segments an ACK waits for, where it is a fixed number.
    pub every: Option<u64>,
    /// Seconds after which a lone segment is acknowledged all the same, where that was seen.
    pub timer: Option<Timer>,
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

/// Decides of what `direction`'s ACKs are, seen from `place`. What no receiver does that keeps to the standards comes first, then what
/// the path may have done. Both are accusations: each has conditions under which nothing is said.
pub fn of(direction: &Direction, copies: u64, place: Vantage) -> Policy {
    let holds = &direction.acks.holds;
    unusual(direction, copies).or_else(|| thinned(&direction.acks, place)).unwrap_or_else(|| {
        let count = holds.count();
        if count < LEAST_ACKS {
            let plain = if count == 0 { "no ACK".to_owned() } else { format!("only {}", plural(count, "ACK")) };
            let words = format!("not decidable, because {plain} of plain new data passed ({LEAST_ACKS} are needed)");
            return Policy { name: "undecided", every: None, timer: None, words };
        }
        let new = direction.acks.counts.new;
        if (count as f64) < PLAIN_SHARE * new as f64 {
            let words = format!("not decidable, because only {count} of {new} ACKs are of plain new data");
            return Policy { name: "undecided", every: None, timer: None, words };
        }
        let timer = timer(holds);
        if may_be_thinned(&direction.acks, place) {
            return varying(holds);
        }
        // A slow link in the ACKs' direction lets filtered ACKs through at equal intervals.
        let complete = place == Vantage::Receiver || missing(&direction.acks) == Some(0);
        // How many segments a message has says nothing of its receiver.
        let free = !as_it_comes(holds, place) && (!far(place) || complete || kept(&direction.acks));
        fixed(holds, timer)
            .filter(|fixed| free || fixed.every.is_none_or(|every| every <= 2))
            .or_else(|| periodic(holds, timer).filter(|_| complete && free))
            .or_else(|| batched(holds, timer).filter(|found| free || found.every.is_none_or(|every| every <= 2)))
            .unwrap_or_else(|| varying(holds))
    })
}

/// Whether most ACKs of many segments may be of so many because no more had come: seen at the receiver each answers one packet, or
/// a batch with a pause before it; seen elsewhere each covers all there is.
fn as_it_comes(holds: &Holds, place: Vantage) -> bool {
    let so = match place {
        Vantage::Receiver => holds.apart,
        Vantage::Both => holds.apart.max(holds.emptied),
        Vantage::Sender | Vantage::Between | Vantage::Unknown => holds.emptied,
    };
    2 * so >= holds.stretched.max(1)
}

/// True if ACKs may be lost between the receiver and the capture.
fn far(place: Vantage) -> bool {
    matches!(place, Vantage::Sender | Vantage::Between | Vantage::Unknown)
}

/// True if timestamps show that no ACK is missing: an ACK of several segments echoes the first of them (RFC 7323 section 4.3).
fn kept(acks: &Acks) -> bool {
    many(acks.counts.first_echoes, acks.counts.new) && !many(acks.counts.later_echoes, acks.counts.new)
}

/// Whether ACKs of a regular receiver may be missing, without proof: those that came echo the last segment they cover. Some
/// receivers always do.
pub fn may_be_thinned(acks: &Acks, place: Vantage) -> bool {
    far(place) && many(acks.counts.last_echoes, acks.counts.new) && missing(acks).is_none()
}

/// ACKs missing between those that passed: no more than the segments that the next one covers. None where the identifications do
/// not count the packets of the connection.
pub fn missing(acks: &Acks) -> Option<u64> {
    let ids = &acks.ids;
    let (steps, explained) = (ids.next + ids.jumps + ids.explained + ids.other, ids.explained);
    let counts = steps >= LEAST_ACKS
        && (ids.next >= LEAST_NEXT || ids.steps.is_some_and(|(least, most)| least < most))
        && ids.other as f64 <= UNEXPLAINED_SHARE * (ids.next + explained) as f64
        && (explained == 0 || ids.jumps as f64 <= STRETCH_SHARE * explained as f64);
    counts.then_some(ids.missing)
}

/// So many that they matter.
pub fn many(n: u64, of: u64) -> bool {
    n >= UNUSUAL_LEAST && n as f64 >= UNUSUAL_SHARE * of as f64
}

fn unusual(direction: &Direction, copies: u64) -> Option<Policy> {
    let counts = &direction.acks.counts;
    let found = |name, words| Some(Policy { name, every: None, timer: None, words });
    let all = counts.new + counts.duplicates;
    if many(counts.ahead, counts.new) {
        let words = format!(
            "acknowledges data before they arrive: {} of {} ACKs came more than {} before the data passed",
            counts.ahead,
            counts.new,
            ms(AHEAD_S)
        );
        return found("optimistic", words);
    }
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
    let whole = copies == 0 && counts.of_unseen == 0 && direction.forgotten == 0;
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
fn thinned(acks: &Acks, place: Vantage) -> Option<Policy> {
    let counts = &acks.counts;
    if !matches!(place, Vantage::Sender | Vantage::Between) {
        return None;
    }
    let missing = missing(acks).filter(|&missing| acks.ids.explained >= UNUSUAL_LEAST && many(missing, counts.packets));
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
        format!("ACKs are thinned out before they come here: {how}; of those that came, {}", shares(&acks.holds));
    Some(Policy { name: "thinned", every: None, timer: None, words })
}

/// A fixed number of segments an ACK, or the timer.
fn fixed(holds: &Holds, timer: Option<Timer>) -> Option<Policy> {
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
    let counts = (at(&holds.at_once, best) + held(|_| 1), holds.count() - quick.min(holds.count()));
    let enough = share(rest, total) >= REST_SHARE && counts.0 >= LEAST_OUTSIDE;
    if delayed && enough && share(hits, rest) >= RULE_SHARE {
        return Some(delayed_by(holds, best, counts, timer));
    }
    let singles = at(&holds.at_once, 1);
    (share(singles, total) >= RULE_SHARE).then(|| {
        let mut words = format!("acknowledges every segment, at once ({singles} of {} ACKs)", holds.count());
        if holds.lead + QUICK_RUN >= holds.count() && holds.count() < LEAST_LONG {
            words += "; receivers that wait later may begin so";
        }
        Policy { name: "every", every: Some(1), timer: None, words }
    })
}

fn delayed_by(holds: &Holds, every: u64, (hits, rest): (u64, u64), timer: Option<Timer>) -> Policy {
    let full = at(&holds.at_once, every) > 0;
    let mut words = if full { format!("delayed, every {} segment", ordinal(every)) } else { "delayed".to_owned() };
    words += &waited(holds, timer);
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
fn periodic(holds: &Holds, timer: Option<Timer>) -> Option<Policy> {
    let [early, middle, late] = [0.2, 0.5, 0.8].map(|share| holds.gaps.quantile(share));
    let (early, middle, late) = (early?, middle?, late?);
    (late - early <= STEADY_SHARE * middle && holds.of(3..=MANY) * 2 > holds.count()).then(|| {
        let words = format!("periodic, an ACK about every {}, whatever came; {}", ms(middle), shares(holds));
        Policy { name: "periodic", every: None, timer, words }
    })
}

/// A receiver that acknowledges every n-th segment, and more where they come in batches: GRO hands several over as one, and a
/// busy receiver finds several at once.
fn batched(holds: &Holds, timer: Option<Timer>) -> Option<Policy> {
    let usual = Usual::of(holds)?;
    if usual.mode != usual.least || usual.times * 2 < usual.of || !holds.in_batches() {
        return None;
    }
    let (name, every) = match usual.least {
        1 => ("every", "every segment".to_owned()),
        n => ("delayed", format!("every {} segment", ordinal(n))),
    };
    let waited = if usual.least > 1 { waited(holds, timer) } else { String::new() };
    let words = format!("acknowledges {every}: {} when segments come in batches{waited}", usual.words());
    Some(Policy { name, every: Some(usual.least), timer: timer.filter(|_| usual.least > 1), words })
}

fn varying(holds: &Holds) -> Policy {
    let usual = Usual::of(holds).map_or(String::new(), |usual| format!("{}; ", usual.words()));
    let words = format!("no fixed number of segments an ACK: {usual}{}", shares(holds));
    Policy { name: "varying", every: None, timer: None, words }
}

/// How many segments the ACKs cover that did not wait, quick phases left out.
struct Usual {
    /// All but a few cover at least so many.
    least: u64,
    /// There are ACKs of fewer.
    seldom_fewer: bool,
    /// Most cover so many; how many ACKs, of how many; and the most that one covers.
    mode: u64,
    times: u64,
    of: u64,
    most: u64,
}

impl Usual {
    fn of(holds: &Holds) -> Option<Usual> {
        let quick = holds.quick_later + if holds.lead >= QUICK_RUN { holds.lead } else { 0 };
        let count = |n: u64| at(&holds.at_once, n).saturating_sub(if n == 1 { quick } else { 0 });
        let (all, of) = (1..=MANY as u64, (1..=MANY as u64).map(count).sum::<u64>());
        if of < LEAST_ACKS {
            return None;
        }
        let mut below = 0;
        let least = all.clone().find(|&n| {
            below += count(n);
            below as f64 > FLOOR_SHARE * of as f64
        })?;
        let mode = all.clone().max_by_key(|&n| (count(n), std::cmp::Reverse(n)))?;
        let most = all.rev().find(|&n| count(n) > 0)?;
        Some(Usual { least, seldom_fewer: below > count(least), mode, times: count(mode), of, most })
    }

    fn words(&self) -> String {
        let Usual { least, mode, times, of, most, .. } = self;
        let seldom = if self.seldom_fewer { "seldom" } else { "never" };
        let fewer = if *least > 1 { format!("{seldom} fewer than {least} at once, ") } else { String::new() };
        let more = if *most >= MANY as u64 { format!("{MANY} and more") } else { format!("up to {most}") };
        format!("{fewer}mostly {mode} ({times} of {of} ACKs that did not wait), {more}")
    }
}

/// The numbers of segments that ACKs cover, each with its share of the ACKs: those that a tenth or more have.
fn shares(holds: &Holds) -> String {
    let (all, of) = (holds.count(), |n: usize| holds.of(n..=n));
    let named: Vec<usize> = (1..=MANY).filter(|&n| of(n) * 10 >= all && of(n) > 0).collect();
    let rest = all - named.iter().map(|&n| of(n)).sum::<u64>();
    let mut words: Vec<String> = named.iter().map(|&n| format!("{} cover {}", of(n), amount(n))).collect();
    if let (true, Some(most)) = (rest > 0, (1..=MANY).rev().find(|&n| of(n) > 0)) {
        words.push(format!("{rest} others up to {}", amount(most)));
    }
    if words.is_empty() { "none covers plain data".to_owned() } else { words.join(", ") }
}

fn amount(segments: usize) -> String {
    match segments {
        1 => "one segment".to_owned(),
        MANY => format!("{MANY} segments or more"),
        n => format!("{n}"),
    }
}

/// How lone segments waited for their ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timer {
    /// Where most lie, in seconds; the middle four fifths lie between the others.
    pub mode: f64,
    pub low: f64,
    pub high: f64,
}

/// A timer is named from enough held ACKs of a single segment, if most of them waited alike.
///
/// Their waiting was counted from the handshake's round trip, in which no full segment had to be serialised; where some
/// ACK was at once, the least delay of all says what that takes.
fn timer(holds: &Holds) -> Option<Timer> {
    let held = &holds.held_single;
    if held.count() < LEAST_HELD {
        return None;
    }
    let mode = held.mode_above(0.0)?;
    let near = held.between(mode * (1.0 - TIMER_WIDTH), mode * (1.0 + TIMER_WIDTH));
    if (near as f64) < TIMER_SHARE * held.count() as f64 {
        return None;
    }
    let less = |value: f64| (value - holds.serialisation()).max(0.0);
    let timer = Timer { mode: less(mode), low: less(held.quantile(0.1)?), high: less(held.quantile(0.9)?) };
    (timer.high <= TIMER_RANGE * timer.low).then_some(timer)
}

/// What is said of waiting.
fn waited(holds: &Holds, timer: Option<Timer>) -> String {
    if holds.held_single.count() < LEAST_HELD {
        return ", no timer seen".to_owned();
    }
    let lone = plural(holds.held_single.count(), "lone segment");
    match (timer, holds.held_single.quantile(0.1), holds.held_single.quantile(0.9)) {
        (Some(timer), ..) => format!(", timer {} ({lone} waited)", range(timer.low, timer.high)),
        (None, Some(low), Some(high)) => format!(", {lone} waited {}, which tells no timer", range(low, high)),
        _ => ", no timer seen".to_owned(),
    }
}

fn at(counts: &[u64], segments: u64) -> u64 {
    counts.get(segments as usize - 1).copied().unwrap_or(0)
}
