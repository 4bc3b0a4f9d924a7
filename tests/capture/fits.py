#!/usr/bin/env python3
"""Blind fits: draws scenarios, captures them at either end, fits the captures alone, and compares with what was drawn.

    python tests/capture/fits.py --count 100 --seed 1

It prints the shares of a table with Wilson's 95 % interval, and with ``--out FILE`` a line of JSON a fit. The scenarios depend on the seed
alone.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from pathlib import Path
from typing import Any

import acklab
from acklab.study.fit import FitError, fit
from acklab.study.fit.page import plain

#: What is asked for: greatest relative error of rate and base delay, threshold and timer, completion.
PATH, ACKS, COMPLETION = 0.02, 0.10, 0.05
#: A prediction of the second half is narrow if its interval is narrower than this share of the time.
NARROW = 0.2
#: Where a capture is taken, by its end.
ENDS = {"sender": "S->G@S", "receiver": "H->R@R"}
#: The normal quantile of Wilson's interval.
QUANTILE = 1.96


def drawn(seed: int, number: int) -> dict[str, Any]:
    """A scenario with what is to be found: path, receiver, sender, application, capture point."""
    draw = random.Random(f"{seed} {number}")

    def between(low: float, high: float) -> float:
        return float(math.exp(draw.uniform(math.log(low), math.log(high))))

    rate, rtt = between(1e6, 200e6), between(0.005, 0.2)
    product = rate * rtt / 8 / 1500
    policy = draw.choice(["every", "delayed", "linux"])
    stack, control = draw.choice([("linux", "cubic"), ("linux", "reno"), ("rfc", "reno")])
    truth = {
        "rate": rate, "rtt": rtt, "queue": max(round(product * between(0.3, 3)), 10), "loss": 0.0 if draw.random() < 0.7 else between(0.0005, 0.02),
        "policy": policy, "segments": 1 if policy == "every" else 2 if policy == "linux" else draw.randint(2, 6), "timer": round(between(0.02, 0.2), 3),
        "stack": stack, "control": control, "window": 6_291_456 if draw.random() < 0.7 else round(between(30e3, 500e3)),
        "place": draw.choice(["sender", "receiver"]), "seed": draw.randint(1, 10**6),
    }  # fmt: skip
    if draw.random() < 0.6:
        truth["bytes"] = round(min(between(2e5, 2e7), rate / 8 * 30))
        truth["writes"] = []
    else:
        time, writes = 0.0, []
        for _ in range(draw.randint(3, 60)):
            writes.append((round(time, 6), round(between(200, 500e3))))
            time += between(0.02, 2.0)
        truth["writes"], truth["bytes"] = writes, sum(size for _, size in writes)
    return truth


def scenario(truth: dict[str, Any]) -> dict[str, Any]:
    """The scenario of a draw."""
    ack: Any = {"policy": truth["policy"]}
    if truth["policy"] == "delayed":
        ack |= {"segments": truth["segments"], "timer": f"{truth['timer']}s"}
    flow: dict[str, Any] = {
        "from": "S", "to": "R",
        "sender": {"stack": truth["stack"], "control": truth["control"], "window": f"{truth['window']}B"},
        "receiver": {"stack": truth["stack"], "ack": ack},
    }  # fmt: skip
    if truth["writes"]:
        flow["source"] = {"kind": "listed", "writes": [[f"{time}s", f"{size}B"] for time, size in truth["writes"]]}
    else:
        flow["size"] = {"bytes": f"{truth['bytes']}B"}
    near = {"rate": "10Gbps", "delay": "10us", "queue": {"kind": "drop-tail", "packets": 100_000}}
    middle = {
        "between": ["G", "H"], "rate": f"{truth['rate']:.0f}bps", "delay": f"{truth['rtt'] / 2 - 20e-6:.9f}s",
        "queue": {"kind": "drop-tail", "packets": truth["queue"]}, "back": {"queue": {"kind": "drop-tail", "packets": 1000}},
    }  # fmt: skip
    if truth["loss"]:
        middle["loss"] = {"rate": truth["loss"]}
    links = [{"between": ["S", "G"], **near}, middle, {"between": ["H", "R"], **near}]
    stop = {"when": "flows-complete", "at_most": "600s"}
    return {"seed": truth["seed"], "stop": stop, "record": {"packets": True}, "link": links, "flow": [flow]}


def fitted(truth: dict[str, Any], path: Path) -> dict[str, Any]:
    """The fit of a capture beside its truth."""
    try:
        found = fit(path)
    except FitError as error:
        return {**truth, "refused": str(error)}
    values = {value.name: value for value in found.values}
    policy = values["ACK policy"]
    return {
        **truth,
        "refused": "",
        "fitted": {
            name: [value.value, value.low, value.high, value.determined, value.how] for name, value in values.items()
        },
        "lost": len(found.measured.lost[0]),
        "limit": found.measured.row["limit"],
        "chosen": dict(found.model.names),
        "policy_right": right_policy(truth, policy.value, found.model.names["acks"]),
        "curve": found.replay.score.curve,
        "end": found.replay.score.end,
        "model": [found.model.score.curve, found.model.score.end],
        "held_out": found.held_out.end if found.held_out else None,
        "interval": [found.held_out.low, found.held_out.high, list(found.held_out.open)] if found.held_out else None,
        "bad": found.bad.kind if found.bad else "",
        "receiver": plain(found)["receiver"],
        "simulations": found.simulations,
    }


def right_policy(truth: dict[str, Any], named: str, chosen: str) -> bool:
    """Whether the policy is the drawn one."""
    if truth["policy"] == "linux":
        return named in ("quick-then-delayed", "by-phase", "linux") or chosen == "linux"
    if truth["policy"] == "every":
        return named in ("every", "every segment")
    return named == "delayed" or named.startswith(f"every {truth['segments']} ")


def covered(row: dict[str, Any]) -> bool:
    """Whether the interval of the second half's time has what it took."""
    return bool(row["interval"][0] <= 0 <= row["interval"][1])


def table(rows: list[dict[str, Any]]) -> list[tuple[str, int, int, str]]:
    """Name, good ones, all that count, and what they are."""
    done = [row for row in rows if not row["refused"]]

    def value(row: dict[str, Any], name: str, field: int = 0) -> Any:
        return row["fitted"].get(name, [None] * 5)[field]

    def near(row: dict[str, Any], name: str, truth: str, error: float) -> bool:
        return value(row, name) is not None and abs(value(row, name) / row[truth] - 1) <= error

    def within(row: dict[str, Any], name: str, truth: str) -> bool:
        low, high = value(row, name, 1), value(row, name, 2)
        return (low is None or low <= 1.001 * row[truth]) and (high is None or row[truth] <= 1.001 * high)

    rated = [row for row in done if value(row, "rate", 3)]
    bounded = [row for row in done if not value(row, "rate", 3)]
    timed = [row for row in done if row["policy"] == "delayed" and value(row, "ACK timer", 3)]
    many = [row for row in done if row["policy"] == "delayed" and value(row, "segments an ACK", 3)]
    sure = [row for row in done if value(row, "ACK policy", 3)]
    checked = [row for row in done if row["held_out"] is not None]
    narrow = [row for row in checked if row["interval"][1] - row["interval"][0] < NARROW]
    wide = [row for row in checked if row not in narrow]
    return [
        ("fitted", len(done), len(rows), "of all captures"),
        (
            "rate within 2 %",
            sum(near(row, "rate", "rate", PATH) for row in rated),
            len(rated),
            "where it is determined",
        ),
        (
            "true rate within the bounds",
            sum(within(row, "rate", "rate") for row in bounded),
            len(bounded),
            "where it is not determined",
        ),
        (
            "base delay within 2 %",
            sum(near(row, "round trip", "rtt", PATH) for row in done),
            len(done),
            "of the fitted",
        ),
        ("policy right", sum(row["policy_right"] for row in sure), len(sure), "where it is determined"),
        (
            "policy right",
            sum(row["policy_right"] for row in done),
            len(done),
            "of the fitted, with the search's choice",
        ),
        (
            "threshold within 10 %",
            sum(near(row, "segments an ACK", "segments", ACKS) for row in many),
            len(many),
            "delayed, where it is determined",
        ),
        (
            "timer within 10 %",
            sum(near(row, "ACK timer", "timer", ACKS) for row in timed),
            len(timed),
            "delayed, where it is determined",
        ),
        (
            "completion within 5 %",
            sum(abs(row["end"]) <= COMPLETION for row in done),
            len(done),
            "of the fitted, the replay",
        ),
        (
            "completion within 5 %",
            sum(abs(row["model"][1]) <= COMPLETION for row in done),
            len(done),
            "of the fitted, the model",
        ),
        (
            "second half within 5 %",
            sum(abs(row["held_out"]) <= COMPLETION for row in checked),
            len(checked),
            "where a half was held out",
        ),
        (
            "second half within its interval",
            sum(covered(row) for row in checked),
            len(checked),
            "where a half was held out",
        ),
        (
            "second half within its interval",
            sum(covered(row) for row in narrow),
            len(narrow),
            "where the interval is narrower than 20 %",
        ),
        ("second half within its interval", sum(covered(row) for row in wide), len(wide), "where it is wider"),
        ("good enough to predict", sum(not row["bad"] for row in done), len(done), "of the fitted"),
    ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for number in range(options.first, options.first + options.count):
        truth = drawn(options.seed, number)
        with tempfile.TemporaryDirectory() as folder:
            run = acklab.run(json.dumps(scenario(truth)))
            path = run.capture(ENDS[truth["place"]], path=Path(folder) / "x.pcapng")
            rows.append({"number": number, **fitted(truth, path)})
        if options.out:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    show(rows)


def wilson(good: int, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    middle, more = good / count, QUANTILE**2 / count
    half = QUANTILE * math.sqrt(middle * (1 - middle) / count + more / count / 4)
    return (middle + more / 2 - half) / (1 + more), (middle + more / 2 + half) / (1 + more)


def shares(good: int, count: int) -> str:
    """The cells of a share, its interval and its counts."""
    if not count:
        return "- | - | 0 of 0"
    low, high = wilson(good, count)
    return f"{good / count:.0%} | {low:.0%} to {high:.0%} | {good} of {count}"


def show(rows: list[dict[str, Any]]) -> None:
    """Prints the shares as a table."""
    print("| what | share | interval | of | which |\n|---|---|---|---|---|")
    for name, good, count, which in table(rows):
        print(f"| {name} | {shares(good, count)} | {which} |")


if __name__ == "__main__":
    main()
