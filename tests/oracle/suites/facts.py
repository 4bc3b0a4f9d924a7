"""The tests of ns-2.35's own suites as facts: `NAME.toml` beside this file says each test's links, flows, options and drops.

A test names its `net`; its flows' options are `scripts/lib.tcl`'s words, with ns-2.35's defaults where left out. `every` holds
what all flows of a file have in common. No line of a suite's program is here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Link:
    """One direction: nodes, bits a second, seconds, ns-2's queue limit; `red` are RED's parameters, None is drop-tail."""

    near: str
    far: str
    rate: float
    delay: float
    limit: int
    red: dict[str, float] | None = None


@dataclass(frozen=True)
class Flow:
    """One transfer; `options` are lib.tcl's words. `amount`: None without end, else segments or (with `in_bytes`) bytes.

    `more`: segments that the application adds later, each with its time.
    """

    near: str
    far: str
    kind: str
    ack: str
    start: float
    amount: int | None
    in_bytes: bool
    fid: int
    more: tuple[tuple[float, int], ...]
    options: dict[str, str]


@dataclass(frozen=True)
class Held:
    """Packets of a flow on a link, counted from 0: lost, held back for some seconds, or marked. The last of several sees packets first."""

    near: str
    far: str
    flow: int
    packets: tuple[int, ...]
    delay: float | None
    mark: bool


@dataclass(frozen=True)
class Test:
    suite: str
    name: str
    nodes: tuple[str, ...]
    links: tuple[Link, ...]
    flows: tuple[Flow, ...]
    held: tuple[Held, ...]
    until: float
    plots: tuple[dict[str, Any], ...] = field(default=())

    __test__ = False

    @property
    def id(self) -> str:
        return f"{self.suite}/{self.name}"

    @property
    def exact(self) -> bool:
        """Whether times are compared to the last bit; else, where packets are held back, to the microsecond of ns-2's trace."""
        return all(held.delay is None for held in self.held)


def suites() -> list[str]:
    """The suites with facts."""
    return sorted(path.stem for path in HERE.glob("*.toml"))


def _links(net: dict[str, Any]) -> tuple[Link, ...]:
    """Both directions of each row. A row that ends in "RED" has that queue, of the parameters `red`, and back `red_back` if given."""
    found = []
    for a, b, rate, delay, *rest in net["links"]:
        name = rest.pop().lower() if isinstance(rest[-1], str) else ""
        early = (net[name], net.get(f"{name}_back", net[name])) if name else (None, None)
        limits = [int(limit) for limit in rest]
        ends = ((a, b), (b, a))
        for (near, far), limit, red in zip(ends, limits if len(limits) == 2 else limits * 2, early, strict=True):
            found.append(Link(near, far, float(rate), float(delay), limit, red))
    return tuple(found)


def _flow(table: dict[str, Any], number: int, every: dict[str, Any]) -> Flow:
    known = {"from", "to", "kind", "ack", "start", "segments", "bytes", "fid", "more"}
    options = {key: value for key, value in {**every, **table}.items() if key not in known}
    amount = table.get("segments", table.get("bytes"))
    return Flow(
        table["from"], table["to"], table["kind"], table.get("ack", "each"), float(table["start"]), amount, "bytes" in table,
        table.get("fid", number), tuple((float(at), int(segments)) for at, segments in table.get("more", [])),
        {key: _text(value) for key, value in options.items()},
    )  # fmt: skip


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _held(table: dict[str, Any]) -> Held:
    near, far = table["on"]
    return Held(
        near,
        far,
        table.get("flow", 0),
        tuple(table["packets"]),
        float(table["by"]) if "by" in table else None,
        table.get("mark", False),
    )


def tests(suite: str) -> list[Test]:
    """A suite's tests, in its order."""
    tree = tomllib.loads((HERE / f"{suite}.toml").read_text())
    found = []
    for table in tree.get("test", []):
        net = tree["net"][table["net"]]
        flows = tuple(_flow(flow, number, tree.get("every", {})) for number, flow in enumerate(table["flow"]))
        held = [_held(one) for one in table.get("held", [])]
        found.append(
            Test(suite, table["name"], tuple(net["nodes"]), _links(net), flows, tuple(held), float(table["until"]),
                 tuple(table.get("plots", tree.get("plots", []))))
        )  # fmt: skip
    return found


def cannot(suite: str) -> dict[str, str]:
    """What acklab cannot express: a reason for each of the suite's other tests."""
    tree = tomllib.loads((HERE / f"{suite}.toml").read_text())
    return {name: group["why"] for group in tree.get("cannot", []) for name in group["tests"]}
