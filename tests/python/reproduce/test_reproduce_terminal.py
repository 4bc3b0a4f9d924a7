"""What ``acklab reproduce`` prints: numbers no longer than their intervals."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from acklab.reproduce import words


def test_a_number_ends_with_its_interval() -> None:
    def shown(value: float, *ends: float, times: float = 1) -> str:
        finding: Any = SimpleNamespace(interval=ends or None)
        return words.by_interval(value, finding, times)

    assert [shown(value, -0.3918, 1.526) for value in (0.5672, -0.3918, 1.526)] == ["0.57", "-0.39", "1.53"]
    assert shown(1234.56, 1000.0, 1500.0) == "1230"
    assert shown(-0.001, -0.5, 0.5) == "0.00"
    assert shown(25.0, 0.2, 0.3, times=100) == "25.0"
    assert shown(0.56724) == "0.5672"
    assert shown(3.0, 3.0, 3.0) == "3"
