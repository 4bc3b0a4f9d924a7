//! What rule tables must not say together, or at all, beyond what their types rule out.

use acklab_tcp::rules::{
    AckPolicyKind, ControlKind, EstimateKind, ReceiverRules, RecoveryKind, RttFilter, RttSource, SenderRules, SlowStart,
};

use super::limits::{SHORTEST, brief, too_short};

/// What one rule means for another; the key at fault and what is wrong.
pub(super) type Conflict = (&'static str, String);

/// Most sequence units a window may span: SACK blocks are carried as signed 32-bit offsets.
const MOST_UNITS: u64 = i32::MAX as u64;

pub(super) fn check_sender(rules: &SenderRules) -> Result<(), Conflict> {
    let zero = acklab_packet::Time::ZERO;
    if rules.tick == zero && rules.rtt_filter == RttFilter::Integer {
        return Err(("tick", "is zero, but rtt_filter = \"integer\" counts in ticks; give it a tick above 0s".into()));
    }
    if rules.max_rto < rules.min_rto {
        return Err(("min_rto", format!("is {}, above max_rto = {}", rules.min_rto, rules.max_rto)));
    }
    for (key, span) in [("max_rto", rules.max_rto), ("initial_rto", rules.initial_rto)] {
        if let Some(what) = too_short(span) {
            return Err((key, what));
        }
    }
    if rules.timestamps && rules.options_in_packet && rules.packet <= rules.timestamp_bytes {
        let what = format!("is {}, but timestamps take {} bytes of each packet", rules.packet, rules.timestamp_bytes);
        return Err(("packet", what));
    }
    if let Some(limit) = rules.credit.limit().filter(|limit| !(limit.is_finite() && *limit > 0.0)) {
        return Err(("credit.limit", format!("is {limit}; must be a number of segments above 0")));
    }
    if matches!(rules.recovery, RecoveryKind::Rack | RecoveryKind::Rfc9002) && rules.skip > 0 {
        let name = if rules.recovery == RecoveryKind::Rack { "rack" } else { "rfc9002" };
        let what =
            format!("is {}, but recovery = \"{name}\" would take a segment left out for lost; must be 0", rules.skip);
        return Err(("skip", what));
    }
    if rules.recovery == RecoveryKind::Rfc9002 && rules.timestamps {
        let what = "is true, but recovery = \"rfc9002\" times each packet itself; must be false";
        return Err(("timestamps", what.into()));
    }
    if rules.slow_start == SlowStart::HyStartPlusPlus && matches!(rules.control, ControlKind::Vegas { .. }) {
        let what = "is \"hystart++\", but control = \"vegas\" ends slow start by its own backlog; must be \"standard\"";
        return Err(("slow_start", what.into()));
    }
    if rules.control.counts_marks() && !rules.ecn {
        let what = format!("is false, but control = \"{}\" goes by marks; must be true", rules.control.name());
        return Err(("ecn", what));
    }
    if rules.control.owns_window() {
        check_owner(rules)?;
    }
    if let Some((key, value, allowed)) = rules.control.out_of_range() {
        return Err((key, format!("is {value}; must be {allowed}")));
    }
    let bytes = match rules.window {
        acklab_tcp::rules::Window::Segments(segments) => u64::from(segments).saturating_mul(rules.packet.into()),
        acklab_tcp::rules::Window::Bytes(bytes) => bytes.get(),
    };
    if bytes < rules.packet.into() {
        return Err(("window", format!("is {bytes} bytes, less than one packet of {} bytes", rules.packet)));
    }
    let units = match rules.sequence {
        acklab_tcp::rules::Sequence::Bytes => bytes,
        acklab_tcp::rules::Sequence::Segments => bytes / u64::from(rules.packet),
    };
    if units > MOST_UNITS {
        return Err(("window", format!("is {units} sequence units, more than {MOST_UNITS}")));
    }
    Ok(())
}

/// A control that sets window and pace by itself takes them from no other rule.
fn check_owner(rules: &SenderRules) -> Result<(), Conflict> {
    let name = rules.control.name();
    if rules.recovery != RecoveryKind::Rack {
        let what = "which learns from recovery = \"rack\" what is delivered and lost; must go with that";
        return Err(("control", format!("is \"{name}\", {what}")));
    }
    if rules.pacing != 0.0 {
        let what = format!("is {}, but control = \"{name}\" paces by itself; must be 0", rules.pacing);
        return Err(("pacing", what));
    }
    if rules.slow_start == SlowStart::HyStartPlusPlus {
        let what = format!("but control = \"{name}\" ends start-up by its own model; must be \"standard\"");
        return Err(("slow_start", format!("is \"hystart++\", {what}")));
    }
    Ok(())
}

pub(super) fn check_receiver(rules: &ReceiverRules) -> Result<(), Conflict> {
    match rules.ack {
        AckPolicyKind::Every {} => Ok(()),
        AckPolicyKind::Delayed { segments: 0, .. }
        | AckPolicyKind::Daass { segments: 0, .. }
        | AckPolicyKind::Periodic { segments: 0, .. } => Err(("ack.segments", "is 0; must be at least 1".into())),
        AckPolicyKind::Acc { d_max: 0, .. } => Err(("ack.d_max", "is 0; must be at least 1".into())),
        AckPolicyKind::Smart { initial: 0, .. } => Err(("ack.initial", "is 0; must be at least 1 segment".into())),
        AckPolicyKind::Periodic { beta, .. } if !(beta.is_finite() && beta > 0.0) => {
            Err(("ack.beta", format!("is {beta}; must be a number above 0")))
        }
        AckPolicyKind::Smart { interval, rtt: RttSource::Probe, .. }
        | AckPolicyKind::Periodic { interval, rtt: RttSource::Probe, .. }
            if interval < SHORTEST =>
        {
            Err(("ack.interval", format!("is {}; keep-alives need at least 1us between them", brief(interval))))
        }
        AckPolicyKind::Delayed { timer, heartbeat: true, .. } if timer < SHORTEST => {
            Err(("ack.timer", format!("is {}, but a heartbeat needs a timer of at least 1us", brief(timer))))
        }
        AckPolicyKind::Daass { window: 0, .. } | AckPolicyKind::Divide { window: 0, .. } => {
            Err(("ack.window", "is 0; must be at least 1 segment".into()))
        }
        AckPolicyKind::Divide { pieces, .. } if !(2..=64).contains(&pieces) => {
            Err(("ack.pieces", format!("is {pieces}; must be from 2 to 64")))
        }
        AckPolicyKind::Divide { segments: 0, .. } => Err(("ack.segments", "is 0; must be at least 1".into())),
        AckPolicyKind::Restore { pieces, .. } if !(2..=64).contains(&pieces) => {
            Err(("ack.pieces", format!("is {pieces}; must be from 2 to 64")))
        }
        AckPolicyKind::Restore { share, .. } if !(0.0..=1.0).contains(&share) => {
            Err(("ack.share", format!("is {share}; must be from 0 to 1")))
        }
        AckPolicyKind::Spoof { duplicates } if !(1..=1000).contains(&duplicates) => {
            Err(("ack.duplicates", format!("is {duplicates}; must be from 1 to 1000")))
        }
        AckPolicyKind::Optimistic { ahead, .. } if !(1..=1_000_000).contains(&ahead) => {
            Err(("ack.ahead", format!("is {ahead}; must be from 1 to 1000000")))
        }
        AckPolicyKind::Quic { segments, .. } if !(1..=1_000_000).contains(&segments) => {
            Err(("ack.segments", format!("is {segments}; must be from 1 to 1000000")))
        }
        AckPolicyKind::Quic { reordering, .. } if reordering > 255 => {
            Err(("ack.reordering", format!("is {reordering}; must be from 0 to 255")))
        }
        AckPolicyKind::Quic { rtt_share, .. } if !(0.0..=10.0).contains(&rtt_share) => {
            Err(("ack.rtt_share", format!("is {rtt_share}; must be from 0 to 10")))
        }
        AckPolicyKind::Linux { quick, .. } if quick > 255 => {
            Err(("ack.quick", format!("is {quick}; must be from 0 to 255")))
        }
        AckPolicyKind::Linux { window, .. } if !(1..=1_000_000).contains(&window) => {
            Err(("ack.window", format!("is {window}; must be from 1 to 1000000 segments")))
        }
        AckPolicyKind::Linux { buffer, window, .. } if !(window..=1_000_000).contains(&buffer) => {
            Err(("ack.buffer", format!("is {buffer}; must be from window = {window} to 1000000 segments")))
        }
        AckPolicyKind::Linux { sack_most, .. } if sack_most > 255 => {
            Err(("ack.sack_most", format!("is {sack_most}; must be from 0 to 255")))
        }
        AckPolicyKind::Linux { low_water, .. } if !(1..=1_000_000_000).contains(&low_water) => {
            Err(("ack.low_water", format!("is {low_water}; must be from 1 to 1000000000")))
        }
        AckPolicyKind::Linux { least, timer, .. } if least > timer => {
            Err(("ack.least", format!("is {least}, above timer = {timer}")))
        }
        AckPolicyKind::Linux { tick, timer, .. } if tick > timer => {
            Err(("ack.tick", format!("is {tick}, above timer = {timer}")))
        }
        AckPolicyKind::Acc { .. }
        | AckPolicyKind::Python { .. }
        | AckPolicyKind::Linux { .. }
        | AckPolicyKind::Quic { .. }
        | AckPolicyKind::Delayed { .. }
        | AckPolicyKind::Daass { .. }
        | AckPolicyKind::Divide { .. }
        | AckPolicyKind::Restore { .. }
        | AckPolicyKind::Spoof { .. }
        | AckPolicyKind::Optimistic { .. }
        | AckPolicyKind::Smart { .. }
        | AckPolicyKind::Periodic { .. } => Ok(()),
    }
}

/// Packet numbers need both ends, and leave no room for the timestamps that estimators read.
pub(super) fn check_numbers(
    sender: &SenderRules,
    receiver: &ReceiverRules,
    possible: bool,
) -> Result<(), (&'static str, &'static str, String)> {
    let wrong = |side| {
        Err((side, "packet_numbers", "is true, but that takes recovery = \"rfc9002\" and policy \"quic\"".into()))
    };
    match (sender.packet_numbers, receiver.packet_numbers) {
        (true, _) if !possible => return wrong("sender"),
        (_, true) if !possible => return wrong("receiver"),
        (ours, theirs) if ours != theirs => {
            let what = format!("is {theirs}, but the sender's is {ours}; both ends or neither");
            return Err(("receiver", "packet_numbers", what));
        }
        _ => {}
    }
    if sender.packet_numbers && receiver.estimate == EstimateKind::Timestamps {
        let what = "is \"timestamps\", but segments with packet numbers have none; must be \"probe\" or \"off\"";
        return Err(("receiver", "estimate", what.into()));
    }
    Ok(())
}
