"""Runs in batches, by threads or other workers, and the journal that keeps those that are finished, so that an interrupt or a crash costs none.

The journal is a file of records, ``NUMBER CHECKSUM RESULT``, a line each, in whatever order the runs ended; the extension
appends to it. The checksum is the CRC-32 of ``NUMBER RESULT`` in eight hexadecimal digits. A record with a wrong checksum counts as
missing, and its run is made again. The results are read from here in the order of the numbers. So they do not depend on when, or in
how many attempts, the runs were made.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import mmap
import os
import re
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from .. import _core
from ..results.directory import Folder, FolderError, replacing
from . import kernel
from .kernel import find
from .programs import run, summary


def record(number: int, result: bytes) -> bytes:
    """A run's line.

    >>> record(7, b"{}")
    b'7 968af458 {}\\n'
    """
    return b"%d %08x %b\n" % (number, zlib.crc32(result, zlib.crc32(b"%d " % number)), result)


CHUNK = 128 * 1024
"""Scenarios are fed in pieces of about so many bytes."""


SIMULATOR, KERNEL, PROGRAMS = "simulator", "kernel", "programs"
"""What makes runs: the simulator, a kernel in virtual time, or kernels that run the scenarios' programs, which the user has allowed."""
ENGINES = (SIMULATOR, KERNEL, PROGRAMS)


def beginning(line: str, engine: str) -> dict[str, Any]:
    """What a scenario's summary has before it runs; of one with programs, whose streams are not known yet, its title alone."""
    if engine == PROGRAMS:
        return {"title": json.loads(_core.Programs(line).json())["title"]}
    summary: dict[str, Any] = json.loads(_core.Simulation(line).outcome().json(False))
    return summary


@dataclass(frozen=True)
class Runs:
    """Runs by their numbers."""

    numbers: Iterable[int]
    lines: Callable[[Sequence[int]], Iterable[str]]
    """The scenarios of some of them, a line each. It can be pickled: workers elsewhere make the scenarios themselves."""

    def numbered(self) -> Iterator[str]:
        """Each scenario behind its number."""
        numbers = iter(self.numbers)
        while some := list(islice(numbers, 512)):
            yield from (f"{number} {line}" for number, line in zip(some, self.lines(some), strict=True))


Workers = Callable[[Runs, Path], Iterator[list[bytes]]]
"""Who makes runs, with a journal: in the runs' order, for each its result, or its error and nothing else, once the journal has it."""


def on_threads(threads: int, engine: str = SIMULATOR) -> Workers:
    """The threads of this process."""
    return lambda runs, journal: batches(runs.numbered(), threads, journal, engine)


def batches(
    scenarios: Iterable[str], threads: int, journal: str | os.PathLike[str] | None = None, engine: str = SIMULATOR
) -> Iterator[list[bytes]]:
    """Result lines as they come, in order. Feeding waits for room, so it has its own thread.

    With a ``journal``, scenarios begin with a number, and each result is in that file before anybody sees it.
    """
    if engine != SIMULATOR:
        yield from in_kernels(scenarios, threads, journal, programs=engine == PROGRAMS)
        return
    batch = _core.Batch(threads, journal=journal)
    trouble: list[BaseException] = []
    ended = threading.Event()

    def feed() -> None:
        try:
            piece: list[str] = []
            size = 0
            for scenario in scenarios:
                if ended.is_set():
                    return
                piece.append(scenario)
                size += len(scenario)
                if size >= CHUNK:
                    batch.feed(("\n".join(piece) + "\n").encode())
                    piece, size = [], 0
            if piece:
                batch.feed(("\n".join(piece) + "\n").encode())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits for results
            trouble.append(error)
        finally:
            batch.close()

    feeder = threading.Thread(target=feed, daemon=True)
    try:
        feeder.start()
        while lines := batch.take():
            yield lines.splitlines()
    finally:
        ended.set()
        batch.stop()
        if feeder.ident is not None:
            feeder.join()
    if trouble:
        raise trouble[0]


#: The file of records of work under way, its identity, and the records of a finished sweep.
WORKING, IDENTITY, KEPT = "runs.jsonl", "work.json", "runs.jsonl.gz"
_WORDS = {
    "format": "another version of acklab keeps its state otherwise",
    "acklab": "it was begun by acklab {old}, this is {new}",
    "scenario": "the scenario has changed",
    "plan": "what is run has changed (keys, values or seeds)",
    "shard": "it is shard {old}, this is {new}",
}


#: Changes when what a journal means does.
FORMAT = 2


def identity(scenario: str, plan: Any, engine: str = SIMULATOR) -> dict[str, str]:
    """The parts that make two attempts the same runs: acklab's version, the scenario, and all that its runs depend on."""
    told = json.dumps(plan if engine == SIMULATOR else [engine, find().name, plan], sort_keys=True)
    return {"format": str(FORMAT), "acklab": _core.__version__, "scenario": _digest(scenario), "plan": _digest(told)}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Journal:
    """The finished runs of a sweep or comparison."""

    def __init__(self, folder: Folder, identity: Mapping[str, str], *, fresh: bool = False) -> None:
        """Opens the journal of ``folder``, which goes on where an earlier attempt stopped.

        Raises:
            FolderError: the folder holds other work.
            OSError: it cannot be read or written.
        """
        self.folder, self.path = folder, folder.private / WORKING
        self.damaged = 0
        """Records that were there and failed their checksum."""
        self._found: dict[int, int] = {}
        self._read = 0
        self._map: mmap.mmap | None = None
        if fresh:
            self.discard()
        self._recognise(identity, fresh)
        try:
            if not os.path.lexists(self.path):
                self._unpack(identity)
            self.path.touch()
            self._mend()
            self.look()
            self._tell()
        except BaseException:
            self.close()
            raise

    def _recognise(self, identity: Mapping[str, str], fresh: bool) -> None:
        work = self.folder.work()
        if work is None and not fresh:
            work = self.folder.marker.get("work")
        if work is not None:
            for key, words in _WORDS.items():
                if work.get(key) != identity.get(key):
                    why = words.format(old=work.get(key, "another version"), new=identity.get(key))
                    raise FolderError(
                        f"{self.folder.path} holds other work: {why}; give another --out, or --fresh to discard what is there"
                    )
        if self.folder.work() is None:
            # Without an identity, the runs that the records belong to are unknown.
            self.discard()
            with replacing(self.folder.private / IDENTITY) as scratch:
                scratch.write_text(
                    json.dumps({"verb": self.folder.verb, **identity}, indent=1) + "\n", encoding="utf-8"
                )

    def _unpack(self, identity: Mapping[str, str]) -> None:
        """Takes the records of a finished sweep, as far as they can be read."""
        if self.folder.marker.get("work") != identity or KEPT not in self.folder.marker["files"]:
            return
        scratch = self.folder.private / f"{WORKING}.new"
        with scratch.open("wb") as file:
            try:
                with gzip.open(self.folder.path / KEPT) as packed:
                    while piece := packed.read(1 << 16):
                        file.write(piece)
            except (EOFError, gzip.BadGzipFile, zlib.error, FileNotFoundError):
                self.damaged += 1
        os.replace(scratch, self.path)

    def _tell(self) -> None:
        if self.damaged:
            import logging

            what = "a damaged record" if self.damaged == 1 else f"{self.damaged:,} damaged records"
            logging.getLogger("acklab").warning(
                "acklab: %s has %s; runs without a sound record are made again", self.folder.path, what
            )

    def _mend(self) -> None:
        """Cuts off a last line that a crash left without its end."""
        with self.path.open("rb+") as file:
            end = file.seek(0, os.SEEK_END)
            while end:
                start = max(0, end - (1 << 16))
                file.seek(start)
                found = file.read(end - start).rfind(b"\n")
                if found >= 0:
                    file.truncate(start + found + 1)
                    return
                end = start
            file.truncate(0)

    def look(self) -> None:
        """Takes note of what was appended since."""
        size = self.path.stat().st_size
        if size <= self._read:
            return
        if self._map is not None:
            self._map.close()
        with self.path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        data, start = self._map, self._read
        while (end := data.find(b"\n", start)) >= 0:
            number, _, rest = data[start:end].partition(b" ")
            checksum, _, result = rest.partition(b" ")
            if number.isdigit() and b"%08x" % zlib.crc32(result, zlib.crc32(number + b" ")) == checksum:
                self._found.setdefault(int(number), end - len(result))
            else:
                self.damaged += 1
            start = end + 1
        self._read = start

    def __contains__(self, number: int) -> bool:
        return number in self._found

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[int]:
        return iter(self._found)

    def line(self, number: int) -> bytes:
        """A run's result."""
        assert self._map is not None
        start = self._found[number]
        return self._map[start : self._map.find(b"\n", start)]

    def make(self, runs: Runs, workers: Workers, tick: Callable[[int], None], called: Callable[[int], str]) -> None:
        """Makes those of the runs that are missing, by ``workers``; ``called`` is a run's name in messages.

        Raises:
            RunError: a run failed; what was done is kept.
            OSError: the journal cannot be written.
        """
        fed: deque[int] = deque()

        def missing() -> Iterator[int]:
            for number in runs.numbers:
                if number not in self._found:
                    fed.append(number)
                    yield number

        for lines in workers(Runs(missing(), runs.lines), self.path):
            for line in lines:
                number = fed.popleft()
                if line.startswith(b'{"error"'):
                    said = str(json.loads(line)["error"]).split(": ", 1)[-1]
                    raise _core.RunError(f"{called(number)}: {said}")
            tick(len(lines))
        self.look()

    def append(self, records: Iterable[tuple[int, bytes]]) -> None:
        """Keeps results that were made here, by their numbers, for the next attempt."""
        with self.path.open("ab") as file:
            file.writelines(record(number, result) for number, result in records)

    def discard(self) -> None:
        """Removes what only work under way needs."""
        self.close()
        forget(self.folder)

    def close(self) -> None:
        """Lets go of the file."""
        if self._map is not None:
            self._map.close()
            self._map = None


def forget(folder: Folder) -> None:
    """Removes what is kept of finished runs. The identity goes last, because records without it are discarded."""
    for name in (WORKING, f"{WORKING}.new", f"{IDENTITY}.new", IDENTITY):
        (folder.private / name).unlink(missing_ok=True)


@contextlib.contextmanager
def packed(path: Path) -> Iterator[IO[bytes]]:
    """A compressed file to write to, the same bytes each time."""
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=raw, mtime=0) as file:
        yield file  # type: ignore[misc]


def _as_simulated(live: Mapping[str, Any]) -> bytes:
    """A live summary with the simulator's columns; what no kernel tells is null."""
    names = [column["name"] for column in _core.columns("flows")]
    flows = [
        {name: flow.get("mean_srtt_s" if name == "mean_rtt_s" else name) for name in names} for flow in live["flows"]
    ]
    told = {
        "title": live["title"],
        "seed": live["seed"],
        "end_s": live["end_s"],
        "flows": flows,
        "links": live["links"],
    }
    return json.dumps(told, separators=(",", ":")).encode()


def _summary(text: str, allowed: bool) -> bytes:
    """What became of a scenario, with its programs if they are allowed."""
    programs = _core.Programs(text)
    if not json.loads(programs.json())["programs"]:
        return _as_simulated(json.loads(kernel.result(text).json()))
    if not allowed:
        raise _core.LiveError("the scenario names programs, which run only with --allow-programs")
    return json.dumps(summary(run(programs)), separators=(",", ":")).encode()


def in_kernels(
    scenarios: Iterable[str], threads: int, journal: str | os.PathLike[str] | None = None, *, programs: bool = False
) -> Iterator[list[bytes]]:
    """Result lines in order, as :func:`batches` gives them, from so many runs at once.

    The scenarios' programs run only with ``programs``.
    """

    def make(line: str) -> bytes:
        number, text = re.fullmatch(r"(\d*) ?(.*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
        try:
            told = _summary(text, programs)
        except (_core.LiveError, _core.ScenarioError) as error:
            return json.dumps({"error": f"kernel: {error}"}).encode()
        if journal is not None:
            with open(journal, "ab", buffering=0) as file:
                file.write(record(int(number), told))
        return told

    kernel.find()
    waiting: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for line in scenarios:
            waiting.append(pool.submit(make, line))
            if len(waiting) > 2 * threads:
                yield [waiting.popleft().result()]
        while waiting:
            yield [waiting.popleft().result()]
    finally:
        pool.shutdown(cancel_futures=True)
