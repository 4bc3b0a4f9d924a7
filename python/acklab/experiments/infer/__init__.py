"""Inferences: which readings of open rules explain values that were printed or measured.

>>> import acklab
>>> told = acklab.infer(
...     scenario='''
...         stop = { when = "flows-complete" }
...         link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms", queue = { kind = "drop-tail", packets = 100 } }]
...         flow = [{ name = "f", from = "S", to = "R", size = { segments = 50 } }]
...     ''',
...     free={"flow.f.sender.initial_window": [1, 2, 4, 10]},
...     value=[{"name": "time", "metric": "completion@f", "printed": 0.70, "tolerance": 0.05}],
... )
>>> told.best
{'flow.f.sender.initial_window': 4}
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..search.errors import InferError

if TYPE_CHECKING:
    from .result import Inferred

__all__ = ["InferError", "infer"]


def infer(
    plan: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    fresh: bool = False,
    **keys: Any,
) -> Inferred:
    """Tries readings of open rules and weighs them by how well they explain values.

    Args:
        plan: a plan file, or its tree; left out, ``keys`` are all of it.
        out: directory for the table of readings, the winner's scenario and a page; runs that an earlier attempt left there
            are not made again.
        threads: how many runs at once; one a processor if left out.
        fresh: discard what is in ``out``.
        keys: a plan's keys, which replace those of ``plan``: ``scenario`` (whatever :func:`acklab.run` takes), ``set``,
            ``free``, ``alternatives``, ``baseline``, ``run``, ``value``, ``nudges``, ``nudge``, ``search``, ``readings``,
            ``batch``, ``seed``, ``title``.

    Raises:
        InferError: it is no plan, no reading is a scenario, ``out`` holds other work, or Optuna is missing.
        ScenarioError: a scenario is no TOML or JSON.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    from .plan import from_tree, read
    from .run import infer as act

    made = from_tree({**(plan or {}), **keys}) if plan is None or isinstance(plan, Mapping) else read(plan, keys)
    return act(made, None if out is None else Path(out), threads=threads, fresh=fresh)
