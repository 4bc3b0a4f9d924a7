"""Python as the same door: lines that somebody types without having read the reference, and what each verb left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import acklab

SCENARIO = """
title = "two hops"
stop = { when = "flows-complete" }
link = [
    { between = ["S", "G"], rate = "10Mbps", delay = "1ms" },
    { between = ["G", "R"], rate = "1.5Mbps", delay = "10ms", queue = { kind = "drop-tail", packets = 8 } },
]
flow = [{ name = "f", from = "S", to = "R", size = { segments = 40 } }]
"""
#: Each has a value; what it shows is not empty.
LINES = """
acklab.run("s.toml", seed=2).flows.to_pandas()
run.tables["flows"].to_polars()
run.table("packets").to_pandas()
run.plot()
run.plot("rtt")
acklab.report(run, "r.html")
acklab.report({"a": run, "b": other})
acklab.report([run, other], "both.html", title="both")
acklab.compare(run, other, metric="completion", seeds=2).findings
acklab.compare("s.toml", cases={"Reno": {}, "SACK": sack}, metric="completion", seeds=2).table("ranking").to_pandas()
acklab.compare({"Reno": run, "SACK": other}, metrics="completion", seeds=2).to_polars()
acklab.sweep("s.toml", {"link.1.queue.packets": [4, 8]}, metric="completion").to_pandas()
acklab.sweep("s.toml", vary={"link.1.queue.packets": range(4, 6)}).table("summary")["mean"]
acklab.sweep("s.toml", "link.1.queue.packets=4,8", metrics="completion").tables["flows"]
acklab.sweep("s.toml", {"link.1.queue.packets": [4, 8]}, cases={"Reno": {}, "SACK": sack}).to_polars()
acklab.sweep("s.toml", cases={"Reno": {}, "SACK": sack}, metric=["completion", "drops@G->R"]).findings
acklab.tune("s.toml", free={"link.1.queue.packets": [2, 8]}, metric="completion", paths=1, trials=2).best
acklab.infer("s.toml", free={"flow.f.sender.initial_window": [1, 4]}, value=[printed]).table("readings")
acklab.why("s.toml").table("causes").to_pandas()
acklab.why(run, metric="completion").findings
acklab.analyze("f.pcapng").table("connections").to_pandas()
acklab.fit("f.pcapng").table("parameters").to_pandas()
acklab.run(acklab.fit("f.pcapng").scenario).flows
acklab.reproduce("allman1998/figure-1", quick=True).findings
acklab.reproduce("allman1998", figure="figure-8", quick=True).table("claims").to_polars()
acklab.load("swept").table("summary").to_pandas()
acklab.load("compared").findings
acklab.load("why").to_polars()
acklab.report(acklab.compare("s.toml", {"Reno": {}, "SACK": sack}, metric="completion", seeds=2), "c.html")
acklab.load("captured").show
""".strip().splitlines()


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the lines use, in a directory of its own; ``left`` is what each directory was written from."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("door"))
        Path("s.toml").write_text(SCENARIO)
        sack = {"flow.f.sender.recovery": "sack"}
        printed = {"name": "time", "metric": "completion@f", "printed": 0.4, "tolerance": 0.05}
        run = acklab.run("s.toml", record=True)
        run.write("run", report=False)
        run.capture("S->G@S", path="f.pcapng")
        captured = acklab.analyze("f.pcapng")
        captured.write("captured")
        fitted = acklab.fit("f.pcapng")
        fitted.write("fitted")
        rules = {"flow.f.sender.initial_window": [1, 4]}
        left = {
            "run": run,
            "captured": captured,
            "fitted": fitted,
            "swept": acklab.sweep("s.toml", {"link.1.queue.packets": [4, 8]}, seeds=2, out="swept"),
            "compared": acklab.compare(
                "s.toml", {"Reno": {}, "SACK": sack}, metric="completion", seeds=2, out="compared"
            ),
            "tuned": acklab.tune("s.toml", free=rules, metric="completion", paths=1, trials=2, out="tuned"),
            "inferred": acklab.infer("s.toml", free=rules, value=[printed], out="inferred"),
            "why": acklab.why("s.toml", out="why"),
            "papers": acklab.reproduce("allman1998/figure-8", quick=True, out="papers"),
        }
        other = acklab.run("s.toml", record=True, **sack)
        yield {"acklab": acklab, "run": run, "other": other, "sack": sack, "printed": printed, "left": left}


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_somebody_types(line: str, names: dict[str, Any]) -> None:
    value = eval(line, dict(names))
    assert value is not None and (len(value) if hasattr(value, "__len__") else str(value))


@pytest.mark.parametrize(
    "name", ["run", "captured", "fitted", "swept", "compared", "tuned", "inferred", "why", "papers"]
)
def test_a_directory_is_opened_as_what_was_written(name: str, names: dict[str, Any]) -> None:
    live, loaded = names["left"][name], acklab.load(name)
    assert loaded.verb == live.verb and isinstance(loaded, acklab.Result)
    assert {*loaded.tables} == {*live.tables}
    for table in live.tables:
        assert loaded.table(table).to_polars().equals(live.table(table).to_polars()), table
    assert loaded.to_pandas().equals(live.to_pandas())
    assert json.loads(json.dumps(loaded.findings, default=vars)) == json.loads(json.dumps(live.findings, default=vars))
    assert live._repr_html_().startswith("<iframe") and loaded._repr_html_().startswith("<iframe")
    if name != "papers":  # whose directory has an index
        assert loaded.html() == live.html()
    live.write(f"{name} again")
    assert acklab.load(f"{name} again").findings == loaded.findings
    acklab.load(f"{name} again").write(f"{name} copied")
    assert acklab.load(f"{name} copied").to_pandas().equals(loaded.to_pandas())
    with pytest.raises(KeyError, match="no table nothing; there are"):
        loaded.table("nothing")


def test_what_cannot_be_opened_says_what_is_there(names: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="there is no directory nothing"):
        acklab.load("nothing")
    with pytest.raises(acklab.reproduce.PaperError, match="no paper or study alman1998; did you mean allman1998"):
        acklab.reproduce("alman1998")
    with pytest.raises(acklab.StudyError, match="cases = 3: has to be a list of texts"):
        acklab.sweep("s.toml", cases=3)
    with pytest.raises(acklab.StudyError, match="metrics = 5: has to be a list of texts"):
        acklab.compare("s.toml", {"a": {}, "b": {"seed": 2}}, metric=5)
    with pytest.raises(ValueError, match="no chart window; did you mean cwnd"):
        names["run"].plot("window")
