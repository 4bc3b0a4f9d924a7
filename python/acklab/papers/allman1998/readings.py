"""Claims judged under each reading of the rules that the paper does not print: those of the plan (:mod:`.inferred`), one by one.

The plan fits Tables 1 and 2 on a part of the transfers. Here each reading makes the runs that the claims themselves need. These are
all 1,900 transfers of each mechanism, and 50, 200, 350 and 500 competing transfers of section 4 with :data:`SEEDS` seeds. A reading
has a claim if its means meet the criterion. No interval is asked for, so that noise cannot hide a reading that has it.
``python -m acklab.papers.allman1998.readings`` prints the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ...reproduce.experiments import Effort, Experiment
from ...reproduce.judge import judge
from ...reproduce.measure import Measurement, value_of
from ...reproduce.runner import Bench
from ...text.terminal import say
from .registry import PAPER
from .runs import SURFACE, surface
from .section3_baseline import RECOVERED, recovered
from .section4 import COMPETITION, another_reading
from .setting import PAPERS, Setting

SEEDS = 10
SACKS = ("sack", "rfc6675")
RULES: Mapping[str, Sequence[Any]] = {
    "phase": ("oracle", "shared", "option", "by-agent"),
    "reno": ("1997", "never", "always"),
    "growth": ("whole", "steps"),
    "timer": ("100ms", "200ms"),
    "min_rto": ("1s", "200ms"),
}
"""Fields of :class:`.setting.Setting`, as in the plan's alternatives."""


@dataclass(frozen=True)
class Reading:
    """A recovery of SACK, and a setting."""

    sack: str
    setting: Setting

    def __str__(self) -> str:
        """What differs from the rules that are used here."""
        found = [
            f"{rule} {getattr(self.setting, rule)}"
            for rule in RULES
            if getattr(self.setting, rule) != getattr(PAPERS, rule)
        ]
        return ", ".join(["RFC 6675"] * (self.sack != "sack") + found) or "the rules used here"


def readings() -> Iterator[Reading]:
    """All of them; the first is the one used here."""
    for sack, *values in product(SACKS, *RULES.values()):
        rules: dict[str, Any] = dict(zip(RULES, values, strict=True))
        yield Reading(sack, replace(PAPERS, **rules))


READ_BY: Mapping[str, Sequence[str]] = {
    "every": (),
    "delayed": ("timer",),
    "daass": ("timer", "phase"),
    "ubc": ("timer", "growth"),
    "lbc": ("timer", "growth"),
}
"""Rules that a mechanism reads, beside the timer's floor and the recovery."""


def _read(reading: Reading, recovery: str, mechanism: str) -> Setting:
    """The reading's setting without what the experiment does not read, so that alike runs are made once."""
    rules = ["min_rto", *READ_BY[mechanism], *(["reno"] if recovery == "reno" else [])]
    return replace(PAPERS, **{rule: getattr(reading.setting, rule) for rule in rules})


class Instead:
    """Each experiment of the paper under a reading."""

    def __init__(self) -> None:
        self._made: dict[Any, Experiment] = {}
        self._keys = {one: ("surface", *key) for key, one in SURFACE.items()} | {
            one: ("competition", *key) for key, one in COMPETITION.items()
        }

    def of(self, one: Experiment, reading: Reading) -> Experiment | None:
        """None for what no reading here is made of."""
        if one is RECOVERED:
            key: tuple[Any, ...] = ("recovered", reading.sack, _read(reading, "sack", "every"))
            return self._made.setdefault(key, recovered(reading.sack, key[2]))
        if one not in self._keys:
            return None
        kind, where, mechanism = self._keys[one]
        recovery = where if kind == "surface" and where == "reno" else reading.sack
        setting = _read(reading, recovery, mechanism)
        key = (kind, where if kind == "competition" else recovery, mechanism, recovery, setting)
        if key not in self._made:
            made = (
                surface(recovery, mechanism, setting)
                if kind == "surface"
                else another_reading(where, mechanism, replace(setting, competing=recovery), "")
            )
            self._made[key] = made
        return self._made[key]


def _means(value: Any) -> Any:
    """Numbers in place of samples."""
    return {key: _means(one) for key, one in value.items()} if isinstance(value, Mapping) else value_of(value)


def having(
    claims: Sequence[str], among: Sequence[Reading] | None = None, threads: int | None = None
) -> dict[str, list[Reading]]:
    """The readings under which each claim holds by its means.

    Args:
        claims: ids without the paper's name; all their experiments have to be surfaces, recoveries or competitions.
        among: which readings; all if left out.
        threads: how many runs at once.

    Raises:
        ValueError: a claim rests on another experiment.
    """
    instead, bench = Instead(), Bench(Effort(seeds=(SEEDS,)), threads)
    chosen = list(readings()) if among is None else list(among)
    needs: dict[tuple[str, int], list[Experiment]] = {}
    for short in claims:
        for number, reading in enumerate(chosen):
            made = [instead.of(one, reading) for one in PAPER.claims[f"allman1998.{short}"].needs]
            if None in made:
                raise ValueError(f"{short} rests on more than surfaces, recoveries and competitions")
            needs[short, number] = [one for one in made if one is not None]
    for one in dict.fromkeys(one for found in needs.values() for one in found):
        bench.run([one], "readings")  # one at a time: the texts of all runs together take half a gigabyte
    held: dict[str, list[Reading]] = {short: [] for short in claims}
    for (short, number), found in needs.items():
        id = f"allman1998.{short}"
        measured = PAPER.claims[id].measure(*bench.results(found))
        assert isinstance(measured, Measurement)
        if judge(PAPER.ledger.claims[id], Measurement(_means(measured.parts))).verdict == "reproduced":
            held[short].append(chosen[number])
    return held


DIFFERING = (
    "fig2b.nojump", "fig2b.q8", "fig3b.shape", "table1.ubc.all", "table2.daass.all", "table2.daass.short", "tables.order.all",
    "fig9.order", "fig9.lbc_daass", "fig9.heavy", "fig12.order", "fig13.order", "fig13.lbc_every",
)  # fmt: skip
"""Claims that differ under the rules used here."""


if __name__ == "__main__":
    every = list(readings())
    for short, held in having(DIFFERING, every, 1).items():
        say("\n".join([f"{short}: {len(held)} of {len(every)}", *(f"  {one}" for one in held[:4])]))
