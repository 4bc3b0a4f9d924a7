//! What a receiver knows of its sender, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shown;
use super::choices::choice;
use super::variants::variants;

choice! {
    /// How a receiver that sends no data knows the round trip (ledger smartacking.m.rtt).
    RttSource {
        /// By a keep-alive every `interval`, the first with the first segment (the paper).
        Probe = "probe",
        /// By timestamps: segments echo the newest ACK that had arrived (RFC 7323).
        Timestamps = "timestamps",
        /// By the first keep-alive only (ledger smartacking.m.fixed_rtt).
        Fixed = "fixed",
        /// Each segment carries the sender's smoothed round trip.
        Sender = "sender",
    }
}

choice! {
    /// How a receiver knows the sender's window.
    WindowSource {
        /// It estimates the window (ledger smartacking.m.estimate_cwnd).
        Estimate = "estimate",
        /// Each segment carries the window.
        Sender = "sender",
    }
}

choice! {
    /// When the estimate of the window processes a third duplicate ACK (ledger smartacking.fig1.dup3).
    LossNotice {
        /// At the end of the round trip in which it was sent.
        RoundTrip = "tick",
        /// When it is sent.
        ThirdDuplicate = "third-duplicate",
    }
}

choice! {
    /// How a receiver recognises the first segment of a window (ledger smartacking.m.isat).
    WindowStart {
        /// It is beyond what the window allowed at the start of the last one.
        Count = "count",
        /// It is the first to arrive in a round trip.
        Tick = "tick",
    }
}

choice! {
    /// Whether a keep-alive's time includes the wait of its answer behind data (ledger smartacking.m.rtt).
    ReplyWait {
        /// It does: the answer waits in queues as data does.
        Counted = "counted",
        /// It does not: what the newest segment took longer than the fastest is subtracted.
        Left = "subtracted",
    }
}

choice! {
    /// What counts as a decrease of the estimated window (ledger smartacking.m.extended).
    EstimateFall {
        /// Its reduction for a loss.
        Loss = "loss",
        /// Any fall.
        Any = "any",
    }
}

choice! {
    /// What beta becomes when a decrease of the estimated window reduces alpha (ledger smartacking.m.extended).
    BetaRise {
        /// Alpha before.
        Before = "before",
        /// The mean of alpha before and after.
        Middle = "middle",
        /// Alpha after, as ssthresh is half of the window.
        After = "after",
        /// What it was: 1.
        Never = "never",
    }
}

choice! {
    /// Which ACKs gamma counts (ledger smartacking.m.extended).
    GammaCount {
        /// Those of new data.
        New = "new",
        /// All: one that repeats the ACK before confirms no single segment.
        All = "all",
    }
}

variants! {
    /// An estimate of the sender's window beside a policy that makes none, for the `series` records.
    EstimateKind (Copy) by "kind" {
        /// None.
        Off = "off" {}
        /// With the round trip from echoed timestamps, which sends nothing.
        Timestamps = "timestamps" {
            /// The sender's assumed initial window, in segments.
            initial: u32 [1 ..= 1_000_000] = 1,
            /// Segments that an ACK may add to it in slow start: 1 is NewReno's listing, 2 is ABC's (RFC 3465).
            limit: u32 [1 ..= 1_000_000] = 1,
        }
        /// With the round trip from one keep-alive a second.
        Probe = "probe" {
            /// The sender's assumed initial window, in segments.
            initial: u32 [1 ..= 1_000_000] = 1,
            /// Segments that an ACK may add to it in slow start: 1 is NewReno's listing, 2 is ABC's (RFC 3465).
            limit: u32 [1 ..= 1_000_000] = 1,
        }
    }
}

choice! {
    /// How a receiver knows whether the sender is in slow start.
    PhaseSource {
        /// The driver knows the phase at each segment's arrival, as in the paper's simulator.
        Oracle = "oracle",
        /// Each segment carries the phase in which it was sent.
        Option = "option",
        /// One flag for all flows of the simulation: each growth of any sender's window sets it to that sender's phase. It begins
        /// as slow start.
        Shared = "shared",
        /// A flag of the flow's own: each growth of its sender's window sets it to that sender's phase. It begins as congestion
        /// avoidance.
        Growth = "growth",
        /// The receiver infers the phase from arriving segments and its own ACKs.
        Heuristic = "heuristic",
    }
}
