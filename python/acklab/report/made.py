"""A page that Python made: shown by a notebook, opened in a browser, or saved."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from pathlib import Path

from ..results.files import replacing


class Page:
    """One offline HTML page."""

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
