"""``acklab doctor``: is everything here, and does the simulator compute what it should?"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
from pathlib import Path
from typing import Any

from ..text.terminal import say
from .options import add_verb

EXAMPLE = """\
example:
  acklab doctor            what is installed, and whether the simulator passes its self-check
  acklab doctor --json     the same for scripts

exit status: 0, or 1 when the self-check fails
"""

PACKAGES = ("polars", "numpy")
#: Packages that some verbs need.
EXTRAS = ("altair", "vl_convert", "optuna", "pyarrow", "ray")
#: Optional programs, and what each is for.
TOOLS = {
    "ns": "ns-2: the tests compare fresh random scenarios with it",
    "tshark": "the tests read acklab's captures with it",
    "chromium": "the tests look at the reports with it",
}

SELF_CHECK = """
stop = { when = "flows-complete" }
link = [{ between = ["S", "R"], rate = "8Mbps", delay = "10ms" }]
flow = [{ from = "S", to = "R", size = { segments = 3 },
          sender = { stack = "ns2-1998", packet = 1000 },
          receiver = { stack = "ns2-1998", ack = { policy = "every" }, ack_size = 40 } }]
"""
#: One segment, then two, over 10 ms each way at 1 ms a segment and 0.04 ms an ACK: 21.04 ms + 22.04 ms.
SELF_CHECK_S = 0.04308


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "List what is installed, and check one simulated transfer against numbers computed by hand."
    doctor = add_verb(verbs, "doctor", act, about, EXAMPLE)
    doctor.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def act(options: argparse.Namespace) -> int:
    """Examines, prints, and returns 1 when the self-check failed."""
    found = examine()
    say(json.dumps(found) if options.json else as_text(found))
    return 0 if found["self_check"]["passed"] else 1


def examine() -> dict[str, Any]:
    """What is here: versions, optional programs, processors, and the self-check."""
    from .. import _core
    from .._core import __version__
    from ..runs import cpu_count

    return {
        "acklab": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": cpu_count(),
        "packages": {name: _version(name) for name in (*PACKAGES, *EXTRAS)},
        "tools": {name: shutil.which(name) for name in TOOLS},
        "live": json.loads(_core.live_probe()),
        "kernel": _kernel(),
        "newer_source": newer_source(Path(_core.__file__)),
        "self_check": self_check(),
    }


def newer_source(extension: Path) -> str | None:
    """In a clone, a Rust file that is newer than the extension: what runs is then not what is written."""
    crates = extension.resolve().parents[2] / "crates"
    built = extension.stat().st_mtime
    return next(
        (
            str(file.relative_to(crates.parent))
            for file in sorted(crates.glob("*/src/**/*.rs"))
            if file.stat().st_mtime > built
        ),
        None,
    )


def _kernel() -> dict[str, str]:
    """The kernel of `acklab run --virtual`, or why there is none."""
    from .._core import LiveError
    from ..engines.kernel import find

    try:
        return {"path": str(find())}
    except LiveError as error:
        return {"missing": str(error)}


def self_check() -> dict[str, Any]:
    """Runs three segments over one link and compares the time with arithmetic."""
    from ..runs import run

    try:
        completion = run(SELF_CHECK).summary()["flows"][0]["completion_s"]
    except Exception as error:  # a broken installation may fail in any way, and this is who says so
        return {"passed": False, "why": f"{type(error).__name__}: {error}"}
    passed = completion is not None and abs(completion - SELF_CHECK_S) < 1e-9
    return {"passed": passed, "completion_s": completion, "expected_s": SELF_CHECK_S}


def as_text(found: dict[str, Any]) -> str:
    """The findings for a terminal."""
    lines = [f"acklab {found['acklab']} on Python {found['python']}, {found['system']}"]
    lines.append(f"  {found['processors']} processors")
    for name, version in found["packages"].items():
        absent = f"not installed (pip install {name})" if name in EXTRAS else "MISSING"
        lines.append(f"  {name} {version or absent}")
    for name, path in found["tools"].items():
        lines.append(f"  {name}: {path or 'not found'} ({TOOLS[name]})")
    lines += live_as_text(found["live"])
    lines.append("  runs in virtual time (acklab run --virtual): " + next(iter(found["kernel"].values())))
    if found["newer_source"]:
        lines.append(f"the extension is OLDER than {found['newer_source']}: make setup")
    check = found["self_check"]
    if check["passed"]:
        lines.append(f"self-check passed: 3 segments took {check['completion_s']} s, as worked out by hand")
    elif "why" in check:
        lines.append(f"self-check FAILED: {check['why']}")
    else:
        lines.append(f"self-check FAILED: 3 segments took {check['completion_s']} s, not {check['expected_s']} s")
    return "\n".join(lines)


def live_as_text(live: dict[str, Any]) -> list[str]:
    """What of live runs works here, found out by trying."""
    if not live["works"]:
        return [f"  live runs (acklab run --live): {why}" for why in live["missing"]]
    controls = ", ".join(live["controls"]) or "none that it tells"
    lines = [f"  live runs (acklab run --live): they work; Linux {live['kernel']}, congestion control {controls}"]
    takes = f"not here, the kernel's own send: {live['sender']}" if live["sender"] else "they work"
    lines.append(f"  live runs with the scenario's senders (eBPF congestion control): {takes}")
    if live["realtime"]:
        lines.append(f"  live runs with --realtime: {live['realtime']}")
    return lines


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
