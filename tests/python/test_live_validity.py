"""An invalid live run says so wherever it is shown: page, terminal, JSON, tables, charts, queries, and in Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import acklab
from acklab import _core, report
from acklab.cli import live as live_verb
from acklab.engines import kernel
from acklab.plot import charts
from acklab.report.live import page
from acklab.report.page import unbroken
from acklab.results import validity
from acklab.results.validity import TABLES
from acklab.study.dataset import plot
from acklab.study.store import caveat
from acklab.text.templates import fact, sentence
from front import Acklab, unexplained

SCENARIO: dict[str, Any] = {
    "title": "a transfer",
    "stop": {"when": "flows-complete"},
    "record": {"series": True, "queue": True},
    "link": [{"between": ["S", "R"], "rate": "2Mbps", "delay": "10ms", "queue": {"kind": "drop-tail", "packets": 8}}],
    "flow": [{"name": "f", "from": "S", "to": "R", "size": {"segments": 200}}],
}
REASON = "one packet in a hundred left more than 5.0 ms late (at most 1.0 ms may be)"
WHY = f"the run is invalid: {REASON}; the machine was busy, or the path is too fast for it; run it again"


def live_run(valid: bool) -> tuple[dict[str, Any], Any, Any]:
    """A live run's summary and tables, and the simulation beside it; a simulated run stands in for the live one."""
    run = acklab.run(SCENARIO)
    tables = {name: pl.DataFrame(getattr(run, name)) for name in TABLES}
    tables["series"] = tables["series"].rename({"rtt_s": "srtt_s"})
    tables["flows"] = tables["flows"].rename({"mean_rtt_s": "mean_srtt_s"})
    late = {"p50_s": 1e-3, "p99_s": 5e-3, "max_s": 1e-2, "releases": 400}
    summary = run.summary()
    flows = [{**row, "mean_srtt_s": row["mean_rtt_s"], "control": "reno"} for row in summary["flows"]]
    ignored = [{"key": "flow.f.sender.halving", "scenario": "flight-size", "kernel": "cwnd"}]
    told = {
        "valid": valid,
        "why": [] if valid else [WHY],
        "kernel": "6.1",
        "lateness": late,
        "notes": ["its own"],
        "ignored": ignored,
    }
    return {**summary, **told, "flows": flows}, SimpleNamespace(**tables), run


def heading(text: str) -> str:
    found = re.search(r'<h1 id="headline">(.*?)</h1>', text)
    assert found
    return found[1]


def test_a_page_of_an_invalid_run_says_so_first_and_compares_nothing() -> None:
    live, tables, simulated = live_run(valid=False)
    text = page(live, tables, simulated)
    body = text[text.index("<body>") :]
    assert heading(text) == unbroken(f"Invalid: {REASON}")
    assert body.index('class="banner"') < body.index("<h1") and "Invalid run: its numbers" in body
    told = json.loads(re.search(r'id="manifest">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert [run["label"] for run in told["runs"]] == ["simulated", "live (invalid)"]
    assert told["runs"][1]["title"] == "Invalid run: a transfer" and told["limits"] == []
    assert not re.search("carried most|took .* longer|Simulated: [0-9]", json.dumps(told["headline"]))
    assert {"run": 1, "key": "flow.f.sender.halving", "scenario": "flight-size", "kernel": "cwnd"} in told["tables"][
        "ignored"
    ]["rows"]
    assert any("does not follow 1 rule" in point["text"] for point in told["headline"]["points"])


def test_a_page_of_a_valid_run_has_no_banner_and_tells_both_acks() -> None:
    live, tables, simulated = live_run(valid=True)
    text = page(live, tables, simulated)
    acks = live["flows"][0]["acks_sent"]
    assert 'class="banner"' not in text and re.search(
        f"Live: .*, {acks}\\sACKs. Simulated: .*, {acks}\\sACKs. One run each", heading(text)
    )


def test_the_terminal_says_so_above_the_numbers_and_compares_nothing() -> None:
    live, _, simulated = live_run(valid=False)
    text = live_verb.as_text(live)
    assert text.index(f"Invalid: {REASON}") < text.index("flow ")
    assert live_verb.beside_as_text(live, simulated.summary()) == sentence(fact("not-compared"))
    valid, _, _ = live_run(valid=True)
    assert "Invalid" not in live_verb.as_text(valid) and "ACKs sent" in live_verb.beside_as_text(
        valid, simulated.summary()
    )
    assert re.search(r"flow\.f\.sender\.halving +flight-size +cwnd", text)
    assert not unexplained(text) and not unexplained(live_verb.as_text(valid))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What `run --live --out` leaves of an invalid run."""
    live, tables, _ = live_run(valid=False)
    for name in TABLES:
        validity.marked(getattr(tables, name), live).write_parquet(tmp_path / f"{name}.parquet")
    return tmp_path


def test_every_table_has_the_reason(folder: Path) -> None:
    for name in TABLES:
        reasons = pl.read_parquet(folder / f"{name}.parquet")["invalid"].unique().to_list()
        assert reasons == [WHY.removeprefix("the run is invalid: ")]
    valid, tables, _ = live_run(valid=True)
    assert validity.marked(tables.flows, valid)["invalid"].to_list() == [None]


def test_plots_of_its_directory_say_so(folder: Path, acklab_command: Acklab) -> None:
    for place in (folder, folder / "flows.parquet"):
        assert REASON in caveat(place)
    assert plot(folder, x="completion_s", kind="cdf").about.startswith("Invalid live run. ")
    told = acklab_command(
        "plot", str(folder), "--kind", "cdf", "--x", "completion_s", "--out", str(folder / "chart.svg")
    )
    assert (
        told.returncode == 0
        and REASON in told.stderr
        and "Invalid live run" in (folder / "chart.svg").read_text(encoding="utf-8")
    )


def test_charts_and_reports_of_its_tables_say_so(folder: Path) -> None:
    run = {
        "title": "a transfer",
        **{name: pl.read_parquet(folder / f"{name}.parquet") for name in ("flows", "links", "queue")},
    }
    assert "Invalid run" in charts.queue(run).to_dict()["title"]["text"]
    assert heading(report.html(run)) == unbroken(f"Invalid: {REASON}")
    assert "title" not in charts.queue(acklab.run(SCENARIO, record=True)).to_dict()


def test_python_and_comparisons_get_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    live, _, _ = live_run(valid=False)
    monkeypatch.setattr(kernel, "find", lambda: Path("/bin/true"))
    monkeypatch.setattr(kernel, "run", lambda *_, **__: SimpleNamespace(valid=False, json=lambda: json.dumps(live)))
    with pytest.raises(_core.LiveError, match="the run is invalid: one packet"):
        acklab.run(SCENARIO, engine="kernel")
    (answer,) = acklab.run_batch([SCENARIO], engine="kernel")
    assert REASON in answer["error"]
