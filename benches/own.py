"""Cost of an algorithm in Python beside the native one: `python benches/own.py [--repeat N]`.

One Reno transfer over 100 Mbps; the delayed ACK and Reno, native and in Python, make the same run. Wall-clock seconds of one process,
the median of the repetitions; the cost of an event is the difference, divided by the calls that Python code got.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import acklab

TEXT = """
stop = {{ at = "20s" }}
link = [{{ between = ["S", "R"], rate = "100Mbps", delay = "10ms", queue = {{ kind = "drop-tail", packets = 200 }} }}]
flow = [{{ from = "S", to = "R", receiver = {{ ack = {ack} }}, sender = {{ control = {control}, window = 2000 }} }}]
"""
DELAYED, RENO = '{ policy = "delayed" }', '"reno"'


class Delayed(acklab.AckPolicy):
    calls = 0

    def __init__(self) -> None:
        self.held = 0

    def on_segment(self, arrival: acklab.Arrival) -> acklab.Emission:
        Delayed.calls += 1
        self.held += 1
        if not arrival.in_order or self.held >= 2:
            return acklab.Emission.now()
        return acklab.Emission.by(arrival.now_s + 0.1)

    def on_ack_sent(self, now_s: float) -> None:
        Delayed.calls += 1
        self.held = 0


class Reno(acklab.CongestionControl):
    calls = 0

    def grow(self, credit: float, window: acklab.Window) -> None:
        Reno.calls += 1
        window.grow_by_standard(credit)

    def on_congestion(self, signal: str, in_use: float, window: acklab.Window) -> float:
        Reno.calls += 1
        return in_use / 2


def seconds(text: str, repeat: int, **passed: Any) -> tuple[float, str]:
    """Median time of a run, and its summary."""
    took = []
    for _ in range(repeat):
        began = time.perf_counter()
        summary = acklab.run(text, **passed).json()
        took.append(time.perf_counter() - began)
    return statistics.median(took), summary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each, of which the median counts")
    repeat = parser.parse_args().repeat
    native, summary = seconds(TEXT.format(ack=DELAYED, control=RENO), repeat)
    print(f"native           {native:.3f} s")
    for name, kind, ack, control in (
        ("policy in Python", Delayed, '{ policy = "python", name = "own" }', RENO),
        ("control in Python", Reno, DELAYED, '{ kind = "python", name = "own" }'),
    ):
        kind.calls = 0
        took, same = seconds(
            TEXT.format(ack=ack, control=control), repeat, policies={"own": kind}, controls={"own": kind}
        )
        calls = kind.calls // repeat
        assert same == summary
        print(f"{name:17}{took:.3f} s, {1e6 * (took - native) / calls:.2f} us for each of {calls:,} calls")


if __name__ == "__main__":
    main()
