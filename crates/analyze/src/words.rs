//! What was found, in sentences.

use crate::connection::Connection;
use crate::direction::Direction;
use crate::ecn::Agreed;
use crate::finding::{Policy, View};
use crate::phrases::{digits, ms as span, plural};
use crate::policy;
use crate::thresholds::{LEAST_LACKING, LEAST_TICKS, MOST_LACKING, NEAR_S, UNUSUAL_LEAST, many};
use crate::vantage::{Leg, Legs, Vantage, nearer};

/// The finding of one direction: policy, where that was seen from, and what else stands out.
pub fn finding(connection: &Connection, index: usize, policy: &Policy, view: &View, legs: &Legs) -> String {
    let direction = &connection.directions[index];
    let mut sentences = vec![policy.words.clone()];
    if let Some(returns) = view.two_series {
        // Whatever else is counted mixes the two.
        sentences.push(two_series(returns));
    } else {
        sentences.extend(lacking(direction, policy));
        if policy.thinnable {
            sentences.extend(thinning(direction, view.place));
        }
        sentences.push(seen_from(connection, index, view, legs));
        sentences.extend(coarse(view.tick));
        if many(connection.copies, connection.packets) {
            sentences.push(format!(
                "{} of {} packets passed twice, the same in everything: captured at two interfaces or by a mirror port, or repeated by the network; copies count as resent",
                connection.copies, connection.packets
            ));
        }
        sentences.extend(bottleneck(direction, view.tick));
        sentences.extend(remarks(connection, direction, view.tick));
    }
    let mut text = String::new();
    for sentence in sentences {
        let mut letters = sentence.chars();
        let Some(first) = letters.next() else { continue };
        text.extend(if text.is_empty() { None } else { Some(' ') });
        text.extend(first.to_uppercase());
        text.push_str(letters.as_str());
        text.push('.');
    }
    text
}

/// Whether ACKs may be missing that would make a regular receiver look irregular. Near the receiver none can be.
fn thinning(direction: &Direction, place: Vantage) -> Option<String> {
    let counts = &direction.acks.counts;
    let counted = direction.acks.missing();
    if place == Vantage::Receiver || place == Vantage::Both {
        None
    } else if policy::may_be_thinned(&direction.acks, place) {
        Some(format!(
            "{} of {} ACKs echo the last segment they cover: either ACKs before them were lost or filtered, or the receiver echoes the latest timestamp",
            counts.last_echoes, counts.new
        ))
    } else if counted == Some(0) {
        Some("no sign of ACKs lost or filtered before they come here".to_owned())
    } else if counted.is_none() && direction.stamped {
        Some("their timestamps show no ACK lost or filtered before it comes here".to_owned())
    } else if counted.is_none() {
        Some("a path that loses or filters ACKs may do the same: without timestamps that cannot be decided".to_owned())
    } else {
        None
    }
}

fn two_series(returns: u64) -> String {
    format!(
        "the sequence numbers change {returns} times between two series, farther apart than any window: captured on both sides of a device that rewrites them, or two connections of the same addresses and ports; the counts mix the two, and no time or rate follows"
    )
}

/// What the capture lacks of what was acknowledged.
fn lacking(direction: &Direction, policy: &Policy) -> Option<String> {
    let (bytes, acked) = (direction.lacking.bytes, direction.acks.counts.acked_bytes);
    if bytes < LEAST_LACKING || direction.counts.bytes == 0 {
        return None;
    }
    let so = match (policy::lacks(direction, MOST_LACKING), policy.name) {
        (false, _) => "",
        (true, "undecided") => return None, // that is why
        (true, _) => "; no goodput or rate follows from the rest",
    };
    Some(format!("the capture lacks {bytes} of {acked} bytes that were acknowledged{so}"))
}

/// What a coarse clock does not show.
/// The clock's step where all packets have the same time is at least this.
const TIMELESS: f64 = 1e9;

fn coarse(tick: f64) -> Option<String> {
    match tick {
        0.0 => None,
        ..TIMELESS => {
            let (steps, least) = (span(tick), span(LEAST_TICKS * tick));
            Some(format!(
                "the capture's clock counts in steps of {steps}: spans below {least}, and the rate of a bottleneck, are not known"
            ))
        }
        _ => Some("all packets have the same time: no span and no rate is known".to_owned()),
    }
}

fn seen_from(connection: &Connection, index: usize, view: &View, legs: &Legs) -> String {
    let direction = &connection.directions[index];
    if let Some(only) = one_sided(direction) {
        return format!("only one direction was captured: {only}");
    }
    if view.tick >= TIMELESS {
        return "where it was captured is not known".to_owned();
    }
    if let Some((handshake, usual)) = nearer(connection, index, view.tick) {
        let usual = if usual < LEAST_TICKS * view.tick { span(usual + view.tick) } else { span(usual) };
        return format!(
            "the handshake was answered after {}, but half of the data within {usual}: something nearer than the far end acknowledges (a proxy that splits the connection), or the first answer was held up; how far the receiver is, is not known",
            span(handshake),
        );
    }
    let known = |leg: Option<Leg>| match leg {
        None => "?".to_owned(),
        Some(leg) if leg.secs < LEAST_TICKS * view.tick => format!("less than {}", span(leg.secs + view.tick)),
        Some(leg) if leg.at_most && leg.secs > NEAR_S => format!("at most {}", span(leg.secs)),
        Some(leg) => span(leg.secs),
    };
    let late = match (legs.late_answer, legs.late_ack) {
        (Some(took), _) => format!("; the SYN was answered late, after {}", span(took)),
        (None, Some(took)) => format!("; the handshake's last ACK was late, after {}", span(took)),
        (None, None) => String::new(),
    };
    let near = |leg: Option<Leg>| leg.is_some_and(|leg| leg.secs + view.tick <= NEAR_S);
    let legs_words =
        format!("{} to the receiver and back, {} to the sender{late}", known(legs.receiver), known(legs.sender));
    match view.place {
        Vantage::Receiver if near(legs.receiver) => {
            format!("captured near the receiver ({legs_words}): delays are its own")
        }
        Vantage::Receiver => {
            format!("captured near the receiver ({legs_words}): delays are its own and the path's from here to it")
        }
        Vantage::Sender => {
            format!(
                "captured near the sender ({legs_words}): delays contain the path, and waiting shows as what exceeds the least"
            )
        }
        Vantage::Both if near(legs.receiver) => {
            format!("captured where both ends are near ({legs_words}): delays are the receiver's own")
        }
        Vantage::Both => format!("captured where both ends are near ({legs_words})"),
        Vantage::Between => {
            format!("captured between the ends ({legs_words}): delays contain the path to the receiver")
        }
        Vantage::Unknown => {
            let handshake = if connection.opened { "its handshake passed twice or in part" } else { "no handshake" };
            let stamps = if direction.stamped { "timestamps time no round trip" } else { "no timestamps" };
            let why = match (legs.receiver, legs.sender) {
                (None, None) if legs.is_prompt() => format!("{handshake}, {stamps}"),
                (None, _) | (_, None) if legs.is_prompt() => format!("{legs_words}; {handshake}, {stamps}"),
                _ => legs_words,
            };
            format!("where it was captured is not known ({why})")
        }
    }
}

fn bottleneck(direction: &Direction, tick: f64) -> Option<String> {
    let (rate, from) = policy::bottleneck(direction, tick)?;
    let of = if from == "acks" { "acknowledged data" } else { "data" };
    Some(format!(
        "a bottleneck on the path sends {} Mb/s (middle four fifths: {} to {}), by {} trains of {of} that met a queue",
        digits(rate.median * 1e-6),
        digits(rate.low * 1e-6),
        digits(rate.high * 1e-6),
        rate.trains
    ))
}

/// Which of a direction's packets did not pass at all.
fn one_sided(direction: &Direction) -> Option<&'static str> {
    match (direction.counts.bytes, direction.acks.counts.packets) {
        (0, _) if direction.carried() => Some("the data did not pass here"),
        (1.., 0) => Some("not one ACK passed here"),
        _ => None,
    }
}

fn remarks(connection: &Connection, direction: &Direction, tick: f64) -> Vec<String> {
    let (data, acks) = (&direction.counts, &direction.acks.counts);
    let mut found = Vec::new();
    if data.offloaded > 0 {
        found.push(format!(
            "{} of {} packets are larger than a segment of {} bytes (TSO or GRO at the interface): ACKs of their segments are counted, the segments' own times are not seen",
            data.offloaded, data.packets, direction.unit()
        ));
    }
    if data.late > 0 {
        found.push(format!(
            "{} gaps: lost before they came here and sent again, or overtaken",
            plural(data.late, "packet") + if data.late == 1 { " fills" } else { " fill" }
        ));
    }
    if tick == 0.0 && acks.compressed >= UNUSUAL_LEAST && acks.compressed * 20 > acks.new {
        found.push(format!("{} ACKs come compressed, closer than what they acknowledge", acks.compressed));
    }
    if acks.probes > 1 {
        found.push(format!("{} keep-alives of the receiver, or its answers to some", acks.probes));
    }
    found.extend(congestion(connection.ecn(), direction));
    if connection.fell_back() {
        let told = if connection.ecn() == Agreed::Classic { "the classic one" } else { "none" };
        found.push(format!("accurate ECN was asked for, and {told} agreed on"));
    }
    if acks.zero_window > 0 {
        found.push(format!(
            "{} a window of 0",
            plural(acks.zero_window, "segment") + if acks.zero_window == 1 { " advertises" } else { " advertise" }
        ));
    }
    found
}

/// What the ECN bits say, by what was negotiated.
fn congestion(agreed: Agreed, direction: &Direction) -> Option<String> {
    let echoes = direction.acks.counts.ece;
    let acks = plural(echoes, "ACK");
    match agreed {
        Agreed::Accurate => counted(direction),
        _ if echoes == 0 => None,
        Agreed::None => Some(format!("{acks} with the ECE bit, without a negotiation of ECN")),
        Agreed::Unknown if !direction.marks.shown(echoes) => {
            Some(format!("{acks} with the ECE bit; whether ECN was negotiated is not in the capture"))
        }
        Agreed::Classic | Agreed::Unknown => Some(format!(
            "{acks} {} congestion marks, {} one",
            if echoes == 1 { "echoes" } else { "echo" },
            plural(direction.counts.ce, "data packet") + if direction.counts.ce == 1 { " bears" } else { " bear" }
        )),
    }
}

/// What accurate ECN's counter tells, and how many marks pass.
fn counted(direction: &Direction) -> Option<String> {
    let (told, passed) = (direction.counters.packets()?, direction.counts.ce);
    let marks = plural(told, "congestion mark");
    let bear = if passed == 1 { "bears" } else { "bear" };
    // Marks are in flight at the ends of a capture, and a counter of three bits hides eight.
    let hidden = passed.saturating_sub(told);
    let why = match passed {
        0 if told > 0 => "; they were made behind the capture point",
        _ if hidden >= 8 => {
            "; ACKs that are missing, or that cover many packets, hide multiples of 8, or the receiver hides some"
        }
        _ => "",
    };
    (told + passed > 0)
        .then(|| format!("the ACKs' counter tells of {marks}, {} {bear} one{why}", plural(passed, "data packet")))
}
