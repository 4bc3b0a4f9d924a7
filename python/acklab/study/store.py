"""Sweeps as datasets: partitioned Parquet in a directory or an object store; the tables of one, or of any results, as datasets of pyarrow."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .. import _core
from ..engines.cluster import Cluster, results
from ..results import command
from ..results.frames import provenance
from ..results.validity import COLUMN
from ..runs import cpu_count
from ..text.terminal import Shown, file_name, one_line
from .grammar import refuse
from .runs import Meter, unwatched
from .shards import Shard
from .sweep import GROUP, Design, Rows

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
        with _store_errors(self):
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
        with _store_errors(self):
            return files.cat_file(f"{root}/{name}")  # type: ignore[no-any-return]

    def write(self, name: str, data: bytes) -> None:
        """Puts a file there, in place of what has its name.

        Raises:
            OSError: it cannot be written; nothing has changed.
        """
        if self.is_url:
            files, root = self.files()
            with _store_errors(self):
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


class _store_errors:
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


MARKER, FILE = "_acklab.json", "flows.parquet"
#: Changes when what a dataset's files mean does.
FORMAT = 1
#: Packets that the links of a block carry, by its first run, and most runs and rows of a block: seconds of work, some megabytes.
PACKETS, MOST_RUNS, MOST_ROWS = 20_000_000, 50_000, 200_000
#: A plan is divided into so many blocks, so that several processors have work, unless that leaves a block fewer packets.
DIVIDED, FEW_PACKETS = 32, 200_000
#: Runs of a block whose results are held as text at a time.
PIECE = 2_000


@dataclass(frozen=True)
class Blocks:
    """A plan's runs in blocks, and where they go."""

    design: Design
    store: Store
    size: int
    """Runs of a block."""
    about: Mapping[str, str]
    """The files' metadata."""

    @property
    def runs(self) -> int:
        """Runs altogether."""
        return self.design.plan.points * self.design.plan.seeds.most

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return -(-self.runs // self.size)

    def numbers(self, block: int) -> range:
        """The runs of a block."""
        return range(block * self.size, min(self.runs, (block + 1) * self.size))

    def write(self, block: int) -> int:
        """Makes the runs of a block and writes its file; how many runs.

        Raises:
            RunError: a run failed.
            OSError: the file cannot be written.
        """
        import polars as pl

        plan, frames = self.design.plan, []
        numbers = self.numbers(block)
        for first in range(0, len(numbers), PIECE):
            rows, some = Rows(self.design), numbers[first : first + PIECE]
            for number, line in zip(some, results(self.design.scenarios(some)), strict=True):
                point, seed = divmod(number, plan.seeds.most)
                if line.startswith(b'{"error"'):
                    said = str(json.loads(line)["error"]).split(": ", 1)[-1]
                    raise _core.RunError(f"{self.design.called(point)}, seed {seed + 1}: {said}")
                rows.add(point, seed + 1, line)
            frames.append(rows.frame())
        buffer = io.BytesIO()
        pl.concat(frames).write_parquet(buffer, compression="zstd", row_group_size=GROUP, metadata=dict(self.about))
        self.store.write(name(block), buffer.getvalue())
        return len(numbers)

    def marker(self) -> dict[str, Any]:
        """What the dataset says of itself."""
        about = {"acklab": _core.__version__, "format": FORMAT, "work": self.design.identity(), "runs": self.runs}
        about |= {
            "block": self.size,
            "blocks": self.count,
            "columns": self.design.plan.columns,
            **self.design.plan.told(),
        }
        return {**about, "command": command.line} if command.line else about


def name(block: int) -> str:
    """The file of a block."""
    return f"block={block}/{FILE}"


def blocks(design: Design, store: Store) -> Blocks:
    """A plan in blocks, of a size that follows from its first run.

    Raises:
        StudyError: runs decide how many there are, or the simulator does not make them, or a column cannot be called as it is.
    """
    plan = design.plan
    taken = any(column.title == "block" for column in (*plan.columns_told, *plan.draws))
    refuse(
        (plan.seeds.half_width, "a dataset needs a fixed number of seeds; leave out half_width, or write with --out"),
        (plan.engine != "simulator", "a dataset is made by the simulator; leave out --virtual, or write with --out"),
        (taken, "the column block is the dataset's own; give another name in [names]"),
    )
    summary = json.loads(next(results(design.lines(0, [1]))))
    packets = max(1, sum(link["packets"] for link in summary["links"]))
    divided = max(plan.points * plan.seeds.most // DIVIDED, FEW_PACKETS // packets)
    size = min(divided, PACKETS // packets, MOST_RUNS, MOST_ROWS // max(1, len(summary["flows"])))
    return Blocks(design, store, max(1, size), provenance(**plan.told()))


def write(
    design: Design,
    place: str,
    *,
    threads: int | None = None,
    ray: bool = False,
    address: str | None = None,
    shard: Shard | None = None,
    meter: Callable[[int], Meter] = unwatched,
) -> tuple[int, int]:
    """Writes what is missing of a plan's dataset: the runs that are there then, and how many were before.

    Args:
        design: the plan.
        place: a directory or URL; what an earlier attempt at the same plan left there is not made again.
        threads: how many blocks at once; one a processor if left out.
        ray: let a Ray cluster make the blocks. Its machines write to ``place`` themselves.
        address: of the cluster; this machine if left out.
        shard: makes a part of the blocks only.
        meter: is told how it goes on.

    Raises:
        StudyError: it is no plan for a dataset, or a point is no scenario; nothing was run.
        StoreError: ``place`` cannot be used, or holds something else; nothing was run.
        RunError: a run failed; the blocks that are done are kept.
        OSError: something cannot be written; the blocks that are done are kept.
    """
    design.check()
    given = blocks(design, Store(place))
    there = _begin(given)
    chosen = [block for block in range(given.count) if shard is None or shard.has(block)]
    missing = [block for block in chosen if block not in there]
    total, left = (sum(len(given.numbers(block)) for block in some) for some in (chosen, missing))
    watched = meter(left)
    try:
        for made in _by_ray(given, missing, address) if ray else _by_threads(given, missing, threads or cpu_count()):
            watched(made)
    finally:
        watched.close()
    if shard is None:
        given.store.tidy()
    return total, total - left


def _begin(given: Blocks) -> set[int]:
    """Marks the place as this dataset's; the blocks that are there."""
    store, wanted = given.store, given.marker()
    if not store.lasts:
        raise StoreError(
            f"{store}: nothing of it is there after this process; give a directory, or the URL of an object store"
        )
    try:
        names = store.names()
        found = read_marker(store) if MARKER in names else None
        if found is None:
            if names:
                raise StoreError(f"{store} holds {names[0]} and no dataset of acklab; give another place")
            store.write(MARKER, (json.dumps(wanted, indent=1) + "\n").encode())
    except OSError as error:
        if error.errno == errno.ENOSPC:  # the place is right
            raise
        raise StoreError(f"{store}: {error.strerror or error}") from error
    for key, what in (
        ("acklab", "version of acklab"),
        ("work", "plan or scenario"),
        ("block", "plan"),
        ("columns", "choice of columns"),
    ):
        if found is not None and found.get(key) != wanted[key]:
            raise StoreError(f"{store} holds a dataset of another {what}; give another place, or remove it")
    return blocks_of(names)


def blocks_of(names: Sequence[str]) -> set[int]:
    """The numbers of the blocks among files."""
    found = (re.fullmatch(rf"block=(\d+)/{re.escape(FILE)}", one) for one in names)
    return {int(one[1]) for one in found if one}


def read_marker(store: Store) -> dict[str, Any]:
    """What a dataset says of itself.

    Raises:
        StoreError: it says nothing that can be read.
        OSError: it cannot be read.
    """
    try:
        found = json.loads(store.read(MARKER))
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("blocks"), int):
        raise StoreError(f"{store}: {MARKER} is damaged; give another place")
    return found


def _by_threads(given: Blocks, missing: Sequence[int], threads: int) -> Iterator[int]:
    pool, waiting = ThreadPoolExecutor(threads), iter(missing)
    under_way = {pool.submit(given.write, block) for _, block in zip(range(threads), waiting, strict=False)}
    try:
        while under_way:
            done, under_way = wait(under_way, timeout=0.5, return_when=FIRST_COMPLETED)
            for one in done:
                yield one.result()
                under_way |= {pool.submit(given.write, block) for _, block in zip(range(1), waiting, strict=False)}
    finally:
        pool.shutdown(cancel_futures=True)


def _by_ray(given: Blocks, missing: Sequence[int], address: str | None) -> Iterator[int]:
    waiting = iter(missing)
    if not missing:
        return
    with Cluster(address) as cluster:
        for _, made in cluster.each(Blocks.write, given, lambda count: next(waiting, None)):
            yield made


T = TypeVar("T")


class QueryError(Shown, ValueError):
    """The question cannot be answered."""


def tables(place: str | os.PathLike[str]) -> dict[str, Any]:
    """The tables at a place, as datasets of pyarrow: a dataset's ``flows``, or a table for each Parquet file of a directory.

    Raises:
        StoreError: there are none, or a package is missing.
    """
    store = Store(place)
    path = Path(store.place)
    if not store.is_url and not path.exists():
        raise StoreError(f"{file_name(place)}: no such directory or file")
    arrow = _needed("pyarrow.dataset")
    if not store.is_url and path.is_file():
        return _readable(store, lambda: {_table(path): arrow.dataset(path, format="parquet")})
    names = _names(store)
    if MARKER in names:
        files, root = store.files() if store.is_url else (None, store.place)
        there = [f"{root}/{name(block)}" for block in sorted(blocks_of(names))]
        if not there:
            raise StoreError(f"{store} has no block yet; the command that began it goes on")
        how = {"format": "parquet", "partitioning": "hive", "partition_base_dir": root, "filesystem": files}
        return _readable(store, lambda: {"flows": arrow.dataset(there, **how)})
    found = {} if store.is_url else {_table(one): one for one in sorted(path.glob("*.parquet")) if one.is_file()}
    if not found:
        pages = [] if store.is_url else sorted(path.glob("*.html"))
        seen = f"; it has the page {file_name(pages[0])}" if pages else ""
        raise StoreError(
            f"{store} holds no dataset of acklab" + ("" if store.is_url else f" and no Parquet file{seen}")
        )
    return _readable(store, lambda: {table: arrow.dataset(file, format="parquet") for table, file in found.items()})


def caveat(place: str | os.PathLike[str]) -> str:
    """What is to be said of whatever is shown of a place: it is not complete, or from an invalid live run; else empty."""
    return unfinished(place) or invalid(place)


def invalid(place: str | os.PathLike[str]) -> str:
    """Why a live run's tables mean nothing; empty where they are valid, or of no live run."""
    for table in tables(place).values():
        if COLUMN in table.schema.names:
            arrow = _needed("pyarrow.dataset")
            told = table.head(1, columns=[COLUMN], filter=arrow.field(COLUMN).is_valid()).column(0).to_pylist()
            return f"{file_name(place)} is of an invalid live run: {told[0]}" if told else ""
    return ""


def unfinished(place: str | os.PathLike[str]) -> str:
    """What is to be said of a dataset that is not complete; empty where it is, or where there is no dataset."""
    store = Store(place)
    names = _names(store)
    if MARKER not in names:
        return ""
    there, whole = len(blocks_of(names)), read_marker(store)["blocks"]
    return f"{store} is not complete: {there:,} of {whole:,} blocks are there" if there < whole else ""


def _names(store: Store) -> list[str]:
    """The files of a dataset. A directory that is not a dataset is not listed, because it may be large."""
    if not store.is_url and not Path(store.place, MARKER).is_file():
        return []
    return _readable(store, store.names)


def _table(path: Path) -> str:
    """What `--table` calls a file's table."""
    return re.sub(r"\W", "_", path.stem)


def _readable(store: Store, read: Callable[[], T]) -> T:
    try:
        return read()
    except (OSError, ValueError) as error:  # pyarrow's errors are of these kinds
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{store}: {str(error).splitlines()[0]}") from None


def _needed(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise StoreError(f"charts of datasets need {name}: pip install {name}, or 'acklab[data]'") from None
