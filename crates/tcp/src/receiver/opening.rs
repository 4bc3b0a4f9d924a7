//! The answer to a SYN, sent again until the sender acknowledges it (RFC 9293 section 3.8.1), as Linux's listeners do:
//! `reqsk_timer_handler` in net/ipv4/inet_connection_sock.c, `tcp_check_req` in net/ipv4/tcp_minisocks.c.

use acklab_packet::Time;

use super::closing::Closing;
use super::{Receiver, ReceiverWire};
use crate::rules::SynAnswer;
use crate::wheel::expiry;

/// Times that an answer is sent again (`tcp_synack_retries`).
const MOST: u32 = 5;

/// A connection that began with a SYN.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// The first SYN's timestamp, which every answer echoes: a repeated SYN does not move it.
    echo: Time,
    /// Times that the timer has sent the answer again.
    times: u32,
    /// The sender has acknowledged it.
    confirmed: bool,
}

/// What a receiver sends again until it is acknowledged.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// The answer to the SYN, which is sent again until the sender acknowledges it.
    opening: Option<Opening>,
    /// The FIN, once the sender has said that it closes, or has measured the handshake.
    pub closing: Option<Closing>,
}

impl Receiver {
    /// A SYN with this timestamp arrives, and is about to be answered. Every answer echoes the first one's.
    pub(super) fn opens<W: ReceiverWire>(&mut self, stamp: Time, now: Time, wire: &mut W) {
        if let SynAnswer::Repeated { .. } = self.rules.syn_answer {
            let new = || Opening { echo: stamp, times: 0, confirmed: false };
            let opening = self.ends.get_or_insert_default().opening.get_or_insert_with(new);
            if !opening.confirmed {
                self.ts_recent = opening.echo;
                self.attentive = true;
                self.await_confirmation(now, wire);
            }
        }
    }

    /// Sets the timer that sends the answer again, where the policy has none of its own on.
    fn await_confirmation<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) {
        let SynAnswer::Repeated { timeout, tick, phase } = self.rules.syn_answer else { return };
        let opening = self.ends.as_ref().and_then(|ends| ends.opening);
        if let Some(opening) = opening.filter(|opening| opening.times < MOST)
            && !self.timer_on
        {
            let wait = timeout.secs() * f64::from(1 << opening.times);
            wire.arm(expiry((tick, phase), now, wait));
        }
    }

    /// The answer, if the sender has not acknowledged it.
    fn unconfirmed(&mut self) -> Option<&mut Opening> {
        self.ends.as_mut()?.opening.as_mut().filter(|opening| !opening.confirmed)
    }

    /// The timer runs out, and the policy did not set it: whether it was the answer's.
    #[cold]
    pub(super) fn answers_again<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) -> bool {
        let Some(opening) = self.unconfirmed() else { return false };
        opening.times += 1;
        self.syn = Some(false);
        self.send(self.space.rcv_nxt, wire);
        self.await_confirmation(now, wire);
        true
    }

    /// The sender has acknowledged the answer: the timer stops, unless it is the policy's.
    pub(super) fn confirm<W: ReceiverWire>(&mut self, wire: &mut W) {
        if let Some(opening) = self.unconfirmed() {
            opening.confirmed = true;
            self.attentive = self.notes_marks;
            if !self.timer_on {
                wire.disarm();
            }
        }
    }
}
