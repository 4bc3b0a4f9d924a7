"""What every verb returns to be shown: facts, tables, a picture; as a terminal's text, and as one offline page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..figures.html import SCROLLER, VIEWER, document, esc, fold, header
from ..report.page import Viewer
from ..text.columns import align
from ..text.escapes import one_line
from ..text.templates import Fact, sentence

#: Most rows of a table that a telephone shows as blocks.
MAX_STACKED = 20


@dataclass(frozen=True)
class Cell:
    """A cell that is more than its text."""

    text: str
    mark: str = ""
    """``better``, ``worse``, ``best`` or ``code``: a class of the page's style."""


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
    """A telephone shows it closed."""
    terminal: bool = True
    """A terminal shows it, too."""

    def lines(self) -> list[str]:
        """The table on a terminal."""
        caption = [one_line(self.name)] if self.name else []
        rows = [[cell.text if isinstance(cell, Cell) else cell for cell in row] for row in self.rows]
        lines = align(self.heads, rows, names=self.names)
        return [*caption, *(lines if any(self.heads) else lines[1:]), *map(sentence, self.feet)]

    def html(self) -> str:
        """The table on a page; on a telephone each row of a short one is a block, in which a cell says its heading."""
        kinds = ["text wrap"] * self.names + [""] * (len(self.heads) - self.names)
        head = "".join(
            f'<th scope=col class="{kind}">{esc(text)}</th>' for text, kind in zip(self.heads, kinds, strict=True)
        )
        top = f"<thead><tr>{head}</tr></thead>" if any(self.heads) else ""
        rows = "".join(f"<tr>{''.join(map(_cell, row, self.heads, kinds))}</tr>" for row in self.rows)
        stacked = ' class="stacked"' if len(self.heads) > 2 and len(self.rows) <= MAX_STACKED else ""
        body = f"{SCROLLER}<table{stacked}>{top}<tbody>{rows}</tbody></table></div>"
        body += "".join(f'<p class="note">{esc(sentence(told))}</p>' for told in self.feet)
        if self.fold:
            return fold(self.name, body)
        return f'<section class="card">{f"<h2>{esc(self.name)}</h2>" if self.name else ""}{body}</section>'


def _cell(cell: str | Cell, head: str, kind: str) -> str:
    text, mark = (cell, "") if isinstance(cell, str) else (cell.text, cell.mark)
    shown = f"<code>{esc(text)}</code>" if mark == "code" and text else esc(text)
    classes = " ".join(part for part in (kind, mark if mark != "code" else "", "" if text else "empty") if part)
    return f'<td class="{classes}" data-head="{esc(head)}">{shown}</td>'


#: Rows of the longest table that stands above the picture.
MAX_ABOVE = 12


@dataclass(frozen=True)
class Report:
    """What a verb shows."""

    verb: str
    title: str
    facts: Sequence[Fact]
    """Three to five."""
    tables: Sequence[Table]
    """Those that are short and not folded stand above the picture."""
    picture: str = field(default="", repr=False)
    """HTML of the page's picture."""
    viewer: Viewer | None = field(default=None, repr=False)
    """Charts over time, below the tables."""

    def text(self) -> str:
        """For a terminal."""
        lines = [one_line(self.title), *(one_line(sentence(told)) for told in self.facts)]
        for table in self.tables:
            lines += ["", *table.lines()] if table.terminal and table.rows else []
        return "\n".join(lines)

    def page(self) -> str:
        """One HTML file that needs no network."""
        facts = "".join(f"<li>{esc(sentence(told))}</li>" for told in self.facts)
        shown = [table for table in self.tables if table.rows]
        above = "".join(table.html() for table in shown if not table.fold and len(table.rows) <= MAX_ABOVE)
        below = "".join(table.html() for table in shown if not table.fold and len(table.rows) > MAX_ABOVE)
        folded = "".join(table.html() for table in shown if table.fold)
        picture = f'<section class="card">{self.picture}</section>' if self.picture else ""
        head = f"{header(self.title, f'acklab {self.verb}', '', quick=False)}<ul class=facts>{facts}</ul></header>"
        body = f"{head}<main>{above}{picture}{below}{folded}{VIEWER if self.viewer else ''}</main>"
        return document(f"{self.title}: {sentence(self.facts[0])}", body, viewer=self.viewer)

    def plain(self) -> dict[str, Any]:
        """Title and facts as plain values, for JSON; the tables' numbers are the verb's."""
        return {"title": self.title, "facts": [told.plain() for told in self.facts]}
