"""An inference as facts, tables, charts and files."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ..report.charts import Chart, Dot, DotPanel, Dots
from ..report.report import Report, Table
from ..scenario._toml import dumps
from ..text.numbers import digits, listing
from ..text.templates import Fact, fact
from .answers import choice, spoken, write_files, written
from .keys import worded
from .posterior import (
    DECIDED,
    FAVOURED,
    MAX_EXCLUDED,
    MIN_DECIDED,
    MIN_EFFECTIVE,
    MIN_MOVE,
    Rule,
    failed,
    verdict,
)
from .seeds import Draw

if TYPE_CHECKING:
    from .infer import ReadingBench
    from .posterior import InferenceResult


#: Values of a rule that a table shows.
MAX_VALUES = 6


def report(result: InferenceResult, picture: str = "") -> Report:
    """The report of an inference."""
    tables = [_rules(result), _values(result), _groups(result), _next(result), _assumed(result)]
    return Report("infer", result.plan.title or result.plan.name, facts(result), tables, picture)


def facts(result: InferenceResult) -> list[Fact]:
    """The best reading, how much it explains and predicts, what the checks say, and what no reading reaches."""
    one = result.posterior
    winner = one.predicted(one.winner)[0]
    shown = [fact("most-probable", choice=choice(result.winner.cells), probability=float(one.weights[one.winner]))]
    for name, places in (("explains", result.fitted), ("predicts", result.held_out)):
        if places:
            base = result.within(result.baseline, places)
            shown.append(fact(name, within=result.within(winner, places), values=len(places), baseline=base))
    for each in result.checks:
        shown.append(fact("check-fails" if each.failed else "check-holds", check=each.kind, missed=len(each.missed), groups=each.groups))  # fmt: skip
    for value, near in zip(result.plan.values, result.reached, strict=True):
        if not near.is_reached:
            nearest = None if math.isnan(near.mean) else near.mean
            shown.append(fact("not-reached", value=value.name, printed=value.value, tolerance=value.tolerance, unit=value.unit, nearest=nearest))  # fmt: skip
    size = {"readings": len(result.choices), "of": result.plan.space.size or None, "nudges": result.plan.nudges}
    if result.drawn:
        shown.append(fact("effective", effective=result.posterior.effective, least=MIN_EFFECTIVE))
    return [*shown, fact("inference", runs=result.runs, **size)]


def _one_run(result: InferenceResult) -> list[Fact]:
    """How many fitted values come from one run, though all count as independent."""
    runs: Counter[int] = Counter()
    for place in result.fitted:
        runs.update({run for run, _ in result.plan.values[place].read})
    run, most = max(runs.items(), key=lambda one: (one[1], -one[0]))
    name = result.plan.entries[run].name
    return [fact("dependent", values=most, of=len(result.fitted), run=name)] if most > 1 else []


def _rules(result: InferenceResult) -> Table:
    """The posterior of each rule, and the values that it moves."""
    heads = ["rule", "verdict", "value: probability", "moves"]
    rows = [_rule(result, rule) for rule in result.rules]
    left = [name for name in result.moves if name not in result.plan.space.columns.values()]
    rows += [[worded(name), "moves none", "", "0"] for name in left]
    feet = [fact("decided", share=MIN_DECIDED, excluded=MAX_EXCLUDED)]
    feet += [fact("moves", share=MIN_MOVE, values=len(result.plan.values))] if result.moves else []
    return Table(heads, rows, "Rules", feet, names=3)


def _rule(result: InferenceResult, rule: Rule) -> list[str]:
    order = sorted(range(len(rule.cells)), key=lambda k: (-rule.probability[k], k))
    shown = [f"{spoken(rule.cells[k])}: {_weight(rule.probability[k])}" for k in order[:MAX_VALUES]]
    rest = f", {len(order) - MAX_VALUES} more" if len(order) > MAX_VALUES else ""
    text = verdict(result, rule)
    if text in (DECIDED, FAVOURED):
        text += f": {spoken(rule.best)}"
    elif text == "narrowed":
        text = f"{'unlikely' if failed(result) else 'excluded'}: {listing(list(map(spoken, rule.excluded)))}"
    moved = result.moves.get(rule.name)
    return [worded(rule.name), text, ", ".join(shown) + rest, "" if moved is None else f"{(moved >= MIN_MOVE).sum()}"]


def _shown(value: Any, figures: int = 3) -> str:
    """A number, or that there is none."""
    return "none" if math.isnan(value) else digits(float(value), figures)


def _weight(value: float) -> str:
    """A probability; how small a very small one is depends on the tails of what is assumed."""
    return "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.2g}"


_SIDES = {"": "", "least": "at least ", "most": "at most "}


def _values(result: InferenceResult) -> Table:
    """Each measured value beside the readings' results."""
    one = result.posterior
    (winner, chance), (mean, spread) = one.predicted(one.winner), one.predicted()
    rows = []
    for k, (value, near) in enumerate(zip(result.plan.values, result.reached, strict=True)):
        rows.append([
            value.label, "fitted" if value.fit else "held out", f"{_SIDES[value.bound]}{_shown(value.value)} ± {value.tolerance:.3g}", _shown(result.baseline[k]),
            _with(winner[k], chance[k]), _with(mean[k], spread[k]), _shown(near.mean), f"{near.within:,}",
        ])  # fmt: skip
    heads = ["value", "use", "printed", "baseline", "best reading", "posterior mean", "nearest", "readings within"]
    return Table(
        heads, rows, "Values, printed and simulated", [fact("deviation"), *_one_run(result)], names=2, fold=True
    )


def _with(mean: Any, deviation: Any) -> str:
    """A mean, and its standard deviation where the mean's digits show it."""
    shown = _shown(mean)
    last = 10.0 ** -len(shown.partition(".")[2])
    return f"{shown} ({_shown(deviation, 2)})" if deviation >= last / 2 else shown


def _groups(result: InferenceResult) -> Table:
    """Each value predicted from the other groups."""
    rows = []
    for one in result.left_out:
        for k in one.places:
            value = result.plan.values[k]
            cells = (value.value, result.baseline[k], one.winner[k], one.mean[k])
            rows.append([one.group, value.label, *map(_shown, cells)])
    heads = ["left out", "value", "printed", "baseline", "best of the others", "posterior mean"]
    return Table(heads, rows, "Check: each group predicted from the others", names=2, fold=True, terminal=False)


def _next(result: InferenceResult) -> Table:
    """For each open rule the value that would distinguish its two most probable values best."""
    rows = [
        [
            worded(one.rule),
            *map(spoken, one.cells),
            one.value,
            "yes" if one.fitted else "no",
            digits(one.apart, 2),
            f"{len(one.decides)}",
        ]
        for one in result.further
    ]
    heads = ["open rule", "value", "or", "farthest apart in", "fitted", "tolerances apart", "decides"]
    return Table(heads, rows, "What would decide more", names=4, fold=True, terminal=False)


def _assumed(result: InferenceResult) -> Table:
    rows = [
        ["values", "independent and normal"],
        ["deviation of a printed number", "half its tolerance, and what nudges change"],
        ["prior", "uniform over the values of each rule"],
        ["scale of printed deviations", f"{result.posterior.scale:.2g}"],
        *([["origin of the values", result.plan.origin]] if result.plan.origin else []),
        *([[f"no scenario ({count:,} readings)", why] for why, count in result.refused.items()]),
    ]
    return Table(["assumed", "as"], rows, "What is assumed", names=2, fold=True, terminal=False)


#: The share of the axis that a mark hides of a bar.
HIDDEN = 0.012
#: Misses beyond so many tolerances are drawn at the edge.
FAR = 6.0
_NAMES = {
    "slate": "baseline",
    "blue": "winner",
    "green": "best fit to the other values",
    "orange": "posterior mean of the others",
}


def chart(result: InferenceResult) -> Chart:
    """Misses in tolerances; 0 is the printed value."""
    one, beyond = result.posterior, False
    dots: list[Dot] = []
    rows: list[str] = []
    winner, chance = one.predicted(one.winner)
    predicted = {k: (group.winner[k], group.mean[k]) for group in result.left_out for k in group.places}
    for row, value in enumerate(result.plan.values):
        rows.append(f"{value.name}, {'fitted' if value.fit else 'held out'}")
        shown = [(result.baseline[row], result.base[row].std(), "slate"), (winner[row], chance[row], "blue")]
        if row in predicted:
            shown += [(at, 0.0, colour) for at, colour in zip(predicted[row], ("green", "orange"), strict=True)]
        for at, deviation, colour in shown:
            middle, half = (at - value.value) / value.tolerance, deviation / value.tolerance
            if middle == middle:
                dots.append(Dot(row, _near(middle), (_near(middle - half), _near(middle + half)), colour))
                beyond = beyond or abs(middle) > FAR
    ends = (-FAR * 1.03, FAR * 1.03) if any(abs(end) > 1.5 for dot in dots for end in dot.interval) else (-2.0, 2.0)
    about = "Miss in tolerances: 0 is the printed value, and what is shaded is within"
    if any(dot.interval[1] - dot.interval[0] > HIDDEN * (ends[1] - ends[0]) for dot in dots):
        about += "; a bar is one standard deviation"
    else:
        dots = [replace(dot, interval=(dot.value, dot.value)) for dot in dots]
    if beyond:
        about += f"; beyond {FAR:g} at the edge"
    keys = [(name, colour) for colour, name in _NAMES.items() if any(dot.colour == colour for dot in dots)]
    return Dots("values", about, rows, [DotPanel("miss (tolerances)", dots, ends=ends, band=(-1.0, 1.0))], keys)


def _near(value: float) -> float:
    return max(-FAR, min(FAR, float(value)))


def frame(result: InferenceResult) -> pl.DataFrame:
    """A row a reading, the most probable first; readings of one probability by their fit, then in the order tried."""
    one, named = result.posterior, list(dict.fromkeys(result.plan.space.columns.values()))
    order = sorted(range(len(result.choices)), key=lambda row: (-one.weights[row], -one.likelihood[row], row))
    rows = []
    for row in order:
        fit = float(one.likelihood[row])
        cells = result.choices[row].cells
        rows.append({
            "reading": row + 1,
            **{name: written(cells[name]) if name in cells else None for name in named},
            "probability": float(one.weights[row]),
            "misfit": float(one.likelihood.max()) - fit if math.isfinite(fit) else None,
            **{value.name: _known(one.mean[row, k]) for k, value in enumerate(result.plan.values)},
        })  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def _known(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


def plain(result: InferenceResult) -> dict[str, Any]:
    """The inference as plain values: the object of ``--json`` and ``infer.json``."""
    plan, one = result.plan, result.posterior
    (winner, chance), (mean, spread) = one.predicted(one.winner), one.predicted()
    return {
        "title": plan.title or plan.name,
        "facts": [one.plain() for one in (*facts(result), *_one_run(result))],
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
            {"name": rule.name, "verdict": verdict(result, rule), "excluded": [written(cell) for cell in rule.excluded],
             "moves": _moved(result, rule.name), "values": [{"value": written(cell), "weight": weight, "prior": before, "readings": count}
                        for cell, weight, before, count in zip(rule.cells, rule.probability, rule.prior, rule.tried, strict=True)]}
            for rule in result.rules
        ],
        "still": [name for name in result.moves if name not in plan.space.columns.values()],
        "effective": one.effective if result.drawn else None,
        "open": [{"name": each.rule, "decides": [plan.values[place].name for place in each.decides]} for each in result.further],
        "values": [
            {"name": value.name, "unit": value.unit, "printed": value.value, "bound": value.bound, "tolerance": value.tolerance, "use": "fit" if value.fit else "held-out",
             "group": value.group, "baseline": _known(result.baseline[k]), "winner": _known(winner[k]), "winner_deviation": _known(chance[k]),
             "posterior": _known(mean[k]), "posterior_deviation": _known(spread[k]),
             "nearest": _known(near.mean), "distance": _known(near.distance), "within": near.within,
             "nearest_reading": near.reading + 1}
            for k, (value, near) in enumerate(zip(plan.values, result.reached, strict=True))
        ],
        "groups": [
            {"group": group.group, "miss_baseline": _known(group.misses[0]), "miss_winner": _known(group.misses[1]), "miss_posterior": _known(group.misses[2])}
            for group in result.left_out
        ],
    }  # fmt: skip


def _moved(result: InferenceResult, rule: str) -> list[str]:
    """The values that a rule moves."""
    moved: Any = result.moves.get(rule, [])
    return [value.name for value, far in zip(result.plan.values, moved, strict=False) if far >= MIN_MOVE]


def write(result: InferenceResult, bench: ReadingBench, folder: Path) -> None:
    """Writes everything into a directory."""

    first = result.plan.entries[0].name
    tree = bench.written(result.winner.sets, Draw(0, 0, first, {}, (1,)), exactly=False)
    (folder / "best.toml").write_text(
        f"# Of `acklab infer`: run {first!r} under the winner.\n{dumps(tree)}", encoding="utf-8"
    )
    table = ("readings", frame(result))
    write_files(
        folder,
        "infer",
        result.plan,
        result.plan.nudges,
        table,
        plain(result),
        chart(result),
        lambda picture: report(result, picture),
    )
