"""From text to a script (packetdrill's grammar, parser.y). What is read but cannot be done is noted as unsupported."""

from __future__ import annotations

import re
from typing import Any

from .code import refusal
from .script import Call, Code, Command, Event, Option, Packet, Result, Script, When
from .words import ScriptError, Word, words

#: Options of which the effect is known here; each with whether its value is a number.
OPTIONS = {
    "tolerance_usecs": True, "tolerance_percent": True, "mss": True, "mtu": True, "tcp_ts_tick_usecs": True,
    "tcp_ts_ecr_scaled": False, "send_omit_free": False, "bind_port": True, "connect_port": True, "ip_version": False,
    "local_ip": False, "remote_ip": False, "strict_segments": False,
}  # fmt: skip
ECN = ("noecn", "ect0", "ect1", "ect01", "ce")
FLAGS = frozenset("SFRPUEWA")
#: The three bits of accurate ECN's counter as flags, from the highest (RFC 9768, section 3.2.2).
COUNTER = {"A": 4, "W": 2, "E": 1}
#: Accurate ECN's options by their first field, with all of them in order (RFC 9768, section 3.2.3).
ECN_FIELDS = {"e0b": ("ECN0", ("e0b", "ceb", "e1b")), "e1b": ("ECN1", ("e1b", "ceb", "e0b"))}
#: Codes of ICMP's "destination unreachable" (RFC 792).
UNREACHABLE = {
    "net_unreachable": 0, "host_unreachable": 1, "protocol_unreachable": 2, "port_unreachable": 3, "frag_needed": 4,
    "source_route_failed": 5,
}  # fmt: skip
#: Options of the TCP header with the number of integers that follow, and their name in the header.
SIMPLE = {"nop": 0, "eol": 0, "sackOK": 0, "mss": 1, "wscale": 1}
#: What begins a packet that is not a bare TCP segment.
OTHER_PACKETS = ("udp", "ipv4", "ipv6", "gre", "mpls", "encap")
CALLS = frozenset(
    "socket bind listen accept connect write send sendto read recv recvfrom close shutdown setsockopt getsockopt fcntl ioctl "
    "poll recvmsg sendmsg epoll_create epoll_ctl epoll_wait pipe splice open sendfile".split()
)
#: Deepest nesting of a call's arguments.
DEEPEST = 16
#: Latest time, in seconds: a connection may have a timer for every few seconds of it.
LATEST_S = 100_000


def parse(text: str, name: str = "script") -> Script:
    """Reads a script.

    Raises:
        ScriptError: the text is not a script.
    """
    return _Parser(text, name).script()


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self.words, self.at, self.found = words(text), 0, Script(name)
        self.assigned: set[str] = set()

    @property
    def word(self) -> Word:
        return self.words[self.at]

    def fail(self, what: str, word: Word | None = None) -> ScriptError:
        word = word or self.word
        return ScriptError(word.line, word.column, what)

    def unsupported(self, what: str, word: Word) -> None:
        self.found.unsupported.append((word.line, word.column, what))

    def next(self) -> Word:
        word = self.word
        self.at = min(self.at + 1, len(self.words) - 1)
        return word

    def takes(self, kind: str, text: str | None = None) -> bool:
        if self.word.kind == kind and (text is None or self.word.text == text):
            self.next()
            return True
        return False

    def need(self, kind: str, what: str) -> Word:
        if self.word.kind != kind:
            raise self.fail(f"`{self.word.text}`: expected {what}")
        return self.next()

    def integer(self, what: str, least: int = 0, most: int = 2**32 - 1) -> int:
        word = self.need("integer", what)
        if len(word.text) > 20 or not least <= int(word.text) <= most:
            raise self.fail(f"`{word.text}`: {what} is a number from {least} to {most}", word)
        return int(word.text)

    def script(self) -> Script:
        while self.word.kind == "option":
            self.option()
        while self.word.kind != "end":
            place = self.word
            # A command without a time stands before the first event, or after the last.
            when = When() if place.kind == "command" else self.when()
            self.found.events.append(Event(when, self.action(when), place.line, place.column))
        if not self.found.events:
            raise self.fail("the script has no events")
        return self.found

    def option(self) -> None:
        word = self.next()
        name, value = word.text[2:], ""
        if self.takes("="):
            # All that follows without a space: a definition, or an address of IPv6.
            after = None
            while after is None or (self.word.kind != "end" and (self.word.line, self.word.column) == after):
                part = self.next()
                value, after = value + part.text, (part.line, part.column + len(part.text))
        if name not in OPTIONS:
            self.unsupported(f"the option --{name}", word)
        elif OPTIONS[name] and not (value.replace(".", "", 1).isascii() and value.replace(".", "", 1).isdigit()):
            raise self.fail(f"--{name} is a number", word)
        elif name == "ip_version" and value not in ("ipv4", "ipv6"):
            self.unsupported(f"--ip_version={value}; ipv4 and ipv6 are", word)
        elif name in ("local_ip", "remote_ip") and not re.fullmatch(
            r"[0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-f:]{2,39}", value
        ):
            self.unsupported(f"--{name}={value}; an address of IPv4 or IPv6 is", word)
        self.found.options[name] = value

    def time(self) -> int:
        word = self.next()
        if word.kind not in ("float", "integer") or word.text.startswith("-") or len(word.text) > 20:
            raise self.fail(f"`{word.text}`: expected a time in seconds", word)
        if float(word.text) > LATEST_S:
            raise self.fail(f"`{word.text}`: a time is at most {LATEST_S} seconds", word)
        return round(float(word.text) * 1e6)

    def when(self) -> When:
        if self.takes("*"):
            return When(any=True)
        relative = self.takes("+")
        start = self.time()
        if not self.takes("~"):
            return When(start, relative=relative)
        if relative and not self.takes("+"):
            raise self.fail(f"`{self.word.text}`: both ends of a relative range begin with +")
        return When(start, self.time(), relative)

    def action(self, when: When) -> Packet | Call | Command | Code:
        word = self.word
        if word.kind in ("<", ">"):
            return self.packet()
        if word.kind == "command":
            return Command(self.next().text[1:-1].strip())
        if word.kind == "code":
            self.next()
            text = word.text[2:-2].strip()
            why = refusal(text, self.assigned)
            if why:
                self.unsupported(f"in Python, {why}", word)
            return Code(text)
        if word.kind in ("ellipsis", "word"):
            return self.call(when)
        raise self.fail(f"`{word.text}`: expected a packet (< or >), a system call, a `command` or %{{ code }}%")

    def ecn(self) -> str | None:
        if self.word.kind not in ("(", "["):
            return None
        close = {"(": ")", "[": "]"}[self.next().kind]
        word, ecn = self.word, None
        if word.text in ECN:
            ecn = self.next().text
        if self.word.kind != close:
            self.unsupported(f"IP header fields such as `{self.word.text}`", self.word)
            while self.word.kind not in (close, "end"):
                self.next()
        self.need(close, f"`{close}`")
        return ecn

    def packet(self) -> Packet:
        arrow = self.next()
        inbound, ecn = arrow.kind == "<", self.ecn()
        if self.word.text == "icmp":
            return self.icmp(inbound)
        if self.word.text in OTHER_PACKETS:
            self.unsupported(f"{self.word.text} packets", self.word)
            return self.skipped(inbound)
        if self.word.kind == "integer":
            self.unsupported("ports in packets", self.word)
            self.next(), self.need(">", "`>`"), self.need("integer", "a port")
        flags = self.flags()
        start = self.integer("a first sequence number")
        self.need(":", "`:`")
        end = self.integer("a sequence number after the last")
        self.need("(", "`(`")
        length = self.integer("a length", 0, 65535)
        self.need(")", "`)`")
        if self.takes("/"):
            self.unsupported(f"packets within {self.next().text}", arrow)
            return self.skipped(inbound)
        if (start + length - end) % 2**32:
            raise self.fail(f"{start}:{end} is not {length} long", arrow)
        ack = self.integer("an acknowledgment number") if self.takes("word", "ack") else 0
        window = self.integer("a window", 0, 65535) if self.takes("word", "win") else None
        urgent = self.integer("an urgent pointer", 0, 65535) if self.takes("word", "urg") else 0
        if inbound and window is None:
            raise self.fail("a packet that arrives has a window: win N", arrow)
        options = self.options(inbound)
        return Packet(inbound, flags, start, length, ack, window, urgent, options, ecn)

    def icmp(self, inbound: bool) -> Packet:
        """``icmp unreachable [host_unreachable] [mtu N] [1:1001(1000)]``: about a segment that left; without one, about the SYN.

        Over IPv6 ``icmp packet_too_big mtu N``.
        """
        place = self.next()
        kind = self.need("word", "an ICMP type")
        known = "packet_too_big" if self.found.options.get("ip_version") == "ipv6" else "unreachable"
        if kind.text != known or not inbound:
            self.unsupported(f"icmp {kind.text}" if inbound else "icmp packets that leave", place)
            return self.skipped(inbound)
        code = 0
        if known == "unreachable" and self.word.text in UNREACHABLE:
            code = UNREACHABLE[self.next().text]
        mtu = self.integer("an MTU", 0, 65535) if self.takes("word", "mtu") else 0
        if not self.takes("["):
            return Packet(inbound, frozenset(), 0, 0, icmp=(code, mtu))  # of the SYN
        start = self.integer("a first sequence number")
        self.need(":", "`:`"), self.integer("a sequence number after the last"), self.need("(", "`(`")
        length = self.integer("a length", 0, 65535)
        self.need(")", "`)`"), self.need("]", "`]`")
        return Packet(inbound, frozenset(), start, length, icmp=(code, mtu))

    def skipped(self, inbound: bool) -> Packet:
        """Steps over the rest of a packet that is not read."""
        line = self.word.line
        while self.word.kind != "end" and self.word.line == line:
            self.next()
        return Packet(inbound, frozenset(), 0, 0)

    def flags(self) -> frozenset[str]:
        word = self.next()
        if word.kind == "-":
            return frozenset()
        if word.kind == ".":
            return frozenset(".")
        if word.kind in ("word", "float", "integer"):
            # A word such as EAP, a digit for accurate ECN's counter, and the dot may follow one another: `P5.`, `P.5`, `.5`.
            text = word.text + (self.next().text if word.kind != "float" and self.word.kind == "float" else "")
            text += "." if "." not in text and self.takes(".") else ""
            digits = [mark for mark in text if mark.isdigit()]
            if not set(text) <= FLAGS | set(".01234567") or len(digits) > 1:
                raise self.fail(
                    f"`{text}`: flags are of S F R P U E W A and ., with one digit up to 7 for accurate ECN's counter",
                    word,
                )
            counted = {flag for flag, bit in COUNTER.items() if digits and int(digits[0]) & bit}
            return frozenset(set(text) - set(digits) | counted)
        raise self.fail(f"`{word.text}`: expected flags, of S F R P U E W A and ., or -", word)

    def options(self, inbound: bool) -> tuple[Option, ...] | None:
        opened = self.word
        # A `<` that follows a packet begins its options; the next event begins with a time.
        if not self.takes("<"):
            return ()
        if self.takes("ellipsis"):
            if inbound:
                raise self.fail("<...> is for packets that leave; this one arrives", opened)
            self.need(">", "`>`")
            return None
        found = [self.tcp_option()]
        while self.takes(","):
            found.append(self.tcp_option())
        self.need(">", "`,` or `>` after an option")
        return tuple(found)

    def tcp_option(self) -> Option:
        word = self.next()
        name = "mss" if word.text == "MSS" else word.text
        if name in SIMPLE:
            most = {"mss": 65535, "wscale": 255}.get(name, 0)
            return Option(name, tuple(self.integer(name, 0, most) for _ in range(SIMPLE[name])))
        if word.text == "TS":
            if not self.takes("word", "val"):
                raise self.fail("expected `TS val N ecr N`")
            value = self.integer("a timestamp")
            if not self.takes("word", "ecr"):
                raise self.fail("expected `TS val N ecr N`")
            return Option("TS", (value, self.integer("a timestamp")))
        if word.text == "sack":
            edges: list[int] = []
            while self.word.kind == "integer":
                edges.append(self.integer("a block's start"))
                self.need(":", "`:`")
                edges.append(self.integer("a block's end"))
            if not 2 <= len(edges) <= 8:
                raise self.fail("an option sack has one to four blocks a:b", word)
            return Option("sack", tuple(edges))
        if word.text == "ECN":
            name, fields = ECN_FIELDS.get(self.word.text, ECN_FIELDS["e0b"])
            counts = []
            for field in fields:
                if self.takes("word", field):
                    counts.append(self.integer(f"the count {field}", 0, 2**24 - 1))
                else:
                    break
            return Option(name, tuple(counts))
        if word.text in ("FO", "FOEXP", "md5"):
            # A cookie in hexadecimal digits; none asks for one.
            text = self.next().text.removeprefix("0x") if self.word.kind not in (",", ">") else ""
            while self.word.kind in ("word", "integer", "hex"):
                text += self.next().text
            if not re.fullmatch(r"([0-9a-fA-F]{2}){0,38}", text):
                raise self.fail(f"`{text}`: {word.text} is followed by up to 38 bytes in hexadecimal digits", word)
            return Option(word.text, tuple(bytes.fromhex(text)))
        raise self.fail(
            f"`{word.text}`: options are mss, nop, eol, wscale, sackOK, sack, TS, and FO, FOEXP, md5, ECN", word
        )

    def call(self, when: When) -> Call:
        until = None
        if self.takes("ellipsis"):
            until = self.time()
            if when.any:
                raise self.fail("a call at any time (*) has no end")
        name = self.need("word", "a system call")
        if name.text not in CALLS:
            self.unsupported(f"the system call {name.text}", name)
        self.need("(", "`(`")
        arguments = self.listed(")", 0)
        self.need("=", "`=` and what the call returns")
        value = None
        if not self.takes("ellipsis"):
            word = self.word
            if word.kind == "hex":
                value = int(self.next().text, 16)
            elif word.kind == "word":
                self.unsupported(f"the result {self.next().text}", word)
            else:
                value = self.integer("a result", -(2**63), 2**63)
        error = self.next().text if self.word.kind == "word" else None
        if self.takes("("):  # a note on the error
            while self.word.kind not in (")", "end"):
                self.next()
            self.need(")", "`)`")
        return Call(name.text, tuple(arguments), Result(value, error), until)

    def listed(self, close: str, depth: int) -> list[Any]:
        found: list[Any] = []
        while not self.takes(close):
            if found:
                self.need(",", f"`,` or `{close}`")
            found.append(self.value(depth))
        return found

    def value(self, depth: int) -> Any:
        first = self.single(depth)
        if self.word.kind != "|":
            return first
        found = [first]
        while self.takes("|"):
            found.append(self.single(depth))
        return ("or", found)

    def single(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise self.fail("nested too deeply")
        word = self.next()
        if word.kind == "ellipsis":
            return ("...",)
        if word.kind == "integer" and len(word.text) <= 20:
            return int(word.text)
        if word.kind == "hex" and len(word.text) <= 18:
            return int(word.text, 16)
        if word.kind == "string":
            text = word.text[1:-1]
            while self.word.kind == "string":
                text += self.next().text[1:-1]
            if self.takes("ellipsis"):
                self.unsupported("a text that goes on (...)", word)
            return text
        if word.kind == "[":
            return ("list", self.listed("]", depth + 1))
        if word.kind == "{":
            return self.table(depth + 1)
        if word.kind == "word":
            if self.takes("("):
                return ("call", word.text, self.listed(")", depth + 1))
            if self.takes("="):
                return ("or", [("name", word.text), self.value(depth + 1)])
            return ("name", word.text)
        raise self.fail(f"`{word.text}`: expected an argument", word)

    def table(self, depth: int) -> Any:
        """A structure: values, some with names."""
        found: dict[str, Any] = {}
        while not self.takes("}"):
            if found:
                self.need(",", "`,` or `}`")
            key = str(len(found))
            if self.word.kind == "word" and self.words[min(self.at + 1, len(self.words) - 1)].kind == "=":
                key = self.next().text
                self.next()
            found[key] = self.value(depth)
            if isinstance(found[key], tuple) and found[key][0] == "call" and self.takes("="):  # msg_iov(1) = [...]
                found[found.pop(key)[1]] = self.value(depth)
        return ("table", found)
