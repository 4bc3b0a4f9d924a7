//! Choices that loss recoveries have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::Shown;
use super::super::choices::choice;

choice! {
    /// Which partial ACKs restart NewReno's retransmission timer (RFC 6582 section 4).
    PartialAckTimer {
        /// Only the first of a recovery ("impatient").
        First = "first",
        /// Each ("slow but steady").
        Each = "each",
    }
}

choice! {
    /// What a partial ACK does in the SACK recovery of Fall and Floyd.
    SackPartial {
        /// It reduces `pipe` by two segments, so that recovery is never slower than slow start.
        PipeTwice = "pipe-twice",
        /// It sends two segments, whatever `pipe` is.
        TwoSegments = "two-segments",
        /// The same, even past the end of the data, as in ns-2, which then acknowledges more than there was to send.
        TwoSegmentsPastEnd = "two-segments-past-end",
    }
}

choice! {
    /// How the window falls to ssthresh in a recovery.
    RecoveryWindow {
        /// At once. Only the first hole is sent until so little is in flight.
        AtOnce = "at-once",
        /// By proportional rate reduction. Below ssthresh, no more is sent than was delivered (PRR-CRB, RFC 6937).
        PrrCrb = "prr-crb",
        /// By proportional rate reduction. Below ssthresh, each ACK sends one segment more, as in slow start (PRR-SSRB, RFC 6937).
        PrrSsrb = "prr-ssrb",
        /// By proportional rate reduction. Below ssthresh, an ACK sends one segment more only if it acknowledges new data and
        /// shows no further loss (RFC 9937).
        Prr = "prr",
        /// Linux's proportional rate reduction: RFC 9937 in whole segments, with shares of cwnd instead of what was in flight.
        PrrLinux = "prr-linux",
    }
}

choice! {
    /// How the window falls to ssthresh in a recovery with forward acknowledgment.
    FackWindow {
        /// At once. Only the first hole is sent until so little is in flight.
        AtOnce = "at-once",
        /// By one segment for two ACKs (rate halving; Linux before PRR).
        RateHalving = "rate-halving",
        /// By PRR-CRB (RFC 6937).
        PrrCrb = "prr-crb",
        /// By PRR-SSRB (RFC 6937).
        PrrSsrb = "prr-ssrb",
        /// By RFC 9937's proportional rate reduction.
        Prr = "prr",
        /// By Linux's proportional rate reduction.
        PrrLinux = "prr-linux",
    }
}

choice! {
    /// Which evidence shows that a reduction was spurious, so that cwnd and ssthresh are restored.
    Undo {
        /// None: reductions are never undone.
        Off = "off",
        /// An ACK of new data that echoes a timestamp from before the first retransmission (Eifel, RFC 3522). It needs
        /// `timestamps`.
        Timestamps = "timestamps",
        /// DSACKs of every retransmission (RFC 3708). They need the receiver's `dsack`.
        Dsack = "dsack",
        /// Either of the two (Linux).
        Both = "both",
    }
}

choice! {
    /// How a sender with RACK measures reordering, and what follows from it.
    Reordering {
        /// It is seen or not. Each round trip with a DSACK widens the time that RACK waits (RFC 8985 section 6.2).
        Rfc8985 = "rfc8985",
        /// It has a degree, in segments. Above `dup_thresh`, reported segments grow the window, too. DSACKs widen the time that RACK
        /// waits only after reordering. What a DSACK reports counts as delivered (Linux).
        Linux = "linux",
    }
}

choice! {
    /// When a sender with RACK looks for losses, and what a found one means.
    LossSearch {
        /// With each ACK. When the reordering timer expires, new data leaves, too (RFC 8985 section 6.2 step 5).
        EachAck = "each-ack",
        /// With each ACK that delivers something sent later than what was delivered before. What an undo forgave is not found again
        /// before it is sent again. When the reordering timer expires, only lost segments leave, and one segment counts as delivered
        /// in a reduction (`tcp_rack_detect_loss`, `tcp_rack_reo_timeout` in Linux).
        Linux = "linux",
    }
}

choice! {
    /// What the evidence of a sender with RACK for `undo` is compared with.
    UndoEvidence {
        /// The last reduction: when it first sent something again, and how much. DSACKs undo when a recovery is over.
        Reduction = "reduction",
        /// Each segment in flight, too. A late segment undoes a recovery once no retransmission is on its way; until then only new data
        /// leaves. DSACKs undo at once. A probe of the tail is no retransmission (`tcp_try_undo_partial`, `tcp_try_undo_dsack` and
        /// `tcp_send_loss_probe` in Linux).
        Segments = "segments",
    }
}

choice! {
    /// How a congestion mark reduces the window of a sender with RACK.
    Marks {
        /// At once (RFC 3168).
        AtOnce = "at-once",
        /// By proportional rate reduction, as for a loss (`tcp_enter_cwr` in Linux), where `window` is that.
        Prr = "prr",
    }
}

choice! {
    /// Which segments give a sender with RACK its round trips.
    RttSamples {
        /// For RACK, each one sent once. For the RTO and the control, the newest one covered, or the echoed timestamp.
        Segments = "segments",
        /// An ACK gives two. That for the RTO is of the first segment covered that was sent once, or of the first one reported; that for
        /// RACK and the control of the last one. The timestamp serves where a segment covered was sent twice (Linux).
        Linux = "linux",
    }
}

choice! {
    /// Which losses begin a recovery of a sender with RACK.
    LossCounts {
        /// Those that wait to be sent again.
        Unsent = "unsent",
        /// Those also that were sent again, until something of them arrives (`lost_out` in Linux). After a timeout, a retransmission
        /// that is lost begins a recovery, too (`FLAG_LOST_RETRANS`).
        Unreported = "unreported",
    }
}

choice! {
    /// cwnd of a sender with RACK after a timeout.
    TimeoutCwnd {
        /// One segment (RFC 5681 section 3.1).
        OneSegment = "one-segment",
        /// One segment beside what is in flight and not lost (`tcp_enter_loss` in Linux).
        InFlight = "in-flight",
    }
}

choice! {
    /// When a sender with RACK may send a probe of the tail.
    TailProbe {
        /// Once for a measured round trip (RFC 8985 section 7.3).
        Rfc8985 = "rfc8985",
        /// Without such a measurement, too. New data sets it no later than the timeout of the oldest segment (Linux).
        Linux = "linux",
    }
}

choice! {
    /// How a timeout is tested for being spurious: new data is sent after the first retransmission (F-RTO, RFC 5682).
    Frto {
        /// Not at all.
        Off = "off",
        /// The second ACK decides (RFC 5682 section 3, with SACK).
        Rfc5682 = "rfc5682",
        /// The first ACK decides if it acknowledges more than the retransmission. A repeated timeout is tested, too (Linux).
        Linux = "linux",
    }
}
