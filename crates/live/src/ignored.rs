//! The rules of a scenario that a kernel does not follow, key by key.
//!
//! A rule that the run sets in the kernel ([`crate::settings`]) is not listed. Every other one is, if its value is not the
//! stack `linux`'s: a new rule is listed until the kernels follow it.

use acklab_packet::Time;
use acklab_scenario::spec::FlowSpec;
use acklab_tcp::rules::{
    AckPolicyKind, ControlKind, ReceiverPatch, ReceiverRules, RecoveryKind, SenderPatch, SenderRules, Stack, Variants,
    named,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::settings::{MAX_WINDOW, Options, Settings};

/// Sender rules that kernels are told ([`Settings`]), that the path or the plan sees to, or that are known at run time only
/// ([`ticks`]).
const SENDER_FOLLOWED: [&str; 9] = [
    "packet",
    "timestamps",
    "options_in_packet",
    "window",
    "initial_window",
    "min_rto",
    "ecn",
    "recovery.tick",
    "recovery.phase",
];
/// ... and those that a sender of the scenario's own, as an eBPF congestion control, follows besides ([`crate::bpf::rules`]).
const SENDER_OURS: [&str; 6] = ["control", "controls", "credit", "initial_ssthresh", "halving", "validation"];
/// The same of receivers.
const RECEIVER_FOLLOWED: [&str; 11] = [
    "sack",
    "dsack",
    "ack.window",
    "ack.buffer",
    "ack.autotune",
    "ack.memory",
    "ack.most_memory",
    "ack.sack_delay",
    "ack.sack_slack",
    "ack.sack_most",
    "ack.sack_share",
];

/// A rule that the kernel does not follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ignored {
    /// Its key, as `--set` takes it.
    pub key: String,
    /// The scenario's value.
    pub scenario: String,
    /// What the kernel does.
    pub kernel: String,
}

/// The rules of a flow that kernels with these settings do not follow; `ours`: its sender is the scenario's.
pub fn of(spec: &FlowSpec, settings: &Settings, options: &Options, ours: bool) -> Vec<Ignored> {
    let (sender, receiver) = (&*spec.sender, &*spec.receiver);
    let mut found = Vec::new();
    let mut list = |key: &str, scenario: &Value, kernel: &Value| {
        let key = format!("flow.{}.{key}", spec.name);
        found.push(Ignored { key, scenario: shown(scenario), kernel: shown(kernel) });
    };
    let given = json!(SenderPatch::complete(sender));
    let linux = json!(SenderPatch::complete(&linux_sender(sender)));
    compare("", &given, &linux, &mut |key, mine, its| {
        let followed = SENDER_FOLLOWED.contains(&key)
            || ours && SENDER_OURS.iter().any(|name| key.split('.').next() == Some(name))
            || key == "header" && sender.header == 0 // then `packet` is the size on the wire
            || key.starts_with("control") && options.control.is_some();
        let kernel = match key {
            "initial_ssthresh" => json!("none: slow start ends with the first loss"),
            "recovery" => {
                json!(if settings.sack { "its own, with SACK, without RACK" } else { "its own, without SACK" })
            }
            "pacing" if matches!(sender.control, ControlKind::Bbr { .. } | ControlKind::Bbr3 { .. }) => {
                json!("its BBR's own")
            }
            _ => its.clone(),
        };
        if !followed {
            list(&format!("sender.{key}"), mine, &kernel);
        }
    });
    if let Some(name) = options.control.as_deref().filter(|&name| name != sender.control.name()) {
        list("sender.control", &json!(sender.control.name()), &json!(name));
    }
    if sender.initial_window.fract() != 0.0 {
        list("sender.initial_window", &json!(sender.initial_window), &json!(settings.initial_window));
    }
    if Time::from_secs(f64::from(settings.min_rto_ms) / 1e3) != sender.min_rto || settings.min_rto_ms == 0 {
        let kernel = if settings.min_rto_ms == 0 { "0.2s".to_owned() } else { format!("{}ms", settings.min_rto_ms) };
        list("sender.min_rto", &json!(sender.min_rto), &json!(kernel));
    }
    if settings.window == MAX_WINDOW {
        list("sender.window", &given["window"], &json!(format!("{MAX_WINDOW}B")));
    }
    let given = json!(ReceiverPatch::complete(receiver));
    let linux = json!(ReceiverPatch::complete(&linux_receiver(sender, options)));
    compare("", &given, &linux, &mut |key, mine, its| {
        let followed = RECEIVER_FOLLOWED.contains(&key)
            || matches!(key, "ack.tick" | "syn_answer.tick" | "syn_answer.phase") // see `ticks`
            || matches!(key, "sack_head_bytes" | "syn_options_bytes") // sizes that the stack leaves out
            || key == "ack" && !options.kernel_acks; // the edge follows it
        if !followed {
            let kernel = if key == "ack" { json!("its own, as the policy linux") } else { its.clone() };
            list(&format!("receiver.{key}"), mine, &kernel);
        }
    });
    found
}

/// The stack's sender, where its kind of control is this one's.
fn linux_sender(sender: &SenderRules) -> SenderRules {
    let stack = Stack::Linux.sender();
    let name = sender.control.name();
    let control = if stack.control.name() == name { stack.control } else { named(name) };
    SenderRules { control, ..stack }
}

/// The receiver that a kernel is beside this sender.
fn linux_receiver(sender: &SenderRules, options: &Options) -> ReceiverRules {
    let dctcp = options.control.as_deref().unwrap_or(sender.control.name()) == "dctcp";
    ReceiverRules {
        // IPv4 and TCP headers, and what RFC 7323 adds.
        ack_size: if sender.timestamps { 52 } else { 40 },
        echo_each_mark: dctcp,
        paws: sender.timestamps,
        ..Stack::Linux.receiver()
    }
}

/// What `mine` has otherwise than `its`, by dotted keys; of two variants with different names the whole.
fn compare(key: &str, mine: &Value, its: &Value, differs: &mut dyn FnMut(&str, &Value, &Value)) {
    let name = |value: &Value| match value {
        Value::Object(table) => table.get("kind").or_else(|| table.get("policy")).cloned(),
        _ => None,
    };
    match (mine, its) {
        (Value::Object(given), Value::Object(known)) if name(mine) == name(its) => {
            for (part, value) in given {
                let inner = if key.is_empty() { part.clone() } else { format!("{key}.{part}") };
                compare(&inner, value, known.get(part).unwrap_or(&Value::Null), differs);
            }
        }
        _ if mine == its => {}
        _ => differs(key, &name(mine).unwrap_or_else(|| mine.clone()), &name(its).unwrap_or_else(|| its.clone())),
    }
}

/// A value as a scenario writes it, without quotes.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The ticks of a flow's rules that are not the running kernel's (1/HZ).
pub fn ticks(spec: &FlowSpec, kernel: Time) -> Vec<Ignored> {
    let sender = match spec.sender.recovery {
        RecoveryKind::Rack { tick, .. } => Some(("sender.recovery.tick", tick)),
        _ => None,
    };
    let receiver = match spec.receiver.ack {
        AckPolicyKind::Linux { tick, .. } => Some(("receiver.ack.tick", tick)),
        _ => None,
    };
    let other = |(key, tick): (&str, Time)| {
        let key = format!("flow.{}.{key}", spec.name);
        (tick != kernel).then(|| Ignored { key, scenario: shown(&json!(tick)), kernel: shown(&json!(kernel)) })
    };
    [sender, receiver].into_iter().flatten().filter_map(other).collect()
}
