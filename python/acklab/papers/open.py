"""What a paper leaves open: its ``open.toml``, a plan of ``acklab infer`` whose runs are named by experiments of the paper.

A run's ``scenario`` has an experiment's name, a value for each of its axes (traces: of their keys), and may have another ``stop``. An axis with
several values makes a run for each, and ``{AXIS}`` in its name is the value. A value's ``each`` does the same; other ``{AXIS}`` in its ``run`` and
``over``, entries of ``[axes]``, name several runs, and its ``claim`` is an entry of the ledger. ``flow`` names a run's first flow. ``[elsewhere]`` has rules for
other runs (``tools/readings.py``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import product
from typing import Any

from ..reproduce.experiments import Effort, Sweep, Traces
from ..text.input import loads
from . import paper


def plan(name: str) -> dict[str, Any]:
    """A paper's plan as it is written."""
    return loads(files(__package__).joinpath(name, "open.toml").read_text("utf-8"))


def rules(name: str) -> dict[str, Any]:
    """The values of the rules that a paper leaves open."""
    tree = plan(name)
    return {**tree.get("free", {}), **tree["elsewhere"]}


def inferred(name: str) -> dict[str, Any]:
    """The plan that infers a paper's open rules (:mod:`acklab.study.infer`), as a tree."""
    tree = plan(name)
    axes = tree.pop("axes", {})
    del tree["elsewhere"]
    sweeps = {one.name: one for claim in paper(name).claims.values() for one in claim.uses}
    tree["run"] = [one for run in tree["run"] for one in _runs(run, sweeps)]
    values = [one for value in tree["value"] for one in _values(value, axes)]
    tree["value"] = [{key: of for key, of in one.items() if key != "claim"} for one in values]
    return tree


def claims(name: str) -> dict[str, str]:
    """The claim that each value of a plan is of."""
    tree = plan(name)
    return {one["name"]: one["claim"] for value in tree["value"] for one in _values(value, tree.get("axes", {}))}


def _cells(axes: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every combination of axes; one value may stand for a list of one."""
    lists = [values if isinstance(values, list) else [values] for values in axes.values()]
    return (dict(zip(axes, values, strict=True)) for values in product(*lists))


def _put(text: Any, cell: Mapping[str, Any]) -> Any:
    """A text with a cell's values in place of its axes."""
    for axis, value in cell.items():
        text = text.replace(f"{{{axis}}}", f"{value}") if isinstance(text, str) else text
    return text


def _runs(run: Mapping[str, Any], sweeps: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for cell in _cells(run["scenario"]):
        name = _put(run["name"], cell)
        stop = {"stop": cell.pop("stop")} if "stop" in cell else {}
        tree = json.loads(_line(sweeps[cell.pop("experiment")], cell)) | stop
        tree["flow"][0] |= {"name": run["flow"]} if "flow" in run else {}
        yield {key: one for key, one in {**run, "name": name, "scenario": tree}.items() if key != "flow"}


def _line(one: Sweep | Traces, cell: Mapping[str, Any]) -> str:
    if isinstance(one, Sweep):
        return one.scenario(**cell)
    key, *more = cell.values()
    return one.cells(Effort())[(key, *more) if more else key]


def _values(value: dict[str, Any], axes: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for cell in _cells(value.pop("each", {})):
        made = {key: _put(one, cell) for key, one in value.items()}
        for key in {"run", "over"} & made.keys():
            several = {axis: values for axis, values in axes.items() if f"{{{axis}}}" in made[key]}
            made[key] = [_put(made[key], one) for one in _cells(several)]
        yield made
