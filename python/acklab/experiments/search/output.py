"""Output files of searches and inferences: the table, charts, one offline page, and the object of ``--json``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._core import __version__
from ...results.frames import provenance, system_errors
from ..sweep.names import worded

if TYPE_CHECKING:
    import polars as pl

    from ...figures.charts import Chart


#: A number and the unit of a scenario's value.
_QUANTITY = re.compile(r"([\d.]+)([kMG]?bps|[kMG]?B|[mun]?s|min)")


def written(value: Any) -> str:
    """A cell of a choice."""
    from ...scenario._toml import inline

    return value if isinstance(value, str) else inline(value)


def spoken(value: Any) -> str:
    """A cell in a sentence: a quantity with a space before its unit.

    >>> spoken("152.8ms"), spoken("43.15Mbps"), spoken("linux"), spoken(12)
    ('152.8\\xa0ms', '43.15\\xa0Mb/s', 'linux', '12')
    """
    text = written(value)
    found = _QUANTITY.fullmatch(text)
    return f"{found[1]}\u00a0{found[2].replace('bps', 'b/s')}" if found else text


def choice(cells: Mapping[str, Any]) -> str:
    """A choice in a sentence."""
    return ", ".join(f"{worded(name)} {spoken(value)}" for name, value in cells.items())


def write(
    folder: Path,
    verb: str,
    plan: Any,
    seeds: int,
    table: tuple[str, pl.DataFrame],
    plain: Any,
    charts: Iterable[Chart],
    page: Callable[[list[str]], str],
) -> None:
    """Writes a named table, the plan, ``plain`` and the page of charts under the verb's name, and the charts, into a directory."""
    from ...figures.html import saved

    told = plan.told()
    texts = [
        one.scenario if isinstance(one.scenario, str) else one.scenario.decode(errors="replace") for one in plan.entries
    ]
    about = provenance(scenario="\n".join(dict.fromkeys(texts)), plan=told, seeds=seeds)
    name, frame = table
    with system_errors(folder / f"{name}.parquet"):
        frame.write_parquet(folder / f"{name}.parquet", metadata=about)
    frame.write_csv(folder / f"{name}.csv")
    (folder / "plan.toml").write_text(told, encoding="utf-8")
    (folder / f"{verb}.html").write_text(page(saved(charts, folder, wide=True)), encoding="utf-8")
    (folder / f"{verb}.json").write_text(json.dumps(plain, indent=1, allow_nan=False) + "\n", encoding="utf-8")


Section = tuple[str, Sequence[str], Sequence[Sequence[str]], Sequence[str], str]
"""A table of a page: its title, heads, rows, the classes of its first columns, a note above."""


def page(
    verb: str,
    plan: Any,
    answer: str,
    leads: Sequence[str],
    charts: Sequence[str],
    sections: Sequence[Section],
    notes: Sequence[str],
    files: str,
    sure: Sequence[str] = (),
) -> str:
    """One page that needs no network; ``sure`` are the sentences on how sure the answer is, below the charts."""
    from ...figures.html import document, esc, fold, header, table

    title = plan.title or plan.name
    body = [header(answer, f"acklab {verb}", title, quick=False)]
    body += [f'<p class="lead">{esc(text)}</p>' for text in leads if text]
    body.append("</header><main>")
    body += [f'<section class="card">{chart}</section>' for chart in charts]
    if told := [text for text in sure if text]:
        body.append(fold("How sure this is", "".join(f"<p>{esc(text)}</p>" for text in told)))
    for name, heads, rows, classes, note in sections:
        cells = table(list(map(esc, heads)), [list(map(esc, row)) for row in rows], classes)
        body.append(fold(name, (f'<p class="note">{esc(note)}</p>' if note else "") + cells))
    body.append(
        fold("What the words mean, and what is assumed", "".join(f'<p class="note">{esc(line)}</p>' for line in notes))
    )
    body.append(f'</main><footer class="foot">acklab {esc(__version__)}. {esc(files)}</footer>')
    return document(title, "".join(body))
