//! Rules that nothing asks for beside a flow's others: what its stack says of them is off then, and what the flow itself says is
//! an error, since it would change nothing.

use acklab_tcp::rules::{
    Frto, Nagle, RecoveryKind, RecoveryWindow, SenderPatch, SenderRules, Sequence, SlowStart, Undo,
};
use serde::Serialize;
use serde_json::json;

use super::conflicts::Conflict;

/// Switches off what nothing asks for, unless `said` has it; `dsack`: whether the receiver reports duplicates.
pub(super) fn silence(said: &SenderPatch, rules: &mut SenderRules, dsack: bool) -> Result<(), Conflict> {
    let recovery = rules.recovery;
    let spread = (recovery.spreads_reductions(), "recovery = \"rfc6675\", \"rack\" or \"fack\"");
    let fack = (recovery == RecoveryKind::Fack, "recovery = \"fack\"");
    let window = if rules.recovery_window == RecoveryWindow::RateHalving { fack } else { spread };
    let undo = match rules.undo {
        Undo::Timestamps if !rules.timestamps => (false, "timestamps = true"),
        Undo::Dsack if !dsack => (false, "a receiver with dsack = true"),
        _ => (recovery.undoes(), "recovery = \"rfc6675\", \"rack\" or \"fack\""),
    };
    let frto = (recovery.watches_timeouts(), "recovery = \"rfc6675\" or \"rack\"");
    let part = rules.slow_start != SlowStart::HyStart || rules.control.has_hystart();
    let slow_start = (part, "control = \"cubic\"");
    let paced = (rules.pacing != 0.0, "pacing above 0");
    let bytes = (rules.sequence == Sequence::Bytes, "sequence = \"bytes\"");
    asked("recovery_window", said.recovery_window, &mut rules.recovery_window, RecoveryWindow::AtOnce, window)?;
    asked("undo", said.undo, &mut rules.undo, Undo::Off, undo)?;
    asked("frto", said.frto, &mut rules.frto, Frto::Off, frto)?;
    asked("slow_start", said.slow_start, &mut rules.slow_start, SlowStart::Standard, slow_start)?;
    let restart = &mut rules.duplicates_restart_timer;
    asked("duplicates_restart_timer", said.duplicates_restart_timer, restart, false, fack)?;
    asked("pacing_burst", said.pacing_burst, &mut rules.pacing_burst, 1, paced)?;
    asked("nagle", said.nagle, &mut rules.nagle, Nagle::Off, bytes)?;
    asked("sws_avoidance", said.sws_avoidance, &mut rules.sws_avoidance, true, bytes)
}

/// One of them: `off` is its value where nothing asks, `by` whether something does, and what would.
fn asked<T: PartialEq + Serialize>(
    key: &'static str,
    said: Option<T>,
    value: &mut T,
    off: T,
    (asks, by): (bool, &str),
) -> Result<(), Conflict> {
    if asks || *value == off {
        return Ok(());
    }
    match said {
        Some(said) => Err((key, format!("is {}, but only {by} asks for it; must be {}", json!(said), json!(off)))),
        None => {
            *value = off;
            Ok(())
        }
    }
}
