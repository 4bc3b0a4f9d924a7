//! F-RTO (RFC 5682 section 3, with SACK): detection of spurious timeouts without timestamps.
//!
//! After a timeout only the first segment has been sent twice. If what comes next acknowledges another that is as old, the
//! flight has arrived: nothing was lost. To find out, the sender answers the first ACK with new data instead of retransmissions.

use acklab_packet::{Ack, Seq};

use super::super::Core;
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

    /// The segments to which the window is limited if the timeout had its reason (step 3a).
    pub fn limit(core: &Core) -> Option<f64> {
        (core.rules.recovery.frto() == Rule::Rfc5682).then_some(3.0)
    }

    /// True if a timeout is suspected.
    pub fn suspects(&self) -> bool {
        self.suspicion.is_some()
    }

    /// Notes whether new data was sent to find out. Without new data the flight is sent again.
    pub fn asked(&mut self, sent: bool) {
        match &mut self.suspicion {
            Some(suspicion) if sent => suspicion.asked = true,
            _ => self.forget(),
        }
    }
}
