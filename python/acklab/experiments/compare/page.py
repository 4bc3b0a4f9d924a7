"""A comparison as one HTML page that needs no network."""

from __future__ import annotations

import re

from ...engines.batches import SIMULATOR
from ...figures.html import VIEWER, aside, document, esc, fold, header, table
from ...figures.stats import LEAST_SEEDS
from ...plot.runs import Run
from ...plot.words import NB, listing
from ...report.contents import CHARTS, manifest
from ...text.counts import counted
from .advice import MOST_NAMES, quoted, recommended
from .headline import capital, headline, trades
from .rank import FIRST, NO_VALUE, WORSE, Ranked, Ranking
from .result import Compared
from .setup import cases, experiment
from .tc import above
from .text import basis, changed, columns, distinct, heading, repeated

#: An option in a sentence, which stays in one line.
_FLAG, _FLAGGED = re.compile(r"--[a-z-]+( [\d.]+%?)?"), r'<code class="flag">\g<0></code>'


def page(told: Compared, chart: str, runs: list[Run], further: str = "") -> str:
    """The verdict; the chart of the objectives; how to set it up, or the trades; the rest behind lines that a telephone shows closed.

    Args:
        told: the comparison.
        chart: of the objectives.
        runs: one of each case, drawn over time.
        further: the chart of the other metrics, if it is another one.
    """
    names = [quoted(case.name) for case in told.comparison.cases]
    shown = listing(names) if len(names) <= MOST_NAMES else counted(len(names), "case")
    compared = f"{shown} by {listing([one.name for one in told.comparison.objectives])}"
    verdict, more = headline(told)
    detail = f"<p>{_FLAG.sub(_FLAGGED, esc(more))}</p>" if more else ""
    lines = dict(experiment(told))
    meant = lines.pop("metrics", "")
    metrics = f'<p class="note">{esc(capital(meant))}.</p>' if meant else ""
    detail += aside(
        "What was run", "".join(f'<p class="note"><b>{esc(word)}</b>: {esc(text)}</p>' for word, text in lines.items())
    )
    body = [header(verdict, f"acklab compare: {compared}", told.title, quick=False), f"{detail}</header><main>"]
    body.append(
        f'<section class="card">{chart}<p class="note">{esc(_meant(told))}</p>{metrics}{_cases(told)}</section>'
    )
    if traded := trades(told):
        heads, rows = traded
        drawn = table(heads, [[esc(text) for text in row] for row in rows], ["text wrap", *["wrap"] * (len(heads) - 1)])
        body.append(f'<section class="card"><h2>{esc(f"The trades, beside {names[0]}")}</h2>{drawn}</section>')
    if told.configure:
        hint = above(told.configure)
        note = f'<p class="note">{esc(hint)}</p>' if "DEV" in hint else ""
        body.append(fold("Set it up", note + "".join(map(_setting, told.configure))))
    if (moved := changed(told)) and not (traded and len(traded[1]) > 1):  # of several trades the table above has each
        said, heads, rows = moved
        if not any(row[-2] for row in rows):  # single runs have no intervals
            heads, rows = heads[:-2] + heads[-1:], [row[:-2] + row[-1:] for row in rows]
        cells = [[esc(text) for text in row] for row in rows]
        wide = ["text wrap"] * (2 if heads and heads[0] == "situation" else 1)
        drawn = table([esc(text) for text in heads], cells, wide) if rows else ""
        which, _, every = said.partition(", every")
        body.append(fold(which, f"<p>{esc(f'Every{every}')}</p>{drawn}"))
    if further:
        body.append(fold("The other metrics", further))
    ranked = []
    for ranking in told.rankings:
        heads, rows = columns(told, ranking)
        cells = [
            [esc(place), _case(told, ranking, row), *map(esc, rest)]
            for row, (place, _, *rest) in zip(distinct(told, ranking), rows, strict=True)
        ]
        name = f"<h3>{esc(text).replace(' %', NB + '%')}</h3>" if (text := heading(told, ranking)) else ""
        ranked.append(f"{name}{table([esc(one) for one in heads], cells, ['', 'text wrap'])}")
        ranked += [f'<p class="note">{esc(line)}.</p>' for line in repeated(told, ranking)]
    ranked += [f'<p class="note">{esc(line)}</p>' for line in basis(told)]
    body.append(fold("Every case", "".join(ranked)))
    sets = [
        [esc(case.name), "<br>".join(f"<code>{esc(text)}</code>" for text in case.sets) or "the scenario as it is"]
        for case in (*told.comparison.cases, *(s for s in told.comparison.situations if s.name))
    ]
    body.append(fold("What each case sets", table(["case or situation", "keys"], sets, ["text wrap", "text wrap"])))
    viewer = None
    if runs:
        charts = [name for name in CHARTS if name != "timeline"]
        viewer = manifest(runs, charts=charts, words=False)
        where = told.comparison.situations[0].name
        one = f"Each case with seed 1{f' in {where}' if where else ''}: one run{', which another seed can change' if told.random else ''}."
        body.append(
            f'<details class="fold" open><summary><h2>One run of each case, over time</h2></summary><p class="note">{esc(one)}</p>{VIEWER}</details>'
        )
    return document(f"{compared}: {told.title}", "".join(body) + "</main>", viewer=viewer)


def _cases(told: Compared) -> str:
    """What each case is, right below the chart, where the plan says it."""
    if not (known := cases(told)):
        return ""
    return aside(
        "What each case is",
        table(["case", "what it is"], [[esc(name), esc(about)] for name, about in known], ["text wrap", "text wrap"]),
    )


def _meant(told: Compared) -> str:
    """What made the numbers, and why an interval of a difference is wider than those in the chart."""
    origin = (
        "Simulated, not measured on a network"
        if told.comparison.engine == SIMULATOR
        else "Measured between kernels in virtual time"
    )
    judged = told.rankings[0].rules.family
    wider = (
        f" An interval in the chart is of one mean. The verdicts are of differences, all {judged} together: their intervals are wider."
        if judged > 1
        else ""
    )
    order = f" The first row is {quoted(told.comparison.cases[0].name)}, with which the others are compared."
    bold = " Bold is the recommended one." if recommended(told) else ""
    return f"{origin}.{order}{bold}{wider if told.random and told.seeds >= LEAST_SEEDS else ''}"


def _setting(text: str) -> str:
    """A line of what to set: a link, a command that can be copied, what differs; or a sentence where no command does it."""
    link, _, line = text.partition(": ")
    command, _, differs = line.partition("   # ")
    if not command.startswith("tc "):
        note = f'<p class="note">{esc(capital(differs))}</p>' if differs else ""
        return f"<p>{esc(link)}: {esc(command)}</p>{note}"
    return f'<p class="made set">{esc(link)}: <code>{esc(command)}</code></p>' + (
        f'<p class="note">{esc(differs)}</p>' if differs else ""
    )


def _case(told: Compared, ranking: Ranking, row: Ranked) -> str:
    """A case's name; marked are the first of the plan, the recommended one, and that to which every other is decided to be worse."""
    decided = ranking.random and all(other.verdict in (WORSE, NO_VALUE) for other in ranking.rows[1:])
    marks = [
        *(["best"] if row.verdict == FIRST and decided else []),
        *(["recommended"] if row.case == recommended(told) else []),
        *(["compared with"] if row.case == told.comparison.cases[0].name else []),
    ]
    return f"<span><strong>{esc(row.case)}</strong>, {', '.join(marks)}</span>" if marks else esc(row.case)
