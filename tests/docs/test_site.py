"""The site: it builds without a warning, its links lead somewhere, and axe-core finds nothing on pages of each kind."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.long  # `make docs`, which builds it without a warning, is a lane of its own

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "python" / "report"))
import browser  # noqa: E402

DOCS = ROOT / "docs"
AXE = Path(sys.prefix) / "npm/node_modules/axe-core/axe.min.js"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation's pages, built without a warning."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed: make test installs it")
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", place / "trees"]
    done = subprocess.run([*command, DOCS, place / "html"], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return place / "html"


def test_links_within_the_pages_lead_to_files(site: Path) -> None:
    for page in site.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        for target in re.findall(r'(?:href|src)="([^"#?]+)[^"]*"', html):
            inside = not re.match(r"[a-z]+:|//", target)
            assert not inside or (page.parent / target).exists(), f"{page.name} links to {target}"


LOOKED_AT = (
    "index",
    "tutorial",
    "for/stack-developer",
    "howto/fit",
    "howto/which-queue",
    "papers/index",
    "reference/cli",
)


@pytest.mark.skipif(browser.find() is None, reason="no /usr/bin/chromium (apt-get install chromium)")
@pytest.mark.skipif(not AXE.exists(), reason="no axe-core in the environment (tools/os-packages.sh, which needs npm)")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_pages_are_accessible_and_as_wide_as_the_screen(site: Path, width: int, dark: bool) -> None:
    code = AXE.read_text("utf-8")
    told = "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes[0].html}`))"
    with browser.Browser(width, 900, dark=dark, touch=width < 500) as page:
        for name in LOOKED_AT:
            page("Page.navigate", url=(site / f"{name}.html").as_uri())
            until = time.monotonic() + 30
            while page.js("document.readyState") != "complete":
                assert time.monotonic() < until, f"{name} does not load"
                time.sleep(0.05)
            assert page.js("document.documentElement.scrollWidth") <= width, name
            page.js(code + "; 1")
            assert page.js(told) == [], name
