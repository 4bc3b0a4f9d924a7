//! What limits a direction, in a word and in a sentence with its evidence.

use crate::bottleneck::Rate;
use crate::direction::Direction;
use crate::limits::{ALL, Limit};
use crate::phrases::{digits, ms, plural};
use crate::policy;
use crate::thresholds::{LEAST_LIMITED, LEAST_LIMITED_S, LEAST_TICKS, LIMIT_SHARE, MOST_LACKING};

/// Share of the time from which a cause is named beside the main one.
const NAMED_SHARE: f64 = 0.05;
/// Share of the time from which a cause beside the main one has its evidence.
const EVIDENCE_SHARE: f64 = 0.2;
/// Windows are one size if the largest is at most so many times the least.
const ALIKE: f64 = 1.05;
/// Share of the time from which waits for timers are named.
const WAITS_SHARE: f64 = 0.02;

/// The account of a direction, and whether it may be believed.
#[derive(Clone, Debug)]
pub struct Limited<'a> {
    direction: &'a Direction,
    /// Why nothing follows.
    unknown: Option<&'static str>,
    short: bool,
    path: Option<f64>,
}

impl<'a> Limited<'a> {
    /// That of `direction`, whose account is finished, by a clock of `tick` seconds; `path` is the least round trip.
    pub fn of(direction: &'a Direction, tick: f64, two_series: bool, path: Option<f64>) -> Limited<'a> {
        let limits = &direction.limits;
        let total = limits.spans.total() as f64 * 1e-9;
        let short = direction.counts.segments < LEAST_LIMITED || total < LEAST_LIMITED_S.max(LEAST_TICKS * tick);
        let unknown = if two_series {
            Some("two series of sequence numbers alternate")
        } else if direction.acks.counts.packets == 0 {
            Some("no ACK passed here")
        } else if direction.counts.bytes == 0 {
            Some("no data passed here")
        } else if policy::lacks(direction, MOST_LACKING) {
            Some("the capture lacks too much of the data")
        } else if limits.beyond as f64 > MOST_LACKING * direction.counts.bytes as f64 {
            Some("the data go beyond the receiver's window, so the capture lacks ACKs")
        } else if !limits.placed && path.is_some() {
            Some("only packets of the other direction show the distance to the sender (no handshake, no timestamps)")
        } else if !limits.placed {
            Some("the distance to the sender is not in the capture (no handshake, no timestamps)")
        } else if path.is_some_and(|path| path < LEAST_TICKS * tick) {
            Some("the capture's clock is too coarse")
        } else {
            None
        };
        Limited { direction, unknown, short, path }
    }

    /// Seconds of a part, if they may be believed.
    pub fn known(&self, ns: i64) -> Option<f64> {
        self.unknown.is_none().then_some(ns as f64 * 1e-9)
    }

    /// Seconds with a cause.
    pub fn seconds(&self, limit: Limit) -> Option<f64> {
        self.known(self.direction.limits.spans.of(limit))
    }

    fn share(&self, limit: Limit) -> f64 {
        let spans = &self.direction.limits.spans;
        spans.of(limit) as f64 / spans.total().max(1) as f64
    }

    /// The cause of more than half of the time.
    fn main(&self) -> Option<Limit> {
        ALL.into_iter().find(|limit| self.share(*limit) > LIMIT_SHARE)
    }

    /// In a word.
    pub fn name(&self) -> &'static str {
        match (self.unknown, self.short, self.main()) {
            (Some(_), ..) => "unknown",
            (_, true, _) => "short",
            (.., Some(limit)) => limit.word(),
            (.., None) => "mixed",
        }
    }

    /// In a sentence.
    pub fn headline(&self, bottleneck: Option<Rate>) -> String {
        if let Some(why) = self.unknown {
            return format!("What limits it is not known: {why}.");
        }
        let total = self.direction.limits.spans.total() as f64 * 1e-9;
        if self.short {
            let segments = plural(self.direction.counts.segments, "segment");
            return format!("Too short to say what limits it: {segments} in {}.", ms(total));
        }
        let mut parts: Vec<(f64, Limit)> = ALL.into_iter().map(|limit| (self.share(limit), limit)).collect();
        parts.sort_by(|one, other| other.0.total_cmp(&one.0));
        let main = self.main();
        let rest: Vec<String> = parts
            .iter()
            .filter(|(share, limit)| Some(*limit) != main && *share >= NAMED_SHARE)
            .map(|(share, limit)| {
                let told = *share >= EVIDENCE_SHARE || *limit == Limit::Network;
                let why = self.evidence(*limit, bottleneck).filter(|_| told);
                format!("{} {}", short(*limit), percent(*share)) + &why.map_or(String::new(), |why| format!(" ({why})"))
            })
            .collect();
        let mut text = match main {
            Some(limit) => {
                format!("Limited by {} for {} of {}", words(limit), percent(self.share(limit)), ms(total))
            }
            None => format!("No single limit in {}: {}", ms(total), rest.join(", ")),
        };
        if let Some(why) = main.and_then(|limit| self.evidence(limit, bottleneck)) {
            text.push_str(&format!(" ({why})"));
        }
        if main.is_some() && !rest.is_empty() {
            text.push_str(&format!("; {}", rest.join(", ")));
        }
        text.push('.');
        text.push_str(&self.waits(total));
        text
    }

    /// What timers cost.
    fn waits(&self, total: f64) -> String {
        let limits = &self.direction.limits;
        let (timeouts, held) = (limits.timeout_ns as f64 * 1e-9, limits.held_ns as f64 * 1e-9);
        let mut found = Vec::new();
        if timeouts >= WAITS_SHARE * total {
            found.push(format!("waits for retransmission timeouts cost {}", ms(timeouts)));
        }
        if held >= WAITS_SHARE * total {
            found.push(format!("waits for delayed ACKs cost {}", ms(held)));
        }
        match found.is_empty() {
            true => String::new(),
            false => format!(" Of this time, {}.", found.join(", and ")),
        }
    }

    fn evidence(&self, limit: Limit, bottleneck: Option<Rate>) -> Option<String> {
        match limit {
            Limit::Window if self.direction.acks.scaled => {
                let (least, most) = self.direction.limits.windows.limiting?;
                Some(match self.path {
                    Some(path) => format!(
                        "{} in a round trip of {}: {}",
                        range(least as f64, most as f64, size),
                        ms(path),
                        range(8.0 * least as f64 / path, 8.0 * most as f64 / path, rate)
                    ),
                    None => range(least as f64, most as f64, size),
                })
            }
            Limit::Path => {
                let limits = &self.direction.limits;
                let link = bottleneck.map(|found| rate(found.median));
                Some(match (2 * limits.filled > limits.spans.of(limit), link) {
                    (true, Some(link)) => format!("the data fill its link, which sends {link}"),
                    (true, None) => "the data pass as fast as while a queue stands".to_owned(),
                    (false, Some(link)) => format!("a queue stands, its link sends {link}"),
                    (false, None) => "a queue stands".to_owned(),
                })
            }
            Limit::AckPath => Some("a queue stands on the way of the ACKs, none on that of the data".to_owned()),
            Limit::Cwnd => Some("no queue stands".to_owned()),
            Limit::SenderWindow => {
                Some(format!("never more than {} in flight", size(self.direction.counts.most_flight as f64)))
            }
            Limit::Recovery => {
                Some(plural(self.direction.counts.resent + self.direction.counts.late, "repeated segment"))
            }
            Limit::Network => Some("not distinguished".to_owned()),
            Limit::Application | Limit::Closed | Limit::SlowStart | Limit::Window => None,
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn size(bytes: f64) -> String {
    if bytes >= 1e6 { format!("{} MB", digits(bytes * 1e-6)) } else { format!("{} kB", digits(bytes * 1e-3)) }
}

/// The least and the most of a quantity; one number where they hardly differ.
fn range(least: f64, most: f64, told: impl Fn(f64) -> String) -> String {
    if most <= ALIKE * least { told(most) } else { format!("{} to {}", told(least), told(most)) }
}

fn rate(bps: f64) -> String {
    if bps >= 1e6 { format!("{} Mb/s", digits(bps * 1e-6)) } else { format!("{} kb/s", digits(bps * 1e-3)) }
}

/// A cause after "limited by".
fn words(limit: Limit) -> &'static str {
    match limit {
        Limit::Application => "the sending application, which had nothing to send,",
        Limit::Window => "the receiver's window",
        Limit::Closed => "the receiver's closed window: its application did not read,",
        Limit::Recovery => "losses and their repair",
        Limit::SlowStart => "slow start",
        Limit::Path => "the path's rate",
        Limit::AckPath => "late ACKs and the congestion window",
        Limit::Cwnd => "the congestion window",
        Limit::SenderWindow => "a window of the sender that does not grow",
        Limit::Network => "the path or the congestion window",
    }
}

/// The same in a list.
fn short(limit: Limit) -> &'static str {
    match limit {
        Limit::Application => "idle application",
        Limit::Window => "receiver's window",
        Limit::Closed => "closed window",
        Limit::Recovery => "losses and repair",
        Limit::SlowStart => "slow start",
        Limit::Path => "path's rate",
        Limit::AckPath => "late ACKs",
        Limit::Cwnd => "congestion window",
        Limit::SenderWindow => "sender's window",
        Limit::Network => "path or congestion window",
    }
}
