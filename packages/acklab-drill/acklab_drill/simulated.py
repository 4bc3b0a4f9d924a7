"""Scripts against a simulated stack: its sender and receiver, and around them what they lack of a host.

The two endpoints decide when data and ACKs leave. This file makes the rest, as Linux does. It makes the SYNs with their options, the
FIN, and PSH at the end of each write. It also makes timestamps in milliseconds and the application's calls. An ACK that a timer sends
is left out if data has already carried its number. The peer's options are read from the script before its SYN arrives.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from . import accurate, rules
from .runner import Unsupported
from .script import Call, Option, Packet, Script
from .sockets import Sockets
from .sysctls import settings

#: Most timers that run out at one instant.
MOST_AT_ONCE = 100_000
#: What an endless threshold is called (`TCP_INFINITE_SSTHRESH`).
INFINITE = 0x7FFFFFFF


class SimulatedHost(Sockets):
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
        self.accurate: accurate.Accurate | None = None
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
        if script.number("mtu", 1500) != 1500:
            script.unsupported.append((1, 1, f"--mtu={script.options['mtu']} on a simulated stack"))
        if script.options.get("ip_version") == "ipv6":
            script.unsupported.append((1, 1, "--ip_version=ipv6 on a simulated stack"))
        for event in script.events:
            packet = event.what
            if what := rules.lacking(packet, self):
                script.unsupported.append((event.line, event.column, f"{what} on a simulated stack"))
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

    # -- packets that leave ----------------------------------------------------------------------------------------

    def _drain(self, by_timer: bool = False, silent: bool = False) -> None:
        """Turns what the endpoints sent into packets; `silent` keeps ACKs back."""
        if self.ends is None:
            return
        for one in json.loads(self.ends.take()):
            if one["kind"] == "ack" and one["syn"] and self.accurate and one["ace"] is not None:
                self.accurate.answer = one["ace"]
            if one["kind"] == "ack":
                if not silent and not (by_timer and not one["sack"] and one["ack"] <= self.carried):
                    self._acknowledge(one)
            elif one["syn"]:
                self._open(one)
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

    def _leave(
        self, flags: frozenset[str], seq: int, length: int, ecn: str = "noecn", sack: Any = (), ack: int | None = None
    ) -> None:
        options: list[Option] = []
        if self.agreed and self.agreed.stamps:
            options += [Option("nop"), Option("nop"), Option("TS", self._stamps())]
        state = self._state()
        if self.accurate and state["accurate"] and "R" not in flags:
            told, option, blocks = self.accurate.leaves(state["accurate"], 12 if options else 0, len(sack))
            flags, sack = flags | told, sack[:blocks]
            options += option
            ecn = "ect0" if state["told"] and state["told"][2] and not self.accurate.failed else "noecn"
        if sack:
            options += [Option("nop"), Option("nop"), Option("sack", tuple(edge for block in sack for edge in block))]
        rcv_nxt = state["rcv_nxt"]
        self.echoes[self._stamps()[0]] = rcv_nxt
        self.carried = max(self.carried, rcv_nxt)
        packet = Packet(False, flags, seq, length, rcv_nxt if ack is None else ack, None, 0, tuple(options), ecn)
        self.sent.append((self.clock, packet))

    def _open(self, one: Mapping[str, Any]) -> None:
        flags = {"S"} if self.client else {"S", "."}
        stamps = sack = True
        optional = False
        scale: int | None = rules.our_scale(self.sysctls)
        if self.client:
            stamps, sack = self.sysctls.get("tcp_timestamps", "1") != "0", self.sysctls.get("tcp_sack", "1") != "0"
            wanted = self.sysctls.get("tcp_ecn")
            flags |= (
                {"E", "W"}
                if wanted in accurate.ASKS_CLASSIC
                else accurate.flags(one["ace"] or 0)
                if wanted in accurate.ASKS
                else set()
            )
        elif self.agreed:
            stamps, sack, scale = self.agreed.stamps, self.agreed.sack, self.agreed.scales and self.agreed.scales[1]
            if self.accurate:
                told, optional = self.accurate.on_syn_answer()
                flags |= told
            else:
                flags |= {"E"} if self.agreed.ecn else set()
        stamp = (self._stamps()[0], 0 if self.client else self.stamp)
        self.echoes[stamp[0]] = 1
        options = rules.syn_options(
            stamps, sack, scale, stamp, accurate.option(0, 1, 1, accurate.ROOM) if optional else ()
        )
        packet = Packet(False, frozenset(flags), 0, 0, 0 if self.client else 1, None, 0, options, "noecn")
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
        if self.accurate:
            self.accurate.arrives(packet)
        if "S" in packet.flags and self.client and self.established and self.accurate:
            # A repeated answer to our SYN: the ACK of it tells how this one came.
            self.accurate.third = packet.ecn or "noecn"
            return self._leave(frozenset("."), self._state()["max"], 0)
        if "S" in packet.flags:
            if not self.client or self.established:
                raise Unsupported("a second SYN on a simulated stack")
            counted = self.accurate is not None and accurate.number(packet) in (2, 3, 4, 5, 6)
            if self.accurate:
                self.accurate.third = packet.ecn or "noecn"
            self.ends.on_segment(0, 1, self._secs, syn=True, ace=0b111 if counted else None)
            self._drain()
        self.established = True
        self._ack(packet)
        fin = "F" in packet.flags
        if packet.length or fin:
            first = 1 if self.read_to == self._state()["rcv_nxt"] == 1 else 0
            echo = self.echoes.get((packet.option("TS") or (0, -1))[1], first)
            self.ends.on_segment(
                packet.seq, packet.length + fin, self._secs, fin=fin, push="P" in packet.flags,
                ecn=accurate.FIELDS[packet.ecn or "noecn"], cwr="W" in packet.flags, ace=self._ace(packet), ts_val=(packet.option("TS") or (0,))[0] / 1000, echo=echo,
            )  # fmt: skip
            self.fin_received |= fin
            self._drain()

    def _stamp(self, packet: Packet) -> None:
        stamps = packet.option("TS")
        if stamps and packet.seq <= self._state()["rcv_nxt"]:
            self.stamp = stamps[0]

    def _accept_syn(self, packet: Packet) -> None:
        if self.ends is not None and not self.established and not self.client:
            return self._accept_another(packet)
        if self.listener is None or self.ends is not None:
            raise Unsupported("this SYN on a simulated stack: it has one connection, to a listening socket")
        self.agreed = rules.agreed(packet, self.sysctls, client=False)
        self._count()
        self.ends = self._make()
        self.stamp = (packet.option("TS") or (0,))[0]
        self.ends.on_segment(
            0, 1, self._secs, syn=True, ecn=accurate.FIELDS[packet.ecn or "noecn"], ace=0b111 if self.accurate else None
        )  # fmt: skip
        self._drain(silent=True)
        self.ends.start(self._secs)
        self._drain()

    def _accept_another(self, packet: Packet) -> None:
        """A SYN comes again: the answer tells how it came. One without flags ends marks (RFC 9768 section 3.1.5)."""
        if self.accurate:
            self.accurate.failed |= not accurate.requested(packet)
            self.ends.on_segment(0, 1, self._secs, syn=True, ecn=accurate.FIELDS[packet.ecn or "noecn"], ace=0b111)
            self._drain(silent=True)
        self._open({"ace": None})

    def _count(self) -> None:
        """Marks are counted from now on, if they are to be."""
        if self.agreed and self.agreed.accurate:
            self.accurate = accurate.Accurate(self.client, int(self.sysctls.get("tcp_ecn_option", "2")))

    def _ace(self, packet: Packet) -> int | None:
        """The counter of an arriving packet, if marks are counted."""
        return accurate.number(packet) if self.accurate else None

    def _make(self) -> Any:
        assert self.agreed is not None
        try:
            return self.make(rules.scenario(self.stack, self.agreed, self.sysctls, self.nodelay, self.client))
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
        self.ends.set_window(window)
        # What repeats the last number with data, or with another window, is no duplicate ACK (RFC 5681 section 2).
        if packet.ack == state["una"] and not blocks and (changed or packet.length or packet.flags & set("FS")):
            self.ends.resume(self._secs)
        else:
            echoed = (packet.option("TS") or (0, 0))[1]
            # What comes back first after our answer to a SYN tells the sender what the answer tells a client.
            opens = self.accurate.opens(packet) if self.accurate else None
            self.ends.on_ack(
                min(packet.ack, state["max"]), self._secs, sack=blocks[:3], syn="S" in packet.flags or opens is not None,
                ece="E" in packet.flags and "S" not in packet.flags, ts_ecr=max(0.0, (echoed - 1) / 1000),
                ace=self._ace(packet) if opens is None else opens, counts=accurate.counts(packet) if self.accurate else None,
            )  # fmt: skip
        self._drain()

    # -- what else a script asks -----------------------------------------------------------------------------------

    def command(self, text: str) -> list[str]:
        found, rest = settings(text)
        for name, value in found.items():
            rules.check(name, value)
        if self.ends is not None and found.keys() - rules.NO_EFFECT - {"tcp_ecn_option"}:
            raise Unsupported("a setting after the connection began, on a simulated stack")
        if self.accurate and "tcp_ecn_option" in found:
            self.accurate.sending = int(found["tcp_ecn_option"])
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
            "tcpi_rto": round(state["rto"] * 1e6), **self._marks(state),
        }  # fmt: skip

    def _marks(self, state: Mapping[str, Any]) -> dict[str, float]:
        """What accurate ECN has told: packets, and bytes from their first values."""
        if not self.accurate or not state["told"]:
            return {}
        marked, unmarked, _ = state["told"]
        return {
            "tcpi_delivered_ce": state["marks"],
            "tcpi_delivered_ce_bytes": marked,
            "tcpi_delivered_e0_bytes": unmarked - 1,
        }
