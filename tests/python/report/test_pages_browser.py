"""Every verb's page in a browser, made with hostile names: it works under its own policy, and nothing else runs in it."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import browser
import hostile_texts as hostile
import pytest

pytestmark = pytest.mark.skipif(browser.find() is None, reason="no /usr/bin/chromium (apt-get install chromium)")

ROOT = Path(__file__).parents[3]
NAME = "{{data}} $x^2$ </script><hostile onclick=alert(1)> \u202e =1+1 名前"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    tree = {
        "title": NAME + "\x1b[31m",
        "stop": {"when": "flows-complete", "at_most": "20s"},
        "link": [{"between": [NAME, "R"], "rate": "2Mbps", "delay": "10ms", "queue": {"kind": "drop-tail", "packets": 5}}],
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
        "allman1998": ["reproduce", "allman1998/table-1", "--quick", "--out", "allman1998"],
    }
    for words in told.values():
        status, _, said = hostile.run(place, *words)
        assert status == 0, said
    found = {name: place / name / f"{name}.html" for name in told}
    return found | {"index": place / "allman1998" / "index.html"}


def opened(page: browser.Browser, path: Path) -> None:
    page("Page.navigate", url=path.resolve().as_uri())
    until = time.monotonic() + 30
    while page.js("document.readyState") != "complete" and time.monotonic() < until:
        time.sleep(0.05)


NAMES = ("report", "comparison", "sweep", "analysis", "allman1998", "index")


def test_pages_work_under_their_policy(pages: dict[str, Path]) -> None:
    with browser.Browser() as page:
        for name in NAMES:
            if name == "report":
                page.open(pages[name])
            else:
                opened(page, pages[name])
                assert page.js("document.querySelector('#theme button').hidden") is False, name  # the script ran
                page.js("document.querySelector('#theme button').click()")
                assert page.js("document.documentElement.dataset.theme") == "dark", name
            assert page.complaints() == [], name
            assert page.requests() == [], name
            assert page.js("document.querySelectorAll('hostile').length") == 0, name


def test_the_policy_lets_no_other_script_run(pages: dict[str, Path]) -> None:
    added = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    with browser.Browser() as page:
        for name in NAMES:
            path = pages[name].with_name("added.html")
            path.write_text(pages[name].read_text(encoding="utf-8").replace("</body>", f"{added}</body>"), encoding="utf-8")
            opened(page, path)
            assert page.js("document.title") != "taken", name
            assert any("Content Security Policy" in said for said in page.complaints()), name


def test_the_files_are_sound(pages: dict[str, Path]) -> None:
    for path in pages.values():
        hostile.check_page(path)
