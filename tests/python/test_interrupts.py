"""Requests to stop: wherever a signal arrives, the command ends by it; a second one does not wait; short steps are finished."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

BEGIN = """
import sys, time
from acklab.results.interrupts import Stop, deferred
def act():
    {body}
with Stop() as stop:
    try:
        print("ready", flush=True)
        act()
    except BaseException:
        stop.received()
sys.exit(stop.status or 0)
"""
#: What swallows the exception, and goes on.
SWALLOWERS = {
    "a loop that catches everything": """
    for _ in range(3):
        try:
            time.sleep(60)
        except BaseException:
            pass
    time.sleep(60)""",
    "a finalizer": """
    class Slow:
        def __del__(self):
            time.sleep(60)
    Slow()
    time.sleep(60)""",
    "a callback of the garbage collector": """
    import gc
    def slow(*_):
        gc.callbacks.clear()
        time.sleep(60)
    gc.callbacks.append(slow)
    gc.collect()
    time.sleep(60)""",
    "another error in its place": """
    try:
        time.sleep(60)
    except BaseException:
        raise ImportError from None""",
}


def started(body: str) -> subprocess.Popen[str]:
    """A program that is ready for signals."""
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN.replace("{body}", body)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    return process


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("what", SWALLOWERS)
def test_a_request_that_is_swallowed_comes_again(sign: signal.Signals, what: str) -> None:
    process = started(SWALLOWERS[what])
    process.send_signal(sign)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (128 + sign, "", "")


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_does_not_wait(second: signal.Signals) -> None:
    process = started("""
    try:
        time.sleep(60)
    finally:
        with deferred():  # nor does it break into what is short
            print("cleaning", flush=True)
            time.sleep(1)
            print("done", flush=True)
        while True:
            pass""")
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None and process.stdout.readline() == "cleaning\n"
    process.send_signal(second)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (128 + second, "done\n", "")


def test_a_short_step_is_finished_first() -> None:
    process = started("""
    with deferred():
        time.sleep(1)
        print("done", flush=True)
    print("never")""")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (143, "done\n", "")


def test_an_interrupt_while_the_first_module_is_imported_shows_no_traceback() -> None:
    body = """
import os, signal, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name not in ("acklab", "acklab.results", "acklab.results.starting"):
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.argv = ["acklab"]
sys.meta_path.insert(0, Watch())
from acklab.cli import main
"""
    process = subprocess.run(
        [sys.executable, "-c", body], capture_output=True, text=True, timeout=60, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (130, "")


def test_work_that_does_not_end_is_left_behind() -> None:
    body = """
    from acklab.results.interrupts import in_thread, leave_behind
    asked = []
    try:
        in_thread(lambda: time.sleep(60), lambda: asked.append(1))
    except BaseException:
        print(asked, flush=True)
        leave_behind(stop.status)"""
    process = started(body)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    said, complained = process.communicate(timeout=30)
    assert (process.returncode, said, complained) == (143, "[1]\n", "")


def test_a_request_waits_while_polars_is_imported(tmp_path: Path) -> None:
    (tmp_path / "polars.py").write_text(
        "import time\nprint('ready', flush=True)\ntime.sleep(0.5)\nprint('imported', flush=True)\n"
    )
    body = f"""
    sys.path.insert(0, {str(tmp_path)!r})
    print("begun", flush=True)
    import polars
    time.sleep(60)"""
    process = started(body)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["begun\n", "ready\n"]
    process.send_signal(signal.SIGTERM)
    said, complained = process.communicate(timeout=60)
    assert (process.returncode, said, complained) == (143, "imported\n", "")
