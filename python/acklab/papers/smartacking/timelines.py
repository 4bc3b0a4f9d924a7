"""The percentages of Figures 3 to 5."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...reproduce.experiments import Traces
from ...reproduce.measure import Measurement
from .dynamics import Runs, delivered
from .joint import proof
from .readings import EXPERIMENT, said
from .recorded import Recorded
from .registry import PAPER
from .runs import FIG3, FIG5, FIG6

Readings = Mapping[tuple[str, str, str], Recorded]


def _share(claim: str, figure: str, scheme: str, runs: Traces) -> Callable[[Runs, Readings], Measurement]:
    @PAPER.claim(claim, runs, EXPERIMENT)
    def measure(recorded: Runs, readings: Readings) -> Measurement:
        found = delivered(recorded, figure, scheme)
        return Measurement(found.parts, found.note + said(readings, figure) + proof(figure, scheme))

    return measure


_share("fig3a.pct", "3", "newreno", FIG3)
_share("fig3b.pct", "3", "smart", FIG3)
_share("fig4a.pct", "4", "newreno", FIG6)
_share("fig4b.pct", "4", "smart", FIG6)
_share("fig4c.pct", "4", "paced", FIG6)
_share("fig4d.pct", "4", "smart-paced", FIG6)


def _among_four(claim: str, scheme: str) -> Callable[[Runs], Measurement]:
    @PAPER.claim(claim, FIG5)
    def measure(runs: Runs) -> Measurement:
        found = delivered(runs, "5", scheme)
        late = {name: run["f1"].row["timeouts"] for name, run in runs.items()}
        again = {name: run["f1"].row["retransmits"] for name, run in runs.items()}
        return Measurement(
            found.parts,
            f"{found.note}; connection 1 has {late} timeouts and sends {again} segments again in all: as at 9 Mb/s, it is NewReno's repair "
            f"of its slow start that takes longer than in the paper{proof('5', scheme)}",
        )

    return measure


_among_four("fig5a.pct", "newreno")
_among_four("fig5b.pct", "smart")
