//! The rule that plain ACKs follow: a number of segments, a period, or none. Each sentence names the counts that decide it.

use crate::finding::Policy;
use crate::holds::Holds;
use crate::phases::{Phases, Tally};
use crate::phrases::{ms, ordinal, plural};
use crate::thresholds::{
    FLOOR_SHARE, HELD_S, LEAST_ACKS, LEAST_FULL, LEAST_LONG, LEAST_TICKS, MANY, MOST_WEIGHT, QUICK_RUN, REST_SHARE,
    RULE_SHARE, STEADY_SHARE,
};
use crate::timer::{Timer, waited};

/// ACKs of one receiver, and what its clock shows.
pub struct Evidence<'a> {
    pub holds: &'a Holds,
    /// The phases, which have ended.
    pub phases: &'a Phases,
    pub timer: Option<Timer>,
    /// Seconds of a tick of the capture's clock, if it is coarse.
    pub tick: f64,
}

/// So many that a rule holds.
fn most(n: u64, of: u64) -> bool {
    n as f64 >= RULE_SHARE * of as f64
}

/// ACKs by the segments they cover, each for as many ACKs as it covers segments, but at most [`MOST_WEIGHT`]. An ACK of several
/// replaces several, but a host's single stall must not outweigh the rest.
fn weight(tally: impl Fn(u64) -> u64, segments: std::ops::RangeInclusive<u64>) -> u64 {
    segments.map(|n| n.min(MOST_WEIGHT) * tally(n)).sum()
}

impl Evidence<'_> {
    /// A fixed number of segments an ACK, or a timer, outside quick phases.
    pub fn delayed(&self) -> Option<Policy> {
        let outside = self.phases.outside();
        let every = (2..MANY as u64).max_by_key(|&n| (n * outside.at_once(n), std::cmp::Reverse(n)))?;
        let full = outside.at_once(every);
        let held = |n: u64| if n <= every { outside.held(n) } else { 0 };
        let hits = full + (1..=every).map(held).sum::<u64>();
        let weighted = every.min(MOST_WEIGHT) * full + weight(held, 1..=every);
        let all = 1..=MANY as u64;
        let of = outside.count();
        if of < LEAST_ACKS || !self.matters() {
            return None;
        }
        let outside_words = if self.phases.all_quick() > 0 { " outside quick phases" } else { "" };
        // The number has to be shown by ACKs that did not wait, whatever others did.
        let numbered = most(hits, of)
            && most(weighted, weight(|n| outside.of(n), all.clone()))
            && full >= LEAST_FULL
            && most(full, all.map(|n| outside.at_once(n)).sum());
        if numbered {
            let number = format!("delayed, every {} segment", ordinal(every));
            let waited = waited(self.holds, self.timer, self.tick);
            let words = format!("{number}{waited}; {hits} of {of} ACKs{outside_words} are so{}", self.quick_words());
            return Some(self.delayed_by(Some(every), words));
        }
        let held = outside.all_held();
        // Without a number, only waits that are alike are a receiver's own.
        (most(held, of) && self.timer.is_some()).then(|| {
            let waited = waited(self.holds, self.timer, self.tick);
            let words = format!("delayed{waited}; {held} of {of} ACKs{outside_words} waited{}", self.quick_words());
            self.delayed_by(None, words)
        })
    }

    fn delayed_by(&self, every: Option<u64>, words: String) -> Policy {
        let name = match (self.phases.again, self.phases.first()) {
            (1.., _) => "by-phase",
            (0, 1..) => "quick-then-delayed",
            (0, 0) => "delayed",
        };
        Policy { name, every, timer: self.timer, words, thinnable: false }
    }

    /// Whether what lies outside quick phases is a share that matters.
    fn matters(&self) -> bool {
        let all = 1..=MANY as u64;
        let rest = weight(|n| self.phases.outside().of(n), all.clone());
        rest as f64 >= REST_SHARE * weight(|n| self.holds.all.of(n), all) as f64
    }

    /// What there was of quick phases.
    fn quick_words(&self) -> String {
        let phases = self.phases;
        let mut words = String::new();
        if phases.first() > 0 {
            words += &format!("; quick ACKs for the first {} segments", phases.first());
        }
        if phases.again > 0 {
            let (again, segments) = (plural(phases.again, "time"), phases.later);
            words += &format!("; quick again {again}, for {segments} segments, {} after a loss", phases.after_disorder);
        }
        words
    }

    /// An ACK for each segment, at once.
    pub fn every(&self) -> Option<Policy> {
        let all = &self.holds.all;
        let singles = all.at_once(1);
        // Where an ACK may be delayed outside a quick phase, a quick phase is not all there is.
        let open = self.phases.all_quick() > 0 && self.phases.outside().count() > 0 && self.matters();
        (!open && most(singles, weight(|n| all.of(n), 1..=MANY as u64))).then(|| {
            let count = all.count();
            let mut words = format!("acknowledges every segment, at once ({singles} of {count} ACKs)");
            if self.phases.lead + QUICK_RUN >= count && count < LEAST_LONG {
                words += "; receivers that wait later may begin so";
            }
            let outside = self.phases.outside();
            if let Some((n, times)) = usual(outside).filter(|&(n, _)| n > 1 && outside.count() >= LEAST_ACKS) {
                let of = outside.count();
                words += &format!("; but {times} of {of} ACKs outside quick phases cover {}", amount(n as usize));
            }
            Policy { name: "every", every: Some(1), timer: None, words, thinnable: false }
        })
    }

    /// ACKs at equal intervals, whatever came in between.
    pub fn periodic(&self) -> Option<Policy> {
        let holds = self.holds;
        let [early, middle, late] = [0.2, 0.5, 0.8].map(|share| holds.gaps.quantile(share));
        let (early, middle, late) = (early?, middle?, late?);
        let even = late - early <= STEADY_SHARE * middle && middle >= LEAST_TICKS * self.tick;
        (even && holds.of(3..=MANY) * 2 > holds.count() && usual(&holds.all).is_none()).then(|| {
            let words = format!("periodic, an ACK about every {}, whatever came; {}", ms(middle), shares(&holds.all));
            Policy { name: "periodic", every: None, timer: self.timer, words, thinnable: true }
        })
    }

    /// A receiver that acknowledges every n-th segment, and more where they come in batches: GRO hands several over as one, and a
    /// busy receiver finds several at once.
    pub fn batched(&self) -> Option<Policy> {
        let outside = self.phases.outside();
        let of: u64 = (1..=MANY as u64).map(|n| outside.at_once(n)).sum();
        let mut below = 0;
        let least = (1..=MANY as u64).find(|&n| {
            below += outside.at_once(n);
            below as f64 > FLOOR_SHARE * of as f64
        })?;
        let times = outside.at_once(least);
        let seldom = below > times;
        if times < LEAST_ACKS || times * 2 < of || !self.holds.in_batches() || self.tick > 0.0 {
            return None;
        }
        let (name, words) = match least {
            1 => ("every", "acknowledges every segment".to_owned()),
            n => ("delayed", format!("acknowledges every {} segment", ordinal(n))),
        };
        let timer = self.timer.filter(|_| least > 1);
        let waited = if least > 1 { waited(self.holds, timer, self.tick) } else { String::new() };
        let fewer = if least > 1 {
            format!("{} fewer than {least} at once, ", if seldom { "seldom" } else { "never" })
        } else {
            String::new()
        };
        let top = (1..=MANY).rev().find(|&n| outside.at_once(n as u64) > 0).unwrap_or(1);
        let words = format!(
            "{words}: {fewer}mostly {least} ({times} of {of} ACKs that did not wait), up to {} when segments come in batches{waited}{}",
            amount(top),
            self.quick_words()
        );
        Some(Policy { name, every: Some(least), timer, words, thinnable: false })
    }

    /// By a clock that shows no waiting, only the number of segments counts.
    pub fn untimed(&self) -> Policy {
        let all = &self.holds.all;
        match usual(all).filter(|&(n, times)| {
            n > 1 && n < MANY as u64 && most(n.min(MOST_WEIGHT) * times, weight(|n| all.of(n), 1..=MANY as u64))
        }) {
            Some((every, times)) => {
                let words = format!(
                    "acknowledges every {} segment ({times} of {} ACKs), timer not known",
                    ordinal(every),
                    all.count()
                );
                Policy { name: "delayed", every: Some(every), timer: None, words, thinnable: false }
            }
            None => self.no_number(|_, _| "the capture's clock does not show which of them waited".to_owned()),
        }
    }

    /// No rule was found. If most ACKs cover one number of segments all the same, `why` that is no rule.
    pub fn no_number(&self, why: impl Fn(u64, &Tally) -> String) -> Policy {
        let (phases, all) = (self.phases, &self.holds.all);
        let (outside, quick) = (phases.outside(), phases.all_quick());
        // Stretches that are too short for a phase are no evidence of phases.
        let phased = quick > 0 && !self.is_untimed() && 2 * (outside.count() + quick) >= all.count();
        let undecided = |words: String| Policy { thinnable: true, ..Policy::without_number("undecided", words) };
        let others = if phases.again == 0 { all.count() - quick } else { outside.count() };
        let few = (1..LEAST_ACKS).contains(&others) && (phases.again == 0 || self.matters());
        if phased && few {
            let acks = plural(others, "ACK");
            return undecided(format!(
                "not decidable: {acks} outside quick phases, {LEAST_ACKS} are needed{}",
                self.quick_words()
            ));
        }
        let phased = phased && outside.count() >= LEAST_ACKS;
        let (tally, place) = if phased { (outside, " outside quick phases") } else { (all, "") };
        let quick = if phased { self.quick_words() } else { String::new() };
        if let Some((number, _)) = usual(tally) {
            let why = why(number, tally);
            return undecided(format!(
                "not decidable: of {} ACKs{place} {}; {why}{quick}",
                tally.count(),
                shares(tally)
            ));
        }
        let words =
            format!("no fixed number of segments an ACK{place}: of {} ACKs {}{quick}", tally.count(), shares(tally));
        Policy { thinnable: true, ..Policy::without_number("varying", words) }
    }

    /// Whether the capture's clock shows no waiting.
    pub fn is_untimed(&self) -> bool {
        2.0 * self.tick > HELD_S
    }
}

/// Why the commonest number of segments is no rule, where nothing else forbids it.
pub fn mixed(tally: &Tally) -> String {
    match tally.all_held() {
        held if 10 * held >= tally.count() => format!("{held} of them waited"),
        _ => "no rule fits the others".to_owned(),
    }
}

/// The number of segments that so many ACKs cover that it would be a rule, and how many do.
pub fn usual(tally: &Tally) -> Option<(u64, u64)> {
    let (times, n) = (1..=MANY as u64).map(|n| (tally.of(n), n)).max()?;
    (times > 0 && most(times, tally.count())).then_some((n, times))
}

/// The numbers of segments that ACKs cover, each with its share of the ACKs: those that a tenth or more have.
pub fn shares(tally: &Tally) -> String {
    let all = tally.count();
    let named: Vec<u64> = (1..=MANY as u64).filter(|&n| tally.of(n) * 10 >= all && tally.of(n) > 0).collect();
    let rest = all - named.iter().map(|&n| tally.of(n)).sum::<u64>();
    let mut words: Vec<String> =
        named.iter().map(|&n| format!("{} cover {}", tally.of(n), amount(n as usize))).collect();
    let top = (1..=MANY as u64).rev().find(|&n| tally.of(n) > 0).unwrap_or(1) as usize;
    match rest {
        0 => {}
        1 => words.push(format!("one other at most {}", amount(top))),
        _ => words.push(format!("{rest} others at most {}", amount(top))),
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
