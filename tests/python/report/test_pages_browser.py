"""Every verb's page in a browser, made with hostile names: it works under its own policy, and nothing else runs in it."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import browser
import hostile_texts as hostile
import polars as pl
import pytest

import acklab
from acklab.report.charts import Axis, Line, Lines, Panel
from acklab.report.live import page as live_page
from acklab.report.pieces import document, embedded
from acklab.scenario._toml import dumps

pytestmark = [
    pytest.mark.skipif(browser.find() is None, reason="no /usr/bin/chromium (apt-get install chromium)"),
]

ROOT = Path(__file__).parents[3]
OTHERS = ("tune", "infer", "fit", "qlog", "plot")
NAME = "{{data}} $x^2$ </script><hostile onclick=alert(1)> \u202e =1+1 名前"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    tree = {
        "title": NAME + "\x1b[31m",
        "stop": {"when": "flows-complete", "at_most": "20s"},
        "link": [
            {"between": [NAME, "R"], "rate": "2Mbps", "delay": "10ms", "queue": {"kind": "drop-tail", "packets": 5}}
        ],
        "flow": [{"name": NAME, "from": NAME, "to": "R", "size": {"segments": 20}}],
    }
    (place / "s.json").write_text(json.dumps(tree))
    shutil.copy(ROOT / "examples" / "captures" / "linux-receiver.pcap", place / "<hostile>.pcap")
    cases = [word for end in "ab" for word in ("--case", f"{NAME.replace('=', '')}{end}: link.0.rate={ord(end)}Mbps")]
    told = {
        "report": ["run", "s.json", "--out", "report"],
        "comparison": ["compare", "s.json", *cases, "--out", "comparison", "--seeds", "2"],
        "sweep": ["sweep", "s.json", "--out", "sweep", *cases],
        "analysis": ["analyze", "<hostile>.pcap", "--out", "analysis"],
        "allman1998": ["reproduce", "allman1998/figure-13", "--quick", "--out", "allman1998"],
    }
    for words in told.values():
        status, _, said = hostile.run(place, *words)
        assert status == 0, said
    for name, words in others(place, tree).items():
        status, _, said = hostile.run(
            place, *words, "--out", str(Path(name, f"{name}.html") if name == "plot" else name)
        )
        assert status == 0, said
    (place / "live").mkdir()
    (place / "live" / "report.html").write_text(live(tree), encoding="utf-8")
    found = {name: place / name / f"{name}.html" for name in (*told, *OTHERS)}
    found["qlog"] = place / "qlog" / "analysis.html"
    return found | {"index": place / "allman1998" / "index.html", "live": place / "live" / "report.html"}


def others(place: Path, tree: dict[str, Any]) -> dict[str, list[str]]:
    """Commands of the verbs whose pages need a plan, a capture or a dataset; their files are made."""
    scenario = {**tree, "flow": [{**tree["flow"][0], "name": "f"}]}
    (place / "f.json").write_text(json.dumps(scenario))
    key = "flow.f.sender.window"
    free = {"title": NAME, "scenario": "f.json", "free": {key: [2, 4, 8]}}
    paths = [{"name": name, "draw": {"link.0.delay": "5ms..50ms"}} for name in ("near", NAME)]
    (place / "tune.toml").write_text(
        dumps({**free, "objectives": ["completion"], "baseline": {key: 3}, "path": paths, "paths": 8, "trials": 6})
    )
    value = {"name": NAME, "run": "all", "metric": "completion@f", "printed": 0.3, "tolerance": 0.1}
    (place / "infer.toml").write_text(dumps({**free, "run": [{"name": "all"}], "value": [value], "nudges": 2}))
    (place / "plot").mkdir()
    return {
        "tune": ["tune", "tune.toml"],
        "infer": ["infer", "infer.toml"],
        "fit": ["fit", "<hostile>.pcap"],
        "qlog": ["analyze", str(ROOT / "examples" / "captures" / "quic-go.sqlog.gz")],
        "plot": ["plot", "sweep", "--kind", "cdf", "--x", "completion_s"],
    }


def live(tree: dict[str, object]) -> str:
    """The page of a live run; a simulated one, with the live one's columns, stands in for it."""
    run = acklab.run({**tree, "record": {"series": True, "queue": True}})
    series = pl.DataFrame(run.series).rename({"rtt_s": "srtt_s"})
    tables = SimpleNamespace(flows=run.flows, links=run.links, queue=run.queue, series=series)
    return live_page(
        {
            **run.summary(),
            "kernel": "6.1",
            "notes": [NAME],
            "ignored": [dict.fromkeys(("key", "scenario", "kernel"), NAME)],
        },
        tables,
        run,
    )


@pytest.fixture(scope="module")
def page() -> Iterator[browser.Browser]:
    """One browser for the tests of this file."""
    with browser.Browser() as tab:
        yield tab


def opened(page: browser.Browser, path: Path) -> None:
    page.events.clear()
    page("Page.navigate", url=path.resolve().as_uri())
    until = time.monotonic() + 30
    while page.js("document.readyState") != "complete" and time.monotonic() < until:
        time.sleep(0.05)


def settled(page: browser.Browser, what: str) -> Any:
    """The value of an expression once three looks, 0.1 s apart, see the same: a busy browser moves what it has drawn."""
    seen: list[Any] = []
    until = time.monotonic() + 30
    while (len(seen) < 3 or any(one != seen[-1] for one in seen[-3:])) and time.monotonic() < until:
        time.sleep(0.1)
        seen.append(page.js(what))
    return seen[-1]


WITH_CHARTS = ("report", "live", "comparison", "analysis", "fit")
NAMES = ("report", "live", "comparison", "sweep", "analysis", "allman1998", "index", *OTHERS)
AXE = Path(sys.prefix) / "npm/node_modules/axe-core/axe.min.js"


def test_static_charts_speak_tables_sort_and_the_command_is_copied(
    pages: dict[str, Path], page: browser.Browser
) -> None:
    for name in ("sweep", "comparison"):
        page.open(pages[name]) if name in WITH_CHARTS else opened(page, pages[name])
        chart = "document.querySelector('figure.plot .panels')"
        settled(page, f"{chart}.querySelectorAll('svg').length")
        for key, hidden in (("Home", False), ("Escape", True)):
            page.js(f"{chart}.focus(); {chart}.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))")
            assert page.js("document.querySelector('.chart-tooltip').hidden") is hidden, name
        told = page.js("document.getElementById('live').textContent")
        shown = json.loads(page.js("document.querySelector('figure.plot script').textContent"))
        assert told and json.dumps(told)[1:-1] in json.dumps(shown), name
        assert page.js("document.getElementById('command').textContent").startswith(
            f"acklab {'sweep' if name == 'sweep' else 'compare'} s.json"
        )
        page.js("document.querySelector('button.copy').click()")
    opened(page, pages["allman1998"])
    heads = page.js("document.querySelectorAll('th button.sort').length")
    assert heads > 3
    column = "[...document.querySelector('th button.sort').closest('table').tBodies[0].rows].map((row) => row.cells[0].textContent)"
    before = page.js(column)
    page.js("document.querySelector('th button.sort').click()")
    assert sorted(before) == sorted(page.js(column))
    assert page.js("document.querySelector('th[aria-sort]').getAttribute('aria-sort')") == "ascending"


def test_charts_zoom_and_come_back(tmp_path: Path, page: browser.Browser) -> None:
    line = Line("a", [1, 2, 3, 4], [1, 3, 2, 4], "blue")
    drawn = embedded(Lines("lines", "Lines", [Panel("", Axis("x"), Axis("y"), [line])]))
    (tmp_path / "lines.html").write_text(
        document("lines", f'<div id="theme"></div><section class="card">{drawn}</section>')
    )
    chart = "document.querySelector('figure.plot .panel svg')"
    ticks = f"[...{chart}.querySelectorAll('.role-axis-label text')].map((one) => one.textContent).sort().join()"
    opened(page, tmp_path / "lines.html")
    settled(page, "document.querySelectorAll('figure.plot .panel svg').length")
    before = settled(page, ticks)
    left, top, width, height = page.js(
        f"(({{x, y, width, height}}) => [x, y, width, height])({chart}.getBoundingClientRect())"
    )
    x, y = left + width / 2, top + height / 2
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300, modifiers=2)
    assert settled(page, ticks) != before
    event = f"new MouseEvent('dblclick', {{ clientX: {x}, clientY: {y}, bubbles: true }})"
    page.js(f"document.elementFromPoint({x}, {y}).dispatchEvent({event})")
    assert settled(page, ticks) == before
    assert page.complaints() == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_pages_work_under_their_policy_and_are_accessible(pages: dict[str, Path], width: int, dark: bool) -> None:
    told = "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes[0].html}`))"
    bare = "[...document.querySelectorAll('.panels')].filter((s) => s.getAttribute('role') !== 'img' || !s.ariaLabel).length"
    with browser.Browser(width, 900, dark, touch=width < 500) as page:
        for name in NAMES:
            page.open(pages[name]) if name in WITH_CHARTS else opened(page, pages[name])
            if AXE.exists():  # tools/os-packages.sh, which needs npm
                page.js(f"{AXE.read_text(encoding='utf-8')}; 1")
                assert page.js(told) == [], name
            assert page.js(bare) == 0, name
            assert page.js("document.documentElement.scrollWidth") <= width, name
            page.js("[...document.querySelectorAll('#theme button')].find((b) => b.textContent === 'Dark').click()")
            assert page.js("document.documentElement.dataset.theme") == "dark", name
            page.js("localStorage.clear()")
            assert page.complaints() == [], name
            assert page.requests() == [], name
            assert page.js("document.querySelectorAll('hostile').length") == 0, name


@pytest.mark.long
def test_every_control_is_reached_by_tab_and_shows_it(pages: dict[str, Path], page: browser.Browser) -> None:
    seen = "[...document.querySelectorAll('button, a[href], input, summary, [tabindex=\"0\"]')].filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled)"
    # A control by its section and its words: a chart makes its legend again when it is drawn again.
    key = "window.key = (e) => [[...document.querySelectorAll('section, figure')].indexOf(e.closest('section, figure')), e.tagName, e.textContent, e.ariaLabel].join(' ')"
    outline = (
        "((s) => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0)(getComputedStyle(document.activeElement))"
    )
    for name in NAMES:
        page.open(pages[name]) if name in WITH_CHARTS else opened(page, pages[name])
        page.js(key)
        reached = set()
        for _ in range(page.js(f"{seen}.length") + 2):
            page.key("Tab", code=9)
            if page.js("document.activeElement !== document.body"):
                reached.add(page.js("key(document.activeElement)"))
                assert page.js(outline), (name, page.js("document.activeElement.outerHTML.slice(0, 200)"))
        there = page.js(f"{seen}.map(key)")
        assert len(there) > 2 and set(there) <= reached, (name, set(there) - reached)


def test_every_verb_has_the_charts_of_the_run_report(pages: dict[str, Path], page: browser.Browser) -> None:
    for name in WITH_CHARTS:
        page.open(pages[name])
        assert page.js("document.querySelectorAll('canvas.front[role=application]').length") >= 3, name
        page.js("for (const part of document.querySelectorAll('details')) part.open = true")
        settled(page, "document.querySelector('.plot').clientHeight")
        page.js("document.querySelector('canvas.front').focus()")
        page.key(".")
        assert page.js("document.getElementById('live').textContent"), name
        page.key("+")
        assert not page.js("document.querySelector('.range').textContent.startsWith('All')"), name


def test_the_policy_lets_no_other_script_run(pages: dict[str, Path], page: browser.Browser) -> None:
    added = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    for name in ("report", "sweep", "index"):  # a run's page, a static page, a paper's
        path = pages[name].with_name("added.html")
        path.write_text(pages[name].read_text(encoding="utf-8").replace("</body>", f"{added}</body>"), encoding="utf-8")
        opened(page, path)
        assert page.js("document.title") != "taken", name
        assert any("Content Security Policy" in said for said in page.complaints()), name


def test_the_files_are_sound(pages: dict[str, Path]) -> None:
    for path in pages.values():
        hostile.check_page(path)
