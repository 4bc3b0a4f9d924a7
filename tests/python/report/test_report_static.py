"""The charts for papers and notebooks."""

import re
import xml.etree.ElementTree as ET

import polars as pl
import pytest
import synthetic

from acklab import plot
from acklab.plot import mpl, palette

RUNS = {
    "one": lambda: synthetic.run(segments=60, lose_acks=[20]),
    "many": lambda: synthetic.run(flows=14, segments=20),
    "compared": lambda: [synthetic.run("every", segments=60), synthetic.run("delayed", segments=60, every=2)],
}


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("chart", plot.CHARTS)
def test_altair(chart, runs):
    spec = getattr(plot, chart)(RUNS[runs]()).to_json()
    assert "segments" in spec or "time" in spec
    if runs == "compared" and chart != "timeline":
        assert all(palette.colour(slot) in spec for slot in palette.run_slots(2))


def test_altair_axes_name_the_units():
    spec = plot.rtt(synthetic.run(segments=20)).to_dict()
    assert spec["encoding"]["y"]["title"] == "round-trip time (ms)"
    assert spec["encoding"]["y"]["field"] == "rtt_ms"
    assert spec["encoding"]["x"]["title"] == "time (s)"
    assert spec["encoding"]["x"]["field"] == "time_s"


@pytest.mark.parametrize("runs", RUNS)
def test_matplotlib_files(runs, tmp_path):
    files = mpl.save_all(RUNS[runs](), tmp_path)
    assert len(files) == 12
    for file in files:
        if file.suffix == ".svg":
            text = file.read_text()
            ET.fromstring(text)
            links = set(re.findall(r'(?:xlink:href|src|href)="([^"]*)"', text))
            assert all(link.startswith(("#", "data:")) for link in links)
        else:
            assert file.read_bytes().startswith(b"\x89PNG")


def test_matplotlib_axes_name_the_units():
    axes = mpl.cwnd(synthetic.run(segments=20)).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time (s)", "window (segments)")


def test_the_same_run_gives_the_same_files(tmp_path):
    a = mpl.save_all(synthetic.run(segments=20), tmp_path / "a", formats=["svg"])
    b = mpl.save_all(synthetic.run(segments=20), tmp_path / "b", formats=["svg"])
    assert [f.read_bytes() for f in a] == [f.read_bytes() for f in b]


def test_charts_as_methods():
    charts = plot.Charts(synthetic.run(segments=5))
    assert dir(charts) == list(plot.CHARTS)
    assert charts.rtt().to_dict() == plot.rtt(synthetic.run(segments=5)).to_dict()
    with pytest.raises(AttributeError, match="no chart 'pie'; there are cwnd"):
        charts.pie()


def test_an_unknown_flow_is_refused_by_name():
    with pytest.raises(KeyError, match="no flow 'g'; there are f"):
        plot.cwnd(synthetic.run(segments=5), flow="g")


@pytest.mark.parametrize("charts", [mpl, plot], ids=["matplotlib", "Altair"])
@pytest.mark.parametrize("name", mpl.CHARTS)
def test_a_chart_of_nothing_recorded_says_what_to_record(charts, name):
    run = {"flows": pl.DataFrame({"name": ["f"], "from": ["S"], "to": ["R"]})}
    with pytest.raises(ValueError, match=r'was not recorded; run with record=\{"(series|queue|packets)": True\}'):
        getattr(charts, name)(run)
