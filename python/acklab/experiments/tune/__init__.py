"""Searches: the keys of a scenario that are best over a distribution of paths, judged on fresh ones (Optuna chooses).

>>> import acklab
>>> told = acklab.tune(
...     scenario='''
...         stop = { when = "flows-complete" }
...         link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms", queue = { kind = "drop-tail", packets = 8 } }]
...         flow = [{ from = "S", to = "R", size = { segments = 50 } }]
...     ''',
...     free={"link.0.queue.packets": [2, 4, 8, 16]},
...     objectives=["completion"], paths=1, trials=4,
... )
>>> told.best
{'link.0.queue.packets': 16}
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..search.errors import TuneError

if TYPE_CHECKING:
    from .result import Tuned

__all__ = ["TuneError", "tune"]


def tune(
    plan: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    fresh: bool = False,
    **keys: Any,
) -> Tuned:
    """Searches for the keys of a scenario that are best over paths drawn from a distribution.

    Args:
        plan: a plan file, or its tree; left out, ``keys`` are all of it.
        out: directory for the table of trials, the winner's scenario and a page; runs that an earlier attempt left there
            are not made again.
        threads: how many runs at once; one a processor if left out.
        fresh: discard what is in ``out``.
        keys: a plan's keys, which replace those of ``plan``: ``scenario`` (whatever :func:`acklab.run` takes), ``set``,
            ``free``, ``alternatives``, ``baseline``, ``objectives``, ``relative``, ``path``, ``paths``, ``held_out``,
            ``seeds``, ``spread_starts``, ``trials``, ``batch``, ``sampler``, ``seed``, ``title``.

    Raises:
        TuneError: it is no plan, a choice is no scenario, ``out`` holds another search, or Optuna is missing.
        ScenarioError: a scenario is no TOML or JSON.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    from .plan import from_tree, read
    from .run import tune as act

    made = from_tree({**(plan or {}), **keys}) if plan is None or isinstance(plan, Mapping) else read(plan, keys)
    return act(made, None if out is None else Path(out), threads=threads, fresh=fresh)
