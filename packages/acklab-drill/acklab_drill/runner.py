"""A script's run against a host: events in order, each with what became of it (packetdrill's ``run.c``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from . import code
from .match import Stamps, difference, joined, joins, lateness
from .script import TOLERANCE_PERCENT, TOLERANCE_US, Call, Code, Command, Event, Packet, Script, seconds

#: How long after its time a packet is waited for, in microseconds: what comes too late is shown.
PATIENCE_US = 3_000_000


class Unsupported(Exception):
    """What the host cannot do; the script cannot be judged."""


class Host(Protocol):
    """What a script runs against. Times are in microseconds since the script's start."""

    def now(self) -> int:
        """The time."""

    def wait(self, until: int) -> None:
        """Lets time pass."""

    def inject(self, packet: Packet) -> None:
        """A packet arrives at the host."""

    def sniff(self, until: int) -> tuple[int, Packet] | None:
        """The next packet that leaves, and when; lets time pass until then, at most until `until`."""

    def call(self, call: Call, until: int | None) -> str | None:
        """The application calls; what is wrong with the outcome. With `until` it may block, and :meth:`finish` judges."""

    def finish(self) -> tuple[int, str | None] | None:
        """Waits for the call that blocks, if one does: when it returned, and what is wrong with its outcome."""

    def command(self, text: str) -> list[str]:
        """Applies a command's ``sysctl`` settings; what is not run."""

    def info(self) -> Mapping[str, float]:
        """``tcpi_`` values of the connection."""


@dataclass
class Line:
    """What became of one event."""

    line: int
    text: str
    outcome: str = "not reached"  # or passed, failed
    at: float | None = None
    why: str | None = None
    actual: str | None = None


@dataclass
class Outcome:
    """What became of a script."""

    script: str
    #: ``passed``, ``failed`` or ``unsupported``.
    outcome: str = "passed"
    lines: list[Line] = field(default_factory=list)
    #: What cannot be done, as ``line:column: what``.
    unsupported: list[str] = field(default_factory=list)
    #: What was not run, and what the script prints.
    notes: list[str] = field(default_factory=list)

    def told(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


class _Failed(Exception):
    def __init__(self, why: str, actual: str | None = None) -> None:
        super().__init__(why)
        self.actual = actual


class Runner:
    """Runs one script."""

    def __init__(self, script: Script, host: Host) -> None:
        self.script, self.host = script, host
        self.stamps = Stamps()
        self.variables: dict[str, Any] = {}
        self.outcome = Outcome(script.name, lines=[Line(event.line, str(event)) for event in script.events])
        #: The last event's time, and whether that was an arrival, whose time is exact.
        self.last, self.last_arrived = 0, False
        self.blocked: tuple[Event, Line, int, int] | None = None

    def run(self) -> Outcome:
        """Runs the script until a line fails."""
        if self.script.unsupported:
            self.outcome.outcome = "unsupported"
            self.outcome.unsupported = [f"{line}:{column}: {what}" for line, column, what in self.script.unsupported]
            return self.outcome
        line = self.outcome.lines[0]
        event = self.script.events[0]
        try:
            for event, line in zip(self.script.events, self.outcome.lines, strict=True):
                self.event(event, line)
            self.unblock()
            self.surplus()
        except _Failed as failed:
            if self.blocked and self.blocked[1].outcome == "failed":
                line = self.blocked[1]
            line.outcome, line.why, line.actual = "failed", str(failed), failed.actual
            line.at = self.host.now() / 1e6 if line.at is None else line.at
            self.outcome.outcome = "failed"
        except Unsupported as cannot:
            self.outcome.outcome = "unsupported"
            self.outcome.unsupported = [f"{event.line}:{event.column}: {cannot}"]
        return self.outcome

    def event(self, event: Event, line: Line) -> None:
        what, when = event.what, event.when
        arrives = isinstance(what, Packet) and what.inbound
        if isinstance(what, Call):
            self.unblock()
        base = self.last if arrives and self.last_arrived else self.host.now()
        due = when.start + (base if when.relative else 0)
        if when.any:
            due = base
        if isinstance(what, Packet) and not what.inbound:
            line.at = self.depart(event, what, base, due) / 1e6
        else:
            self.host.wait(due)
            line.at = self.host.now() / 1e6
            if isinstance(what, Packet):
                self.arrive(what)
            elif isinstance(what, Call):
                self.call(event, line, what, base)
            elif isinstance(what, Command):
                self.outcome.notes += [f"{event.line}: not run: {text}" for text in self.host.command(what.text)]
            else:
                self.check(what, event.line)
        self.last, self.last_arrived = due, arrives
        if self.blocked is None or self.blocked[1] is not line:
            line.outcome = "passed"

    def surplus(self) -> None:
        """Notes what left by now and no line expects: no failure, as in packetdrill."""
        found = []
        while (more := self.host.sniff(self.host.now())) is not None:
            found.append(f"{seconds(more[0])} {more[1]}")
        if found:
            self.outcome.notes.append(
                f"after the last line: {len(found)} packets that no line expects, first {found[0]}"
            )

    def tolerance(self, due: int, since: int | None = None) -> float:
        percent = self.script.number("tolerance_percent", TOLERANCE_PERCENT)
        since = self.last if since is None else since
        return max(self.script.number("tolerance_usecs", TOLERANCE_US), percent / 100 * (due - since))

    def arrive(self, packet: Packet) -> None:
        try:
            packet = self.stamps.echo(packet, "tcp_ts_ecr_scaled" in self.script.options)
            self.host.inject(packet)
        except ValueError as error:
            raise _Failed(str(error)) from None

    def depart(self, event: Event, expected: Packet, base: int, due: int) -> int:
        end = due if event.when.end is None else event.when.end + (base if event.when.relative else 0)
        until = max(end, self.host.now()) + PATIENCE_US
        found = self.host.sniff(until * 100 if event.when.any else until)
        if found is None:
            raise _Failed(f"no packet left by {seconds(until)}")
        at, actual = found
        strict = "strict_segments" in self.script.options
        while actual.length < expected.length and actual.seq == expected.seq and not strict:
            more = self.host.sniff(self.host.now())
            if more is None:
                break
            if not joins(expected, actual, more[1]):
                shown = self.stamps.learn(expected, actual)
                raise _Failed(
                    f"{difference(expected, shown, -1) or 'it differs'}; next {more[1]}",
                    f"{seconds(at)} {_as_compared(expected, shown)}",
                )
            actual = joined(actual, more[1])
        actual = self.stamps.learn(expected, actual)
        if "S" in expected.flags and not actual.seq:
            # Whatever number the script begins with is where this connection begins.
            actual = replace(actual, seq=expected.seq)
        tolerance = self.tolerance(due)
        tick = self.script.number("tcp_ts_tick_usecs", 0)
        wrong: str | None = difference(expected, actual, tolerance / tick if tick else -1)
        wrong = wrong or lateness(event.when, base, at, tolerance)
        if wrong:
            raise _Failed(wrong, f"{seconds(at)} {_as_compared(expected, actual)}")
        return at

    def call(self, event: Event, line: Line, call: Call, base: int) -> None:
        until = call.until
        if until is not None:
            until += base if event.when.relative else 0
        wrong = self.host.call(call, until)
        if until is not None:
            self.blocked = (event, line, until, self.host.now())
        elif wrong:
            raise _Failed(wrong)

    def unblock(self) -> None:
        """Waits for the call that blocks, and judges it."""
        if self.blocked is None:
            return
        _, line, until, since = self.blocked
        found = self.host.finish()
        at, wrong = found if found else (self.host.now(), "it has not returned")
        # Of the time that the call takes, whatever happens meanwhile.
        tolerance = self.tolerance(until, since)
        line.at = at / 1e6
        if not wrong and abs(at - until) > tolerance:
            wrong = f"time: return at {seconds(until)} expected, at {seconds(at)} happened"
        if wrong:
            line.outcome = "failed"
            raise _Failed(wrong)
        line.outcome, self.blocked = "passed", None

    def check(self, block: Code, number: int) -> None:
        info = self.host.info()
        for name in sorted(code.names(block.text) - set(info)):
            raise Unsupported(f"{name}, which this host does not tell")
        wrong, printed = code.run(block.text, info, self.variables)
        self.outcome.notes += [f"{number}: {text}" for text in printed]
        if wrong:
            raise _Failed(wrong)


def _as_compared(expected: Packet, actual: Packet) -> Packet:
    """The packet that left, with what was compared and no more."""
    return replace(
        actual,
        window=None if expected.window is None else actual.window,
        ecn=actual.ecn if expected.ecn else None,
        options=None if expected.options is None else actual.options,
    )


def judged(script: Script, host: Host) -> Outcome:
    """Runs a script against a host."""
    return Runner(script, host).run()
