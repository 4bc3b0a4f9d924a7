"""A report as one offline page."""

from __future__ import annotations

from collections.abc import Sequence

from ..figures.html import MAX_STACKED, SCROLLER, VIEWER, document, esc, fold, header
from ..text.templates import Fact, sentence
from .report import Cell, Report, Table

#: Most characters of a name that stands on one line.
MAX_LINE = 24
#: A table of more columns has less room between them.
MAX_ROOMY = 6


def page(report: Report) -> str:
    """Returns the page."""
    shown = [one for one in report.tables if one.rows]
    above = "".join(table(one) for one in shown if one.lead)
    below = "".join(table(one) for one in shown if not one.fold and not one.lead)
    folded = "".join(table(one) for one in shown if one.fold)
    picture = f'<section class="card">{report.picture}</section>' if report.picture else ""
    head = f"{header(report.title, f'acklab {report.verb}', '', quick=False)}{listed(report.facts)}</header>"
    charts = VIEWER if report.viewer else ""
    if report.viewer_fold:
        charts, folded = "", folded + fold(report.viewer_fold, charts)
    body = f"{head}<main>{above}{picture}{charts}{below}{report.rest}{folded}</main>"
    return document(f"{report.title}: {sentence(report.facts[0])}", body, viewer=report.viewer)


def listed(facts: Sequence[Fact]) -> str:
    """Facts as a list."""
    return f"<ul class=facts>{''.join(f'<li>{esc(sentence(one))}</li>' for one in facts)}</ul>"


def table(of: Table) -> str:
    """Returns a table; on a telephone each row of a short one is a block, in which a cell says its heading."""
    widths = [
        max((len(cell if isinstance(cell, str) else cell.text) for cell in column), default=0)
        for column in zip(*of.rows, strict=True)
    ]
    kinds = ["text wrap long" if width > MAX_LINE else "text" for width in widths[: of.names]]
    kinds += [""] * (len(of.heads) - len(kinds))
    stacked = "stacked" if len(of.heads) > 2 and len(of.rows) <= MAX_STACKED else ""
    if of.results:  # on a telephone they are cells of one grid, whose columns change places
        stacked, first = "turned-round", len(of.heads) - of.results
        kinds = [kind if place < first else f"{kind} result".strip() for place, kind in enumerate(kinds)]
    head = "".join(f'<th scope=col class="{kind}">{esc(text)}</th>' for text, kind in zip(of.heads, kinds, strict=True))
    top = f"<thead><tr>{head}</tr></thead>" if any(of.heads) else ""
    named = [f"{kinds[0]} named", *kinds[1:]] if of.names else kinds
    rows = "".join(f"<tr>{''.join(map(_cell, row, of.heads, named))}</tr>" for row in of.rows)
    classes = " ".join(part for part in (stacked, "dense" if len(of.heads) > MAX_ROOMY else "") if part)
    style = f' class="{classes}"' if classes else ""
    columns = f' style="--columns:{len(of.heads)}"' if of.results else ""
    body = f"{SCROLLER}<table{style}{columns}>{top}<tbody>{rows}</tbody></table></div>"
    body += f'<p class="note">{"<br>".join(esc(sentence(foot)) for foot in of.feet)}</p>' if of.feet else ""
    if of.bare:
        return body
    if of.fold:
        return fold(of.name, body)
    return f'<section class="card">{f"<h2>{esc(of.name)}</h2>" if of.name else ""}{body}</section>'


def _cell(cell: str | Cell, head: str, kind: str) -> str:
    text, mark, link = (cell, "", "") if isinstance(cell, str) else (cell.text, cell.mark, cell.link)
    shown = f"<code>{esc(text)}</code>" if mark == "code" and text else esc(text)
    shown = f'<a href="#{link}">{shown}</a>' if link else shown
    classes = " ".join(part for part in (kind, mark if mark != "code" else "", "" if text else "empty") if part)
    return f'<td class="{classes}" data-head="{esc(head)}">{shown}</td>'
