"""The page of a run of several flows: its groups, its panels, what it leaves out, and what the user changed."""

import json
import re
import subprocess
import time

import browser
import pytest

import acklab
from acklab import report
from front import COMMAND, TWO_HOPS

FLOWS = [
    {"name": "down", "from": "S", "to": "C", "count": 2, "sender": {"stack": "linux"}, "receiver": {"stack": "linux"}},
    {"name": "up", "from": "C", "to": "S", "sender": {"stack": "linux"}, "receiver": {"stack": "linux"}},
    {
        "name": "ping",
        "from": "C",
        "to": "S",
        "source": {"kind": "writes", "write": "64B", "every": "50ms", "times": 20},
    },
    {"name": "late", "from": "S", "to": "C", "start": "1000s"},
]
LINK = {
    "between": ["S", "C"],
    "rate": "20Mbps",
    "delay": "10ms",
    "queue": {"kind": "drop-tail", "packets": 30},
    "back": {"rate": "2Mbps"},
}

TALL = "document.querySelector('#chart-throughput .plot').clientHeight"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("groups") / "page.html"
    run = acklab.run({"title": "shared", "link": [LINK], "flow": FLOWS, "stop": {"at": "3s"}}, record=True)
    path.write_text(report.html(run))
    return path


def manifest(text):
    return json.loads(re.search(r'id="manifest">(.*?)</script>', text)[1])


def test_items_know_their_group_and_their_path(page):
    told = manifest(page.read_text())
    assert [(group["name"], group["writes"]) for group in told["runs"][0]["groups"]] == [
        ("down0 and down1 (S→C)", False),
        ("up (C→S)", False),
        ("ping (C→S)", True),
    ]
    assert [(item["flow"], item["group"], item["idle"]) for item in told["items"]] == [
        ("down0", 0, False),
        ("down1", 0, False),
        ("up", 1, False),
        ("ping", 2, False),
        ("late", 0, True),
    ]
    assert [item.get("capacity_link") for item in told["items"]] == ["S→C", "S→C", "C→S", "C→S", None]
    assert {item["delays_ms"] for item in told["items"]} == {20.0}
    assert {row["flow"] for row in told["limits"]} == {"down0", "down1", "up", "late"}, (
        "what writes now and then has no bar"
    )


def test_each_group_has_a_panel_and_its_own_scale(page):
    """Flows of opposite directions over each other on one scale said nothing of the slower ones."""
    with browser.Browser() as shown:
        shown.open(page)
        names = "[...document.querySelectorAll('#bar .chip')].map((one) => one.textContent)"
        assert shown.js(names) == ["down0", "down1", "up", "ping"], "what has not begun is not drawn"
        legend = "document.querySelector('#chart-{} .legend').textContent"
        assert "slowest link: S→C 20 Mb/s, C→S 2 Mb/s" in shown.js(legend.format("throughput")).replace("\u00a0", " ")
        assert "ping writes now and then: see its round trips" in shown.js(legend.format("throughput"))
        assert "delays alone: 20" in shown.js(legend.format("rtt")) and "see its round trips" not in shown.js(
            legend.format("rtt")
        )
        assert shown.js(
            "[...document.querySelectorAll('#chart-timeline .chips [aria-pressed=true]')].map((one) => one.textContent)"
        ) == ["down0", "up"]
        before = shown.js(TALL)
        shown.js("[...document.querySelectorAll('#bar .chip')].find((one) => one.textContent === 'up').click()")
        assert settles(shown, before), "the panel of the upload is gone"
        assert not shown.complaints()


def settles(shown, before):
    """Whether the chart of goodput gets another height."""
    until = time.monotonic() + 5
    while shown.js(TALL) == before and time.monotonic() < until:
        time.sleep(0.1)
    return shown.js(TALL) != before


#: Orange dots of the canvas of windows: of its upper part, and of all of it.
ORANGE = """(() => {
  const canvas = document.querySelector('#chart-window .plot canvas'), { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const found = [0, 0], high = height * 0.25;
  for (let i = 0; i < data.length; i += 4) if (data[i] > 150 && data[i + 1] > 50 && data[i + 1] < 140 && data[i + 2] < 60) { found[1] += 1; if (i / 4 / width < high) found[0] += 1; }
  return found;
})()"""


def test_a_threshold_far_above_the_window_is_not_drawn(tmp_path):
    """Linux begins with a threshold that is none. Its fall to the first real one was a line across the chart."""
    run = acklab.run({"link": [LINK], "flow": [{**FLOWS[0], "count": 1}], "stop": {"at": "3s"}}, record=["series"])
    states = run.series.to_polars()
    assert states["ssthresh_segments"][0] > 10 * states["cwnd_segments"].max() > states["ssthresh_segments"].min()
    (tmp_path / "page.html").write_text(report.html(run))
    with browser.Browser() as shown:
        shown.open(tmp_path / "page.html")
        until = time.monotonic() + 10
        while shown.js(ORANGE)[1] == 0 and time.monotonic() < until:
            time.sleep(0.2)
        high, all_ = shown.js(ORANGE)
        assert all_ > 100 and high == 0, "the threshold is drawn, and nothing of it near the top"


def test_the_page_says_what_was_changed(tmp_path):
    (tmp_path / "s.toml").write_text(TWO_HOPS)
    options = ["--set", "link.1.rate=5Mbps", "--set", "seed=4"]
    done = subprocess.run(
        [COMMAND, "run", "s.toml", *options, "--out", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.splitlines()[:2] == ["two hops", "changed: link.1.rate=5Mbps, seed=4"]
    assert manifest((tmp_path / "out/report.html").read_text())["changed"] == ["link.1.rate=5Mbps", "seed=4"]
    subprocess.run(
        [COMMAND, "run", "s.toml", "--out", "out"], cwd=tmp_path, capture_output=True, timeout=120, check=True
    )
    assert manifest((tmp_path / "out/report.html").read_text())["changed"] == []
