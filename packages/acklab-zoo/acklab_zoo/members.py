"""The members of the zoo: stacks with programs of the same use, which ``make zoo`` builds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

#: The port of every server.
PORT = 443


@dataclass(frozen=True)
class Member:
    """A stack, and the programs that drive it.

    Attributes:
        protocol: ``quic`` or ``tcp``.
        version: of the stack that ``tools/zoo`` pins (of netstack, gVisor's, the day of its commit); of a Linux, the kernel that runs at the node.
        program: words of the program, ``{zoo}`` is where ``make zoo`` has put it.
    """

    protocol: str
    version: str
    program: str
    kernel: str | None = None

    def server(self) -> str:
        """The command of a server."""
        return f"{self._program()} server {PORT}"

    def client(self) -> str:
        """The command of a client; the request is put in for ``{request}``."""
        return f"{self._program()} client {{server}} {PORT} {{request}}"

    def _program(self) -> str:
        return self.program.replace("{zoo}", str(place()))

    def is_there(self) -> bool:
        """True if ``make zoo`` has built it; for a Linux, ``make kernel``."""
        if self.kernel is not None:
            from acklab import _core
            from acklab.engines import kernel

            try:
                kernel.find(self.kernel)
            except _core.LiveError:
                return False
            return True
        return Path(self._program().split()[0]).exists()


def place() -> Path:
    """Where ``make zoo`` puts the programs: ``$ZOO``, or in the user's cache."""
    if own := os.environ.get("ZOO"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "acklab" / "zoo"


_TCP = "python3 {zoo}/tcp.py"

#: By name. A version here is that of the lock files in tools/zoo; a test compares them.
MEMBERS = {
    "quic-go": Member("quic", "0.65.0", "{zoo}/quic-go"),
    "x-net": Member("quic", "0.62.0", "{zoo}/x-net"),
    "quinn": Member("quic", "0.11.12", "{zoo}/quinn"),
    "s2n-quic": Member("quic", "1.91.0", "{zoo}/s2n-quic"),
    "quiche": Member("quic", "0.30.0", "{zoo}/quiche"),
    "aioquic": Member("quic", "1.7.2", "{zoo}/aioquic/bin/python {zoo}/aioquic/zoo.py"),
    "netstack": Member("tcp", "20250503", "{zoo}/netstack"),
    "smoltcp": Member("tcp", "0.14.0", "{zoo}/smoltcp"),
    "linux-6.12": Member("tcp", "6.12", _TCP, "6.12"),
    "linux-7.3": Member("tcp", "7.3", _TCP, "7.3"),
}
