"""A sweep's tables, written piece by piece: a row per run and flow, and the summary of each point."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any

from .._frames import provenance, system_errors, write_csv
from .._line import record
from ..compare.metrics import Metric
from ..figures.stats import interval, sample
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
        flows = schema("flows")
        self._wanted = {name: flows[name] for name in work.design.plan.columns or flows}
        self._links = any(metric.quantity.of_link for metric in work.design.metrics)
        self._keys: list[tuple[int, int]] = []
        self._flows: list[list[Any]] = []
        self._runs: list[int] = []
        """For each row of the piece, which of its runs it is of."""
        self._written = 0
        """Pieces that are on disk."""

    def tell(self, folder: Path, kept: IO[bytes] | None) -> pl.DataFrame:
        """Writes ``flows.csv``, ``flows.parquet`` and, into ``kept``, every result; gives the summary."""
        import polars as pl

        rows = _Summary(self.work)
        size = 0
        with TemporaryDirectory(dir=folder) as pieces, (folder / "flows.csv").open("wb") as file:
            self._pieces = Path(pieces)
            for point in range(self.work.design.plan.points):
                values = []
                for seed, line in enumerate(self.work.lines(point), 1):
                    run = parsed(line, self._links)
                    values.append([metric.read(run) for metric in self.work.design.metrics])
                    self._flows += [[flow[name] for name in self._wanted] for flow in run["flows"]]
                    self._runs += [len(self._keys)] * len(run["flows"])
                    self._keys.append((point, seed))
                    size += len(line)
                    if kept is not None:
                        kept.write(record(self.work.number(point, seed), line))
                    if size >= PIECE:
                        self._write(file)
                        size = 0
                rows.add(point, values)
            self._write(file)
            scan = pl.scan_ipc([self._pieces / f"{number}.arrow" for number in range(self._written)])
            target = folder / "flows.parquet"
            with system_errors(target):
                about = provenance(**self.work.design.plan.told())
                scan.sink_parquet(target, compression="zstd", row_group_size=GROUP, maintain_order=True, metadata=about)
        return rows.frame()

    def _write(self, file: IO[bytes]) -> None:
        """Writes the piece's rows."""
        import polars as pl

        if self._written and not self._flows:
            return
        columns = varied(self.work, [point for point, _ in self._keys])
        columns["seed"] = pl.Series([seed for _, seed in self._keys], dtype=pl.UInt64)
        for one in self.work.design.plan.draws:
            named = any(isinstance(as_number(choice), str) for choice in one.choices)
            values = [str(one.value(seed)) if named else as_number(one.value(seed)) for _, seed in self._keys]
            columns[one.title] = pl.Series(values, dtype=pl.String if named else pl.Float64)
        runs = pl.DataFrame(columns)[self._runs]
        frame = runs.hstack(pl.DataFrame(self._flows, schema=self._wanted, orient="row").get_columns())
        with system_errors(Path(file.name)):
            write_csv(frame, file, header=not self._written)
            frame.write_ipc(self._pieces / f"{self._written}.arrow", compression="lz4")
        self._written += 1
        self._keys, self._flows, self._runs = [], [], []


def varied(work: Work, points: Sequence[int]) -> dict[str, Any]:
    """The point's number and the axes' columns, a cell for each of ``points``."""
    import polars as pl

    found: dict[str, Any] = {"point": pl.Series(points, dtype=pl.UInt32)}
    design = work.design
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
        return pl.DataFrame({**varied(self.work, self.points), **columns})


def _told(metric: Metric, values: Sequence[float], looks: int) -> dict[str, Any]:
    """A metric at a point; where a run has no value there is no mean, which would flatter."""
    one = sample(values)
    ends = interval(one, looks) if one is not None and len(values) > 1 else None
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
