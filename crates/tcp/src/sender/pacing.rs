//! Pacing: segments spread over the round trip instead of sent in bursts (ledger smartacking.m.pacing).

use acklab_packet::Time;

use super::{Core, SenderWire};

impl Core {
    /// Whether pacing lets a segment go now; if not, the wire wakes the sender when it does.
    ///
    /// A window is spread over `pacing` smoothed round trips (ledger smartacking.m.pacing); where the control goes by delivery
    /// rates, they set the pace ([`Core::note_departure`]). Retransmissions that
    /// duplicate ACKs call for do not ask.
    #[inline]
    pub fn may_send_now<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> bool {
        !self.restrained || self.pace(now, wire)
    }

    #[inline(never)]
    fn pace<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> bool {
        if now < self.next_send {
            if self.burst_left > 0 {
                self.burst_left -= 1;
                return true;
            }
            if !self.pacer_on {
                self.pacer_on = true;
                wire.arm_pacer(self.next_send);
            }
            return false;
        }
        if self.rules.pacing == 0.0 {
            return true;
        }
        let window = self.cwnd.min(self.wnd as f64) / f64::from(self.mss);
        if let Some(rtt) = self.smoothed_rtt() {
            let spacing = self.rules.pacing * rtt / window.max(1.0);
            // A burst takes the time that its segments would have had one by one (RFC 9002 section 7.7). What was left of the
            // one before lapses: no more than a burst ever leaves at once.
            self.burst_left = self.rules.pacing_burst - 1;
            self.next_send = now + Time::from_secs(f64::from(self.rules.pacing_burst) * spacing);
        }
        true
    }

    /// The pacer's instant has come.
    pub(super) fn pacer_woke(&mut self) {
        self.pacer_on = false;
    }
}
