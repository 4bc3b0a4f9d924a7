//! Keys of earlier versions, and where each stands now.

/// Old key of a sender or receiver, and its place there.
const MOVED: [(&str, &str); 18] = [
    ("recovery_window", "recovery.window"),
    ("undo", "recovery.undo"),
    ("frto", "recovery.frto"),
    ("duplicates_restart_timer", "recovery.duplicates_restart_timer"),
    ("sack_partial", "recovery.partial"),
    ("partial_ack_timer", "recovery.partial_ack_timer"),
    ("partial_deflation", "recovery.partial_deflation"),
    ("inflate_when_blocked", "recovery.inflate_when_blocked"),
    ("inflation_limit", "recovery.inflation_limit"),
    ("packet_numbers", "recovery.packet_numbers of a sender, ack.packet_numbers of a receiver"),
    ("max_ack_delay", "recovery.max_ack_delay"),
    ("slow_start", "control.slow_start"),
    ("nagle", "sequence.nagle"),
    ("sws_avoidance", "sequence.sws_avoidance"),
    ("tick_phase", "rtt_filter.phase"),
    ("timer_tick", "recovery.tick"),
    ("pacing_burst", "pacing.burst"),
    ("estimate_initial", "estimate.initial"),
];

/// "; it is now `recovery.frto`" for an old key, or nothing.
pub(super) fn moved(key: &str) -> Option<String> {
    let &(_, place) = MOVED.iter().find(|(old, _)| *old == key)?;
    Some(format!("; it is now `{place}`"))
}
