"""Examples that come with the package, found from any working directory."""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")


def example(name: str) -> str:
    """The path of a file of the package's examples, such as ``access/cable.toml``; there need be no such file."""
    return os.path.join(_FOLDER, *name.split("/"))


def located(path: str) -> str:
    """A path, or the package's file where it begins with ``examples/`` and the working directory has no such file.

    >>> located("examples/none.toml")
    'examples/none.toml'
    """
    if not path.startswith("examples/") or os.path.exists(path):
        return path
    inside = example(path.removeprefix("examples/"))
    return inside if os.path.exists(inside) else path


def as_typed(text: str) -> str:
    """A text for people, in which the package's examples are called as :func:`located` finds them.

    >>> as_typed(f"{example('t1.toml')}: no key")
    'examples/t1.toml: no key'
    """
    return text.replace(_FOLDER + os.sep, "examples/")
