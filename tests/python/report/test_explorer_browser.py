"""The explorer in a browser: presets, sliders, the tour, two runs, bad input, a run that takes too long; by mouse and keyboard."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import browser
import explorer_runs
import pytest

import acklab
from acklab import _core
from acklab.report import explorer, page

WHY = explorer_runs.WHY or ("" if browser.find() else "no /usr/bin/chromium (apt-get install chromium)")
pytestmark = pytest.mark.skipif(bool(WHY), reason=WHY)

TREE = explorer.contents()
SLIDERS = ("rate", "delay", "queue", "loss", "back", "stop")
MENUS = ("ack", "stack", "control", "aqm", "backaqm", "filter")
AXE = Path(sys.prefix) / "npm/node_modules/axe-core/axe.min.js"

#: Sets a control, and waits until what it changed is drawn.
SET = """(async (id, value) => {
  const { dataset } = document.documentElement, before = dataset.settled;
  const control = document.getElementById(id);
  control.value = value;
  control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input'));
  const until = performance.now() + 30000;
  while (dataset.settled === before && performance.now() < until) await new Promise((done) => setTimeout(done, 2));
  return dataset.settled !== before; })"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return explorer.write(tmp_path_factory.mktemp("explorer"), explorer_runs.PROGRAM.read_bytes())


@pytest.fixture(scope="module")
def tab() -> Iterator[browser.Browser]:
    """One browser for the tests of this file; each opens its page in it."""
    with browser.Browser() as page:
        yield page


def put(tab: browser.Browser, control: str, value: object) -> None:
    assert tab.js(f"{SET}({json.dumps(control)}, {json.dumps(value)})"), f"{control} changed nothing"


def toml(tab: browser.Browser) -> str:
    return tab.js("document.getElementById('toml').value")


def clicked(tab: browser.Browser, selector: str) -> None:
    done = tab.js(f"""(async () => {{ const {{ dataset }} = document.documentElement, before = dataset.settled;
      document.querySelector({json.dumps(selector)}).click();
      const until = performance.now() + 30000;
      while (dataset.settled === before && performance.now() < until) await new Promise((done) => setTimeout(done, 2));
      return dataset.settled !== before; }})()""")
    assert done, selector


def numbers(tab: browser.Browser) -> list[dict[str, str]]:
    """The rows of the table of numbers."""
    cells = "[...document.querySelectorAll('#numbers tbody tr')].map((row) => [...row.cells].map((cell) => [cell.dataset.head, cell.textContent]))"
    return [dict(row) for row in tab.js(cells)]


def shows(tab: browser.Browser, text: str, row: int = 0) -> None:
    """The numbers are those of the command's run of this text."""
    flow = _core.Simulation(text).run().json(records=False)
    flow = json.loads(flow)["flows"][0]
    got = {name: re.sub(r"\s", "", value) for name, value in numbers(tab)[row].items()}
    for name, key in (
        ("segments", "segments_sent"),
        ("sent again", "retransmits"),
        ("timeouts", "timeouts"),
        ("ACKs sent", "acks_sent"),
    ):
        assert got[name] == f"{flow[key]:,}", name


def inked(tab: browser.Browser) -> float:
    """The share of the first chart's dots that are drawn on."""
    return tab.js("""(() => { const c = document.querySelector('#chart-window .plot canvas');
      const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
      let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n / (d.length / 4); })()""")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_it_opens_and_shows_every_preset(place: Path, width: int, dark: bool) -> None:
    with browser.Browser(width, 900, dark, touch=width < 500) as tab:
        tab.open(place)
        assert toml(tab) == TREE["preset"][0]["text"]
        for i, preset in enumerate(TREE["preset"]):
            put(tab, "preset", i)
            assert toml(tab) == preset["text"]
            assert tab.js("document.getElementById('why').textContent") == ""
            assert tab.js("document.getElementById('preset').selectedOptions[0].textContent") == preset["name"]
            assert re.search(r'title = "(.*)"', preset["text"])[1] in tab.js(
                "document.getElementById('about').textContent"
            )
            shows(tab, preset["text"])
            assert tab.js("document.documentElement.scrollWidth") <= width
        assert inked(tab) > 0.005
        assert tab.complaints() == []
        assert tab.requests() == []
        if AXE.exists():
            tab.js(f"{AXE.read_text(encoding='utf-8')}; 1")
            told = "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes[0].html}`))"
            assert tab.js(told) == []


def test_each_control_changes_one_value(place: Path, tab: browser.Browser) -> None:
    tab.open(place)
    put(tab, "preset", 2)  # LTE, which has a return path and its queue
    for name in SLIDERS:
        before = toml(tab).splitlines()
        now = int(tab.js(f"document.getElementById('set-{name}').value"))
        put(tab, f"set-{name}", now - 2 if now > 2 else now + 2)
        after = toml(tab).splitlines()
        assert len([line for line in after if line not in before]) == 1, name
        shows(tab, toml(tab))
    for name in MENUS:
        before = toml(tab)
        other = "0" if tab.js(f"document.getElementById('set-{name}').value") == "1" else "1"
        put(tab, f"set-{name}", other)
        assert toml(tab) != before, name
        assert tab.js(f"document.getElementById('set-{name}').value") == other
        shows(tab, toml(tab))
        if name == "filter":
            put(tab, f"set-{name}", "none")
            assert toml(tab) == before
        if name == "stack":
            put(tab, f"set-{name}", "none")
            assert "stack" not in toml(tab) and "receiver.ack" in toml(tab)
            shows(tab, toml(tab))
    assert tab.complaints() == []


def test_a_slider_moves_by_keyboard(place: Path, tab: browser.Browser) -> None:
    tab.open(place)
    tab.js("document.getElementById('set-delay').focus()")
    assert tab.js("document.getElementById('set-delay').getAttribute('aria-valuetext')") == "48\u00a0ms"
    settled = tab.js("document.documentElement.dataset.settled")
    for kind in ("rawKeyDown", "keyUp"):
        tab("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    until = time.monotonic() + 10
    while tab.js("document.documentElement.dataset.settled") == settled and time.monotonic() < until:
        time.sleep(0.02)
    assert tab.js("document.getElementById('set-delay').getAttribute('aria-valuetext')") == "56\u00a0ms"
    assert 'delay = "56ms"' in toml(tab)
    # The charts answer as in a report.
    tab.js("document.querySelector('#chart-window canvas.front').focus()")
    tab.key(".")
    assert "cwnd" in tab.js("document.getElementById('live').textContent")


def test_two_runs_share_the_charts_and_the_link_holds_both(place: Path, tab: browser.Browser) -> None:
    tab.open(place)
    clicked(tab, "#add")
    assert tab.js("document.querySelector('#numbers .note').textContent") == "Both runs have the same scenario."
    put(tab, "set-ack", "0")
    one, other = (row["ACKs sent"] for row in numbers(tab))
    assert one != other
    assert "every" in tab.js("document.querySelector('.differs').textContent")
    headline = tab.js("document.querySelector('h1').textContent")
    assert re.fullmatch(r"Carried: A .*Mb/s and B .*Mb/s", headline)
    until = time.monotonic() + 10
    while not (address := tab.js("location.href")).count(",") and time.monotonic() < until:
        time.sleep(0.05)
    texts = [toml(tab)]
    shown = numbers(tab)
    tab("Page.navigate", url="about:blank")
    tab.open(address)
    assert numbers(tab) == shown
    tab.js("document.querySelectorAll('.sides .chip')[1].click()")
    assert toml(tab) == texts[0]
    clicked(tab, "#remove")
    assert len(numbers(tab)) == 1
    assert tab.complaints() == []


def test_bad_input_gets_the_commands_message_beside_it(place: Path, tab: browser.Browser) -> None:
    bad = TREE["preset"][0]["text"].replace('"1.5Mbps"', '"1.5Mbyte"')
    with pytest.raises(acklab.ScenarioError) as refused:
        _core.Simulation(bad)
    tab.open(place)
    before = numbers(tab)
    put(tab, "toml", bad)
    assert tab.js("document.getElementById('why').textContent").startswith(str(refused.value))
    assert tab.js("document.getElementById('toml').getAttribute('aria-invalid')") == "true"
    assert numbers(tab) == before
    put(tab, "toml", TREE["preset"][0]["text"])
    assert tab.js("document.getElementById('why').textContent") == ""
    assert tab.complaints() == []


def test_a_long_run_is_stopped_and_the_page_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tab: browser.Browser
) -> None:
    own = page.asset
    monkeypatch.setattr(page, "asset", lambda name: own(name).replace("LIMIT_S = 5;", "LIMIT_S = 1.5;"))
    short = explorer.write(tmp_path, explorer_runs.PROGRAM.read_bytes())
    # Ten thousand flows compute for long and record little.
    long = (
        'stop = { at = "1000s" }\nlink = [{ between = ["S", "R"], rate = "10kbps", delay = "1s", queue = { kind = "drop-tail", packets = 1 } }]\n'
        'flow = [{ from = "S", to = "R", count = 100000 }]\n'
    )
    tab.open(short)
    put(tab, "toml", long)
    why = tab.js("document.getElementById('why').textContent")
    assert (
        why.startswith("This scenario computed for 1.5 s without an end, so the page stopped it.")
        or "at most 1000000 rows" in why
    )
    put(tab, "toml", TREE["step"][0]["scenario"])
    assert tab.js("document.getElementById('why').textContent") == ""
    shows(tab, TREE["step"][0]["scenario"])
    assert tab.complaints() == []
