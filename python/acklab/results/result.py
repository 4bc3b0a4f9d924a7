"""What every verb returns, and what a directory of its results is opened as: tables, findings, a page."""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..text.terminal import not_known
from .directory import Folder, replacing, results
from .findings import Finding
from .frames import Tabular
from .kept import Kept

if TYPE_CHECKING:
    import polars as pl


class Page:
    """One offline HTML page: shown by a notebook, opened in a browser, or saved."""

    def __init__(self, text: str) -> None:
        self.html = text
        """The page's text."""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a file and returns its path.

        Raises:
            OSError: it cannot be written.
        """
        target = Path(path)
        with replacing(target) as scratch:
            scratch.write_text(self.html, encoding="utf-8")
        return target

    def show(self) -> Path:
        """Opens the page in the browser, from a temporary file; returns its path."""
        path = self.save(Path(tempfile.mkdtemp(prefix="acklab-")) / "report.html")
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        frame = 'width="100%" height="900" style="border:0" sandbox="allow-scripts" title="acklab report"'
        return f'<iframe {frame} srcdoc="{html.escape(self.html, quote=True)}"></iframe>'

    def __repr__(self) -> str:
        return f"<acklab report, {len(self.html):,} characters; .show() opens it, .save(path) keeps it>"


class Kind(NamedTuple):
    """Of a verb's results the table that stands for all, the entry of its JSON object with the findings, and two of its files."""

    main: str
    findings: str
    json: str
    page: str


KINDS = {
    "analyze": Kind("connections", "findings", "analysis.json", "analysis.html"),
    "compare": Kind("ranking", "findings", "comparison.json", "comparison.html"),
    "fit": Kind("parameters", "parameters", "fit.json", "fit.html"),
    "infer": Kind("readings", "facts", "infer.json", "infer.html"),
    "reproduce": Kind("claims", "claims", "claims.json", "index.html"),
    "sweep": Kind("summary", "facts", "sweep.json", "sweep.html"),
    "tune": Kind("trials", "facts", "tune.json", "tune.html"),
    "why": Kind("findings", "findings", "why.json", "why.html"),
}


class Result(Tabular):
    """What a verb found: tables in Arrow, findings as data, and a page, which a notebook shows."""

    verb = ""
    """The command that leaves the same."""

    @property
    def text(self) -> str:
        """Facts and tables, as a terminal shows them."""
        text: str = self.report().text()  # type: ignore[attr-defined]
        return text

    def __str__(self) -> str:
        return self.text

    def plain(self) -> dict[str, Any]:
        """As plain values: the object that ``--json`` prints."""
        plain: dict[str, Any] = self.summary()  # type: ignore[attr-defined]
        return plain

    def frames(self) -> Mapping[str, pl.DataFrame]:
        """The tables of the results as polars frames."""
        raise NotImplementedError

    def html(self) -> str:
        """The page's text."""
        with tempfile.TemporaryDirectory(prefix="acklab-page-") as folder:
            self.write_files(Path(folder))
            return (Path(folder) / KINDS[self.verb].page).read_text(encoding="utf-8")

    def write(self, directory: str | os.PathLike[str]) -> None:
        """Writes the files that the command writes, but for the runs that it keeps; or, if interrupted, nothing.

        Raises:
            FolderError: the directory holds other results, or foreign files of these names.
            OSError: the directory cannot be written.
        """
        with results(directory, self.verb) as folder:
            self.write_into(folder)

    def write_into(self, folder: Folder) -> None:
        """Writes what :meth:`write` does to a directory that is held."""
        with folder.replacing() as scratch:
            self.write_files(scratch)

    def write_files(self, folder: Path) -> None:
        """Writes the files into a directory."""
        raise NotImplementedError

    @cached_property
    def tables(self) -> dict[str, Any]:
        """Every table by its name, in Arrow: ``result.tables["summary"].to_pandas()``."""
        frames, main = dict(self.frames()), KINDS[self.verb].main
        if main not in frames:  # the findings are the table
            frames = {main: listed(self.plain()[KINDS[self.verb].findings])} | frames
        return {name: Kept(name, frame) for name, frame in frames.items()}

    def table(self, name: str) -> Any:
        """A table by its name.

        Raises:
            KeyError: there is none; the message has the names.
        """
        if name not in self.tables:
            raise KeyError(not_known("table", name, list(self.tables)))
        return self.tables[name]

    @property
    def findings(self) -> Any:
        """What it shows, as data: verdicts with their intervals; of a sweep or a search its facts, of a paper its claims."""
        found = self.plain().get(KINDS[self.verb].findings, [])
        return [Finding(**row) for row in found] if self.verb in ("compare", "why") else found

    def to_polars(self) -> pl.DataFrame:
        """The table that stands for all."""
        frame: pl.DataFrame = self.table(KINDS[self.verb].main).to_polars()
        return frame

    def json(self) -> str:
        """What ``--json`` prints."""
        return json.dumps(self.plain())

    def page(self) -> Page:
        """The page of the results."""
        return Page(self.html())

    def show(self) -> Path:
        """Opens the page in the browser, from a temporary file; returns its path."""
        return self.page().show()

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()


class Loaded(Result):
    """The results that a verb left in a directory."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self.folder, self.verb = folder, about["verb"]
        self._files = about["files"]

    @cached_property
    def _plain(self) -> dict[str, Any]:
        file = self.folder / KINDS[self.verb].json
        plain: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        return plain

    def plain(self) -> dict[str, Any]:
        """As plain values: the object that ``--json`` prints."""
        return self._plain

    def frames(self) -> dict[str, pl.DataFrame]:
        """The tables as polars frames."""
        import polars as pl

        names = [name for name in self._files if name.endswith(".parquet")]
        return {name.removesuffix(".parquet"): pl.read_parquet(self.folder / name, glob=False) for name in names}

    def html(self) -> str:
        """The page's text."""
        return (self.folder / KINDS[self.verb].page).read_text(encoding="utf-8")

    def write_files(self, folder: Path) -> None:
        """Copies the files into a directory."""
        for name in self._files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.folder / name, folder / name)

    @property
    def text(self) -> str:
        """Where it is, and its tables."""
        return repr(self)

    def __repr__(self) -> str:
        return f"<results of acklab {self.verb} in {self.folder}: tables {', '.join(self.tables)}>"


def listed(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows of plain values as a frame: a column of numbers and texts as texts, none of what is a table itself."""
    import polars as pl

    names = dict.fromkeys(name for row in rows for name in row)
    columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in names}
    kept = {name: cells for name, cells in columns.items() if not any(isinstance(cell, (dict, list)) for cell in cells)}
    return pl.DataFrame(
        {
            name: [None if cell is None else str(cell) for cell in cells]
            if any(isinstance(cell, str) for cell in cells)
            else cells
            for name, cells in kept.items()
        },
        strict=False,
    )
