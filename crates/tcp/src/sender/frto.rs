//! F-RTO (RFC 5682 section 3, with SACK): whether a timeout was spurious, told without timestamps.
//!
//! After a timeout only the first segment has been sent twice. If what comes next acknowledges another that is as old, the
//! flight has arrived: nothing was lost. To find out, the sender answers the first ACK with new data instead of retransmissions.

use acklab_packet::{Ack, Seq, Time};

use super::{Core, SenderWire};
use crate::rules::Frto;

/// A timeout under suspicion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Suspicion {
    /// `snd_una` at the timeout, and one past the segment that was sent again.
    from: Seq,
    resent_to: Seq,
    /// "RecoveryPoint": `snd_max` then.
    point: Seq,
    /// Whether new data has been sent, beyond it.
    asked: bool,
}

/// What an ACK makes of it.
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
pub(super) const ASK: u32 = 2;

impl Core {
    /// The timer has run out, and nothing has been reduced yet. Within another loss's repair nothing is suspected (step 1), but
    /// for a timeout of the same segment again.
    pub(super) fn suspect(&mut self) {
        let asks = self.rules.frto != Frto::Off && self.rules.recovery.watches_timeouts();
        let again = self.rare.suspicion.as_ref().is_some_and(|earlier| earlier.from == self.snd_una);
        let handshake = self.rules.syn && self.snd_una == 0;
        // `recover` is 1 until a loss.
        let under_way = self.snd_una < self.recover && self.recover > 1;
        let suspected = asks && !handshake && (!under_way || again);
        self.rare.suspicion = suspected.then(|| {
            let resent_to = self.snd_una + u64::from(self.len_at(self.snd_una));
            Box::new(Suspicion { from: self.snd_una, resent_to, point: self.snd_max, asked: false })
        });
    }

    /// Judges by an ACK that has not counted yet. `known`: how many units from one to the other were reported before it, or sent
    /// twice all the same, as a probe of the tail.
    pub(super) fn judge_timeout(&mut self, ack: &Ack, known: impl Fn(Seq, Seq) -> u64) -> Verdict {
        let Some(suspicion) = &mut self.rare.suspicion else { return Verdict::None };
        let Suspicion { resent_to, point, asked, .. } = **suspicion;
        // Whether some of these units were sent once, before the timeout, and are heard of for the first time.
        let first_heard = |from: Seq, to: Seq| {
            let (from, to) = (from.max(resent_to), to.min(point));
            from < to && known(from, to) < to - from
        };
        let above = |start: Seq| start.max(ack.ack);
        let original = first_heard(self.snd_una, ack.ack)
            || ack.sack.iter(ack.ack).any(|(start, end)| first_heard(above(start), end));
        let advances = ack.ack > self.snd_una;
        let verdict = if original && (asked || self.rules.frto == Frto::Linux) {
            Verdict::Spurious
        } else if asked {
            // Step 3a: what was sent after the flight has come, and nothing of the flight before it.
            let beyond = ack.sack.iter(ack.ack).any(|(start, end)| above(start) < end && end > point);
            if beyond || advances { Verdict::Refuted } else { Verdict::None }
        } else if advances && ack.ack < point {
            Verdict::Ask
        } else {
            // Duplicates may come before what was sent again arrives: step 2 waits. An ACK of everything proves nothing (step 2a).
            self.rare.suspicion.take_if(|_| advances);
            return Verdict::None;
        };
        match verdict {
            Verdict::Spurious => self.take_back(),
            Verdict::Refuted => {
                self.rare.suspicion = None;
                if self.rules.frto == Frto::Rfc5682 {
                    self.cwnd = self.cwnd.min(3.0 * f64::from(self.mss));
                }
            }
            Verdict::Ask | Verdict::None => {}
        }
        verdict
    }

    /// A new segment that may leave to ask: as far as there is data, and the receiver takes it; whatever cwnd says.
    pub(super) fn new_to_ask<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> Option<u32> {
        let len = if self.snd_nxt < self.limit { self.sendable(self.snd_una + self.wnd) } else { None };
        let len = len.filter(|_| self.may_send_now(now, wire));
        if len.is_some()
            && let Some(suspicion) = &mut self.rare.suspicion
        {
            suspicion.asked = true;
        }
        len
    }

    /// Whether the question is on its way. If not, there was nothing to ask with, and the flight is sent again.
    pub(super) fn has_asked(&mut self) -> bool {
        let asked = self.rare.suspicion.as_ref().is_some_and(|suspicion| suspicion.asked);
        if !asked {
            self.rare.suspicion = None;
        }
        asked
    }

    /// Asks, where nothing else keeps account of what is sent; whether it could.
    pub(super) fn ask<W: SenderWire>(&mut self, now: Time, wire: &mut W) -> bool {
        let next = std::mem::replace(&mut self.snd_nxt, self.snd_max);
        for _ in 0..ASK {
            if let Some(len) = self.new_to_ask(now, wire) {
                self.transmit(self.snd_nxt, len, now, wire);
                self.snd_nxt += u64::from(len);
            }
        }
        let asked = self.has_asked();
        if !asked {
            self.snd_nxt = next;
        }
        asked
    }
}
