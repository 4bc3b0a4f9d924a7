"""Runs a scenario's programs in real time: namespaces of this machine, with acklab's network between them."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from .. import _core
from ..text.terminal import file_names
from . import apart
from .programs import ProgramResult, ProgramsResult, job_of, nodes_with_programs, with_addresses

#: How long nodes may take to be set up, and to tell their results at the end, in seconds.
SETUP_S, TELL_S = 60.0, 20.0
#: From the nodes' being ready to the scenario's first instant.
LEAD_S = 0.02


class _Place:
    """A node's first process, and what is said to it."""

    def __init__(self, name: str, files: Path | None) -> None:
        self.name = name
        self.link, theirs = socket.socketpair()
        self.card = -1
        passed = [theirs.fileno()]
        if files is not None:
            files.mkdir(parents=True)
            passed.append(os.open(files, os.O_RDONLY | os.O_DIRECTORY))
        command = [sys.executable, "-I", "-S", "-B", apart.__file__, *map(str, passed)]
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=passed,
                cwd="/",
            )
        finally:
            theirs.close()
            for descriptor in passed[1:]:
                os.close(descriptor)

    def hear(self, seconds: float) -> dict[str, Any]:
        """What it tells next; a descriptor that comes along is its card's."""
        self.link.settimeout(seconds)
        told = None
        try:
            head, descriptors, _, _ = socket.recv_fds(self.link, 8, 1)
            self.card = descriptors[0] if descriptors else self.card
            if len(head) == 8:
                told = json.loads(self.link.makefile("rb").read(int.from_bytes(head, "big")))
        except TimeoutError:
            raise _core.LiveError(f"node {self.name} does not answer within {seconds:g} s") from None
        except (OSError, ValueError):
            pass  # it has ended
        if told is None:
            raise _core.LiveError(f"the first process of node {self.name} ended; did the machine lack memory?")
        if "error" in told:
            raise _core.LiveError(f"node {self.name}: {told['error']}")
        answer: dict[str, Any] = told
        return answer

    def close(self) -> None:
        """Ends it and all in its namespaces."""
        self.process.kill()
        self.process.wait()
        self.link.close()
        if self.card >= 0:
            os.close(self.card)


def caller() -> tuple[int, int] | None:
    """User and group of who called sudo; None if there was no sudo."""
    user, group = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    return (int(user), int(group)) if os.geteuid() == 0 and user.isdigit() and group.isdigit() and int(user) else None


def run(
    programs: _core.Programs,
    *,
    files: Path | None = None,
    captures: Path | None = None,
    late_s: float = 1e-3,
    urgent: bool = False,
) -> ProgramsResult:
    """Runs a scenario's programs in real time. It needs the privilege to make network namespaces, usually root's.

    Args:
        programs: the scenario.
        files: a new directory for what programs wrote to their own, by node; None throws it away.
        captures: a directory for each node's packets, as NODE.pcap.
        late_s: the run is invalid if one packet in a hundred leaves the path later than this, in seconds.
        urgent: the path has real-time priority.

    Raises:
        LiveError: there is no privilege, or the run broke off.
        OSError: a directory cannot be written.
    """
    plan = json.loads(programs.json())
    commands = [with_addresses(program["run"], plan) for program in plan["programs"]]
    with ExitStack() as stack:
        places, nodes = [], [name for name, *_ in plan["nodes"]]
        folders = dict(zip(nodes, file_names(nodes), strict=True))
        for name in nodes_with_programs(plan):
            places.append(_Place(name, None if files is None else files / folders[name]))
            stack.callback(places[-1].close)
        for place in places:
            job = {**job_of(plan, place.name, commands), "user": caller()}
            with suppress(OSError):  # what it has to say comes next
                apart.send(place.link, job)
        for place in places:
            place.hear(SETUP_S)
        begin_ns = time.monotonic_ns() + int(LEAD_S * 1e9)
        for place in places:
            apart.send(place.link, {"clock": time.CLOCK_MONOTONIC, "epoch_ns": begin_ns})
        ends = [(place.name, place.card, place.link.fileno()) for place in places]
        result, more = programs.run_live(ends, begin_ns=begin_ns, captures=captures, late_s=late_s, urgent=urgent)
        found: dict[int, ProgramResult] = {}
        for place in places:
            for row in place.hear(TELL_S)["programs"]:
                number, output = row["number"], base64.b64decode(row["output"])
                found[number] = ProgramResult(place.name, commands[number], row, output)
    return ProgramsResult(result, [found[number] for number in sorted(found)], json.loads(more))
