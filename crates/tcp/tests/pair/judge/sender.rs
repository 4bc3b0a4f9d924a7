//! What must hold of the sender and of each segment it sends.

use acklab_packet::Segment;
use acklab_tcp::rules::*;

use super::{Judge, Pair};

impl Judge {
    /// A segment that left: its place in the sequence, its flags and its size.
    pub(super) fn segment_sent(&mut self, segment: &Segment, size: u32, pair: &Pair) -> Result<(), String> {
        let (core, rules) = (pair.sender.core(), &self.sender);
        let past_end = rules.recovery.sack_partial() == SackPartial::TwoSegmentsPastEnd;
        let unruly = past_end || rules.recovery.sack_partial() == SackPartial::TwoSegments;
        must!(segment.len >= 1 && segment.len <= core.seq.mss, "a segment of {} units", segment.len);
        must!(segment.end() <= core.seq.limit || past_end, "sent past the end: {segment:?}");
        must!(segment.seq >= core.seq.una, "sent below snd_una {}: {segment:?}", core.seq.una);
        // FF96's two segments a partial ACK ask no window, as in ns-2.
        must!(unruly || segment.end() <= core.seq.una + core.seq.wnd, "past the advertised window: {segment:?}");
        must!(segment.retransmit == (segment.seq < self.max_sent), "retransmit flag wrong: {segment:?}");
        if segment.retransmit {
            must!(segment.end() <= self.max_sent, "half old, half new: {segment:?}");
            self.resends += 1;
        } else {
            let left_out = rules.skip > 0 && segment.seq > self.max_sent;
            must!(
                left_out || segment.seq == self.max_sent,
                "new data leaves a gap after {}: {segment:?}",
                self.max_sent
            );
            self.max_sent = segment.end();
            self.first_sends += 1;
        }
        must!(segment.syn == (rules.syn && segment.seq == 0), "SYN flag wrong: {segment:?}");
        must!(segment.fin == (rules.fin && segment.end() == core.seq.limit), "FIN flag wrong: {segment:?}");
        must!(!segment.fin || segment.len == 1, "a FIN with payload: {segment:?}");
        let payload = if rules.sequence.in_bytes() { segment.len } else { rules.packet };
        let option = if rules.timestamps && rules.header > 0 { rules.timestamp_bytes } else { 0 };
        let control = segment.syn || segment.fin;
        let request = if segment.syn { 0 } else { segment.notice.option_bytes(rules.timestamps) };
        let expected = if control { rules.control_size } else { payload + rules.header + option } + request;
        must!(size == expected, "{size} bytes on the wire, not {expected}: {segment:?}");
        if matches!(
            rules.recovery,
            RecoveryKind::Rfc6675 { .. }
                | RecoveryKind::Fack { .. }
                | RecoveryKind::Rack { .. }
                | RecoveryKind::Rfc9002 { .. }
        ) {
            let known = self.reported.iter().any(|run| run.0 < segment.end() && segment.seq < run.1);
            must!(!known, "sent again what the receiver reported: {segment:?}");
        }
        Ok(())
    }

    /// The sender after a step: its sequence space, window, pipe and flight.
    pub(super) fn sender_state(&mut self, pair: &Pair) -> Result<(), String> {
        let (core, rules) = (pair.sender.core(), &self.sender);
        let state = (core.seq.una, core.seq.nxt, core.seq.max);
        must!(core.seq.una <= core.seq.nxt && core.seq.nxt <= core.seq.max, "una, nxt, max out of order: {state:?}");
        must!(core.seq.max == self.max_sent, "snd_max is {}, sent up to {}", core.seq.max, self.max_sent);
        must!(core.seq.una == self.best_ack, "snd_una {}, best ACK {}", core.seq.una, self.best_ack);
        must!(core.seq.flight_size() == self.max_sent - self.best_ack, "flight_size {}", core.seq.flight_size());
        let mss = f64::from(core.seq.mss);
        // ns-2 may halve below one segment; the standard's ssthresh has a floor of two (RFC 5681 equation 4).
        let least = if rules.halving == Halving::FlightSize { mss } else { 0.0 };
        must!(core.cc.cwnd >= least && core.cc.cwnd.is_finite(), "cwnd {}", core.cc.cwnd);
        let initial = if rules.initial_ssthresh > 0.0 { rules.initial_ssthresh * mss } else { core.seq.wnd as f64 };
        must!(core.cc.ssthresh >= initial.min(2.0 * mss), "ssthresh {}", core.cc.ssthresh);
        // RFC 6675 counts a unit once as sent and once as resent; FF96 counts ACKs, and lost ones too high until the end.
        let pipe = pair.sender.pipe();
        let most = match rules.recovery {
            RecoveryKind::Rfc6675 { .. } => 2 * core.seq.flight_size(),
            RecoveryKind::Fack { .. } | RecoveryKind::Rack { .. } | RecoveryKind::Rfc9002 { .. } => {
                core.seq.flight_size()
            }
            // Two segments a partial ACK may take the flight past the window; and an ACK of many segments takes off one,
            // so what this recovery could count once it may count still.
            _ => core
                .seq
                .wnd
                .max(core.cc.cwnd as u64 + core.seq.mss as u64)
                .max(core.seq.flight_size())
                .max(self.most_pipe),
        };
        self.most_pipe = if pipe.is_some() { most } else { 0 };
        let pipe = pipe.unwrap_or(0);
        must!(pipe <= most, "pipe {pipe} above {most}, flight {}", core.seq.flight_size());
        let simple = !rules.recovery.uses_sack();
        let new_data = pair.out.sent.last().is_some_and(|segment| !segment.retransmit);
        if simple && new_data {
            // RFC 3042: at most two segments beyond cwnd; RFC 5681 section 3.2: one for each duplicate ACK.
            let extra = core.cc.inflation
                + if rules.limited_transmit { u64::from(core.cc.dupacks) * core.seq.mss as u64 } else { 0 };
            let most = core.cc.cwnd.max(mss) + extra as f64;
            must!(
                core.seq.flight_size() as f64 <= most,
                "flight {} above cwnd and more, {most}",
                core.seq.flight_size()
            );
        }
        Ok(())
    }
}
