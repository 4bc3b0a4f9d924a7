"""What is drawn: the flows of the runs, each with its name and colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..results.together import WRITES
from . import palette
from .runs import Run, read_runs


@dataclass(frozen=True)
class Item:
    """One flow of one run, as the legends name and colour it."""

    run: Run
    flow: str
    name: str
    slot: str
    #: Nothing else is drawn: then the roles (data, ACK, cwnd, ...) have their own colours.
    alone: bool

    def colour(self, role: str, theme: str = "light") -> str:
        """The colour of one of the flow's lines."""
        return palette.role_colour(role, theme) if self.alone else palette.SLOTS[self.slot][theme]


def items_of(runs: Any, flow: str | None = None, most: int | None = None, *, bulk: bool = False) -> list[Item]:
    """The flows to draw: all, or the one of that name in each run.

    Runs that are compared differ in colour; within a single run the flows do. ``bulk`` leaves out flows that have not begun, and
    those that write now and then beside others.
    """
    found = read_runs(runs)
    by_run = palette.run_slots(len(found))
    chosen = [(r, name) for r in found for name in r.flow_names if flow is None or name == flow]
    if flow is not None and not chosen:
        raise KeyError(f"no flow {flow!r}; there are {', '.join(n for r in found for n in r.flow_names)}")
    if bulk and flow is None:
        begun = [(run, row["name"], group.manner) for run in found for group in run.groups for row in group.begun]
        kept = {
            (id(run), name)
            for run, name, manner in begun
            if manner != WRITES or all(other == WRITES for _, _, other in begun)
        }
        chosen = [(run, name) for run, name in chosen if (id(run), name) in kept] or chosen
    slots = dict(zip((id(r) for r in found), by_run, strict=True))
    single = len(found) == 1
    by_flow = flow_slots(found[0]) if single else {}
    return [
        Item(
            run=run,
            flow=name,
            name=item_name(run, name, single),
            slot=by_flow[name] if single else slots[id(run)],
            alone=len(chosen) == 1,
        )
        for run, name in chosen[:most]
    ]


def flow_slots(run: Run) -> dict[str, str]:
    """Colours of the flows within one run: by mechanism if told, else by name."""
    names = run.flow_names
    keys = names
    if "mechanism" in run.flows.columns:
        keys = [m or n for m, n in zip(run.flows["mechanism"].to_list(), names, strict=True)]
    elif len(names) == 1 and run.mechanism:
        keys = [run.mechanism]
    return dict(zip(names, palette.slots_for(keys), strict=True))


def item_name(run: Run, flow: str, single: bool) -> str:
    """The name in legends: the flow's, the run's, or both where both are needed."""
    if single:
        return f"{flow} (invalid)" if run.invalid else flow
    return run.label if run.flows.height == 1 else f"{run.label} · {flow}"
