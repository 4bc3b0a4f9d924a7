"""The access links of `examples/access`: the sentences that the documentation quotes are what the command says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acklab.compare import Comparison, compare, from_file

ROOT = Path(__file__).parents[2]
ACCESS = ROOT / "examples" / "access"
LINKS = ("dsl", "lte", "cable", "satellite")


def test_every_link_is_compared_by_the_same_file() -> None:
    assert sorted(path.stem for path in ACCESS.glob("*.toml")) == sorted([*LINKS, "filters"])
    told = from_file(ACCESS / "filters.toml")
    names = [case.name for case in told["cases"]]
    assert names == ["no filter", "static 1", "delayed", "per connection", "CAKE-style", "fair queues only"]
    assert [case.name for case in told["situations"]] == ["downloads alone", "with an upload"]
    assert [metric.name for metric in told["metrics"]] == ["download", "upload", "latency", "ACK share"]


@pytest.mark.slow
@pytest.mark.parametrize("link", LINKS)
def test_the_page_quotes_the_command(link: str) -> None:
    scenario = (ACCESS / f"{link}.toml").read_bytes()
    told = compare(Comparison(scenario, link, **from_file(ACCESS / "filters.toml")))
    page = (ROOT / "docs" / "howto" / "access-links.md").read_text(encoding="utf-8")
    assert told.advice in re.sub(r"\n>? ?", " ", page)
    for ranking in told.rankings:
        assert all(row.samples["download"] is not None for row in ranking.rows)
