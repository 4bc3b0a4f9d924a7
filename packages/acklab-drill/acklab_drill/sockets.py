"""The application's calls on a simulated stack: what each returns, and what it makes the endpoints do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import rules
from .arguments import number
from .runner import Unsupported
from .script import Call, Packet, Result, Script, shown

#: Most bytes that a script may write in all: a larger write takes memory for each of its segments.
MOST_WRITTEN = 16 << 20
#: Socket options without effect here.
NO_EFFECT = frozenset({"SO_REUSEADDR", "SO_REUSEPORT"})


class Sockets:
    """The part of a :class:`SimulatedHost` that its scripts call."""

    script: Script
    ends: Any
    agreed: rules.Agreed | None
    clock: int
    sysctls: dict[str, str]
    pushes: set[int]
    pushed: int
    widest: int
    read_to: int
    listener: int | None
    connection: int | None
    blocked: Call | None
    returned: tuple[int, str | None] | None
    client: bool
    nodelay: bool
    nonblocking: bool
    established: bool
    reset: bool
    closing: bool
    fin_received: bool
    _state: Callable[[], dict[str, Any]]
    _drain: Callable[..., None]
    _leave: Callable[..., None]
    _count: Callable[[], None]
    _make: Callable[[], Any]
    _run: Callable[[int, Callable[[], bool]], None]

    @property
    def _secs(self) -> float:
        return self.clock / 1e6

    def call(self, call: Call, until: int | None) -> str | None:
        got = self._call(call)
        if got is None:
            if until is None:
                return "it blocks"
            self.blocked = call
            return None
        self.returned = (self.clock, self._compared(call, got))
        return self.returned[1]

    def _compared(self, call: Call, got: Result) -> str | None:
        wanted = call.result
        if (
            wanted.value is not None
            and got.value != wanted.value
            or got.value == -1
            and wanted.error not in (None, got.error)
        ):
            return f"{wanted} expected, {got} returned"
        return None

    def _resume_call(self) -> None:
        call = self.blocked
        if call is not None:
            self.blocked = None
            got = self._call(call)
            if got is None:
                self.blocked = call
            else:
                self.returned = (self.clock, self._compared(call, got))

    def finish(self) -> tuple[int, str | None] | None:
        self._run(self.clock + 10_000_000, lambda: self.blocked is None)
        return None if self.blocked else self.returned

    def _call(self, call: Call) -> Result | None:
        """What a call returns; ``None`` while it blocks."""
        method = getattr(self, f"_{call.name}", None)
        if method is None:
            raise Unsupported(f"the system call {call.name} on a simulated stack")
        try:
            found: Result | None = method(call, *call.arguments)
        except TypeError:
            raise Unsupported(f"{call.name} with {len(call.arguments)} arguments") from None
        return found

    def _socket(self, call: Call, *_: Any) -> Result:
        return Result(call.result.value or 3)

    def _bind(self, call: Call, *_: Any) -> Result:
        return Result(0)

    def _listen(self, call: Call, fd: Any, *_: Any) -> Result:
        self.listener = number(fd)
        return Result(0)

    def _accept(self, call: Call, fd: Any, *_: Any) -> Result | None:
        if self.established and self.connection is None:
            self.connection = call.result.value if call.result.value is not None and call.result.value >= 0 else 4
            return Result(self.connection)
        return self._would_block()

    def _would_block(self) -> Result | None:
        return Result(-1, "EAGAIN") if self.nonblocking else None

    def _connect(self, call: Call, fd: Any, *_: Any) -> Result | None:
        if self.ends is None:
            self.client, self.connection = True, number(fd)
            answers = (e.what for e in self.script.events if isinstance(e.what, Packet) and e.what.inbound)
            none = Packet(True, frozenset("S."), 0, 0, 1, 65535)
            answer = next((packet for packet in answers if {"S", "."} <= packet.flags), none)
            self.agreed = rules.agreed(answer, self.sysctls, client=True)
            self._count()
            self.ends = self._make()
            self.ends.start(self._secs)
            self._drain()
            if self.nonblocking:
                return Result(-1, "EINPROGRESS")
        if self.reset:
            return Result(-1, "ECONNREFUSED")
        return Result(0) if self.established else None

    def _write(self, call: Call, fd: Any, data: Any, size: Any, *_: Any) -> Result:
        if number(fd) != self.connection or not self.established or self.closing or isinstance(data, str):
            raise Unsupported("this write on a simulated stack")
        if self.reset:
            return Result(-1, "ECONNRESET")
        count, state = number(size), self._state()
        if not 0 <= count <= MOST_WRITTEN - state["limit"]:
            raise Unsupported(f"a write of {count} bytes; at most {MOST_WRITTEN} in all on a simulated stack")
        # A write is pushed at its end, and where half the widest window is not (`forced_push`).
        for end in [
            *range(state["limit"] + state["mss"], state["limit"] + count, state["mss"]),
            state["limit"] + count,
        ]:
            if end == state["limit"] + count or end - self.pushed > self.widest // 2:
                self.pushes.add(end)
                self.pushed = end
        self.ends.write(count, self._secs)
        self._drain()
        return Result(count)

    _send = _sendto = _write

    def _available(self) -> int:
        """Bytes that wait to be read."""
        return 0 if self.ends is None else int(self._state()["rcv_nxt"]) - self.read_to

    def _read(self, call: Call, fd: Any, data: Any, size: Any, flags: Any = 0, *_: Any) -> Result | None:
        if number(fd) != self.connection or number(flags):
            raise Unsupported("this read on a simulated stack")
        if self.reset:
            return Result(-1, "ECONNRESET")
        # A FIN in order takes the last number received, which is not data to read.
        ready = self._available() - self.fin_received
        if ready <= 0:
            return Result(0) if self.fin_received else self._would_block()
        count = min(ready, number(size))
        self.read_to += count
        return Result(count)

    _recv = _recvfrom = _read

    def _close(self, call: Call, fd: Any) -> Result:
        if number(fd) == self.connection:
            if self._available() - self.fin_received > 0:
                self._leave(frozenset("R."), self._state()["max"], 0)
                self.reset = True
            self.closing = True
            if not self.reset:
                self._drain()
        return Result(0)

    def _shutdown(self, call: Call, fd: Any, how: Any) -> Result:
        if number(fd) != self.connection or number(how) != 1:
            raise Unsupported("this shutdown on a simulated stack")
        self.closing = True
        self._drain()
        return Result(0)

    def _setsockopt(self, call: Call, fd: Any, level: Any, option: Any, value: Any, size: Any) -> Result:
        name = option[1] if isinstance(option, tuple) and option[0] == "name" else ""
        if name == "TCP_NODELAY" and self.ends is None:
            self.nodelay = True
        elif name == "TCP_CONGESTION" and self.ends is None:
            control = value if isinstance(value, str) else shown(value).strip('[]"')
            rules.check("tcp_congestion_control", control)
            self.sysctls["tcp_congestion_control"] = control
        elif name not in NO_EFFECT:
            raise Unsupported(f"setsockopt of {shown(option)} {'then ' if self.ends else ''}on a simulated stack")
        return Result(0)

    def _getsockopt(self, call: Call, fd: Any, level: Any, option: Any, value: Any, size: Any) -> Result:
        error = 111 if self.reset and not self.established else 0
        if option != ("name", "SO_ERROR") or shown(value) != f"[{error}]":
            raise Unsupported(f"getsockopt of {shown(option)} with {shown(value)} on a simulated stack")
        return Result(0)

    def _fcntl(self, call: Call, fd: Any, what: Any, value: Any = 0) -> Result:
        if what == ("name", "F_GETFL"):
            return Result(call.result.value, call.result.error)
        self.nonblocking = "O_NONBLOCK" in shown(value)
        return Result(0)
