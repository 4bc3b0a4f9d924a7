"""A simulated stack's rules for a script: its ``sysctl`` settings and what the SYNs negotiate, as a scenario's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import accurate
from .parser import CALLS
from .runner import Unsupported
from .script import Call, Option, Packet

#: Largest payload of a packet of 1500 bytes.
MSS = 1460
#: Least MSS that Linux uses (`tcp_min_snd_mss`).
LEAST_MSS = 48
#: Settings with a rule; each with the values that the rules can have.
CONTROLS = ("reno", "cubic", "bbr", "dctcp", "prague", "vegas", "veno", "westwood")
#: Settings without effect on a simulated stack: it has one segment a packet, no other connections, and no memory limits.
NO_EFFECT = frozenset(
    "tcp_min_tso_segs tcp_tso_rtt_log tcp_tso_win_divisor tcp_no_metrics_save tcp_wmem tcp_syn_retries tcp_synack_retries "
    "tcp_fastopen tcp_fastopen_key tcp_autocorking tcp_fack tcp_limit_output_bytes tcp_notsent_lowat "
    "tcp_pacing_ss_ratio tcp_pacing_ca_ratio tcp_ecn_fallback tcp_invalid_ratelimit tcp_syncookies".split()
)
#: Settings of which a simulated stack knows one value.
FIXED = {"tcp_recovery": "1", "tcp_reordering": "3", "tcp_window_scaling": "1", "tcp_moderate_rcvbuf": "1"}
READ = frozenset(
    "tcp_congestion_control tcp_sack tcp_dsack tcp_timestamps tcp_ecn tcp_frto tcp_slow_start_after_idle tcp_rmem "
    "tcp_ecn_option tcp_ecn_option_beacon tcp_comp_sack_delay_ns tcp_comp_sack_nr tcp_comp_sack_slack_ns tcp_comp_sack_rtt_percent tcp_early_retrans tcp_syn_linear_timeouts".split()
)


#: TCP options that no simulated stack has.
LACKING = {"FO": "FO", "FOEXP": "FOEXP", "md5": "md5"}


def lacking(what: object, host: object) -> str | None:
    """What of an event no simulated stack does, whatever its settings."""
    if isinstance(what, Call) and what.name in CALLS and not hasattr(host, f"_{what.name}"):
        return f"the system call {what.name}"
    if not isinstance(what, Packet):
        return None
    if what.icmp:
        return "an icmp packet"
    return next(
        (f"the TCP option {LACKING[option.name]}" for option in what.options or () if option.name in LACKING), None
    )


def check(name: str, value: str) -> None:
    """Says what of a setting cannot be.

    Raises:
        Unsupported: no rule corresponds to it.
    """
    known = name in NO_EFFECT or name in READ or FIXED.get(name) == value
    if name == "tcp_congestion_control":
        known = value in CONTROLS
    elif name == "tcp_early_retrans":
        known = value in ("3", "4")
    if not known:
        raise Unsupported(f"net.ipv4.{name}={value} on a simulated stack")


@dataclass(frozen=True)
class Agreed:
    """What two SYNs agree on."""

    mss: int
    sack: bool
    stamps: bool
    ecn: bool
    #: Marks are counted (RFC 9768), or were asked to be.
    accurate: bool
    #: Shifts of the window: the peer's, and ours; ``None`` without the option.
    scales: tuple[int, int] | None
    window: int
    #: Bytes that accurate ECN's option takes of each segment, as Linux has it: three fields, and one more.
    option: int = 0


def agreed(peer: Packet, settings: Mapping[str, str], client: bool) -> Agreed:
    """What the peer's SYN, or its answer to ours, negotiates.

    Raises:
        Unsupported: the MSS is too small.
    """
    scale = peer.option("wscale")
    (mss,) = peer.option("mss") or (536,)
    if mss < LEAST_MSS:
        raise Unsupported(f"an MSS of {mss} bytes on a simulated stack; at least {LEAST_MSS}")
    wanted = settings.get("tcp_ecn", "2")
    if client:
        asked, willing = {"E"} <= peer.flags, wanted in accurate.ASKS_CLASSIC
        counted = wanted in accurate.ASKS
    else:
        asked, willing = {"E", "W"} <= peer.flags, wanted != "0"
        counted = wanted in accurate.ACCEPTS and accurate.requested(peer)
    return Agreed(
        mss=min(mss, MSS),
        sack=peer.option("sackOK") is not None and settings.get("tcp_sack", "1") != "0",
        stamps=peer.option("TS") is not None and settings.get("tcp_timestamps", "1") != "0",
        ecn=asked and willing or counted,
        accurate=counted,
        scales=None if scale is None else (min(scale[0], 14), our_scale(settings)),
        window=peer.window or 0,
        # Of a server's segments, too, if the peer shows an option; but its SYN does not yet tell.
        option=12 if client and counted and accurate.counts(peer) and settings.get("tcp_ecn_option", "2") != "0" else 0,
    )


def our_scale(settings: Mapping[str, str]) -> int:
    """The window scale that Linux derives from its largest receive buffer (`tcp_select_initial_window`)."""
    most = int(settings.get("tcp_rmem", "4096 131072 6291456").split()[-1])
    return min(14, max(0, most.bit_length() - 16))


def syn_options(
    with_stamps: bool, with_sack: bool, scale: int | None, stamp: tuple[int, int], more: tuple[Option, ...] = ()
) -> tuple[Option, ...]:
    """Options of a SYN, in Linux's order; ``more`` stands behind timestamps, or behind the MSS."""
    found = [Option("mss", (MSS,))]
    if with_stamps:
        found += [*([Option("sackOK")] if with_sack else [Option("nop"), Option("nop")]), Option("TS", stamp), *more]
    elif with_sack:
        found += [*more, Option("nop"), Option("nop"), Option("sackOK")]
    else:
        found += more
    if scale is not None:
        found += [Option("nop"), Option("wscale", (scale,))]
    return tuple(found)


def scenario(stack: str, agreed: Agreed, settings: Mapping[str, str], nodelay: bool, client: bool) -> str:
    """The scenario whose only flow has the stack's rules."""
    scale = agreed.scales[0] if agreed.scales else 0
    segments = stack.startswith("ns2")
    sender = [
        f'stack = "{stack}"', f"packet = {agreed.mss - agreed.option}", "header = 40", "options_in_packet = true", "timestamp_bytes = 12",
        f"timestamps = {_toml(agreed.stamps)}", "syn = true", "fin = false", f'window = "{max(agreed.window << scale, 1)}B"',
        f"ecn = {_toml(agreed.ecn)}", *(["accurate_ecn = true"] if agreed.accurate else []),
    ]  # fmt: skip
    if agreed.accurate and stack == "linux":
        sender.append('ace = "linux-thinned"')
    if nodelay or segments:
        sender.append('sequence = { kind = "bytes", nagle = "off" }')
    if not segments:
        sender.append("initial_ssthresh = 1e9")
    if "tcp_congestion_control" in settings and not (
        stack == "linux" and settings["tcp_congestion_control"] == "cubic"
    ):
        sender.append(f'control = {{ kind = "{settings["tcp_congestion_control"]}" }}')
    if not client:
        # The timer of a SYN's answer doubles from the first time on (`reqsk_timer_handler`).
        sender.append("linear_syn_timeouts = 0")
    elif "tcp_syn_linear_timeouts" in settings:
        sender.append(f"linear_syn_timeouts = {int(settings['tcp_syn_linear_timeouts'])}")
    if settings.get("tcp_slow_start_after_idle") == "0":
        sender.append('idle_restart = "off"')
    undo = "dsack" if settings.get("tcp_dsack", "1") != "0" else "off"
    if stack == "linux" and agreed.sack:
        # The kernel of `make kernel` ticks every millisecond.
        parts = ['kind = "rack"', 'tick = "1ms"']
        if not agreed.stamps:
            parts.append(f'undo = "{undo}"')
        if settings.get("tcp_frto") == "0":
            parts.append('frto = "off"')
        sender.append(f"recovery = {{ {', '.join(parts)} }}")
    elif stack in ("linux", "rfc") and not agreed.sack:
        sender.append('recovery = { kind = "newreno" }')
    # The script's host has one socket: its sender repeats the answer to a SYN.
    receiver = [f'stack = "{stack}"', f"sack = {_toml(agreed.sack)}", "immediate_on_syn = true", 'syn_answer = "once"']
    if agreed.accurate:
        # The host writes the option, as Linux does, on data, too.
        receiver.append('accecn_option = "off"')
    if stack == "linux":
        receiver.append(f"dsack = {_toml(agreed.sack and undo == 'dsack')}")
        delay, most = settings.get("tcp_comp_sack_delay_ns"), settings.get("tcp_comp_sack_nr")
        slack, share = settings.get("tcp_comp_sack_slack_ns"), settings.get("tcp_comp_sack_rtt_percent")
        parts = [
            *([f'sack_delay = "{int(delay)}ns"'] if delay else []),
            *([f"sack_most = {int(most)}"] if most else []),
        ]
        parts += [f'sack_slack = "{int(slack)}ns"'] if slack else []
        parts += [f"sack_share = {int(share) / 100}"] if share else []
        # Segments of this size fill the first window of 64,240 bytes without opening it further.
        full = max(64240 // agreed.mss, 1)
        parts = [f"window = {full}", f"buffer = {full}", 'tick = "1ms"', *parts]
        receiver.append(f'ack = {{ policy = "linux", {", ".join(parts)} }}')
    return (
        'stop = { when = "flows-complete" }\n'
        'link = [{ between = ["S", "R"], rate = "8Mbps", delay = "10ms" }]\n'
        '[[flow]]\nfrom = "S"\nto = "R"\nsize = { segments = 1 }\n'
        f"[flow.sender]\n{chr(10).join(sender)}\n[flow.receiver]\n{chr(10).join(receiver)}\n"
    )


def _toml(value: bool) -> str:
    return "true" if value else "false"
