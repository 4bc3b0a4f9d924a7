"""Every sentence of an output is a template of at most 20 words, and every template is used."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from string import Formatter

from acklab.report import explorer, page
from acklab.text.templates import TEMPLATES, Words, fields
from front import TWO_HOPS, Acklab, unexplained

CAPTURES = Path(__file__).parents[2] / "examples" / "captures"
PACKAGE = Path(__file__).parents[2] / "python" / "acklab"
SOURCES = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py") if path.name != "templates.py")


def test_a_template_is_short_and_used() -> None:
    for kind, text in TEMPLATES.items():
        assert len(re.sub(r"\{[^}]*\}", "x", text).split()) <= 20, kind
        assert all(name.isidentifier() for name in fields(kind)), kind
        family = kind.split("-")[0] + "-"
        makers = (f'"{kind}"', f'f"{family}{{', f'startswith("{family}")', f'caption("{kind.removeprefix(family)}")')
        assert any(maker in SOURCES for maker in makers), f"{kind}: nothing makes it"


def test_every_fact_that_is_made_has_a_template() -> None:
    made = set(re.findall(r'\b(?:fact|Fact|self\._note)\(\s*"([\w-]+)"', SOURCES))
    assert len(made) > 40 and made <= TEMPLATES.keys()


def test_the_output_of_captures_is_templates_and_cells(acklab_command: Acklab, tmp_path: Path) -> None:
    """On a terminal, on the page and in JSON."""
    capture, log = (str(CAPTURES / name) for name in ("linux-receiver.pcap", "quic-go.sqlog.gz"))
    for number, line in enumerate(
        (["analyze", capture], ["analyze", log], ["analyze", capture, "--dataset"], ["fit", capture])
    ):
        out = tmp_path / str(number)
        done = acklab_command(*line, *(["--out"] if line[-1] != "--dataset" else []), str(out))
        assert done.returncode == 0 and not unexplained(done.stdout.partition("\nwritten to")[0]), line
        (page,) = (path.read_text("utf-8") for path in out.glob("*.html"))
        facts = re.findall(r"<li>(.*?)</li>", "".join(re.findall(r"<ul class=facts>(.*?)</ul>", page, re.S)))
        assert facts and not unexplained("\n".join(["", *map(html.unescape, facts)])), line
    made = json.loads((tmp_path / "3" / "fit.json").read_text())
    facts = [made["bad"], *made["notes"], *(one["how"] for one in made["parameters"] if one["how"])]
    assert {one["kind"] for one in facts} <= TEMPLATES.keys()


def test_the_plan_of_a_live_run_is_templates_and_cells(acklab_command: Acklab, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TWO_HOPS)
    done = acklab_command("run", str(tmp_path / "a.toml"), "--virtual", "--dry-run")
    assert done.returncode == 0 and not unexplained(done.stdout)


def test_the_explorer_has_the_templates_that_it_fills() -> None:
    script = page.asset("explorer_finding.js")
    assert set(re.findall(r'\["([a-z]+-[a-z]+|finished|losses)"', script)) | {"runs-completion", "runs-carried"} >= set(
        explorer.FACTS
    )
    formats = {
        spec.partition(" ")[0]
        for kind in explorer.FACTS
        for _, _, spec, _ in Formatter().parse(TEMPLATES[kind])
        if spec
    }
    assert all(re.search(rf"^  {name}: ", script, re.M) for name in formats)


def test_what_is_composed_is_found() -> None:
    assert unexplained("a title\nUse FIFO, CAKE's filter instead of FIFO: latency 51.6 instead of 56.0 ms") != []
    assert unexplained("a title\nThe same analysis of the model: Limit: slow start, 71 % of 63.7 ms.") != []


def test_formats() -> None:
    shown = Words().vformat("{a:digits} {b:seconds} {c:percent} {d:count run} {e:list}{f:where}{g:where} {h:amount b/s}", (), {
        "a": 1234.5, "b": 0.0123, "c": 0.5, "d": 2, "e": ["x", "y z"], "f": "up", "g": "", "h": 2e6})  # fmt: skip
    assert shown.replace("\u00a0", " ") == "1,234 12.3 ms 50 % 2 runs x and “y z”, up 2 Mb/s"
