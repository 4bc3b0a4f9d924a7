"""Results on disk while many runs are made, so that an interrupt or a crash costs no finished one.

The journal is a file of lines, ``NUMBER RESULT``, in whatever order the runs ended; the extension appends to it. A line
that was cut off by a crash is not counted and its run made again. What is told in the end is read from here in the order
of the numbers, so that it does not show when, or in how many attempts, the runs were made.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import mmap
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from . import _core
from ._batches import batches
from ._frames import remove_leftovers

try:
    import fcntl
except ImportError:  # pragma: no cover - not a Unix system
    fcntl = None  # type: ignore[assignment]

#: What work under way keeps in its directory, and what a finished sweep does.
WORKING, IDENTITY, KEPT, LOCK = "runs.jsonl", "plan.json", "runs.jsonl.gz", ".lock"
_WORDS = {
    "acklab": "it was begun by acklab {old}, this is {new}",
    "scenario": "the scenario has changed",
    "plan": "what is run has changed (keys, values or seeds)",
    "format": "another version of acklab keeps its state otherwise",
}


#: Changes when what a journal means does.
FORMAT = 1


class JournalError(ValueError):
    """A directory holds other work, or is in use."""


def identity(scenario: str, plan: Any) -> dict[str, str]:
    """What makes two attempts the same runs: acklab's version, the scenario, and all that its runs depend on."""
    told = json.dumps(plan, sort_keys=True)
    return {"format": str(FORMAT), "acklab": _core.__version__, "scenario": _digest(scenario), "plan": _digest(told)}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Journal:
    """The runs of a sweep or comparison that are done."""

    def __init__(self, folder: Path, identity: Mapping[str, str], *, fresh: bool = False) -> None:
        """Opens the journal in ``folder``, going on where an earlier attempt stopped.

        Raises:
            JournalError: the folder holds other work, or is in use.
            OSError: it cannot be read or written.
        """
        self.folder, self.path = folder, folder / WORKING
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(folder)
        remove_leftovers(folder)
        self._found: dict[int, int] = {}
        self._read = 0
        self._map: mmap.mmap | None = None
        try:
            if fresh:
                for name in (WORKING, IDENTITY, KEPT):
                    (folder / name).unlink(missing_ok=True)
            self._recognise(identity)
            if (folder / KEPT).exists() and not self.path.exists():
                self._unpack()
            self.path.touch()
            self._mend()
            self.look()
        except BaseException:
            self.close()
            raise

    def _recognise(self, identity: Mapping[str, str]) -> None:
        path = self.folder / IDENTITY
        if path.exists():
            try:
                old = json.loads(path.read_text(encoding="utf-8"))
            except ValueError:
                old = {}
            if not isinstance(old, dict):
                old = {}
            for key, words in _WORDS.items():
                if old.get(key) != identity[key]:
                    why = words.format(old=old.get(key, "another version"), new=identity[key])
                    raise JournalError(
                        f"{self.folder} holds other work: {why}; give another --out, or --fresh to discard what is there"
                    )
            return
        if (self.folder / KEPT).exists() or self.path.exists():
            raise JournalError(
                f"{self.folder} holds runs without their {IDENTITY}; give another --out, or --fresh to discard them"
            )
        scratch = path.with_suffix(".tmp")
        scratch.write_text(json.dumps(dict(identity), indent=1) + "\n", encoding="utf-8")
        os.replace(scratch, path)

    def _unpack(self) -> None:
        """A finished sweep's runs, to be told again."""
        scratch = self.path.with_suffix(".tmp")
        try:
            with gzip.open(self.folder / KEPT) as packed, scratch.open("wb") as file:
                shutil.copyfileobj(packed, file, 1 << 20)
        except (EOFError, gzip.BadGzipFile):
            scratch.unlink(missing_ok=True)
            return  # damaged: the runs are made again
        os.replace(scratch, self.path)

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
            space = data.find(b" ", start, start + 20)
            # What a crashed system leaves of a file may be zeros.
            if (
                space > 0
                and data[space + 1 : space + 2] + data[end - 1 : end] == b"{}"
                and data.find(b"\0", start, end) < 0
            ):
                number = data[start:space]
                if number.isdigit():
                    self._found.setdefault(int(number), space + 1)
            start = end + 1
        self._read = start

    def __contains__(self, number: int) -> bool:
        return number in self._found

    def __len__(self) -> int:
        return len(self._found)

    def line(self, number: int) -> bytes:
        """A run's result."""
        assert self._map is not None
        start = self._found[number]
        return self._map[start : self._map.find(b"\n", start)]

    def make(
        self, runs: Iterable[tuple[int, str]], threads: int, tick: Callable[[int], None], called: Callable[[int], str]
    ) -> None:
        """Makes runs, given as numbers and scenarios; ``called`` is a run's name in messages.

        Raises:
            RunError: a run failed; what was done is kept.
            OSError: the journal cannot be written.
        """
        fed: deque[int] = deque()

        def scenarios() -> Iterator[str]:
            for number, line in runs:
                fed.append(number)
                yield f"{number} {line}"

        for lines in batches(scenarios(), threads, self.path):
            for line in lines:
                number = fed.popleft()
                if line.startswith(b'{"error"'):
                    said = str(json.loads(line)["error"]).split(": ", 1)[-1]
                    raise _core.RunError(f"{called(number)}: {said}")
            tick(len(lines))
        self.look()

    def discard(self) -> None:
        """Removes what only work under way needs."""
        self._unmap()
        self.path.unlink(missing_ok=True)

    def _unmap(self) -> None:
        if self._map is not None:
            self._map.close()
            self._map = None

    def close(self) -> None:
        """Lets go of the folder."""
        self._unmap()
        if self._lock is not None:
            with contextlib.suppress(OSError):
                (self.folder / LOCK).unlink()
            self._lock.close()
            self._lock = None


@contextlib.contextmanager
def packed(path: Path) -> Iterator[IO[bytes]]:
    """A compressed file to write to, the same bytes each time."""
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=raw, mtime=0) as file:
        yield file  # type: ignore[misc]


def _locked(folder: Path) -> IO[Any] | None:
    """Holds the folder for this process; the system lets go of it however the process ends."""
    if fcntl is None:  # pragma: no cover - not a Unix system
        return None
    path = folder / LOCK
    while True:
        file = path.open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise JournalError(f"{folder} is in use by another acklab; wait for it, or give another --out") from None
        with contextlib.suppress(OSError):
            if os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                return file
        file.close()  # whoever had it removed the file meanwhile
