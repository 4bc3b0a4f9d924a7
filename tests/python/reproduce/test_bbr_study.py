"""The study of BBR's estimate: single cells of it."""

from __future__ import annotations

import pytest

from acklab import _core
from acklab.studies import study
from acklab.studies.bbr2026 import estimates, rivals
from acklab.studies.bbr2026.setting import CONTROLS


def cell(module: object, scenario: str) -> dict[str, float]:
    """One run's numbers."""
    reader = module.Reader()  # type: ignore[attr-defined]
    found = reader(_core.Simulation(scenario).run().json(False).encode())
    return dict(zip(reader.names, found, strict=True))


def test_the_study_names_its_figures() -> None:
    assert study("bbr2026").check() == []


@pytest.mark.parametrize("control", CONTROLS)
def test_rare_acks_leave_the_estimate_and_a_slow_uplink_does_not(control: str) -> None:
    for acks in ("delayed", "thin16", "lost50", "cake"):
        found = cell(estimates, estimates._one(control, "40ms", acks, 1))
        assert found["estimate_percent"] == pytest.approx(100, abs=2), acks
    slow = cell(estimates, estimates._one(control, "10ms", "slow", 1))
    # 0.3 Mb/s carry 721 ACKs of 52 bytes a second, each for two segments of 1448 bytes: 16.7 of 48.3 Mb/s.
    assert slow["estimate_percent"] == pytest.approx(34.6, abs=0.5)


def test_version_3_leaves_more_to_cubic_and_suffers_from_losses() -> None:
    share, lossy = (
        {control: cell(rivals, rivals._one(control, case, 1)) for control in CONTROLS}
        for case in ("cubic-shallow", "lossy5")
    )
    assert share["bbr"]["share_percent"] > 85 > share["bbr3"]["share_percent"]
    assert lossy["bbr"]["goodput_percent"] > 85 and lossy["bbr3"]["goodput_percent"] < 30
