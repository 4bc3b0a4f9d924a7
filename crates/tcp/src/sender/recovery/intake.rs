//! What an ACK covers and reports, taken into the log of outstanding segments and the scoreboard.

use acklab_packet::{Ack, Time};

use super::super::Core;
use super::log::{SendLog, Sent};
use super::scoreboard::Scoreboard;

/// Takes in the segments that an ACK covers and reports for the first time, lowest first, also on `board`; `tell` learns of each,
/// and whether the cumulative number covers it. Whether some of what is covered was sent more than once.
pub(super) fn take_in(
    log: &mut SendLog,
    board: &mut Scoreboard,
    core: &mut Core,
    ack: &Ack,
    now: Time,
    mut tell: impl FnMut(Sent, bool),
) -> bool {
    let mut resent = false;
    debug_assert_eq!(core.extras.flight.as_ref().unwrap().outline(), log.outline());
    let low = ack.ack.max(core.seq.una);
    if ack.ack > core.seq.una {
        resent = log.acknowledge(ack.ack, |sent| tell(sent, true));
        core.extras.flight.as_mut().unwrap().acknowledge(ack.ack, now, |_| {});
        board.clear_below(ack.ack);
    }
    if ack.sack.is_empty() {
        return resent;
    }
    let mut blocks = [(0, 0); 3];
    let mut count = 0;
    for (start, end) in ack.sack.iter(ack.ack) {
        if start.max(low) < end && end <= core.seq.max {
            blocks[count] = (start.max(low), end);
            count += 1;
        }
    }
    blocks[..count].sort_unstable();
    for &(start, end) in &blocks[..count] {
        board.report(start, end, |from, to| {
            log.report(from, to, |sent| tell(sent, false));
            core.note_reported(from, to, now);
        });
    }
    resent
}
