"""What a script says: options, and events with their times. Times are in microseconds since the script's start."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: packetdrill's default tolerances: microseconds, and percent of the time since the event before.
TOLERANCE_US, TOLERANCE_PERCENT = 4000, 12.5


@dataclass(frozen=True)
class When:
    """When an event is due: at ``start``, or until ``end``; ``any`` for no matter when."""

    start: int = 0
    end: int | None = None
    relative: bool = False
    any: bool = False

    def __str__(self) -> str:
        sign = "+" if self.relative else ""
        until = "" if self.end is None else f"~{sign}{seconds(self.end)}"
        return "*" if self.any else f"{sign}{seconds(self.start)}{until}"


def seconds(us: int) -> str:
    """Microseconds as a script writes seconds."""
    text = f"{us / 1e6:.6f}".rstrip("0").rstrip(".")
    return text or "0"


@dataclass(frozen=True)
class Option:
    """A TCP option: its name in a script, and its values."""

    name: str
    values: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.name == "sack":
            return "sack " + " ".join(f"{a}:{b}" for a, b in zip(self.values[::2], self.values[1::2], strict=True))
        if self.name == "TS":
            return f"TS val {self.values[0]} ecr {self.values[1]}"
        if self.name in ("ECN0", "ECN1"):
            fields = ("e0b", "ceb", "e1b") if self.name == "ECN0" else ("e1b", "ceb", "e0b")
            return " ".join(["ECN", *(f"{field} {count}" for field, count in zip(fields, self.values, strict=False))])
        if self.name in ("FO", "FOEXP", "md5"):
            return f"{self.name} {bytes(self.values).hex()}".strip()
        return " ".join([self.name, *map(str, self.values)])


@dataclass(frozen=True)
class Packet:
    """A TCP packet in the script's numbers. What is ``None`` is not compared (of options: any)."""

    inbound: bool
    flags: frozenset[str]
    seq: int
    length: int
    ack: int = 0
    window: int | None = None
    urgent: int = 0
    options: tuple[Option, ...] | None = ()
    #: ECN field: ``noecn``, ``ect0``, ``ect1``, ``ce``, or ``ect01`` for either of two.
    ecn: str | None = None
    #: Code and MTU of an ICMP message "destination unreachable" about the segment, instead of the segment.
    icmp: tuple[int, int] | None = None

    def option(self, name: str) -> tuple[int, ...] | None:
        """Values of the option, if the packet has it."""
        return next((option.values for option in self.options or () if option.name == name), None)

    def __str__(self) -> str:
        """The packet as a script writes it."""
        if self.icmp:
            return f"< icmp unreachable code {self.icmp[0]} mtu {self.icmp[1]} [{self.seq}:{self.seq + self.length}({self.length})]"
        flags = "".join(flag for flag in "SFRPUAEW." if flag in self.flags) or "-"
        parts = ["<" if self.inbound else ">", *([f"[{self.ecn}]"] if self.ecn else []), flags]
        parts.append(f"{self.seq}:{self.seq + self.length}({self.length})")
        if "." in self.flags:
            parts.append(f"ack {self.ack}")
        if self.window is not None:
            parts.append(f"win {self.window}")
        if self.urgent:
            parts.append(f"urg {self.urgent}")
        if self.options is None:
            parts.append("<...>")
        elif self.options:
            parts.append(f"<{','.join(map(str, self.options))}>")
        return " ".join(parts)


@dataclass(frozen=True)
class Result:
    """What a call returns: a number (``None``: any), and with -1 an error's name."""

    value: int | None
    error: str | None = None

    def __str__(self) -> str:
        return " ".join(["..." if self.value is None else str(self.value), *([self.error] if self.error else [])])


@dataclass(frozen=True)
class Call:
    """A system call. An argument is an integer, a text, or one of the tuples ``("...",)``, ``("name", word)``,
    ``("list", [...])``, ``("table", {...})``, ``("or", [...])``, ``("call", name, [...])``."""

    name: str
    arguments: tuple[Any, ...]
    result: Result
    #: A call that may block has returned by then (relative where the event's time is).
    until: int | None = None

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(shown, self.arguments))}) = {self.result}"


def shown(argument: Any) -> str:
    """An argument as a script writes it."""
    if isinstance(argument, str):
        return '"' + argument.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if not isinstance(argument, tuple):
        return str(argument)
    kind, rest = argument[0], argument[1:]
    if kind == "list":
        return f"[{', '.join(map(shown, rest[0]))}]"
    if kind == "table":
        return "{" + ", ".join(f"{key}={shown(value)}" for key, value in rest[0].items()) + "}"
    if kind == "or":
        return "|".join(map(shown, rest[0]))
    if kind == "call":
        return f"{rest[0]}({', '.join(map(shown, rest[1]))})"
    return str(rest[0]) if rest else "..."


@dataclass(frozen=True)
class Command:
    """Text between backquotes: shell, of which only ``sysctl`` settings have an effect."""

    text: str

    def __str__(self) -> str:
        return f"`{' '.join(self.text.split())}`"


@dataclass(frozen=True)
class Code:
    """Text between ``%{`` and ``}%``: Python, of which only assertions and prints are read."""

    text: str

    def __str__(self) -> str:
        return f"%{{ {' '.join(self.text.split())} }}%"


@dataclass(frozen=True)
class Event:
    """Something that happens at a time, from a place in the script."""

    when: When
    what: Packet | Call | Command | Code
    line: int
    column: int

    def __str__(self) -> str:
        until = self.what.until if isinstance(self.what, Call) else None
        return f"{self.when}{'' if until is None else '...' + seconds(until)} {self.what}"


@dataclass
class Script:
    """A script: the options at its head, and its events."""

    name: str
    options: dict[str, str] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    #: What the script asks for and nothing here can do, as ``(line, column, what)``.
    unsupported: list[tuple[int, int, str]] = field(default_factory=list)

    def number(self, name: str, default: float) -> float:
        """The value of a numeric option."""
        return float(self.options.get(name, default))
