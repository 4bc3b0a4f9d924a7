"""Two captures of one connection, at its sender and at its receiver: base delay, losses, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

import acklab
from acklab.study.fit import FitError, fit
from acklab.study.fit.both_ends import Ways, joined
from acklab.study.fit.measure import direction, measure
from acklab.study.fit.search import Search
from front import inside

COMMAND = Path(sys.executable).with_name("acklab")
TRIP = 0.0402


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> tuple[acklab.Run, dict[str, Path]]:
    """A transfer whose data are lost by rate, retransmissions too, and whose ACKs wait in a queue behind another transfer."""
    folder = tmp_path_factory.mktemp("both")
    run = acklab.run("""
        stop = { when = "flows-complete", at_most = "60s" }
        record = { packets = true }
        seed = 3
        link = [
            { between = ["S", "G"], rate = "1Gbps", delay = "50us" },
            { between = ["G", "H"], rate = "20Mbps", delay = "20ms", queue = { kind = "drop-tail", packets = 500 }, loss = { rate = 0.03 }, back = { loss = { rate = 0.02 } } },
            { between = ["H", "R"], rate = "1Gbps", delay = "50us" },
        ]
        flow = [{ from = "S", to = "R", sender = { stack = "linux" }, receiver = { stack = "linux", ack = { policy = "delayed", segments = 3, timer = "60ms" } }, size = { bytes = "1MB" } }]
    """)
    return run, {
        end: run.capture(of, path=folder / f"{end}.pcapng")
        for end, of in {"sender": "S->G@S", "receiver": "H->R@R"}.items()
    }


def test_both_captures_give_the_base_delay_and_every_loss(captures: tuple[acklab.Run, dict[str, Path]]) -> None:
    run, paths = captures
    found, other = (acklab.analyze(paths[end]) for end in ("sender", "receiver"))
    measured = measure(found, direction(found))
    both, ways = joined(found, measured, other)
    assert abs(both.values["round trip"].value / TRIP - 1) < 0.005 and abs(ways.offset_s) < 1e-4, (
        "one clock made both captures"
    )
    packets = (
        pl.DataFrame(run.packets)
        .with_columns(pl.col(pl.Categorical).cast(pl.String))
        .filter(pl.col("link") == "G->H", pl.col("kind") == "data", pl.col("len") > 0)
    )
    order = packets.filter(pl.col("event") == "enqueue")
    assert len(both.lost[0]) == order.height - packets.filter(pl.col("event") == "deliver").height > 20
    acks = (
        pl.DataFrame(run.packets)
        .with_columns(pl.col(pl.Categorical).cast(pl.String))
        .filter(pl.col("link") == "H->G", pl.col("kind") == "ack")
    )
    lost_acks = acks.filter(pl.col("event") == "enqueue").height - acks.filter(pl.col("event") == "deliver").height
    assert abs(ways.lost_acks - lost_acks) <= 1
    assert both.row["policy"] == "delayed" and both.values["segments an ACK"].value == 3, (
        "as the receiver's own capture shows it"
    )
    assert [one.kind for one in ways.facts(0)] == ["clocks", "between-captures"]


def test_what_is_on_the_way_when_the_captures_end_was_not_lost(tmp_path: Path) -> None:
    run = acklab.run("""
        stop = { at = "1s" }
        record = { packets = true }
        link = [
            { between = ["S", "G"], rate = "1Gbps", delay = "0s" },
            { between = ["G", "R"], rate = "20Mbps", delay = "40ms", queue = { kind = "drop-tail", packets = 50 } },
        ]
        flow = [{ from = "S", to = "R", sender = { stack = "linux" }, receiver = { stack = "linux" } }]
    """)
    found, other = (acklab.analyze(run.capture(of, path=tmp_path / f"{of[-1]}.pcapng")) for of in ("S->G@S", "G->R@R"))
    both, ways = joined(found, measure(found, direction(found)), other)
    packets = pl.DataFrame(run.packets).with_columns(pl.col(pl.Categorical).cast(pl.String))
    data = packets.filter(pl.col("kind") == "data")
    drops, left, come = (
        data.filter(pl.col("event") == event, pl.col("link") == link).height
        for event, link in (("drop", "G->R"), ("enqueue", "S->G"), ("deliver", "G->R"))
    )
    assert len(both.lost[0]) == drops > 0 and left > come + drops + 10, "others are on the way"
    assert ways.lost_acks == 0


def test_captures_that_are_not_of_the_two_ends_are_refused(
    captures: tuple[acklab.Run, dict[str, Path]], tmp_path: Path
) -> None:
    _, paths = captures
    found, other = (acklab.analyze(paths[end]) for end in ("sender", "receiver"))
    with pytest.raises(FitError, match="the first capture has to be the sender's"):
        joined(other, measure(other, direction(other)), found)
    stranger = acklab.run(path="dsl", record={"packets": True}, set={"stop.at": "1s"}).capture(
        "A->C@C", path=tmp_path / "x.pcapng"
    )
    with pytest.raises(FitError, match="the second capture has no data from"):
        joined(found, measure(found, direction(found)), acklab.analyze(stranger))
    done = inside("fit", paths["sender"], "-")
    assert done.returncode == 2 and "not standard input" in done.stderr
    done = inside("fit", paths["sender"], tmp_path / "none")
    assert done.returncode == 2 and "none" in done.stderr and "Traceback" not in done.stderr


def test_the_clocks_difference_cancels_in_the_round_trip() -> None:
    ways = Ways(there_s=-4.98, back_s=5.02, ahead_s=5.0, lost_acks=0, acks=10)
    assert ways.rtt_s == pytest.approx(0.04) and ways.offset_s == pytest.approx(0.0)


def test_a_change_is_checked_before_the_fit(captures: tuple[acklab.Run, dict[str, Path]]) -> None:
    made: list[int] = []
    path = captures[1]["sender"]
    with pytest.raises(acklab.ScenarioError, match=r"link\[0\]\.queue\.pakets: unknown key"):
        fit(path, tick=made.append, sets=["link.0.queue.pakets=5"])
    assert not made
    found = acklab.analyze(path)
    Search(measure(found, direction(found))).check(["flow.0.receiver.ack.segments=4"])  # which only some policies take
