"""The plan that infers the paper's unprinted rules from Tables 1 and 2 and Figures 2, 6 and 7 (``acklab infer allman1998``).

Tables 1 and 2 are fitted, on every third queue and every fifth size: their sixteen medians. Figures 2(b), 6, 7, 9, 12 and 13 are held out. Each
run has all sizes at once, each transfer on a path of its own. A paper keeps one setting, so all figures and tables share a reading.
"""

from __future__ import annotations

import json
from typing import Any

from .figures_comparisons import PRINTED
from .setting import MECHANISMS, PAPERS, QUEUES, RECOVERIES, SEGMENTS, SHORT, competition, transfer

EVERY_QUEUE = QUEUES[::3]
MORE = {("sack", "every"): (8, 9), ("reno", "lbc"): (6, 8)}
"""Queues of Figures 2(b) and 6."""
ALL, FEW = SEGMENTS[::5], tuple(n for n in SEGMENTS if n <= SHORT)
SIZES = tuple(sorted({*ALL, *FEW}))
LARGE = tuple(n for n in ALL if n >= 200)
TOLERANCE = 0.05
"""Five points, as in the ledger."""
LOADS, SEEDS = (200,), (1, 2, 3, 4)
ABOVE = {"printed": 1.25, "tolerance": 0.25}
"""A ratio above one."""

PHASES: dict[str, dict[str, Any]] = {
    "its sender": {},
    "one flag": {f"stack.{one}-daass.ack.phase": "shared" for one in RECOVERIES},
    "told by segments": {f"stack.{one}-daass.ack.phase": "option" for one in RECOVERIES},
    "each agent its own way": {"stack.sack-daass.ack.phase": "growth"},
}
_INFLATED = {"kind": "reno", "inflate_when_blocked": True}
RENO: dict[str, dict[str, Any]] = {
    "1997": {},
    "never": {"stack.reno.second_fast_retransmit": "never", "stack.reno.recovery": "reno"},
    "always": {"stack.reno.second_fast_retransmit": "always", "stack.reno.recovery": _INFLATED},
}
TIMERS = {"100 ms": "100ms", "200 ms": "200ms"}
FLOORS = {"1 s": "1s", "0.2 s": "200ms"}


def _prepared(scenarios: dict[str, str], recovery: str, mechanism: str) -> dict[str, Any]:
    """Transfers side by side, each on its own path, with the rules in stacks, by which they can be set."""
    rules = {one: PAPERS.sender(one, mechanism) for one in RECOVERIES}
    acks = {"delayed": PAPERS.ack(recovery, "delayed")} | {
        f"{one}-daass": PAPERS.ack(one, "daass") for one in RECOVERIES
    }
    stacks = {
        one: {"base": "ns2-1998", **{key: rule for key, rule in found.items() if key not in ("stack", "rtt_filter")}}
        for one, found in rules.items()
    }
    stacks |= {one: {"base": "ns2-1998", "ack": ack, "ack_size": PAPERS.ack_size} for one, ack in acks.items()}
    links, flows, stop = [], [], {}
    for name, text in scenarios.items():
        tree = json.loads(text)
        stop = tree["stop"]
        for link in tree["link"]:
            links.append({**link, "between": [f"{end}{name}" for end in link["between"]]})
        for flow in tree["flow"]:
            sender = {"stack": recovery, "rtt_filter": flow["sender"]["rtt_filter"]}
            receiver = {"stack": f"{recovery}-daass" if mechanism == "daass" else "delayed"}
            if mechanism == "every":
                receiver["ack"] = {"policy": "every"}
            called = f"f{name}" if len(tree["flow"]) == 1 else f"f{len(flows)}"
            flows.append(
                {**flow, "name": called, "from": f"S{name}", "to": f"R{name}", "sender": sender, "receiver": receiver}
            )
    return {"stop": stop, "stack": stacks, "link": links, "flow": flows}


def _silent(recovery: str, mechanism: str) -> list[str]:
    """Open rules that a run does not read."""
    found = {"reno rule": recovery != "reno", "sack_recovery": recovery != "sack", "phase": mechanism != "daass", "growth": mechanism not in ("ubc", "lbc"),
             "timer": mechanism == "every"}  # fmt: skip
    return [rule for rule, silent in found.items() if silent]


def plan() -> dict[str, Any]:
    """The plan's tree."""
    runs: list[dict[str, Any]] = []
    values: list[dict[str, Any]] = []
    at: dict[tuple[str, str, int], str] = {}
    for recovery in RECOVERIES:
        for mechanism in MECHANISMS:
            for queue in sorted({*EVERY_QUEUE, *MORE.get((recovery, mechanism), ())}):
                name = at[recovery, mechanism, queue] = f"{recovery}, {mechanism}, queue of {queue}"
                each = {str(n): transfer(recovery, mechanism, queue, n) for n in SIZES}
                runs.append(
                    {
                        "name": name,
                        "scenario": _prepared(each, recovery, mechanism),
                        "without": _silent(recovery, mechanism),
                    }
                )

    def value(
        group: str,
        name: str,
        read: list[str],
        over: list[str],
        metric: list[str] | str,
        wanted: dict[str, float],
        fit: bool = False,
        average: str = "median",
    ) -> None:
        use = {"use": "fit" if fit else "held-out", "group": group, "average": average}
        values.append(
            {
                "name": f"{group}: {name}",
                "run": read,
                **({"over": over} if over else {}),
                "metric": metric,
                **wanted,
                **use,
            }
        )

    def times(sizes: tuple[int, ...]) -> list[str]:
        return [f"last_data_s@f{n}" for n in sizes]

    for table, recovery in ((1, "reno"), (2, "sack")):
        for mechanism in MECHANISMS:
            for place, (which, sizes) in enumerate((("all", ALL), ("short", FEW))):
                if mechanism == "delayed":
                    continue
                own, base = ([at[recovery, one, q] for q in EVERY_QUEUE] for one in (mechanism, "delayed"))
                wanted = {"printed": 1 - float(PRINTED[recovery][mechanism][place]) / 100, "tolerance": TOLERANCE}
                value(f"Table {table}", f"{mechanism}, {which}", own, base, times(sizes), wanted, fit=True)
    eight, nine = ([at["sack", "every", q]] for q in (8, 9))
    value("Figure 2(b)", "time with a queue of 8 over 9", eight, nine, times(LARGE), ABOVE)
    value(
        "Figure 2(b)",
        "timeouts with a queue of 8",
        eight,
        [],
        [f"timeouts@f{n}" for n in LARGE],
        {"printed": 0.0, "tolerance": 0.05},
        average="mean",
    )
    for queue in (6, 10):
        value(
            "Figure 6",
            f"time with a queue of 8 over {queue}",
            [at["reno", "lbc", 8]],
            [at["reno", "lbc", queue]],
            times(LARGE),
            ABOVE,
        )
    value(
        "Figure 7",
        "DAASS over ACK every",
        [at["reno", "daass", 22]],
        [at["reno", "every", 22]],
        times(FEW),
        {"printed": 1.0, "tolerance": 0.01},
    )
    for figure, gateway in ((9, "drop-tail"), (12, "red")):
        found: dict[str, list[str]] = {}
        for mechanism in ("every", "delayed", "daass", "lbc"):
            for n in LOADS:
                for seed in SEEDS:
                    name = f"{gateway}, {mechanism}, {n} transfers, seed {seed}"
                    tree = {
                        "seed": seed,
                        **_prepared({"": competition(gateway, mechanism, n, seed)}, "sack", mechanism),
                    }
                    for one in ("reno", "sack"):
                        tree["stack"][one]["window"] = 20
                    runs.append({"name": name, "scenario": tree, "without": _silent("sack", mechanism)})
                    found.setdefault(mechanism, []).append(name)
        for above, below in (("every", "lbc"), ("lbc", "daass"), ("daass", "delayed")):
            value(
                f"Figure {figure}",
                f"throughput of {above} over {below}",
                found[above],
                found[below],
                "transfer-rate",
                ABOVE,
                average="mean",
            )
        if gateway == "red":
            value(
                "Figure 13",
                "retransmissions of lbc over every",
                found["lbc"],
                found["every"],
                "retransmits",
                {"printed": 0.5, "tolerance": 0.5},
                average="mean",
            )
    return {
        "title": "Allman 1998: the rules of ns 1.4 behind Tables 1 and 2",
        "free": {"stack.sack.recovery": ["sack", "rfc6675"]},
        "alternatives": {
            "phase": PHASES,
            "reno rule": RENO,
            "growth": {name: {f"stack.{one}.credit.growth": name for one in RECOVERIES} for name in ("whole", "steps")},
            "timer": {
                name: {f"stack.{one}.ack.timer": timer for one in ("delayed", "reno-daass", "sack-daass")}
                for name, timer in TIMERS.items()
            },
            "least RTO": {
                name: {f"stack.{one}.min_rto": least for one in RECOVERIES} for name, least in FLOORS.items()
            },
        },
        "run": runs,
        "value": values,
        "nudges": 1,
    }
