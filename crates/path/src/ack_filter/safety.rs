//! When an ACK tells nothing that a later one does not.

use crate::Carried;
use crate::waiting::{Handle, Waiting};

/// Whether every block of `old` is below what `new` acknowledges, or inside one of its blocks; a block of `old` below
/// `old`'s own number (a DSACK, RFC 2883) reports a duplicate, and is told nowhere else.
pub(crate) fn sack_is_covered<P: Carried>(old: &P, new: &P) -> bool {
    let (own, number) = (old.plain_ack().unwrap_or(0), new.plain_ack().unwrap_or(0));
    old.sack_blocks().all(|(start, end)| {
        start >= own && (end <= number || new.sack_blocks().any(|(from, to)| from <= start && end <= to))
    })
}

/// Whether `old`, an ACK whose number was news when it came, may be removed without any loss now that `arrival` comes:
/// the number of `next`, the connection's next ACK, is higher, so that `old` is not repeated; `follower`, the packet
/// after it, says the same about congestion; its SACK blocks, timestamps and options are no news.
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

/// Whether the ACK at `handle` may be erased without any loss now that `arrival` comes: [`is_redundant`], and it does
/// not repeat a number.
pub(super) fn is_superfluous<P: Carried>(handle: Handle, arrival: &P, waiting: &Waiting<P>) -> bool {
    let follower = waiting.follower(handle).map_or(arrival, |next| waiting.packet(next));
    let next = waiting.next_ack(handle).map_or(arrival, |next| waiting.packet(next));
    !waiting.repeats(handle) && is_redundant(waiting.packet(handle), follower, next, arrival)
}
