"""The zoo's tables, from its rows: the terminal, the page and the documentation show the same cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .paths import PATHS

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """A table: a name, a title, a sentence on how to read it, and cells as text."""

    name: str
    title: str
    about: str
    heads: list[str]
    cells: list[list[str]]

    def markdown(self) -> str:
        """The table as documentation has it."""
        lines = [self.heads, ["---"] * len(self.heads), *self.cells]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tables(rows: Sequence[Row]) -> list[Table]:
    """The tables that the rows fill."""
    own = [row for row in rows if row["sender"] == row["receiver"]]
    by = {(row["receiver"], row["path"]): row for row in own}
    names = list(dict.fromkeys(row["receiver"] for row in own))
    made = [
        _acks(names, by),
        _answers(names, by),
        _losses(names, by),
        _senders(names, by),
        *_matrices(rows),
        _runs(names, by),
    ]
    return [table for table in made if table is not None and table.cells]


def _number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _cell(by: Mapping[tuple[str, str], Row], name: str, path: str, shown: Callable[[Row], str]) -> str:
    """A cell, or why there is none."""
    row = by.get((name, path))
    if row is None:
        return ""
    return "failed" if "error" in row else shown(row)


def _rows(
    names: Iterable[str], by: Mapping[tuple[str, str], Row], columns: Sequence[tuple[str, str, Callable[[Row], str]]]
) -> tuple[list[str], list[list[str]]]:
    """Heads and cells of the columns whose paths were run."""
    there = [column for column in columns if any((name, column[1]) in by for name in names)]
    heads = ["stack", *(head for head, *_ in there)]
    return heads, [
        [name, *(_cell(by, name, path, shown) for _, path, shown in there)] for name in names
    ] if there else []


def _paths(by: Mapping[tuple[str, str], Row], *names: str) -> str:
    """Which of these paths were run, as a sentence."""
    run = {path for _, path in by}
    return f"Paths: {', '.join(name for name in names if name in run)}."


def _per_ack(key: str) -> Callable[[Row], str]:
    return lambda row: _number(row.get(key), 2)


def _acks(names: Sequence[str], by: Mapping[tuple[str, str], Row]) -> Table:
    heads, cells = _rows(names, by, [
        ("first two round trips", "plain", _per_ack("per_ack_first")),
        ("until the link is busy", "plain", _per_ack("per_ack_filling")),
        ("then", "plain", _per_ack("per_ack_steady")),
        ("most", "plain", lambda row: "-" if row.get("most_per_ack") is None else str(row["most_per_ack"])),
        ("100 Mb/s", "fast", _per_ack("per_ack")),
        ("600 ms", "geo", _per_ack("per_ack")),
        ("bytes of an ACK", "plain", lambda row: _number(row.get("ack_bytes"), 0)),
    ])  # fmt: skip
    about = "Data packets that arrive, for one packet back; bytes from the header of IP on. " + _paths(
        by, "plain", "fast", "geo"
    )
    return Table("acks", "Packets an ACK", about, heads, cells)


def _share(kind: str) -> Callable[[Row], str]:
    def shown(row: Row) -> str:
        count = row.get(f"{kind}_packets", 0)
        return f"{round(count * row[f'{kind}_at_once'])} of {count}" if count else "none came"

    return shown


def _lone(row: Row) -> str:
    if row.get("lone_p50_ms") is None:
        return "-"
    return f"{row['lone_p50_ms']:.2f} ({row['lone_min_ms']:.2f} to {row['lone_max_ms']:.2f})"


def _answers(names: Sequence[str], by: Mapping[tuple[str, str], Row]) -> Table:
    heads, cells = _rows(names, by, [
        ("ACK of a lone packet after ms", "lone", _lone),
        ("oldest packet held, ms: median, most", "plain", lambda row: f"{row['held_p50_ms']:.2f}, {row['held_max_ms']:.2f}"),
        ("a gap opens: at once", "burst-loss", _share("gap")),
        ("a late packet: at once", "late", _share("late")),
        ("a gap opens by reordering: at once", "late", _share("gap")),
        ("CE: at once", "marks", _share("ce")),
        ("packets with ECT, %", "plain", lambda row: _number(100 * row["ect_share"], 0)),
    ])  # fmt: skip
    about = "At once is an ACK within a millisecond and before the next data packet. " + _paths(
        by, "lone", "plain", "burst-loss", "late", "marks"
    )
    return Table("answers", "When an ACK leaves", about, heads, cells)


#: Paths whose times stand beside that of ``plain``.
_TIMED = ("plain", "thin-4", "thin-16", "slow-back", "one-loss", "burst-loss", "late", "shallow", "codel")


def _losses(names: Sequence[str], by: Mapping[tuple[str, str], Row]) -> Table:
    columns = [(path, path, lambda row: _number(row["completion_s"], 3)) for path in _TIMED]
    heads, cells = _rows(names, by, columns)
    about = "Seconds for 2 MB at 10 Mb/s, from the client's first packet to its last byte: the payload alone takes the link 1.6 s."
    return Table("times", "What the path does to a download", about, heads, cells)


def _burst(row: Row) -> str:
    return f"{row['burst_p50']:.0f}, {row['burst_p95']:.0f}, {row['burst_max']:.0f}"


def _lost(row: Row) -> str:
    return f"{row['sent']} / {row['sent'] - row['packets']}"


def _senders(names: Sequence[str], by: Mapping[tuple[str, str], Row]) -> Table:
    heads, cells = _rows(names, by, [
        ("burst: median, 95 %, most", "plain", _burst),
        ("with thin-16", "thin-16", _burst),
        ("at 100 Mb/s", "fast", _burst),
        ("100 Mb/s: 5 MB in s", "fast", lambda row: _number(row["completion_s"], 3)),
        ("600 ms: 4 MB in s", "geo", lambda row: _number(row["completion_s"], 2)),
        ("shallow: sent / lost", "shallow", _lost),
        ("codel: sent / lost", "codel", _lost),
    ])  # fmt: skip
    about = "A burst is the packets that leave the server within 0.1 ms of each other."
    return Table("senders", "The same stacks as senders", about, heads, cells)


def _matrices(rows: Sequence[Row]) -> list[Table]:
    """For each path with mixed pairs, and those that speak with each other: senders down, receivers across."""
    mixed = [row for row in rows if row["sender"] != row["receiver"]]
    made = []
    for path in dict.fromkeys(row["path"] for row in mixed):
        by = {(row["sender"], row["receiver"]): row for row in rows if row["path"] == path}
        groups: list[dict[str, None]] = []
        for row in mixed:
            if row["path"] == path:
                pair = dict.fromkeys((row["sender"], row["receiver"]))
                met = [group for group in groups if group.keys() & pair.keys()]
                groups = [group for group in groups if group not in met]
                groups.append({name: None for group in [*met, pair] for name in group})
        for number, names in enumerate(groups, 1):
            cells = [[f"from {name}", *(_pair(by.get((name, to))) for to in names)] for name in names]
            about = f"Packets an ACK / seconds. Path: {path}, {PATHS[path].about}."
            table = f"matrix-{path}" + (f"-{number}" if number > 1 else "")
            made.append(
                Table(table, f"Senders by receivers: {path}", about, ["", *(f"to {name}" for name in names)], cells)
            )
    return made


def _pair(row: Row | None) -> str:
    if row is None:
        return ""
    return "failed" if "error" in row else f"{row['per_ack']:.2f} / {row['completion_s']:.2f}"


def _runs(names: Sequence[str], by: Mapping[tuple[str, str], Row]) -> Table | None:
    cells = []
    for name in names:
        mine = [row for (receiver, _), row in by.items() if receiver == name]
        counts = Counter(row.get("boots", 1) for row in mine)
        shown = ", ".join(f"{boots}: {counts[boots]}" for boots in sorted(counts))
        repeated = [row for row in mine if row.get("boots", 1) > 1]
        differ = [row["path"] for row in repeated if not row["same"]]
        same = f"{len(repeated) - len(differ)} of {len(repeated)}" if repeated else "-"
        spent = _cell(by, name, "plain", lambda row: _number(row.get("processor_s")))
        whole = [row["processor_s"] for row in mine if "processor_s" in row]
        every = _number(sum(whole)) if len(whole) == len(mine) else "-"
        cells.append(
            [name, str(mine[0].get("version", "-")), str(mine[0].get("linux", "-")), shown, same, spent, every]
        )
    heads = [
        "stack",
        "version",
        "Linux",
        "boots: runs",
        "the same bytes",
        "processor s of plain",
        "of its runs, once each",
    ]
    return Table(
        "runs",
        "The runs",
        "Of the runs booted several times, those in which the client saw the same packets, byte for byte, at the same times.",
        heads,
        cells,
    )
