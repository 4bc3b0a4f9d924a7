"""The plan that infers the paper's unprinted rules from the numbers of Figures 1, 3 and 5 (``acklab infer veno``).

One setting holds for all figures: Veno's open lines, the hosts' receiver and how often dummynet is passed, the modem's buffer, ns's receiver,
least RTO and place of losses. Figures 6 and 7 are held out. A nudge has another seed, so another draw of losses. Figure 1's cycles are counted over the whole
transfer of some 125 s.
"""

from __future__ import annotations

import json
from typing import Any

from .setting import FIGURE_6, FIGURE_7, LOSSES, SECONDS, Bottleneck, dummynet, modem, shared

NUDGES = 4
PIPES: dict[str, dict[str, Any]] = {
    "twice": {},
    "once": {
        "link.1.rate": "1Gbps",
        "link.1.delay": "0ms",
        "link.1.queue.packets": 1000,
        "link.1.loss.rate": 0.0,
        "link.1.back.loss.rate": 0.0,
    },
}
EVERY: dict[str, Any] = {"policy": "every"}
HOSTS: dict[str, dict[str, Any]] = {"delayed": {"policy": "delayed", "timer": "200ms"}, "every": EVERY}
NS: dict[str, dict[str, Any]] = {"every": EVERY, "delayed": {"policy": "delayed", "timer": "100ms"}}
TIMERS: dict[str, dict[str, Any]] = {
    name: {"flow.*.sender.min_rto": least, "flow.*.sender.tick": tick}
    for name, least, tick in (("0.2 s", "200ms", "10ms"), ("1 s, clock 0.1 s", "1s", "100ms"))
}
RULES = {
    "veno": ("control_beta", "control_first_loss"),
    "hosts": ("hosts",),
    "pipes": ("pipes",),
    "modem": ("queue_packets",),
    "ns": ("ns", "timer"),
    "losses": ("loss_where",),
}
ABOVE = {"printed": 0.5, "tolerance": 0.5}
"""Anything above none."""


def _prepared(scenario: str, receiver: str, **more: Any) -> dict[str, Any]:
    """A scenario whose Veno flows take their control from a stack and receivers their policy, by which they can be set alone."""
    tree: dict[str, Any] = json.loads(scenario)
    tree["stack"] = {
        "veno": {"base": "ns2-2.35", "control": {"kind": "veno"}},
        "host": {"base": "ns2-2.35"},
        "sink": {"base": "ns2-2.35"},
    }
    for number, flow in enumerate(tree["flow"]):
        sender = flow["sender"]
        veno = sender.pop("control") == "veno"
        sender["stack"] = "veno" if veno else "ns2-2.35"
        if not veno:
            sender["control"] = "reno"
        tree["stack"][receiver]["ack"] = flow["receiver"]["ack"]
        flow["receiver"] = {"stack": receiver}
        flow["name"] = f"{'veno' if veno else 'sack'}{number}"
    return {**tree, **more}


def _share(path: Bottleneck, pairs: int, kind: str) -> list[str]:
    """Terms of a kind's mean throughput over the fair share."""
    weight = 2 / (SECONDS * path.segments_per_s)
    return [f"{weight:.12f} * segments_acked@{kind}{number}" for number in range(kind == "sack", 2 * pairs, 2)]


def plan() -> dict[str, Any]:
    """The plan's tree."""
    runs: list[dict[str, Any]] = []
    values: list[dict[str, Any]] = []

    def run(name: str, tree: dict[str, Any], *reads: str) -> str:
        silent = [rule for part, rules in RULES.items() for rule in rules if part not in reads]
        if "sack" in name:
            silent += RULES["veno"]
        runs.append({"name": name, "scenario": tree, "without": list(dict.fromkeys(silent))})
        return name

    def value(
        group: str, name: str, read: Any, metric: str, wanted: tuple[float, float], over: Any = None, fit: bool = True
    ) -> None:
        values.append({"name": name, "run": read, "metric": metric, "printed": wanted[0], "tolerance": wanted[1], "group": group,
                       "use": "fit" if fit else "held-out", **({"over": over} if over else {})})  # fmt: skip

    kinds = ("veno", "sack")
    veno, sack = (
        run(f"modem, {kind}", _prepared(modem(kind, 0), "host", stop={"at": "120s"}), "veno", "hosts", "modem")
        for kind in kinds
    )
    value("Figure 1", "cycles of SACK", sack, "window_cuts", (10.4, 2.1))
    value("Figure 1", "cycles of Veno over SACK's", veno, "window_cuts", (0.6, 0.15), sack)
    value("Figure 1", "mean round trip of Veno over SACK's", veno, "mean_rtt_s", (1.25, 0.25), sack, fit=False)
    veno, sack = (
        run(f"dummynet, {kind}", _prepared(dummynet(kind, 1), "host"), "veno", "hosts", "pipes") for kind in kinds
    )
    per_second = f"{1 / SECONDS} * segments_acked"
    value("Figure 3", "rate of Veno (packets/s)", veno, per_second, (38, 7.6))
    value("Figure 3", "rate of SACK (packets/s)", sack, per_second, (22, 4.4))
    many = {
        kind: [
            run(
                f"ns, {kind}, loss {loss:g}",
                _prepared(shared([{"control": "veno" if kind == "veno" else "reno"}], loss, 1), "sink"),
                "veno",
                "ns",
                "losses",
            )
            for loss in LOSSES
        ]
        for kind in kinds
    }
    for loss, gain, tolerance in ((1e-2, 1.72, 0.2), (1e-4, 1.05, 0.06)):
        place = LOSSES.index(loss)
        value(
            "Figure 5",
            f"throughput of Veno over SACK's at {loss:g}",
            many["veno"][place],
            "segments_acked",
            (gain, tolerance),
            many["sack"][place],
        )
    value("Figure 5", "the same, averaged over the losses", many["veno"], "segments_acked", (1.44, 0.13), many["sack"])
    for number, path, most, near in ((6, FIGURE_6, 8, 0.2), (7, FIGURE_7, 8, 0.15)):
        for loss in (0.0, 0.01):
            for pairs in (1, most) if number == 7 else (1, 2, most):
                name = f"Figure {number}, {pairs} and {pairs}, {'no random loss' if not loss else '1 %'}"
                tree = _prepared(shared([{"control": "veno"}, {"control": "reno"}] * pairs, loss, 1, path), "sink")
                run(name, tree, "veno", "ns", *(["losses"] if loss else []))
                ours, theirs = _share(path, pairs, "veno"), _share(path, pairs, "sack")
                if not loss and (number == 7 or pairs < 4):
                    value(f"Figure {number}", f"{name}: Veno's share", name, " + ".join(ours), (1.0, near), fit=False)
                    value(f"Figure {number}", f"{name}: SACK's share", name, " + ".join(theirs), (1.0, near), fit=False)
                else:
                    less = " + ".join(ours) + " - " + " - ".join(theirs)
                    value(f"Figure {number}", f"{name}: Veno's share less SACK's", name, less, (0.5, 0.5), fit=False)
                    value(f"Figure {number}", f"{name}: Veno's share", name, " + ".join(ours), (1.5, 0.5), fit=False)
    return {
        "title": "Veno: the hosts and the simulator that Figures 1, 3 and 5 were made with",
        "free": {
            "link.0.queue.packets": [6, 8, 12, 16],
            "stack.veno.control.beta": [3, 1],
            "stack.veno.control.first_loss": ["half", "by-flag"],
            "link.0.loss.where": ["before-queue", "after-queue"],
        },
        "alternatives": {
            "hosts": {name: {"stack.host.ack": rule} for name, rule in HOSTS.items()},
            "pipes": PIPES,
            "ns": {name: {"stack.sink.ack": rule} for name, rule in NS.items()},
            "timer": TIMERS,
        },
        "run": runs,
        "value": values,
        "nudges": NUDGES,
    }
