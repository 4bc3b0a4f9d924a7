"""Scenarios between the two ends of a Linux whose clock is virtual: user-mode Linux with time travel, one boot a run.

The kernel is a program beside acklab (``make kernel`` builds it). A run boots it with the host's file system, read-only, as its
root. Its first process (``inside.py``) does what ``acklab run --live`` does, and writes the result to the console. The run's random
numbers follow from the scenario's seed, so the same scenario gives the same bytes.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .. import _core

#: The environment variable that names another kernel.
VARIABLE = "ACKLAB_KERNEL"
#: A kernel's version, or the beginning of one.
VERSION = r"[0-9]+\.[0-9]+(\.[0-9]+)?"
#: Memory of the machine inside, in MiB. Only what is used is taken from the host.
MEMORY = 1024
#: Begins the line of the console that has the result.
MARK = b"acklab-result "
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
        kernels = [file for file in built.parent.glob(f"linux-{wanted}*") if re.match(rf"linux-{re.escape(wanted)}(?![0-9])", file.name)]
        return max(kernels, key=lambda file: (*_numbers(file.name), file.stat().st_mtime), default=built.with_name(f"linux-{wanted}"))
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
        raise _core.LiveError(f"there is no kernel {named} in {path.parent}; `LINUX={named} make kernel` in acklab's source builds one")
    raise _core.LiveError(f"there is no kernel at {path}; `make kernel` in acklab's source builds one, or {VARIABLE} names one")


def run(
    plan: _core.LivePlan,
    asked: Mapping[str, Any],
    *,
    late: str = "1ms",
    captures: str | os.PathLike[str] | None = None,
    capture_bytes: int = 0,
) -> _core.LiveResult:
    """Boots a kernel for a planned run.

    Args:
        plan: the run.
        asked: ``kernel_acks``, ``control`` and ``sender``, with which the plan was made.
        late: the run is invalid if one packet in a hundred leaves later, in virtual time.
        captures: a directory for ``sender.pcap`` and ``receiver.pcap``.
        capture_bytes: bytes to keep of each captured packet; 0 for all.

    Raises:
        LiveError: there is no kernel, it broke off, or the run cannot be.
        OSError: a capture cannot be written.
    """
    job = {
        "core": _core.__file__,
        "text": plan.scenario_toml(),
        "asked": dict(asked),
        "late": late,
        "capture_bytes": None if captures is None else capture_bytes,
    }
    told = _boot(job, json.loads(plan.json())["seed"])
    if "error" in told:
        raise _core.LiveError(told["error"])
    for name, content in told["captures"].items():
        (Path(captures or "") / name).write_bytes(base64.b64decode(content))
    return _core.LiveResult.unpacked(told["result"])


def drill(scripts: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """The results of scripts in packetdrill's language, given by name and text, in one kernel: :class:`drill.runner.Outcome`\\ s.

    Raises:
        LiveError: there is no kernel, or it broke off.
    """
    outcomes: list[dict[str, Any]] = _boot({"scripts": scripts}, 0)["outcomes"]
    return outcomes


def _boot(job: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """What ``inside.py`` says of a job."""
    packed = base64.b64encode(zlib.compress(json.dumps(job).encode(), 9)).decode()
    if len(packed) > MOST_COMMAND - OTHER_WORDS:
        raise _core.LiveError("the scenario is too long for a kernel's command line; shorten its lists")
    inside = Path(__file__).with_name("inside.py")
    command = [
        *(str(find()), f"mem={MEMORY}M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "quiet"),
        *("time-travel=inf-cpu", f"time-travel-start={EPOCH_NS}", "ipv6.disable=1", "con=null", "con0=null,fd:1"),
        *(f'init="{sys.executable}"', "--", "-I", "-S", "-B", f'"{inside}"', packed),
    ]
    environment = {"ACKLAB_SEED": str(seed), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **memory_place(MEMORY)}
    try:
        kernel = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd="/"
        )
    except OSError as error:
        raise _core.LiveError(f"cannot start the kernel {command[0]}: {error.strerror}") from None
    try:
        console, _ = kernel.communicate()
    finally:
        kernel.kill()  # its processes end with it
        kernel.wait()
    for line in console.splitlines():
        if line.startswith(MARK):
            try:
                found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(line[len(MARK) :])))
            except (ValueError, zlib.error):
                break
            return found
    raise _core.LiveError(why(console.decode(errors="replace"), kernel.returncode))


def memory_place(mebibytes: int) -> dict[str, str]:
    """Where the memory inside is a file, which has no name: not in a shared memory that is too small for it."""
    for name in ("TMPDIR", "TMP", "TEMP"):
        if os.environ.get(name):
            return {"TMPDIR": os.environ[name]}
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
    plan = _core.LivePlan(text, file=file, **given)
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
    plan = json.loads(_core.LivePlan(text, file=file, sets=[*sets]).json())
    return [*plan["notes"], *(f"not followed: {rule['key']} = {rule['scenario']} (the kernel: {rule['kernel']})" for rule in plan["ignored"])]
