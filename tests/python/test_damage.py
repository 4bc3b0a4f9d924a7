"""Damaged journals: a record that fails its checksum is made again, so the results are those of sound ones."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import acklab
from acklab.engines.journal import KEPT, Journal, on_threads, record
from acklab.results.directory import results
from acklab.study.runs import SweepRuns, unwatched
from acklab.study.sweep import Design, from_tree
from front import LONG, TWO_HOPS

CASES = 2000 if LONG else 120
LOSSY = TWO_HOPS.replace("queue = { kind", "loss = { rate = 0.02 }\nqueue = { kind")
PLAN = {"scenario": LOSSY, "vary": {"flow.0.sender.window": [4, 8]}, "seeds": 6, "metrics": ["completion", "timeouts"]}

Damage = Callable[[bytes, random.Random], bytes]


def flipped_bit(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :]


def changed_digit(data: bytes, draw: random.Random) -> bytes:
    place = draw.choice([place for place, byte in enumerate(data) if 48 <= byte <= 57])
    digit = draw.choice([byte for byte in b"0123456789" if byte != data[place]])
    return data[:place] + bytes([digit]) + data[place + 1 :]


def renumbered(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    place = draw.randrange(len(lines))
    lines[place] = str(draw.randrange(20)).encode() + lines[place][lines[place].index(b" ") :]
    return b"".join(lines)


def swapped_results(data: bytes, draw: random.Random) -> bytes:
    lines = [line.split(b" ", draw.choice([1, 2])) for line in data.splitlines(keepends=True)]
    one, two = draw.sample(range(len(lines)), 2)
    lines[one][-1], lines[two][-1] = lines[two][-1], lines[one][-1]
    return b"".join(b" ".join(parts) for parts in lines)


def shuffled(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def duplicated(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([*lines, *draw.choices(lines, k=3)])


def truncated(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def cut_inside(data: bytes, draw: random.Random) -> bytes:
    start, end = sorted(draw.sample(range(len(data)), 2))
    return data[:start] + data[end:]


def zeros(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data))
    return data[:start] + b"\0" * draw.randrange(1, 4096) + data[start + draw.randrange(2000) :]


def noise(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data))
    return data[:start] + draw.randbytes(draw.randrange(1, 300)) + data[start + draw.randrange(300) :]


def without_checksums(data: bytes, draw: random.Random) -> bytes:
    return b"".join(b" ".join(line.split(b" ", 2)[::2]) for line in data.splitlines(keepends=True))


ANY = (flipped_bit, changed_digit, truncated, cut_inside, zeros, noise)
OF_LINES = (renumbered, swapped_results, shuffled, duplicated, without_checksums)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Design, dict[str, bytes], bytes]:
    """A sweep, its files, and its records."""
    design = Design(from_tree(PLAN))
    design.check()
    out = tmp_path_factory.mktemp("sound") / "out"
    acklab.sweep(PLAN, out=out)
    found = raw(out)
    return design, found, gzip.decompress(found[KEPT])


def raw(folder: Path) -> dict[str, bytes]:
    """Everything in a directory."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def told(design: Design, folder: Path) -> tuple[list[bytes], int]:
    """The results of every run after whatever is missing has been made, and how many records were damaged."""
    with results(folder, "sweep") as held, contextlib.closing(Journal(held, design.identity())) as journal:
        damaged = journal.damaged
        work = SweepRuns(design, journal)
        work.run(on_threads(1), unwatched)
        return [line for point in range(design.plan.points) for line in work.lines(point)], damaged


def unfinished(folder: Path, design: Design, records: bytes) -> None:
    """A directory as an interrupted sweep leaves it."""
    private = folder / ".acklab"
    private.mkdir(parents=True)
    (private / "runs.jsonl").write_bytes(records)
    (private / "work.json").write_text(json.dumps({"verb": "sweep", **design.identity()}))


@pytest.mark.parametrize("number", range(CASES))
def test_a_damaged_journal_gives_the_same_results(tmp_path: Path, sound: Any, number: int, caplog: Any) -> None:
    design, files, records = sound
    draw = random.Random(number)
    is_of_lines = number % 2
    damage = draw.choice(OF_LINES if is_of_lines else ANY)
    kept = number % 4 >= 2 and not is_of_lines
    if kept:  # the compressed file of a finished sweep
        for name, data in files.items():
            (tmp_path / name).write_bytes(data)
        (tmp_path / KEPT).write_bytes(damage(files[KEPT], draw))
    else:
        unfinished(tmp_path, design, damage(records, draw))
    found, damaged = told(design, tmp_path)
    truth = [line.split(b" ", 2)[2] for line in records.splitlines()]
    assert found == truth, damage.__name__
    assert bool(caplog.messages) == bool(damaged)
    if damage in (changed_digit, flipped_bit) and not kept:
        # A flipped line break may cut off the last record, as a crash does, or join two.
        assert damaged or damage is flipped_bit
    if damage in (shuffled, duplicated):
        assert not damaged


@pytest.mark.parametrize("name", [KEPT, "acklab.json"])
def test_a_damaged_file_of_a_finished_sweep_is_told_and_the_tables_are_the_same(
    tmp_path: Path, sound: Any, name: str
) -> None:
    _, files, _ = sound
    draw = random.Random(name)
    for number in range(30 if LONG else 3):
        out = tmp_path / f"out-{number}"
        out.mkdir()
        for one, data in files.items():
            (out / one).write_bytes(data)
        (out / name).write_bytes(draw.choice((flipped_bit, truncated, noise))(files[name], draw))
        try:
            acklab.sweep(PLAN, out=out)
        except acklab.SweepError:
            assert name == "acklab.json"  # which says what may be replaced
            assert {**raw(out), name: b""} == {**files, name: b""}
        else:
            assert raw(out) == files


def test_records_are_those_of_the_extension(sound: Any) -> None:
    _, _, records = sound
    for line in records.splitlines(keepends=True):
        number, _, result = line.rstrip(b"\n").split(b" ", 2)
        assert record(int(number), result) == line


def test_records_without_an_identity_count_for_nothing(tmp_path: Path, sound: Any) -> None:
    design, _, records = sound
    unfinished(tmp_path, design, records)
    (tmp_path / ".acklab" / "work.json").unlink()
    with results(tmp_path, "sweep") as held, contextlib.closing(Journal(held, design.identity())) as journal:
        assert not len(journal)
