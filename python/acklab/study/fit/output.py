"""What a fit leaves: scenarios, the object of ``--json``, and one offline page."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...scenario._toml import dumps
from ...text.escapes import one_line
from ...text.templates import Fact
from .held_out import HeldOut
from .predict import Prediction, Range
from .receivers import Named
from .report import HEADS, moved, picture, report, rows
from .score import Score

if TYPE_CHECKING:
    from ...results.directory import Folder
    from .fit import Fit

NAMES = ("fitted.toml", "replay.toml", "fit.json", "fit.html")
"""The files of a fit; the second only where losses are replayed one by one."""


def plain(found: Fit, prediction: Prediction | None = None) -> dict[str, Any]:
    """The fit as plain values: the object of ``--json`` and ``fit.json``."""
    row = found.measured.row
    told: dict[str, Any] = {
        "file": found.file,
        "connection": row["connection"],
        "direction": row["direction"],
        "from": row["from"],
        "to": row["to"],
        "acked_bytes": found.measured.bytes,
        "duration_s": found.measured.end_s,
        "limit": row["limit"],
        "model_limit": None if found.model.simulated.row is None else found.model.simulated.row["limit"],
        "parameters": [
            {
                "name": one.name,
                "value": one.value,
                "unit": one.unit,
                "low": one.low,
                "high": one.high,
                "determined": one.determined,
                "how": _plain(one.how),
            }
            for one in found.values
        ],
        "model": {**_score(found.model.score), **found.model.names},
        "replay": {**_score(found.replay.score), **found.replay.names},
        "alike": [dict(one.names) for one in found.models],
        "receiver": None if found.receiver is None else _named(found.receiver),
        "held_out": None if found.held_out is None else _held_out(found.held_out),
        "not_held_out": found.why_not,
        "bad": _plain(found.bad),
        "simulations": found.simulations,
        "notes": [note.plain() for note in found.notes],
        "scenario": found.scenario,
    }
    if prediction is not None:
        told["what_if"] = {
            "sets": list(prediction.sets), "draws": prediction.draws, "models": len(prediction.models), "unfinished": prediction.unfinished,
            "rates_bps": list(prediction.rates), "claims": [claim.plain() for claim in prediction.claims],
            "quantities": [
                {"name": one.name, "unit": one.unit, "fitted": _range(one.fitted), "changed": _range(one.changed), "change": _range(one.change)}
                for one in prediction.quantities
            ],
        }  # fmt: skip
    return told


def _plain(one: Fact | None) -> dict[str, Any] | None:
    return None if one is None else one.plain()


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _score(score: Score) -> dict[str, float | None]:
    return {
        "curve": _finite(score.curve),
        "end": _finite(score.end),
        "acks": _finite(score.acks),
        "ack_sizes": _finite(score.sizes),
    }


def _named(one: Named) -> dict[str, Any]:
    return {
        "said": one.known,
        "names": list(one.names),
        "odds": dict(one.odds),
        "far": one.far,
        "cost": _finite(one.cost),
        "same": one.same,
        "above": one.above,
    }


def _held_out(one: HeldOut) -> dict[str, Any]:
    interval = {"low": _finite(one.low), "high": _finite(one.high), "covered": one.covered, "members": len(one.members)}
    return {**_score(one.score), **interval, "open": list(one.open)}


def _range(one: Range) -> dict[str, float | None]:
    return {"median": _finite(one.median), "low": _finite(one.low), "high": _finite(one.high)}


def scenario(found: Fit, listed: bool = False) -> str:
    """The fitted scenario as a file; ``listed`` with the captured losses one by one."""
    one = found.replay if listed else found.model
    what = "with the captured losses one by one" if listed else "the model that fits best"
    about = one_line(f"{found.measured.row['from']} -> {found.measured.row['to']}")
    told = [
        f"# Of `acklab fit`: {what}, of {about}.",
        *(f"# {' | '.join(row).rstrip(' |')}" for row in [HEADS, *rows(found)]),
    ]
    return "\n".join(told) + "\n" + dumps(found.search.tree(one.sets))


def write(found: Fit, prediction: Prediction | None, folder: Folder) -> None:
    """Writes everything into a directory that is held."""
    with folder.replacing({"capture": found.file}) as scratch:
        (scratch / "fitted.toml").write_text(scenario(found), encoding="utf-8")
        if found.replay.listed:
            (scratch / "replay.toml").write_text(scenario(found, listed=True), encoding="utf-8")
        (scratch / "fit.json").write_text(
            json.dumps(plain(found, prediction), indent=1, allow_nan=False) + "\n", encoding="utf-8"
        )
        (scratch / "fit.html").write_text(page(found, prediction), encoding="utf-8")


def page(found: Fit, prediction: Prediction | None = None) -> str:
    """One page that needs no network: facts, tables, and capture and simulation in one picture."""
    from ...report.pictures import embedded
    from .charts import viewer

    drawn = picture(prediction) if prediction is not None and moved(prediction) else None
    shown = embedded(drawn, wide=True) if drawn else ""
    folded = "Capture and models over time" if prediction is not None else ""
    answer = report(found, prediction, short=True)
    return replace(answer, picture=shown, viewer=viewer(found, prediction), viewer_fold=folded).page()
