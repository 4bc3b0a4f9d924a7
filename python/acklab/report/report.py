"""What every verb returns to be shown: facts, tables, a picture; as a terminal's text, and as one offline page; the cells of decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..results.findings import BETTER, DIFFERS, EQUIVALENT, NO_VALUE, UNDECIDED, WORSE, Finding
from ..text.numbers import ends, number
from ..text.templates import Fact, fact, sentence
from ..text.terminal import align, one_line

if TYPE_CHECKING:
    from .page import Viewer

#: Most characters of a name that stands on one line.
MAX_LINE = 24
#: A table of more columns has less room between them.
MAX_ROOMY = 6


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
        from .pieces import MAX_STACKED, SCROLLER, esc, fold

        widths = [
            max((len(cell if isinstance(cell, str) else cell.text) for cell in column), default=0)
            for column in zip(*self.rows, strict=True)
        ]
        kinds = ["text wrap long" if width > MAX_LINE else "text" for width in widths[: self.names]]
        kinds += [""] * (len(self.heads) - len(kinds))
        stacked = "stacked" if len(self.heads) > 2 and len(self.rows) <= MAX_STACKED else ""
        if self.results:  # on a telephone they are cells of one grid, whose columns change places
            stacked, first = "turned-round", len(self.heads) - self.results
            kinds = [kind if place < first else f"{kind} result".strip() for place, kind in enumerate(kinds)]
        head = "".join(
            f'<th scope=col class="{kind}">{esc(text)}</th>' for text, kind in zip(self.heads, kinds, strict=True)
        )
        top = f"<thead><tr>{head}</tr></thead>" if any(self.heads) else ""
        named = [f"{kinds[0]} named", *kinds[1:]] if self.names else kinds
        rows = "".join(f"<tr>{''.join(map(_cell, row, self.heads, named))}</tr>" for row in self.rows)
        classes = " ".join(part for part in (stacked, "dense" if len(self.heads) > MAX_ROOMY else "") if part)
        style = f' class="{classes}"' if classes else ""
        columns = f' style="--columns:{len(self.heads)}"' if self.results else ""
        body = f"{SCROLLER}<table{style}{columns}>{top}<tbody>{rows}</tbody></table></div>"
        body += f'<p class="note">{"<br>".join(esc(sentence(foot)) for foot in self.feet)}</p>' if self.feet else ""
        if self.bare:
            return body
        if self.fold:
            return fold(self.name, body)
        return f'<section class="card">{f"<h2>{esc(self.name)}</h2>" if self.name else ""}{body}</section>'


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
        from .pieces import VIEWER, document, fold, header, listed  # a terminal needs none of what draws

        shown = [table for table in self.tables if table.rows]
        above = "".join(table.html() for table in shown if table.lead)
        below = "".join(table.html() for table in shown if not table.fold and not table.lead)
        folded = "".join(table.html() for table in shown if table.fold)
        picture = f'<section class="card">{self.picture}</section>' if self.picture else ""
        head = f"{header(self.title, f'acklab {self.verb}', '', quick=False)}{listed(self.facts)}</header>"
        charts = VIEWER if self.viewer else ""
        if self.viewer_fold:
            charts, folded = "", folded + fold(self.viewer_fold, charts)
        body = f"{head}<main>{above}{picture}{charts}{below}{self.rest}{folded}</main>"
        return document(f"{self.title}: {sentence(self.facts[0])}", body, viewer=self.viewer)

    def plain(self) -> dict[str, Any]:
        """Title and facts as plain values, for JSON; the tables' numbers are the verb's."""
        return {"title": self.title, "facts": [told.plain() for told in self.facts]}


def _cell(cell: str | Cell, head: str, kind: str) -> str:
    from .pieces import esc

    text, mark, link = (cell, "", "") if isinstance(cell, str) else (cell.text, cell.mark, cell.link)
    shown = f"<code>{esc(text)}</code>" if mark == "code" and text else esc(text)
    shown = f'<a href="#{link}">{shown}</a>' if link else shown
    classes = " ".join(part for part in (kind, mark if mark != "code" else "", "" if text else "empty") if part)
    return f'<td class="{classes}" data-head="{esc(head)}">{shown}</td>'


SIGNS = {BETTER: "+", WORSE: "-", EQUIVALENT: "=", UNDECIDED: "?", DIFFERS: "~"}


def cell(row: Finding) -> Cell:
    """The cell of a finding: ``+40 % (35 to 46) +``, ``=``, ``-2 to 9 % ?``, or how many runs finished."""
    if row.verdict == NO_VALUE or row.change is None:
        return Cell(f"{row.finished} of {row.runs} finished", WORSE if row.loses else "")
    if row.verdict == EQUIVALENT:
        return Cell(SIGNS[EQUIVALENT])
    scale, unit = (100.0, "%") if row.relative else (1.0, row.unit)
    spread = "" if row.low is None or row.high is None else ends(scale * row.low, scale * row.high)
    sign = SIGNS.get(row.verdict, "")
    if row.verdict == UNDECIDED and spread:
        return Cell(f"{spread} {unit} {sign}".replace("  ", " "))
    half = scale * (row.high - row.low) / 2 if row.low is not None and row.high is not None else 0.0
    size = f"{'+' if row.change > 0 else ''}{number(scale * row.change, half or (1.0 if row.relative else 0.0))} {unit}"
    text = " ".join(part for part in (size.strip(), f"({spread})" if spread else "", sign) if part)
    return Cell(text, row.verdict if row.verdict in (BETTER, WORSE) else "")


def glyphs(margin: float) -> list[Fact]:
    """The legend."""
    return [fact("glyphs", margin=margin)]
