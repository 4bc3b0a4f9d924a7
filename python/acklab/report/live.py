"""The page of a live run: over the simulated run of the same scenario, with what the kernel did not follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..results.validity import TABLES, why
from ..text.numbers import amount, seconds
from ..text.templates import Fact, fact, sentence
from ..text.terminal import one_line

_IGNORED = {"key": "rule", "scenario": "scenario", "kernel": "kernel"}


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
    told = fact("beside", live=_amounts(live["flows"]), simulated=_amounts(beside.flows.to_dicts()))
    return html(
        [beside, {**about, **own}],
        title=title,
        charts=("window", "rtt", "queue"),
        abouts={"rtt": sentence(fact("chart-rtt-live"))},
        sentence=sentence(told),
        notes=list(map(sentence, notes(live))),
        tables={"ignored": ignored_table(live)},
    )


def _amounts(flows: list[dict[str, Any]]) -> Fact:
    """What a run's flows did together: time or rate, segments and ACKs."""
    times = [row["completion_s"] for row in flows]
    took = seconds(max(times)) if None not in times else amount(sum(row["goodput_bps"] for row in flows), "b/s")
    sent, acks = (sum(row[name] for row in flows) for name in ("segments_sent", "acks_sent"))
    return fact("beside-run", took=took, segments=sent, acks=acks)


def notes(live: Mapping[str, Any]) -> list[Fact]:
    """In what the kernel did not follow the scenario."""
    several = [fact("note", text=text.replace("`", "")) for text in live["notes"]]
    return [*several, *([fact("not-followed", rules=len(live["ignored"]))] if live["ignored"] else [])]


def ignored_table(live: Mapping[str, Any]) -> dict[str, Any]:
    """The rules that the kernel did not follow, as the page's tables are; the live run is the second."""
    columns = [{"key": key, "label": label, "unit": "", "text": True} for key, label in _IGNORED.items()]
    return {"columns": columns, "rows": [{"run": 1, **rule} for rule in live["ignored"]]}
