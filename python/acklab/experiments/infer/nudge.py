"""Perturbed repetitions of an experiment: starts later, delays longer, which show a single run's variance."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...scenario.draws import Draws
from ..compare.errors import CompareError
from ..compare.plan import span
from ..sweep.errors import SweepError, shown
from ..sweep.quantity import read


@dataclass(frozen=True)
class Nudge:
    """Flows begin up to ``later_s`` later, links are up to ``longer`` (a share) longer."""

    later_s: float = 0.01
    longer: float = 0.01

    def of(self, tree: Mapping[str, Any], seed: int) -> dict[str, Any]:
        """The scenario with this seed's random starts and delays. Each link and flow has a draw by its name, so two scenarios share them."""
        links, flows = [], []
        for one in tree.get("link", []):
            ends = ">".join(one["between"])
            made = _longer(one, 1 + self.longer * _draw(seed, f"delay {ends}"))
            if "back" in one:
                made["back"] = _longer(one["back"], 1 + self.longer * _draw(seed, f"delay {ends}", 1))
            links.append(made)
        for place, one in enumerate(tree.get("flow", [])):
            late = self.later_s * _draw(seed, f"start {one.get('name', place)}")
            flows.append({**one, "start": f"{_number(one.get('start', '0s'), 's') + late:.9f}s"})
        return {**tree, "link": links, "flow": flows}


@lru_cache(maxsize=65536)
def _draw(seed: int, stream: str, place: int = 0) -> float:
    """A uniform of a named stream; finding a stream takes longer than a short run."""
    drawn = Draws(seed, stream)
    return [drawn.uniform() for _ in range(place + 1)][place]


def _longer(way: Mapping[str, Any], times: float) -> dict[str, Any]:
    if "delay" not in way:
        return dict(way)
    return {**way, "delay": f"{_number(way['delay'], 'ms') * times:.9f}ms"}


def _number(text: str, unit: str) -> float:
    """A time in a unit; one that is written in it is not converted."""
    found = read(text)
    assert found is not None
    return found.number if found.unit == unit else found.base * {"s": 1.0, "ms": 1000.0}[unit]


def nudging(given: Any) -> Nudge:
    """The nudge of a plan.

    Raises:
        SweepError: what is given is not a nudge.
    """
    if not isinstance(given, Mapping) or not given.keys() <= {"later", "longer"}:
        raise SweepError(f'= {shown(given)}: a table, {{ later = "10ms", longer = 0.01 }}')
    try:
        later = span(str(given.get("later", "10ms")))
    except CompareError as error:
        raise SweepError(f"later: {error}") from None
    longer = given.get("longer", 0.01)
    if isinstance(longer, bool) or not isinstance(longer, (int, float)) or not 0 <= longer <= 1:
        raise SweepError(f"longer = {shown(longer)}: a share from 0 to 1")
    if not 0 <= later < math.inf:
        raise SweepError(f"later = {shown(given['later'])}: a time that is not negative")
    return Nudge(later, float(longer))


def nudged(scenario: str, nudge: Nudge, seed: int) -> str:
    """A line of JSON nudged, as another."""
    return json.dumps(nudge.of(json.loads(scenario), seed), separators=(",", ":"))
