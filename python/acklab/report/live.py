"""The page of a live run: over the simulated run of the same scenario, with what the kernel did not follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..results.validity import TABLES, why
from ..text.escapes import one_line
from ..text.numbers import amount, count, seconds

_IGNORED = {"key": "rule", "scenario": "scenario", "kernel": "kernel"}
#: What the column of round trips is made of.
_ROUND_TRIPS = "Simulated: each sample when the sender took it. Live: the kernel's smoothed value, every 5 ms."


def page(live: Mapping[str, Any], tables: Any, simulated: Any) -> str:
    """The report as text.

    Args:
        live: the live run's summary.
        tables: an object with its tables.
        simulated: the simulated run.
    """
    import polars as pl

    from ..plot.runs import Run
    from . import html

    own = {name: pl.DataFrame(getattr(tables, name)) for name in TABLES}
    own["flows"] = (
        own["flows"].with_columns(mean_rtt_s=pl.col("mean_srtt_s"))
        if "mean_srtt_s" in own["flows"].columns
        else own["flows"]
    )
    own["series"] = own["series"].rename({"srtt_s": "rtt_s"})
    about = {
        "label": "live",
        "title": live["title"],
        "seed": live["seed"],
        "end_s": live["end_s"],
        "invalid": why(live),
    }
    title = f"{one_line(live['title']) or 'acklab run --live'}: simulated, and live on Linux {live['kernel']}"
    beside = Run.of(simulated, "simulated")
    sentence = f"{_told('Live', live['flows'])}. {_told('Simulated', beside.flows.to_dicts())}. One run each."
    return html(
        [beside, {**about, **own}],
        title=title,
        charts=("window", "rtt", "queue"),
        abouts={"rtt": _ROUND_TRIPS},
        sentence=sentence,
        notes=notes(live),
        tables={"ignored": ignored_table(live)},
    )


def _told(who: str, flows: list[dict[str, Any]]) -> str:
    """What a run's flows did together: time or rate, segments and ACKs."""
    times = [row["completion_s"] for row in flows]
    took = seconds(max(times)) if None not in times else amount(sum(row["goodput_bps"] for row in flows), "b/s")
    sent, acks = (sum(row[name] for row in flows) for name in ("segments_sent", "acks_sent"))
    return f"{who}: {took}, {count(sent, 'segment')}, {count(acks, 'ACK')}"


def notes(live: Mapping[str, Any]) -> list[str]:
    """In what the kernel did not follow the scenario, in sentences."""
    told = [f"{text[:1].upper()}{text[1:]}.".replace("`", "") for text in live["notes"]]
    ignored = len(live["ignored"])
    return told + (
        [f"The kernel does not follow {count(ignored, 'rule')} of the scenario: the last table lists them."]
        if ignored
        else []
    )


def ignored_table(live: Mapping[str, Any]) -> dict[str, Any]:
    """The rules that the kernel did not follow, as the page's tables are; the live run is the second."""
    columns = [{"key": key, "label": label, "unit": "", "text": True} for key, label in _IGNORED.items()]
    return {"columns": columns, "rows": [{"run": 1, **rule} for rule in live["ignored"]]}
