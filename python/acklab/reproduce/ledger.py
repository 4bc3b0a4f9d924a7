"""The ledger of mechanisms and claims as typed objects.

A claim's tolerance is prose, written when the claim was read. Beside each paper's ledger lies a criteria file that says
the same to a machine. It quotes the prose, and the quote is compared with the ledger when it is loaded: a tolerance
can not be changed in one place only.
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
class Mechanism:
    """What a paper defines: its rule, its corner cases, what the text leaves open."""

    id: str
    paper: str
    section: str
    name: str
    where: str
    algorithm: str
    state: tuple[str, ...]
    params: tuple[str, ...]
    corner_cases: tuple[str, ...]
    open_questions: tuple[str, ...]


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
    """One paper's mechanisms and claims, by id, in the order of the paper."""

    paper: str
    mechanisms: Mapping[str, Mechanism]
    claims: Mapping[str, Claim]


def papers() -> list[str]:
    """The papers that have a ledger."""
    names = [entry.name for entry in _home().iterdir() if entry.name.endswith(".toml")]
    return sorted(name.removesuffix(".toml") for name in names if not name.endswith("-criteria.toml"))


@cache
def load(paper: str) -> Ledger:
    """A paper's ledger, with its criteria where there are any.

    Raises:
        KeyError: there is no such paper.
        CriterionError: a criterion is wrong, or quotes a tolerance that the ledger does not have.
    """
    tree = _read(f"{paper}.toml")
    if tree is None:
        raise KeyError(f"no ledger for {paper!r}; there are {', '.join(papers())}")
    mechanisms = [_mechanism(entry) for entry in tree.get("mechanism", [])]
    criteria = _criteria(_read(f"{paper}-criteria.toml") or {})
    claims = [_claim(entry, criteria) for entry in tree.get("claim", [])]
    strangers = criteria.keys() - {claim.id for claim in claims}
    if strangers:
        raise CriterionError(f"{paper}-criteria.toml has criteria for claims the ledger has not: {sorted(strangers)}")
    return Ledger(paper, {m.id: m for m in mechanisms}, {c.id: c for c in claims})


def _home() -> Any:
    return resources.files("acklab.papers.ledger")


def _read(name: str) -> dict[str, Any] | None:
    file = _home().joinpath(name)
    return loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def _criteria(tree: Mapping[str, Any]) -> dict[str, Criterion]:
    found: dict[str, Criterion] = {}
    for entry in tree.get("criterion", []):
        criterion = parse(entry)
        if criterion.claim in found:
            raise CriterionError(f"{criterion.claim} has two criteria")
        found[criterion.claim] = criterion
    return found


def _mechanism(entry: Mapping[str, Any]) -> Mechanism:
    values: dict[str, Any] = {key: tuple(entry[key]) for key in ("state", "params", "corner_cases", "open_questions")}
    values |= {key: str(entry[key]) for key in ("id", "paper", "section", "name", "where", "algorithm")}
    return Mechanism(**values)


def _claim(entry: Mapping[str, Any], criteria: Mapping[str, Criterion]) -> Claim:
    keys = ("id", "paper", "kind", "claim", "quantity", "units", "paper_value", "tolerance", "test", "modified_agent")
    texts = {key: str(entry[key]) for key in keys}
    if texts["kind"] not in KINDS:
        raise CriterionError(f"{texts['id']}: kind {texts['kind']!r} is none of {', '.join(KINDS)}")
    criterion = criteria.get(texts["id"])
    if criterion is not None and criterion.quote != texts["tolerance"]:
        raise CriterionError(
            f"{texts['id']}: the criterion quotes {criterion.quote!r} but the ledger's tolerance is {texts['tolerance']!r}"
        )
    return Claim(
        **texts,
        figure=str(entry["figure_or_table"]),
        scenario=tuple(entry["scenario"]),
        flag=str(entry.get("flag", "")),
        criterion=criterion,
    )
