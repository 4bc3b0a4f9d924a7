//! Which of a scenario's senders the eBPF congestion control can be, and its parameters.

use acklab_tcp::rules::{
    ControlKind, CreditKind, CubicSlowStart, Growth, Halving, SenderRules, Validation, Variants, VenoBase,
    VenoEstimate, VenoFirstLoss, Window,
};

/// Parameters that are no whole numbers are handed over in this part of one (`PARTS` in bpf/rules.h).
const PARTS: f64 = 256.0;
/// Largest L: so many parts of a segment times its bytes stay far from 64 bits.
const MOST: f64 = 1e6;

/// A sender's rules, as numbers with the names they have in the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    numbers: [(&'static str, u64); 14],
    label: String,
}

impl Rules {
    /// Those of `sender`; none if the eBPF congestion control does not know its credit, its control or its slow start.
    pub fn of(sender: &SenderRules) -> Option<Rules> {
        let parts = |value: f64| (value.min(MOST) * PARTS).round() as u64;
        let (credit, limit, after_timeout, growth) = match sender.credit {
            CreditKind::AckCounting {} => (0, 0, 0, Growth::Whole),
            CreditKind::Rfc5681 {} => (1, 0, 0, Growth::Whole),
            // No limit is 0.
            CreditKind::Ubc { growth } => (2, 0, 0, growth),
            CreditKind::Lbc { limit, growth } => (2, parts(limit).max(1), 0, growth),
            CreditKind::Abc { limit } => (3, parts(limit), parts(1.0), Growth::Whole),
            CreditKind::Sabc { limit } => (3, parts(limit), parts(limit), Growth::Whole),
            CreditKind::FullSegments {} => (4, 0, 0, Growth::Whole),
            CreditKind::Counter {} => (5, 0, 0, Growth::Whole),
            CreditKind::SegmentCounter {} => (6, 0, 0, Growth::Whole),
        };
        let growth = match growth {
            Growth::Whole => 0,
            Growth::Steps => 1,
            Growth::AllThenOne => 2,
        };
        let (control, veno) = match sender.control {
            ControlKind::Reno { .. } => (0, [0; 6]),
            ControlKind::Veno { alpha, beta, estimate, first_loss, base_rtt, clock, .. } => {
                let flags = [
                    u64::from(estimate == VenoEstimate::PerRtt),
                    u64::from(first_loss == VenoFirstLoss::Half),
                    u64::from(base_rtt == VenoBase::SinceLoss),
                ];
                let tick = (clock.secs() * 1e6).round() as u64;
                (1, [parts(alpha), parts(beta), flags[0], flags[1], flags[2], tick])
            }
            _ => return None,
        };
        if sender.control.slow_start() != CubicSlowStart::Standard {
            return None;
        }
        let numbers = [
            ("credit", credit),
            ("limit", limit),
            ("limit_after_timeout", after_timeout),
            ("growth", growth),
            ("control", control),
            ("alpha", veno[0]),
            ("beta", veno[1]),
            ("per_rtt", veno[2]),
            ("first_loss_half", veno[3]),
            ("since_loss", veno[4]),
            ("tick_us", veno[5]),
            ("initial_ssthresh", first_threshold(sender)),
            ("validate", u64::from(sender.validation == Validation::Linux)),
            ("halve_cwnd", u64::from(sender.halving != Halving::FlightSize)),
        ];
        Some(Rules { numbers, label: format!("{}+{}", sender.control.name(), sender.credit.name()) })
    }

    /// The number of that name.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.numbers.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
    }

    /// All of them.
    pub fn numbers(&self) -> &[(&'static str, u64)] {
        &self.numbers
    }

    /// Control and credit in a word, such as `reno+ack-counting`.
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// Where the first slow start ends, in segments: as everywhere, at the receiver's window if nothing else is said.
fn first_threshold(sender: &SenderRules) -> u64 {
    match sender.window {
        _ if sender.initial_ssthresh > 0.0 => sender.initial_ssthresh as u64,
        Window::Segments(n) => u64::from(n),
        Window::Bytes(bytes) => bytes.get() / u64::from(sender.packet.max(1)),
    }
}

/// Whether an ACK is worth the segments it covers, as to a kernel's own senders.
pub fn counts_segments(credit: &CreditKind) -> bool {
    matches!(
        credit,
        CreditKind::FullSegments {} | CreditKind::SegmentCounter {} | CreditKind::Ubc { growth: Growth::Whole }
    )
}

/// Whether a stock kernel's sender does as these rules say: it grows its window by the segments an ACK covers, and has
/// no Veno unless a module brings it.
pub fn stock(sender: &SenderRules) -> bool {
    counts_segments(&sender.credit) && !matches!(sender.control, ControlKind::Veno { .. })
}
