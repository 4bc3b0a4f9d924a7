"""How long what waits in a queue still waits: until as many packets have left."""

from __future__ import annotations

import polars as pl


class Waits:
    """The waits of some rows of a table that is read in pieces; besides these rows only the latest piece is held.

    The n-th packet in leaves as the n-th out. ``entered`` is how many have to leave.
    """

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, int]] = {}
        """Of each link, how many have left, and the length."""
        self._leaves = pl.DataFrame()
        self._pending: pl.DataFrame | None = None
        self._known: list[pl.DataFrame] = []

    def counted(self, piece: pl.DataFrame) -> pl.DataFrame:
        """All changes of a piece with ``entered``, in their order."""
        parts = []
        for (link,), rows in (
            piece.with_row_index("_row").partition_by("link", as_dict=True, maintain_order=True).items()
        ):
            left, before = self._last.get(str(link), (0, 0))
            step = pl.col("length").diff().fill_null(pl.col("length") - before)
            rows = rows.with_columns(length=pl.col("queue_packets").cast(pl.Int64)).with_columns(
                out=left + (-step).clip(0).cum_sum()
            )
            self._last[str(link)] = rows["out"][-1], rows["length"][-1]
            parts.append(rows.with_columns(left=pl.col("out") != pl.col("out").shift(1, fill_value=left)))
        whole = pl.concat(parts).sort("_row")
        self._leaves = whole.filter("left").select("link", "out", left_s="time_s")
        return whole.select(*piece.columns, entered=pl.col("out") + pl.col("length"))

    def keep(self, rows: pl.DataFrame) -> None:
        """Takes rows of the latest piece, and finds the waits of those that are known by now."""
        rows = rows if self._pending is None else pl.concat([self._pending, rows])
        found = rows.sort("entered").join_asof(
            self._leaves.sort("out"),
            left_on="entered",
            right_on="out",
            by="link",
            strategy="forward",
            check_sortedness=False,
        )
        wait = pl.when(pl.col("queue_packets") > 0).then((pl.col("left_s") - pl.col("time_s")) * 1e3).otherwise(0.0)
        found = found.with_columns(wait_ms=wait)
        self._known.append(found.filter(pl.col("wait_ms").is_not_null()).drop("entered", "out", "left_s", strict=False))
        self._pending = found.filter(pl.col("wait_ms").is_null()).select(rows.columns)

    def frame(self) -> pl.DataFrame:
        """The rows with ``wait_ms``, null where it was not over at the end."""
        assert self._pending is not None
        return pl.concat([*self._known, self._pending.drop("entered").with_columns(wait_ms=pl.lit(None, pl.Float64))])
