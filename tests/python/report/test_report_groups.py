"""The page of a run of several flows: its groups, its panels, what it leaves out, and what the user changed."""

import json
import re
import time

import browser
import pytest

import acklab
from acklab import report

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
        assert "delays alone: 20" in shown.js(legend.format("rtt"))
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
