"""Modules that can be called: ``acklab.compare(a, b)`` beside ``acklab.compare.case``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def can_be_called(name: str, act: Callable[..., Any]) -> None:
    """Lets the imported module ``name`` be called as the function ``act``, whose text it then shows in ``help``."""

    class Module(ModuleType):
        def __call__(self, *given: Any, **named: Any) -> Any:
            return act(*given, **named)

    module = sys.modules[name]
    module.__doc__ = f"{module.__doc__}\n``{name}{inspect.signature(act)}``\n\n{inspect.getdoc(act)}\n"
    module.__class__ = Module
    module.__wrapped__ = act  # type: ignore[attr-defined]  # its signature, for inspect and notebooks
