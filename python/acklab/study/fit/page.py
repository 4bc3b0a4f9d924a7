"""What a fit leaves, and the answer of a what-if: facts and tables, capture and simulation in one picture, scenarios, the object of ``--json``."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...captures import text as capture_text
from ...captures.charts import caption
from ...captures.text import CAUSES, limit, title, title_of_file
from ...plot import palette
from ...plot.prep.packets import thin_points, thin_steps
from ...report.charts import Dot, DotPanel, Dots
from ...report.encode import NANO, Blocks, coarse
from ...report.page import Viewer
from ...report.report import Report, Table
from ...scenario._toml import dumps
from ...text.numbers import NB, between, change, percent, shown
from ...text.templates import Fact, fact, sentence
from ...text.terminal import one_line
from .held_out import HeldOut
from .place import Row, Value, of_direction
from .predict import SAME, WIDER, Predicted, Prediction, Range, doubt, given
from .receivers import LINUX_ALL, Named, called
from .search import Score, Simulated, times

if TYPE_CHECKING:
    from ...results.directory import Folder
    from .fit import Fit

HEADS = ["parameter", "value", "interval", "determined", "how"]
#: The order of facts and panels. Facts leave goodput out where there is a completion, which is the same in other units.
FIRST = ("mean round trip", "completion", "ACKs", "retransmissions", "goodput")
#: Units of the picture's axes, and their factors.
SCALES = {"s": ("ms", 1e3), "bps": ("Mb/s", 1e-6), "": ("", 1.0)}


def report(found: Fit, prediction: Prediction | None = None, *, short: bool = False) -> Report:
    """The report of a fit, and of what was asked of it; ``short``: the capture's name without its directory."""
    name = f"{title_of_file(found.file, short=short)}, {title(found.measured.row)}"
    tables = [_parameters(found), _scores(found)]
    if prediction is None:
        return Report("fit", name, facts(found), [replace(tables[0], fold=False, lead=True), *tables[1:]])
    name = f"{name}: what if {one_line(', '.join(prediction.sets))}"
    return Report("fit", name, foreseen(prediction), [_answer(prediction), *tables])


def facts(found: Fit) -> list[Fact]:
    """What was fitted, what limits it, what may be asked of it, and the held-out check."""
    measured, held = found.measured, found.held_out
    several = [fact("fitted", bytes=measured.bytes, took=measured.end_s, simulations=found.simulations)]
    several += [limit(measured.row), _asked(found), *filter(None, [doubt(found)]), *_receiver(found)]
    if found.bad:
        return several
    if held is None:
        return [*several, fact("not-held-out", why=found.why_not)]
    return [*several, fact("held-out" if held.covered else "held-out-missed", low=held.low, high=held.high)]


def _asked(found: Fit) -> Fact:
    if found.bad:
        return fact("answers-none", why=found.bad)
    return fact("answers-but", why=found.blind) if found.blind else fact("answers")


def _receiver(found: Fit) -> list[Fact]:
    """What the receiver acknowledges like, and how much likelier that is than the next; nothing where no name is said."""
    named = found.receiver
    if named is None or not named.known:
        return []
    linux = named.names[0].startswith(LINUX_ALL)
    rest = [one for one in named.odds if one not in named.names and not (linux and one.startswith(LINUX_ALL))]
    if not rest:
        return [fact("receiver-alone", names=called(named.names))]
    odds = sum(named.odds[one] for one in named.names) / (named.odds[rest[0]] or math.ulp(0.0))
    return [fact("receiver-like", names=called(named.names), odds=odds, next=rest[0])]


def interval(value: Value) -> str:
    """The interval, or the bound that there is."""
    # A rate that passed is a lower bound, also where the search varies it.
    bound = value.name == "rate" and not value.determined
    return between(value.low, None if bound else value.high, value.unit) if value.low != value.high else ""


def rows(found: Fit) -> list[list[str]]:
    """The rows of parameters, below :data:`HEADS`."""
    return [
        [one.name, shown(one.value, one.unit), interval(one), "yes" if one.determined else "no", "" if one.how is None else one_line(sentence(one.how))]
        for one in found.values
    ]  # fmt: skip


def _parameters(found: Fit) -> Table:
    feet, last = [fact("determined"), *found.notes], given(found)
    if last:
        feet.append(fact("given", last=last, took=found.measured.end_s))
    if found.measured.writes:
        feet.append(fact("writes-replayed"))
    if _receiver(found):
        feet.append(fact("receiver-unknown"))
    if found.held_out and found.held_out.open:
        feet.append(fact("held-open", names=found.held_out.open))
    return Table(HEADS, rows(found), "Parameters", feet, names=5, fold=True)


def _scores(found: Fit) -> Table:
    """How far simulations are from the capture."""
    heads = ["simulated", "completion", "curve off by", "ACKs", "ACKs of other sizes", "round trips", "limit"]
    both = found.search.waits(found.model)
    trips = "-" if both is None else change(both.simulated_s / both.captured_s - 1)
    table = [["the capture", "", "", "", "", "", _limit(found.measured.row)]]
    table.append(["the model", *_cells(found.model.score), trips, _limit(found.model.simulated.row)])
    if found.replay is not found.model and found.replay.listed:
        cells = _cells(found.replay.score)
        table.append(["the captured losses one by one", *cells, "-", _limit(found.replay.simulated.row)])
    if found.held_out is not None:
        table.append(["the second half, from the first", *_cells(found.held_out.score), "-", "-"])
    return Table(heads, table, "Beside the capture", [fact("scored"), fact("sized")], fold=True)


def _cells(score: Score) -> list[str]:
    curve = f"{100 * min(score.curve, 10):.1f}{NB}%"
    return [change(score.end), curve, change(score.acks), f"{100 * score.sizes:.0f}{NB}%"]


def _limit(row: Row | None) -> str:
    if row is None or row["limit"] not in CAUSES:
        return "-" if row is None else str(row["limit"])
    column, name = CAUSES[row["limit"]]
    return f"{name}, {percent(row[column] / row['limits_s'])}"


def moved(prediction: Prediction) -> dict[str, Predicted]:
    """The quantities whose ranges leave no change out."""
    several = {one.name: one for one in prediction.quantities if one.fitted.median}
    return {name: several[name] for name in FIRST if name in several and not several[name].change.low <= 0 <= several[name].change.high}  # fmt: skip


def foreseen(prediction: Prediction) -> list[Fact]:
    """What the changes would do, and how far to trust that."""
    changes = moved(prediction)
    same = [one.name for one in prediction.quantities if one.fitted.median and one.name not in changes]
    told = [_change(one) for name, one in changes.items() if not (name == "goodput" and "completion" in changes)]
    if all(max(abs(one.change.low), abs(one.change.high)) < SAME for one in prediction.quantities):
        told = [fact("unchanged", share=SAME)]
    elif same:
        told.append(fact("no-change-shown", quantities=same))
    trust = [*filter(None, [prediction.doubt]), *prediction.claims]
    return [*told, *trust, fact("never-real")]


def _change(one: Predicted) -> Fact:
    fitted, changed = (shown(of.median, one.unit) for of in (one.fitted, one.changed))
    return fact("what-if", quantity=one.name, fitted=fitted, changed=changed, low=one.change.low, high=one.change.high)


def _answer(prediction: Prediction) -> Table:
    """Each quantity as fitted and changed."""

    def cells(range_: Range, unit: str) -> str:
        ends = f"{shown(range_.low, unit)} to {shown(range_.high, unit)}"
        return shown(range_.median, unit) if range_.low == range_.high else f"{shown(range_.median, unit)} ({ends})"

    def relative(one: Predicted) -> str:
        if not one.fitted.median:
            return "-"
        low, middle, high = (change(end) for end in (one.change.low, one.change.median, one.change.high))
        return middle if one.change.low == one.change.high else f"{middle} ({low} to {high})"

    table = [
        [one.name, cells(one.fitted, one.unit), cells(one.changed, one.unit), relative(one), change(WIDER.get(one.name, 0.0)).lstrip("+")]
        for one in prediction.quantities
    ]  # fmt: skip
    feet = [fact("draws", draws=prediction.draws, models=len(prediction.models))]
    if prediction.unfinished:
        feet.append(fact("unfinished-draws", unfinished=prediction.unfinished, draws=prediction.draws))
    if prediction.near_s >= 0.01 * prediction.captured_s:
        feet.append(fact("away", near=prediction.near_s))
    return Table(["quantity", "as fitted", "changed", "change", "wider by"], table, "What if", feet)


def picture(prediction: Prediction) -> Dots:
    """As fitted beside changed: a panel for each quantity, each range a line."""
    panels = []
    for one in (one for name in FIRST for one in prediction.quantities if one.name == name):
        unit, factor = (
            SCALES[one.unit] if one.unit != "s" or one.changed.high < 1 and one.fitted.high < 1 else ("s", 1.0)
        )
        dots = [
            Dot(place, of.median * factor, (of.low * factor, of.high * factor), colour)
            for place, (of, colour) in enumerate(((one.fitted, "orange"), (one.changed, "purple")))
        ]
        panels.append(DotPanel(f"{one.name} ({unit})" if unit else one.name, dots))
    return Dots("what-if", sentence(fact("chart-what-if")), ["as fitted", "changed"], panels)


#: Places along the whole time that a layer is thinned to.
COLUMNS = 20_000
CAPTURED, MODEL, REPLAY, CHANGED = "blue", "orange", "green", "purple"
#: The picture goes on for this share of the time after the last jump, so that it shows.
MORE = 0.01


def _layer(key: str, name: str, kind: str, slot: str) -> dict[str, Any]:
    return {"key": key, "name": name, "kind": kind, "slot": slot}


def _both(kind: str) -> list[dict[str, Any]]:
    return [
        _layer("captured", "captured", kind, CAPTURED) | {"wide": True},
        _layer("model", "model", kind, MODEL),
        _layer("changed", "model, changed", kind, CHANGED),
    ]


CHARTS: list[dict[str, Any]] = [
    {
        "id": "acked", "title": "Acknowledged data", "height": 320,
        "about": caption("acked"),
        "axis": {"label": "acknowledged", "unit": "B", "si": True},
        "layers": [*_both("steps"), _layer("replay", "captured losses replayed", "steps", REPLAY)],
    },
    {
        "id": "lag", "title": "How much later the simulation is", "height": 180,
        "about": caption("lag"),
        "axis": {"label": "later", "unit": "ms"},
        "layers": [_layer("model", "model", "steps", MODEL), _layer("replay", "captured losses replayed", "steps", REPLAY), _layer("zero", "no difference", "level", "slate")],
    },
    {
        "id": "acks", "title": "Segments that an ACK acknowledges", "height": 180,
        "about": caption("acks"),
        "axis": {"label": "acknowledged at once", "unit": "segments", "zero": True},
        "layers": _both("dots"),
    },
    {
        "id": "trips", "title": "Round trips from here", "height": 200,
        "about": caption("trips"),
        "axis": {"label": "round trip", "unit": "ms", "zero": True},
        "layers": _both("dots"),
    },
]  # fmt: skip


def viewer(found: Fit, prediction: Prediction | None = None) -> Viewer:
    """What the page's charts draw: capture and model, and the model with the changes of a what-if."""
    blocks, measured = Blocks(), found.measured
    seen = Simulated(found.found, measured.row, measured.curve, measured.start_s)
    several = {"captured": seen, "model": found.search.again(found.model)}
    if found.replay.listed:
        several["replay"] = found.search.again(found.replay)
    if prediction is not None:
        several["changed"] = found.search.again(found.model, prediction.sets)
    layers: dict[str, pl.DataFrame] = {}
    for name, one in several.items():
        layers[f"acked {name}"] = _steps(one.curve.select("time_s", value=pl.col("ack_bytes").cast(pl.Float64)))
        if name not in ("captured", "changed"):
            layers[f"lag {name}"] = _steps(_lag(measured.curve, one.curve))
        if name != "replay":
            layers[f"acks {name}"], layers[f"trips {name}"] = _acks(one), _trips(one)
    layers["lag zero"] = pl.DataFrame({"time_s": [0.0], "value": [0.0]})
    tables = {
        name: blocks.add(frame, coarse(frame, {"time_s": NANO, "value": 1e-6}))
        for name, frame in layers.items()
        if frame.height
    }
    progress = measured.curve.select("time_s", bytes="ack_bytes")
    tables["progress"] = blocks.add(progress, coarse(progress, {"time_s": NANO}))
    end = (1 + MORE) * max(one.end_s for one in several.values() if one.curve.height)
    slot = palette.run_slots(1)[0]
    item = {
        "run": 0,
        "flow": capture_text.title(measured.row),
        "unit": "bytes",
        "tables": tables,
        "end_s": end,
        "slot": slot,
        "capacity_bps": None,
    }
    recorded = {"series": True, "queue": False, "packets": True}
    run: dict[str, Any] = {
        "label": "capture and fit",
        "seed": None,
        "end_s": end,
        "slot": slot,
        "queues": [],
        "recorded": recorded,
    }
    colours = {"slots": palette.SLOTS, "roles": palette.ROLES, "background": palette.BACKGROUND}
    shown = {name.partition(" ")[0] for name in tables if not name.endswith("zero")}
    drawn = [chart for chart in CHARTS if chart["id"] in shown]
    return {"runs": [run], "items": [item], "charts": drawn, "axes": {}, "palette": colours}, blocks


def _steps(frame: pl.DataFrame) -> pl.DataFrame:
    return thin_steps(frame, "value", COLUMNS)


def _lag(captured: pl.DataFrame, simulated: pl.DataFrame) -> pl.DataFrame:
    """Milliseconds by which the simulation acknowledges the same data later, over the capture's time."""
    later = times(simulated, captured["ack_bytes"].to_numpy()) - captured["time_s"].to_numpy()
    return captured.select("time_s").with_columns(value=pl.Series(1e3 * later)).filter(pl.Series(np.isfinite(later)))


def _acks(one: Simulated) -> pl.DataFrame:
    frame = _of(one).filter(pl.col("acked_bytes") > 0).select("time_s", value=pl.col("acked_segments").cast(pl.Float64))
    return thin_points(frame, COLUMNS, each=2)


def _trips(one: Simulated) -> pl.DataFrame:
    if one.row is None or not capture_text.has_trips(one.row):
        return pl.DataFrame()
    return thin_points(
        _of(one).filter(pl.col("rtt_s").is_not_null()).select("time_s", value=1e3 * pl.col("rtt_s")), COLUMNS, each=2
    )


def _of(one: Simulated) -> pl.DataFrame:
    """The direction's ACKs, from its first data."""
    if one.found is None or one.row is None:
        return pl.DataFrame()
    return of_direction(one.found.acks, one.row).with_columns(time_s=(pl.col("time_s") - one.start_s).clip(0.0))


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
    from ...report.pieces import embedded

    drawn = picture(prediction) if prediction is not None and moved(prediction) else None
    shown = embedded(drawn, wide=True) if drawn else ""
    folded = "Capture and models over time" if prediction is not None else ""
    answer = report(found, prediction, short=True)
    return replace(answer, picture=shown, viewer=viewer(found, prediction), viewer_fold=folded).page()
