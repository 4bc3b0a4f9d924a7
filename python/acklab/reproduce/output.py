"""What a regeneration leaves behind: pages, ``claims.json``, Parquet tables, charts as SVG and PNG."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..results.directory import Folder
from ..results.frames import provenance, system_errors
from . import words
from .runner import Outcome
from .verdict import Verdict


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The verdicts and figures as plain values: what ``--json`` prints and ``claims.json`` holds."""
    return {
        "quick": any(o.effort.quick for o in outcomes),
        **({"changed": changed} if (changed := [text for o in outcomes[:1] for text in o.effort.sets]) else {}),
        "papers": {o.paper.id: _paper(o) for o in outcomes},
        "counts": {o.paper.id: words.tally(o.verdicts) for o in outcomes if o.paper.ledger.claims},
        "differ": {o.paper.id: words.explained_how(o.verdicts) for o in outcomes if o.paper.ledger.claims},
        "runs": {o.paper.id: o.runs for o in outcomes},
        "uncounted": {o.paper.id: [asdict(line) for line in o.paper.ledger.uncounted] for o in outcomes},
        "claims": [_claim(o, v) for o in outcomes for v in o.verdicts],
        "figures": [
            {
                "id": f"{o.paper.id}/{figure.id}",
                "paper": o.paper.id,
                "label": figure.label,
                "title": figure.title,
                "compared": [{"what": c.what, "paper": c.paper, "ours": c.ours, "ns2": c.ns2} for c in drawn.compared],
            }
            for o in outcomes
            for figure, drawn in o.figures
        ],
        "failed": [{"paper": o.paper.id, "experiment": f.experiment, "why": f.why} for o in outcomes for f in o.failed],
    }


def _paper(outcome: Outcome) -> dict[str, Any]:
    paper, effort = outcome.paper, outcome.effort
    changed = {"changed": list(effort.sets)} if effort.sets else {}
    return {
        "title": paper.title,
        "citation": paper.citation,
        "about": paper.about,
        "group": paper.group,
        "quick": effort.quick,
        "evidence": paper.evidence,
        **changed,
    }


def joined(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """A summary with the papers of an earlier one that are not in it."""
    others = old["papers"].keys() - new["papers"].keys()
    found = dict(new)
    for key in ("papers", "counts", "differ", "runs", "uncounted"):
        found[key] = {name: value for name, value in old[key].items() if name in others} | new[key]
    for key in ("claims", "figures", "failed"):
        found[key] = [one for one in old[key] if one["paper"] in others] + new[key]
    found["quick"] = any(one["quick"] for one in found["papers"].values())
    return found


def _earlier(out: Folder) -> dict[str, Any]:
    """The summary that an earlier command wrote here, with what its papers' pages are still there for."""
    if "claims.json" in out.marker.get("files", ()):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return joined(EMPTY, json.loads((out.path / "claims.json").read_text("utf-8")))
    return EMPTY


EMPTY: dict[str, Any] = {
    "quick": False,
    "papers": {},
    "counts": {},
    "differ": {},
    "runs": {},
    "uncounted": {},
    "claims": [],
    "figures": [],
    "failed": [],
}


def _claim(outcome: Outcome, verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    return {
        "id": claim.id,
        "paper": claim.paper,
        "figure": claim.figure,
        "kind": claim.kind,
        "verdict": verdict.verdict,
        "measured": verdict.shown,
        "undecided": verdict.undecided,
        "standing": verdict.standing,
        "claim": claim.claim,
        "units": claim.units,
        "value": _plain(verdict.value),
        "paper_value": claim.paper_value,
        "ns2_value": outcome.paper.ns2.get(claim.id),
        "tolerance": claim.tolerance,
        "interval": _plain(verdict.interval),
        "seeds": verdict.seeds,
        "nudged": verdict.nudged,
        "alone": verdict.alone,
        "why": verdict.why,
        "cause": verdict.cause and {"kind": verdict.cause.word, **asdict(verdict.cause)},
        "note": verdict.note,
        "exact": outcome.paper.claims[claim.id].exact,
        "form": claim.form,
        "history": [{"was": c.was, "is": c.now, "why": c.why, "turned": c.turned} for c in claim.history],
    }


def _plain(value: Any) -> Any:
    """JSON knows neither infinities nor numpy's numbers."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, (str, bool)) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None


#: Files of every regeneration.
NAMES = ("index.html", "claims.json")


def write(outcomes: Sequence[Outcome], out: Folder, new: Sequence[Outcome] | None = None) -> Path:
    """Writes the papers' pages and what is on all of them, and returns the index page's path.

    Everything is made in a scratch directory and moved when it is whole.

    Args:
        outcomes: every paper there is so far.
        out: the directory; pages of other papers in it stay, also on the index and in ``claims.json``.
        new: the papers whose pages are written; all if left out.
    """
    papers = {outcome.paper.id for outcome in (outcomes if new is None else new)}

    def is_of_another(name: str) -> bool:
        return name.split("/")[0].removesuffix(".html") not in papers

    told = joined(summary(outcomes), _earlier(out))
    with out.replacing(keep=is_of_another) as scratch:
        _write(told, outcomes if new is None else new, scratch)
    return out.path / "index.html"


def page_of(outcome: Outcome) -> str:
    """The text of a paper's page."""
    from ..report.pieces import embedded
    from . import page

    charts = [chart for _, drawn in outcome.figures for chart in drawn.charts]
    return page.paper_page(outcome, {chart.name: embedded(chart) for chart in charts})


def _write(told: Mapping[str, Any], new: Sequence[Outcome], out: Path) -> None:
    from ..report.pieces import save_all
    from . import index

    for outcome in new:
        folder = out / outcome.paper.id
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        for figure, drawn in outcome.figures:
            save_all(drawn.charts, folder / "figures")
            for name, frame in drawn.tables.items():
                path = folder / "tables" / f"{figure.id}-{name}.parquet"
                with system_errors(path):
                    effort = {"seeds": outcome.effort.seeds, "quick": outcome.effort.quick}
                    about = provenance(paper=outcome.paper.id, figure=figure.id, **effort)
                    frame.write_parquet(path, metadata=about)
        (out / f"{outcome.paper.id}.html").write_text(page_of(outcome), encoding="utf-8")
    (out / "claims.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    (out / "index.html").write_text(index.index_page(told), encoding="utf-8")
