"""A result directory: its lock, its marker, and how one complete set of files replaces another; files that are there as a whole.

``acklab.json``, the marker, names what made the results, and their files. All other files are foreign: they are never replaced
or removed. Work under way has one private directory inside, ``.acklab``:

- ``lock`` is locked by the process that works here; the system unlocks it however that process ends.
- ``work.json`` and ``runs.jsonl`` keep finished runs (``engines/journal.py``).
- ``new`` has results that are being written. The process that holds the lock may remove what it finds there.
- ``ready`` has complete results.

The rename of ``new`` to ``ready`` is the decision. After it, any process that holds the lock carries the replacement out. The old
marker moves to ``old.json``, the old files are removed, and the new files move to their places, the marker last. So the files are
of one set at any instant, and if there is a marker, the set is complete.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import shutil
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from .. import _core
from ..text.terminal import Shown, short
from . import command
from .interrupts import deferred

_numbers = itertools.count()


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives another path to write to. What is there when the block ends well takes the place of ``path``; else ``path`` stays as it is.

    A link stays a link, and a file keeps its permissions. A pipe or a device gets the bytes.

    Raises:
        OSError: it cannot be written; nothing has changed. The error names ``path``.
    """
    target = Path(os.path.realpath(path))
    # With the file's ending, by which writers know the format.
    scratch = target.parent / f".acklab-{os.getpid()}-{next(_numbers)}{target.suffix}"
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield scratch
        if target.exists() and not target.is_file():
            with scratch.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        else:
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(target, scratch)
            os.replace(scratch, target)
    except OSError as error:
        if error.errno is not None and error.filename in (os.fspath(scratch), None):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


#: The formats of static charts.
CHART_FORMATS = ("svg", "png", "pdf")


def static_charts() -> list[str]:
    """Returns the formats in which results have charts as files: those that ``ACKLAB_CHARTS`` lists (``--charts``), else none."""
    asked = os.environ.get("ACKLAB_CHARTS", "").split(",")
    return [name for name in CHART_FORMATS if name in asked]


try:
    import fcntl
except ImportError:  # pragma: no cover - not a Unix system
    fcntl = None  # type: ignore[assignment]

MARKER, PRIVATE = "acklab.json", ".acklab"
_LOCK, _NEW, _READY, _OLD = "lock", "new", "ready", "old.json"
#: Changes when the marker's meaning, or that of what is kept in ``.acklab``, does.
FORMAT = 1
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
#: Most foreign names in a message, and columns of a name that is too long.
_MOST_NAMED, _COLUMNS = 3, 60


class FolderError(Shown, ValueError):
    """A directory cannot take these results: it holds others, foreign files of their names, or is in use."""


class Folder:
    """A directory for the results of ``verb``, held by this process between ``_open`` and ``_close``."""

    def __init__(self, path: Path, verb: str) -> None:
        self.path, self.verb, self.private = path, verb, path / PRIVATE
        self.marker: Mapping[str, Any] = {}
        """What the marker says; empty where there is none."""
        self._lock = -1
        self._made: list[Path] = []

    def _open(self, names: Iterable[str]) -> None:
        try:
            with deferred():  # so that a lock that is there is also known
                self._hold()
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise FolderError(
                    f"{short(str(self.path), _COLUMNS)}: the name is too long (most file systems allow 255 bytes); give another"
                ) from None
            raise self._said(error) from None
        _remove(self.private / _NEW)
        with deferred():
            self._arrive()
        self.marker = _marker(self.path / MARKER) or {}
        for made_by in (self.marker.get("verb"), (self.work() or {}).get("verb")):
            if made_by not in (None, self.verb):
                raise FolderError(
                    f"{self.path} holds results of `acklab {made_by}`, which `acklab {self.verb}` does not replace; give "
                    "another directory"
                )
        self._refuse_foreign(names)

    def _hold(self) -> None:
        """Makes the directory and takes its lock."""
        while True:
            self._make()
            try:
                self._lock = os.open(self.private / _LOCK, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o666)
            except FileNotFoundError:
                continue  # another process has just removed it
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise FolderError(f"{self.private / _LOCK} is a symbolic link; remove it") from None
                raise
            if fcntl is None:  # pragma: no cover - not a Unix system
                return
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._unlock()
                raise FolderError(
                    f"{self.path} is in use by another acklab; wait for it, or give another directory"
                ) from None
            with contextlib.suppress(FileNotFoundError):
                if os.fstat(self._lock).st_ino == os.lstat(self.private / _LOCK).st_ino:
                    return
            self._unlock()

    def _make(self) -> None:
        missing = [path for path in (self.path, *self.path.parents) if not path.exists()]
        self._made = missing or self._made
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise FolderError(f"{self.path} is no directory; give another name") from None
        except NotADirectoryError:
            file = next(path for path in self.path.parents if path.exists())
            raise FolderError(f"{self.path}: {file} is a file, no directory; give another name") from None
        try:
            self.private.mkdir()
        except FileExistsError:
            pass
        except FileNotFoundError:
            if self.path.exists():
                raise
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISDIR(self.private.lstat().st_mode):
                raise FolderError(f"{self.private} is no directory; acklab needs that name for itself")

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def work(self) -> dict[str, Any] | None:
        """The identity of unfinished work; None if there is none, empty if it is damaged."""
        try:
            found = json.loads(read(self.private / "work.json"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    @contextlib.contextmanager
    def replacing(
        self, about: Mapping[str, Any] | None = None, *, keep: Callable[[str], bool] = lambda name: False
    ) -> Iterator[Path]:
        """Gives a scratch directory whose files replace the results that are there once the block is done.

        When the block fails or is interrupted nothing changes.

        Args:
            about: more of what the marker says.
            keep: which of the earlier results stay, by name, unless there is a new one.

        Raises:
            FolderError: a foreign file has the name of a result.
            OSError: a directory or file cannot be written.
        """
        scratch = self.private / _NEW
        try:
            scratch.mkdir()
            yield scratch
            names = _names(scratch)
            self._refuse_foreign(names)
            marker = {
                "acklab": _core.__version__,
                "format": FORMAT,
                "verb": self.verb,
                **({"command": command.line} if command.line else {}),
            }
            marker |= {key: value for key, value in (about or {}).items() if value is not None}
            marker["files"] = sorted({*names, *filter(keep, self.marker.get("files", ()))})
            text = json.dumps({**marker, "checksum": _checksum(marker)}, indent=1)
            (scratch / MARKER).write_text(text + "\n", encoding="utf-8")
            with deferred():
                os.rename(scratch, self.private / _READY)
                self._arrive()
            self.marker = marker
        except OSError as error:
            raise self._said(error) from error
        finally:
            with deferred():
                _remove(scratch)

    def _said(self, error: OSError) -> OSError:
        """The error in words of the directory that was asked for, not of the private one inside."""
        if isinstance(error.filename, (str, os.PathLike)):
            name = os.fspath(error.filename).replace(str(self.private / _NEW), str(self.path))
            error.filename = str(self.path) if name.startswith(str(self.private)) else name
        elif error.filename is None:
            error.filename = str(self.path)
        return error

    def _refuse_foreign(self, names: Iterable[str]) -> None:
        """Refuses results where a foreign file has their name, or where their directory leads elsewhere."""
        own = set(self.marker.get("files", ()))
        device = self.private.stat().st_dev
        foreign = []
        for name in (MARKER, *names):
            target = self.path / name
            with contextlib.suppress(FileNotFoundError):
                found = target.lstat()
                if stat.S_ISDIR(found.st_mode) or not (name in own or (name == MARKER and self.marker)):
                    foreign.append(name)
            for parent in PurePosixPath(name).parents[:-1]:
                with contextlib.suppress(FileNotFoundError):
                    found = (self.path / parent).lstat()
                    if not stat.S_ISDIR(found.st_mode) or found.st_dev != device:
                        raise FolderError(f"{self.path / parent} is no plain directory; give another directory")
        if foreign:
            told = ", ".join(foreign[:_MOST_NAMED]) + (" and others" if len(foreign) > _MOST_NAMED else "")
            raise FolderError(
                f"{self.path} holds {told}, which {MARKER} does not name as acklab's; move it away, or give another directory"
            )

    def _arrive(self) -> None:
        """Carries out a decision, however far it has been carried out already."""
        ready = self.private / _READY
        try:
            new = _marker(ready / MARKER)
        except NotADirectoryError:
            new = None
        if new is None:
            _remove(ready)
            return
        arriving = _names(ready)
        for name in arriving:
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        retired = self.private / _OLD
        if _marker(self.path / MARKER) is not None:
            os.replace(self.path / MARKER, retired)
        old = _marker(retired)
        if old is not None:
            kept = set(new["files"]).difference(arriving)
            gone = [name for name in old["files"] if name not in kept]
            for name in gone:
                if self._is_plain(name):
                    (self.path / name).unlink(missing_ok=True)
            self._prune(gone)
            retired.unlink()
        for name in arriving:
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(ready / name, self.path / name)
        os.replace(ready / MARKER, self.path / MARKER)
        _remove(ready)

    def _is_plain(self, name: str) -> bool:
        """Whether the file is no directory, and no symbolic link leads to it. Behind a link, the file would not be acklab's."""
        parents = [self.path / parent for parent in PurePosixPath(name).parents[:-1]]
        return all(parent.is_dir() and not parent.is_symlink() for parent in parents) and (
            (self.path / name).is_symlink() or not (self.path / name).is_dir()
        )

    def _prune(self, names: Iterable[str]) -> None:
        """Removes the directories of removed files, where nothing is left in them."""
        parents = {parent for name in names for parent in PurePosixPath(name).parents[:-1]}
        for parent in sorted(parents, reverse=True):
            with contextlib.suppress(OSError):
                (self.path / parent).rmdir()

    def _close(self) -> None:
        """Releases the directory, and removes the directories that it made and that stayed empty."""
        with deferred():
            if self._lock >= 0:
                _remove(self.private / _NEW)
                with contextlib.suppress(OSError):
                    (self.private / _LOCK).unlink()
            for path in (self.private, *self._made):
                with contextlib.suppress(OSError):
                    path.rmdir()
            self._unlock()


@contextlib.contextmanager
def results(path: str | os.PathLike[str], verb: str, names: Iterable[str] = ()) -> Iterator[Folder]:
    """Holds a directory for the results of a verb.

    Args:
        path: the directory; it is made if it is not there.
        verb: what makes the results.
        names: results whose names foreign files must not have, so that they are found before the work begins.

    Raises:
        FolderError: the directory cannot take the results.
        OSError: it cannot be written.
    """
    folder = Folder(Path(path), verb)
    try:
        folder._open(names)
        yield folder
    finally:
        folder._close()


def read(path: Path) -> bytes:
    """A regular file that is no symbolic link.

    Raises:
        FileNotFoundError: there is none.
        OSError: it is something else, or cannot be read.
    """
    with open(os.open(path, os.O_RDONLY | _NO_LINK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is no file", os.fspath(path))
        return file.read()


def marker(path: Path) -> dict[str, Any] | None:
    """What the marker of a directory of complete results says; None if there is none.

    Raises:
        FolderError: the marker is damaged, not acklab's, or of another format.
    """
    try:
        return _marker(path / MARKER)
    except NotADirectoryError:
        return None


def opened(path: Path) -> dict[str, Any]:
    """What the marker of a directory of complete results says.

    Raises:
        ValueError: there are no such results; the message says what is there.
    """
    if (about := marker(path)) is not None:
        return about
    if path.is_dir():
        raise ValueError(f"{path} holds no results of acklab")
    raise ValueError(f"{path} is a file, not a directory" if path.exists() else f"there is no directory {path}")


def _marker(path: Path) -> dict[str, Any] | None:
    """What a marker says; None if there is none.

    Raises:
        FolderError: the marker is damaged, not acklab's, or of another format.
    """
    try:
        found = json.loads(read(path))
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or found.pop("checksum", "") != _checksum(found) or not _is_ours(found):
        raise FolderError(f"{path} is damaged or not acklab's; remove it, or give another directory")
    if found["format"] != FORMAT:
        raise FolderError(
            f"{path} is of acklab {found.get('acklab')}, this is {_core.__version__}; give another directory"
        )
    return found


def _checksum(marker: Mapping[str, Any]) -> str:
    return f"{zlib.crc32(json.dumps(marker, sort_keys=True).encode()):08x}"


def _is_ours(marker: Mapping[str, Any]) -> bool:
    """Whether a marker has what every marker has. No marker of acklab has a name that leads out of the directory."""
    names = marker.get("files")
    return (
        isinstance(marker.get("format"), int)
        and isinstance(marker.get("verb"), str)
        and isinstance(names, list)
        and all(isinstance(name, str) and _is_inside(name) for name in names)
    )


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and "\0" not in name and not path.is_absolute() and not {"..", PRIVATE} & set(path.parts)


def _names(folder: Path) -> list[str]:
    """The files below a directory but for the marker, in order."""
    found = [path for path in folder.rglob("*") if not path.is_dir()]
    return sorted(path.relative_to(folder).as_posix() for path in found if path != folder / MARKER)


def _remove(path: Path) -> None:
    """Removes a directory of our own, or whatever has its name."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink()
