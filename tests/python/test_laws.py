"""The square root of p, PFTK and CUBIC's response function beside runs, and the page of them."""

from __future__ import annotations

import doctest
import importlib.util
import math
from pathlib import Path
from types import ModuleType

import pytest

from acklab import run_batch
from acklab_studies import laws

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "laws.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("laws_page", ROOT / "docs" / "img" / "laws.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def constant(p: float, losses: int, *, even: bool, delayed: bool) -> float:
    outcome = next(iter(run_batch([laws.scenario(p, losses, even=even, delayed=delayed)])))
    lost, window = laws.measured(outcome)
    return window * math.sqrt(lost)


def test_the_examples() -> None:
    assert doctest.testmod(laws).failed == 0


def test_pftk_without_timeouts_or_limits_is_the_square_root() -> None:
    for acked in (1, 2):
        assert laws.pftk(1e-8, 0.1, 1.0, acked) == pytest.approx(laws.sqrt_law(1e-8, acked), rel=0.001)


def test_pftk_with_a_small_window_is_that_window() -> None:
    assert laws.pftk(1e-7, 0.1, 1.0, limit=10) == pytest.approx(10, rel=0.001)


@pytest.mark.parametrize("delayed", [False, True], ids=["every", "delayed"])
@pytest.mark.parametrize(("p", "losses", "within"), [(1e-5, 10, 0.01), (1e-4, 50, 0.03), (1e-3, 200, 0.075)])
def test_even_losses_give_the_square_root(p: float, losses: int, within: float, delayed: bool) -> None:
    law = math.sqrt(3 / 4 if delayed else 3 / 2)
    assert constant(p, losses, even=True, delayed=delayed) == pytest.approx(law, rel=within)


@pytest.mark.parametrize("delayed", [False, True], ids=["every", "delayed"])
def test_random_losses_give_ott_kemperman_and_mathis(delayed: bool) -> None:
    law = laws.RANDOM / math.sqrt(1 + delayed)
    assert constant(1e-4, 500, even=False, delayed=delayed) == pytest.approx(law, rel=0.03)


@pytest.mark.parametrize("acked", [1, 2])
@pytest.mark.parametrize("p", [1e-3, 3e-3, 1e-2])
def test_pftk_is_near_as_long_as_losses_are_single(p: float, acked: int) -> None:
    law = laws.pftk(p, 0.1, 1.0, acked) * math.sqrt(p)
    assert constant(p, 500, even=True, delayed=acked == 2) == pytest.approx(law, rel=0.07)


@pytest.mark.parametrize(
    ("p", "c", "beta", "rtt", "within"),
    [(1e-5, 0.4, 0.7, 0.1, 0.01), (1e-4, 0.4, 0.7, 0.1, 0.01), (1e-4, 0.8, 0.7, 0.1, 0.01), (1e-4, 0.4, 0.5, 0.1, 0.02),
     (1e-4, 0.4, 0.7, 0.2, 0.02), (1e-4, 0.4, 0.7, 0.03, 0.02), (1e-3, 0.4, 0.7, 0.1, 0.03)],
)  # fmt: skip
def test_cubics_response_function(p: float, c: float, beta: float, rtt: float, within: float) -> None:
    control = {"kind": "cubic", "c": c, "beta": beta, "fast_convergence": False}
    outcome = next(iter(run_batch([laws.scenario(p, 20, even=True, control=control, rtt_s=rtt)])))
    lost, window = laws.measured(outcome, rtt)
    assert window == pytest.approx(laws.cubic(lost, rtt, c, beta), rel=within)


def test_the_pages_tables_are_what_runs_say(tool: ModuleType) -> None:
    cheap = [p for p in tool.LOSSES if p >= 1e-3]
    for line in tool.constants_table(tool.constants(cheap)) + tool.cubic_table(
        [case for case in tool.CUBIC if case[0] > 2e-4]
    ):
        assert line in PAGE


RFC_9438_WINDOWS = {
    0.1: [
        (12, 12, 12),
        (38, 38, 59),
        (120, 187, 333),
        (593, 1054, 1874),
        (3332, 5926, 10538),
        (18740, 33325, 59261),
        (105383, 187400, 333250),
    ],
    0.01: [
        (12, 12, 12),
        (38, 38, 38),
        (120, 120, 120),
        (379, 379, 379),
        (1200, 1200, 1874),
        (3795, 5926, 10538),
        (18740, 33325, 59261),
    ],
}
"""Tables 1 and 2 of RFC 9438 section 5.1: by round trip (s), for losses of 1e-2 to 1e-8, CUBIC's mean window with C 0.04, 0.4 and 4."""


def test_tables_1_and_2_of_rfc_9438() -> None:
    for rtt_s, rows in RFC_9438_WINDOWS.items():
        for power, row in enumerate(rows, start=2):
            p = 10.0**-power
            # Reno's mean window is that of RFC 3649.
            windows = [max(1.2 / math.sqrt(p), laws.cubic(p, rtt_s, c, reno_friendly=False)) for c in (0.04, 0.4, 4)]
            assert tuple(round(window) for window in windows) == row, (rtt_s, p)


def test_table_3_of_rfc_9438() -> None:
    """The losses at which CUBIC and Reno reach a rate with 0.1 s and 1500 bytes; Reno's last digit is printed 2.0 for 2.07."""
    cubic = []
    for mbps in (10, 100, 1000, 10000):
        window = mbps * 1e6 * 0.1 / 12000
        cubic.append((laws.cubic(1, 0.1, reno_friendly=False) / window) ** (4 / 3))
        assert f"{1.44 / window**2:.1e}"[:3] == "2.1"
    assert [f"{p:.1e}" for p in cubic] == ["2.9e-04", "1.4e-05", "6.3e-07", "2.9e-08"]
