"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import acklab

MODULES = ["acklab", *(module.name for module in pkgutil.walk_packages(acklab.__path__, "acklab."))]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("_core", "__main__"))])
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
