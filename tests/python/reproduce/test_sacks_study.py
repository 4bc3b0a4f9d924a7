"""The study of held SACKs: single cells of it."""

from __future__ import annotations

import pytest

from acklab import _core
from acklab.papers import paper
from acklab_studies.sacks2026.downloads import Reader
from acklab_studies.sacks2026.setting import SETTINGS, scenario

SEEDS = range(1, 4)


def mean(setting: str, trip: str, column: str = "acks_per_mb") -> float:
    """Of three runs with 1 % of losses."""
    at = Reader.names.index(column)
    return sum(
        Reader()(_core.Simulation(scenario(trip, 0.01, setting, seed)).run().json(False).encode())[at] for seed in SEEDS
    ) / len(SEEDS)


@pytest.mark.parametrize("name", ["sacks2026", "requests2026", "marks2026"])
def test_the_study_names_its_figures(name: str) -> None:
    assert paper(name).check() == []


def test_the_slack_makes_most_of_the_saving_where_the_round_trip_is_short() -> None:
    acks = {setting: mean(setting, "50us") for setting in SETTINGS}
    assert acks["old"] < acks["33"] < acks["5"] < acks["off"]
    assert acks["off"] - acks["old"] > 1.5 * (acks["off"] - acks["5"])


def test_a_millisecond_is_the_most_that_a_sack_waits() -> None:
    # 33 and 100 % of 20 ms are above it.
    assert mean("33", "20ms") == mean("100", "20ms") < mean("off", "20ms")
