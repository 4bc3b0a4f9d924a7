"""Live runs: a kernel's TCP over the simulator's links. Ratios only, never exact numbers."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from live_runs import COMMAND, ROOT, beside, emulate, missing, wait_until

EXAMPLE = (ROOT / "examples" / "live.toml").read_text(encoding="utf-8")

#: No losses, so that every ratio is the policy's.
CLEAN = """\
stop = { at = "3s" }
link = [{ between = ["S", "R"], rate = "10Mbps", delay = "20ms" }]
flow = [{ from = "S", to = "R", size = "unlimited", sender = { window = 40, credit = { kind = "full-segments" } },
          receiver = { ack_size = 52, ack = { policy = "every" } } }]
"""

#: A way back on which ACKs are the bottleneck.
SLOW_BACK = """\
stop = { at = "5s" }
link = [{ between = ["S", "R"], rate = "10Mbps", delay = "20ms",
          back = { rate = "40kbps", queue = { kind = "drop-tail", waiting = 10 } } }]
flow = [{ from = "S", to = "R", size = "unlimited", sender = { window = 40, credit = { kind = "full-segments" } },
          receiver = { ack_size = 52, ack = { policy = "every" } } }]
"""


def test_a_bulk_transfer_is_what_was_predicted(tmp_path: Path) -> None:
    result = emulate(EXAMPLE, "--out", str(tmp_path / "out"))
    beside("T1, reno", result)
    real, virtual = result["flows"][0], result["simulated"]["flows"][0]
    assert real["goodput_bps"] == pytest.approx(virtual["goodput_bps"], rel=0.05)
    # The handshake's round trip: 100 ms and 60 bytes each way, and however late both packets left.
    floor = 0.1 + 2 * 8 * 60 / 1.5e6
    assert floor <= real["min_rtt_s"] < 1.05 * floor
    there, simulated = result["links"][0], result["simulated"]["links"][0]
    assert (there["from"], there["to"], there["max_queue_packets"]) == ("S", "R", 21)
    assert there["drops"] > 0 and there["utilisation"] == pytest.approx(simulated["utilisation"], rel=0.05)
    assert real["segments_sent"] / real["acks_sent"] < 2.1
    assert result["lateness"]["releases"] > 1000
    look_at_tables(tmp_path / "out")
    look_at_captures(tmp_path / "out", result)


def look_at_tables(out: Path) -> None:
    import polars as pl

    import acklab

    simulated = acklab.run(EXAMPLE, **{"record.queue": True})
    # What is called alike means the same; these are the live run's own.
    own = {
        "flows": {"mean_srtt_s", "control", "segment_bytes", "acks_offered", "acks_thinned", "acks_made", "invalid"},
        "links": {"invalid"},
        "queue": {"invalid"},
    }
    for name, extra in own.items():
        live = pl.read_parquet(out / f"{name}.parquet")
        theirs = pl.DataFrame(getattr(simulated, name))
        assert set(live.columns) - set(theirs.columns) == extra, name
        shared = [column for column in live.columns if column in theirs.columns]
        assert live.select(shared).schema == theirs.select(shared).schema
    series = pl.read_parquet(out / "series.parquet")
    steps = series["time_s"].diff().drop_nulls()
    assert 0.004 < steps.median() < 0.010 and series["cwnd_segments"].max() > 30  # type: ignore[operator]
    assert series["srtt_s"].drop_nulls().max() > 0.2  # type: ignore[operator]


def look_at_captures(out: Path, result: dict[str, Any]) -> None:
    if shutil.which("tshark") is None:
        return
    for side in ("sender", "receiver"):
        file = str(out / f"{side}.pcap")
        expert = tshark("-r", file, "-q", "-z", "expert")
        assert "Malformed" not in expert and "Errors" not in expert, expert
        packets = tshark("-r", file, "-Y", "tcp.len > 0", "-T", "fields", "-e", "frame.len").split()
        link, sent = result["links"][0], result["flows"][0]["segments_sent"]
        if side == "sender":
            assert len(packets) == sent - 1  # all but the SYN: an unlimited flow sends no FIN
        else:
            assert 0 <= link["packets"] - len(packets) < 40  # what was under way at the end


def tshark(*arguments: str) -> str:
    done = subprocess.run(["tshark", *arguments], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@pytest.mark.parametrize(
    ("policy", "segments_per_ack"),
    [
        ('{ policy = "every" }', 1.0),
        ('{ policy = "delayed", timer = "100ms" }', 2.0),
        ('{ policy = "delayed", segments = 8, timer = "100ms" }', 8.0),
        ('{ policy = "divide", pieces = 4 }', 0.25),
    ],
    ids=["every", "delayed", "stretch", "divide"],
)
def test_the_policy_decides_how_many_segments_an_ack_covers(policy: str, segments_per_ack: float) -> None:
    result = emulate(CLEAN, "--set", f"flow.0.receiver.ack={policy}")
    beside(policy, result)
    real, virtual = result["flows"][0], result["simulated"]["flows"][0]
    assert real["retransmits"] == 0, "the path loses nothing, and no ACK was held too long"
    assert real["segments_sent"] / real["acks_sent"] == pytest.approx(segments_per_ack, rel=0.05)
    assert real["goodput_bps"] == pytest.approx(virtual["goodput_bps"], rel=0.1)


def test_a_held_ack_is_not_lost_at_a_transfers_end() -> None:
    stretch = 'flow.0.receiver.ack={ policy = "delayed", segments = 1000, timer = "150ms" }'
    whole = ["--set", "flow.0.size={ bytes = '20kB' }", "--set", "stop={ when = 'flows-complete', at_most = '10s' }"]
    result = emulate(CLEAN, "--set", stretch, *whole)
    real = result["flows"][0]
    assert real["completed"] and real["bytes"] == 20_000 and real["timeouts"] in (0, None)
    # The first window's ACK waits for the timer; the FIN's, behind the second, for nothing.
    assert 0.15 + 2 * 0.04 < real["completion_s"] < 0.6


def test_an_ack_filter_helps_where_acks_are_the_bottleneck() -> None:
    plain = emulate(SLOW_BACK)
    beside("slow way back", plain)
    filtered = emulate(SLOW_BACK, "--set", 'link.0.back.queue.filter={ kind = "static", threshold = 1 }')
    beside("the same, filtered", filtered)
    assert filtered["flows"][0]["acks_filtered"] > 1000 and filtered["links"][1]["filtered"] > 1000
    gain, predicted = (
        after["flows"][0]["goodput_bps"] / before["flows"][0]["goodput_bps"]
        for after, before in ((filtered, plain), (filtered["simulated"], plain["simulated"]))
    )
    assert predicted > 2 and gain == pytest.approx(predicted, rel=0.15)


def test_the_kernels_own_acks() -> None:
    result = emulate(CLEAN, "--acks", "kernel", "--control", "cubic")
    real = result["flows"][0]
    assert real["control"] == "cubic" and "shaper" not in real
    assert 1.0 < real["segments_sent"] / real["acks_sent"] < 3.0


@pytest.mark.parametrize(("window", "first", "buffer"), [(4500, 4345, 10862), (45, 44, 112)])
def test_the_policy_linux_acknowledges_as_often_as_the_kernel(window: int, first: int, buffer: int) -> None:
    """The kernel has the window and the buffer that the policy states."""
    ack = f'{{policy="linux",window={first},buffer={buffer},autotune=false}}'
    sets = (f"flow.0.sender.window={window}", f"flow.0.receiver.ack={ack}")
    changes = (word for change in sets for word in ("--set", change))
    result = emulate(EXAMPLE, "--acks", "kernel", "--for", "6s", *changes)
    beside("as Linux does", result)
    flows = (result["flows"][0], result["simulated"]["flows"][0])
    real, virtual = (flow["segments_sent"] / flow["acks_sent"] for flow in flows)
    assert virtual == pytest.approx(real, rel=0.05)


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
    ids=["INT", "TERM", "KILL"],
)
def test_nothing_stays_behind(number: signal.Signals, status: int, tmp_path: Path) -> None:
    if why := missing():
        pytest.skip(f"no live runs here: {why}")
    before = left_behind()
    out = tmp_path / "out"
    run = subprocess.Popen([COMMAND, "run", "--live", "-", "--for", "60s", "--out", out], stdin=subprocess.PIPE)
    assert run.stdin
    run.stdin.write(CLEAN.encode())
    run.stdin.close()
    wait_until(lambda: spaces_of(run.pid) >= 3)
    run.send_signal(number)
    assert run.wait(timeout=20) == status
    assert left_behind() == before
    # A killed process cannot remove its private folder; the next command there does.
    assert not out.exists() or number == signal.SIGKILL and [it.name for it in out.iterdir()] == [".acklab"]


def spaces_of(process: int) -> int:
    """How many network namespaces a process has threads in, or open."""
    found = set()
    for place in ("task/*/ns/net", "fd/*"):
        for path in Path(f"/proc/{process}").glob(place):
            try:
                link = str(path.readlink())
            except OSError:  # it has ended meanwhile
                continue
            if link.startswith("net:"):
                found.add(link)
    return len(found)


def left_behind() -> tuple[list[str], list[str], list[str]]:
    """What would outlive a process: named namespaces, their mounts, and devices."""
    named = sorted(path.name for path in Path("/run/netns").glob("*"))
    mounts = re.findall(r"^.* - nsfs .*$", Path("/proc/self/mountinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return named, mounts, sorted(path.name for path in Path("/sys/class/net").glob("acklab*"))


def test_without_privileges_it_says_what_helps() -> None:
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", COMMAND, "run", "--live", "-", "--for", "1s"]
        if shutil.which("setpriv")
        else ["true"],
        input=CLEAN,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "--live" not in str(done.args) or done.returncode in (126, 127) or "PermissionError" in done.stderr:
        pytest.skip("nobody else can run this installation here")
    if "Operation not permitted" not in done.stderr and done.returncode != 1:
        pytest.skip(f"setpriv is not allowed here: {done.stderr}")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "cannot make a network namespace" in done.stderr and "os error 1" in done.stderr and "as root" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--set", 'flow.0.receiver.ack={ policy = "smart" }'], "flow[0].receiver.ack: not in a live run: "),
        (
            ["--set", "link.0.stages=[{ kind = 'spack' }]"],
            "link S->R: not in a live run: listens to the other direction",
        ),
        (
            ["--set", "link.0.stages=[{ kind = 'gro' }]"],
            "link S->R: not in a live run: merges segments, which the receiving",
        ),
        (["--for", "6 weeks"], "unknown unit"),
        (["--set", "flow.0.size={ apples = 3 }"], "apples"),
    ],
)
def test_what_no_live_run_can_do_is_refused(arguments: list[str], part: str) -> None:
    for extra in ([], ["--dry-run"]):
        done = subprocess.run(
            [COMMAND, "run", "--live", "-", *arguments, *extra],
            input=CLEAN,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2 and part in done.stderr and not done.stdout


def test_an_unknown_congestion_control_is_told_the_known_ones() -> None:
    if why := missing():
        pytest.skip(f"no live runs here: {why}")
    done = subprocess.run(
        [COMMAND, "run", "--live", "-", "--control", "nosuch"], input=CLEAN, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "choose the congestion control `nosuch`" in done.stderr and "this kernel has" in done.stderr
