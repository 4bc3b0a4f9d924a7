"""Runs members of the zoo over its paths."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as File
from typing import Any

import numpy as np

from acklab import _core
from acklab.engines import programs

from .measure import AT_ONCE_S, measure, waits
from .members import Member
from .packets import Download, download
from .paths import CLIENT, PATHS, SERVER, Path

#: Lone packets before these are the handshake's rest.
_FIRST_LONE = 3


@dataclass(frozen=True)
class Pair:
    """A server and a client that speak with each other.

    ``kernels`` are the versions of Linux at both nodes, the server's first; None is the default. ``about`` is more to note in a row.
    """

    sender: str
    receiver: str
    server: str
    client: str
    kernels: tuple[str | None, str | None] = (None, None)
    about: Mapping[str, Any] = field(default_factory=dict)


def pair(sender: str, receiver: str, members: dict[str, Member], kernel: str | None) -> Pair:
    """Two members; ``kernel`` is for those that are no kernel themselves."""
    by, to = members[sender], members[receiver]
    kernels = (by.kernel or kernel, to.kernel or kernel)
    about = {"version": to.version, "linux": _release(kernels[1])}
    return Pair(sender, receiver, by.server(), to.client(), kernels, about)


def _release(version: str | None) -> str:
    """The release of a node's Linux, from the name of its binary."""
    from acklab.engines import kernel

    return re.sub(r"^linux-|-[0-9a-f]{12}$", "", kernel.find(version).resolve().name)


def rows(
    pairs: Iterable[Pair],
    paths: Iterable[str],
    *,
    seed: int = 1,
    boots: int = 1,
    tick: Callable[[str], None] = lambda _: None,
) -> Iterator[dict[str, Any]]:
    """A row for each pair and path, as soon as it is there. A program that fails leaves the reason in ``error``.

    With several ``boots`` of each, ``same`` says whether the client saw the same packets at the same times in all.
    """
    paths = list(paths)
    for one in pairs:
        for name in paths:
            told = []
            for boot in range(boots):
                tick(f"{one.sender} to {one.receiver}: {name}" + (f", boot {boot + 1} of {boots}" if boots > 1 else ""))
                told.append(row(one, name, seed))
            if boots > 1:
                told[0] |= {"boots": boots, "same": len({each.get("sha256") for each in told}) == 1}
            yield told[0]


def row(
    one: Pair,
    name: str,
    seed: int = 1,
    path: Path | None = None,
    look: Callable[[Download], Mapping[str, Any]] = lambda _: {},
) -> dict[str, Any]:
    """One download, with the numbers of :func:`measure`, its time, and the SHA-256 of what passed the client.

    ``path`` is the one of that name in :data:`PATHS`, unless another is given. ``look`` may add to the row what it finds in the packets.
    """
    path = path or PATHS[name]
    tree = path.scenario(name, seed)
    request = path.request if "{request}" in one.client else ""
    client = one.client.replace("{request}", request)
    tree["program"] = [
        {"at": SERVER, "run": one.server, "ready": "listens"},
        {"at": CLIENT, "run": client},
    ]
    told: dict[str, Any] = {"sender": one.sender, "receiver": one.receiver, "path": name, "seed": seed, **one.about}
    scenario = _core.Programs(json.dumps(tree))
    versions = {node: version for node, version in zip((SERVER, CLIENT), one.kernels, strict=True) if version}
    begin = _processor_s()
    with tempfile.TemporaryDirectory(prefix="acklab-") as place:
        made = programs.run(scenario, files=File(place) / "nodes", captures=File(place), versions=versions)
        told["processor_s"] = round(_processor_s() - begin, 2)
        for program in made.programs:
            if program.failed:
                said = program.output.decode(errors="replace").splitlines()[-1:]
                return {**told, "error": ": ".join([f"exit status {program.status} at {program.at}", *said])}
        captured = File(place) / f"{CLIENT}.pcap"
        seen = download(File(place) / f"{SERVER}.pcap", captured)
        told["sha256"] = hashlib.sha256(captured.read_bytes()).hexdigest()
    if not len(seen.arrived_s):
        return {**told, "error": "no data arrived"}
    by = next(program for program in made.programs if program.at == CLIENT)
    if by.stopped:
        return {**told, "error": f"not done after {tree['stop']['at']}"}
    told |= measure(seen, path) | dict(look(seen))
    told["completion_s"] = _said(by.output) or (by.ended_s or 0.0) - (by.started_s or 0.0)
    told["goodput_mbps"] = 8e-6 * float(seen.bytes.sum()) / told["completion_s"]
    told["sent"] = len(seen.sent_s)
    if "/" in request:
        told |= _lone(waits(seen))
    return told


def _processor_s() -> float:
    """Processor time of this process and of the kernels that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _said(output: bytes) -> float | None:
    """The time that a client of the zoo prints."""
    found = re.search(rb"bytes in ([\d.]+) s", output)
    return float(found[1]) if found else None


def _lone(delays: list[float]) -> dict[str, Any]:
    """How long an ACK of a packet waits that comes alone."""
    kept = np.array(delays[_FIRST_LONE:])
    if not len(kept):
        return {}
    return {
        "lone_packets": len(kept),
        "lone_min_ms": float(kept.min()),
        "lone_p50_ms": float(np.median(kept)),
        "lone_max_ms": float(kept.max()),
        "lone_at_once": float((kept <= 1e3 * AT_ONCE_S).mean()),
    }
