//! The receiver's own FIN, which Linux sends once the last data has come, and again until it is acknowledged (`tcp_send_fin` and
//! `tcp_schedule_loss_probe` in net/ipv4/tcp_output.c): to a sender that waits for the last ACK it is another copy of that, and is counted
//! as one.

use acklab_packet::{Seq, Time};

use super::ReceiverWire;
use super::machine::Receiver;

/// Least time that a timeout adds to the round trip, and the round trip before one is known, in seconds.
const LEAST: f64 = 0.2;
const UNKNOWN: f64 = 1.0;

/// State of the closing.
#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    /// One past the last data, when a segment has said so.
    end: Option<Seq>,
    /// The handshake's round trip, in seconds.
    round_trip: Option<f64>,
    /// When the FIN is sent again, and how long the next one waits.
    due: Option<Time>,
    wait: f64,
}

impl Closing {
    /// The bare ACK of the handshake arrives, or that of the FIN; the SYN came at `opened`.
    pub fn on_bare_ack(&mut self, opened: Time, now: Time) {
        self.due = None;
        self.round_trip.get_or_insert((now - opened).secs());
    }

    /// A segment says that no data follows `end`.
    pub fn note(&mut self, end: Seq) {
        self.end = Some(end);
    }
}

impl Receiver {
    /// Sends the FIN if everything has come, or sets its timer anew.
    #[cold]
    pub(super) fn close<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) {
        let next = self.rcv_nxt();
        let due = match self.closing.due {
            Some(due) => due,
            None if self.closing.end.take_if(|end| *end == next).is_some() => {
                let rtt = self.closing.round_trip.unwrap_or(UNKNOWN);
                // A probe comes first where its time is the shorter one.
                self.closing.wait = rtt + (2.0 * rtt).max(LEAST);
                self.fin(now, self.closing.wait.min(2.0 * rtt + LEAST), wire)
            }
            None => return,
        };
        self.timer_on = true;
        wire.arm(due);
    }

    /// The timer runs out: whether it was the FIN's.
    #[cold]
    pub(super) fn closes<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) -> bool {
        let over = self.closing.due.is_some_and(|due| due <= now);
        if over {
            let wait = self.closing.wait;
            self.closing.wait = 2.0 * wait;
            self.fin(now, wait, wire);
            self.close(now, wire);
        }
        over
    }

    /// True if a FIN waits to be acknowledged.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.due.is_some()
    }

    fn fin<W: ReceiverWire>(&mut self, now: Time, wait: f64, wire: &mut W) -> Time {
        self.send(self.rcv_nxt(), wire);
        let due = now + Time::from_secs(wait);
        self.closing.due = Some(due);
        due
    }
}
