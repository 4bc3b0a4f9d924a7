"""Runs in virtual time between the ends of a kernel booted for them; those that boot one are skipped where none is built."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

import acklab
from acklab import _core
from acklab.engines import kernel
from front import COMMAND, Acklab, contents

booted = pytest.mark.skipif(not kernel.place().is_file(), reason="no kernel: make kernel")

TRANSFER = """\
stop = { when = "flows-complete" }
link = [{ between = ["S", "R"], rate = "5Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 20 }, loss = { rate = 0.01 } }]
flow = [{ name = "f", from = "S", to = "R", size = { segments = 300 },
          sender = { stack = "linux", control = "reno" }, receiver = { stack = "linux" } }]
"""
LONG = TRANSFER.replace("segments = 300", "segments = 3000000")


@pytest.fixture
def transfer(tmp_path: Path) -> Path:
    path = tmp_path / "transfer.toml"
    path.write_text(TRANSFER)
    return path


@booted
def test_the_same_scenario_gives_the_same_bytes(acklab_command: Acklab, transfer: Path, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in "ab"]
    told = [acklab_command("run", str(transfer), "--virtual", "--json", "--out", str(out)) for out in outs]
    assert told[0].returncode == 0, told[0].stderr
    assert told[0].stdout == told[1].stdout
    first, second = ({name: data for name, data in contents(out).items() if name != "acklab.json"} for out in outs)
    assert set(first) == {"flows.parquet", "links.parquet", "series.parquet", "queue.parquet", "summary.json", "scenario.toml",
                          "sender.pcap", "receiver.pcap", "report.html"}  # fmt: skip
    assert first == second
    flow = json.loads(told[0].stdout)["flows"][0]
    assert flow["completed"] and flow["retransmits"] > 0 and flow["control"] == "reno"


@booted
def test_another_seed_gives_other_bytes() -> None:
    counts = {acklab.run(TRANSFER, engine="kernel", seed=seed).json() for seed in (1, 2)}
    assert len(counts) == 2


@booted
@pytest.mark.parametrize("control", ["dctcp", "htcp", "illinois", "yeah", "cdg"])
def test_a_control_of_the_kernel_works_by_its_name(acklab_command: Acklab, transfer: Path, control: str) -> None:
    done = acklab_command("run", str(transfer), "--virtual", "--control", control, "--json", "--beside")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["flows"][0]["control"] == control and told["flows"][0]["completed"]
    assert told["simulated"]["flows"][0]["completed"]


@booted
def test_an_unknown_control_is_named(acklab_command: Acklab, transfer: Path) -> None:
    done = acklab_command("run", str(transfer), "--virtual", "--control", "nobody")
    assert done.returncode == 1 and "choose the congestion control `nobody`" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@booted
def test_compare_and_sweep_boot_a_kernel_a_run(acklab_command: Acklab, transfer: Path, tmp_path: Path) -> None:
    cases = ["--case", "reno", "--case", "cubic: flow.0.sender.control=cubic", "--metric", "completion", "--seeds", "2"]
    done = acklab_command("compare", str(transfer), "--virtual", *cases, "--out", str(tmp_path / "compared"))
    assert done.returncode == 0, done.stderr
    done = acklab_command(
        "sweep",
        str(transfer),
        "--virtual",
        "--vary",
        "link.0.delay=10ms,20ms",
        "--out",
        str(tmp_path / "swept"),
        "--json",
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "swept" / "flows.parquet").exists()


def children_of(pid: int) -> list[int]:
    """Processes below one, itself left out."""
    pairs = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in (line.split() for line in pairs.splitlines())}
    found, wanted = [], {pid}
    while wanted:
        wanted = {child for child, parent in parents.items() if parent in wanted} - set(found)
        found += wanted
    return found


@booted
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_an_interrupt_leaves_no_process_and_no_file(tmp_path: Path, number: signal.Signals, status: int) -> None:
    (tmp_path / "long.toml").write_text(LONG)
    words = [COMMAND, "run", "long.toml", "--virtual", "--for", "1000s"]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = os.environ | {
        "TMPDIR": str(temporary),
        "HOME": str(temporary),
        "XDG_CACHE_HOME": str(kernel.place().parents[2]),
    }
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for _ in range(600):
        below = children_of(process.pid)
        if len(below) > 1:
            break
        time.sleep(0.05)
    else:
        pytest.fail("no kernel was booted")
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == status
    for _ in range(200):
        left = [pid for pid in below if Path(f"/proc/{pid}/exe").exists()]
        if not left:
            break
        time.sleep(0.05)
    assert not left
    assert [path.name for path in tmp_path.iterdir()] in (["long.toml", "temporary"], ["temporary", "long.toml"])
    if number != signal.SIGKILL:  # which lets nobody take away the sockets' directory
        assert not list(temporary.iterdir())


def pretend(tmp_path: Path, script: str) -> dict[str, str]:
    """An environment whose kernel is a shell script."""
    path = tmp_path / "kernel"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return os.environ | {kernel.VARIABLE: str(path)}


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "echo 'Kernel panic - not syncing: Attempted to kill init!'; exit 1",
            "the kernel of the senders: it ended at once (exit status: 1): Kernel panic - not syncing: Attempted to kill init!",
        ),
        ("exit 0", "the kernel of the senders: it ended at once"),
        (
            "kill -7 $$",
            "the kernel of the senders: it ended at once (signal: 7 (SIGBUS)); is the disk for temporary files full?",
        ),
    ],
)
def test_a_kernel_that_breaks_off_is_told_in_a_line(tmp_path: Path, transfer: Path, script: str, said: str) -> None:
    words = [COMMAND, "run", str(transfer), "--virtual", "--out", str(tmp_path / "out")]
    done = subprocess.run(words, env=pretend(tmp_path, script), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"acklab: {said}\n")
    assert not (tmp_path / "out").exists()


def test_without_a_kernel_it_is_said_what_builds_one(tmp_path: Path, transfer: Path) -> None:
    environment = os.environ | {kernel.VARIABLE: str(tmp_path / "none")}
    for words in (
        ["run", str(transfer), "--virtual"],
        ["sweep", str(transfer), "--virtual", "--vary", "link.0.delay=1ms,2ms"],
    ):
        done = subprocess.run([COMMAND, *words], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "`make kernel`" in done.stderr and len(done.stderr.splitlines()) == 1


def test_what_no_kernel_can_do_is_bad_input(acklab_command: Acklab, transfer: Path) -> None:
    done = acklab_command("run", str(transfer), "--virtual", "--set", 'flow.0.receiver.ack={policy="spoof"}')
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert acklab_command("run", str(transfer), "--control", "htcp").returncode == 2


@booted
def test_a_long_scenario_is_handed_over_whole() -> None:
    losses = ",".join(str(7 * n * n % 999_983) for n in range(20_000))
    run = acklab.run(TRANSFER.replace("rate = 0.01", f"list = [{losses}]"), engine="kernel")
    assert run.summary()["flows"][0]["completed"]


@booted
def test_a_packet_arrives_at_the_nanosecond_that_the_path_says(tmp_path: Path) -> None:
    """A SYN of 60 bytes at 5 Mb/s takes 96 us, and 20 ms."""
    plan = _core.LivePlan(TRANSFER)
    kernel.run(plan, {}, captures=tmp_path)
    first = []
    for name in ("sender.pcap", "receiver.pcap"):
        data = (tmp_path / name).read_bytes()
        seconds, nanoseconds, _, length = struct.unpack_from("<4I", data, 24)
        assert length == 60
        first.append(seconds * 10**9 + nanoseconds - kernel.EPOCH_NS)
    assert first[0] < 1000 and first[1] - first[0] == pytest.approx(20_096_000, abs=1)


@booted
def test_each_side_may_have_a_kernel_of_its_own(acklab_command: Acklab, transfer: Path) -> None:
    if not kernel.place("7.3").is_file():
        pytest.skip("no kernel: LINUX=7.3 make kernel")
    done = acklab_command("run", str(transfer), "--virtual", "--linux", "Q=7.3")
    assert done.returncode == 2 and "flows do at R, S" in done.stderr
    done = acklab_command("run", str(transfer), "--virtual", "--linux", "R=7.3", "--json")
    assert done.returncode == 0, done.stderr
    there, back = json.loads(done.stdout)["kernel"].split(" to ")
    assert there.startswith("6.12") and back.startswith("7.3")


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="engine is simulator or kernel"):
        acklab.run(TRANSFER, engine="ns2")


BULK = """\
stop = { when = "flows-complete" }
link = [{ between = ["S", "R"], rate = "20Mbps", delay = "5ms", queue = { kind = "drop-tail", packets = 1000 } }]
flow = [{ name = "f", from = "S", to = "R", size = { bytes = "2MB" }, sender = { stack = "linux" }, receiver = { stack = "linux" } }]
"""
FIXED = {"policy": "linux", "window": 4345, "buffer": 10922, "autotune": False}


@booted
def test_the_kernel_has_the_scenarios_receive_buffer() -> None:
    """With one buffer for all it sent as many ACKs in both; the simulator sends 1,384 with the fixed one, and 736 with Linux's default."""
    counts = {}
    for name, changes in (("default", {}), ("fixed", {"flow.f.receiver.ack": FIXED})):
        pair = [
            acklab.run(BULK, engine=engine, **changes).summary()["flows"][0]["acks_sent"]
            for engine in ("simulator", "kernel")
        ]
        assert pair[1] == pytest.approx(pair[0], rel=0.12), name
        counts[name] = pair[1]
    assert counts["fixed"] > 1.2 * counts["default"]


@booted
def test_what_the_kernel_does_not_follow_is_said(acklab_command: Acklab, tmp_path: Path) -> None:
    (tmp_path / "bulk.toml").write_text(BULK)
    words = ["--virtual", "--set", "flow.f.receiver.ack.quick=2", "--set", "flow.f.sender.initial_rto=3s"]
    done = acklab_command("run", str(tmp_path / "bulk.toml"), *words)
    table = done.stdout.partition("not followed by the kernel")[2]
    for line in (
        "receiver.ack.quick 2 16",
        "receiver.ack.tick 0.004s 0.001s",
        "sender.initial_rto 3s 1s",
        "sender.recovery.tick 0.004s 0.001s",
    ):
        assert f"flow.f.{line}" in " ".join(table.split()), done.stdout
    told = json.loads(acklab_command("run", str(tmp_path / "bulk.toml"), *words, "--json").stdout)
    assert {"key": "flow.f.receiver.ack.quick", "scenario": "2", "kernel": "16"} in told["ignored"]


@booted
def test_a_policy_beside_the_kernels_own_acks_has_an_ack_for_every_segment() -> None:
    second = """, { name = "g", from = "S", to = "R", size = { segments = 50 }, sender = { stack = "linux" }, receiver = { ack = { policy = "every" } } }]"""
    run = acklab.run(BULK.rstrip().removesuffix("]") + second, engine="kernel")
    acks = {flow["name"]: flow["acks_sent"] for flow in run.summary()["flows"]}
    # The SYN's and perhaps the FIN's.
    assert 50 <= acks["g"] <= 53 and acks["f"] < 1300


@booted
def test_many_runs_say_once_what_their_kernels_do_not_follow(acklab_command: Acklab, transfer: Path) -> None:
    words = ["--virtual", "--set", "flow.f.receiver.ack.quick=2"]
    many = (
        ["sweep", *words, "--vary", "link.0.delay=1ms,2ms"],
        ["compare", *words, "--case", "a", "--case", "b: link.0.delay=9ms", "--seeds", "2"],
    )
    for verb, *options in many:
        done = acklab_command(verb, str(transfer), *options)
        assert (
            done.returncode == 0
            and done.stderr.count("--virtual: not followed: flow.f.receiver.ack.quick = 2 (the kernel: 16)") == 1
        )


@booted
def test_a_preset_runs_in_virtual_time(acklab_command: Acklab) -> None:
    """As docs/oracle/kernel.md does it, with a shorter download: flows with the kernel's own ACKs, and small requests with a policy."""
    sets = ["downloads=1", "flow.ping.source.times=1", 'flow.down.size={bytes="1MB"}', "stop.at=2s"]
    words = [word for change in sets for word in ("--set", change)]
    done = acklab_command("run", "--path", "docsis30", "--virtual", "--beside", "--json", *words)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["flows"][0]["completion_s"] == pytest.approx(told["simulated"]["flows"][0]["completion_s"], rel=0.01)


@booted
def test_packets_that_a_path_held_wait_in_the_card_for_buffers(acklab_command: Acklab, tmp_path: Path) -> None:
    """A ring has 256 buffers; this pause holds more packets, and hands them over at one instant."""
    changes = {
        '5Mbps", delay = "20ms"': '50Mbps", delay = "50ms"',
        "packets = 20 ": "packets = 2000 ",
        "loss = { rate = 0.01 }": 'stages = [{ kind = "pause", at = ["750ms"], length = "250ms" }]',
        "segments = 300": "segments = 3000",
    }
    text = TRANSFER
    for old, new in changes.items():
        text = text.replace(old, new)
    (tmp_path / "held.toml").write_text(text)
    out = tmp_path / "out"
    done = acklab_command("run", str(tmp_path / "held.toml"), "--virtual", "--json", "--out", str(out))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["valid"] and result["flows"][0]["completed"] and result["flows"][0]["retransmits"] == 0
    data = (out / "receiver.pcap").read_bytes()
    at, times = 24, []
    while at < len(data):
        seconds, nanoseconds, length = struct.unpack_from("<3I", data, at)
        times.append(seconds * 10**9 + nanoseconds - kernel.EPOCH_NS)
        at += 16 + length
    assert times.count(10**9) > 256


@booted
def test_a_place_for_temporary_files_that_is_not_there_is_passed_over(
    acklab_command: Acklab, transfer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/nonexistent")
    done = acklab_command("run", str(transfer), "--virtual", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["flows"][0]["completed"], done.stderr
