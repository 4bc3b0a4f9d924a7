"""Flows, and the scenario that holds them; field for field the scenario file.

Units are texts: rates ``"1.5Mbps"``, times ``"45ms"``, sizes ``"200kB"`` (1 kB = 1000 B, 1 KiB = 1024 B).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from . import _toml
from ._part import Part
from .network import Link, Topology
from .rules import Receiver, Sender, Stack


@dataclass(kw_only=True, repr=False)
class Size(Part):
    """How much a flow sends; exactly one must be given."""

    segments: int | None = None
    """Full segments."""
    bytes: str | None = None
    """Payload bytes, such as ``"200kB"``."""


@dataclass(kw_only=True, repr=False)
class Repeat(Part):
    """A transfer that starts again, on a new connection."""

    times: int
    """Transfers in all."""
    think: str | None = None
    """Pause between the end of one and the start of the next, a time."""


@dataclass(kw_only=True, repr=False)
class Flow(Part):
    """One transfer, or ``count`` like ones."""

    _keys: ClassVar[dict[str, str]] = {"from_": "from"}

    name: str | None = None
    """Unique; left out: ``flow0``, ``flow1`` ... by position."""
    from_: str
    """The sender's node (``from`` in the file, which Python reserves)."""
    to: str
    """The receiver's node."""
    start: str | None = None
    """When it starts, a time."""
    size: Size | Mapping[str, Any] | Literal["unlimited"] | None = None
    """How much it sends; left out: ``"unlimited"``."""
    count: int | None = None
    """How many flows this stands for; the k-th is called name + k."""
    stagger: str | None = None
    """The k-th of the count starts k times this later, a time."""
    repeat: Repeat | Mapping[str, Any] | None = None
    """Whether the transfer starts again after it finished."""
    sender: Sender | Mapping[str, Any] | None = None
    """The sender's rules; left out: stack ``rfc``."""
    receiver: Receiver | Mapping[str, Any] | None = None
    """The receiver's rules; left out: stack ``rfc``."""


@dataclass(kw_only=True, repr=False)
class Stop(Part):
    """When the run ends: ``Stop(at="60s")``, or when all flows are complete, at ``at_most`` in any case."""

    when: Literal["flows-complete"] | None = None
    at_most: str | None = None
    """Latest end, a time; left out: ``"1000s"``."""
    at: str | None = None
    """The end, a time."""


@dataclass(kw_only=True, repr=False)
class Record(Part):
    """What is recorded besides the summary; what is off costs nothing."""

    series: bool | None = None
    """The senders' state at each change."""
    queue: bool | None = None
    """Queue lengths at each change."""
    packets: bool | None = None
    """Every packet event on every link."""


@dataclass(kw_only=True, repr=False)
class Scenario(Part):
    """A whole experiment, one to one with the scenario file.

    >>> from acklab.scenario import Link, Queue
    >>> two_hops = Scenario(
    ...     links=[Link(between=("S", "R"), rate="1.5Mbps", delay="50ms", queue=Queue(packets=20))],
    ...     flows=[Flow(from_="S", to="R", size=Size(segments=200))],
    ... )
    >>> print(two_hops.to_toml().splitlines()[1])
    [[link]]
    """

    _keys: ClassVar[dict[str, str]] = {"links": "link", "flows": "flow", "stacks": "stack"}

    title: str | None = None
    """For people."""
    seed: int | None = None
    """Names every random stream, together with the component that draws from it; left out: 1."""
    stop: Stop | Mapping[str, Any] | None = None
    """When the run ends; left out: when all flows are complete, at 1000 s in any case."""
    topology: Topology | Mapping[str, Any] | None = None
    """A shorthand for links."""
    links: Sequence[Link | Mapping[str, Any]] | None = None
    flows: Sequence[Flow | Mapping[str, Any]] | None = None
    stacks: Mapping[str, Stack | Mapping[str, Any]] | None = None
    """Derived stacks by name."""
    record: Record | Mapping[str, Any] | None = None
    """What is recorded besides the summary."""

    def to_toml(self) -> str:
        """The scenario file's text.

        Raises:
            TypeError: a value is of a kind a scenario file does not have.
        """
        return _toml.dumps(self.to_dict())
