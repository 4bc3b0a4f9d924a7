//! Choices about what a receiver knows of its sender.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::choices::choice;

choice! {
    /// How a receiver that sends no data knows the round trip (ledger smartacking.m.rtt).
    RttSource {
        /// It sends a keep-alive every `interval`, as the paper has it; the first with the first segment.
        Probe = "probe",
        /// It remembers when it sent each ACK, and segments echo the newest that had come (RFC 7323).
        Timestamps = "timestamps",
        /// The first keep-alive's answer, for ever (ledger smartacking.m.fixed_rtt).
        Fixed = "fixed",
        /// Each segment says what the sender's smoothed round trip is.
        Sender = "sender",
    }
}

choice! {
    /// How a receiver knows the sender's window.
    WindowSource {
        /// It estimates it (ledger smartacking.m.estimate_cwnd).
        Estimate = "estimate",
        /// Each segment says what it is.
        Sender = "sender",
    }
}

choice! {
    /// When the estimate of the window takes note of a third duplicate ACK (ledger smartacking.fig1.dup3).
    LossNotice {
        /// When the round trip ends in which it was sent.
        RoundTrip = "tick",
        /// As it is sent.
        ThirdDuplicate = "third-duplicate",
    }
}

choice! {
    /// How a receiver recognises the first segment of a window (ledger smartacking.m.isat).
    WindowStart {
        /// By counting: it is beyond what the window allowed when the last one began.
        Count = "count",
        /// It is the first to arrive in a round trip.
        Tick = "tick",
    }
}

choice! {
    /// An estimate of the sender's window beside an ACK policy that has none, for the `series` records.
    EstimateKind {
        /// None.
        Off = "off",
        /// With the round trip from echoed timestamps, which sends nothing.
        Timestamps = "timestamps",
        /// With the round trip from keep-alives, one a second.
        Probe = "probe",
    }
}

choice! {
    /// How a receiver learns whether the sender is in slow start.
    PhaseSource {
        /// The driver knows, and tells at each segment's arrival: what the paper's simulator did.
        Oracle = "oracle",
        /// Each segment says so, as of when it was sent.
        Option = "option",
        /// One flag for all flows of the simulation, which the driver owns: every growth of any sender's window sets it to
        /// that sender's phase. Until the first it says congestion avoidance.
        Shared = "shared",
        /// It guesses from what arrives and from the ACKs it sends.
        Heuristic = "heuristic",
    }
}
