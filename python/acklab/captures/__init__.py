"""What a capture's ACKs say.

>>> import acklab, tempfile
>>> run = acklab.run('''
... link = [{ between = ["S", "R"], rate = "1Mbps", delay = "20ms" }]
... flow = [{ from = "S", to = "R", size = { segments = 60 } }]
... record = { packets = true }
... ''')
>>> with tempfile.TemporaryDirectory() as directory:
...     found = acklab.analyze(run.capture("S->R@R", path=f"{directory}/at-r.pcapng"))
>>> found.summary()["connections"][0]["policy"]
'delayed'
>>> found.findings[0]["kind"], found.findings[0]["frames"][0] > 0
('path-rate', True)
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .. import _core
from ..results.directory import Folder
from ..results.frames import write_parquet
from ..results.result import Result
from ..results.stored import kept_in
from ..text.input import located
from ..text.numbers import counted
from .faults import Fault, as_rows
from .faults import faults as of_rfc2525
from .text import chosen, limit, policy, shares

if TYPE_CHECKING:
    from .qlog import QlogAnalysis

TABLES = ("connections", "throughput", "limits", "acks", "segments")
"""An analysis' tables; the last two exist only where every packet was kept."""

NAMES = (*(f"{table}.parquet" for table in TABLES), "analysis.json", "analysis.html")
"""The files of an analysis."""

MAX_SHOWN = 50_000
"""Rows of an analysis whose page a notebook shows; of a larger one it shows the facts."""


class Analysis(Result):
    """What :func:`analyze` found.

    Each table is an Arrow table: ``found.connections[0]["policy"]``, ``found.acks.to_polars()``. ``acks`` and ``segments``
    raise AttributeError where the analysis did not keep the packets.
    """

    verb = "analyze"

    def __init__(self, result: _core.AnalysisResult | SimpleNamespace, file: str) -> None:
        self._result = result
        self.file = file
        """The capture's name."""

    @property
    def tables(self) -> dict[str, Any]:
        """The tables that there are, by name."""
        return {name: table for name in TABLES if (table := getattr(self._result, name)) is not None}

    @property
    def connections(self) -> _core.Table:
        """One row for each direction of a connection that carried data."""
        return self._kept("connections")

    @property
    def throughput(self) -> _core.Table:
        """Payload over time: one row for each bin of a direction, at most 128 of equal length from its first packet."""
        return self._kept("throughput")

    @property
    def limits(self) -> _core.Table:
        """What limited a direction when: one row for each span of time with one cause, at most 128 a direction."""
        return self._kept("limits")

    @property
    def acks(self) -> _core.Table:
        """One row an ACK."""
        return self._kept("acks")

    @property
    def segments(self) -> _core.Table:
        """One row a segment."""
        return self._kept("segments")

    def _kept(self, name: str) -> _core.Table:
        table: _core.Table | None = getattr(self._result, name)
        if table is None:
            raise AttributeError(f"the table {name} was not kept; analyze with packets=True")
        return table

    @cached_property
    def findings(self) -> list[dict[str, Any]]:
        """What limited each row of ``connections``: ``kind``, ``share``, ``seconds``, ``evidence``, ``frames``; see :func:`findings.shares`."""
        spans = self.spans()
        key = ("connection", "direction")
        return [{**{name: row[name] for name in key}, **one} for row in self.rows() for one in shares(row, spans)]

    def spans(self) -> dict[tuple[int, str], list[dict[str, Any]]]:
        """The rows of ``limits``, by connection and direction."""
        spans: dict[tuple[int, str], list[dict[str, Any]]] = {}
        for row in self.limits.to_polars().rows(named=True):
            spans.setdefault((row["connection"], row["direction"]), []).append(row)
        return spans

    @cached_property
    def faults(self) -> list[Fault]:
        """Faults of RFC 2525 that the directions show; those that take packets only where every packet was kept."""
        return of_rfc2525(self)

    def rows(self) -> list[dict[str, Any]]:
        """The rows of ``connections``; without a look for faults."""
        rows: list[dict[str, Any]] = self._plain["connections"]
        return rows

    @cached_property
    def _plain(self) -> dict[str, Any]:
        plain: dict[str, Any] = json.loads(self._result.json())
        return plain

    def summary(self) -> dict[str, Any]:
        """The file's counts, its connections and their faults as plain Python values."""
        return {"file": self.file, **self._plain, "findings": self.findings, "faults": as_rows(self.faults)}

    def json(self, only: Sequence[str] = (), sort: str | None = None) -> str:
        """The same as one line of JSON; the connections that ``only`` names, by the column ``sort``."""
        summary = self.summary()
        rows = chosen(summary["connections"], only, sort)
        return json.dumps({**summary, "connections": rows})

    def write_into(self, folder: Folder) -> None:
        """Writes what :meth:`write` does to a directory that is held."""
        with folder.replacing({"capture": self.file}) as scratch:
            for name in TABLES:
                table = getattr(self, name, None)
                if table is not None:
                    write_parquet(table, scratch / f"{name}.parquet")
            (scratch / "analysis.json").write_text(self.json() + "\n", encoding="utf-8")
            (scratch / "analysis.html").write_text(self.html(), encoding="utf-8")

    def html(self) -> str:
        """The page's text."""
        from .page import page

        return page(self)

    def _repr_html_(self) -> str:
        if sum(len(self.tables[name]) for name in TABLES if name in self.tables) <= MAX_SHOWN:
            return super()._repr_html_()
        from ..report.pieces import listed

        facts = listed([of(row) for row in self.rows() for of in (limit, policy)])
        return f"<h4>{html.escape(self.file)}</h4>{facts}{self.connections._repr_html_()}"

    @property
    def text(self) -> str:
        """Facts and tables, as a terminal shows them."""
        from .text import as_text

        return as_text(self.summary())

    def __repr__(self) -> str:
        return f"<Analysis of {self.file!r}: {counted(len(self.connections), 'direction')} of connections; print() shows them>"


def analyze(
    path: str | os.PathLike[str],
    *,
    packets: bool = True,
    until_s: float | None = None,
    tick: Callable[[int], object] | None = None,
) -> Analysis | QlogAnalysis:
    """Analyses a capture, pcap or pcapng, as it is or compressed by gzip, zstd or lz4; or a QUIC endpoint's log (qlog).

    Args:
        path: the file; ``-`` is standard input, of a capture. A path below ``examples`` that is not there is the package's.
        packets: whether to keep a row for each ACK and segment, about 400 bytes a packet. Without, memory grows only
            with the number of connections.
        until_s: seconds from the first packet after which no packet is read; the first part of a capture alone.
        tick: called now and then with the bytes of the file read so far; what it raises ends the analysis and is raised here.

    Returns:
        An :class:`Analysis`; of a log a :class:`acklab.captures.qlog.QlogAnalysis`. A log is read whole: the other arguments change nothing.

    Raises:
        CaptureError: it is no capture, or breaks the format's rules.
        QlogError: it begins as a log, and breaks the form's rules.
        OSError: it cannot be read.
    """
    from .qlog import analyze_qlog, is_qlog

    found = located(os.fspath(path)) if isinstance(os.fspath(path), str) else os.fspath(path)
    if os.path.isfile(found) and is_qlog(found):
        return analyze_qlog(found)
    return of_capture(found, packets=packets, until_s=until_s, tick=tick)


def of_capture(
    path: str | os.PathLike[str],
    *,
    packets: bool = True,
    until_s: float | None = None,
    tick: Callable[[int], object] | None = None,
) -> Analysis:
    """:func:`analyze` of a capture, and of nothing else."""
    path = located(os.fspath(path)) if isinstance(os.fspath(path), str) else path
    file = os.fsencode(path).decode(errors="replace")
    return Analysis(_core.analyze(path, packets=packets, until_s=until_s, tick=tick), file)


def stored(folder: Path) -> Analysis:
    """The analysis of a capture in a directory that :meth:`Analysis.write` or ``acklab analyze`` wrote.

    Raises:
        OSError: it cannot be read.
    """
    text = (folder / "analysis.json").read_text(encoding="utf-8")
    return Analysis(SimpleNamespace(**kept_in(folder, TABLES), json=lambda: text), json.loads(text)["file"])
