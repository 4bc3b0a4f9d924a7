"""Running a test's facts in ns-2: our own program for it, and the events that ns-2 then has."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from .facts import Flow, Test
from .scenario import Event

SENDER = {
    "window": "window_", "psize": "packetSize_", "maxburst": "maxburst_", "syn": "syn_", "dg": "delay_growth_", "hdr": "useHeaders_",
    "iw": "windowInit_", "lt": "singledup_", "tick": "tcpTick_", "minrto": "minrto_", "irto": "rtxcur_init_", "maxrto": "maxrto_",
    "rfc2988": "rfc2988_", "timerfix": "timerfix_", "preduce": "precisionReduce_", "efr": "exitFastRetrans_", "bugfix": "bugFix_",
    "ts": "timestamps_", "ssr": "slow_start_restart_", "impatient": "newreno_changes1_", "pwd": "partial_window_deflation_",
    "exitfix": "exit_recovery_fix_", "pack": "partial_ack_", "dupthresh": "numdupacks_", "ecn": "ecn_", "iwopt": "windowInitOption_", "nofr": "noFastRetrans_",
}  # fmt: skip
SINK = {
    "interval": "interval_",
    "acksize": "packetSize_",
    "imm": "RFC2581_immediate_ack_",
    "synimm": "SYN_immediate_ack_",
}
RED = {
    "min": "thresh_",
    "max": "maxthresh_",
    "weight": "q_weight_",
    "mean": "mean_pktsize_",
    "ecn": "setbit_",
    "bytes": "bytes_",
}
RED_DEFAULT = {"mean": 500}
SELECTIVE = ("Sack1", "Fack")


def _flow(flow: Flow, number: int) -> list[str]:
    sink = "Agent/TCPSink" + ("/Sack1" if flow.kind in SELECTIVE else "") + ("/DelAck" if flow.ack == "delack" else "")
    lines = [
        f"set t{number} [new Agent/TCP{'' if flow.kind == 'Tahoe' else '/' + flow.kind}]",
        f"set k{number} [new {sink}]",
    ]
    for words, agent in ((SENDER, "t"), (SINK, "k")):
        lines += [f"${agent}{number} set {words[key]} {value}" for key, value in flow.options.items() if key in words]
    unknown = set(flow.options) - set(SENDER) - set(SINK)
    if unknown:
        raise ValueError(f"options without an ns-2 variable: {unknown}")
    lines += [f"$t{number} set fid_ {number}", f"$k{number} set fid_ {number}"]
    lines += [f"$ns attach-agent $n({flow.near}) $t{number}", f"$ns attach-agent $n({flow.far}) $k{number}"]
    lines += [
        f"$ns connect $t{number} $k{number}",
        f"set a{number} [new Application/FTP]",
        f"$a{number} attach-agent $t{number}",
    ]
    amount = "start" if flow.amount is None else f"{'send' if flow.in_bytes else 'produce'} {flow.amount}"
    lines += [f'$ns at {at!r} "$a{number} producemore {segments}"' for at, segments in flow.more]
    return [*lines, f'$ns at {flow.start!r} "$a{number} {amount}"']


def program(test: Test, log: str) -> str:
    """The test as a program of ns-2 that writes each event with all digits of its time."""
    lines = ["set ns [new Simulator]", f"set log [open {log} w]"]
    lines += [f"set n({node}) [$ns node]" for node in test.nodes]
    for one in test.links:
        ends = f"$n({one.near}) $n({one.far})"
        for word, name in RED.items() if one.red else ():
            lines.append(f"Queue/RED set {name} {(one.red or {}).get(word, RED_DEFAULT.get(word, 0))!r}")
        if one.red:
            lines.append(f"Queue/RED set queue_in_bytes_ {int(one.red.get('bytes', 0))}")
        kind = "RED" if one.red else "DropTail"
        lines += [f"$ns simplex-link {ends} {one.rate!r} {one.delay!r} {kind}", f"$ns queue-limit {ends} {one.limit}"]
    lines.append('proc see {name line} { global ns log; puts $log "[format %.17g [$ns now]] $name $line" }')
    for one in test.links:
        ends = f"$n({one.near}) $n({one.far})"
        lines += [f'$ns trace-queue {ends} ""', f'[$ns link {ends}] trace-callback $ns "see {one.near}->{one.far}"']
    for number, held in enumerate(test.held):
        model = [f"set m{number} [new ErrorModule Fid]", f"set e{number} [new ErrorModel/List]"]
        if held.delay is not None:
            model += [f"$e{number} set delay_pkt_ true", f"$e{number} set delay_ {held.delay!r}"]
        if held.mark:
            model.append(f"$e{number} set markecn_ true")
        model += [
            f"$e{number} droplist {{{' '.join(map(str, held.packets))}}}",
            f"[$ns link $n({held.near}) $n({held.far})] errormodule $m{number}",
        ]
        lines += [*model, f"$m{number} insert $e{number}", f"$m{number} bind $e{number} {held.flow}"]
    for number, flow in enumerate(test.flows):
        lines += _flow(flow, number)
    return "\n".join([*lines, f'$ns at {test.until!r} "close $log; exit 0"', "$ns run", ""])


def parse(test: Test, text: str) -> list[Event]:
    """The log's events."""
    found = []
    for line in text.splitlines():
        time, link, word, _, _, _, kind, size, _, flow, _, _, number, _ = line.split()[:14]
        if float(time) < test.until:
            found.append(
                (float(time), word, link, "ack" if kind == "ack" else "data", int(flow), int(number), int(size))
            )
    return sorted(found)


def run(test: Test, timeout: float = 300) -> list[Event]:
    """ns-2's events of the test."""
    with tempfile.TemporaryDirectory() as place:
        log, script = Path(place, "log"), Path(place, "test.tcl")
        script.write_text(program(test, str(log)))
        subprocess.run(["ns", str(script)], check=True, capture_output=True, text=True, timeout=timeout)
        return parse(test, log.read_text())
