//! The receiver's policy, in a word and with its evidence.

use crate::accusations::{ahead, thinned, unusual};
use crate::acks::Acks;
use crate::bottleneck::Rate;
use crate::direction::Direction;
use crate::finding::{Policy, View};
use crate::holds::Holds;
use crate::phases::Tally;
use crate::rule::{Evidence, mixed};
use crate::thresholds::{MAX_LACKING, MAX_LACKING_RATE, MIN_ACKS, MIN_LACKING, PLAIN_SHARE, many};
use crate::timer::timer;
use crate::vantage::Vantage;

/// Whether the capture lacks so much of what was acknowledged that nothing follows from the rest: more than this share.
pub fn lacks(direction: &Direction, share: f64) -> bool {
    let acked = direction.acks.counts.acked_bytes;
    direction.lacking.bytes >= MIN_LACKING && direction.lacking.bytes as f64 > share * acked as f64
}

/// The bottleneck's rate and whose trains show it, unless the capture lacks data or its clock shows no rate.
pub fn bottleneck(direction: &Direction, tick: f64) -> Option<(Rate, &'static str)> {
    direction.bottleneck().filter(|_| tick == 0.0 && !lacks(direction, MAX_LACKING_RATE))
}

/// Payload bytes a second that the bottleneck can carry of `direction`'s full segments, where trains show its rate.
pub fn link(direction: &Direction, ipv6: bool, tick: f64) -> Option<f64> {
    let unit = f64::from(direction.unit());
    let headers = if ipv6 { 60.0 } else { 40.0 } + if direction.stamped { 12.0 } else { 0.0 };
    bottleneck(direction, tick).map(|(rate, _)| rate.median / 8.0 * unit / (unit + headers))
}

/// Decides of what `direction`'s ACKs are, whose phases have ended. What no receiver does that keeps to the standards comes first,
/// then what the path may have done. Both are accusations: each has conditions under which nothing is said.
pub fn of(direction: &Direction, view: &View) -> Policy {
    (view.two_series.is_none().then(|| ahead(direction, view)).flatten())
        .or_else(|| unreadable(direction, view))
        .or_else(|| unusual(direction, view))
        .or_else(|| thinned(direction, view.place))
        .or_else(|| too_few(direction))
        .unwrap_or_else(|| ruled(direction, view))
}

/// A capture from which no policy follows.
fn unreadable(direction: &Direction, view: &View) -> Option<Policy> {
    if let Some(returns) = view.two_series {
        return Some(Policy::new("undecided", "two-series", (returns, 0)));
    }
    let evidence = (direction.lacking.bytes, direction.acks.counts.acked_bytes);
    let lacking = direction.counts.bytes > 0 && lacks(direction, MAX_LACKING);
    lacking.then(|| Policy::new("undecided", "lacks-data", evidence))
}

/// Too few plain ACKs.
fn too_few(direction: &Direction) -> Option<Policy> {
    let (count, new) = (direction.acks.holds.count(), direction.acks.counts.new);
    if count < MIN_ACKS {
        return Some(Policy::new("undecided", "few-acks", (count, MIN_ACKS)));
    }
    ((count as f64) < PLAIN_SHARE * new as f64).then(|| Policy::new("undecided", "few-plain-acks", (count, new)))
}

/// The rule of the plain ACKs.
fn ruled(direction: &Direction, view: &View) -> Policy {
    let (holds, place, tick) = (&direction.acks.holds, view.place, view.tick);
    let evidence = Evidence { holds, phases: &holds.phases, timer: timer(holds, tick), tick };
    let thin = may_be_thinned(&direction.acks, place);
    // A slow link in the ACKs' direction lets filtered ACKs through at equal intervals.
    let complete = place == Vantage::Receiver || direction.acks.missing() == Some(0);
    let kept = !thin && (!far(place) || complete || kept(&direction.acks));
    // How many segments a message has says nothing of its receiver.
    let free = !as_it_comes(holds, place) && kept;
    let fits = |found: &Policy| free || found.every.is_none_or(|every| every <= 2);
    let why = |number: u64, tally: &Tally| match number {
        3.. if !kept => "acks-missing",
        2.. if thin => "acks-missing",
        3.. if !free => "as-it-comes",
        _ => mixed(tally),
    };
    if thin {
        return evidence.every().unwrap_or_else(|| evidence.no_number(why));
    }
    if evidence.is_untimed() {
        return Some(evidence.untimed()).filter(fits).unwrap_or_else(|| evidence.no_number(why));
    }
    (evidence.delayed().filter(fits))
        .or_else(|| evidence.every())
        .or_else(|| evidence.periodic().filter(|_| complete && free))
        .or_else(|| evidence.batched().filter(fits))
        .unwrap_or_else(|| evidence.no_number(why))
}

/// Whether most ACKs of many segments may be of so many because no more had come. Seen at the receiver, each answers one packet, or
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
fn may_be_thinned(acks: &Acks, place: Vantage) -> bool {
    far(place) && many(acks.counts.last_echoes, acks.counts.new) && acks.missing().is_none()
}
