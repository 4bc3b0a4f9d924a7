"""The percentages of Figures 3 to 5."""

from __future__ import annotations

from dataclasses import replace

from ...reproduce.experiments import Traces
from ...reproduce.measure import Measurement
from .dynamics import Runs, delivered
from .registry import PAPER
from .runs import FIG3, FIG5, FIG6


def _share(claim: str, figure: str, scheme: str, runs: Traces) -> None:
    @PAPER.claim(claim, runs)
    def measure(recorded: Runs) -> Measurement:
        found = delivered(recorded, figure, scheme)
        late, again = (
            {s: int(run["f1"].row[key]) for s, run in recorded.items()} for key in ("timeouts", "retransmits")
        )
        return replace(
            found,
            note=f"{found.note}; timeouts of connection 1 over the whole file {late}, segments sent again {again}",
        )


_share("fig3a.pct", "3", "newreno", FIG3)
_share("fig3b.pct", "3", "smart", FIG3)
_share("fig4a.pct", "4", "newreno", FIG6)
_share("fig4b.pct", "4", "smart", FIG6)
_share("fig4c.pct", "4", "paced", FIG6)
_share("fig4d.pct", "4", "smart-paced", FIG6)
_share("fig5a.pct", "5", "newreno", FIG5)
_share("fig5b.pct", "5", "smart", FIG5)
