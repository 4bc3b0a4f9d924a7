"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import acklab
import acklab_drill
import acklab_studies
import acklab_zoo

PACKAGES = (acklab, acklab_drill, acklab_studies, acklab_zoo)
MODULES = [
    name
    for package in PACKAGES
    for name in (
        package.__name__,
        *(module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")),
    )
]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("_core", "__main__", ".first"))])
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
