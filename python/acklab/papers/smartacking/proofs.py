"""What other readings of the paper's open rules make of the claims that differ, for their notes and the paper's page.

Measured by :mod:`.tried`, with one seed where there are seeds. A test makes the runs of some of the readings named here again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...reproduce.measure import Measurement
from ...reproduce.paper import Paper
from .tried import Reading, every


@dataclass(frozen=True)
class Best:
    """How near the readings come to a claim."""

    holds: int
    """Readings under which it is reproduced."""
    number: int
    """Place of the nearest among all; of several that have the claim, the one that loses fewest others."""
    measured: str
    missing: str
    """How far that is from what is wanted; empty where it is reached."""
    loses: tuple[str, ...]
    """Claims that are reproduced with the rules used here, and not under this reading."""


TRIED, RULES = 42, 22
BEST: Mapping[str, Best] = {
    "fig3a.double": Best(6, 10, "cwnd from one round trip to the next: 2", "", ("fig3b.slowcwnd", "fig4.reverse", "fig8.better", "fig9.abc", "fig9.sa", "fig11.shift", "fig14.order",)),
    "fig6.flat": Best(7, 20, "growth after saturation over before: smart = 0.3402, smart-paced = 0.1421, extended = 0.1631", "", ("fig3b.slowcwnd",)),
    "fig6.est": Best(0, 27, "mean relative error: from 0.01709 to 0.1507 over 8 cells", "up to 0.00071 away in 1 of 8 cells", ("fig11.shift", "sec4.100ms",)),
    "fig8.20pct": Best(1, 4, "largest reduction: 18.31 %", "", ("fig3b.nostall", "fig4.reverse", "fig8.better", "fig11.shift", "fig15.react", "fig16.none", "fig17.nr", "sec4.100ms",)),
    "fig8.pacing": Best(0, 34, "relative difference that pacing makes: from 0.0005515 to 0.1162 over 12 cells", "up to 0.066 away in 1 of 12 cells", ("fig4.pacing", "fig11.shift",)),
    "fig9.sabc": Best(13, 26, "completion time over ABC's: from 0.9826 to 1 over 12 cells", "", ()),
    "fig10.lower": Best(12, 7, "mean completion time: in order in 26 of 36 cells", "", ("fig11.shift",)),
    "fig10.smallcap": Best(0, 16, "mean completion time: in order in 2 of 3 cells", "1 of 3 cells short", ("fig11.shift",)),
    "fig11.opt": Best(0, 10, "time at one product over the least: from 1.021 to 1.073 over 6 cells", "up to 0.023 away in 1 of 6 cells", ("fig3b.slowcwnd", "fig4.reverse", "fig8.better", "fig9.abc", "fig9.sa", "fig11.shift", "fig14.order",)),
    "fig11.grow": Best(1, 8, "rank correlation of gain and buffer: 7 Mb/s = 0.5333, 15 Mb/s = 0.95", "", ("fig3a.rto", "fig11.shift", "fig14.order", "sec4.100ms",)),
    "fig11.wide": Best(10, 13, "mean completion time: in order in 13 of 18 cells", "", ("fig11.shift",)),
    "fig12.better": Best(0, 5, "completion time: in order in 10 of 14 cells", "2 of 14 cells short", ("fig3a.rto", "fig3b.slowcwnd", "fig6.linear", "fig9.abc", "fig9.sa", "fig11.shift", "fig5.stalls",)),
    "fig12.similar": Best(6, 16, "slowest over fastest, less one: from 0 to 0.001097 over 7 cells", "", ("fig11.shift",)),
    "fig12.advanced": Best(3, 10, "mean completion time: in order in 4 of 7 cells", "", ("fig3b.slowcwnd", "fig4.reverse", "fig8.better", "fig9.abc", "fig9.sa", "fig11.shift", "fig14.order",)),
    "fig13.acc": Best(1, 10, "completion time: in order in 26 of 26 cells", "", ("fig3b.slowcwnd", "fig4.reverse", "fig8.better", "fig9.abc", "fig9.sa", "fig11.shift", "fig14.order",)),
    "fig13.sp": Best(5, 12, "completion time: in order in 26 of 26 cells", "", ("fig3b.nostall", "fig3b.slowcwnd", "fig4.reverse", "fig4.pacing", "fig8.better", "fig11.shift", "fig16.none", "fig18a.fq", "sec4.100ms", "fig5.stalls",)),
    "fig13.21k": Best(0, 39, "rate from which on smartacking is faster than ACC: 30 kb/s", "4 away", ("fig3a.stall1", "fig3a.rto", "fig3b.nostall", "fig3b.slowcwnd", "fig4.reverse", "fig8.better", "fig9.abc", "fig9.sa", "fig11.shift", "fig14.order", "fig16.none", "sec4.100ms", "fig5.stalls",)),
    "fig13.fixed": Best(0, 37, "completion time over that with pacing: from 0.9996 to 1.133 over 26 cells", "up to 0.033 away in 2 of 26 cells", ("fig3a.rto", "fig3b.nostall", "fig3b.slowcwnd", "fig4.reverse", "fig4.pacing", "fig6.linear", "fig8.better", "fig9.abc", "fig9.sa", "fig11.shift", "fig14.order", "fig15.react", "fig16.none", "fig18a.fq", "sec4.100ms",)),
    "fig15.acc16": Best(0, 3, "round trips from the largest d to 1: 2; round trips to an ACK a segment: acc = 2, smart = 2", "equal", ("fig3a.rto", "fig6.linear", "fig9.abc", "fig11.shift",)),
    "fig17.sa": Best(0, 13, "spread of completion times over NewReno's: 0.7738; standard deviation of cwnd over its mean: in order in 3 of 4 cells", "1 of 4 cells short", ("fig11.shift",)),
    "fig18a.sa": Best(6, 19, "fairness index: in order in 10 of 12 cells; fairness index, paced: in order in 11 of 12 cells", "", ("fig11.shift", "fig15.react",)),
    "fig18b.red": Best(3, 31, "NewReno's least index: drop-tail = 0.6152, red = 0.9442; mean second difference over capacities: in order in 5 of 5 cells", "", ("fig3a.stall1", "fig3a.rto", "fig3b.slowcwnd", "fig6.linear", "fig9.abc", "fig9.sa", "fig11.shift", "fig14.order", "fig18a.fq", "sec4.100ms", "fig5.stalls",)),
    "fig19.nohit": Best(3, 39, "mean ratio of the parallel connection's time: 0.9615; ratio of the parallel connection's time: from 0.7329 to 1.79 over 12 cells", "", ("fig3a.stall1", "fig3a.rto", "fig3b.nostall", "fig3b.slowcwnd", "fig4.reverse", "fig8.better", "fig9.abc", "fig9.sa", "fig11.shift", "fig14.order", "fig16.none", "sec4.100ms", "fig5.stalls",)),
    "sec5.general": Best(0, 7, "mean completion time over NewReno's: from 0.6704 to 1.058 over 10 cells", "up to 0.0084 away in 1 of 10 cells", ("fig11.shift",)),
    "text.short_lived": Best(10, 13, "mean completion time: in order in 4 of 4 cells", "", ("fig11.shift",)),
    "fig3b.oneack": Best(0, 28, "ACKs a round trip with the link full: 2.916; use of the link: 0.9778", "0.92 away", ("fig4.reverse", "fig14.order", "sec4.100ms", "fig5.stalls",)),
}  # fmt: skip

DERIVED: Mapping[str, str] = {
    "fig3b.oneack": "By formula (1) and half a product of buffer there are three ACKs a window or more",
    "fig3a.double": "With an ACK for two segments, and a segment for an ACK (section 2), a window grows by half a round trip",
    "fig13.fixed": "By formula (1) no ACK waits up to 5.6 kb/s, where a keep-alive takes 57 ms on the way back",
    "fig13.21k": "The queue at the sender's edge is not among the rules that follow; with 122 packets instead of 36 the rate is 20 kb/s, and 23 to 25 with nudged links",
    "fig15.acc16": "ACC's marking is not among the rules that follow; with RED from 0.1 to 0.5 of the queue ACC takes 7 or 11 round trips, by its weight",
}
"""What follows from the paper's own words, and what the search left out; worked out on its page."""


def told(reading: Reading) -> str:
    """A reading in words of the scenario."""
    return ", ".join(f"{rule} = {str(value).lower()}" for rule, value in reading.items()) or "the rules used here"


def proof(name: str) -> str:
    """What the search found for a claim."""
    best = BEST[name]
    missing = f", {best.missing}" if best.missing else ""
    loses = f". It loses {len(best.loses)} claims that are reproduced here: {', '.join(best.loses)}" if best.loses else ""
    derived = f"{DERIVED[name]}. " if name in DERIVED else ""
    return (
        f"{derived}Of {TRIED} readings of {RULES} open rules, alone and together, {best.holds} have the claim. Nearest is number {best.number} "
        f"({told(every()[best.number])}): {best.measured}{missing}{loses}"
    )


def attach(paper: Paper) -> None:
    """Adds each claim's proof to its note."""
    for name in BEST:
        id = f"{paper.id}.{name}"
        paper.claims[id] = replace(paper.claims[id], measure=_with(paper.claims[id].measure, name))


def _with(measure: Callable[..., Any], name: str) -> Callable[..., Any]:
    def measured(*results: Any) -> Any:
        found = measure(*results)
        if not isinstance(found, Measurement):
            return found
        note = found.note.rstrip(". ")
        return replace(found, note=f"{note}. {proof(name)}" if note else proof(name))

    return measured
