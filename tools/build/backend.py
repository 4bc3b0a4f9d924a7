"""maturin's build backend, which first writes the Python builder where no build has left it: `pip install .` in a bare checkout.

The source distribution has the builder, and `make setup` writes it from the extension.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import maturin
from maturin import *  # noqa: F403

ROOT = Path(__file__).parents[2]


def _write_builder() -> None:
    if not (ROOT / "python/acklab/scenario/__init__.py").exists():
        schema = ["cargo", "run", "--quiet", "-p", "acklab-scenario", "--example", "schema"]
        found = subprocess.run(schema, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run([sys.executable, ROOT / "tools/builder.py", "-"], input=found, check=True)


def build_wheel(*args: Any, **kwargs: Any) -> str:
    """See PEP 517."""
    _write_builder()
    return str(maturin.build_wheel(*args, **kwargs))


def build_editable(*args: Any, **kwargs: Any) -> str:
    """See PEP 660."""
    _write_builder()
    return str(maturin.build_editable(*args, **kwargs))


def build_sdist(*args: Any, **kwargs: Any) -> str:
    """See PEP 517."""
    _write_builder()
    return str(maturin.build_sdist(*args, **kwargs))
