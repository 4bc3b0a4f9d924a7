//! The receiver's own FIN. Linux sends it once the last data has come, and again until it is acknowledged (`tcp_send_fin`,
//! `tcp_schedule_loss_probe` in net/ipv4/tcp_output.c). For a sender that waits for the last ACK it is another copy of that ACK,
//! and is counted as one.

use acklab_packet::{Seq, Time};

use super::{Receiver, ReceiverWire};

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

impl Closing {
    /// The wait for the acknowledgment of a FIN that is due, where the next unit expected is `next`: everything has come.
    fn begins(&mut self, next: Seq) -> Option<f64> {
        self.end.take_if(|end| *end == next)?;
        let rtt = self.round_trip.unwrap_or(UNKNOWN);
        // A probe comes first where its time is the shorter one.
        self.wait = rtt + (2.0 * rtt).max(LEAST);
        Some(self.wait.min(2.0 * rtt + LEAST))
    }

    /// The same for a FIN sent again.
    fn again(&mut self, now: Time) -> Option<f64> {
        self.due.filter(|due| *due <= now)?;
        let wait = self.wait;
        self.wait = 2.0 * wait;
        Some(wait)
    }
}

impl Receiver {
    /// Sends the FIN if everything has come, or sets its timer again.
    #[cold]
    pub(super) fn close<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) {
        let next = self.rcv_nxt();
        let Some(closing) = self.ends.as_mut().and_then(|ends| ends.closing.as_mut()) else { return };
        let first = if closing.due.is_none() { closing.begins(next) } else { None };
        self.fin(first, now, wire);
    }

    /// The timer runs out: whether it was the FIN's.
    #[cold]
    pub(super) fn closes<W: ReceiverWire>(&mut self, now: Time, wire: &mut W) -> bool {
        let again = self.ends.as_mut().and_then(|ends| ends.closing.as_mut()?.again(now));
        if again.is_some() {
            self.fin(again, now, wire);
        }
        again.is_some()
    }

    /// Sends a FIN if there is a time to wait for its acknowledgment; sets the timer of the last one.
    fn fin<W: ReceiverWire>(&mut self, wait: Option<f64>, now: Time, wire: &mut W) {
        if wait.is_some() {
            self.send(self.rcv_nxt(), wire);
        }
        let Some(closing) = self.ends.as_mut().and_then(|ends| ends.closing.as_mut()) else { return };
        closing.due = wait.map(|wait| now + Time::from_secs(wait)).or(closing.due);
        if let Some(due) = closing.due {
            self.timer_on = true;
            wire.arm(due);
        }
    }
}
