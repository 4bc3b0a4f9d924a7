"""Bianchi's model: known values, limits, and the table that the medium's tests are held against."""

from __future__ import annotations

import doctest
import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from acklab_studies import dcf
from acklab_studies.dcf import BIANCHI, saturation, solve

ROOT = Path(__file__).parent.parent.parent


def test_the_examples() -> None:
    assert doctest.testmod(dcf).failed == 0


@pytest.mark.parametrize("stations", [2, 5, 10, 50])
def test_the_two_dimensional_chains_closed_form(stations: int) -> None:
    """Bianchi's equation (7) has the same solution as the renewal argument."""
    tau, p = solve(stations, BIANCHI)
    w, m = BIANCHI.window, BIANCHI.stages
    chain = 2 * (1 - 2 * p) / ((1 - 2 * p) * (w + 1) + p * w * (1 - (2 * p) ** m))
    assert tau == pytest.approx(chain, rel=1e-9)
    assert p == pytest.approx(1 - (1 - tau) ** (stations - 1), rel=1e-9)


def test_limits() -> None:
    alone = BIANCHI.difs + 15.5 * BIANCHI.slot + BIANCHI.success - BIANCHI.difs
    assert saturation(1, BIANCHI) == pytest.approx(8 * BIANCHI.payload / alone)
    many = replace(BIANCHI, attempts=100)
    assert saturation(10, many) == pytest.approx(saturation(10, BIANCHI), rel=1e-6)
    once = replace(BIANCHI, attempts=1)
    assert solve(20, once)[0] == pytest.approx(2 / (BIANCHI.window + 1))


def test_the_table_of_the_mediums_tests_is_the_models() -> None:
    spec = importlib.util.spec_from_file_location("dcf_model", ROOT / "tools" / "dcf_model.py")
    assert spec and spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    committed = (ROOT / "crates" / "path" / "tests" / "medium" / "saturation.csv").read_text()
    assert tool.table() == committed, "run tools/dcf_model.py"
