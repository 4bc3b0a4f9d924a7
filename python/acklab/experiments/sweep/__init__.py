"""Sweeps: a scenario over ranges of its keys, on every processor, safe against interrupts.

>>> import acklab
>>> told = acklab.sweep(
...     scenario='''
...         stop = { when = "flows-complete" }
...         link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms" }]
...         flow = [{ from = "S", to = "R", size = { segments = 20 } }]
...     ''',
...     vary={"link.0.rate": "1Mbps..2Mbps/3"},
...     metrics=["completion"],
... )
>>> told.summary["rate_bps"].to_list()
[1000000.0, 1500000.0, 2000000.0]
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...engines.batches import ENGINES
from .errors import SweepError

if TYPE_CHECKING:
    from .result import Swept

__all__ = ["SweepError", "sweep"]


def sweep(
    plan: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    fresh: bool = False,
    engine: str = "simulator",
    **keys: Any,
) -> Swept:
    """Runs a scenario for every combination of values of its keys.

    Args:
        plan: a plan file, or its tree; or a scenario, whatever :func:`acklab.run` takes, with the plan in ``keys``:
            ``acklab.sweep("examples/allman1998.toml", vary={"link.1.queue.packets": range(4, 25)})``. Left out, ``keys`` are all of it.
        out: directory for tables, charts and a page; what an earlier attempt at the same plan left there is not run again.
        threads: how many runs at once; one a processor if left out.
        fresh: discard what is in ``out``.
        engine: ``simulator``, ``kernel`` or ``programs`` as in :func:`acklab.run_batch`.
        keys: a plan's keys, which replace those of ``plan``: ``scenario`` (whatever :func:`acklab.run` takes), ``vary``,
            ``together``, ``alternatives``, ``derive``, ``draw``, ``set``, ``seeds``, ``spread_starts``, ``metrics``,
            ``names``, ``columns``, ``title``. ``vary`` may also be a text, or texts, as ``acklab sweep --vary`` takes them.

    Raises:
        SweepError: it is no plan, a point is no scenario, or ``out`` holds another sweep; nothing was run.
        ScenarioError: the scenario is no TOML or JSON.
        RunError: a run failed.
        OSError: a file cannot be read or written.
    """
    from ...scenario._file import is_text
    from ...text.input import read_file
    from ...text.packaged import located
    from ...text.plans import PlanText
    from .flags import is_plan, joined
    from .flags import vary as varied
    from .plan import from_tree
    from .run import sweep as act

    if isinstance(keys.get("vary"), (str, list, tuple)):
        texts = keys.pop("vary")
        keys = joined(keys, varied([texts] if isinstance(texts, str) else texts))
    if isinstance(plan, (str, os.PathLike)) and not is_text(plan):
        path = located(os.fspath(plan))
        text, tree = PlanText.read(read_file(path), path, SweepError)
        if is_plan(tree) or "scenario" in tree:
            made = from_tree({**tree, **keys}, text, Path(path).parent)
        else:
            made = from_tree({"scenario": os.path.abspath(path), **keys})
    elif plan is None or (isinstance(plan, Mapping) and not {"flow", "flows", "link", "topology"} & plan.keys()):
        made = from_tree({**(plan or {}), **keys})
    else:
        made = from_tree({"scenario": plan, **keys})
    if engine not in ENGINES:
        raise SweepError(f"engine is simulator, kernel or programs, not {engine!r}")
    return act(replace(made, engine=engine), None if out is None else Path(out), threads=threads, fresh=fresh)
