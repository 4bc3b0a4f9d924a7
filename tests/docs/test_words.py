"""Names of the product: constants begin with ``MAX_`` and ``MIN_``, and a variable is a noun of the thing.

The ceilings only fall: lower them with each change that renames some.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: How often a name that says nothing is given to something in the Python of the product.
MAX_BINDINGS = {"told": 329, "found": 596, "said": 78, "made": 82, "mine": 35, "one": 710}
#: Constants called MOST or LEAST, in Python and Rust.
MAX_CONSTANTS = 186


def bound(tree: ast.AST) -> list[str]:
    """Returns the names that are given: to variables, arguments and functions."""
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    names += [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
    return names + [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def constants(text: str) -> list[str]:
    """Returns the constants of a Python or Rust file that should be called ``MAX_`` or ``MIN_``."""
    return re.findall(
        r"^\s*(?:pub(?:\(\w+\))? )?(?:const |static )?((?:MOST|LEAST)(?:_\w+)?)\b\s*[:=]", text, re.MULTILINE
    )


def test_variables_are_nouns_of_the_thing() -> None:
    files = sorted((ROOT / "python" / "acklab").rglob("*.py"))
    counts = Counter(name for path in files for name in bound(ast.parse(path.read_text("utf-8"))))
    assert {name: counts[name] for name, ceiling in MAX_BINDINGS.items() if counts[name] > ceiling} == {}


def test_constants_are_called_max_and_min() -> None:
    files = [*(ROOT / "python" / "acklab").rglob("*.py"), *ROOT.glob("crates/*/src/**/*.rs")]
    assert sum(len(constants(path.read_text("utf-8"))) for path in files) <= MAX_CONSTANTS
