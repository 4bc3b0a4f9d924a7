"""How a router gets a link's queue: as lines of tc(8), or as TLVs of a modem."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..scenario.access import is_access
from ..text.numbers import listing

Queue = Mapping[str, Any]


@dataclass(frozen=True)
class Line:
    """The command, or the nearest to it."""

    command: str | None
    """None where no queueing discipline of Linux is similar."""
    differs: str = ""
    """How it differs from the queue of the scenario."""


def tc_line(queue: Queue, device: str = "DEV") -> Line:
    """The command for a queue as an expanded scenario writes it.

    >>> tc_line({"kind": "codel", "packets": 1001, "target": "0.005s", "interval": "0.1s", "ecn": False}).command
    'tc qdisc replace dev DEV root codel limit 1000 target 5ms interval 100ms noecn'
    """
    filtered = queue.get("filter")
    if queue["kind"] == "docsis-pie":
        if filtered:
            return Line(None, "a service flow has no encoding for an ACK filter; the modem's maker decides on it")
        return _docsis_pie(queue)
    if filtered or queue.get("drop") or queue.get("scheduler"):
        return _composed(queue, filtered)
    make = KINDS.get(queue["kind"])
    if make is None:
        return Line(None, f"Linux has no {queue['kind']}")
    words, differs = make(queue)
    return Line(f"tc qdisc replace dev {device} root {words}", differs)


def _composed(queue: Queue, filtered: Queue | None) -> Line:
    """A queue with an ACK filter, a drop policy or a scheduler."""
    if filtered and filtered["kind"] == "cake":
        word = "aggressive" if filtered["aggressive"] else "on"
        asked = f'queue = {{ kind = "cake", ack_filter = "{word}" }} measures that'
        return Line(None, f"Linux has CAKE's ACK filter only together with CAKE's queues; {asked}")
    parts = [f"the ACK filter {filtered['kind']!r}"] if filtered else []
    parts += [f"{key} = {queue[key]!r}" for key in ("drop", "scheduler") if queue.get(key)]
    return Line(None, f"no queueing discipline of Linux has {listing(parts)}")


def _docsis_pie(queue: Queue) -> Line:
    """A service flow's AQM encodings (CM-SP-MULPIv3.1 C.2.2.7.15)."""
    target = max(round(_seconds(queue["target"]) * 1e3), 1)
    return Line(f"DOCSIS upstream service flow: TLV 24.40.1 = 0 (AQM on), 24.40.2 = {target} (latency target in ms)")


def _drop_tail(queue: Queue) -> tuple[str, str]:
    if "bytes" in queue:
        return f"bfifo limit {_bytes(queue['bytes'])}", ""
    waiting = queue["waiting"] if "waiting" in queue else queue["packets"] - 1
    return f"pfifo limit {max(waiting, 1)}", ""


def _waiting(queue: Queue) -> str:
    """Linux does not count the packet in service."""
    return f"limit {queue['waiting'] if 'waiting' in queue else max(queue['packets'] - 1, 1)}"


def _ecn(queue: Queue) -> str:
    return "ecn" if queue["ecn"] else "noecn"


def _codel(queue: Queue) -> tuple[str, str]:
    return (
        f"codel {_waiting(queue)} target {_time(queue['target'])} interval {_time(queue['interval'])} {_ecn(queue)}",
        "",
    )


def _fq_codel(queue: Queue) -> tuple[str, str]:
    words = (
        f"{_waiting(queue)} flows {queue['flows']} target {_time(queue['target'])} interval {_time(queue['interval'])}"
    )
    memory = f" memory_limit {_bytes(queue['memory'])}" if "memory" in queue else ""
    return f"fq_codel {words} quantum {_bytes(queue['quantum'])}{memory} {_ecn(queue)}", ""


def _pie(queue: Queue) -> tuple[str, str]:
    # tc(8) gives alpha and beta in sixteenths of 1/s.
    words = f"{_waiting(queue)} target {_time(queue['target'])} tupdate {_time(queue['update'])}"
    words += f" alpha {round(queue['alpha'] * 16)} beta {round(queue['beta'] * 16)} {_ecn(queue)}"
    burst = "" if _seconds(queue["burst"]) == 0.15 else f"its burst is 150 ms, not {_time(queue['burst'])}"
    return f"pie {words} {'bytemode' if queue['byte_mode'] else 'nobytemode'}", burst


def _fq_pie(queue: Queue) -> tuple[str, str]:
    words, differs = _pie(queue)
    return f"fq_{words} flows {queue['flows']} quantum {_bytes(queue['quantum'])}", differs


def _dual_pi2(queue: Queue) -> tuple[str, str]:
    words = f"{_waiting(queue)} target {_time(queue['target'])} tupdate {_time(queue['update'])} alpha {queue['alpha']:g} beta {queue['beta']:g}"
    words += f" step_thresh {_time(queue['step'])} coupling_factor {queue['coupling']:g} classic_protection {queue['classic_share']:g}%"
    listed = queue.get("code_points")
    return (
        f"dualpi2 {words}",
        f"a filter has to choose the code points {listing([str(point) for point in listed])}" if listed else "",
    )


def _cake(queue: Queue) -> tuple[str, str]:
    words = [f"bandwidth {_rate(queue['bandwidth'])}" if "bandwidth" in queue else "unlimited"]
    words += [queue["tins"], queue["isolation"], f"rtt {_time(queue['rtt'])}"]
    if queue["overhead"]:
        words.append(f"overhead {queue['overhead']}")
    if _bytes(queue["mpu"]):
        words.append(f"mpu {_bytes(queue['mpu'])}")
    if queue["cells"] != "none":
        words.append(queue["cells"])
    words.append(
        {"off": "no-ack-filter", "on": "ack-filter", "aggressive": "ack-filter-aggressive"}[queue["ack_filter"]]
    )
    if "memory" in queue:
        words.append(f"memlimit {_bytes(queue['memory'])}")
    return f"cake {' '.join(words)}", ""


def _red(queue: Queue) -> tuple[str, str]:
    packet = _bytes(queue["mean_packet"])
    low, high, most = (round(queue[key] * packet) for key in ("min", "max", "packets"))
    burst = round((2 * queue["min"] + queue["max"]) / 3)
    words = f"limit {most} min {low} max {high} avpkt {packet} burst {max(burst, 1)} probability {queue['max_p']:g}"
    return f"red {words}{' ecn' if queue['ecn'] else ''}", "Linux computes RED's average from bytes and another weight"


#: Kind of queue -> the discipline's words, and how it differs.
KINDS: Mapping[str, Callable[[Queue], tuple[str, str]]] = {
    "drop-tail": _drop_tail, "codel": _codel, "fq-codel": _fq_codel, "pie": _pie, "fq-pie": _fq_pie, "dual-pi2": _dual_pi2, "cake": _cake, "red": _red,
}  # fmt: skip


def _seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def _time(text: str) -> str:
    """A time in the unit of tc(8) that needs no fraction."""
    us = round(_seconds(text) * 1e6)
    return f"{us // 1000}ms" if us % 1000 == 0 else f"{us}us"


def _bytes(text: str) -> int:
    return int(text.removesuffix("B"))


def _rate(text: str) -> str:
    bps = round(float(text.removesuffix("bps")))
    return next(
        f"{bps // size}{unit}"
        for size, unit in ((10**9, "gbit"), (10**6, "mbit"), (10**3, "kbit"), (1, "bit"))
        if bps % size == 0
    )


#: The directions of the access link in a scenario of its shape.
DOWN, UP = (1, "A->C"), (1, "C->A")

Setting = tuple[str, str, str, str]
"""Case, link direction, command (empty where none does it), and how what it sets differs."""


def router_settings(trees: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[Setting]:
    """A row for each direction of a link whose queue a case changes in the first situation; ``trees`` by situation and case."""
    first, base_case = next(iter(trees))
    queues = {case: dict(_queues(tree)) for (situation, case), tree in trees.items() if situation == first}
    base = queues[base_case]
    access = any(is_access(tree) for tree in trees.values())
    rows = []
    for case, own in queues.items():
        for link, queue in own.items():
            if json.dumps(queue, sort_keys=True) != json.dumps(base.get(link), sort_keys=True):
                which = "down" if access and link == DOWN else "up" if access and link == UP else ""
                setting = tc_line(queue)
                rows.append((case, f"{which} {link[1]}".strip(), setting.command or "", setting.differs))
    return rows


def _queues(tree: Mapping[str, Any]) -> Iterator[tuple[tuple[int, str], Mapping[str, Any]]]:
    """The queue of each direction of each link of an expanded scenario, by the link's index and its ends."""
    for index, link in enumerate(tree.get("link", [])):
        one, other = link["between"]
        back = {**link, **link.get("back", {})}
        for name, queue in ((f"{one}->{other}", link.get("queue")), (f"{other}->{one}", back.get("queue"))):
            if queue is not None:
                yield (index, name), queue
