"""The notebooks of `make lite`: their cells print what stands below them."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs/lite").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(SVG=drawn.append))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace())
    space: dict[str, object] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or source.startswith("%pip"):
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(source, space)
        assert printed.getvalue() == "".join("".join(one["text"]) for one in cell["outputs"]), source
    assert all("<polyline" in picture for picture in drawn) and drawn


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
