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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing; or nothing is suspected.
    None,
    /// New data is to be sent, up to two segments, and no retransmission.
    Ask,
    /// Nothing was lost.
    Spurious,
    /// The timeout had its reason: the flight is sent again.
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
    /// The timer has run out, and nothing has been reduced yet. Within another loss's repair nothing is suspected (step 1), but
    /// for a timeout of the same segment again. Linux suspects that one also if the first was not (`tcp_enter_loss`).
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

    /// Judges by an ACK that has not counted yet; a spurious timeout is taken back. `known`: how many units from one to the
    /// other were reported before it, or sent twice all the same, as a probe of the tail.
    pub fn judge(&mut self, core: &mut Core, ack: &Ack, now: Time, known: impl Fn(Seq, Seq) -> u64) -> Verdict {
        let Some(suspicion) = &self.suspicion else { return Verdict::None };
        let Suspicion { resent_to, point, asked, .. } = **suspicion;
        // Whether some of these units were sent once, before the timeout, and are reported for the first time.
        let first_report = |from: Seq, to: Seq| {
            let (from, to) = (from.max(resent_to), to.min(point));
            from < to && known(from, to) < to - from
        };
        let above = |start: Seq| start.max(ack.ack);
        let original = first_report(core.seq.una, ack.ack)
            || ack.sack.iter(ack.ack).any(|(start, end)| first_report(above(start), end));
        let advances = ack.ack > core.seq.una;
        if original && (asked || core.rules.recovery.frto() == Rule::Linux) {
            self.forget();
            core.take_back(now);
            return Verdict::Spurious;
        }
        if asked {
            // Step 3a: what was sent after the flight has come, and nothing of the flight before it.
            let beyond = ack.sack.iter(ack.ack).any(|(start, end)| above(start) < end && end > point);
            if !beyond && !advances {
                return Verdict::None;
            }
            self.forget();
            if core.rules.recovery.frto() == Rule::Rfc5682 {
                core.cc.cwnd = core.cc.cwnd.min(3.0 * f64::from(core.seq.mss));
            }
            return Verdict::Refuted;
        }
        if advances && ack.ack < point {
            return Verdict::Ask;
        }
        // Duplicates may come before what was sent again arrives: step 2 waits. An ACK of everything proves nothing (step 2a).
        self.suspicion.take_if(|_| advances);
        Verdict::None
    }

    /// Asks with new data, as far as there is any, and the receiver takes it; whatever cwnd says. `sent` notes what leaves.
    /// With nothing to ask with, the flight is sent again.
    pub fn ask<W: SenderWire>(
        &mut self,
        core: &mut Core,
        now: Time,
        wire: &mut W,
        mut sent: impl FnMut(Seq, Seq),
    ) -> bool {
        let next = std::mem::replace(&mut core.seq.nxt, core.seq.max);
        let Some(suspicion) = &mut self.suspicion else { return false };
        for _ in 0..ASK {
            let Some(len) = core.seq.new_data().filter(|_| core.may_send_now(now, wire)) else { break };
            suspicion.asked = true;
            let start = core.seq.nxt;
            core.send_new(len, now, wire);
            sent(start, core.seq.nxt);
        }
        let asked = suspicion.asked;
        if !asked {
            self.forget();
            core.seq.nxt = next;
        }
        asked
    }
}
