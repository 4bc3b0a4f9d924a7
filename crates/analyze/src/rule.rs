//! The rule that plain ACKs follow: a number of segments, a period, or none, with the counts that decide it.

use crate::finding::Policy;
use crate::holds::Holds;
use crate::phases::{Phases, Tally};
use crate::thresholds::{
    FLOOR_SHARE, HELD_S, MANY, MAX_WEIGHT, MIN_ACKS, MIN_FULL, MIN_LONG, MIN_TICKS, QUICK_RUN, REST_SHARE, RULE_SHARE,
    STEADY_SHARE,
};
use crate::timer::Timer;

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

/// ACKs by the segments they cover, each for as many ACKs as it covers segments, but at most [`MAX_WEIGHT`]. An ACK of several
/// replaces several, but a host's single stall must not outweigh the rest.
fn weight(tally: impl Fn(u64) -> u64, segments: std::ops::RangeInclusive<u64>) -> u64 {
    segments.map(|n| n.min(MAX_WEIGHT) * tally(n)).sum()
}

impl Evidence<'_> {
    /// A fixed number of segments an ACK, or a timer, outside quick phases.
    pub fn delayed(&self) -> Option<Policy> {
        let outside = self.phases.outside();
        let every = (2..MANY as u64).max_by_key(|&n| (n * outside.at_once(n), std::cmp::Reverse(n)))?;
        let full = outside.at_once(every);
        let held = |n: u64| if n <= every { outside.held(n) } else { 0 };
        let hits = full + (1..=every).map(held).sum::<u64>();
        let weighted = every.min(MAX_WEIGHT) * full + weight(held, 1..=every);
        let all = 1..=MANY as u64;
        let of = outside.count();
        if of < MIN_ACKS || !self.matters() {
            return None;
        }
        // The number has to be shown by ACKs that did not wait, whatever others did.
        let numbered = most(hits, of)
            && most(weighted, weight(|n| outside.of(n), all.clone()))
            && full >= MIN_FULL
            && most(full, all.map(|n| outside.at_once(n)).sum());
        if numbered {
            return Some(self.delayed_by(Some(every), "", (hits, of)));
        }
        let held = outside.all_held();
        // Without a number, only waits that are alike are a receiver's own.
        (most(held, of) && self.timer.is_some()).then(|| self.delayed_by(None, "waits", (held, of)))
    }

    fn delayed_by(&self, every: Option<u64>, why: &'static str, evidence: (u64, u64)) -> Policy {
        let name = match (self.phases.again, self.phases.first()) {
            (1.., _) => "by-phase",
            (0, 1..) => "quick-then-delayed",
            (0, 0) => "delayed",
        };
        Policy { every, timer: self.timer, ..Policy::new(name, why, evidence) }
    }

    /// Whether what lies outside quick phases is a share that matters.
    fn matters(&self) -> bool {
        let all = 1..=MANY as u64;
        let rest = weight(|n| self.phases.outside().of(n), all.clone());
        rest as f64 >= REST_SHARE * weight(|n| self.holds.all.of(n), all) as f64
    }

    /// An ACK for each segment, at once.
    pub fn every(&self) -> Option<Policy> {
        let all = &self.holds.all;
        let singles = all.at_once(1);
        // Where an ACK may be delayed outside a quick phase, a quick phase is not all there is.
        let open = self.phases.all_quick() > 0 && self.phases.outside().count() > 0 && self.matters();
        (!open && most(singles, weight(|n| all.of(n), 1..=MANY as u64))).then(|| {
            let count = all.count();
            // Receivers that wait later may begin so.
            let why = if self.phases.lead + QUICK_RUN >= count && count < MIN_LONG { "beginning" } else { "" };
            Policy { every: Some(1), ..Policy::new("every", why, (singles, count)) }
        })
    }

    /// ACKs at equal intervals, whatever came in between.
    pub fn periodic(&self) -> Option<Policy> {
        let holds = self.holds;
        let [early, middle, late] = [0.2, 0.5, 0.8].map(|share| holds.gaps.quantile(share));
        let (early, middle, late) = (early?, middle?, late?);
        let even = late - early <= STEADY_SHARE * middle && middle >= MIN_TICKS * self.tick;
        let long = holds.of(3..=MANY);
        (even && long * 2 > holds.count() && usual(&holds.all).is_none()).then(|| Policy {
            timer: self.timer,
            period: Some(middle),
            ..Policy::new("periodic", "", (long, holds.count()))
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
        if times < MIN_ACKS || times * 2 < of || !self.holds.in_batches() || self.tick > 0.0 {
            return None;
        }
        let name = if least == 1 { "every" } else { "delayed" };
        let timer = self.timer.filter(|_| least > 1);
        Some(Policy { every: Some(least), timer, ..Policy::new(name, "batches", (times, of)) })
    }

    /// By a clock that shows no waiting, only the number of segments counts.
    pub fn untimed(&self) -> Policy {
        let all = &self.holds.all;
        match usual(all).filter(|&(n, times)| {
            n > 1 && n < MANY as u64 && most(n.min(MAX_WEIGHT) * times, weight(|n| all.of(n), 1..=MANY as u64))
        }) {
            Some((every, times)) => {
                Policy { every: Some(every), ..Policy::new("delayed", "coarse-clock", (times, all.count())) }
            }
            None => self.no_number(|_, _| "coarse-clock"),
        }
    }

    /// No rule was found. If most ACKs cover one number of segments all the same, `why` that is no rule.
    pub fn no_number(&self, why: impl Fn(u64, &Tally) -> &'static str) -> Policy {
        let (phases, all) = (self.phases, &self.holds.all);
        let (outside, quick) = (phases.outside(), phases.all_quick());
        // Stretches that are too short for a phase are no evidence of phases.
        let phased = quick > 0 && !self.is_untimed() && 2 * (outside.count() + quick) >= all.count();
        let others = if phases.again == 0 { all.count() - quick } else { outside.count() };
        let few = (1..MIN_ACKS).contains(&others) && (phases.again == 0 || self.matters());
        if phased && few {
            return Policy::new("undecided", "few-outside-quick", (others, MIN_ACKS));
        }
        let tally = if phased && outside.count() >= MIN_ACKS { outside } else { all };
        match usual(tally) {
            Some((number, times)) => Policy::new("undecided", why(number, tally), (times, tally.count())),
            None => Policy::new("varying", "", (tally.of(tally.commonest()), tally.count())),
        }
    }

    /// Whether the capture's clock shows no waiting.
    pub fn is_untimed(&self) -> bool {
        2.0 * self.tick > HELD_S
    }
}

/// Why the commonest number of segments is no rule, where nothing else forbids it.
pub fn mixed(tally: &Tally) -> &'static str {
    if 10 * tally.all_held() >= tally.count() { "waits" } else { "others" }
}

/// The number of segments that so many ACKs cover that it would be a rule, and how many do.
pub fn usual(tally: &Tally) -> Option<(u64, u64)> {
    let (times, n) = (1..=MANY as u64).map(|n| (tally.of(n), n)).max()?;
    (times > 0 && most(times, tally.count())).then_some((n, times))
}
