"""The page in a browser: it opens fast, draws without complaint, and answers mouse and keys."""

import base64
import re
import time
from xml.etree import ElementTree

import browser
import pytest
import synthetic

from acklab import report
from acklab.plot import prep
from acklab.plot.runs import Run
from acklab.report.contents import manifest

pytestmark = pytest.mark.skipif(browser.find() is None, reason="no /usr/bin/chromium (apt-get install chromium)")

CHARTS = ("sequence", "window", "timeline", "rtt", "queue", "throughput")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    runs = {
        "one": synthetic.run("delayed", every=2, lose_acks=range(60, 90, 3)),
        "compared": [synthetic.run("every"), synthetic.run("delayed", every=2), synthetic.run("a window", window=8)],
        "many": synthetic.run(flows=20, segments=20),
        "bare": {**synthetic.run(segments=20), "series": None, "queue": None, "packets": None},
    }
    for name, run in runs.items():
        (folder / f"{name}.html").write_text(report.html(run))
    return folder


@pytest.fixture(scope="module")
def page():
    """One browser for the tests of this file; each opens its page in it."""
    with browser.Browser() as tab:
        yield tab


def box(page, selector):
    """Where an element is in the window, into which it is moved if it is not there."""
    return page.js(
        f"(() => {{ const e = document.querySelector('{selector}'); let r = e.getBoundingClientRect();"
        " if (r.top < 0 || r.bottom > innerHeight) { e.scrollIntoView({ block: 'center', behavior: 'instant' }); r = e.getBoundingClientRect(); }"
        " return [r.left, r.top, r.width, r.height]; })()"
    )


def shown(page):
    """The stretch of time the page says it shows."""
    text = page.js("document.querySelector('.range').textContent")
    numbers = [float(n) for n in re.findall(r"([\d.]+)\u00a0s", text)]
    return (0.0, numbers[0]) if text.startswith("Whole run") else tuple(numbers[:2])


def inked(page, chart):
    """The share of a chart's dots that are drawn on."""
    return page.js(
        f"""(() => {{ const c = document.querySelector('#chart-{chart} .plot canvas');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n / (d.length / 4); }})()"""
    )


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_opens_without_complaint(pages, width, dark):
    with browser.Browser(width, 900, dark, touch=width < 500) as page:
        for name in ("one", "compared", "many", "bare"):
            page.open(pages / f"{name}.html")
            assert page.complaints() == []
            assert page.requests() == []
            # Nothing sticks out sideways.
            assert page.js("document.documentElement.scrollWidth") <= width
            if name != "bare":
                assert all(inked(page, chart) > 0.005 for chart in CHARTS)


def test_mouse_and_keys_move_the_same_range_everywhere(pages, page):
    page.open(pages / "one.html")
    end = shown(page)[1]
    x, y, w, h = box(page, "#chart-sequence canvas.front")
    page.mouse("mousePressed", x + 0.3 * w, y + h / 2, button="left", buttons=1, clickCount=1)
    page.mouse("mouseMoved", x + 0.4 * w, y + h / 2, button="left", buttons=1)
    page.mouse("mouseMoved", x + 0.5 * w, y + h / 2, button="left", buttons=1)
    page.mouse("mouseReleased", x + 0.5 * w, y + h / 2, button="left", clickCount=1)
    a, b = shown(page)
    # The plot begins 60 dots in and ends 14 before the canvas does.
    at = [end * (f * w - 60) / (w - 74) for f in (0.3, 0.5)]
    assert (a, b) == pytest.approx(at, abs=0.01 * end)
    page.js("document.querySelector('#chart-window canvas.front').focus()")
    page.key(".")
    assert "cwnd" in page.js("document.getElementById('live').textContent")
    page.key("ArrowRight")
    assert shown(page)[0] == pytest.approx(a + 0.1 * (b - a), abs=2e-3)
    page.key("+")
    assert shown(page)[1] - shown(page)[0] == pytest.approx((b - a) / 1.5, abs=2e-3)
    page.mouse("mouseWheel", x + 0.5 * w, y + h / 2, deltaX=60, deltaY=0)
    page.key("0")
    assert shown(page) == (0.0, end)
    assert page.complaints() == []


def drag(page, chart, begin, end):
    x, y, w, h = box(page, f"#chart-{chart} canvas.front")
    page.mouse("mousePressed", x + begin * w, y + h / 2, button="left", buttons=1, clickCount=1)
    for share in ((begin + end) / 2, end):
        page.mouse("mouseMoved", x + share * w, y + h / 2, button="left", buttons=1)
    page.mouse("mouseReleased", x + end * w, y + h / 2, button="left", clickCount=1)


def awaited(page, text):
    """What an expression is once it is true, or after ten seconds."""
    until = time.monotonic() + 10
    while not (found := page.js(text)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def test_each_drag_is_a_step_back_and_a_double_click_shows_all(pages, page):
    back = "[...document.querySelectorAll('.tools button')].find((b) => b.textContent === 'Back').click()"
    page.open(pages / "one.html")
    whole = shown(page)
    drag(page, "sequence", 0.3, 0.7)
    first = shown(page)
    drag(page, "sequence", 0.4, 0.6)
    assert whole != first != shown(page)
    page.js(back)
    assert shown(page) == first
    page.js(back)
    assert shown(page) == whole
    drag(page, "sequence", 0.3, 0.7)
    x, y, w, h = box(page, "#chart-sequence canvas.front")
    for count in (1, 2):
        page.mouse("mousePressed", x + w / 2, y + h / 2, button="left", buttons=1, clickCount=count)
        page.mouse("mouseReleased", x + w / 2, y + h / 2, button="left", clickCount=count)
    assert shown(page) == whole


def test_the_address_holds_the_view(pages, page):
    page.open(pages / "one.html")
    drag(page, "sequence", 0.3, 0.7)
    view = shown(page)
    assert awaited(page, "location.hash").startswith("#t=")
    address = page.js("location.href")
    page("Page.navigate", url="about:blank")
    page.open(address)
    assert shown(page) == view
    assert page.complaints() == []


@pytest.mark.parametrize("name", ["one", "compared"])
def test_charts_are_saved_as_files(pages, name, page):
    page.open(pages / f"{name}.html")
    page.js("""window.saved = []; window.file = '';
      URL.createObjectURL = ((old) => (blob) => { window.saved.push(blob); return old.call(URL, blob); })(URL.createObjectURL);
      HTMLAnchorElement.prototype.click = function () { window.file = this.download; };
      for (const button of document.querySelectorAll('.save')) if (button.textContent === 'SVG') button.click();""")
    assert awaited(page, f"window.saved.length === {len(CHARTS)}")
    for text in page.js("Promise.all(window.saved.map((blob) => blob.text()))"):
        assert ElementTree.fromstring(text).find("{http://www.w3.org/2000/svg}title").text
        assert len(re.findall("<(?:path|rect|text)", text)) > 10
    page.js("[...document.querySelectorAll('.save')].find((b) => b.textContent === 'PNG').click()")
    assert awaited(page, "window.file.endsWith('.png')")
    letters = "window.saved.at(-1).arrayBuffer().then((b) => String.fromCharCode(...new Uint8Array(b).slice(1, 4)))"
    assert page.js(letters) == "PNG"
    assert page.complaints() == []


def test_values_shown_are_those_prepared(pages, page):
    run = Run.of(synthetic.run("delayed", every=2, lose_acks=range(60, 90, 3)))
    page.open(pages / "one.html")

    def table(chart):
        page.js(f"document.querySelector('#chart-{chart} details.data').open = true")
        time.sleep(0.5)
        rows = f"document.querySelectorAll('#chart-{chart} details.data tbody tr')"
        return page.js(f"[...{rows}].map((r) => [...r.cells].map((c) => c.textContent))")

    wanted = [f"{v:.3f}" for v in prep.cwnd(run)["cwnd_segments"][:200]]
    assert [row[2] for row in table("window")] == wanted
    sent = prep.time_sequence(run, "f")["segments"].head(200)
    assert [row[2] for row in table("sequence")] == [str(n) for n in sent["seq"]]
    assert [row[1] for row in table("sequence")] == [f"{t:.9f}" for t in sent["sent_s"]]
    rtts = [f"{v:.6f}" for v in prep.rtt(run)["rtt_ms"][:200]]
    assert [row[2] for row in table("rtt")] == rtts
    packet = manifest([run])[0]["items"][0]["packet_s"]
    begin, end = map(float, table("throughput")[1][1:3])  # a whole number of packets
    assert (end - begin) / packet == pytest.approx(round((end - begin) / packet), abs=1e-3)


def test_prints_every_chart(pages, page):
    page.open(pages / "one.html")
    # Large images in the PDF, beside the small samples of the legends: the charts.
    pdf = base64.b64decode(page("Page.printToPDF", printBackground=False)["data"])
    widths = [int(w) for w in re.findall(rb"/Subtype\s*/Image\s*/Width (\d+)", pdf)]
    assert sum(w > 1000 for w in widths) >= len(CHARTS)
    assert page.complaints() == []


def test_tables_sort_and_switch_flows(pages, page):
    page.open(pages / "many.html")
    column = "[...document.querySelectorAll('#tables table')[0].tBodies[0].rows].map((r) => r.cells[1].textContent)"
    button = "document.querySelectorAll('#tables table')[0].tHead.rows[0].cells[1].querySelector('button')"
    page.js(f"{button}.click()")
    falling = [float(v) for v in page.js(column)]
    assert falling == sorted(falling, reverse=True)
    page.js(f"{button}.click()")
    assert [float(v) for v in page.js(column)] == falling[::-1]
    boxes = "[...document.querySelectorAll('#tables input')]"
    before = page.js(f"{boxes}.filter((b) => b.checked).length")
    page.js(f"{boxes}.find((b) => !b.checked).click()")
    assert page.js(f"{boxes}.filter((b) => b.checked).length") == before + 1
    assert page.complaints() == []
