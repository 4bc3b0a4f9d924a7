"""Tables apart from the extension: what a pickled or stored run keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import frames

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False, eq=False)
class Kept(frames.Tabular):
    """A table that was pickled or stored: a :class:`acklab.Table` in all that it does, over a polars frame."""

    name: str
    frame: pl.DataFrame

    @property
    def columns(self) -> list[str]:
        """Column names in order."""
        return self.frame.columns

    @property
    def nbytes(self) -> int:
        """Bytes the columns hold in memory."""
        return int(self.frame.estimated_size())

    def to_polars(self) -> pl.DataFrame:
        """The polars frame."""
        return self.frame

    def __getitem__(self, key: Any) -> Any:
        return frames.item(self, key)

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()

    def __repr__(self) -> str:
        types = ", ".join(f"{name}: {_word(dtype)}" for name, dtype in self.frame.schema.items())
        return f"<{self.name}: {len(self.frame)} rows; {types}>"


def _word(dtype: pl.DataType) -> str:
    """A type's name, as the extension's tables say it."""
    import polars as pl

    words = {
        pl.Float64: "float",
        pl.Boolean: "bool",
        pl.List: "list",
        pl.String: "str",
        pl.Categorical: "str",
        pl.Enum: "str",
    }
    return "int" if dtype.is_integer() else words.get(dtype.base_type(), "other")


def reduced(table: Any) -> tuple[type[Kept], tuple[str, pl.DataFrame]]:
    """What ``pickle`` needs of a table."""
    return Kept, (table.name, frames.to_polars(table))
