"""A sweep's tables, written piece by piece: a row per run and flow, and the summary of each point."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any

from ...engines.line import record
from ...figures.stats import bounded, sample
from ...results.frames import provenance, system_errors, write_csv
from ..compare.metrics import Metric
from .design import Design
from .execute import Work, parsed
from .metrics import schema
from .plan import Plan
from .seeds import as_number

if TYPE_CHECKING:
    import polars as pl

#: Results are turned into rows in pieces of about so many bytes.
PIECE = 4 << 20
#: Rows of a group in Parquet files.
GROUP = 1 << 16


class Teller:
    """Reads the runs once, in order, and tells of them: the flows, the results as they are, and the points' summary."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self._links = any(metric.quantity.of_link for metric in work.design.metrics)
        self._written = 0
        """Pieces that are on disk."""

    def tell(self, folder: Path, kept: IO[bytes] | None) -> pl.DataFrame:
        """Writes ``flows.csv``, ``flows.parquet`` and, into ``kept``, every result; gives the summary."""
        import polars as pl

        summary = _Summary(self.work)
        rows, size = Rows(self.work.design), 0
        with TemporaryDirectory(dir=folder) as pieces, (folder / "flows.csv").open("wb") as file:
            self._pieces = Path(pieces)
            for point in range(self.work.design.plan.points):
                values = []
                for seed, line in enumerate(self.work.lines(point), 1):
                    run = parsed(line, self._links)
                    values.append([metric.read(run) for metric in self.work.design.metrics])
                    rows.add(point, seed, line)
                    size += len(line)
                    if kept is not None:
                        kept.write(record(self.work.number(point, seed), line))
                    if size >= PIECE:
                        self._write(rows, file)
                        rows, size = Rows(self.work.design), 0
                summary.add(point, values)
            self._write(rows, file)
            scan = pl.scan_ipc([self._pieces / f"{number}.arrow" for number in range(self._written)], glob=False)
            target = folder / "flows.parquet"
            with system_errors(target):
                about = provenance(**self.work.design.plan.told())
                scan.sink_parquet(target, compression="zstd", row_group_size=GROUP, maintain_order=True, metadata=about)
        return summary.frame()

    def _write(self, rows: Rows, file: IO[bytes]) -> None:
        """Writes a piece's rows."""
        if self._written and rows.is_empty:
            return
        frame = rows.frame()
        with system_errors(Path(file.name)):
            write_csv(frame, file, header=not self._written)
            frame.write_ipc(self._pieces / f"{self._written}.arrow", compression="lz4")
        self._written += 1


class Rows:
    """The flows of some runs as rows."""

    def __init__(self, design: Design) -> None:
        flows = schema("flows")
        self._design = design
        self._wanted = {name: flows[name] for name in design.plan.columns or flows}
        self._points: list[int] = []
        self._seeds: list[int] = []
        self._lines: list[bytes] = []

    @property
    def is_empty(self) -> bool:
        """Whether there are no runs."""
        return not self._lines

    def add(self, point: int, seed: int, line: bytes) -> None:
        """A run, and what it told."""
        self._points.append(point)
        self._seeds.append(seed)
        # No text inside has its quotes bare.
        self._lines.append(line[line.index(b',"flows":') + 9 : line.rindex(b',"links":')])

    def frame(self) -> pl.DataFrame:
        """The varied and drawn keys, the seed, the flows' columns."""
        import polars as pl

        columns = varied(self._design, self._points)
        columns["seed"] = pl.Series(self._seeds, dtype=pl.UInt64)
        for one in self._design.plan.draws:
            named = any(isinstance(as_number(choice), str) for choice in one.choices)
            values = [str(one.value(seed)) if named else as_number(one.value(seed)) for seed in self._seeds]
            columns[one.title] = pl.Series(values, dtype=pl.String if named else pl.Float64)
        kind = pl.List(pl.Struct(self._wanted))
        flows = pl.Series("flows", self._lines, dtype=pl.Binary).cast(pl.String).str.json_decode(kind)
        counts = flows.list.len()
        runs = pl.DataFrame(columns)[pl.int_range(len(counts), eager=True).repeat_by(counts).explode().drop_nulls()]
        return runs.hstack(flows.filter(counts > 0).explode().struct.unnest().get_columns())


def varied(design: Design, points: Sequence[int]) -> dict[str, Any]:
    """The point's number and the axes' columns, a cell for each of ``points``."""
    import polars as pl

    found: dict[str, Any] = {"point": pl.Series(points, dtype=pl.UInt32)}
    cells = {point: design.cells(point) for point in dict.fromkeys(points)}
    for place, column in enumerate(design.plan.columns_told):
        found[column.title] = pl.Series([cells[point][place] for point in points], dtype=_kind(column.cells))
    return found


def _kind(cells: Sequence[Any]) -> Any:
    import polars as pl

    if any(isinstance(cell, str) for cell in cells):
        return pl.String
    return pl.Int64 if all(isinstance(cell, int) for cell in cells) else pl.Float64


class _Summary:
    """A row per point and metric: mean, 95 % interval, how many runs."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.points: list[int] = []
        self.told: dict[str, list[Any]] = {
            name: [] for name in ("metric", "unit", "mean", "low", "high", "n", "missing")
        }

    def add(self, point: int, values: Sequence[Sequence[float]]) -> None:
        """A point, and every metric's value in each of its runs."""
        for place, one in enumerate(self.work.design.metrics):
            self.points.append(point)
            for name, cell in _told(one, [row[place] for row in values], self.work.design.plan.seeds.looks).items():
                self.told[name].append(cell)

    def frame(self) -> pl.DataFrame:
        """The table."""
        import polars as pl

        kinds = {"metric": pl.String, "unit": pl.String, "n": pl.UInt32, "missing": pl.UInt32}
        columns = {name: pl.Series(cells, dtype=kinds.get(name, pl.Float64)) for name, cells in self.told.items()}
        return pl.DataFrame({**varied(self.work.design, self.points), **columns})


def _told(metric: Metric, values: Sequence[float], looks: int) -> dict[str, Any]:
    """A metric at a point; where a run has no value there is no mean, which would flatter."""
    one = sample(values)
    ends = bounded(one, looks) if one is not None else None
    return {
        "metric": metric.name,
        "unit": metric.quantity.unit,
        "mean": None if one is None else one.value,
        "low": None if ends is None else ends.low,
        "high": None if ends is None else ends.high,
        "n": len(values),
        "missing": sum(value != value for value in values),
    }


def write_summary(frame: pl.DataFrame, plan: Plan, folder: Path) -> None:
    """Writes ``summary.csv`` and ``summary.parquet``."""
    with system_errors(folder / "summary.csv"), (folder / "summary.csv").open("wb") as file:
        write_csv(frame, file)
    with system_errors(folder / "summary.parquet"):
        about = provenance(**plan.told())
        frame.write_parquet(folder / "summary.parquet", compression="zstd", row_group_size=GROUP, metadata=about)
