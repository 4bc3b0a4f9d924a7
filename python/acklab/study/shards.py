"""Parts of a sweep that several machines make, and their merging.

A shard is a result directory with the finished runs of its part (``runs.jsonl.gz``) and the plan (``shard.json``). Merged, the parts
are the journal of the undivided sweep, from which the same files are written, to the byte.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from ..engines.journal import KEPT, Workers, on_threads, packed, record
from ..results import command, directory
from ..results.directory import FolderError
from ..runs import cpu_count
from .grammar import StudyError, refuse
from .runs import Meter, SweepRuns, opened, unwatched
from .sweep import NAMES, Design, SweepPlan, from_tree, told

if TYPE_CHECKING:
    from .sweep import Swept


#: What the marker of a shard names as its maker.
VERB = "sweep --shard"
#: The file with the plan.
PLAN = "shard.json"
#: Most shards of a sweep.
MOST = 100_000


@dataclass(frozen=True)
class Shard:
    """The ``number``-th of ``count`` parts, from 1: every ``count``-th run, or point where the runs decide about the number of seeds."""

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """A shard as it is written, ``3/16``.

        Raises:
            ValueError: the text is not a shard.
        """
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MOST:
            raise ValueError(f"{text} is no shard; give K/N with K from 1 to N, such as 3/16, and N at most {MOST:,}")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def has(self, number: int) -> bool:
        """Whether the run, or the point, of this number is a part of it."""
        return number % self.count == self.number - 1


def make_shard(
    plan: SweepPlan,
    shard: Shard,
    out: Path,
    *,
    design: Design | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    meter: Callable[[int], Meter] = unwatched,
) -> int:
    """Makes the shard's runs and keeps them in ``out``; how many there are. Goes on where an earlier attempt stopped.

    Raises:
        StudyError: a point is no scenario, or ``out`` holds other work; nothing was run.
        RunError: a run failed.
        OSError: something cannot be written.
    """
    design = Design(plan) if design is None else design
    design.check()
    identity = {**design.identity(), "shard": str(shard)}
    with opened(out, VERB, (KEPT, PLAN), identity, fresh) as (folder, journal):
        work = SweepRuns(design, journal, shard.has)
        work.run(workers or on_threads(threads or cpu_count(), plan.engine), meter)
        text = json.dumps(_plain(plan), indent=1) + "\n"
        # The work does not depend on texts such as the title, so the plan has a checksum of its own.
        about = {"seeds": plan.seeds.told(), "work": identity, "told": _checksum(text.encode())}
        with folder.replacing(about) as scratch:
            with packed(scratch / KEPT) as kept:
                for number in work.numbers():
                    kept.write(record(number, journal.line(number)))
            (scratch / PLAN).write_text(text, encoding="utf-8")
        journal.discard()
        return work.planned


def _plain(plan: SweepPlan) -> dict[str, Any]:
    scenario = plan.scenario if isinstance(plan.scenario, str) else plan.scenario.decode()
    named = {
        "file": plan.file,
        "name": plan.name,
        "sets": list(plan.given_sets),
        "engine": plan.engine,
        "command": command.line,
    }
    return {"plan": plan.tree, "scenario": scenario, **named}


def merge(shards: Sequence[Path], out: Path) -> Swept:
    """Puts all shards of a sweep together in ``out``, as the undivided sweep would have written it.

    Raises:
        StudyError: the directories are not all shards of one sweep by this version, each once, or ``out`` holds other work.
        OSError: something cannot be read or written.
    """
    markers = [(path, _marker(path)) for path in shards]
    first, told_first = markers[0]
    _check(markers)
    identity = {key: value for key, value in told_first["work"].items() if key != "shard"}
    kept = _plan_of(markers)
    plan = from_tree({**kept["plan"], "scenario": kept["scenario"]}, kept["name"])
    plan = replace(plan, file=kept["file"], given_sets=kept["sets"], engine=kept["engine"])
    design = Design(plan)
    design.check()
    if design.identity() != identity:
        raise StudyError(f"{first / PLAN} is not the plan of its runs; make this shard again")
    before, command.line = command.line, kept["command"]
    try:
        with opened(out, "sweep", NAMES, identity, False) as (folder, journal):
            with journal.path.open("ab") as file:
                for path in shards:
                    for number, line in _records(path / KEPT):
                        if number not in journal:
                            file.write(line)
            journal.look()
            work = _Whole(design, journal)
            work.run(on_threads(1), unwatched)
            return told(work, folder, 0, None)
    finally:
        command.line = before


class _Whole(SweepRuns):
    """A sweep whose runs are all there."""

    def _make(self, points: Any, workers: Any, tick: Any) -> None:
        for point in points:
            for seed in range(1, self.seeds[point] + 1):
                if self.number(point, seed) not in self.journal:
                    called = self._called(self.number(point, seed))
                    raise StudyError(f"the run at {called} is damaged or missing; make its shard again")


def _marker(path: Path) -> Mapping[str, Any]:
    """What the marker of a finished shard says."""
    try:
        marker = directory.marker(path)
    except FolderError as error:
        raise StudyError(str(error)) from None
    if marker is None:
        unfinished = (path / directory.PRIVATE).exists()
        what = "an unfinished shard; the command that began it goes on" if unfinished else "no shard of a sweep"
        raise StudyError(f"{path} holds {what}" if path.is_dir() else f"{path} is no directory")
    refuse(
        (marker["verb"] != VERB, f"{path} holds results of `acklab {marker['verb']}`, no shard of a sweep"),
        (
            marker["acklab"] != _core.__version__,
            f"{path} was made by acklab {marker['acklab']}, this is {_core.__version__}",
        ),
    )
    return marker


def _check(markers: Sequence[tuple[Path, Mapping[str, Any]]]) -> None:
    """Refuses directories that are not all shards of one sweep, each once."""
    (first, of_first), *_ = markers
    found: dict[int, Path] = {}
    for path, marker in markers:
        shard, whole = Shard.read(marker["work"]["shard"]), Shard.read(of_first["work"]["shard"])
        for key, what in (("scenario", "scenario"), ("plan", "plan (keys, values or seeds)")):
            if marker["work"][key] != of_first["work"][key]:
                raise StudyError(f"{path} is of another {what} than {first}")
        if shard.count != whole.count:
            raise StudyError(
                f"{path} is shard {shard}, but {first} is shard {whole}: the same sweep, divided otherwise"
            )
        if shard.number in found:
            raise StudyError(f"{found[shard.number]} and {path} are both shard {shard}; give each once")
        found[shard.number] = path
    missing = [str(Shard(number, whole.count)) for number in range(1, whole.count + 1) if number not in found]
    if missing:
        named = ", ".join(missing[:8]) + (f" and {len(missing) - 8:,} more" if len(missing) > 8 else "")
        raise StudyError(f"missing: shard {named}")


def _plan_of(markers: Sequence[tuple[Path, Mapping[str, Any]]]) -> Any:
    """The plan, which all shards have alike; the names of files, which may differ, are those of the first shard in order."""
    plans = [
        (path, _read_plan(path / PLAN, marker))
        for path, marker in sorted(markers, key=lambda one: Shard.read(one[1]["work"]["shard"]).number)
    ]
    first, kept = plans[0]
    for path, other in plans:
        if other["plan"] != kept["plan"]:
            raise StudyError(
                f"{path} has other texts in its plan (title, names, metrics or columns) than {first}; make one of them again"
            )
    return kept


def _read_plan(path: Path, marker: Mapping[str, Any]) -> Any:
    told = directory.read(path)
    if _checksum(told) != marker.get("told"):
        raise StudyError(f"{path} is damaged; make this shard again")
    return json.loads(told)


def _checksum(told: bytes) -> str:
    return f"{zlib.crc32(told):08x}"


def _records(path: Path) -> Iterator[tuple[int, bytes]]:
    """The records of a shard as far as they can be read, with their numbers."""
    with contextlib.suppress(EOFError, gzip.BadGzipFile, zlib.error), gzip.open(path) as file:
        for line in file:
            number = line.partition(b" ")[0]
            if number.isdigit() and line.endswith(b"\n"):
                yield int(number), line
