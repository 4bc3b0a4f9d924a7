//! What an ACK covers and reports, taken into the flight record and the scoreboard of a recovery that judges each segment.

use acklab_packet::{Ack, Time};

use super::super::Core;
use super::super::flight::Sent;
use super::scoreboard::Scoreboard;

/// Takes in the segments that an ACK covers and reports for the first time, lowest first, also on `board`; `note` learns of each,
/// and whether the cumulative number covers it. Returns whether some of what is covered was sent more than once.
pub(super) fn take_in(
    board: &mut Scoreboard,
    core: &mut Core,
    ack: &Ack,
    now: Time,
    mut note: impl FnMut(Sent, bool),
) -> bool {
    let (una, max) = (core.seq.una, core.seq.max);
    let flight = core.flight_mut();
    let mut resent = false;
    let low = ack.ack.max(una);
    if ack.ack > una {
        resent = flight.acknowledge(ack.ack, now, |sent| note(sent, true));
        board.clear_below(ack.ack);
    }
    if ack.sack.is_empty() {
        return resent;
    }
    let mut blocks = [(0, 0); 3];
    let mut count = 0;
    for (start, end) in ack.sack.iter(ack.ack) {
        if start.max(low) < end && end <= max {
            blocks[count] = (start.max(low), end);
            count += 1;
        }
    }
    blocks[..count].sort_unstable();
    for &(start, end) in &blocks[..count] {
        board.report(start, end, |from, to| flight.report(from, to, now, |sent| note(sent, false)));
    }
    resent
}
