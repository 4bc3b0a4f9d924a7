"""The one function that judges every claim of every paper.

Papers supply measured values. Whether these support a claim follows from the ledger alone: its kind, its value, its
tolerance. A randomised value comes as one number a seed; the claim then counts as reproduced only if the confidence
intervals support it, as differing only if they contradict it. In between it is undecided, and the verdict asks for
more seeds. :mod:`.stopping` says at which levels, so that a claim's chance of a wrong verdict stays below 5 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..study.intervals import Sample
from . import words
from .criteria import Part, Relation
from .ledger import KINDS, Claim
from .measure import (
    BadMeasurement,
    Cells,
    Comparison,
    Finding,
    Measurement,
    NotTestable,
    Number,
    Repeated,
    Share,
    Value,
    value_of,
)
from .measure import is_nothing as nothing
from .nudge import has_repetitions
from .resample import RankCorrelation
from .stopping import HOPELESS, ONCE, Look
from .verdict import DIFFERS, REPRODUCED, UNDECIDED, Verdict


def judge(
    claim: Claim, measurement: Measurement | NotTestable, *, look: Look = ONCE, standing: str | None = None
) -> Verdict:
    """The verdict on a claim.

    Args:
        claim: from the ledger, with its criterion.
        measurement: the value of each of the criterion's parts, or why there is none.
        look: which of the looks at growing numbers of seeds this is.
        standing: overrides the criterion's, where a parameter was fitted to the claim.

    Raises:
        BadMeasurement: the measurement does not fit the criterion.
    """
    if claim.kind not in KINDS:
        raise BadMeasurement(f"{claim.id}: kind {claim.kind!r} is none of {', '.join(KINDS)}")
    if isinstance(measurement, NotTestable):
        return Verdict(claim, UNDECIDED, measurement.why, standing or "evidence")
    criterion = claim.criterion
    if criterion is None:
        raise BadMeasurement(f"{claim.id} has no criterion")
    standing = standing or criterion.standing
    names = [part.name for part in criterion.parts]
    if set(names) != measurement.parts.keys():
        raise BadMeasurement(f"{claim.id}: measured {sorted(measurement.parts)}, asked for {sorted(names)}")
    parts = [(part, measurement.parts[part.name]) for part in criterion.parts]
    groups = [(part, _comparisons(claim, part, value)) for part, value in parts]
    everything = [comparison for _, cells in groups for group in cells for comparison in group]
    if any(nothing(c.number) for c in everything):
        empty = ", ".join(sorted({c.label for c in everything if nothing(c.number)})[:3])
        return Verdict(claim, UNDECIDED, _join(f"nothing to measure: {empty}", measurement.note), standing)
    random = sum(isinstance(c.number, Sample) for c in everything)
    against = look.contradicts(random)
    findings = [
        _find(comparison, look.confirms(len(cells), part.needed(len(cells))), against)
        for part, cells in groups
        for group in cells
        for comparison in group
    ]
    answer = _answer(groups, [finding.holds for finding in findings])
    value, interval = _values(parts, findings)
    seeds = max((c.number.count for c in everything if isinstance(c.number, Sample)), default=0)
    nudged = has_repetitions(measurement)
    counted = f"{seeds} {'repetitions' if nudged else 'seeds'}"
    why = words.explained(groups, findings, answer, counted, look)
    needed = 0.0 if answer is not None else _needed(groups, findings)
    if answer is None:
        why += f"; undecided with {counted}"
    return Verdict(
        claim,
        REPRODUCED if answer else DIFFERS if answer is False else UNDECIDED,
        _join(why, measurement.note),
        standing,
        value,
        words.shown(groups, measurement.parts, findings),
        interval,
        seeds,
        tuple(findings),
        measurement.note,
        needed,
        nudged=nudged,
    )


def _comparisons(claim: Claim, part: Part, value: Value) -> list[list[Comparison]]:
    """What a part asks, cell by cell; in a cell, all has to hold."""
    where = f"{claim.id}, part {part.name}"
    if part.type == "order":
        named = _order_cells(where, part, value)
        return [[c for r in part.relations for c in _ordered(where, part, label, cell, r)] for label, cell in named]
    numbers: Iterable[tuple[str, Any]] = value.items() if isinstance(value, Mapping) else [("", value)]
    cells = []
    for label, number in numbers:
        _check(f"{where} {label}", number)
        cells.append([_bounded(part, f"{part.about} {label}".strip(), number)])
    if isinstance(value, Mapping) != (part.cells is not None):
        raise BadMeasurement(
            f"{where}: cells={part.cells!r}, but the value is {'one' if cells else 'no'} number or cell"
        )
    if not cells:
        raise BadMeasurement(f"{where}: no cells")
    return cells


def _bounded(part: Part, about: str, number: Number) -> Comparison:
    """A number held against its bounds; of what has to be equal, the share of the repetitions in which it is."""
    bounded = Comparison(
        about, number, part.low, part.high, part.open_low, part.open_high, part.tolerance, part.name, part.wanted()
    )
    if part.type != "equal" or not isinstance(number, Repeated) or nothing(number):
        return bounded
    share = Share(tuple(float(bounded.admits(value)) for value in number.known.values))
    return Comparison(
        f"share of repetitions with {about} = {part.wanted()}",
        share,
        0.5,
        math.inf,
        open_low=True,
        part=part.name,
        requirement="> 0.5",
    )


def _order_cells(where: str, part: Part, value: Value) -> list[tuple[str, Cells]]:
    if not isinstance(value, Mapping) or not value:
        raise BadMeasurement(f"{where}: an order needs a number for each name")
    nested = all(isinstance(cell, Mapping) for cell in value.values())
    if nested != (part.cells is not None):
        raise BadMeasurement(f"{where}: cells={part.cells!r} does not fit the shape of the value")
    return [(str(k), v) for k, v in value.items()] if nested else [("", value)]  # type: ignore[misc, list-item]


def _ordered(where: str, part: Part, label: str, cell: Cells, relation: Relation) -> list[Comparison]:
    upper, lesser = (_named(where, cell, name) for name in (relation.greater, relation.lesser))
    difference = _difference(f"{where} {label}", upper, lesser)
    if part.relative:
        divisor = abs(value_of(lesser))
        if divisor == 0 or math.isnan(divisor):
            divisor = math.nan
        difference = difference.over(divisor) if isinstance(difference, Sample) else difference / divisor
    tie = (part.tolerance or 0.0) if relation.neighbours else 0.0
    strict = relation.sign == ">" and tie == 0
    text = f"{relation.greater} - {relation.lesser}{' (relative)' if part.relative else ''} {label}".strip()
    high = tie if relation.sign == "=" else math.inf
    wanted = f"{relation.greater} {relation.sign} {relation.lesser}"
    return [Comparison(text, difference, -tie, high, strict, False, tie or None, part.name, wanted)]


def _named(where: str, cell: Cells, name: str) -> Number:
    if name in cell:
        _check(f"{where} {name}", cell[name])
        return cell[name]
    try:
        return float(name)
    except ValueError:
        raise BadMeasurement(f"{where}: no value for {name}; there are {', '.join(cell)}") from None


def _difference(where: str, a: Number, b: Number) -> Number:
    if isinstance(a, RankCorrelation) or isinstance(b, RankCorrelation):
        raise BadMeasurement(
            f"{where}: a rank correlation has no value for each seed, and can not be compared with another"
        )
    if isinstance(a, Sample) and isinstance(b, Sample):
        if len(a.values) != len(b.values):
            raise BadMeasurement(f"{where}: {len(a.values)} seeds against {len(b.values)}")
        return a.minus(b)
    if isinstance(a, Sample):
        return a.having(v - value_of(b) for v in a.values)
    if isinstance(b, Sample):
        return b.having(a - v for v in b.values)
    return a - b


def _check(where: str, number: Any) -> None:
    if isinstance(number, Sample):
        if not number.values:
            raise BadMeasurement(f"{where}: a sample without seeds")
        if any(math.isinf(v) for v in number.values):
            raise BadMeasurement(f"{where}: infinite")
    elif isinstance(number, bool) or not isinstance(number, (int, float)):
        raise BadMeasurement(f"{where}: {number!r} is no number")
    elif math.isinf(number):
        raise BadMeasurement(f"{where}: infinite")


def _find(comparison: Comparison, confirms: float, contradicts: float) -> Finding:
    """By the interval that could settle it: at one level where the estimate is as wanted, at the other where it is not."""
    number = comparison.number
    if not isinstance(number, Sample):
        return Finding(comparison, comparison.admits(number), float(number))
    interval = number.interval(confirms if comparison.admits(number.value) else contradicts)
    holds: bool | None = None
    if comparison.admits(interval.low) and comparison.admits(interval.high):
        holds = True
    elif interval.high < comparison.low or interval.low > comparison.high:
        holds = False
    elif interval.low == interval.high:
        holds = comparison.admits(interval.low)
    return Finding(comparison, holds, number.value, interval.half_width, (interval.low, interval.high), interval.level)


def _all(answers: Iterable[bool | None]) -> bool | None:
    answers = list(answers)
    return False if False in answers else None if None in answers else True


def _answer(groups: list[tuple[Part, list[list[Comparison]]]], holds: list[bool | None]) -> bool | None:
    """Whether a claim holds, by whether each of its comparisons does; these stand in the groups' order."""
    answers, rest = [], iter(holds)
    for part, cells in groups:
        found = [_all([next(rest) for _ in group]) for group in cells]
        answers.append(_quorum(found, part.needed(len(found))))
    return _all(answers)


def _quorum(answers: list[bool | None], needed: int) -> bool | None:
    if answers.count(True) >= needed:
        return True
    return False if answers.count(False) > len(answers) - needed else None


def _values(parts: list[tuple[Part, Value]], findings: list[Finding]) -> tuple[Any, Any]:
    """The numbers for ``claims.json``: bare where there is one, else by part, and the intervals likewise.

    A part of several comparisons has an interval for each that has one, by what was compared.
    """

    def plain(value: Value) -> Any:
        if isinstance(value, Mapping):
            return {key: plain(entry) for key, entry in value.items()}
        number = value_of(value)
        return None if math.isnan(number) else number

    values = {part.name: plain(value) for part, value in parts}
    intervals: dict[str, Any] = {}
    for part, _ in parts:
        own = (f for f in findings if f.comparison.part == part.name)
        mine = {f.comparison.label: list(f.interval) for f in own if f.interval is not None}
        if mine:
            intervals[part.name] = next(iter(mine.values())) if len(mine) == 1 else mine
    if len(values) == 1:
        (only,) = values.values()
        return only, next(iter(intervals.values()), None)
    return values, intervals or None


def _needed(groups: list[tuple[Part, list[list[Comparison]]]], findings: list[Finding]) -> float:
    """About how many times the seeds would decide, if estimates stayed: an interval shrinks with the square root of their number.

    Infinite where :data:`.stopping.HOPELESS` times as many would not, NaN where the intervals have no end yet.
    """
    if any(math.isinf(f.half_width or 0.0) for f in findings):
        return math.nan
    factors = [_factor(finding) for finding in findings]
    for factor in sorted({f for f in factors if f <= HOPELESS}):
        settled = [
            f.comparison.admits(f.value) if own <= factor else f.holds for f, own in zip(findings, factors, strict=True)
        ]
        if _answer(groups, settled) is not None:
            return factor
    return math.inf


def _factor(finding: Finding) -> float:
    """How many times the seeds would decide a comparison."""
    if finding.holds is not None or finding.half_width is None:
        return 0.0
    distance = min(abs(finding.value - bound) for bound in (finding.comparison.low, finding.comparison.high))
    return (finding.half_width / distance) ** 2 if distance > 0 else math.inf


def _join(*texts: str) -> str:
    first, *rest = [text.rstrip(". ") for text in texts if text] or [""]
    return ". ".join([first, *map(words.sentence, rest)]) + ("." if first else "")


def without_a_nudge(verdict: Verdict, alone: Verdict) -> Verdict:
    """A verdict on repetitions with that of the run without a nudge, which it tells where it is another."""
    held = alone.verdict == REPRODUCED
    verdict = replace(verdict, alone=words.outcome(alone))
    if held == (verdict.verdict == REPRODUCED) or not verdict.findings:
        return verdict
    told = "the run without a nudge has it" if held else "the run without a nudge does not have it"
    return replace(verdict, why=_join(verdict.why, told), note=_join(verdict.note, told).rstrip("."))


def quickly(verdict: Verdict) -> Verdict:
    """The same verdict, saying that a quick look gave it."""
    return replace(verdict, why=_join(verdict.why, "quick run: fewer seeds and cells"))
