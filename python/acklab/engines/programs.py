"""Runs a scenario's programs: a kernel for each node that has some, and what became of them."""

from __future__ import annotations

import base64
import json
import re
import sys
import tempfile
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .. import _core
from . import kernel

#: Memory of each kernel, in MiB. Only what is used is taken from the host.
MEMORY = 512


class ProgramResult:
    """What became of one program.

    Attributes:
        at: its node.
        run: its command line, addresses put in.
        status: its exit status; of one that was ended by a signal, that signal's number below zero; None if it never began.
        stopped: whether it was asked to end.
        started_s: when it began, in seconds of the scenario; ``ready_s`` and ``ended_s`` likewise.
        printed_bytes: what it printed; ``output`` has at most the first 4 MiB.
    """

    def __init__(self, at: str, run: str, told: Mapping[str, Any], output: bytes) -> None:
        self.at, self.run, self.output = at, run, output
        self.status: int | None = told["status"]
        self.stopped: bool = told["stopped"]
        self.started_s: float | None = told["started_s"]
        self.ready_s: float | None = told["ready_s"]
        self.ended_s: float | None = told["ended_s"]
        self.printed_bytes: int = told["printed_bytes"]

    @property
    def failed(self) -> bool:
        """It ended by itself, and not well, or never began."""
        return not self.stopped and self.status != 0

    def told(self) -> dict[str, Any]:
        """The same for JSON."""
        return {**vars(self), "output": self.output.decode(errors="replace")}


class ProgramsResult:
    """What a run told.

    Attributes:
        result: flows, links and records, as of a simulation.
        programs: in the scenario's order.
        streams: packets one way between two ports, each a dict.
    """

    def __init__(self, result: _core.RunResult, programs: list[ProgramResult], told: Mapping[str, Any]) -> None:
        self.result, self.programs = result, programs
        self.streams: list[dict[str, Any]] = told["streams"]
        self.grants: int = told["grants"]
        self.overrun: int = told["overrun"]
        self.astray: int = told["astray"]

    def json(self) -> str:
        """One line of JSON: the summary, the records, programs and streams."""
        told = json.loads(self.result.json())
        told["programs"] = [program.told() for program in self.programs]
        told["streams"] = self.streams
        return json.dumps(told, separators=(",", ":"))


def with_addresses(run: str, plan: Mapping[str, Any]) -> str:
    """A command line with addresses for the names of nodes in braces; what else stands in braces stays."""
    known = dict(plan["nodes"])
    for name in ("server", "client"):
        known.setdefault(name, known[plan[name]])
    return re.sub(r"\{([^{}]+)\}", lambda found: known.get(found[1], found[0]), run)


def run(
    programs: _core.Programs,
    *,
    files: Path | None = None,
    captures: Path | None = None,
    patience_s: float = 600.0,
    versions: Mapping[str, str] | None = None,
) -> ProgramsResult:
    """Runs a scenario's programs.

    Args:
        programs: the scenario.
        files: a new directory for what programs wrote to their own, by node; None throws it away.
        captures: a directory for each node's packets, as NODE.pcap.
        patience_s: how long a kernel may compute while its clock stands, in real seconds.
        versions: for nodes the version of their kernel, such as 7.3, before that of the scenario.

    Raises:
        LiveError: there is no kernel, or the run broke off.
        OSError: a directory cannot be written.
    """
    plan = json.loads(programs.json())
    versions = {**{program["at"]: program["kernel"] for program in plan["programs"] if program["kernel"]}, **(versions or {})}
    commands = [with_addresses(program["run"], plan) for program in plan["programs"]]
    nodes = [name for name, _ in plan["nodes"]]
    used = sorted({program["at"] for program in plan["programs"]}, key=nodes.index)
    binaries = {name: str(kernel.find(versions.get(name))) for name in used}
    with ExitStack() as stack:
        sockets = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="acklab-")))
        kept = files if files is not None else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="acklab-")))
        kernels = []
        for name in used:
            place = kept / name
            place.mkdir(parents=True)
            job = _job(plan, name, commands, place.resolve())
            kernels.append((name, _command(binaries[name], job), _environment(plan["seed"], nodes.index(name), len(used))))
        result, more = programs.run(kernels, directory=str(sockets), captures=captures, patience_s=patience_s)
        told = json.loads(more)
        found: dict[int, ProgramResult] = {}
        for name, ended in zip(used, told["kernels"], strict=True):
            for row in _read(kept / name, name, ended):
                number = row["number"]
                output = kept / name / f"{number}.output"
                found[number] = ProgramResult(name, commands[number], row, output.read_bytes() if output.exists() else b"")
    return ProgramsResult(result, [found[number] for number in sorted(found)], told)


def _job(plan: Mapping[str, Any], name: str, commands: list[str], directory: Path) -> dict[str, Any]:
    """What the first process of a node is told."""
    numbered = [{**program, "number": number, "run": commands[number]} for number, program in enumerate(plan["programs"])]
    address = dict(plan["nodes"])[name]
    _, _, high, low = (int(part) for part in address.split("."))
    return {
        "name": name,
        "address": address,
        "hardware": f"02:00:00:00:{high:02x}:{low:02x}",
        "nodes": plan["nodes"],
        "epoch_s": kernel.EPOCH_NS // 10**9,
        "programs": [program for program in numbered if program["at"] == name],
        "servers": [program["number"] for program in numbered if program["ready"] is not None],
        "others": [program["number"] for program in numbered if program["ready"] is None],
        "directory": str(directory),
    }


def _command(binary: str, job: Mapping[str, Any]) -> list[str]:
    """The words that start a kernel."""
    packed = base64.b64encode(zlib.compress(json.dumps(job).encode(), 9)).decode()
    if len(packed) > kernel.MOST_COMMAND - kernel.OTHER_WORDS:
        raise _core.LiveError("the programs' command lines are too long for a kernel's; put them into files")
    inside = Path(__file__).with_name("node.py")
    return [
        *(binary, f"mem={MEMORY}M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "quiet"),
        # Its card's packets are gone at once: nothing has to be told of it. Programs that a filter holds are faster than traced
        # ones; kernels before 6.16 do not know it.
        *("virtio_net.napi_tx=0", "seccomp=auto", "con=null", "con0=null,fd:1"),
        *(f'init="{sys.executable}"', "--", "-I", "-S", "-B", f'"{inside}"', packed),
    ]


def _environment(seed: int, number: int, kernels: int) -> list[tuple[str, str]]:
    """Each kernel has random numbers of its own."""
    own = (seed + number * 0x9E3779B97F4A7C15) % 2**64
    place = kernel.memory_place(MEMORY * kernels)
    return [("ACKLAB_SEED", str(own)), ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), *place.items()]


def _read(place: Path, name: str, ended: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the first process of a node has left."""
    try:
        rows: list[dict[str, Any]] = json.loads((place / "result.json").read_text())
    except (OSError, ValueError):
        lines = [line.strip() for line in ended["console"].splitlines() if line.strip()]
        said = f": {lines[-1]}" if lines else ""
        if "Kernel panic" in ended["console"]:
            said = f": {kernel.why(ended['console'], 0)}"
        raise _core.LiveError(f"the kernel of node {name} ended without a result ({ended['status'] or 'cut off'}){said}") from None
    (place / "result.json").unlink()
    return rows
