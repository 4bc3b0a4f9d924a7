//! What was found, in sentences.

use crate::connection::Connection;
use crate::direction::Direction;
use crate::phrases::{digits, ms, plural};
use crate::policy::{self, Policy, many};
use crate::thresholds::{LEAST_ACKS, NEAR_S, SPLIT_S, SPLIT_SHARE, UNUSUAL_LEAST};
use crate::vantage::{self, Vantage};

/// The finding of one direction: policy, where that was seen from, and what else stands out.
pub fn finding(connection: &Connection, direction: &Direction, policy: &Policy, place: Vantage) -> String {
    let mut sentences = vec![policy.words.clone()];
    if matches!(policy.name, "varying" | "periodic") {
        sentences.extend(thinning(direction, place));
    }
    sentences.push(seen_from(connection, direction, place));
    if many(connection.copies, connection.packets) {
        sentences.push(format!(
            "{} of {} packets passed twice, the same in everything: captured at two interfaces or by a mirror port, or repeated by the network; copies count as resent",
            connection.copies, connection.packets
        ));
    }
    sentences.extend(nearer(direction));
    sentences.extend(bottleneck(direction));
    sentences.extend(remarks(direction));
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
    let counted = policy::missing(&direction.acks);
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

fn seen_from(connection: &Connection, direction: &Direction, place: Vantage) -> String {
    let (receiver, sender) = vantage::legs(direction);
    let known = |leg: Option<f64>| leg.map_or("?".to_owned(), ms);
    if let Some(only) = one_sided(direction) {
        return format!("only one direction was captured: {only}");
    }
    let legs = format!("{} to the receiver and back, {} to the sender", known(receiver), known(sender));
    match place {
        Vantage::Receiver if receiver.is_some_and(|leg| leg > NEAR_S) => {
            format!("captured near the receiver ({legs}): delays are its own and the path's from here to it")
        }
        Vantage::Receiver => format!("captured near the receiver ({legs}): delays are its own"),
        Vantage::Sender => {
            format!(
                "captured near the sender ({legs}): delays contain the path, and waiting shows as what exceeds the least"
            )
        }
        Vantage::Both if receiver.is_some_and(|leg| leg <= NEAR_S) => {
            format!("captured where both ends are near ({legs}): delays are the receiver's own")
        }
        Vantage::Both => format!("captured where both ends are near ({legs})"),
        Vantage::Between => format!("captured between the ends ({legs}): delays contain the path to the receiver"),
        Vantage::Unknown => {
            let handshake = if connection.opened { "its handshake passed twice or in part" } else { "no handshake" };
            let stamps = if direction.stamped { "timestamps time no round trip" } else { "no timestamps" };
            format!("where it was captured is not known ({handshake}, {stamps})")
        }
    }
}

/// The ACKs of data come from nearer than the handshake's answer did.
fn nearer(direction: &Direction) -> Option<String> {
    let (handshake, usual) = (direction.legs.0?, direction.acks.rtt.quantile(0.5)?);
    let enough = direction.acks.rtt.count() >= LEAST_ACKS && handshake >= SPLIT_S;
    (enough && usual < SPLIT_SHARE * handshake).then(|| {
        format!(
            "the handshake was answered after {}, but half of the data within {}: something nearer than the far end acknowledges (a proxy that splits the connection), or the first answer was held up",
            ms(handshake),
            ms(usual)
        )
    })
}

fn bottleneck(direction: &Direction) -> Option<String> {
    let (rate, from) = direction.bottleneck()?;
    let of = if from == "acks" { "acknowledged data" } else { "data" };
    Some(format!(
        "a bottleneck on the path sends {} Mbit/s (middle four fifths: {} to {}), by {} trains of {of} that met a queue",
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

fn remarks(direction: &Direction) -> Vec<String> {
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
    let missed = acks.of_unseen - acks.ahead.min(acks.of_unseen);
    if missed > 0 && data.bytes > 0 {
        found.push(format!("{} of data that never passed: the capture has missed packets", plural(missed, "ACK")));
    }
    if acks.compressed >= UNUSUAL_LEAST && acks.compressed * 20 > acks.new {
        found.push(format!("{} ACKs come compressed, closer than what they acknowledge", acks.compressed));
    }
    if acks.probes > 1 {
        found.push(format!("{} keep-alives of the receiver, or its answers to some", acks.probes));
    }
    if acks.ece > 0 {
        found.push(format!(
            "{} congestion marks, {} one",
            plural(acks.ece, "ACK") + if acks.ece == 1 { " echoes" } else { " echo" },
            plural(data.ce, "data packet") + if data.ce == 1 { " bears" } else { " bear" }
        ));
    }
    if acks.zero_window > 0 {
        found.push(format!("the window is closed by {}", plural(acks.zero_window, "ACK")));
    }
    found
}
