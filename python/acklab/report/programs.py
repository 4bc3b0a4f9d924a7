"""The page of a run of programs: what each printed, the streams of packets between their ports, the queues over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..plot.runs import Run
from ..results.summary import STREAM_COLUMNS, Columns, link_columns
from ..text.templates import Fact, fact
from ..text.terminal import one_line
from .contents import manifest
from .pieces import VIEWER, document, esc, header, listed, table

#: Characters of a program's output on the page, from its end, and rows of streams.
MOST_OUTPUT, MOST_STREAMS = 20_000, 200
#: The viewer's charts that queues alone are enough for, and those that packets allow.
OF_QUEUES, OF_PACKETS = ("queue",), ("throughput", "queue", "sequence", "timeline")

Program = Mapping[str, Any]


def page(
    run: Run, summary: Mapping[str, Any], programs: Sequence[Program], streams: Sequence[Mapping[str, Any]], how: str
) -> str:
    """The page as text.

    Args:
        run: the run's tables, with ``queue`` where that was recorded.
        summary: the run's summary, for its links.
        programs: what became of each, as :meth:`acklab.engines.programs.ProgramResult.told` has it.
        streams: packets one way between two ports.
        how: where time was, such as ``in virtual time``.
    """
    shown = [fact("invalid", why=run.invalid)] if run.invalid else facts(programs, streams)
    top = header(one_line(run.title), f"acklab run: programs {how}", "", quick=False)
    body = [top, f"{listed(shown)}</header><main>"]
    body += [_program(one) for one in programs]
    largest = sorted(streams, key=lambda row: -row["bytes"])[:MOST_STREAMS]
    more = (
        f'<p class="note">... and {len(streams) - MOST_STREAMS} more; programs.json has them all.</p>'
        if len(streams) > MOST_STREAMS
        else ""
    )
    if streams:
        note = '<p class="note">Packets one way between two ports. Delays are from a packet\'s first queue to its arrival.</p>'
        body.append(f'<section class="card"><h2>Streams</h2>{_table(STREAM_COLUMNS, largest)}{more}{note}</section>')
    body.append(
        f'<section class="card"><h2>Links</h2>{_table(link_columns(summary["links"]), summary["links"])}</section>'
    )
    viewer = None
    charts = OF_PACKETS if run.packets.height else OF_QUEUES if run.queue.height else ()
    if charts:
        viewer = manifest([run], charts=charts, words=False)
        body.insert(2 + len(programs), VIEWER)
    return document(one_line(run.title) or "acklab run", "".join(body) + "</main>", viewer=viewer)


def facts(programs: Sequence[Program], streams: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """Programs that failed, how long the longest of the others took, and the stream with most payload."""
    failed = [one for one in programs if not one["stopped"] and one["status"] != 0]
    shown = [
        fact("program-failed", node=one["at"], status=one["status"], run=one_line(one["run"])[:100]) for one in failed
    ]
    times = [
        (one["ended_s"] - one["started_s"], one["at"])
        for one in programs
        if not one["is_server"] and None not in (one["started_s"], one["ended_s"])
    ]
    shown += [fact("program-took", node=node, took=took) for took, node in sorted(times)[-1:]]
    largest = max(streams, key=lambda row: row["payload_bytes"], default=None)
    if largest is not None and largest["last_s"] > largest["first_s"]:
        rate = 8 * largest["payload_bytes"] / (largest["last_s"] - largest["first_s"])
        shown.append(fact("stream", name=one_line(largest["name"]), payload=largest["payload_bytes"], rate=rate))
    return shown


def _ended(one: Program) -> str:
    if one["started_s"] is None:
        return "never began"
    if one["stopped"]:
        return "stopped at the run's end"
    return f"failed, exit status {one['status']}" if one["status"] != 0 else "ended with exit status 0"


def _program(one: Program) -> str:
    """A program: its command, its times, the end of its output."""
    spans = [
        f"{name} at {one[key]:.6f} s"
        for name, key in (("began", "started_s"), ("ready", "ready_s"), ("ended", "ended_s"))
        if one[key] is not None
    ]
    output = one["output"]
    cut = (
        f'<p class="note">The last {MOST_OUTPUT:,} of {len(output):,} characters; programs.json has more.</p>'
        if len(output) > MOST_OUTPUT
        else ""
    )
    said = "\n".join(esc(one_line(line)) for line in output[-MOST_OUTPUT:].splitlines())
    printed = (
        f'<details class="scenario" open><summary>what it printed</summary><pre>{said}</pre></details>{cut}'
        if said
        else '<p class="note">It printed nothing.</p>'
    )
    return (
        f'<section class="card"><h2>{esc(one_line(one["at"]))}: {_ended(one)}</h2><p><code>{esc(one_line(one["run"]))}</code></p>'
        f'<p class="note">{esc(", ".join(spans))}</p>{printed}</section>'
    )


def _table(columns: Columns, rows: Sequence[Mapping[str, Any]]) -> str:
    return table(
        [esc(head) for head, _ in columns], [[esc(cell(row)) for _, cell in columns] for row in rows], ["text"]
    )
