"""Output files of an inference: the table of readings, ``infer.json``, charts, one offline page, and the winner's scenario."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._frames import provenance, system_errors
from ..scenario._toml import dumps
from ..tune.draws import Path as Drawn
from ..tune.words import written
from . import words

if TYPE_CHECKING:
    import polars as pl

    from .bench import Bench
    from .found import Found


def frame(result: Found) -> pl.DataFrame:
    """A row a reading, the most probable first; readings of one probability by their fit, then in the order tried."""
    import polars as pl

    one, named = result.posterior, list(dict.fromkeys(result.plan.space.columns.values()))
    order = sorted(range(len(result.choices)), key=lambda row: (-one.weights[row], -one.likelihood[row], row))
    rows = []
    for row in order:
        fit = float(one.likelihood[row])
        cells = result.choices[row].cells
        rows.append({
            "reading": row + 1,
            **{name: written(cells[name]) if name in cells else None for name in named},
            "probability": float(one.weights[row]) if result.whole else None,
            "misfit": float(one.likelihood.max()) - fit if math.isfinite(fit) else None,
            **{value.name: _known(one.mean[row, k]) for k, value in enumerate(result.plan.values)},
        })  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def _known(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


def plain(result: Found) -> dict[str, Any]:
    """The inference as plain values: the object of ``--json`` and ``infer.json``."""
    plan, one = result.plan, result.posterior
    (winner, chance), (mean, spread) = one.predicted(one.winner), one.predicted()
    return {
        "title": plan.title or plan.name,
        "answer": words.sentence(result),
        "held_out": words.prediction(result),
        "leave_one_out": words.left_out(result),
        "unreached": words.unreached(result),
        "assumed": words.assumed(result),
        "readings": len(result.choices),
        "of": plan.space.size or None,
        "search": plan.search,
        "nudges": plan.nudges,
        "runs": result.runs,
        "winner": one.winner + 1,
        "best": dict(result.best),
        "scale": one.scale,
        "rules": [
            {"name": rule.name, "verdict": rule.verdict, "excluded": [written(cell) for cell in rule.excluded],
             "values": [{"value": written(cell), "weight": weight, "prior": before, "readings": count}
                        for cell, weight, before, count in zip(rule.cells, rule.probability, rule.prior, rule.tried, strict=True)]}
            for rule in result.rules
        ],
        "values": [
            {"name": value.name, "unit": value.unit, "printed": value.value, "tolerance": value.tolerance, "use": "fit" if value.fit else "held-out",
             "group": value.group, "baseline": _known(result.baseline[k]), "winner": _known(winner[k]), "winner_deviation": _known(chance[k]),
             "posterior": _known(mean[k]) if result.whole else None, "posterior_deviation": _known(spread[k]) if result.whole else None,
             "nearest": _known(near.mean), "distance": _known(near.distance), "within": near.within,
             "nearest_reading": near.reading + 1}
            for k, (value, near) in enumerate(zip(plan.values, result.reached, strict=True))
        ],
        "groups": [
            {"group": group.group, "miss_baseline": _known(group.misses[0]), "miss_winner": _known(group.misses[1]), "miss_posterior": _known(group.misses[2])}
            for group in result.left_out
        ],
    }  # fmt: skip


def write(result: Found, bench: Bench, folder: Path) -> None:
    """Writes everything into a directory."""
    from ..figures import draw
    from .picture import charts

    table, plan = frame(result), result.plan.told()
    texts = [one.scenario if isinstance(one.scenario, str) else one.scenario.decode(errors="replace") for one in result.plan.entries]
    about = provenance(scenario="\n".join(dict.fromkeys(texts)), plan=plan, seeds=result.plan.nudges)
    with system_errors(folder / "readings.parquet"):
        table.write_parquet(folder / "readings.parquet", metadata=about)
    table.write_csv(folder / "readings.csv")
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    first = result.plan.entries[0].name
    tree = bench.written(result.winner.sets, Drawn(0, 0, first, {}, (1,)), exactly=False)
    (folder / "best.toml").write_text(f"# Of `acklab infer`: run {first!r} under the winner.\n{dumps(tree)}", encoding="utf-8")
    shown = []
    for chart in charts(result):
        picture = draw.save(chart, folder / f"{chart.name}.png")
        (folder / f"{chart.name}.svg").write_text(picture.svg, encoding="utf-8")
        shown.append(draw.embedded(chart, picture))
    (folder / "infer.html").write_text(_page(result, shown), encoding="utf-8")
    (folder / "infer.json").write_text(json.dumps(plain(result), indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _page(result: Found, charts: list[str]) -> str:
    """One page that needs no network."""
    from .. import __version__
    from ..figures.html import document, esc, header, table

    plan = result.plan
    title = plan.title or plan.name
    body = [header(words.sentence(result), "acklab infer", title, quick=False)]
    body += [f'<p class="lead">{esc(text)}</p>' for text in (words.prediction(result), words.left_out(result), *words.unreached(result)) if text]
    body.append("</header><main>")
    body += [f'<section class="card">{chart}</section>' for chart in charts]
    sections = [("Each rule", words.rule_rows(result), 3), ("Each value", words.value_rows(result), 3)]
    if result.left_out:
        sections.append(("Each group predicted from the others", words.group_rows(result), 2))
    for name, (heads, rows), texts in sections:
        kinds = ["text wrap"] * texts
        body.append(f'<section class="card"><h2>{name}</h2>{table(list(map(esc, heads)), [list(map(esc, row)) for row in rows], kinds)}</section>')
    body += [f'<p class="note">{esc(line)}</p>' for line in (words.notes(), *words.assumed(result), *words.basis(result))]
    files = (
        "readings.parquet and readings.csv: a row a reading, the best first; infer.json: this page's numbers; best.toml: the first run under "
        "the winner; runs.jsonl.gz: every run's whole result."
    )
    body.append(f'</main><footer class="foot">acklab {esc(__version__)}. {esc(files)}</footer>')
    return document(title, "".join(body))
