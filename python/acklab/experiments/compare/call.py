"""Comparisons as Python calls them: scenarios beside each other, or one with alternatives for its keys."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from ... import _core
from ...results.directory import results
from ...runs import Run
from ...scenario import _toml
from ...scenario.asked import arguments
from ...scenario.given import assignments, pairs, source
from ...text.toml import loads
from .difference import MARGIN
from .errors import CompareError
from .metrics import metric
from .plan import Case, Comparison, case, rule, share, span
from .result import Compared
from .run import compare


def called(
    scenario: Any,
    *others: Any,
    metrics: Sequence[str] = ("goodput",),
    seeds: Any = 10,
    situations: Any = None,
    cases: Any = None,
    set: Any = None,  # as `--set`
    spread_starts: float | str = 0.0,
    spread_delays: float | str = 0.0,
    margin: float | str = MARGIN,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    **keys: Any,
) -> Compared:
    """Compares scenarios: ``acklab.compare(a, b)``, or one with cases: ``acklab.compare(a, {"Reno": {}, "SACK": {KEY: VALUE}})``.

    Args:
        scenario: whatever :func:`acklab.run` takes, or a run, whose scenario is run again. Or a :class:`Comparison`, alone.
        others: further scenarios; the first is what they are measured against. Or the cases of the one scenario: a dict from each
            case's name to the keys that it sets, or a list of texts as ``acklab compare --case`` takes them.
        metrics: as ``acklab compare --metric`` takes them, such as ``"completion"`` or ``"p99(rtt)@f"``; the first one ranks.
        seeds: how many each case runs with, or ``{"half_width": 0.05}``; fewer than 5 have no intervals and no verdicts.
        situations: in which every case is tried, as cases are given.
        cases: the cases of one scenario, which may also stand behind it.
        set: keys to set in every case, as :func:`acklab.run` takes them: ``{"link.0.rate": "5Mbps"}``.
        spread_starts: the most by which a seed delays the start of a flow, in seconds or as a text such as ``"100ms"``.
        spread_delays: the most by which a seed lengthens a link, as a share: ``0.01`` or ``"1%"``.
        margin: the share of the mean below which a difference does not matter.
        out: a directory for tables, a chart and a page.
        threads: how many runs at once; one a processor if left out.
        keys: more keys to set in every case, such as ``title``.

    Returns:
        The comparison: ``print`` shows its tables; ``findings`` has each metric of each case beside the first.

    Raises:
        TypeError: a keyword is no argument and no key of a scenario.
        CompareError: it can not be compared; nothing was run.
        ScenarioError: one of them is no scenario.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    arguments(called, keys, "compare")
    given = [scenario, *others, *([] if cases is None else [list(cases) if isinstance(cases, tuple) else cases])]
    asked: dict[str, Any] = {
        "metrics": [metric(one) for one in metrics],
        "sets": assignments({**keys, **pairs(set or {})}),
        **rule(seeds),
    }
    if situations is not None:
        asked["situations"] = _cases(situations)
    asked["spread_starts_s"] = span(spread_starts) if isinstance(spread_starts, str) else float(spread_starts)
    asked |= {"spread_delays": share(str(spread_delays)), "margin": share(str(margin))}
    comparison = _comparison(given, asked)
    if out is None:
        return compare(comparison, threads=threads)
    from . import output

    with results(out, "compare", output.NAMES) as folder:
        told = compare(comparison, threads=threads, keep=folder)
        output.write(told, folder)
    return told


def _comparison(given: Sequence[Any], told: Mapping[str, Any]) -> Comparison:
    if len(given) == 1 and isinstance(given[0], Comparison):
        return given[0]
    if len(given) == 2 and (_are_cases(given[1]) or isinstance(given[1], list)):
        first, cases = given[0], _cases(given[1])
    elif len(given) >= 2:
        first, cases = given[0], _differences(given)
    else:
        raise CompareError(
            "a comparison needs two scenarios, or one and its cases: acklab.compare(a, b), acklab.compare(a, {NAME: {KEY: VALUE}})"
        )
    text, file = _source(first)
    return Comparison(text, file, cases, **told)


def _are_cases(given: Any) -> bool:
    """Whether a table has cases: names with tables of keys, and none of a scenario's own keys."""
    return isinstance(given, Mapping) and not {"flow", "flows", "link", "links", "topology"} & given.keys()


def _cases(given: Any) -> list[Case]:
    if isinstance(given, Mapping):
        return [Case(str(name), tuple(assignments(sets or {}))) for name, sets in given.items()]
    return [one if isinstance(one, Case) else case(one) for one in given]


def _source(scenario: Any) -> tuple[str | bytes, str]:
    return (
        (scenario.scenario_toml(), scenario.label or scenario.title) if isinstance(scenario, Run) else source(scenario)
    )


def _differences(scenarios: Sequence[Any]) -> list[Case]:
    """Whole scenarios as cases of the first: each sets the keys in which it differs."""
    names, trees = [], []
    for number, scenario in zip(count(1), scenarios, strict=False):
        text, file = _source(scenario)
        trees.append(loads(_core.expanded(text, file=file)))
        named = scenario.label if isinstance(scenario, Run) else Path(file).stem if file != "scenario" else ""
        names.append(named or trees[-1]["title"] or f"scenario {number}")
    twice = {name for name in names if names.count(name) > 1}
    names = [f"{name} ({number})" if name in twice else name for number, name in enumerate(names, 1)]
    return [Case(name, tuple(_changed("", trees[0], tree))) for name, tree in zip(names, trees, strict=True)]


def _changed(at: str, one: Any, other: Any) -> list[str]:
    """The overrides that make a tree of another."""
    if at in ("title", "seed", "record") or one == other:
        return []
    if (
        isinstance(one, Mapping)
        and isinstance(other, Mapping)
        and (not at or one.keys() <= other.keys())
        and _same_kind(one, other)
    ):
        found = [f"{key}=[]" for key in one if key not in other]
        for key, value in other.items():
            below = f"{at}.{key}" if at else key
            found += _changed(below, one[key], value) if key in one else [f"{below}={_toml.inline(value)}"]
        return found
    if (
        isinstance(one, list)
        and isinstance(other, list)
        and len(one) == len(other)
        and all(isinstance(entry, Mapping) for entry in one)
    ):
        return [
            text
            for number, (a, b) in enumerate(zip(one, other, strict=True))
            for text in _changed(f"{at}.{number}", a, b)
        ]
    return [f"{at}={_toml.inline(other)}"]


def _same_kind(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(tag) == other.get(tag) for tag in ("kind", "policy"))
