"""A paper as one readable module: its parameters, its experiments, its figures, its claims.

A paper's module makes one :class:`Paper` and registers with decorators::

    @PAPER.figure("figure-2", "Figure 2", "ACK every segment", section="3.2.1", needs=[SURFACE["reno", "every"]])
    def figure_2(surface): ...

    @PAPER.claim("fig2a.q22", SURFACE["reno", "every"])
    def no_drops_at_22(surface):
        return Measurement({"drops": surface.at(queue=22)["drops"].max()})

A function is given the results of the experiments it names, in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..report.charts import Chart
from .experiments import Experiment, Replications
from .explanation import Explanation
from .ledger import Ledger, load
from .measure import Measurement, NotTestable

Measure = Callable[..., "Measurement | NotTestable"]


GROUPS = ("paper", "later work", "classic")
"""The five papers, work of 2018 to 2026, and texts that print numbers or traces: the index lists and counts them apart."""


@dataclass(frozen=True)
class Parameter:
    """One choice of the paper's setting, and where it comes from."""

    name: str
    value: str
    basis: str
    """``stated`` by the paper, or ``inferred``."""
    reason: str
    """The section that states it, or why it was inferred."""
    fitted_to: tuple[str, ...] = ()
    """Claims that were used to choose the value: they count as calibration."""

    def __post_init__(self) -> None:
        if self.basis not in ("stated", "inferred"):
            raise ValueError(f"{self.name}: {self.basis!r} is neither stated nor inferred")


@dataclass(frozen=True)
class Compared:
    """One number of the paper beside ours and, where the oracle has it, ns-2's."""

    what: str
    paper: str
    ours: str
    ns2: str = ""


@dataclass(frozen=True)
class Drawn:
    """What a figure's function returns."""

    charts: Sequence[Chart]
    tables: Mapping[str, Any] = field(default_factory=dict)
    """Polars frames by name, written as Parquet; column names carry units."""
    compared: Sequence[Compared] = ()
    remark: str = ""
    scenario: str = ""
    """One of its scenarios, shown for those who want to run it themselves."""
    listed: Sequence[Sequence[str]] = field(default=(), kw_only=True)
    """A table of its own, heads first; the first column is words."""


@dataclass(frozen=True)
class Figure:
    """A figure or table of the paper."""

    id: str
    label: str
    title: str
    section: str
    needs: tuple[Experiment, ...]
    draw: Callable[..., Drawn]
    evidence: str = ""
    """Empty for a figure of the paper; ``evidence`` for what a reviewer asks."""
    slow: bool = False
    """Left out of quick runs."""


@dataclass(frozen=True)
class Judged:
    """How a claim is measured."""

    id: str
    needs: tuple[Experiment, ...]
    measure: Measure
    beside: tuple[Experiment, ...] = ()
    """What only its note tells of: it neither gets seeds for the claim's sake nor bounds how many the claim has."""
    exact: str = ""
    """Why a nudge changes nothing of it but by its own size, so that one run decides it; a test holds it to that."""

    @property
    def uses(self) -> tuple[Experiment, ...]:
        """All of them."""
        return (*self.needs, *self.beside)


@dataclass
class Paper:
    """Everything that regenerates one paper."""

    id: str
    title: str
    citation: str
    about: str
    sections: Mapping[str, str]
    parameters: Sequence[Parameter]
    terms: Mapping[str, str] = field(default_factory=dict)
    """What abbreviations and names in its claims and figures mean."""
    ns2: Mapping[str, str] = field(default_factory=dict)
    """What ns-2 gets for a claim, where the oracle can express it."""
    ns2_numbers: Mapping[str, float] = field(default_factory=dict)
    """The same as a number, where it is a single one."""
    group: str = "paper"
    """One of :data:`GROUPS`."""
    unprinted: Sequence[str] | None = None
    """Experiments whose delays it does not print; all if left out. Repetitions of others vary clocks alone."""
    figures: list[Figure] = field(default_factory=list)
    claims: dict[str, Judged] = field(default_factory=dict)
    explanations: dict[str, Explanation] = field(default_factory=dict)
    """What is known of why a claim differs, where it does."""

    @property
    def ledger(self) -> Ledger:
        """Its mechanisms and claims."""
        return load(self.id)

    @property
    def source(self) -> str:
        """What states the claims: not always a paper."""
        return "paper" if self.group == "paper" else "source"

    def figure(
        self,
        id: str,
        label: str,
        title: str,
        section: str,
        needs: Sequence[Experiment] = (),
        *,
        evidence: str = "",
        slow: bool = False,
    ) -> Callable[[Callable[..., Drawn]], Callable[..., Drawn]]:
        """Registers a figure."""

        def register(draw: Callable[..., Drawn]) -> Callable[..., Drawn]:
            self.figures.append(Figure(id, label, title, section, tuple(needs), draw, evidence, slow))
            return draw

        return register

    def claim(
        self, short: str, *needs: Experiment, beside: Sequence[Experiment] = (), exact: str = ""
    ) -> Callable[[Measure], Measure]:
        """Registers how a claim is measured; results ``beside`` it, for its note, come last."""

        def register(measure: Measure) -> Measure:
            id = f"{self.id}.{short}"
            if id in self.claims:
                raise ValueError(f"{id} is measured twice")
            self.claims[id] = Judged(id, needs, measure, tuple(beside), exact)
            return measure

        return register

    def explain(self, short: str, explanation: Explanation) -> None:
        """Declares why a claim differs, for where it does."""
        id = f"{self.id}.{short}"
        if id in self.explanations:
            raise ValueError(f"{id} is explained twice")
        self.explanations[id] = explanation

    def standing(self, claim: str) -> str | None:
        """``calibration`` where a parameter was fitted to the claim."""
        fitted = {f"{self.id}.{short}" for parameter in self.parameters for short in parameter.fitted_to}
        return "calibration" if claim in fitted else None

    def needs_repetitions(self, claim: str) -> bool:
        """Whether nudged repetitions judge a claim: not arithmetic, not what is exact, not where every experiment has seeds."""
        criterion, measured = self.ledger.claims[claim].criterion, self.claims[claim]
        arithmetic = (
            self.standing(claim) is None and criterion is not None and criterion.standing in ("arithmetic", "note")
        )
        return (
            not arithmetic and not measured.exact and any(not isinstance(one, Replications) for one in measured.needs)
        )

    @property
    def evidence(self) -> int:
        """How many of its claims test it."""
        return sum(self._is_evidence(id) for id in self.claims)

    def _is_evidence(self, claim: str) -> bool:
        criterion = self.ledger.claims[claim].criterion
        return self.standing(claim) is None and criterion is not None and criterion.standing == "evidence"

    def check(self) -> list[str]:
        """What is missing or stray: every claim of the ledger needs a measurement and a criterion."""
        claims = self.ledger.claims
        wrong = [f"no measurement for {id}" for id in claims if id not in self.claims]
        wrong += [f"{id} is not in the ledger" for id in self.claims if id not in claims]
        wrong += [f"no criterion for {id}" for id, claim in claims.items() if claim.criterion is None]
        fitted = {f"{self.id}.{short}" for p in self.parameters for short in p.fitted_to}
        wrong += [f"a parameter is fitted to {id}, which is not in the ledger" for id in sorted(fitted - claims.keys())]
        bare = [id for id, one in self.claims.items() if id in claims and not one.uses and self._is_evidence(id)]
        wrong += [
            f"{id} runs nothing, and is no evidence"
            for id in bare
            if isinstance(self.claims[id].measure(), Measurement)
        ]
        wrong += [f"an explanation of {id}, which is not in the ledger" for id in self.explanations if id not in claims]
        wrong += [f"ns-2's value for {id}, which is not in the ledger" for id in self.ns2 if id not in claims]
        return wrong


@dataclass
class Study(Paper):
    """A question of our own: parameters and figures, and no claims to judge."""

    @property
    def ledger(self) -> Ledger:
        """Empty."""
        return Ledger(self.id, {})
