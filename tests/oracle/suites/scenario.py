"""A test of ns-2's suites as an acklab scenario, and a run's packets as events in ns-2's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from boot_order import tcl_order
from endpoints import receiver, sender, tick
from mrg32k3a import uniforms
from values import bps, flag, seconds

from .facts import Flow, Held, Link, Test

Event = tuple[float, str, str, str, int, int, int]
"""Seconds; `+` offered, `-` taken, `r` arrived, `d` dropped; the link; `data` or `ack`; flow; number; bytes."""

BEFORE = "_to_"
AT_ONCE = "1000000Gbps"
"""The fastest wire of a scenario: a packet takes some picoseconds. ns-2 holds packets back before a link's queue, acklab at a
link's end, so the link of late packets gets such a wire before it."""
BESIDE: dict[str, tuple[str, Callable[[str], Any]]] = {
    "dupthresh": ("dup_thresh", int),
    "nofr": ("dup_thresh", lambda _: 1_000_000),
    "ecn": ("ecn", flag),
}
"""Options that `scripts/lib.tcl` does not have. Without fast retransmit no number of duplicates is enough."""
WORDS = {"enqueue": "+", "dequeue": "-", "deliver": "r", "drop": "d", "lose": "d"}


def boots(test: Test) -> list[float]:
    """The draw that places each flow's tick grid: agents draw when made, and again, node by node, when the run starts."""
    order = [
        flow
        for node in tcl_order(len(test.nodes))
        for flow in range(len(test.flows))
        if test.flows[flow].near == test.nodes[node]
    ]
    draws = uniforms(1, 2 * len(test.flows))[len(test.flows) :]
    return [draws[order.index(flow)] for flow in range(len(test.flows))]


def _queue(test: Test, one: Link) -> dict[str, Any]:
    """The queue; RED draws from ns-2's default generator, after the agents.

    A scenario's least weight is 0.0001. ns-2 has a smaller one before links of 100 Mb/s, whose queues stay empty here.
    """
    if one.red is None:
        return {"kind": "drop-tail", "packets": one.limit}
    red = one.red
    return {
        "kind": "red", "packets": one.limit + 1, "min": red["min"], "max": red["max"], "weight": max(red["weight"], 1e-4), "max_p": 0.1,
        "gentle": True, "wait": True, "mean_packet": f"{red.get('mean', 500):.0f}B", "ecn": bool(red.get("ecn")),
        "weigh_bytes": bool(red.get("bytes")), "count_bytes": bool(red.get("bytes")), "seed": 1, "skip": 2 * len(test.flows),
    }  # fmt: skip


def _at(test: Test, near: str, far: str) -> list[Held]:
    """What takes packets before that direction; the last sees them first."""
    return [held for held in test.held if (held.near, held.far) == (near, far)]


def _lost(held: list[Held]) -> dict[str, Any]:
    numbers = sorted(number for one in held if one.delay is None and not one.mark for number in one.packets)
    return {"loss": {"list": numbers}} if numbers else {}


def _marked(held: list[Held]) -> dict[str, Any]:
    """ns-2 marks before the queue, acklab at the link's end: the same, as long as the queue drops none of the packets counted."""
    return (
        {"stages": [{"kind": "mark", "list": sorted(one.packets)} for one in held if one.mark]}
        if any(one.mark for one in held)
        else {}
    )


def _link(test: Test, near: str, far: str) -> dict[str, Any]:
    """One direction's keys."""
    one = next(link for link in test.links if (link.near, link.far) == (near, far))
    held = _at(test, near, far)
    late = next((place for place, this in enumerate(held) if this.delay is not None), len(held))
    return (
        {"rate": bps(one.rate), "delay": seconds(one.delay), "queue": _queue(test, one)}
        | _lost(held[:late])
        | _marked(held)
    )


def _before(test: Test, near: str, far: str) -> dict[str, Any]:
    """What the wire before that direction does, if packets are held back: those that come last see packets first."""
    held = _at(test, near, far)
    late = [place for place, one in enumerate(held) if one.delay is not None]
    if not late:
        return {}
    stages = [
        {"kind": "reorder", "by": seconds(one.delay), "list": sorted(one.packets)}
        for one in reversed(held)
        if one.delay is not None
    ]
    return {"stages": stages} | _lost(held[late[0] :])


def _links(test: Test) -> list[dict[str, Any]]:
    made, seen = [], set()
    for one in test.links:
        if (one.far, one.near) in seen:
            continue
        seen.add((one.near, one.far))
        ends, ample = [one.near, one.far], {"queue": {"kind": "drop-tail", "packets": 100000}}
        for place, (near, far) in enumerate(((one.near, one.far), (one.far, one.near))):
            before = _before(test, near, far)
            if before:
                ends[place] = f"{near}{BEFORE}{far}"
                made.append(
                    {"between": [near, ends[place]], "rate": AT_ONCE, "delay": "0s", **ample, **before, "back": ample}
                )
        made.append({"between": ends, **_link(test, one.near, one.far), "back": _link(test, one.far, one.near)})
    return made


def packet_bytes(flow: Flow) -> int:
    """A segment's payload."""
    return int(float(flow.options.get("psize", "1000")))


def _flow(flow: Flow, number: int, boot: float) -> dict[str, Any]:
    size: Any = "unlimited"
    if flow.amount is not None:
        size = {"segments": -(-flow.amount // packet_bytes(flow)) if flow.in_bytes else flow.amount}
    options = dict(flow.options)
    first: dict[str, str] = {}
    if (
        options.pop("iwopt", "1") == "2"
    ):  # RFC 3390 by the packet's size, as ns-2 has it; two segments if the first is lost
        first = {"first_loss": "two-segments"}
        options["iw"] = "4" if packet_bytes(flow) <= 1095 else "3" if packet_bytes(flow) < 2190 else "2"
    beside = {rule: say(options.pop(word)) for word, (rule, say) in BESIDE.items() if word in options}
    send = sender(options, flow.kind, boot * tick(options)) | beside | first
    what = {"size": size} if not flow.more else {"source": _writes(flow)}
    return {"name": f"f{number}", "from": flow.near, "to": flow.far, "start": seconds(flow.start), **what,
            "sender": send, "receiver": receiver(options, flow.ack)}  # fmt: skip


def _writes(flow: Flow) -> dict[str, Any]:
    """What the application writes, and how long after the start."""
    writes = [(flow.start, flow.amount or 0), *flow.more]
    return {
        "kind": "listed",
        "writes": [[seconds(at - flow.start), f"{number * packet_bytes(flow)}B"] for at, number in writes],
    }


def scenario(test: Test) -> dict[str, Any]:
    """The test's scenario."""
    flows = [_flow(flow, number, boot) for number, (flow, boot) in enumerate(zip(test.flows, boots(test), strict=True))]
    return {"stop": {"at": seconds(test.until)}, "link": _links(test), "flow": flows, "record": {"packets": True}}


def _own(link: str, event: str) -> str:
    """The test's link of a row; of a wire that was put before one, only what it loses."""
    near, far = link.split("->")
    if far.startswith(near + BEFORE):
        return f"{near}->{far.removeprefix(near + BEFORE)}" if event == "lose" else ""
    return "" if near.startswith(far + BEFORE) else f"{near.split(BEFORE)[0]}->{far.split(BEFORE)[0]}"


def events(test: Test, outcome: dict[str, Any]) -> list[Event]:
    """What ns-2 would have traced. A packet that the loss model takes was not offered to the queue."""
    real = {f"{one.near}->{one.far}" for one in test.links}
    rows = [
        {**row, "link": link}
        for row in outcome["packets"]
        if row["event"] in WORDS and row["time_s"] < test.until and (link := _own(row["link"], row["event"])) in real
    ]
    taken = {
        (row["time_s"], row["link"], row["flow"], row["kind"], row["seq"]) for row in rows if row["event"] == "lose"
    }
    found = []
    for row in rows:
        key = (row["time_s"], row["link"], row["flow"], row["kind"], row["seq"])
        if row["event"] == "enqueue" and key in taken:
            continue
        number = row["ack"] - 1 if row["kind"] == "ack" else row["seq"]
        found.append(
            (
                row["time_s"],
                WORDS[row["event"]],
                row["link"],
                row["kind"],
                int(row["flow"][1:]),
                number,
                row["size_bytes"],
            )
        )
    return sorted(found)
