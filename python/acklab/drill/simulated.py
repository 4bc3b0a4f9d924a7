"""Scripts against a simulated stack: its sender and receiver, and around them what they lack of a host.

The two endpoints decide when data and ACKs leave. This file makes the rest, and makes it as Linux does: the SYNs and their options,
the FIN, PSH at the end of what was written, timestamps in milliseconds, and the application's calls. An ACK that a timer sends is
left out where data has carried its number. The peer's options are read from the script before its SYN arrives.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from . import rules
from .calls import number
from .runner import Unsupported
from .script import Call, Option, Packet, Result, Script, shown
from .sysctls import settings

#: Socket options without effect here.
NO_EFFECT = frozenset({"SO_REUSEADDR", "SO_REUSEPORT", "TCP_QUICKACK_OFF"})
#: Most timers that run out at one instant.
MOST_AT_ONCE = 100_000
#: What an endless threshold is called (`TCP_INFINITE_SSTHRESH`).
INFINITE = 0x7FFFFFFF
POLLIN, POLLOUT = 1, 4


class SimulatedHost:
    """A simulated stack, as a script sees it.

    Args:
        script: the script.
        stack: one of acklab's stacks.
        make: endpoints with the rules of a scenario's only flow (``_core.Endpoints``).
    """

    def __init__(self, script: Script, stack: str, make: Callable[[str], Any]) -> None:
        self.script, self.stack, self.make = script, stack, make
        self.clock = 0
        self.sysctls: dict[str, str] = {}
        self.sent: deque[tuple[int, Packet]] = deque()
        self.ends: Any = None
        self.agreed: rules.Agreed | None = None
        self.listener: int | None = None
        self.connection: int | None = None
        self.client = self.nodelay = self.nonblocking = False
        self.established = self.reset = self.closing = self.fin_sent = self.fin_received = False
        #: Ends of segments that bear PSH, and of the data last pushed.
        self.pushes: set[int] = set()
        self.pushed = 1
        self.window = self.widest = 0
        #: One past the highest unit that the peer reported.
        self.reported = 0
        self.read_to, self.carried, self.stamp = 1, 0, 0
        #: The number acknowledged by what left with each timestamp.
        self.echoes: dict[int, int] = {}
        self.blocked: Call | None = None
        self.returned: tuple[int, str | None] | None = None
        for event in script.events:
            packet = event.what
            if isinstance(packet, Packet) and (packet.urgent or not packet.inbound and packet.window is not None):
                what = "urgent data" if packet.urgent else "the window of packets that leave (win)"
                script.unsupported.append((event.line, event.column, f"{what} on a simulated stack"))

    # -- time ------------------------------------------------------------------------------------------------------

    def now(self) -> int:
        return self.clock

    def wait(self, until: int) -> None:
        self._run(until, lambda: False)

    def _run(self, until: int, enough: Callable[[], bool]) -> None:
        """Lets timers run out until then, or until it is enough."""
        for _ in range(MOST_AT_ONCE):
            due = None if self.ends is None or self.reset else self.ends.due()
            at = None if due is None else max(self.clock, round(due * 1e6))
            if enough() or at is None or at > until:
                break
            self.clock = at
            self.ends.expire(max(due, at / 1e6))
            self._drain(by_timer=True)
        if not enough():
            self.clock = max(self.clock, until)

    def sniff(self, until: int) -> tuple[int, Packet] | None:
        before = self.clock
        self._run(until, lambda: bool(self.sent))
        if self.sent:
            return self.sent.popleft()
        if until <= before:
            return None
        state = self._state() if self.ends is not None else {}
        if self.fin_sent and state["una"] == state["limit"]:
            raise Unsupported("a FIN that is sent again, on a simulated stack")
        if self.established and self.window < state["mss"] and state["max"] < state["limit"]:
            raise Unsupported("probes of a closed window on a simulated stack")
        return None

    @property
    def _secs(self) -> float:
        return self.clock / 1e6

    # -- packets that leave ----------------------------------------------------------------------------------------

    def _drain(self, by_timer: bool = False, silent: bool = False) -> None:
        """Turns what the endpoints sent into packets; `silent` keeps ACKs back."""
        if self.ends is None:
            return
        for one in json.loads(self.ends.take()):
            if one["kind"] == "ack":
                if not silent and not (by_timer and not one["sack"] and one["ack"] <= self.carried):
                    self._acknowledge(one)
            elif one["syn"]:
                self._open()
            else:
                self._data(one)
        state = self._state()
        if self.closing and not self.fin_sent and state["max"] == state["limit"] and self.established:
            self._leave(frozenset("F."), state["max"], 0)
            self.fin_sent = True
        self._resume_call()

    def _state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.ends.state())
        return found

    def _stamps(self) -> tuple[int, int]:
        return self.clock // 1000 + 1, self.stamp

    def _leave(self, flags: frozenset[str], seq: int, length: int, ecn: str = "noecn", sack: Any = (), ack: int | None = None) -> None:
        options: list[Option] = []
        if self.agreed and self.agreed.stamps:
            options += [Option("nop"), Option("nop"), Option("TS", self._stamps())]
        if sack:
            options += [Option("nop"), Option("nop"), Option("sack", tuple(edge for block in sack for edge in block))]
        rcv_nxt = self._state()["rcv_nxt"]
        self.echoes[self._stamps()[0]] = rcv_nxt
        self.carried = max(self.carried, rcv_nxt)
        packet = Packet(False, flags, seq, length, rcv_nxt if ack is None else ack, None, 0, tuple(options), ecn)
        self.sent.append((self.clock, packet))

    def _open(self) -> None:
        flags = {"S"} if self.client else {"S", "."}
        stamps = sack = True
        scale: int | None = rules.our_scale(self.sysctls)
        if self.client:
            stamps, sack = self.sysctls.get("tcp_timestamps", "1") != "0", self.sysctls.get("tcp_sack", "1") != "0"
            flags |= {"E", "W"} if self.sysctls.get("tcp_ecn") == "1" else set()
        elif self.agreed:
            stamps, sack, scale = self.agreed.stamps, self.agreed.sack, self.agreed.scales and self.agreed.scales[1]
            flags |= {"E"} if self.agreed.ecn else set()
        stamp = (self._stamps()[0], 0 if self.client else self.stamp)
        self.echoes[stamp[0]] = 1
        packet = Packet(False, frozenset(flags), 0, 0, 0 if self.client else 1, None, 0, rules.syn_options(stamps, sack, scale, stamp), "noecn")
        self.sent.append((self.clock, packet))

    def _acknowledge(self, one: Mapping[str, Any]) -> None:
        seq = self._state()["max"] + self.fin_sent
        self._leave(frozenset("E." if one["ece"] else "."), seq, 0, sack=one["sack"], ack=one["ack"])

    def _data(self, one: Mapping[str, Any]) -> None:
        end = one["seq"] + one["len"]
        flags = {".", *(["P"] if end in self.pushes else []), *(["W"] if one["cwr"] else [])}
        if self.closing and not self.fin_sent and end == self._state()["limit"]:
            flags |= {"F"}
            self.fin_sent = True
        self._leave(frozenset(flags), one["seq"], one["len"], "ect0" if one["ect"] else "noecn")

    # -- packets that arrive ---------------------------------------------------------------------------------------

    def inject(self, packet: Packet) -> None:
        if "S" in packet.flags and "." not in packet.flags:
            return self._accept_syn(packet)
        if self.ends is None:
            raise Unsupported("a packet without a connection on a simulated stack")
        if self.reset:
            raise Unsupported("a packet after a reset on a simulated stack")
        if "R" in packet.flags:
            self.reset = True
            return self._resume_call()
        if "." not in packet.flags:
            raise Unsupported("a packet without ACK on a simulated stack")
        self._stamp(packet)
        if "S" in packet.flags:
            if not self.client or self.established:
                raise Unsupported("a second SYN on a simulated stack")
            self.ends.on_segment(0, 1, self._secs, syn=True)
            self._drain()
        self.established = True
        self._ack(packet)
        fin = "F" in packet.flags
        if packet.length or fin:
            first = 1 if self.read_to == self._state()["rcv_nxt"] == 1 else 0
            echo = self.echoes.get((packet.option("TS") or (0, -1))[1], first)
            self.ends.on_segment(
                packet.seq, packet.length + fin, self._secs, fin=fin, push="P" in packet.flags, ect=packet.ecn in ("ect0", "ect1"),
                ce=packet.ecn == "ce", cwr="W" in packet.flags, ts_val=(packet.option("TS") or (0,))[0] / 1000, echo=echo,
            )  # fmt: skip
            self.fin_received |= fin
            self._drain()

    def _stamp(self, packet: Packet) -> None:
        stamps = packet.option("TS")
        if stamps and packet.seq <= self._state()["rcv_nxt"]:
            self.stamp = stamps[0]

    def _accept_syn(self, packet: Packet) -> None:
        if self.listener is None or self.ends is not None:
            raise Unsupported("this SYN on a simulated stack: it has one connection, to a listening socket")
        self.agreed = rules.agreed(packet, self.sysctls, client=False)
        self._make()
        self.stamp = (packet.option("TS") or (0,))[0]
        self.ends.on_segment(0, 1, self._secs, syn=True)
        self._drain(silent=True)
        self.ends.start(self._secs)
        self._drain()

    def _make(self) -> None:
        assert self.agreed is not None
        try:
            self.ends = self.make(rules.scenario(self.stack, self.agreed, self.sysctls, self.nodelay))
        except ValueError as error:
            raise Unsupported(f"on the stack {self.stack}: {str(error).splitlines()[0]}") from None

    def _ack(self, packet: Packet) -> None:
        assert self.agreed is not None
        state = self._state()
        shift = self.agreed.scales[0] if self.agreed.scales and "S" not in packet.flags else 0
        window = (packet.window or 0) << shift
        changed, self.window = window != self.window, window
        if self.client or "S" not in packet.flags:
            self.widest = max(self.widest, window)
        edges = packet.option("sack") or ()
        blocks = list(zip(edges[::2], edges[1::2], strict=True))
        self.reported = max([self.reported, *edges])
        self.ends.tell_window(window)
        # What repeats the last number with data, or with another window, is no duplicate ACK (RFC 5681 section 2).
        if packet.ack == state["una"] and not blocks and (changed or packet.length or packet.flags & set("FS")):
            self.ends.resume(self._secs)
        else:
            echoed = (packet.option("TS") or (0, 0))[1]
            self.ends.on_ack(
                min(packet.ack, state["max"]), self._secs, sack=blocks[:3], syn="S" in packet.flags,
                ece="E" in packet.flags and "S" not in packet.flags, ts_ecr=max(0.0, (echoed - 1) / 1000),
            )  # fmt: skip
        self._drain()

    # -- the application -------------------------------------------------------------------------------------------

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
        if wanted.value is not None and got.value != wanted.value or got.value == -1 and wanted.error not in (None, got.error):
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
            self._make()
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
        # A write is pushed at its end, and where half the widest window is not (`forced_push`).
        for end in [*range(state["limit"] + state["mss"], state["limit"] + count, state["mss"]), state["limit"] + count]:
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
        # A FIN in order is the last number received, and nobody reads it.
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

    # -- what else a script asks -----------------------------------------------------------------------------------

    def command(self, text: str) -> list[str]:
        found, rest = settings(text)
        for name, value in found.items():
            rules.check(name, value)
        if self.ends is not None and found.keys() - rules.NO_EFFECT:
            raise Unsupported("a setting after the connection began, on a simulated stack")
        self.sysctls |= found
        return rest

    def info(self) -> Mapping[str, float]:
        if self.ends is None:
            raise Unsupported("an assertion without a connection")
        state = self._state()
        endless = state["ssthresh"] >= 1e8
        # Open, with reports above a hole: Disorder.
        disorder = int(state["ca_state"] == 0 and self.reported > state["una"])
        return {
            "tcpi_snd_cwnd": int(state["cwnd"]), "tcpi_snd_ssthresh": INFINITE if endless else int(state["ssthresh"]),
            "tcpi_unacked": -(-(state["max"] - state["una"]) // state["mss"]), "tcpi_ca_state": state["ca_state"] or disorder,
            "tcpi_total_retrans": state["retransmits"], "tcpi_snd_mss": state["mss"],
            "tcpi_rto": round(state["rto"] * 1e6),
        }  # fmt: skip
