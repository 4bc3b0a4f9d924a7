"""What every verb returns to be shown: facts, tables, a picture; as a terminal's text, and as one offline page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..text.columns import align
from ..text.escapes import one_line
from ..text.templates import Fact, sentence

if TYPE_CHECKING:
    from ..report.page import Viewer


@dataclass(frozen=True)
class Cell:
    """A cell that is more than its text."""

    text: str
    mark: str = ""
    """``better``, ``worse``, ``best`` or ``code``: a class of the page's style."""
    link: str = ""
    """A place of the page."""


Row = Sequence[str | Cell]


@dataclass(frozen=True)
class Table:
    """A table, its caption, and the facts below it."""

    heads: Sequence[str]
    rows: Sequence[Row]
    name: str = ""
    """The caption."""
    feet: Sequence[Fact] = ()
    names: int = 1
    """Columns of names at the left; the others hold numbers."""
    fold: bool = False
    """A page shows it closed."""
    lead: bool = False
    """It stands above a page's picture."""
    results: int = 0
    """Columns at the right that a telephone shows first."""
    terminal: bool = True
    """A terminal shows it, too."""
    bare: bool = False
    """It stands in a card of a page already."""

    def lines(self) -> list[str]:
        """The table on a terminal."""
        caption = [one_line(self.name)] if self.name else []
        rows = [[cell.text if isinstance(cell, Cell) else cell for cell in row] for row in self.rows]
        lines = align(self.heads, rows, names=self.names)
        return [*caption, *(lines if any(self.heads) else lines[1:]), *map(sentence, self.feet)]

    def html(self) -> str:
        """The table on a page; on a telephone each row of a short one is a block, in which a cell says its heading."""
        from .page import table

        return table(self)


@dataclass(frozen=True)
class Report:
    """What a verb shows."""

    verb: str
    title: str
    facts: Sequence[Fact]
    """Three to five."""
    tables: Sequence[Table]
    """Those that lead, then the picture, then the others; what is folded comes last."""
    picture: str = field(default="", repr=False)
    """HTML of the page's picture."""
    viewer: Viewer | None = field(default=None, repr=False)
    """Charts over time, below the picture."""
    viewer_fold: str = ""
    """The title under which these charts are closed."""
    rest: str = field(default="", repr=False)
    """HTML of the page below the charts."""

    def text(self) -> str:
        """For a terminal."""
        lines = [one_line(self.title), *(one_line(sentence(told)) for told in self.facts)]
        for table in self.tables:
            lines += ["", *table.lines()] if table.terminal and table.rows else []
        return "\n".join(lines)

    def page(self) -> str:
        """One HTML file that needs no network."""
        from .page import page  # a terminal needs none of what draws

        return page(self)

    def plain(self) -> dict[str, Any]:
        """Title and facts as plain values, for JSON; the tables' numbers are the verb's."""
        return {"title": self.title, "facts": [told.plain() for told in self.facts]}
