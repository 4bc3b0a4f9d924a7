"""A sweep's tables, written piece by piece: a row per run and flow, and the summary of each point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..compare.metrics import Metric
from ..compare.rank import interval, sample
from .execute import Tree, Work
from .metrics import schema
from .seeds import as_number

if TYPE_CHECKING:
    import polars as pl

#: Results are turned into rows in pieces of about so many bytes.
PIECE = 4 << 20
#: Rows of a group in Parquet files.
GROUP = 1 << 16


def write_flows(work: Work, folder: Path) -> None:
    """Writes ``flows.csv`` and ``flows.parquet``, a row per run and flow, never holding more than a piece of them."""
    import polars as pl

    path = folder / "flows.csv"
    kinds: Any = None
    with path.open("wb") as file:
        for frame in _pieces(work):
            frame.write_csv(file, include_header=kinds is None)
            kinds = frame.schema if kinds is None else kinds
    scan = pl.scan_csv(path, schema=kinds)
    scan.sink_parquet(folder / "flows.parquet", compression="zstd", row_group_size=GROUP, maintain_order=True)


def _pieces(work: Work) -> Iterator[pl.DataFrame]:
    """The rows of all runs in order, some runs at a time."""
    keys: list[tuple[int, int]] = []
    lines: list[bytes] = []
    size = 0
    for point, count in enumerate(work.seeds):
        for seed in range(1, count + 1):
            line = work.journal.line(work.number(point, seed))
            keys.append((point, seed))
            lines.append(line)
            size += len(line)
            if size >= PIECE:
                yield _rows(work, keys, lines)
                keys, lines, size = [], [], 0
    if lines:
        yield _rows(work, keys, lines)


def _rows(work: Work, keys: Sequence[tuple[int, int]], lines: Sequence[bytes]) -> pl.DataFrame:
    import polars as pl

    flows = schema("flows")
    wanted = work.design.plan.columns or list(flows)
    told = pl.read_ndjson(b"\n".join(lines), schema={"flows": pl.List(pl.Struct(dict(flows)))})
    columns = varied(work, [point for point, _ in keys])
    columns["seed"] = pl.Series([seed for _, seed in keys], dtype=pl.UInt64)
    for one in work.design.plan.draws:
        columns[drawn_title(one)] = pl.Series([as_number(one.value(seed)) for _, seed in keys], strict=False)
    frame = pl.DataFrame(columns).with_columns(told["flows"])
    exploded = frame.explode("flows")
    return exploded.drop("flows").hstack(exploded["flows"].struct.unnest().select(wanted).get_columns())


def drawn_title(one: Any) -> str:
    """What the column of a drawn key is called."""
    unit = one.low.kind if not one.choices else ""
    return f"{one.key}_{unit}" if unit else str(one.key)


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


def summary(work: Work) -> pl.DataFrame:
    """A row per point and metric: mean, 95 % interval, how many runs."""
    import polars as pl

    metrics = work.design.metrics
    points: list[int] = []
    told: dict[str, list[Any]] = {name: [] for name in ("metric", "unit", "mean", "low", "high", "n", "missing")}
    for point in range(work.design.plan.points):
        tree = Tree(work.design, point)
        values = [[one.read(run, tree) for one in metrics] for run in work.summaries(point)]
        for place, one in enumerate(metrics):
            points.append(point)
            for name, cell in _told(one, [row[place] for row in values]).items():
                told[name].append(cell)
    kinds = {"metric": pl.String, "unit": pl.String, "n": pl.UInt32, "missing": pl.UInt32}
    columns = {name: pl.Series(cells, dtype=kinds.get(name, pl.Float64)) for name, cells in told.items()}
    return pl.DataFrame({**varied(work, points), **columns})


def _told(metric: Metric, values: Sequence[float]) -> dict[str, Any]:
    """A metric at a point; where a run has no value there is no mean, which would flatter."""
    one = sample(values)
    ends = interval(one) if one is not None and len(values) > 1 else None
    return {
        "metric": metric.name,
        "unit": metric.quantity.unit,
        "mean": None if one is None else one.value,
        "low": None if ends is None else ends.low,
        "high": None if ends is None else ends.high,
        "n": len(values),
        "missing": sum(value != value for value in values),
    }


def write_summary(frame: pl.DataFrame, folder: Path) -> None:
    """Writes ``summary.csv`` and ``summary.parquet``."""
    frame.write_csv(folder / "summary.csv")
    frame.write_parquet(folder / "summary.parquet", compression="zstd", row_group_size=GROUP)
