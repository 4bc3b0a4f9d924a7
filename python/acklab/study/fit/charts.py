"""The capture and its simulation in one picture: what is acknowledged, how far apart they are, ACKs and round trips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...captures import text as capture_text
from ...captures.charts import FLATTENED, caption
from ...plot import palette
from ...plot.prep.thin import thin_points, thin_steps
from ...report.encode import NANO, Blocks, coarse
from ...report.page import Viewer
from .predict import Prediction
from .scenario import Simulated
from .score import times

if TYPE_CHECKING:
    from .fit import Fit

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
    drawn = [
        _scaled(chart, layers)
        for chart in CHARTS
        if any(name.startswith(f"{chart['id']} ") and not name.endswith("zero") for name in tables)
    ]
    return {"runs": [run], "items": [item], "charts": drawn, "axes": {}, "palette": colours}, blocks


def _scaled(chart: dict[str, Any], layers: dict[str, pl.DataFrame]) -> dict[str, Any]:
    """The chart of ACKs with a logarithmic axis, where an ACK of many segments would flatten the others on a linear one."""
    if chart["id"] != "acks":
        return chart
    counts = pl.concat(
        [layers[name]["value"] for name in ("acks captured", "acks model", "acks changed") if name in layers]
    )
    if not len(counts) or float(counts.max()) <= FLATTENED * float(counts.median()):  # type: ignore[arg-type]
        return chart
    # High enough for ticks at 2 and 5 between the powers of ten.
    return {**chart, "height": 340, "axis": {"label": "acknowledged at once", "unit": "segments", "log": 0.8}}


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
    mine = (pl.col("connection") == one.row["connection"]) & (pl.col("direction") == one.row["direction"])
    return pl.DataFrame(one.found.acks).filter(mine).with_columns(time_s=(pl.col("time_s") - one.start_s).clip(0.0))
