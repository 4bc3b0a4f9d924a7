//! What a sender counts, times and spaces, where the choice has parameters.

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::choices::choice;
use super::variants::variants;

variants! {
    /// What one sequence number counts.
    Sequence (Copy) by "kind" {
        /// A whole segment, as in ns-2.
        Segments = "segments" {}
        /// A byte, as on the wire.
        Bytes = "bytes" {
            /// When the last bytes of the data, smaller than a segment, wait for ACKs.
            #[neutral(value = "off")]
            nagle: Nagle = Nagle::Off,
            /// Whether a window with less room than a segment sends nothing (RFC 9293 section 3.8.6.2.1). Otherwise small segments
            /// fill it.
            sws_avoidance: bool = true,
            /// What an ACK of a part of a segment does.
            pieces: PieceEffect = PieceEffect::Slide,
        }
    }
}

choice! {
    /// What an ACK of a part of a segment does (ledger divack.m.generator). A sender that counts packets, as in ns-2, has no number
    /// for the part.
    PieceEffect {
        /// It acknowledges its bytes.
        Slide = "slide",
        /// It only grows the window.
        Grow = "grow",
    }
}

choice! {
    /// When the last bytes of the data, smaller than a segment, wait.
    Nagle {
        /// Never.
        Off = "off",
        /// While any data is unacknowledged (RFC 896).
        On = "on",
        /// While a small segment is unacknowledged (Minshall's variant, Linux).
        Minshall = "minshall",
    }
}

variants! {
    /// Estimate of round trip and RTO.
    RttFilter (Copy) by "kind" {
        /// Scaled integers in whole ticks (Jacobson 1988; BSD and ns-2).
        Integer = "integer" {
            /// Phase of the clock that ticks: the host's age at time 0, modulo `tick`.
            phase: Time = Time::ZERO,
        }
        /// Real numbers in seconds (RFC 6298 section 2).
        Rfc6298 = "rfc6298" {}
        /// RFC 6298 with Linux's deviation. This deviation is the largest of a round trip, falls by at most a quarter a round
        /// trip, and ignores a sudden fall of the round trip.
        Linux = "linux" {}
    }
}

variants! {
    /// Pacing: how a sender spaces its segments.
    Pacing (Copy) by "kind" {
        /// Not at all: segments leave in bursts, or at the pace of a control that has one.
        Off = "off" {}
        /// A window is spread over a share of the round trip (ledger smartacking.m.pacing; RFC 9002 section 7.7).
        Spread = "spread" {
            /// Share of the round trip over which a window is spread.
            share: f64 [1e-6 ..= 10.0] = 1.0,
            /// Segments that leave together.
            burst: u32 [1 ..= 1_000_000] = 1,
            /// Which round trip that is.
            round_trip: PacedTrip = PacedTrip::Smoothed,
        }
        /// At most `max_burst` segments leave at once (sender adaptation, Balakrishnan 1997). What more the window allows waits for the
        /// time in which the window sends so many, spread over the smoothed round trip. Only for recoveries that go by the window.
        Bursts = "bursts" {
            /// Whether the next burst leaves when that time is over. Otherwise the next ACK after it sends, as in ns-2.35, whose
            /// `TCP/Reno/Asym` and `TCP/Newreno/Asym` do nothing when their timer expires.
            wakes: bool = true,
        }
    }
}

choice! {
    /// The round trip over which pacing spreads a window.
    PacedTrip {
        /// Smoothed with a weight of 1/8.
        Smoothed = "smoothed",
        /// The last one measured.
        Last = "last",
        /// The least one measured.
        Least = "least",
    }
}

variants! {
    /// Whether a receiver sends its answer to a SYN again.
    SynAnswer (Copy) by "kind" {
        /// No: the sender's SYN comes again, and is answered.
        Once = "once" {}
        /// Until the sender acknowledges it, five times at most. Each wait is twice as long, and echoes tell the time of the first SYN
        /// (`reqsk_timer_handler`, `tcp_check_req`). Not for policies whose timer runs from the first segment on.
        Repeated = "repeated" {
            /// The first wait.
            timeout: Time = Time::from_secs(1.0),
            /// Tick of the host's clock; 0 sets the timer exactly.
            tick: Time = Time::from_secs(0.004),
            /// Phase of this clock: the host's age at time 0, modulo `tick`.
            phase: Time = Time::ZERO,
        }
    }
}

variants! {
    /// Requests of a sender how often to acknowledge.
    AckRequest (Copy) by "kind" {
        /// None.
        Off = "off" {}
        /// TCP's option ACK Rate Request (draft-ietf-tcpm-ack-rate-request), or QUIC's frame ACK_FREQUENCY, on the next segment whenever
        /// the request changes, and on each retransmission. A request that grows with the window waits until it is a quarter larger.
        On = "on" {
            /// Segments that an ACK may cover.
            segments: u32 [1 ..= 127] = 8,
            /// The same in slow start; 0 is the same number.
            slow_start: u32 [0 ..= 127] = 0,
            /// Share of cwnd that an ACK may cover at most, so that the sender does not wait for the receiver's timer.
            window_share: f64 [0.01 ..= 1.0] = 0.5,
            /// Whether the last segment of all asks for an ACK at once.
            tail: bool = true,
        }
    }
}

impl Sequence {
    /// Whether sequence numbers count bytes.
    pub fn in_bytes(&self) -> bool {
        matches!(self, Sequence::Bytes { .. })
    }

    /// The effect of an ACK of a part of a segment.
    pub(crate) fn pieces(&self) -> PieceEffect {
        if let Sequence::Bytes { pieces, .. } = *self { pieces } else { PieceEffect::Slide }
    }
}
