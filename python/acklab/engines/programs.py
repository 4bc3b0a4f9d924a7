"""Runs a scenario's programs in virtual time, a kernel for each node that has some; and what became of them."""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .. import _core
from ..text.numbers import counted
from ..text.terminal import file_names
from . import kernel, view

#: Most bytes of a host's name in Linux.
MAX_HOST = 64
#: Ports from here on are those that Linux chooses for clients.
CHOSEN_PORTS = 32_768
#: What programs find besides in virtual time. OpenSSL, BoringSSL and aws-lc read the processor's random numbers, which no seed gives; without
#: RDRAND (bit 62) and RDSEED (bit 18 of the second word) they ask the kernel.
ENVIRONMENT = {"OPENSSL_ia32cap": "~0x4000000000000000:~0x40000"}


class ProgramResult:
    """What became of one program.

    Attributes:
        at: its node.
        run: its command line, addresses put in.
        status: its exit status; of one that was ended by a signal, that signal's number below zero; None if it never began.
        is_server: whether it says when it is ready.
        stopped: whether it was asked to end.
        started_s: when it began, in seconds of the scenario; ``ready_s`` and ``ended_s`` likewise.
        printed_bytes: what it printed; ``output`` has at most the first 4 MiB.
    """

    def __init__(self, at: str, run: str, told: Mapping[str, Any], output: bytes) -> None:
        self.at, self.run, self.output = at, run, output
        self.is_server: bool = told["is_server"]
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
        overrun: packets that a kernel did not take, for want of room.
        astray: packets that went to no node with programs.
        clock: None in virtual time. In real time: the kernel's release, and how late packets left (``lateness``). ``valid`` is whether the
            numbers mean what they say, and ``why`` why not.
    """

    def __init__(self, result: _core.RunResult, programs: list[ProgramResult], told: Mapping[str, Any]) -> None:
        self.result, self.programs = result, programs
        self.streams: list[dict[str, Any]] = told["streams"]
        self.overrun: int = told["overrun"]
        self.astray: int = told["astray"]
        of_clock = ("kernel", "lateness", "valid", "why")
        self.clock: dict[str, Any] | None = {name: told[name] for name in of_clock} if "lateness" in told else None

    @property
    def valid(self) -> bool:
        """No packet was too late for the numbers to mean what they say."""
        return self.clock is None or bool(self.clock["valid"])

    def json(self) -> str:
        """One line of JSON: the summary, the records, programs and streams."""
        told = json.loads(self.result.json())
        told["programs"] = [program.told() for program in self.programs]
        told["streams"] = self.streams
        told.update(self.clock or {})
        return json.dumps(told, separators=(",", ":"))


def override(server: str | None, client: str | None) -> list[str]:
    """A server's and a client's command as an override of a scenario's programs; nothing where neither is given."""
    programs = [(at, run) for at, run in (("server", server), ("client", client)) if run is not None]
    if not programs:
        return []

    def table(at: str, run: str) -> str:
        # One alone is no server for anybody.
        ready = ', ready = "listens"' if at == "server" and len(programs) > 1 else ""
        return f'{{ at = "@{at}", run = {json.dumps(run)}{ready} }}'

    return [f"program=[{', '.join(table(*program) for program in programs)}]"]


def asked(
    text: str | bytes, file: str, sets: Sequence[str], *, server: str | None, client: str | None, allowed: bool
) -> ProgramsResult | None:
    """Runs a caller's two commands, or the scenario's own where these are ``allowed``; None where there are none.

    Raises:
        ScenarioError: it is no scenario.
        ValueError: the scenario names commands that are not allowed.
        LiveError: there is no kernel, or the run broke off.
    """
    plan = _core.Programs(text, file=file, sets=[*override(server, client), *sets])
    count = len(json.loads(plan.json())["programs"])
    if not count:
        return None
    if server is None and client is None and not allowed:
        raise ValueError(
            f"{file} names {counted(count, 'command')}, which would run; read them, then give allow_programs=True"
        )
    return run(plan)


def summary(told: ProgramsResult) -> dict[str, Any]:
    """A run's summary for comparisons and sweeps, whose names are the same in every run.

    First comes a flow for each program that no other waits for, by the name of its node, whose completion is the program's time. Then
    the simulated flows, and the streams by their names without the ports that kernels choose. Of rows with the same name, the second
    has ``#2`` at its end.

    Raises:
        LiveError: a program failed.
    """
    row: dict[str, Any]
    found = json.loads(told.result.json(records=False))
    for row, stream in zip(found["flows"][len(found["flows"]) - len(told.streams) :], told.streams, strict=True):
        row["name"] = re.sub(r":(\d+)", lambda port: port[0] if int(port[1]) < CHOSEN_PORTS else "", stream["name"])
    flows = []
    for program in told.programs:
        if program.failed:
            said = program.output.decode(errors="replace").splitlines()[-1:]
            raise _core.LiveError(
                ": ".join([f"a program of node {program.at} failed, exit status {program.status}", *said])
            )
        if program.is_server:
            continue
        row = dict.fromkeys(column["name"] for column in _core.columns("flows"))
        done = program.started_s is not None and program.ended_s is not None and not program.stopped
        row |= {
            "name": program.at,
            "from": program.at,
            "to": program.at,
            "completed": done,
            "start_s": program.started_s or 0.0,
        }
        if done:
            row["completion_s"], row["finished_s"] = program.ended_s - program.started_s, program.ended_s  # type: ignore[operator]
        flows.append(row)
    found["flows"] = [*flows, *found["flows"]]
    times: Counter[str] = Counter()
    for row in found["flows"]:
        times[row["name"]] += 1
        if times[row["name"]] > 1:
            row["name"] += f"#{times[row['name']]}"
    result: dict[str, Any] = found
    return result


def with_addresses(run: str, plan: Mapping[str, Any]) -> str:
    """A command line with addresses for the names of nodes in braces; what else stands in braces stays."""
    known = {name: address for name, address, _ in plan["nodes"]}
    known |= {f"{name}/6": address for name, _, address in plan["nodes"]}
    for name in ("server", "client"):
        for suffix in ("", "/6"):
            known.setdefault(name + suffix, known[plan[name] + suffix])
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
    versions = {
        **{program["at"]: program["kernel"] for program in plan["programs"] if program["kernel"]},
        **(versions or {}),
    }
    commands = [with_addresses(program["run"], plan) for program in plan["programs"]]
    for program in plan["programs"]:
        program["environment"] = {**ENVIRONMENT, **program["environment"]}
    used, nodes = nodes_with_programs(plan), [name for name, *_ in plan["nodes"]]
    binaries = {name: str(kernel.find(versions.get(name))) for name in used}
    with ExitStack() as stack:
        sockets = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="acklab-")))
        kept = files if files is not None else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="acklab-")))
        kernels = []
        places = {name: kept / file for name, file in zip(nodes, file_names(nodes), strict=True)}
        for name in used:
            place = places[name]
            place.mkdir(parents=True)
            clock = {"clock": time.CLOCK_REALTIME, "epoch_ns": kernel.EPOCH_NS, "directory": str(place.resolve())}
            job = {**job_of(plan, name, commands), **clock}
            variables = dict(kernel.environment(plan["seed"], nodes.index(name), len(used)))
            shared = "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()
            memory = tempfile.TemporaryDirectory(prefix="acklab-", dir=variables.get("TMPDIR", shared))
            variables["TMPDIR"] = stack.enter_context(memory)
            # The kernel is fenced, too, should a program become the kernel.
            reads = [*view.system(), *job["shown"], binaries[name], os.path.dirname(view.__file__), *kernel.READ]
            writes = [str(place.resolve()), variables["TMPDIR"], "/dev/null"]
            kernels.append((name, _command(binaries[name], job), [*variables.items()], reads, writes))
        result, more = programs.run(kernels, directory=str(sockets), captures=captures, patience_s=patience_s)
        told = json.loads(more)
        found: dict[int, ProgramResult] = {}
        for name, ended in zip(used, told["kernels"], strict=True):
            for row in _read(places[name], name, ended):
                number = row["number"]
                output = places[name] / f"{number}.output"
                found[number] = ProgramResult(
                    name, commands[number], row, output.read_bytes() if output.exists() else b""
                )
    return ProgramsResult(result, [found[number] for number in sorted(found)], told)


def nodes_with_programs(plan: Mapping[str, Any]) -> list[str]:
    """In the scenario's order."""
    used = {program["at"] for program in plan["programs"]}
    return [name for name, *_ in plan["nodes"] if name in used]


def job_of(plan: Mapping[str, Any], name: str, commands: list[str]) -> dict[str, Any]:
    """What the first process of a node is told, whatever its clock."""
    numbered = [
        {**program, "number": number, "run": commands[number]} for number, program in enumerate(plan["programs"])
    ]
    address, address6 = next(addresses for node, *addresses in plan["nodes"] if node == name)
    _, _, high, low = (int(part) for part in address.split("."))
    return {
        "name": file_names([name])[0].encode()[:MAX_HOST].decode(errors="ignore"),
        "address": address,
        "address6": address6,
        "hardware": f"02:00:00:00:{high:02x}:{low:02x}",
        "nodes": plan["nodes"],
        "shown": view.folders(program["run"] for program in numbered if program["at"] == name),
        "programs": [program for program in numbered if program["at"] == name],
        "servers": [program["number"] for program in numbered if program["ready"] is not None],
        "others": [program["number"] for program in numbered if program["ready"] is None],
    }


def _command(binary: str, job: Mapping[str, Any]) -> list[str]:
    """The words that start a kernel."""
    packed = base64.b64encode(zlib.compress(json.dumps(job).encode(), 9)).decode()
    if len(packed) > kernel.MOST_COMMAND - kernel.OTHER_WORDS:
        raise _core.LiveError("the programs' command lines are too long for a kernel's; put them into files")
    return kernel.command(binary, "node.py", packed)


def _read(place: Path, name: str, ended: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the first process of a node has left."""
    try:
        rows: list[dict[str, Any]] = json.loads((place / "result.json").read_text())
    except (OSError, ValueError):
        lines = [line.strip() for line in ended["console"].splitlines() if line.strip()]
        said = f": {lines[-1]}" if lines else ""
        if "Kernel panic" in ended["console"]:
            said = f": {kernel.why(ended['console'], 0)}"
        raise _core.LiveError(
            f"the kernel of node {name} ended without a result ({ended['status'] or 'cut off'}){said}"
        ) from None
    (place / "result.json").unlink()
    return rows
