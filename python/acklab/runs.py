"""Running scenarios from Python."""

from __future__ import annotations

import contextlib
import html
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from . import _core
from ._core import ScenarioError
from .results.directory import Folder, results
from .results.expected import unmet
from .results.result import Result
from .results.stored import NOTHING, RECORDED, TABLES, NotRecordedError, Recording, Stored, save, write_one
from .scenario.given import (
    ScenarioLike,
    asked,
    assignments,
    in_short,
    json_line,
    json_lines,
    recorded,
    refuse_two_names,
    settings,
    source,
)
from .scenario.own import Controls, Own, Policies
from .text.terminal import not_known

NAMES = (*(f"{table}.parquet" for table in TABLES), "summary.json", "scenario.toml", "report.html")
"""The files of a run, but for charts and captures."""

MAX_SHOWN = 50_000
"""Recorded rows of a run whose page a notebook shows; of a longer one it shows the summary."""


class Run(Result):
    """What a run told, held in memory: recorded tables grow with the run. ``acklab run FILE --out DIR`` writes them as they come.

    Each table (``flows``, ``links``, and, where recorded, ``series``, ``queue`` and ``packets``) is an Arrow table:
    ``run.flows[0]["goodput_bps"]``, ``run.flows.to_polars()``, ``run.flows.to_pandas()``. Other data frame libraries
    read it without copying: ``pyarrow.table(run.flows)``, ``duckdb.sql("from flows")``. A table that was not recorded
    raises :class:`NotRecordedError`.

    A run can be pickled, and sent to another process. Captures have to be written before.
    """

    verb = "run"

    def __init__(self, result: _core.RunResult | Stored) -> None:
        self._result = result
        self.label = ""
        """Short name in legends where runs are compared; yours to set."""
        self.programs: list[dict[str, Any]] = []
        """Of a run with programs what became of each: ``at, run, output, status, started_s, ended_s`` and more."""
        self.streams: list[dict[str, Any]] = []
        """Of a run with programs the packets one way between two ports: ``name, packets, bytes, delay_p95_s`` and more."""

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self._result.title

    @property
    def seed(self) -> int:
        """The scenario's seed."""
        return self._result.seed

    @property
    def end_s(self) -> float:
        """Instant the run ended, in seconds."""
        return self._result.end_s

    @property
    def flows(self) -> _core.Table:
        """One row a transfer."""
        return self._result.flows

    @property
    def links(self) -> _core.Table:
        """One row a link direction."""
        return self._result.links

    @property
    def series(self) -> _core.Table:
        """The senders' state at each change."""
        return self._recorded("series")

    @property
    def queue(self) -> _core.Table:
        """Queue lengths at each change."""
        return self._recorded("queue")

    @property
    def packets(self) -> _core.Table:
        """Every packet event, in the order they happened."""
        return self._recorded("packets")

    @property
    def tables(self) -> dict[str, Any]:
        """The tables that there are, by name."""
        return {name: table for name in TABLES if (table := getattr(self._result, name)) is not None}

    def table(self, name: str) -> Any:
        """A table by its name.

        Raises:
            NotRecordedError: the run has not recorded it.
            KeyError: there is no such table.
        """
        return self._recorded(name) if name in RECORDED else super().table(name)

    def to_polars(self) -> Any:
        """The table ``flows``."""
        return self.flows.to_polars()

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What the scenario expects (``[[expect]]``), with what was found: :attr:`checks`."""
        return self.checks

    def plot(self, chart: str = "", **options: Any) -> Any:
        """A chart for notebooks (Altair) of those in :mod:`acklab.plot`, such as ``"rtt"``; all over time if left out.

        Raises:
            ValueError: there is no such chart, or nothing that it draws was recorded and the run cannot be made again.
            ImportError: Altair is not installed.
        """
        from . import plot

        drawn = self if RECORDED[0] in self.tables else self.recorded()
        if chart and chart not in plot.CHARTS:
            raise ValueError(not_known("chart", chart, plot.CHARTS))
        charts = [getattr(plot, name)(drawn, **options) for name in ([chart] if chart else plot.OVER_TIME)]
        return charts[0] if chart else plot.below(charts)

    def html(self) -> str:
        """The page's text."""
        from .report import called

        return called(self).html

    def __getitem__(self, name: str) -> dict[str, Any]:
        """The row of a flow, or of a link direction such as ``G->R``: ``run["f"]["completion_s"]``.

        Raises:
            KeyError: there is neither; the message has the names.
        """
        flows: dict[str, dict[str, Any]] = {row["name"]: row for row in self.flows}
        rows = flows | {f"{row['from']}->{row['to']}": row for row in self.links} | flows
        if name not in rows:
            raise KeyError(not_known("flow or link", name, list(rows)))
        return rows[name]

    def flow(self, name: str) -> dict[str, Any]:
        """The row of a flow, as ``run[name]``."""
        return self[name]

    def _recorded(self, name: str) -> _core.Table:
        table: _core.Table | None = getattr(self._result, name)
        if table is None:
            raise NotRecordedError(name)
        return table

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_result": Stored.of(self._result)}

    def json(self, *, records: bool = True) -> str:
        """The summary as one line of JSON, with every recorded table unless ``records`` is false."""
        return self._result.json(records)

    def summary(self) -> dict[str, Any]:
        """The summary as plain Python values: ``title, seed, end_s, flows, links``."""
        summary: dict[str, Any] = json.loads(self._result.json(records=False))
        return summary

    @property
    def checks(self) -> list[dict[str, Any]]:
        """The scenario's expectations with what was found: ``subject, at_s, what, expected, found, holds``."""
        checks: list[dict[str, Any]] = self.summary().get("checks", [])
        return checks

    def check(self) -> None:
        """Raises an AssertionError that says which expectations (``[[expect]]``) do not hold, if there are such."""
        wrong = unmet(self.checks)
        if wrong:
            raise AssertionError("\n".join(wrong))

    def recorded(self) -> Run:
        """This simulated run made once more, with all that a report draws: the same scenario and seed give the same packets.

        Raises:
            ValueError: a kernel made it, or rules in Python, which the scenario only names.
        """
        if not self.summary().get("kernel"):
            with contextlib.suppress(_core.ScenarioError):
                again = run(self.scenario_toml(), record=True)
                again.label = self.label
                return again
        raise ValueError(NOTHING)

    def scenario_toml(self) -> str:
        """The scenario as it ran, every shorthand and default written out."""
        return self._result.scenario_toml()

    def capture(
        self,
        link: str,
        end: str | None = None,
        path: str | os.PathLike[str] | None = None,
        *,
        format: str | None = None,
        snap_length: int = 0,
    ) -> Path:
        """Writes what ``tcpdump`` at a node's interface would have seen, for Wireshark and its like.

        The scenario must record its packets: ``record = { packets = true }``.

        Args:
            link: the link, such as ``G->R`` (either direction names it), or link and node, such as ``G->R@G``.
            end: the node at whose end of the link to capture.
            path: the file; left out, one such as ``G-R@G.pcapng`` in the working directory.
            format: ``pcapng`` or ``pcap``; left out, as the path ends.
            snap_length: bytes to keep of each packet, 0 for all; headers take at most 80. Tools cannot verify the
                checksum of a packet that was cut.

        Returns:
            The file's path.

        Raises:
            ValueError: there is no such link end, no packets were recorded, or the run was pickled.
            OSError: the file cannot be written.
        """
        if isinstance(self._result, Stored):
            raise ValueError("a run that was pickled has no captures; write them before")
        return write_one(self._result, link, end, path, format, snap_length)

    def write(self, directory: str | os.PathLike[str], *, report: bool = True) -> None:
        """Writes every table as Parquet, ``summary.json``, ``scenario.toml`` and, unless told not to, the report.

        Nothing is left half-written when this is interrupted. The results of an earlier run there are replaced, tables
        that this one has not recorded too, so that what lies there is of one run.

        Raises:
            FolderError: the directory holds other results, or foreign files of these names.
            OSError: the directory cannot be written.
        """
        with results(directory, "run") as folder:
            self.write_into(folder, report=report)

    def write_into(self, folder: Folder, *, report: bool = True, ends: Sequence[str] = (), **options: Any) -> None:
        """Writes what :meth:`write` does to a directory that is held, and captures of the link ends in ``ends``."""
        with folder.replacing({"seeds": self.seed}) as scratch:
            write_summary(save(self._result, scratch), self.label, report=report)
            if ends and not isinstance(self._result, Stored):
                _core.capture_all(self._result, ends, scratch, **options)

    def __repr__(self) -> str:
        tables = ", ".join(f"{name}: {len(getattr(self, name))}" for name in TABLES if hasattr(self, name))
        return f"<Run {self.title!r} seed {self.seed}, {self.end_s:g} s; rows of {tables}>"

    @property
    def text(self) -> str:
        """The tables of flows and links, as a terminal shows them."""
        from .results.summary import as_text, endless

        return as_text(self.summary(), endless(self.scenario_toml()))

    def __bool__(self) -> bool:
        return True  # also without flows

    def _repr_html_(self) -> str:
        drawn = [name for name in RECORDED if name in self.tables]
        if drawn and sum(len(self.table(name)) for name in drawn) <= MAX_SHOWN:
            return super()._repr_html_()
        from .report.report import Table
        from .results.summary import endless, sections

        parts = sections(self.summary(), endless(self.scenario_toml()))
        return f"<h4>{html.escape(self.title)}</h4>{''.join(Table(*part, bare=True).html() for part in parts)}"


# Any, so that type checkers let a dict of overrides be unpacked.
def run(
    scenario: ScenarioLike | None = None,
    *,
    path: str | None = None,
    record: Any = None,
    policies: Any = None,
    controls: Any = None,
    engine: str = "simulator",
    server: str | None = None,
    client: str | None = None,
    allow_programs: Any = False,
    qlog: str | os.PathLike[str] | None = None,
    **overrides: Any,
) -> Run:
    """Runs a scenario to its stop. Ctrl-C stops it cleanly; other threads go on meanwhile.

    Args:
        scenario: a Scenario, its tree, a path, or a scenario file's text. A path below ``examples`` that is not there is the package's.
        path: an access path instead, such as ``cable``, whose keys have short names: ``acklab.run(path="cable", up="5Mbps")``.
        record: True records all that a report draws; or names of tables, such as ``["series"]``; or the scenario's table.
        policies: ACK policies in Python (:class:`acklab.AckPolicy`) by the names that the scenario uses.
        controls: congestion controls in Python (:class:`acklab.CongestionControl`) by name.
        engine: ``simulator``, or ``kernel``: the scenario's links between the two ends of a Linux in virtual time (``make kernel``
            builds it). Its tables are those of ``acklab run --live``.
        server: with ``engine="kernel"`` a command at the first flow's sender (without flows: the first node), a server.
        client: the same at the other end; ``{server}`` in it is the server's address. The run has ``programs`` and ``streams``.
        allow_programs: run the commands that the scenario names, with ``engine="kernel"``. Read them first.
        qlog: a directory for each flow's logs, ``FLOW.sender.sqlog`` and ``FLOW.receiver.sqlog``; packets and series are then recorded.
        overrides: keys to set before the run: ``seed=2``, or ``set={"flow.0.sender.window": 20}``, or texts as ``--set`` takes them:
            ``set=["flow.0.sender.window=20"]``.

    Raises:
        ScenarioError: it is no scenario; the message names key, value and what is allowed.
        OSError: the path cannot be read.
        RunError: the run failed, perhaps in a policy or control in Python; the message then has its traceback.
        LiveError: there is no kernel, or it broke off.
        TypeError: a keyword is no argument and no key of a scenario.
        ValueError: there is no such engine or access path, a path has no such key, arguments do not go together, or the scenario names
            commands that are not allowed.
    """
    if qlog is not None and record is None:
        record = ["packets", "series"]
    shortly = in_short(path, overrides)
    scenario, overrides = asked(run, scenario, path, record, overrides)
    if engine == "kernel":
        if policies or controls or qlog is not None:
            raise ValueError("policies and controls in Python, and qlog, are for the simulator only")
        return _between_kernels(
            *source(scenario), assignments(overrides), server=server, client=client, allowed=allow_programs
        )
    if engine != "simulator":
        raise ValueError(f"engine is simulator or kernel, not {engine!r}")
    if server is not None or client is not None or allow_programs:
        raise ValueError('server, client and allow_programs go with engine="kernel"')
    with shortly:
        made = Run(simulation(scenario, policies=policies, controls=controls, **overrides).advance())
    if qlog is not None:
        from .results.qlog import write_logs

        write_logs(made, Path(qlog))
    return made


def _between_kernels(text: str | bytes, file: str, sets: list[str], **given: Any) -> Run:
    """A run between kernels: of the programs, where there are some, else of the flows."""
    from .engines import kernel, programs

    if (told := programs.asked(text, file, sets, **given)) is None:
        return Run(kernel.result(text, file, sets=sets))  # type: ignore[arg-type]
    made = Run(told.result)
    made.programs, made.streams = [one.told() for one in told.programs], told.streams
    return made


def run_batch(
    scenarios: Iterable[ScenarioLike],
    *,
    threads: int | None = None,
    record: Any = None,
    policies: Policies | None = None,
    controls: Controls | None = None,
    engine: str = "simulator",
    **overrides: Any,
) -> Iterator[dict[str, Any]]:
    """Runs many scenarios in parallel and gives each one's summary, in order; the same for any number of threads.

    Recorded tables are part of the summary, as lists of rows. What is no scenario, or fails, gives
    ``{"error": "..."}``.

    Args:
        scenarios: what :func:`run` takes. Trees and JSON texts are the fastest.
        threads: from 1 to 1024; left out, one a processor.
        record: as for :func:`run`.
        policies: ACK policies in Python by name, as for :func:`run`. Their code takes turns; the rest of the runs does not.
        controls: congestion controls in Python by name.
        engine: ``simulator``; ``kernel`` as in :func:`run`; or ``programs``, which also runs the commands that scenarios name, in virtual
            time. Read them first.
        overrides: keys to set before each run, as :func:`run` takes them; in the simulator.

    Raises:
        TypeError: a scenario is of another type, or has an algorithm in Python that is not passed by name; of a list, before any runs.
        ValueError: no such number of threads, engine or table, or the kernel is to run Python or overrides.
        OSError: a path cannot be read.
    """
    if threads is not None and threads < 1:
        raise ValueError("threads must be from 1 to 1024")
    if engine in ("kernel", "programs"):
        from .engines.journal import in_kernels as batches

        if policies or controls or record is not None or overrides:
            raise ValueError("policies and controls in Python, record, and overrides, are for the simulator only")
        texts = (json_line(scenario).decode() for scenario in scenarios)
        for found in batches(texts, cpu_count() if threads is None else threads, programs=engine == "programs"):
            yield json.loads(found[0])
        return
    if engine != "simulator":
        raise ValueError(f"engine is simulator, kernel or programs, not {engine!r}")
    own = Own(policies, controls)
    sets = assignments(recorded(record, settings(run_batch, overrides)))
    batch = _core.Batch(
        cpu_count() if threads is None else threads, sets=sets, policies=own.policies, controls=own.controls
    )
    wrong: dict[int, str] = {}
    places = count()

    def parsed(lines: bytes) -> Iterator[dict[str, Any]]:
        for line, place in zip(lines.splitlines(), places, strict=False):
            yield {"error": wrong.pop(place)} if place in wrong else json.loads(line)

    try:
        for number, line in enumerate(json_lines(scenarios)):
            if isinstance(line, ScenarioError):
                wrong[number], line = str(line), b"null\n"
            batch.feed(line)
            if batch.full:
                yield from parsed(batch.take())
        batch.close()
        while lines := batch.take():
            yield from parsed(lines)
    finally:
        batch.stop()


def simulation(
    scenario: ScenarioLike, *, policies: Any = None, controls: Any = None, **overrides: Any
) -> _core.Simulation:
    """A scenario ready to run step by step: ``run_until``, ``outcome``, and ``clone`` to branch from an instant.

    A clone has deep copies of the ``policies`` and ``controls`` in Python; these are as for :func:`run`.

    Raises:
        ScenarioError: it is no scenario.
        OSError: the path cannot be read.
        RunError: a policy or control in Python cannot be made.
    """
    own = Own(policies, controls)
    text, file = source(scenario, own)
    sets = assignments(settings(simulation, overrides), own)
    refuse_two_names(text, sets)
    own.warn_of_unused(text, file, sets)
    return _core.Simulation(text, file=file, sets=sets, policies=own.policies, controls=own.controls)


def cpu_count() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_summary(
    recording: Recording, label: str = "", *, report: bool = True, drawn: Any = None, causes: str = ""
) -> None:
    """Writes, beside a recording's tables, what else there is to tell of it.

    ``drawn`` is the recording as charts take it, if it was read, ``causes`` as in :func:`acklab.report.html`.
    """
    result, folder = recording.result, recording.folder
    (folder / "summary.json").write_text(result.json(records=False) + "\n", encoding="utf-8")
    (folder / "scenario.toml").write_text(result.scenario_toml(), encoding="utf-8")
    if report:
        from .report import pages

        recording.label = label
        pages([recording] if drawn is None else [drawn], folder, causes=causes)
