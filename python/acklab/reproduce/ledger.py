"""Ledger of a paper's claims, as typed objects.

A claim's tolerance is prose. Its criterion stands beside it and says the same to the judge. Whatever of an entry, or of a
parameter that decides it, was changed after a result was seen has a line in its history.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from importlib import resources
from importlib.metadata import entry_points
from typing import Any

from ..text.input import loads
from .criteria import Criterion, CriterionError, parse
from .explanation import Derived, Explanation, Searched

KINDS = ("exact", "number", "ordering", "shape", "qualitative")


VERDICTS = ("reproduced", "differs", "undecided", "not testable")


@dataclass(frozen=True)
class Change:
    """One change of an entry: what it asked for, what it asks for now, why, and whether the verdict turned."""

    was: str
    now: str
    why: str
    turned: str = ""
    """``differs to reproduced`` and the like; empty if the verdict stayed, ``not recorded`` if that is not known."""

    @property
    def turns(self) -> bool:
        """Whether the verdict turned."""
        return " to " in self.turned


@dataclass(frozen=True)
class Claim:
    """What a paper says it found."""

    id: str
    paper: str
    figure: str
    kind: str
    claim: str
    units: str
    paper_value: str
    tolerance: str
    criterion: Criterion | None = None
    history: tuple[Change, ...] = ()
    form: str = ""
    """Fingerprint of what it asks for."""
    cause: Explanation | None = None
    """Why it differs, where it does."""

    @property
    def turned(self) -> tuple[Change, ...]:
        """The changes that turned its verdict."""
        return tuple(change for change in self.history if change.turns)

    @property
    def short(self) -> str:
        """The id without the paper's name."""
        return self.id.partition(".")[2]


@dataclass(frozen=True)
class Uncounted:
    """A statement that no verdict counts."""

    kind: str
    """``arithmetic`` and ``note`` hold and could not fail; ``struck`` is no claim; ``not judged`` needs what is not there."""
    place: str
    what: str
    why: str


@dataclass(frozen=True)
class Ledger:
    """One paper's claims, by id, in the order of the paper."""

    paper: str
    claims: Mapping[str, Claim]
    settings: tuple[str, ...] = ()
    """The set-ups that the claims are about, a sentence each, with what is stated and what is inferred."""
    uncounted: tuple[Uncounted, ...] = ()


@cache
def _files() -> dict[str, Any]:
    """Returns the ledgers of the five papers and of other distributions (entry points of ``acklab.ledgers``), by paper."""
    homes = ["acklab.papers.ledger", *(entry.value for entry in entry_points(group="acklab.ledgers"))]
    files = [file for home in homes for file in resources.files(home).iterdir() if file.name.endswith(".toml")]
    return {file.name.removesuffix(".toml"): file for file in files}


def papers() -> list[str]:
    """The papers that have a ledger."""
    return sorted(_files())


@cache
def load(paper: str) -> Ledger:
    """A paper's ledger.

    Raises:
        KeyError: there is no such paper.
        CriterionError: a criterion is wrong.
    """
    if paper not in papers():
        raise KeyError(f"no ledger for {paper!r}; there are {', '.join(papers())}")
    tree = loads(_files()[paper].read_text(encoding="utf-8"))
    claims = [_claim(entry) for entry in tree["claim"]]
    uncounted = tuple(Uncounted(**line) for line in tree.get("uncounted", ()))
    return Ledger(paper, {c.id: c for c in claims}, tuple(tree["settings"]), uncounted)


_ASKED = ("figure_or_table", "kind", "claim", "quantity", "units", "paper_value", "tolerance")


def _claim(entry: Mapping[str, Any]) -> Claim:
    id = str(entry["id"])
    if unread := entry.keys() - {"id", "note", *_ASKED, "criterion", "history", "cause"}:
        raise CriterionError(f"{id}: nothing reads {', '.join(sorted(unread))}; write a comment instead")
    if entry["kind"] not in KINDS:
        raise CriterionError(f"{id}: kind {entry['kind']!r} is none of {', '.join(KINDS)}")
    return Claim(
        id=id,
        paper=id.partition(".")[0],
        figure=str(entry["figure_or_table"]),
        **{key: str(entry[key]) for key in ("kind", "claim", "units", "paper_value", "tolerance")},
        criterion=_criterion(id, entry),
        form=fingerprint(entry),
        cause=_cause(id, entry["cause"]) if "cause" in entry else None,
        history=tuple(_change(id, place, one) for place, one in enumerate(entry.get("history", ()), 1)),
    )


def _criterion(id: str, entry: Mapping[str, Any]) -> Criterion | None:
    """What an entry asks for. ``note = true`` says that the sentence is no claim of the paper, but a note on its text."""
    criterion = parse(id, entry["criterion"]) if "criterion" in entry else None
    if not entry.get("note", False):
        return criterion
    if criterion is None or criterion.standing != "arithmetic":
        raise CriterionError(
            f"{id}: only arithmetic may be a note on the text; evidence and calibration are the paper's"
        )
    return replace(criterion, standing="note")


def _cause(id: str, entry: Mapping[str, Any]) -> Explanation:
    """Returns a derivation, or a search: its readings, how each was run, and a rule that turns the verdict if one does."""
    try:
        if "derivation" in entry:
            return Derived(**{"because": entry["derivation"], **{k: v for k, v in entry.items() if k != "derivation"}})
        return Searched(**{"by" if key == "run" else key: value for key, value in entry.items()})
    except (TypeError, ValueError) as error:
        raise CriterionError(f"{id}, cause: {error}") from None


def fingerprint(entry: Mapping[str, Any]) -> str:
    """Of an entry's sentence, value, tolerance and criterion; what is told beside them may be reworded."""
    criterion = entry.get("criterion", {})
    parts = [
        {key: value for key, value in part.items() if key not in ("about", "units")}
        for part in criterion.get("parts", ())
    ]
    asked = [[entry[key] for key in _ASKED], parts, criterion.get("standing", "evidence")]
    return blake2b(json.dumps(asked, sort_keys=True).encode(), digest_size=6).hexdigest()


def _change(id: str, place: int, entry: Mapping[str, Any]) -> Change:
    where = f"{id}, history, line {place}"
    keys = {"was", "is", "why", "turned"}
    if not keys - {"turned"} <= entry.keys() <= keys:
        raise CriterionError(
            f"{where}: has {', '.join(entry)}; it takes was, is, why, and turned if the verdict turned"
        )
    texts = {key: str(text).strip() for key, text in entry.items()}
    if not all(texts.values()):
        raise CriterionError(f"{where}: {', '.join(key for key, text in texts.items() if not text)} is empty")
    turned = texts.get("turned", "")
    before, _, after = turned.partition(" to ")
    if turned not in ("", "not recorded") and (before == after or not {before, after} <= set(VERDICTS)):
        raise CriterionError(
            f'{where}: turned = "{turned}"; "differs to reproduced" and the like, of {", ".join(VERDICTS)}, or "not recorded"'
        )
    return Change(texts["was"], texts["is"], texts["why"], turned)
