"""Scenarios between two Linux kernels whose clock is virtual: user-mode Linux with time travel, two boots a run.

The kernel is a program beside acklab (``make kernel`` builds it). A run boots it with the host's file system, read-only, as its
root. Its first process (``host.py``) has the sources and sinks of ``acklab run --live``. The path lies between the kernels, outside
of both, under one clock. The run's random numbers follow from the scenario's seed, so the same scenario gives the same bytes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .. import _core

#: The environment variable that names another kernel.
VARIABLE = "ACKLAB_KERNEL"
#: A kernel's version, or the beginning of one.
VERSION = r"[0-9]+\.[0-9]+(\.[0-9]+)?"
#: Memory of a kernel at a node, in MiB. Only what is used is taken from the host.
NODE_MEMORY = 512
#: What a kernel itself reads of the machine.
READ = ("/proc/cpuinfo", "/proc/mounts", "/dev/urandom", "/dev/random", "/dev/zero")
#: Longest packet that a kernel's buffers for its card take.
MOST_MTU = 1500
#: Virtual time begins at the year 2000, in nanoseconds: captures have dates.
EPOCH_NS = 946_684_800_000_000_000
#: Longest command line that the kernel takes, and what of it other words need.
MOST_COMMAND, OTHER_WORDS = 1 << 16, 2048


def place(version: str | None = None) -> Path:
    """Where the kernel is expected: the one that is named, else the one that was built, else that of the package acklab-kernel.

    Args:
        version: such as 7.3: the newest of that series that was built. None is what ACKLAB_KERNEL says, a file or a version.
    """
    wanted = version or os.environ.get(VARIABLE)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    built = Path(cache) / "acklab" / "kernel" / "linux"
    if wanted and re.fullmatch(VERSION, wanted):
        # A file linux-7.3.4-SUM each; of a tree of one's own linux-7.4.0-tree-SUM.
        kernels = [
            file
            for file in built.parent.glob(f"linux-{wanted}*")
            if re.match(rf"linux-{re.escape(wanted)}(?![0-9])", file.name)
        ]
        return max(
            kernels,
            key=lambda file: (*_numbers(file.name), file.stat().st_mtime),
            default=built.with_name(f"linux-{wanted}"),
        )
    if wanted:
        return Path(wanted)
    package = None if built.is_file() else importlib.util.find_spec("acklab_kernel")
    return Path(package.origin).with_name("linux") if package and package.origin else built


def _numbers(name: str) -> tuple[list[int]]:
    """The version in a kernel's name, to compare."""
    return ([int(part) for part in name.split("-")[1].split(".")],)


def find(version: str | None = None) -> Path:
    """The kernel; `version` as of :func:`place`.

    Raises:
        LiveError: there is none.
    """
    path = place(version)
    if path.is_file() and os.access(path, os.X_OK):
        return path.resolve()
    named = path.name.removeprefix("linux-")
    if re.fullmatch(VERSION, named):
        raise _core.LiveError(
            f"there is no kernel {named} in {path.parent}; `LINUX={named} make kernel` in acklab's source builds one"
        )
    raise _core.LiveError(
        f"there is no kernel at {path}; `make kernel` in acklab's source builds one, or {VARIABLE} names one"
    )


def run(
    plan: _core.LivePlan,
    asked: Mapping[str, Any],
    *,
    captures: str | os.PathLike[str] | None = None,
    capture_bytes: int = 0,
    versions: Mapping[str, str] | None = None,
) -> _core.LiveResult:
    """Boots two kernels for a planned run, one for each side, under one virtual clock.

    Args:
        plan: the run.
        asked: ``kernel_acks``, ``control`` and ``sender``, with which the plan was made.
        captures: a directory for ``sender.pcap`` and ``receiver.pcap``.
        capture_bytes: bytes to keep of each captured packet; 0 for all.
        versions: for nodes the version of their kernel, such as 7.3.

    Raises:
        ScenarioError: packets are too long.
        LiveError: there is no kernel, it broke off, or the run cannot be.
        OSError: a capture cannot be written.
    """
    told = json.loads(plan.json())
    if told["mtu"] > MOST_MTU:
        raise _core.ScenarioError(
            f"sender.packet: it makes packets of {told['mtu']} bytes; a kernel's card in virtual time takes {MOST_MTU}"
        )
    binaries = [str(find(version)) for version in _of_sides(told["flows"], versions or {})]
    with tempfile.TemporaryDirectory(prefix="acklab-") as folder:
        kernels = []
        for side, binary in enumerate(binaries):
            place, job = Path(folder, str(side)), Path(folder, f"{side}.json")
            place.mkdir()
            what = {
                "core": _core.__file__,
                "text": plan.scenario_toml(),
                "asked": {**asked, "in_virtual_time": True},
                "side": side,
                "epoch_ns": EPOCH_NS,
            }
            job.write_text(json.dumps({**what, "directory": str(place)}), encoding="utf-8")
            words = command(binary, "host.py", str(job), "ipv6.disable=1")
            kernels.append((words, environment(told["seed"], side, len(binaries)), place / "result.json"))
        result, ended = plan.run_virtual(kernels, directory=folder, captures=captures, capture_bytes=capture_bytes)
    if result is None:
        consoles = [one["console"] for one in json.loads(ended)]
        raise _core.LiveError(why(next((text for text in consoles if "Kernel panic" in text), "\n".join(consoles)), 0))
    return result


def _of_sides(flows: list[dict[str, Any]], versions: Mapping[str, str]) -> list[str | None]:
    """The versions of the senders' kernel and of the receivers'.

    Raises:
        LiveError: nodes of one side have different ones.
    """
    sides: list[set[str]] = [set(), set()]
    for flow in flows:
        for side, end in ((flow["side"], "from"), (1 - flow["side"], "to")):
            if flow[end] in versions:
                sides[side].add(versions[flow[end]])
    for side in sides:
        if len(side) > 1:
            raise _core.LiveError(
                f"--linux: nodes of one side share a kernel, and these are several: {', '.join(sorted(side))}"
            )
    return [next(iter(side), None) for side in sides]


def command(binary: str, first: str, word: str, *more: str) -> list[str]:
    """The words that start a kernel as a node: the file beside this one that is its first process, and a word for it."""
    return [
        *(binary, f"mem={NODE_MEMORY}M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "quiet"),
        # Its card's packets are gone at once: nothing has to be told of it. Programs that a filter holds are faster than traced
        # ones; kernels before 6.16 do not know it.
        *("virtio_net.napi_tx=0", "seccomp=auto", *more, "con=null", "con0=null,fd:1"),
        *(f'init="{sys.executable}"', "--", "-I", "-S", "-B", f'"{Path(__file__).with_name(first)}"', word),
    ]


def environment(seed: int, number: int, kernels: int) -> list[tuple[str, str]]:
    """Each node's kernel has random numbers of its own."""
    own = (seed + number * 0x9E3779B97F4A7C15) % 2**64
    return [
        ("ACKLAB_SEED", str(own)),
        ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
        *memory_place(NODE_MEMORY * kernels).items(),
    ]


def memory_place(mebibytes: int) -> dict[str, str]:
    """Where the memory inside is a file, which has no name: not in a shared memory that is too small for it."""
    if any(os.environ.get(name) for name in ("TMPDIR", "TMP", "TEMP")):
        return {"TMPDIR": tempfile.gettempdir()}  # which passes over those that are not there
    try:
        small = shutil.disk_usage("/dev/shm").free < mebibytes << 20
    except OSError:
        return {}
    return {"TMPDIR": "/tmp"} if small else {}


def why(console: str, status: int) -> str:
    """Why a kernel ended without a result, in one line."""
    before, panic, after = console.partition("Kernel panic - not syncing: ")
    if panic:
        told = [after.splitlines()[0].strip()] if after else []
        told += ["it had too little memory"] if "Out of memory" in before else []
        # Without the level that begins a line.
        said = [text for line in before.splitlines() if (text := re.sub(r"^\s*(<\d>)?", "", line).strip())]
        return f"the kernel broke off: {'; '.join([*told, *said[-1:]])}"
    if status < 0:
        full = "; is the disk for temporary files full?" if -status == 7 else ""
        return f"the kernel was ended by signal {-status}{full}"
    lines = [line.strip() for line in console.splitlines() if line.strip()]
    return f"the kernel ended without a result (exit status {status})" + (f": {lines[-1]}" if lines else "")


class Result:
    """A live result, with what :class:`acklab.Run` asks of a simulated one."""

    packets = None

    def __init__(self, live: _core.LiveResult, scenario: str) -> None:
        self.live, self._scenario = live, scenario
        told = json.loads(live.json())
        self.title, self.seed, self.end_s = told["title"], told["seed"], told["end_s"]
        self.flows, self.links, self.series, self.queue = live.flows, live.links, live.series, live.queue

    def json(self, records: bool = True) -> str:
        """The summary on one line."""
        return self.live.json()

    def scenario_toml(self) -> str:
        """The scenario with every default."""
        return self._scenario


def result(text: str | bytes, file: str = "scenario", **given: Any) -> Result:
    """Plans and runs a scenario.

    Raises:
        ScenarioError: it is no scenario, or no kernel can do it.
        LiveError: the run could not be.
    """
    if json.loads(_core.Programs(text, file=file, sets=[*given.get("sets", ())]).json())["programs"]:
        raise _core.LiveError("the scenario names programs, which run with `acklab run --virtual --allow-programs`")
    plan = _core.LivePlan(text, file=file, **given, in_virtual_time=True)
    asked = {name: given.get(name) for name in ("control", "sender")} | {"kernel_acks": given.get("kernel_acks", False)}
    live = run(plan, asked)
    if not live.valid:
        raise _core.LiveError(json.loads(live.json())["why"][-1])
    return Result(live, plan.scenario_toml())


def unfollowed(text: str | bytes, file: str, sets: Iterable[str]) -> list[str]:
    """In what a kernel does not follow a scenario, a line each: what is known without a run.

    Raises:
        ScenarioError: it is no scenario, or no kernel can do it.
    """
    plan = json.loads(_core.LivePlan(text, file=file, sets=[*sets], in_virtual_time=True).json())
    return [
        *plan["notes"],
        *(
            f"not followed: {rule['key']} = {rule['scenario']} (the kernel: {rule['kernel']})"
            for rule in plan["ignored"]
        ),
    ]
