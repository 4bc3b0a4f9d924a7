//! Values of rules that do not go together.

use acklab_packet::Time;
use acklab_tcp::rules::{
    AceRule, AckPolicyKind, AckRequest, ControlKind, EstimateKind, Feedback, Pacing, ReceiverRules, RttFilter,
    RttSource, Segmentation, SenderFault, SenderRules, Undo, Variants, Window,
};
use acklab_tcp::sender::control::{CongestionControl, Control, Needs, misfits};

use super::limits::{SHORTEST, brief, too_short};

/// The key at fault, and what is wrong with its value.
type Conflict = (&'static str, String);

/// What a choice in Python needs.
const UNNAMED: &str = "missing; must be the name under which the program passes it";

/// Largest number of sequence units a window may span: SACK blocks are carried as signed 32-bit offsets.
const MAX_UNITS: u64 = i32::MAX as u64;

/// Each conflict among a sender's rules.
pub(super) fn check_sender(rules: &SenderRules) -> Vec<Conflict> {
    let mut found = Vec::new();
    if rules.tick == Time::ZERO && matches!(rules.rtt_filter, RttFilter::Integer { .. }) {
        found.push(("tick", "is 0s, but rtt_filter = \"integer\" counts ticks; must be above 0s".into()));
    }
    if rules.tick > Time::ZERO && rules.tick < SHORTEST {
        found.push(("tick", format!("is {}; must be 0s, or at least 1us", brief(rules.tick))));
    }
    if rules.max_rto < rules.min_rto {
        found.push(("min_rto", format!("is {}, above max_rto = {}", rules.min_rto, rules.max_rto)));
    }
    for (key, span) in [("max_rto", rules.max_rto), ("initial_rto", rules.initial_rto)] {
        if let Some(what) = too_short(span) {
            found.push((key, what));
        }
    }
    if rules.timestamps && rules.options_in_packet && rules.packet <= rules.timestamp_bytes {
        let what = format!("is {}, but timestamps take {} bytes of each packet", rules.packet, rules.timestamp_bytes);
        found.push(("packet", what));
    }
    let recovery = rules.recovery.name();
    let by_data = !rules.recovery.packet_numbers();
    if rules.recovery.judges_segments() && by_data && rules.skip > 0 {
        let what =
            format!("is {}, but recovery = \"{recovery}\" takes a skipped segment for lost; must be 0", rules.skip);
        found.push(("skip", what));
    }
    if matches!(rules.pacing, Pacing::Bursts { .. }) && rules.recovery.uses_sack() {
        let what = format!(
            "is \"bursts\", but recovery = \"{recovery}\" sends by what is outstanding; it must be tahoe, reno or newreno"
        );
        found.push(("pacing", what));
    }
    if matches!(rules.pacing, Pacing::Bursts { .. }) && rules.max_burst == 0 {
        found.push(("max_burst", "is 0, but pacing = \"bursts\" sends that many at once; must be at least 1".into()));
    }
    if rules.fault == SenderFault::NoDeflation && !rules.recovery.inflates() {
        let what = format!(
            "is \"no-deflation\", but recovery = \"{recovery}\" adds nothing to the window; it must be reno or newreno"
        );
        found.push(("fault", what));
    }
    let grows = [SenderFault::NoSlowStartAfterTimeout, SenderFault::ExtraAdditiveConstant].contains(&rules.fault);
    if grows && !matches!(rules.control, ControlKind::Reno { .. }) {
        let control = rules.control.name();
        found.push((
            "fault",
            format!("changes how a window grows, which control = \"{control}\" decides; it must be reno"),
        ));
    }
    if rules.recovery.times_packets() && rules.timestamps {
        let what = "is true, but recovery = \"rfc9002\" times each packet itself; must be false";
        found.push(("timestamps", what.into()));
    }
    if rules.recovery.undo() == Undo::Timestamps && !rules.timestamps {
        let what = "is \"timestamps\", but the sender has timestamps = false; must be \"off\" or \"dsack\"";
        found.push(("recovery.undo", what.into()));
    }
    let control = rules.control.name();
    if rules.ect1 && !rules.ecn {
        found.push(("ect1", "is true, but ecn = false; must be false".to_string()));
    }
    let thorough = matches!(rules.ace, AceRule::Rfc9768 | AceRule::Linux);
    let counted = rules.ecn && (rules.recovery.packet_numbers() || rules.accurate_ecn && thorough);
    if rules.test_marks > 0 && !counted {
        let what = "needs QUIC's counts, or accurate_ecn with ace = \"rfc9768\" or \"linux\", which count no mark too few; must be 0";
        found.push(("test_marks", format!("is {}, but {what}", rules.test_marks)));
    }
    if rules.accurate_ecn && rules.recovery.packet_numbers() {
        found.push(("accurate_ecn", "is true, but packets with numbers have QUIC's counts; must be false".to_string()));
    }
    if rules.accurate_ecn && !rules.ecn {
        found.push(("accurate_ecn", "is true, but ecn = false; must be false".to_string()));
    }
    if rules.ack_request != (AckRequest::Off {}) && !rules.syn {
        found.push((
            "ack_request",
            "is on, but syn = false, so that no handshake agrees on it; must be \"off\"".to_string(),
        ));
    }
    if rules.beta_ecn > 0.0 && !rules.ecn {
        found.push(("beta_ecn", format!("is {}, but ecn = false; must be 0", rules.beta_ecn)));
    } else if rules.beta_ecn > 0.0 && !matches!(rules.control, ControlKind::Reno { .. } | ControlKind::Cubic { .. }) {
        let what =
            format!("is {}, but control = \"{control}\" has an answer to marks of its own; must be 0", rules.beta_ecn);
        found.push(("beta_ecn", what));
    }
    if rules.control.traits().counts_marks && !rules.ecn {
        found.push(("ecn", format!("is false, but control = \"{control}\" needs marks; must be true")));
    }
    if !matches!(rules.control, ControlKind::Python { .. }) {
        let named = Control::new(rules.control.clone(), rules.packet, 0);
        found.extend(misfits(rules, control, named.needs(), named.owns_window()));
        let paced =
            rules.pacing != Pacing::Off {} || named.pacing_rate().is_some() || named.needs() >= Needs::Deliveries;
        let fits = !paced && rules.recovery.asks_program() && rules.max_burst == 0 && rules.sequence.in_bytes();
        if rules.segmentation != Segmentation::Off && !fits {
            let what = "forms bursts, which needs recovery = \"rack\", sequence = \"bytes\", max_burst = 0, no pacing and a control that does not pace; must be \"off\"";
            found.push(("segmentation", what.into()));
        }
    }
    match rules.control {
        ControlKind::Python { ref name, .. } if name.is_empty() => found.push(("control.name", UNNAMED.into())),
        ControlKind::Veno { clock, .. } if clock.secs() > 1.0 => {
            found.push(("control.clock", format!("is {clock}; must be at most 1s")));
        }
        ControlKind::Prague { least_rtt, .. } if least_rtt < SHORTEST => {
            found.push(("control.least_rtt", format!("is {}; must be at least 1us", brief(least_rtt))));
        }
        ControlKind::Vegas { alpha, beta, .. } if alpha > beta => {
            found.push(("control.alpha", format!("is {alpha}; must be at most beta = {beta}")));
        }
        _ => {}
    }
    let bytes = match rules.window {
        Window::Segments(segments) => u64::from(segments).saturating_mul(rules.packet.into()),
        Window::Bytes(bytes) => bytes.get(),
    };
    if bytes < rules.packet.into() {
        found.push(("window", format!("is {bytes} bytes, less than one packet of {} bytes", rules.packet)));
    }
    let units = if rules.sequence.in_bytes() { bytes } else { bytes / u64::from(rules.packet) };
    if units > MAX_UNITS {
        found.push(("window", format!("is {units} sequence units, more than {MAX_UNITS}")));
    }
    found
}

pub(super) fn check_receiver(rules: &ReceiverRules) -> Result<(), Conflict> {
    match rules.ack {
        AckPolicyKind::Python { ref name, .. } if name.is_empty() => Err(("ack.name", UNNAMED.into())),
        AckPolicyKind::Smart { interval, rtt: RttSource::Probe, .. }
        | AckPolicyKind::Periodic { interval, rtt: RttSource::Probe, .. }
            if interval < SHORTEST =>
        {
            Err(("ack.interval", format!("is {}; keep-alives need at least 1us between them", brief(interval))))
        }
        AckPolicyKind::Delayed { timer, heartbeat: true, .. } if timer < SHORTEST => {
            Err(("ack.timer", format!("is {}, but a heartbeat needs a timer of at least 1us", brief(timer))))
        }
        AckPolicyKind::Linux { buffer, window, .. } if buffer < window => {
            Err(("ack.buffer", format!("is {buffer}; must be at least window = {window}")))
        }
        AckPolicyKind::Linux { least, timer, .. } if least > timer => {
            Err(("ack.least", format!("is {least}, above timer = {timer}")))
        }
        AckPolicyKind::Linux { tick, timer, .. } if tick > timer => {
            Err(("ack.tick", format!("is {tick}, above timer = {timer}")))
        }
        _ => Ok(()),
    }
}

/// What one end's rules mean for the other's: the side at fault, its key, and what is wrong.
pub(super) fn check_both(
    sender: &SenderRules,
    receiver: &ReceiverRules,
) -> Result<(), (&'static str, &'static str, String)> {
    let theirs = match receiver.ack {
        AckPolicyKind::Quic { packet_numbers, .. } => Some(packet_numbers),
        _ => None,
    };
    let ours = sender.recovery.times_packets().then_some(sender.recovery.packet_numbers());
    let wrong = |side, key: &'static str, what: &str| Err((side, key, what.to_owned()));
    match (ours, theirs) {
        (Some(true), None) => {
            let what = "is true, but the receiver's policy is not \"quic\"; must be false";
            return wrong("sender", "recovery.packet_numbers", what);
        }
        (None, Some(true)) => {
            let what = "is true, but the sender's recovery is not \"rfc9002\"; must be false";
            return wrong("receiver", "ack.packet_numbers", what);
        }
        (Some(ours), Some(theirs)) if ours != theirs => {
            let what = format!("is {theirs}, but the sender's is {ours}; must be the same at both ends");
            return wrong("receiver", "ack.packet_numbers", &what);
        }
        _ => {}
    }
    if matches!(receiver.ack, AckPolicyKind::Linux { memory: 1.., .. }) && !sender.sequence.in_bytes() {
        return wrong("receiver", "ack.memory", "counts bytes, but the sender counts segments; must be 0");
    }
    if receiver.ack.asks_for_allowance() && (!sender.carry_allowance || sender.carry_window) {
        let key = if sender.carry_window { "carry_window" } else { "carry_allowance" };
        let what =
            "does not go with the policy \"acc-ns2\", which reads carry_allowance = true and carry_window = false";
        return wrong("sender", key, what);
    }
    if sender.test_marks > 0 && !(receiver.sack && receiver.max_sack_blocks > 0) {
        return wrong("sender", "test_marks", "needs a receiver with sack and max_sack_blocks; must be 0");
    }
    if receiver.false_dsacks && !(receiver.sack && receiver.dsack && receiver.max_sack_blocks > 0) {
        return wrong("receiver", "false_dsacks", "is true, but ACKs have no DSACK; must be false");
    }
    if receiver.feedback == Feedback::Counts && ours != Some(true) {
        return wrong("receiver", "feedback", "is \"counts\", but the sender's packets have no numbers");
    }
    if receiver.feedback == Feedback::Counts && !(receiver.sack && receiver.max_sack_blocks > 0) {
        return wrong("receiver", "feedback", "is \"counts\", but ACKs have no ranges; needs sack and max_sack_blocks");
    }
    if receiver.feedback == Feedback::Accurate && !sender.syn && !(sender.ecn && sender.accurate_ecn) {
        return wrong(
            "receiver",
            "feedback",
            "is \"accurate\", but the sender has no accurate_ecn, and no SYN that asks",
        );
    }
    if ours == Some(true) && matches!(receiver.estimate, EstimateKind::Timestamps { .. }) {
        let what = "is \"timestamps\", but segments with packet numbers have none; must be \"probe\" or \"off\"";
        return wrong("receiver", "estimate", what);
    }
    if sender.recovery.undo() == Undo::Dsack && !receiver.dsack {
        let what = "is \"dsack\", but the receiver has dsack = false; must be \"off\" or \"timestamps\"";
        return wrong("sender", "recovery.undo", what);
    }
    if receiver.dsack && !receiver.sack {
        return wrong("receiver", "dsack", "is true, but sack is false; must be false");
    }
    if receiver.dsack && !sender.recovery.takes_dsack() {
        let what = "is true, but a sender with recovery = \"sack\" takes such a report for a hole; must be false";
        return wrong("receiver", "dsack", what);
    }
    Ok(())
}
