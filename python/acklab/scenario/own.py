"""ACK policies and congestion controls of your own, in Python.

A class here is one side's algorithm. The simulator calls its methods; it sends nothing by itself. A scenario names it
(``ack = { policy = "python", name = "mine" }``, ``control = { kind = "python", name = "mine" }``), and the program passes
it: ``acklab.run(scenario, policies={"mine": Mine})``. The builder takes the class itself: ``Receiver(ack=Mine)``.

Times are in seconds. Windows and sequence numbers count units: bytes, or segments under ``sequence = "segments"``.
"""

from __future__ import annotations

import os
import runpy
import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

from .._core import AckEvent, Arrival, Departure, Emission, LostSegment, Window, expanded
from ..text.input import loads

__all__ = ["AckEvent", "AckPolicy", "Arrival", "CongestionControl", "Departure", "Emission", "LostSegment", "Window"]


class AckPolicy:
    """When a receiver acknowledges. Subclasses define :meth:`on_segment`; each connection has an instance of its own.

    An answer is an :class:`acklab.Emission`. A time in it must not be past. The receiver always acknowledges a SYN, and each
    ACK covers all that has arrived.

    >>> import acklab
    >>> class EveryNth(acklab.AckPolicy):
    ...     def __init__(self, every=4):
    ...         self.every, self.held = every, 0
    ...     def on_segment(self, arrival):
    ...         self.held += 1
    ...         if not arrival.in_order or self.held >= self.every:
    ...             return acklab.Emission.now()
    ...         return acklab.Emission.by(arrival.now_s + 0.1)
    ...     def on_ack_sent(self, now_s):
    ...         self.held = 0
    >>> text = '''
    ... link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms" }]
    ... flow = [{ from = "S", to = "R", size = { segments = 100 },
    ...           receiver = { ack = { policy = "python", name = "nth", parameters = { every = 8 } } } }]
    ... '''
    >>> flow = acklab.run(text, policies={"nth": EveryNth}).summary()["flows"][0]
    >>> flow["completed"], flow["acks_sent"] < 30
    (True, True)
    """

    def on_segment(self, arrival: Arrival) -> Emission:
        """A segment arrived and is reassembled."""
        raise NotImplementedError(f"{type(self).__name__} defines no on_segment")

    def on_timer(self, now_s: float) -> Emission:
        """The time of an earlier answer has come; without a definition, an ACK at once."""
        return Emission.now()

    def on_ack_sent(self, now_s: float) -> None:
        """An ACK left; it covers everything that had arrived."""

    def on_probe_sent(self, now_s: float) -> Emission:
        """The keep-alive of an earlier ``Emission.probe`` left; without a definition, nothing follows."""
        return Emission.nothing()

    def on_reply(self, number: int, now_s: float) -> None:
        """The sender has answered the keep-alive of this number."""

    def window_estimate(self, now_s: float) -> float | None:
        """Estimate of the sender's window in segments, for recorded series; None where there is none."""
        return None


class CongestionControl:
    """What ACKs and congestion do to the sender's window. Subclasses define :meth:`on_congestion`.

    Each connection has an instance of its own. A method that is handed a :class:`acklab.Window` may set its ``cwnd`` (a segment
    at least) and ``ssthresh`` (above 0), except in :meth:`on_congestion`, which answers instead.

    >>> import acklab
    >>> class Gentle(acklab.CongestionControl):
    ...     def on_congestion(self, signal, in_use, window):
    ...         return 0.8 * in_use
    >>> text = '''
    ... link = [{ between = ["S", "R"], rate = "1.5Mbps", delay = "50ms", queue = { kind = "drop-tail", packets = 10 } }]
    ... flow = [{ from = "S", to = "R", size = { segments = 500 }, sender = { control = { kind = "python", name = "gentle" } } }]
    ... '''
    >>> acklab.run(text, controls={"gentle": Gentle}).summary()["flows"][0]["completed"]
    True
    """

    needs: ClassVar[Literal["credit", "round-trips", "deliveries", "losses"]] = "round-trips"
    """Which inputs it gets: ``credit``, :meth:`grow` and signals alone; ``round-trips``, also :meth:`on_ack`; ``deliveries``, also
    each departure, and the delivery rate; ``losses``, also :meth:`on_lost`. Deliveries need a recovery that reports losses:
    ``rfc6675``, ``fack``, ``rack`` or ``rfc9002``. Losses need one that judges each segment: ``rack`` or ``rfc9002``."""

    owns_window: ClassVar[bool] = False
    """Whether it alone moves ``cwnd``: it gets no credit, and no recovery and no idle time moves the window. It needs
    ``recovery = "rack"``."""

    def on_ack(self, ack: AckEvent, window: Window) -> None:
        """An ACK arrives: called once, after the recovery has judged it, and before it, a mark or a loss moves the window."""

    def on_lost(self, lost: LostSegment, window: Window) -> None:
        """A segment is found lost; called with ``needs = "losses"`` only. Those that an ACK shows come before its :meth:`on_ack`."""

    def grow(self, credit: float, window: Window) -> None:
        """Moves the window for ``credit`` units, more than 0; without a definition, as the standard does (RFC 5681)."""
        window.grow_by_standard(credit)

    def on_sent(self, departure: Departure, window: Window) -> None:
        """A segment with data leaves; called with ``needs = "deliveries"`` or ``"losses"`` only."""

    def on_congestion(
        self, signal: Literal["loss", "timeout", "mark", "idle"], in_use: float, window: Window
    ) -> float | tuple[float, float]:
        """What remains of a window of which ``in_use`` units were used: one number, or ``(cwnd, ssthresh)``.

        The stack's rules of rounding come on top. After a timeout, and after an idle time, ``cwnd`` is a segment whatever is
        answered; after an idle time ``ssthresh`` stays.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no on_congestion")

    def undo(self, before: tuple[float, float], window: Window) -> None:
        """The last reduction was spurious; ``before`` is (cwnd, ssthresh) before it, which are restored without a definition."""
        window.cwnd = max(window.cwnd, before[0])
        window.ssthresh = max(window.ssthresh, before[1])

    def pacing_rate(self) -> float | None:
        """Segments a second that may leave, asked with ``needs = "deliveries"`` or ``"losses"``; None sets no pace."""
        return None

    def send_quantum(self) -> int:
        """Segments that leave at once before the pace makes the next ones wait, from 1."""
        return 1

    def limits_itself(self) -> bool:
        """Whether it now holds the window down by itself, so that measured rates do not show what the path carries."""
        return False

    def estimate(self) -> tuple[float, float] | None:
        """Backlog in segments and base round trip in seconds, for recorded series; None where there is no estimate."""
        return None


Policies = Mapping[str, Callable[..., AckPolicy]]
"""ACK policies by the names that scenarios use: classes, or functions that return a new instance."""

Controls = Mapping[str, Callable[..., CongestionControl]]
"""Congestion controls by the names that scenarios use: classes, or functions that return a new instance."""


PolicyClass = type[AckPolicy]
"""What the builder takes as ``Receiver(ack=...)``."""

ControlClass = type[CongestionControl]
"""What the builder takes as ``Sender(control=...)``."""


def is_own(value: Any) -> bool:
    """Whether ``value`` is an algorithm in Python, or an instance of one."""
    kind = value if isinstance(value, type) else type(value)
    return issubclass(kind, (AckPolicy, CongestionControl))


class Own:
    """The algorithms in Python that a program passes to a run, by name; also those that stand in a scenario's tree themselves."""

    def __init__(self, policies: Policies | None = None, controls: Controls | None = None) -> None:
        self.policies: dict[str, Any] = dict(policies or {})
        self.controls: dict[str, Any] = dict(controls or {})

    @classmethod
    def of_file(cls, path: str) -> Own:
        """The algorithms that a Python file defines, by their classes' names. The file is run.

        Raises:
            ValueError: it defines none, or running it fails.
        """
        if not os.path.exists(path):
            raise ValueError("no such file")
        try:
            module = runpy.run_path(path)
        except Exception as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error
        found = [
            value
            for value in module.values()
            if is_own(value) and isinstance(value, type) and value.__module__ == "<run_path>"
        ]
        if not found:
            raise ValueError("it defines no subclass of acklab.AckPolicy or acklab.CongestionControl")
        kinds: list[dict[str, Any]] = [
            {kind.__name__: kind for kind in found if issubclass(kind, base)} for base in (AckPolicy, CongestionControl)
        ]
        return cls(*kinds)

    def warn_of_unused(self, text: str | bytes, file: str, sets: list[str]) -> None:
        """Warns of those that no flow of a scenario names."""
        if not self.policies and not self.controls:
            return
        flows = loads(expanded(text, file=file, sets=sets)).get("flow", [])
        for argument, given, rules in (
            ("policies", self.policies, [flow["receiver"]["ack"] for flow in flows]),
            ("controls", self.controls, [flow["sender"]["control"] for flow in flows]),
        ):
            named = {rule.get("name") for rule in rules if "python" in rule.values()}
            for name in given.keys() - named:
                has = f"it names {', '.join(sorted(named))}" if named else "it names none"
                warnings.warn(
                    f"{argument}: no flow of the scenario names {name}, so it is not used; {has}", stacklevel=3
                )

    @staticmethod
    def named(own: Own | None, given: Any) -> dict[str, Any]:
        """The table that names ``given``, which ``own`` then has.

        Raises:
            TypeError: it is an instance, which could serve one connection only; or ``own`` is missing.
        """
        if not isinstance(given, type):
            name = type(given).__name__
            raise TypeError(f"give the class {name} itself, not an instance: each connection has its own")
        name = given.__name__
        if own is None:
            raise TypeError(
                f"{name} is Python code, which no scenario file holds; acklab.run, simulation and run_batch take it"
            )
        table, tag = (own.policies, "policy") if issubclass(given, AckPolicy) else (own.controls, "kind")
        if table.setdefault(name, given) is not given:
            raise TypeError(f"two different algorithms are called {name}; rename one, or pass both by name")
        return {tag: "python", "name": name}
