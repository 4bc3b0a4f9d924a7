"""Output files of an inference: the table of readings, ``infer.json``, charts, one offline page, and the winner's scenario."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...scenario._toml import dumps
from ..search import output
from ..search.draws import Path as Drawn
from ..search.output import written
from . import check
from .report import facts, report

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
        "facts": [one.plain() for one in facts(result)],
        "checks": [{"kind": one.kind, "groups": one.groups, "missed": [group for group, _ in one.missed], "failed": one.failed} for one in result.checks],
        "readings": len(result.choices),
        "of": plan.space.size or None,
        "search": plan.search,
        "nudges": plan.nudges,
        "runs": result.runs,
        "winner": one.winner + 1,
        "best": dict(result.best),
        "scale": one.scale,
        "rules": [
            {"name": rule.name, "verdict": check.verdict(result, rule), "excluded": [written(cell) for cell in rule.excluded],
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
    from .picture import charts

    first = result.plan.entries[0].name
    tree = bench.written(result.winner.sets, Drawn(0, 0, first, {}, (1,)), exactly=False)
    (folder / "best.toml").write_text(
        f"# Of `acklab infer`: run {first!r} under the winner.\n{dumps(tree)}", encoding="utf-8"
    )
    table = ("readings", frame(result))
    output.write(
        folder,
        "infer",
        result.plan,
        result.plan.nudges,
        table,
        plain(result),
        charts(result),
        lambda picture: report(result, picture),
    )
