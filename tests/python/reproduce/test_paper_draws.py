"""What papers draw at random is independent from seed to seed, as the intervals over their seeds assume."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from acklab import _core
from acklab.papers.ackfilter.setting import ACCESS_MS, LARGE_BUFFER
from acklab.papers.allman1998.setting import FLOWS, competition
from acklab.papers.divack.section3 import WHOLE, station
from acklab.papers.divack.setting import MOST_FLOWS, download
from acklab.papers.smartacking.setting import many, short_lived
from acklab.papers.veno.setting import shared
from acklab.reproduce.experiments import records

Drawn = dict[str, list[float]]
"""Numbers between 0 and 1, uniform if the scenario is as it should be, by what they decide."""

SEEDS = range(1, 31)


def seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def allman1998(seed: int) -> Drawn:
    flows = json.loads(competition("red", "every", max(FLOWS), seed))["flow"]
    return {
        "starts": [seconds(f["start"]) / 100 for f in flows],
        "sizes": [(f["size"]["segments"] - 5 + 0.5) / 96 for f in flows],
        "phases": [seconds(f["sender"]["rtt_filter"]["phase"]) / 0.1 for f in flows],
    }


def ackfilter(block: int) -> Drawn:
    """Twenty sources have few numbers: ten blocks of seeds."""
    found: Drawn = {"starts": [], "delays": []}
    low, high = ACCESS_MS
    for seed in range(block, 10 * len(SEEDS) + 1, len(SEEDS)):
        tree = json.loads(LARGE_BUFFER.scenario("classic", 20, seed, 10.0))
        found["starts"] += [seconds(f["start"]) for f in tree["flow"]]
        access = [link for link in tree["link"] if link["between"][0].startswith("S")]
        found["delays"] += [(float(one["delay"].removesuffix("ms")) - low) / (high - low) for one in access]
    return found


def divack(seed: int) -> Drawn:
    flows = json.loads(download(WHOLE, MOST_FLOWS, seed))["flow"]
    return {
        "starts": [seconds(f["start"]) / 10 for f in flows[1:]],
        "phases": [seconds(f["sender"]["rtt_filter"]["phase"]) / 0.01 for f in flows],
    }


def divack_station(block: int) -> Drawn:
    """One number a run: many blocks of seeds."""
    runs = (station(WHOLE, 250, "802.11b", seed) for seed in range(block, 100 * len(SEEDS) + 1, len(SEEDS)))
    return {"phases": [seconds(json.loads(run)["stack"]["host"]["rtt_filter"]["phase"]) / 0.01 for run in runs]}


def smartacking_many(seed: int) -> Drawn:
    return {"starts": [seconds(f["start"]) for f in json.loads(many(50, seed))["flow"]]}


def smartacking_short(seed: int) -> Drawn:
    """Of each direction the first 300 transfers; pauses are exponential."""
    flows, mean_gap = json.loads(short_lived(0.9, "newreno", seed))["flow"], 8 * 1000 * 55 / (0.9 * 8e6)
    found: Drawn = {}
    for number in (1, 3):
        mine = [f for f in flows if f["name"].startswith(f"f{number}.")][:300]
        gaps = np.diff([0.0, *(seconds(f["start"]) for f in mine)])
        found[f"gaps {number}"] = [1 - math.exp(-gap / mean_gap) for gap in gaps]
        found[f"sizes {number}"] = [(f["size"]["segments"] - 10 + 0.5) / 91 for f in mine]
    return found


def veno(seed: int) -> Drawn:
    return {"starts": [seconds(f["start"]) for f in json.loads(shared([{}] * 400, 0, seed))["flow"]]}


def losses(seed: int) -> Drawn:
    """The simulator's own luck: which of 2000 datagrams a link loses that loses one in two."""
    source = {"kind": "udp", "rate": "1Mbps", "packet": 1000}
    tree: dict[str, Any] = {
        "seed": seed,
        "stop": {"at": "16s"},
        "link": [{"between": ["A", "B"], "rate": "10Mbps", "delay": "1ms", "loss": {"rate": 0.5}}],
        "flow": [{"name": "f", "from": "A", "to": "B", "source": source}],
    }
    frame = pl.DataFrame(_core.Simulation(records(json.dumps(tree), "packets")).run().packets)
    there = frame.filter(pl.col("event").cast(pl.String) == "deliver")["time_s"] / 0.008
    arrived = np.isin(np.arange(1900), there.cast(pl.Int64).to_numpy())
    # As numbers whose mean and variance are a uniform's.
    return {"losses": (0.5 + (arrived - 0.5) / math.sqrt(3)).tolist()}


PAPERS: Sequence[Callable[[int], Drawn]] = (
    allman1998, ackfilter, divack, divack_station, smartacking_many, smartacking_short, veno, losses,
)  # fmt: skip


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.__name__)
def test_draws_of_a_papers_seeds_are_independent(paper: Callable[[int], Drawn]) -> None:
    """The mean over 30 seeds of each number varies, over the numbers, by a 30th of a uniform's variance. With seeds as
    ns-2's, multiples of one another, it is 2.7 times that."""
    drawn = [paper(seed) for seed in SEEDS]
    for what in drawn[0]:
        table = np.array([one[what] for one in drawn])
        assert 0 <= table.min() and table.max() <= 1
        count = table.shape[1]
        assert count >= 100, what
        variance = 12 * len(SEEDS) * float(((table.mean(axis=0) - 0.5) ** 2).mean())
        assert abs(variance - 1) < 4 * math.sqrt(2 / count), f"{what}: {variance:.2f} times as much"


@pytest.mark.parametrize("paper", [allman1998, divack, smartacking_short, ackfilter], ids=lambda paper: paper.__name__)
def test_what_one_seed_draws_is_independent_too(paper: Callable[[int], Drawn]) -> None:
    drawn = [paper(seed) for seed in SEEDS]
    columns = [np.concatenate([one[what] for one in drawn]) for what in drawn[0]]
    short = min(map(len, columns))
    apart = np.corrcoef([column[:short] for column in columns]) - np.eye(len(columns))
    assert np.abs(apart).max() < 4.5 / math.sqrt(short)
