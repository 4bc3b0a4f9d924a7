"""The scenario's sender in a real kernel: what an ACK is worth there, and Veno."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from live_runs import COMMAND, beside, emulate, found, senders_missing, wait_until

import acklab

#: Four round trips of slow start on a path that loses nothing.
SLOW_START = """\
stop = { at = "0.6s" }
link = [{ between = ["S", "R"], rate = "50Mbps", delay = "50ms", queue = { kind = "drop-tail", packets = 1000 },
          back = { rate = "1Gbps", queue = { kind = "drop-tail", packets = 10000 } } }]
flow = [{ from = "S", to = "R", size = "unlimited", receiver = { ack_size = 52 } }]
"""
#: Since the first data: three windows are acknowledged, and the ACKs of the fourth are still to come.
THREE_WINDOWS = 0.39

#: One segment in two hundred is lost.
RANDOM_LOSS = """\
stop = { at = "5s" }
link = [{ between = ["S", "R"], rate = "10Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 40 },
          loss = { rate = 0.005, only = "payload" }, back = { queue = { kind = "drop-tail", packets = 1000 } } }]
flow = [{ from = "S", to = "R", size = "unlimited", receiver = { ack_size = 52, ack = { policy = "every" } },
          sender = { stack = "linux", control = { kind = "veno" }, credit = { kind = "rfc5681" } } }]
"""


def scenarios(scenario: str, *arguments: str) -> dict[str, Any]:
    """A run with the scenario's sender, with real-time priority where it may be had."""
    return emulate(scenario, "--sender", "scenario", *([] if found()["realtime"] else ["--realtime"]), *arguments)


@pytest.fixture(autouse=True)
def _needs_a_kernel_that_takes_them() -> None:
    if why := senders_missing():
        pytest.skip(f"no senders of ours here: {why}")


@pytest.mark.parametrize(
    ("credit", "policy", "window"),
    [
        ('{ kind = "ack-counting" }', '{ policy = "every" }', 80),
        ('{ kind = "ack-counting" }', '{ policy = "delayed", timer = "100ms" }', 33),
        ('{ kind = "ack-counting" }', '{ policy = "divide", pieces = 2 }', 270),
        ('{ kind = "abc" }', '{ policy = "delayed", timer = "100ms" }', 80),
        ('{ kind = "abc" }', '{ policy = "divide", pieces = 2 }', 80),
    ],
    ids=["counting-every", "counting-delayed", "counting-divided", "bytes-delayed", "bytes-divided"],
)
def test_what_an_ack_is_worth(credit: str, policy: str, window: int, tmp_path: Path) -> None:
    """Initial window 10: counting ACKs it doubles, is half again as large, or trebles in a round trip; counting bytes it doubles."""
    changes = {"flow.0.sender.credit": credit, "flow.0.receiver.ack": policy}
    sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    out = tmp_path / "out"
    result = scenarios(SLOW_START, *sets, "--out", str(out))
    real = result["flows"][0]
    assert real["control"] == f"reno+{credit.split(chr(34))[1]}"
    assert real["segments_sent"] > 2 * window and real["retransmits"] == 0
    until = real["first_data_s"] + THREE_WINDOWS
    live = pl.read_parquet(out / "series.parquet").filter(pl.col("time_s") < until)["cwnd_segments"][-1]
    whole = (out / "scenario.toml").read_text(encoding="utf-8")
    ended = acklab.run(whole, stop={"at": f"{0.1 + THREE_WINDOWS}s"})
    simulated = pl.DataFrame(ended.flows)["cwnd_segments"][0]
    print(f"{credit} {policy}: cwnd {live} live, {simulated:.1f} simulated")
    assert simulated == pytest.approx(window, rel=0.02)
    assert live == pytest.approx(window, rel=0.05)


def test_veno_on_a_kernel_without_it() -> None:
    veno = scenarios(RANDOM_LOSS)
    beside("Veno", veno)
    real, virtual = veno["flows"][0], veno["simulated"]["flows"][0]
    assert real["control"] == "veno+rfc5681"
    # Which losses a delay makes congestion differs by a millisecond here and there.
    assert real["goodput_bps"] == pytest.approx(virtual["goodput_bps"], rel=0.15)
    reno = json.loads(simulate(RANDOM_LOSS, 'flow.0.sender.control={ kind = "reno" }'))["flows"][0]
    assert real["goodput_bps"] > 1.15 * reno["goodput_bps"], "a random loss takes a fifth, not half"


def simulate(scenario: str, change: str) -> str:
    command = [COMMAND, "run", "-", "--json", "--set", change]
    return subprocess.run(command, input=scenario, capture_output=True, text=True, timeout=60, check=True).stdout


def registered() -> set[str]:
    text = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="utf-8")
    return {name for name in text.split() if name.startswith("ack_")}


def test_the_kernel_forgets_it_with_the_process() -> None:
    command = [COMMAND, "run", "--live", "-", "--for", "60s", "--sender", "scenario"]
    run = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert run.stdin
    run.stdin.write(RANDOM_LOSS.encode())
    run.stdin.close()
    own = f"ack_{run.pid}_"
    wait_until(lambda: any(name.startswith(own) for name in registered()))
    run.send_signal(signal.SIGKILL)
    run.wait(timeout=20)
    wait_until(lambda: not any(name.startswith(own) for name in registered()))


def test_a_kernel_that_does_not_take_it_sends_itself_and_says_why() -> None:
    """A kernel without BTF, as far as the command can see."""
    hide = 'mount -t tmpfs none /sys/kernel/btf && exec "$@"'
    command = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        hide,
        "sh",
        str(COMMAND),
        "run",
        "--live",
        "-",
        "--for",
        "200ms",
        "--late",
        "1s",
    ]
    runs = [
        subprocess.run([*command, *more], input=SLOW_START, capture_output=True, text=True, timeout=60, check=False)
        for more in (["--json"], ["--sender", "scenario"])
    ]
    if any("unshare" in run.stderr or "mount" in run.stderr for run in runs):
        pytest.skip(f"nothing can be hidden here: {runs[0].stderr}")
    told, refused = runs
    result = json.loads(told.stdout)
    assert result["flows"][0]["control"] == "reno"
    why = "cannot load an eBPF congestion control: /sys/kernel/btf/vmlinux: No such file or directory (os error 2); it needs Linux"
    assert any(f"the kernel's own sender sends, not the scenario's: {why}" in note for note in result["notes"])
    assert refused.returncode == 1 and refused.stderr.startswith(f"acklab: {why}") and refused.stderr.count("\n") == 1


def test_the_kernels_own_sender_can_be_wanted() -> None:
    result = emulate(SLOW_START, "--sender", "kernel", "--for", "200ms")
    assert result["flows"][0]["control"] == "reno"
    assert any("whatever `credit` says" in note for note in result["notes"])
