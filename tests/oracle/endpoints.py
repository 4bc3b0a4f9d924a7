"""What `scripts/lib.tcl` sets on a sender and a receiver, said as scenario rules.

Only what an experiment states is passed on: everything else is left to acklab's stacks, so that their defaults are judged too.
"""

from values import Unsupported, flag, seconds, time

STACK = {"ns1": "ns2-1998", "std": "ns2-2.35"}
TICK = {"ns1": 0.1, "std": 0.01}
INTERVAL = {"ns1": "0.2", "std": "0.1"}
RECOVERY = {"Tahoe": "tahoe", "Reno": "reno", "Newreno": "newreno", "Sack1": "sack"}


def _time(text):
    return seconds(time(text))


def _int(text):
    return int(float(text))


def _either(yes, no):
    return lambda text: yes if flag(text) else no


# ns option: (scenario rule, how its value is said)
SENDER = {
    "syn": ("syn", flag),
    "hdr": ("header", _either(40, 0)),
    "iw": ("initial_window", _int),
    "lt": ("limited_transmit", flag),
    "tick": ("tick", _time),
    "minrto": ("min_rto", _time),
    "irto": ("initial_rto", _time),
    "maxrto": ("max_rto", _time),
    "rfc2988": ("rto_floor", _either("before-backoff", "after-backoff")),
    "timerfix": ("timer_restart", _either("after-rtt-update", "before-rtt-update")),
    "preduce": ("halving", _either("precise", "integer")),
    "ts": ("timestamps", flag),
    "ssr": ("idle_restart", _either("timer", "timer-keeps-window")),
    "exitfix": ("recovery_exit", _either("min-flight", "keep")),
    "bugfix": ("second_fast_retransmit", _either("never", "always")),
}
EARLY_RENO = {"efr": ("inflate_when_blocked", _either(False, True))}
# Parameters of the recovery.
RECOVERY_OF = {
    "Reno": EARLY_RENO,
    "Newreno": EARLY_RENO
    | {
        "impatient": ("partial_ack_timer", _either("first", "each")),
        "pwd": ("partial_deflation", flag),
    },
    "Sack1": {"pack": ("partial", _either("two-segments-past-end", "pipe-twice"))},
}
RECEIVER = {
    "imm": ("immediate_on_gap", flag),
    "synimm": ("immediate_on_syn", flag),
}
# options whose other values have no rule: {option: the only value that can be said}
FIXED = {"overhead": 0.0, "bugss": 1.0, "oldcode": 0.0}

OPTIONS = (
    {"profile", "kind", "ack", "window", "psize", "acksize", "interval", "maxburst", "dg", "boot"}
    | set(SENDER)
    | set(RECEIVER)
    | set(FIXED)
    | {o for rules in RECOVERY_OF.values() for o in rules}
)


def tick(options):
    return time(options["tick"]) if "tick" in options else TICK[options.get("profile", "std")]


def sender(options, kind, phase):
    """The `sender` table; `phase` is the draw that places the host's tick grid."""
    if kind not in RECOVERY:
        raise Unsupported(f"sender {kind} is not in acklab")
    for option, value in FIXED.items():
        if option in options and float(options[option]) != value:
            raise Unsupported(f"{option}={options[option]} has no scenario rule")
    table = {
        "stack": STACK[options.get("profile", "std")],
        "recovery": {"kind": RECOVERY[kind]}
        | {
            rule: say(options[option]) for option, (rule, say) in RECOVERY_OF.get(kind, {}).items() if option in options
        },
        "control": "reno",
        "credit": {"kind": "ack-counting"},
        "packet": _int(options.get("psize", "1000")),
        "window": _int(options.get("window", "40")),
        "rtt_filter": {"phase": seconds(phase)},
    }
    for option, (rule, say) in SENDER.items():
        if option in options:
            table[rule] = say(options[option])
    if "min_rto" in table and "max_rto" in table and time(options["minrto"]) > time(options["maxrto"]):
        table["min_rto"] = table["max_rto"]  # ns-2 cuts off at the ceiling last; a scenario may not say such a floor
    if _int(options.get("maxburst", "0")) > 0:
        table["max_burst"] = _int(options["maxburst"])
    old = options.get("profile") == "ns1"
    if not flag(options.get("dg", "0" if old else "1")):  # the window is not held at 1 until the SYN is acknowledged
        table["window_before_syn_ack"] = _int(options.get("iw", "1" if old else "2"))
    return table


def receiver(options, ack):
    """The `receiver` table. Selective acknowledgments follow the sender's recovery."""
    if ack not in ("each", "delack"):
        raise Unsupported(f"receiver {ack} is not in acklab")
    profile = options.get("profile", "std")
    if ack == "each":
        policy = {"policy": "every"}
    else:
        policy = {"policy": "delayed", "timer": _time(options.get("interval", INTERVAL[profile]))}
    table = {"stack": STACK[profile], "ack": policy, "ack_size": _int(options.get("acksize", "40"))}
    for option, (rule, say) in RECEIVER.items():
        if option in options:
            table[rule] = say(options[option])
    return table
