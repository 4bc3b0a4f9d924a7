"""What a quick look may cost, in runs: so that it does not grow unseen."""

from __future__ import annotations

import pytest

from acklab.papers import NAMES, paper
from acklab.reproduce.experiments import Replications, Sweep, Traces
from acklab.reproduce.runner import QUICK

BUDGETS = {"allman1998": 140_000, "ackfilter": 1100, "divack": 1800, "smartacking": 2700, "veno": 950}
"""Most different runs. Those of allman1998 take a tenth of a millisecond each, others up to a third of a second."""


def runs(name: str) -> int:
    """How many different runs a quick look at a paper makes."""
    one = paper(name)
    needs = [e for claim in one.claims.values() for e in claim.uses] + [
        e for f in one.figures if not f.slow for e in f.needs
    ]
    single = {
        need
        for id, claim in one.claims.items()
        if one.needs_repetitions(id)
        for need in claim.needs
        if not isinstance(need, Replications)
    }
    (count,) = QUICK.repetitions
    texts: set[str] = set()
    repeated: set[str] = set()
    recorded = 0
    for experiment in dict.fromkeys(needs):
        if isinstance(experiment, Traces):
            recorded += len(experiment.cells(QUICK)) * (1 + count * (experiment in single))
        else:
            assert isinstance(experiment, Sweep)
            if experiment in single:  # the same run for two claims is repeated once
                repeated.update(experiment.scenarios(experiment.chosen(QUICK)))
            axes = experiment.chosen(QUICK)
            if isinstance(experiment, Replications):
                axes = experiment.with_seeds(axes, experiment.seeds(QUICK)[-1])
            texts.update(experiment.scenarios(axes))
    return len(texts) + count * len(repeated) + recorded


@pytest.mark.parametrize("name", NAMES)
def test_a_quick_look_keeps_its_budget(name: str) -> None:
    assert runs(name) <= BUDGETS.get(name, 1000)
