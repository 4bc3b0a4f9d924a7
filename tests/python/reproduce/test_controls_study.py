"""The study of controls, queues and ACK policies: single cells of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acklab import _core
from acklab.papers import paper
from acklab_studies.controls2026 import pairs
from acklab_studies.controls2026.setting import scenario, windows


def cell(path: str, queue: str, control: str) -> dict[str, float]:
    """One run's numbers."""
    line = _core.Simulation(pairs._one(path, queue, control, "delayed", 1)).run().json(False).encode()
    return dict(zip(pairs.COLUMNS, pairs.Reader()(line), strict=True))


def test_the_study_names_its_figures() -> None:
    assert paper("controls2026").check() == []


def test_fair_queueing_shares_at_once_and_a_deep_buffer_does_not() -> None:
    fair, deep = cell("lte", "fq-codel", "cubic"), cell("lte", "drop-tail", "cubic")
    assert fair["weaker_share"] > 0.45 and fair["unfair"] == 0
    assert deep["p99_ms"] > 3 * fair["p99_ms"]


def measured(first: list[float], second: list[float]) -> tuple[float, ...]:
    """Numbers of two downloads with these bytes at the instants 1, 2, ..."""
    flow: dict[str, Any] = {
        "mean_rtt_s": 0.02,
        "acks_received": 5,
        "bytes": 10_000,
        "completed": True,
        "completion_s": 0.03,
    }
    return pairs.measured(first, second, [1.0 + n for n in range(len(first))], [flow, flow], [flow], 10.0)


def test_a_fair_share_is_that_of_a_window() -> None:
    rate, p99, weaker, fair, never, rtt, acks = measured([0, 90, 150, 210, 270], [0, 10, 50, 90, 130])
    assert (rate, p99, weaker, fair, never) == (pytest.approx(8e-4), 30, pytest.approx(0.4), 2, 0)
    assert (rtt, acks) == (20, pytest.approx(500))
    *_, fair, never, _, _ = measured([0, 90, 180], [0, 10, 20])
    assert (fair, never) == (2, 1)


def test_windows_fill_the_time_that_both_run() -> None:
    at = windows("fibre")
    assert at[0] == 3 and at[-1] == pytest.approx(9) and len(at) == 51


def test_the_study_names_the_form_of_dctcp() -> None:
    """Its numbers were made with RFC 8257's; the stack's own form is Linux's."""
    run = json.loads(scenario("lte", "fq-codel", "dctcp", "delayed", 1))
    assert [flow["sender"]["control"] for flow in run["flow"][:2]] == [{"kind": "dctcp", "form": "rfc8257"}] * 2
