"""What holds of every paper, each in its quick form. A paper joins by its name in ``acklab.papers.NAMES``."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from acklab.papers import names, paper
from acklab.report.page import typeset
from acklab.reproduce.criteria import STANDINGS
from acklab.reproduce.explanation import WORDS

if TYPE_CHECKING:
    from conftest import Quick

Quickly = Callable[[str], "Quick"]
pytestmark = pytest.mark.parametrize("name", names())


def test_every_claim_has_a_verdict(name: str, quickly: Quickly) -> None:
    quick = quickly(name)
    assert quick.stderr == "", "no progress where nobody watches, and nothing to complain of"
    assert quick.said == json.loads((quick.out / "claims.json").read_text("utf-8"))
    assert quick.said["quick"] is True and quick.said["failed"] == []
    ledger = paper(name).ledger.claims
    assert sorted(claim["id"] for claim in quick.said["claims"]) == sorted(ledger)
    for claim in quick.said["claims"]:
        assert claim["verdict"] in ("reproduced", "differs", "undecided"), claim["id"]
        assert claim["standing"] in STANDINGS, claim["id"]
        assert claim["verdict"] == "reproduced" or claim["why"], claim["id"]


def test_what_differs_has_a_cause(name: str, quickly: Quickly) -> None:
    said = quickly(name).said
    causes = {c["id"]: c["cause"] and c["cause"]["kind"] for c in said["claims"]}
    assert {c["id"] for c in said["claims"] if c["verdict"] == "differs"} == {id for id, kind in causes.items() if kind}
    assert set(causes.values()) <= {None, *WORDS}
    assert sum(said["differ"][name].values()) == said["counts"][name]["evidence"]["differs"]


def test_no_claim_rests_on_one_run(name: str, quickly: Quickly) -> None:
    """What has no seeds is judged by nudged repetitions, unless a nudge cannot change it."""
    one = paper(name)
    said = {claim["id"]: claim for claim in quickly(name).said["claims"]}
    judged = [id for id in one.claims if one.needs_repetitions(id) and said[id]["measured"]]
    assert [id for id in judged if not said[id]["seeds"] or (said[id]["nudged"] and said[id]["seeds"] < 6)] == []


def test_nothing_is_missing_from_the_module(name: str) -> None:
    assert paper(name).check() == []


def as_shown(text: str) -> str:
    """A text with the signs that a page gives it."""
    return html.unescape(typeset(html.escape(text, quote=False)))


def test_the_page_is_whole_and_needs_nothing_else(name: str, quickly: Quickly) -> None:
    quick = quickly(name)
    pages = sorted(quick.out.glob("*.html"))
    assert {"index.html", f"{name}.html"} <= {page.name for page in pages}
    for page in pages:
        text = page.read_text("utf-8")
        assert "quick look" in text, page.name
        assert not re.search(r'(?:src|href|action)="(?:https?:)?//', text), page.name
        assert not re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", text), page.name
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids)), f"{page.name}: an id stands twice"
        assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids), page.name
    text = html.unescape((quick.out / f"{name}.html").read_text("utf-8"))
    for claim in quick.said["claims"]:
        assert claim["id"].removeprefix(f"{name}.") in text, claim["id"]
    for figure in quick.said["figures"]:
        assert as_shown(figure["title"]) in text, figure["id"]
    assert not list(quick.out.glob(".*")), "a scratch directory stayed"


def test_the_page_begins_with_the_claims(name: str, quickly: Quickly) -> None:
    page = (quickly(name).out / f"{name}.html").read_text("utf-8")
    places = [page.index(mark) for mark in ('id="claims"', "<figure", 'id="parameters"')]
    assert places == sorted(places)


def test_the_scenarios_shown_are_scenarios(name: str, quickly: Quickly) -> None:
    shown = re.findall(
        r"acklab run - &lt;&lt;&lt;'(.*?)'</pre>", (quickly(name).out / f"{name}.html").read_text("utf-8"), re.DOTALL
    )
    assert shown
    for text in shown:
        assert {"flow", "stop"} & json.loads(html.unescape(text)).keys()
