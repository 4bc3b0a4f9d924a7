"""Captures made to cost an analysis much: time and memory grow no faster than the file, and what is left out is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hostile import KINDS, measured, write

import acklab
from acklab.captures.text import notes
from acklab.text.numbers import NB
from acklab.text.templates import sentence

#: Packets of the smaller file; the other has four times as many.
SMALL = 400_000 if os.environ.get("ACKLAB_LONG") else 20_000
#: Seconds of processor time that a busy machine may add. Work by the square of these packets took 5 s or more.
NOISE = 2.0
#: Bytes that the analysis of one connection may take, from its packets to its row as text.
MOST_A_CONNECTION = 13_000


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, float]:
    """Processor time and memory of an analysis of next to nothing: the least of three, the first reads cold files."""
    folder = tmp_path_factory.mktemp("start")
    write(folder, 2, "backward")
    secs, megabytes, _ = min(measured(folder / "backward.cap") for _ in range(3))
    return secs, megabytes


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_cost_grows_no_faster_than_the_file(kind: str, start: tuple[float, float], tmp_path: Path) -> None:
    cost = []
    for n in (SMALL, 4 * SMALL):
        write(tmp_path, n, kind)
        secs, megabytes, status = measured(tmp_path / f"{kind}.cap")
        assert status == 0
        cost.append((max(0.0, secs - start[0]), megabytes - start[1]))
    (little, _), (much, memory) = cost
    assert much < 8 * little + NOISE, f"{little:.2f} s, then {much:.2f} s of processor time"
    if kind in ("connections", "talking"):
        followed = min(100_000, 4 * SMALL // (3 if kind == "talking" else 1))
        assert memory * 1e6 < MOST_A_CONNECTION * followed + 2e7, f"{memory:.0f} MB"
    else:
        assert memory < 300, f"{memory:.0f} MB"


@pytest.mark.parametrize(
    ("kind", "n", "words"),
    [
        pytest.param(
            "connections",
            120_000,
            "20,000 segments not looked at: of connections beyond 100,000",
            marks=pytest.mark.long,
        ),
        ("never-acknowledged", 70_000, "segments and gaps forgotten, too many were outstanding"),
        ("interfaces", 70_000, "more than 65536 interfaces"),
    ],
)
def test_what_is_left_out_is_said(kind: str, n: int, words: str, tmp_path: Path) -> None:
    write(tmp_path, n, kind)
    told = "\n".join(map(sentence, notes(acklab.analyze(tmp_path / f"{kind}.cap", packets=False).summary()))).replace(
        NB, " "
    )
    assert words in told
