"""Programs in real time, between namespaces of this machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from live_runs import COMMAND, ROOT, missing, wait_until

PATH = "[[link]]\nbetween = ['S', 'R']\nrate = '20Mbps'\ndelay = '10ms'\nqueue = { kind = 'codel' }\n"
FOLDER = ROOT / "tests" / "python" / "programs"
SERVER = f"{sys.executable} -S {FOLDER / 'server.py'}"
CLIENT = f"{sys.executable} -S {FOLDER / 'client.py'}"


@pytest.fixture(autouse=True)
def possible() -> None:
    if why := missing():
        pytest.skip(f"no live runs here: {why}")


def live(text: str, *words: object, allowed: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a scenario's text live; how late packets are does not matter here."""
    command = [
        COMMAND,
        "run",
        "--live",
        "-",
        "--late",
        "10s",
        *(["--allow-programs"] if allowed else []),
        *map(str, words),
    ]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)


def at(node: str, run: str, more: str = "") -> str:
    return f"[[program]]\nat = '{node}'\nrun = {json.dumps(run)}\n{more}"


def one(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """What a run says of its programs."""
    assert done.stdout, done.stderr
    programs: list[dict[str, Any]] = json.loads(done.stdout)["programs"]
    return programs


def test_a_transfer_crosses_the_path(tmp_path: Path) -> None:
    done = live(
        PATH, "--server", SERVER, "--client", CLIENT + " {server}", "--json", "--out", tmp_path / "out", allowed=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    server, client = result["programs"]
    assert (server["output"], server["status"], client["status"], result["valid"]) == ("300000\n", 0, 0, True)
    # 300 kB at 20 Mb/s, and a round trip and a half before the last of them; the machine may be busy.
    assert 0.15 < server["ended_s"] - client["started_s"] < 5.0
    there, back = result["streams"]
    assert there["name"].startswith("tcp R:") and back["name"].startswith("tcp S:80>")
    assert there["payload_bytes"] == 300_000 and there["delay_min_s"] >= 0.01
    # The run ends with the last program: the ACK of the last FIN, or of the server's, may still be on the link.
    assert 0 <= there["packets"] - there["arrived"] - there["dropped"] <= 2
    assert (
        result["lateness"]["releases"] >= there["arrived"]
        and there["arrived"] <= result["links"][1]["packets"] <= there["packets"]
    )
    assert (tmp_path / "out/nodes/R/files/mine.txt").read_text() == "kept"
    analysed = subprocess.run(
        [COMMAND, "analyze", tmp_path / "out/R.pcap", "--json"], capture_output=True, text=True, check=True
    )
    assert len(json.loads(analysed.stdout)["connections"]) == 1


def test_version_6_fragments_and_code_points_are_carried() -> None:
    echo = f"{sys.executable} -S {FOLDER / 'echo6.py'}"
    done = live(PATH + at("S", echo, "ready = { port = 7 }\n") + at("R", f"{echo} S"), "--json")
    _, client = one(done)
    if "Address family not supported" in client["output"]:
        pytest.skip("this kernel has no IPv6")
    assert client["output"] == "1000 fd00::1\n4000 fd00::1\n", client["output"]
    streams = {row["name"].partition(":")[0]: row for row in json.loads(done.stdout)["streams"]}
    assert set(streams) == {"udp6 R", "udp6 S", "udp6 R>S dscp 46", "udp6 S>R"}, streams.keys()
    assert [streams[name]["arrived"] for name in ("udp6 R", "udp6 R>S dscp 46", "udp6 S>R")] == [1, 3, 3]
    assert streams["udp6 R"]["name"].endswith(">S:7 dscp 46") and streams["udp6 R"]["payload_bytes"] == 1000


def test_programs_cannot_change_the_machine_and_are_bounded() -> None:
    """Its files are read-only, its processes out of sight, its devices not there; a fork bomb meets a limit."""
    place = FOLDER / "written"
    words = f"touch {place}; touch /etc/written; ls /proc | grep -c '^[0-9]'; echo 1 >/proc/sys/kernel/sysrq; ls /dev/[sv]da /dev/mem"
    text = PATH + at("S", words) + at("R", "bomb() { bomb | bomb & }; bomb; sleep 1000")
    done = live("stop.at = '1500ms'\n" + text, "--json")
    told = done.stderr if done.returncode and not done.stdout else one(done)[0]["output"]
    assert not place.exists() and not Path("/etc/written").exists()
    if "were ended" in told:  # the bomb was met by the first process
        assert "node R" in told and "processes" in told
    else:
        assert told.count("Read-only file system") == 1 and told.count("No such file") == 3 and "nonexistent" in told, (
            told
        )
        assert int(told.splitlines()[2]) < 10, told


def test_what_programs_print_and_are_called_reaches_no_terminal_as_it_is() -> None:
    done = live(PATH + at("S", "printf '\\033[2J\\033]0;owned\\007 done'"))
    assert done.returncode == 0 and "\033" not in done.stdout + done.stderr and "owned" in done.stdout


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
    ids=["INT", "TERM", "KILL"],
)
def test_nothing_stays_behind(number: signal.Signals, status: int, tmp_path: Path) -> None:
    mark = f"{os.getpid()}{number}"
    command = [COMMAND, "run", "--live", "-", "--allow-programs"]
    text = (
        "stop.at = '1000s'\n"
        + PATH
        + at("S", f"trap '' TERM INT; (setsid sleep 77{mark} &); while true; do sleep 0.1; done")
    )
    run = subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert run.stdin
    run.stdin.write(text.encode())
    run.stdin.close()
    sleeping = ["pgrep", "-f", f"^sleep 77{mark}$"]
    wait_until(lambda: subprocess.run(sleeping, capture_output=True, check=False).returncode == 0)
    run.send_signal(number)
    assert run.wait(timeout=20) == status
    wait_until(lambda: subprocess.run(sleeping, capture_output=True, check=False).returncode == 1)
    assert not os.listdir(tmp_path)


def test_a_files_commands_are_refused_and_privilege_is_asked_for() -> None:
    refused = live(PATH + at("S", "touch /tmp/gone"), allowed=False)
    assert (refused.returncode, refused.stdout) == (2, "") and "--allow-programs" in refused.stderr
    if not shutil.which("setpriv"):
        return
    command = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        COMMAND,
        "run",
        "--live",
        "-",
        "--client",
        "true",
    ]
    done = subprocess.run(command, input=PATH, capture_output=True, text=True, check=False)
    if (
        done.returncode in (126, 127)
        or "PermissionError" in done.stderr
        or "Permission denied" in done.stderr
        or "setpriv" in done.stderr
    ):
        pytest.skip("nobody else can run this installation here")
    assert (
        done.returncode == 1
        and done.stderr.count("\n") == 1
        and "as root" in done.stderr
        and "--virtual" in done.stderr
    ), done.stderr
