"""Commands that are killed at random moments: the directory is never mixed, and in the end has the undisturbed bytes."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from front import COMMAND, LONG, TWO_HOPS, contents

#: Kills of each verb; the sum over verbs is what the long form is measured by.
KILLS = 180 if LONG else 4
LOSSY = TWO_HOPS.replace("queue = { kind", "loss = { rate = 0.02 }\nqueue = { kind")
#: What a run says that was under way when the signal came.
STOPPED = b"acklab: stopped; a run that did not end leaves nothing\n"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
#: Two commands a verb, whose results replace each other.
COMMANDS = {
    "run": (["run", "lossy.toml"], ["run", "lossy.toml", "--seed", "2", "--set", "record.packets=true"]),
    "sweep": (
        ["sweep", "lossy.toml", "--vary", "flow.0.sender.window=4,8,16", "--seeds", "400", "--threads", "2"],
        ["sweep", "lossy.toml", "--vary", "flow.0.sender.window=4,8,16", "--seeds", "400", "--metric", "rtt", "--metric", "timeouts"],
    ),
    "compare": (
        ["compare", "lossy.toml", "--case", "a", "--case", "flow.0.sender.window=4", "--seeds", "800", "--threads", "2"],
        ["compare", "lossy.toml", "--case", "a", "--case", "flow.0.sender.window=8", "--seeds", "700"],
    ),
}  # fmt: skip


def start(command: list[str], out: Path) -> subprocess.Popen[bytes]:
    """Starts a command that writes to ``out``."""
    return subprocess.Popen(
        [COMMAND, *command, "--out", out], cwd=out.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which a background job ignores
    )  # fmt: skip


def catches(process: subprocess.Popen[bytes]) -> bool:
    """Whether the process has a handler of SIGTERM: Python itself has none."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return True
    caught = next((line.split()[1] for line in lines if line.startswith("SigCgt")), "ffffffff")
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def shown(out: Path) -> dict[str, bytes]:
    """The results that a reader sees, without work under way."""
    return (
        {name: data for name, data in contents(out).items() if not name.startswith(".acklab/")} if out.exists() else {}
    )


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_killed_command_leaves_one_set_and_goes_on_to_the_same_bytes(tmp_path: Path, verb: str) -> None:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    sets, took = [], 0.0
    for number, command in enumerate(COMMANDS[verb]):
        before = time.monotonic()
        assert start(command, tmp_path / f"whole-{number}").wait() == 0
        took = time.monotonic() - before
        sets.append(shown(tmp_path / f"whole-{number}"))
    out, draw = tmp_path / "out", random.Random(verb)
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    turn = kills = 0
    while kills < KILLS:
        command, wanted = COMMANDS[verb][turn % 2], sets[turn % 2]
        sign = draw.choice(SIGNALS)
        left = {"runs.jsonl", "work.json", *(path.name for path in out.glob(".acklab/*"))}
        process = start(command, out)
        while not catches(process):
            time.sleep(0.001)
        moment = time.monotonic() + draw.uniform(0, 1.1 * took)
        near_end = draw.random() < 0.3  # the moment at which results arrive
        while process.poll() is None and time.monotonic() < moment + near_end * 60:
            if near_end and (out / ".acklab" / "new").exists() and draw.random() < 0.02:
                break
            time.sleep(0.001)
        process.send_signal(sign)
        said = (process.communicate(timeout=60)[1] or b"").decode()
        found = shown(out)
        assert found.pop("notes.txt") == b"mine"
        assert any(found.items() <= one.items() for one in sets), sorted(found)
        assert "acklab.json" not in found or any(found == one for one in sets), sorted(found)
        assert "Traceback" not in said and "Exception ignored" not in said, said
        assert process.returncode in (0, -sign, 128 + sign), (process.returncode, said)
        if process.returncode == 0:
            assert found == wanted
        elif sign != signal.SIGKILL:
            assert {path.name for path in out.glob(".acklab/*")} <= left
        kills += process.returncode != 0
        if process.returncode == 0 or draw.random() < 0.3:  # goes on, mostly to be killed again
            assert start(command, out).wait() == 0
            found = shown(out)
            assert found.pop("notes.txt") == b"mine" and found == wanted
            assert not (out / ".acklab").exists()
            turn += 1


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_command_starts_ends_it_quietly(tmp_path: Path, sign: signal.Signals) -> None:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    draw = random.Random(sign)
    for _ in range(60 if LONG else 6):
        process = start(COMMANDS["run"][0], tmp_path / "out")
        while not catches(process):
            time.sleep(0.0005)
        time.sleep(draw.uniform(0, 0.15))
        process.send_signal(sign)
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 128 + sign and said in (b"", STOPPED) and not (tmp_path / "out").exists()
