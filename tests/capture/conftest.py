"""Each scenario is run and captured once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from captured import Captured, capture
from scenarios import SCENARIOS


@pytest.fixture(scope="session")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Captured]:
    """Gives a scenario's run and captures by the scenario's name."""

    @functools.cache
    def get(name: str) -> Captured:
        directory: Path = tmp_path_factory.mktemp(name)
        return capture(SCENARIOS[name], directory)

    return get
