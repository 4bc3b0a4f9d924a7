"""Where a dataset is: a local directory, or a place that fsspec knows by its URL (https://filesystem-spec.readthedocs.io)."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path
from typing import Any

from ...text.escapes import Shown, one_line

#: What local files are called until they are whole. Readers of datasets leave out names that begin with an underscore.
NEW = "_new"
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)(::|://)")


class StoreError(Shown, ValueError):
    """A dataset's place cannot be used, or holds something else."""


class Store:
    """A place for files, each of which is there as a whole or not at all. It can be sent to other machines."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        self.place = _local(os.fspath(place))
        self.is_url = bool(_URL.match(self.place)) and "://" in self.place
        self._files: Any = None
        if not self.is_url:
            self.place = os.path.abspath(self.place)

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.place,)

    def __str__(self) -> str:
        return one_line(self.place)

    @property
    def lasts(self) -> bool:
        """Whether files are there after the process that wrote them; those of fsspec's ``memory`` are not."""
        return not self.is_url or not re.search(r"(?:^|::)memory://", self.place, re.IGNORECASE)

    def files(self) -> tuple[Any, str]:
        """The file system of a URL, and the path there.

        Raises:
            StoreError: no installed package knows such places.
        """
        if self._files is None:
            try:
                from fsspec.core import url_to_fs

                self._files = url_to_fs(self.place)
            except ImportError as error:
                needs = "pip install fsspec s3fs" if "fsspec" in str(error) else str(error)
                raise StoreError(f"{self}: {needs}") from None
            except ValueError as error:
                raise StoreError(f"{self}: {error}") from None
        return self._files  # type: ignore[no-any-return]

    def names(self) -> list[str]:
        """The files there, by their paths below it, in order.

        Raises:
            OSError: the place cannot be read.
        """
        if not self.is_url:
            found = [path for path in Path(self.place).rglob("*") if path.is_file()]
            return sorted(
                name for path in found if not (name := path.relative_to(self.place).as_posix()).startswith(NEW)
            )
        files, root = self.files()
        files.invalidate_cache()
        with _told(self):
            return sorted(name[len(root) :].lstrip("/") for name in files.find(root))

    def read(self, name: str) -> bytes:
        """A file.

        Raises:
            FileNotFoundError: there is none.
            OSError: it cannot be read.
        """
        if not self.is_url:
            return Path(self.place, name).read_bytes()
        files, root = self.files()
        with _told(self):
            return files.cat_file(f"{root}/{name}")  # type: ignore[no-any-return]

    def write(self, name: str, data: bytes) -> None:
        """Puts a file there, in place of what has its name.

        Raises:
            OSError: it cannot be written; nothing has changed.
        """
        if self.is_url:
            files, root = self.files()
            with _told(self):
                files.pipe_file(f"{root}/{name}", data)
            return
        target = Path(self.place, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(self.place, NEW, f"{name.replace('/', '.')}.{socket.gethostname()}.{os.getpid()}")
        scratch.parent.mkdir(exist_ok=True)
        try:
            with scratch.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(scratch, target)
        except OSError as error:
            scratch.unlink(missing_ok=True)
            raise OSError(error.errno, error.strerror, str(target)) from None

    def tidy(self) -> None:
        """Removes what killed commands left unfinished."""
        if not self.is_url:
            shutil.rmtree(Path(self.place, NEW), ignore_errors=True)


def _local(place: str) -> str:
    """A URL of a local file as its path; any other place as it is.

    >>> _local("file:///tmp/runs"), _local("runs"), _local("s3://bucket/runs")
    ('/tmp/runs', 'runs', 's3://bucket/runs')
    """
    found = re.match(r"(?:file|local)://(?:localhost(?=/))?(.*)", place, re.IGNORECASE | re.DOTALL)
    if found is None:
        return place
    path = re.sub(r"^/(?=[A-Za-z]:)", "", found[1])  # a drive of Windows
    if not os.path.isabs(path):
        raise StoreError(f"{one_line(place)}: give the whole path, such as file:///tmp/runs")
    return path


class _told:
    """Makes errors of the system, which name the store, of those of its client library."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, kind: Any, error: BaseException | None, _: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, (FileNotFoundError, StoreError)):
            return
        said = one_line(str(error)) or type(error).__name__
        number = error.errno if isinstance(error, OSError) and error.errno else 5
        raise OSError(number, f"the store does not answer as it should: {said}", str(self._store)) from error
