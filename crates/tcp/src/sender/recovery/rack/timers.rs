//! RACK-TLP's timers: the timeout, the reordering timer and the probe share the wire's one (RFC 8985 sections 7 and 8).

use acklab_packet::Time;

use super::super::tap::Tap;
use super::{Rack, probe};
use crate::rules::{TailProbe, UndoEvidence};
use crate::sender::{Core, SenderWire};
use crate::wheel::expiry;

impl Rack {
    /// `TLP_send_probe` (section 7.3): new data, if there is any and the receiver takes it, else the highest segment again;
    /// whatever cwnd says.
    pub(super) fn send_probe<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) {
        core.seq.go_to_end();
        if self.tlp.may_send(core) {
            if let Some(len) = core.seq.new_data() {
                core.send_new(len, now, wire);
                self.tlp.sent(core, false);
            } else if let Some(last) = core.flight().last().copied() {
                core.stop_timing();
                let start = last.start.max(last.end.saturating_sub(u64::from(core.seq.mss)));
                // To Linux a probe is no retransmission of a recovery (`tcp_send_loss_probe`).
                let undo = core.extras.undo.take_if(|undo| undo.evidence == UndoEvidence::Segments);
                core.transmit(start, (last.end - start) as u32, now, wire);
                core.extras.undo = undo.or(core.extras.undo.take());
                self.tlp.sent(core, true);
            }
        }
        core.timer.arm(now, wire);
    }

    /// Schedules a probe (section 7.2), and sets the wire's timer to whatever is due first (section 8).
    pub(super) fn set_timer<W: SenderWire>(
        &mut self,
        core: &Core,
        (sent, advanced): (bool, bool),
        now: Time,
        tap: Tap<'_, W>,
    ) {
        if tap.rto != self.rto {
            self.rto = tap.rto.map(|due| expiry(core.rules.recovery.ticks(), now, (due - now).secs()));
        }
        let idle = core.seq.una == core.seq.max;
        if core.cc.repairs(core.seq.una) || !self.board.is_empty() || idle || core.seq.shaking_hands() {
            self.probe = None;
        } else if sent || advanced {
            // Each departure sets Linux's probe again, no later than the timeout of the oldest segment
            // (`tcp_schedule_loss_probe`).
            let rto = core.timer.rto.timeout();
            let oldest = core.flight().first().filter(|_| sent && core.rules.recovery.probe() == TailProbe::Linux);
            let left = oldest.map_or(rto, |oldest| (oldest.at - now).secs() + rto);
            let pto = probe::timeout(core).min(if left > 0.0 { left } else { f64::INFINITY });
            let pto = expiry(core.rules.recovery.ticks(), now, pto);
            self.probe = Some(self.rto.map_or(pto, |rto| rto.min(pto)));
        }
        match [self.rto, self.reorder, self.probe].into_iter().flatten().reduce(Time::min) {
            Some(due) => tap.wire.arm(due),
            None => tap.wire.disarm(),
        }
    }
}
