//! When an ACK tells nothing that a later one does not.

use crate::Carried;
use crate::waiting::{Handle, Waiting};

/// Whether every block of `old` is below what `new` acknowledges, or inside one of its blocks. A block of `old` below
/// `old`'s own number (a DSACK, RFC 2883) reports a duplicate, which a cumulative number does not report.
pub(crate) fn sack_is_covered<P: Carried>(old: &P, new: &P) -> bool {
    let (own, number) = (old.plain_ack().unwrap_or(0), new.plain_ack().unwrap_or(0));
    old.sack_blocks().all(|(start, end)| {
        start >= own && (end <= number || new.sack_blocks().any(|(from, to)| from <= start && end <= to))
    })
}

/// Whether `old` may be removed without loss when `arrival` comes. `old` is an ACK whose number was new when it came. Its number has to
/// be below that of `next`, the connection's next ACK, so that no duplicate is lost. `follower`, the packet after it, has to say the
/// same about congestion. Its SACK blocks, timestamps and options have to be known.
pub(crate) fn is_redundant<P: Carried>(old: &P, follower: &P, next: &P, arrival: &P) -> bool {
    let (stamps, newer) = (old.timestamps(), arrival.timestamps());
    old.plain_ack() < next.plain_ack()
        && old.plain_ack() < arrival.plain_ack()
        && old.congestion() == follower.congestion()
        && !old.unknown_options()
        && stamps.0 <= newer.0
        && stamps.1 <= newer.1
        && sack_is_covered(old, arrival)
}

/// Whether the ACK at `handle` may be erased without loss when `arrival` comes: it [`is_redundant`] and repeats no number.
pub(super) fn is_superfluous<P: Carried>(handle: Handle, arrival: &P, waiting: &Waiting<P>) -> bool {
    let follower = waiting.follower(handle).map_or(arrival, |next| waiting.packet(next));
    let next = waiting.next_ack(handle).map_or(arrival, |next| waiting.packet(next));
    !waiting.repeats(handle) && is_redundant(waiting.packet(handle), follower, next, arrival)
}
