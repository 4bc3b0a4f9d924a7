"""Ledger of a paper's claims, as typed objects.

A claim's tolerance is prose. Its criterion stands beside it and says the same to the judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from .._toml import loads
from .criteria import Criterion, CriterionError, parse

KINDS = ("exact", "number", "ordering", "shape", "qualitative")


@dataclass(frozen=True)
class Claim:
    """What a paper says it found."""

    id: str
    paper: str
    figure: str
    kind: str
    claim: str
    quantity: str
    units: str
    paper_value: str
    tolerance: str
    test: str
    scenario: tuple[str, ...]
    modified_agent: str
    flag: str
    criterion: Criterion | None = None

    @property
    def short(self) -> str:
        """The id without the paper's name."""
        return self.id.partition(".")[2]


@dataclass(frozen=True)
class Ledger:
    """One paper's claims, by id, in the order of the paper."""

    paper: str
    claims: Mapping[str, Claim]


def papers() -> list[str]:
    """The papers that have a ledger."""
    return sorted(entry.name.removesuffix(".toml") for entry in _home().iterdir() if entry.name.endswith(".toml"))


@cache
def load(paper: str) -> Ledger:
    """A paper's ledger.

    Raises:
        KeyError: there is no such paper.
        CriterionError: a criterion is wrong.
    """
    if paper not in papers():
        raise KeyError(f"no ledger for {paper!r}; there are {', '.join(papers())}")
    tree = loads(_home().joinpath(f"{paper}.toml").read_text(encoding="utf-8"))
    claims = [_claim(entry) for entry in tree["claim"]]
    return Ledger(paper, {c.id: c for c in claims})


def _home() -> Any:
    return resources.files("acklab.papers.ledger")


def _claim(entry: Mapping[str, Any]) -> Claim:
    keys = ("id", "paper", "kind", "claim", "quantity", "units", "paper_value", "tolerance", "test", "modified_agent")
    texts = {key: str(entry[key]) for key in keys}
    if texts["kind"] not in KINDS:
        raise CriterionError(f"{texts['id']}: kind {texts['kind']!r} is none of {', '.join(KINDS)}")
    return Claim(
        **texts,
        figure=str(entry["figure_or_table"]),
        scenario=tuple(entry["scenario"]),
        flag=str(entry.get("flag", "")),
        criterion=parse(texts["id"], entry["criterion"]) if "criterion" in entry else None,
    )
