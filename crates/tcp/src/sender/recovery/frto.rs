//! F-RTO (RFC 5682 section 3, with SACK): detection of spurious timeouts without timestamps.
//!
//! After a timeout only the first segment has been sent twice. If what comes next acknowledges another that is as old, the
//! flight has arrived: nothing was lost. To find out, the sender answers the first ACK with new data instead of retransmissions.

use acklab_packet::{Ack, Seq, Time};

use super::super::{Core, SenderWire};
use crate::rules::Frto as Rule;

/// A timeout under suspicion.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Suspicion {
    /// SND.UNA at the timeout, and one past the segment that was sent again.
    from: Seq,
    resent_to: Seq,
    /// "RecoveryPoint": SND.MAX then.
    point: Seq,
    /// True if new data has been sent, beyond it.
    asked: bool,
}

/// The meaning of an ACK for the timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TimeoutSign {
    /// Nothing; or nothing is suspected.
    #[default]
    None,
    /// New data is to be sent, up to two segments, and no retransmission.
    Ask,
    /// Nothing was lost.
    Spurious,
    /// The timeout was not spurious: the flight is sent again.
    Refuted,
}

/// New segments that ask (step 2b).
const ASK: u32 = 2;

/// The last timeout, while it may turn out to be spurious.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Frto {
    suspicion: Option<Box<Suspicion>>,
}

impl Frto {
    /// The timer has run out, and nothing has been reduced yet. During the repair of another loss no timeout is suspected (step
    /// 1), except one of the same segment again. Linux suspects that one even if the first was not suspected
    /// (`tcp_enter_loss`).
    pub fn suspect(&mut self, core: &Core) {
        let seq = &core.seq;
        let again = self.suspicion.as_ref().is_some_and(|earlier| earlier.from == seq.una)
            || core.rules.recovery.frto() == Rule::Linux && core.timer.rto.backed_off();
        // `recover` is 1 until a loss.
        let under_way = seq.una < core.cc.recover && core.cc.recover > 1;
        let suspected = core.rules.recovery.frto() != Rule::Off && !seq.shaking_hands() && (!under_way || again);
        self.suspicion = suspected.then(|| {
            let resent_to = seq.una + u64::from(seq.len_at(seq.una));
            Box::new(Suspicion { from: seq.una, resent_to, point: seq.max, asked: false })
        });
    }

    /// Whatever is suspected is settled.
    pub fn forget(&mut self) {
        self.suspicion = None;
    }

    /// Judges by an ACK that has not counted yet. `known`: how many units between two numbers were
    /// reported before it, or were sent twice for another reason, such as a probe of the tail.
    pub fn judge(&mut self, core: &Core, ack: &Ack, known: impl Fn(&Core, Seq, Seq) -> u64) -> TimeoutSign {
        let Some(suspicion) = &self.suspicion else { return TimeoutSign::None };
        let Suspicion { resent_to, point, asked, .. } = **suspicion;
        // Whether some of these units were sent once, before the timeout, and are reported for the first time.
        let first_report = |from: Seq, to: Seq| {
            let (from, to) = (from.max(resent_to), to.min(point));
            from < to && known(core, from, to) < to - from
        };
        let above = |start: Seq| start.max(ack.ack);
        let original = first_report(core.seq.una, ack.ack)
            || ack.sack.iter(ack.ack).any(|(start, end)| first_report(above(start), end));
        let advances = ack.ack > core.seq.una;
        if original && (asked || core.rules.recovery.frto() == Rule::Linux) {
            self.forget();
            return TimeoutSign::Spurious;
        }
        if asked {
            // Step 3a: what was sent after the flight has come, and nothing of the flight before it.
            let beyond = ack.sack.iter(ack.ack).any(|(start, end)| above(start) < end && end > point);
            if !beyond && !advances {
                return TimeoutSign::None;
            }
            self.forget();
            return TimeoutSign::Refuted;
        }
        if advances && ack.ack < point {
            return TimeoutSign::Ask;
        }
        // Duplicates may come before what was sent again arrives: step 2 waits. An ACK of everything proves nothing (step 2a).
        self.suspicion.take_if(|_| advances);
        TimeoutSign::None
    }

    /// The timeout had its reason: the window has room for three segments at most (step 3a).
    pub fn refuted(&self, core: &mut Core) {
        if core.rules.recovery.frto() == Rule::Rfc5682 {
            core.limit_window(3.0);
        }
    }

    /// Sends new data, as far as there is any and the receiver takes it, whatever cwnd says. Without new data the flight is sent
    /// again. Returns whether new data was sent.
    pub fn ask<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        let next = core.seq.nxt;
        core.seq.go_to_end();
        let Some(suspicion) = &mut self.suspicion else { return false };
        for _ in 0..ASK {
            let Some(len) = core.seq.new_data().filter(|_| core.may_send_now(true, now, wire)) else { break };
            suspicion.asked = true;
            core.send_new(len, now, wire);
            core.extras.prr.sent(u64::from(len));
        }
        let asked = suspicion.asked;
        if !asked {
            self.forget();
            core.seq.go_to(next);
        }
        asked
    }
}
