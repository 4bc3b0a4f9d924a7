"""Scripts in one Linux whose clock is virtual; its first process is ``first.py``."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acklab import _core
from acklab.engines import kernel

#: Memory of the kernel, in MiB. Only what is used is taken from the host.
MEMORY = 1024
#: Begins the line of the console that has the result.
MARK = b"acklab-result "


def outcomes(scripts: list[tuple[str, str]], *, version: str | None = None) -> list[dict[str, Any]]:
    """The results of scripts in packetdrill's language, given by name and text, in one kernel of this version: :class:`runner.Outcome`\\ s.

    Raises:
        LiveError: there is no kernel, or it broke off.
    """
    result: list[dict[str, Any]] = _boot({"scripts": scripts}, kernel.find(version))["outcomes"]
    return result


def _boot(job: Mapping[str, Any], binary: Path) -> dict[str, Any]:
    """What ``first.py`` says of a job."""
    packed = base64.b64encode(zlib.compress(json.dumps(job).encode(), 9)).decode()
    if len(packed) > kernel.MOST_COMMAND - kernel.OTHER_WORDS:
        raise _core.LiveError("the scripts are too long for a kernel's command line")
    first = Path(__file__).with_name("first.py")
    words = [
        *(str(binary), f"mem={MEMORY}M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "quiet"),
        *("time-travel=inf-cpu", f"time-travel-start={kernel.EPOCH_NS}", "con=null", "con0=null,fd:1"),
        *(f'init="{sys.executable}"', "--", "-I", "-S", "-B", f'"{first}"', packed),
    ]
    variables = {"ACKLAB_SEED": "0", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **kernel.memory_place(MEMORY)}
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=variables, cwd="/"
        )
    except OSError as error:
        raise _core.LiveError(f"cannot start the kernel {words[0]}: {error.strerror}") from None
    try:
        console, _ = process.communicate()
    finally:
        process.kill()  # its processes end with it
        process.wait()
    for line in console.splitlines():
        if line.startswith(MARK):
            try:
                found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(line[len(MARK) :])))
            except (ValueError, zlib.error):
                break
            return found
    raise _core.LiveError(kernel.why(console.decode(errors="replace"), process.returncode))
